// Functions of kbench-player.so for player.py, through ctypes: the mailbox, the arenas, a GPU, the
// locks, tensors without a copy, and the observer of torch's operators. Plain C; player.py declares
// the same functions. Loaded after torch and before anything foreign.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runner/worker/output_place.hpp"

extern "C" {

// A copy of what the supervisor asks for, taken when go was raised. The field order is player.py's.
struct kb_player_call {
  std::uint32_t number;
  std::uint32_t kind;  // CallKind
  std::uint32_t slots;
  std::uint32_t gate;
  std::uint64_t parameter_base;
  std::array<std::uint64_t, 16> input_base;
  std::array<std::uint64_t, 16> output_base;
  std::uint32_t copies_outputs;
};

// Answer about a finished call. The field order is player.py's.
struct kb_player_answer {
  std::int32_t status;
  std::uint32_t unused;
  std::int64_t claimed_ns;
  std::array<kbench::OutputPlace, kbench::kMaxPlaces> places;
};

// Freed memory is kept for the next call, as in the baselines' process: a fresh page costs more
// than the arithmetic of a small operator.
void kb_keep_freed_memory();

// Notes which operators are torch's own; before anything foreign is loaded.
void kb_know_operators();

// Whether other processes of the same user may look into this one, and write there.
int kb_set_open_to_others(int open);

// Maps an arena or the mailbox; both functions take the descriptor. Null where it cannot be mapped,
// with the reason in `words`; lives as long as the process.
void* kb_map_arena(int fd, std::uint64_t bytes, int writable, char* words, std::size_t size);
void* kb_open_mailbox(int fd);

// Waits until another call than `served` is asked for. `spins`: as on CUDA. A call that is observed
// is called one that is not.
void kb_await_call(void* mailbox, std::uint32_t served, int spins, kb_player_call* call);
void kb_answer_call(void* mailbox, std::uint32_t number, int spins, const kb_player_answer* answer);

// A DLPack handle for a tensor at `data`. `strides` null: without gaps.
void* kb_tensor(void* data, int on_cuda, std::uint8_t type_code, std::uint8_t type_bits, int ndim,
                const std::int64_t* shape, const std::int64_t* strides);

// Both: 0, or 1 with the reason in `words`. The first one has to come before any other thread.
int kb_write_only_below(const char* folder, char* words, std::size_t size);
int kb_lock_down(char* words, std::size_t size);

// Around what is foreign in each slot of each call, and after each call; of one that is not
// observed they do nothing. They count the operators of torch that are called in between, but for
// views, by two hooks: a callback of the profiler's (all threads) and a fallback of the
// dispatcher's (this thread). Their time is the host's.
void kb_watch_operators();
void kb_stop_watching();
// Sends {"type": "operators", "operators": {"aten::relu": 2}, "ns": {"aten::relu": 900}, "all_ns":
// 1200, "hooks": true} to the channel, without numbers where it were too long; `hooks` is false
// where a probe of ours went unseen by one of them, or other code began or ended. On CUDA the call
// has to be over.
void kb_tell_operators(int channel);

// The rest is there only where kbench was built with CUDA (player_cuda.cpp).

// The one GPU that this process is shown, as the native worker opens it: its stream, events and
// settings. Null with the reason in `words`. Lives as long as the process.
void* kb_open_cuda(char* words, std::size_t size);
// The stream that calls are timed on; a cudaStream_t.
std::uint64_t kb_cuda_stream(void* device);
// Maps an arena as kb_map_arena() does, on the device; takes the descriptor as well.
void* kb_map_cuda_arena(void* device, int fd, std::uint64_t bytes, char* words, std::size_t size);

// Runs `body` between the device's events, once the gate in the arena of inputs has opened (0:
// there is none), and waits until all of its work is complete. Returns what `body` returned, or
// where that is 0 an error of the device, which is positive. `ns`: what the events say.
std::int32_t kb_time_cuda_call(void* device, const void* inputs, std::uint64_t input_bytes,
                               std::uint32_t gate, std::int32_t (*body)(), std::int64_t* ns);
// The driver's words for such an error.
void kb_cuda_error_text(std::int32_t status, char* words, std::size_t size);

// Watches operators as kb_watch_operators() does; their time is the device's, as far as their work
// is on its stream.
void kb_watch_cuda_operators(void* device);

}  // extern "C"
