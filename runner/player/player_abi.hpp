// What kbench-player.so offers to player.py through ctypes: the mailbox, the arenas, the locks, and
// the observer of torch's operators. Plain C; player.py declares the same functions. Loaded after
// torch and before anything foreign.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

extern "C" {

// A copy of what the supervisor asks for, taken when go was raised. The field order is player.py's.
struct kb_player_call {
  std::uint32_t number;
  std::uint32_t kind;  // CallKind
  std::uint32_t slots;
  std::uint32_t unused;
  std::uint64_t parameter_base;
  std::array<std::uint64_t, 16> input_base;
  std::array<std::uint64_t, 16> output_base;
};

// Freed memory is kept for the next call, as in the baselines' process: a fresh page costs more
// than the arithmetic of a small operator.
void kb_keep_freed_memory();

// Whether other processes of the same user may look into this one, and write there.
int kb_set_open_to_others(int open);

// Null where it cannot be mapped; lives as long as the process.
void* kb_map_arena(int fd, std::uint64_t bytes, int writable);
void* kb_open_mailbox(int fd);

// Waits until another call than `served` is asked for.
void kb_await_call(void* mailbox, std::uint32_t served, kb_player_call* call);
void kb_answer_call(void* mailbox, std::uint32_t number, std::int32_t status,
                    std::int64_t claimed_ns);

// 0, or 1 with the reason in `words`.
int kb_lock_down(char* words, std::size_t size);

// Counts the operators of torch that are called from now on, but for views, by two hooks: a
// callback of the profiler's (all threads) and a fallback of the dispatcher's (this thread).
void kb_watch_operators();
// Stops that, and writes {"operators": {"aten::relu": 2}, "hooks": true} to `words`; `hooks` is
// false where a probe of ours went unseen by one of them. Returns the length, 0 where it does not
// fit.
std::size_t kb_watched_operators(char* words, std::size_t size);

}  // extern "C"
