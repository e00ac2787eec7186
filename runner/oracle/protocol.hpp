// The protocol of the supervisor and its oracle: one JSON request, one JSON reply, strictly in
// turn. Both ends use these types, so the spelling is in one place. No LibTorch.
//
//   op              request                        reply
//   hello           –                              facts, torch, precision
//   load            task_file, size + 1 or 2 files compiled_reason
//   place           PlaceRequest                   PlaceReply + 3 descriptors for each seat, heap
//   play            PlayRequest + 5 or 6 files     –; then it plays
//   inputs          slots: SlotInputs[]            –
//   reference       –                              outputs: EagerError[]
//   perturbed       –                              outputs: EagerError[]
//   release         –                              –
//   time            side                           BaselineTime
//   record          side, cupti + 1 file           BaselineTime
//   flush           –                              ns
//   arm             seat, slots: SlotPlaces[]      –
//   reveal          slot                           Revealed
//   snapshot        slot + OutputPlaces            –
//   keep_eager      –                              –
//   audit           everything                     Audit
//   peaks           –                              DevicePeaks
//   limits          –                              DeviceLimits
//   judge           against, bounds: OutputBound[] outputs: CompareResult[]
//   judge_baseline  side, bounds: OutputBound[]    outputs: CompareResult[]
//   clock           –                              khz
//
// Any reply may instead be {"error": {code, message, hint}}.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/backend/backend.hpp"
#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/task/output_order.hpp"
#include "runner/verify/acceptance.hpp"

namespace kbench {

// Fresh memory for everything a call touches. Offsets are multiples of 256, at most slack_bytes().
struct PlaceRequest {
  int slots = 1;                           // distinct inputs that one timed sample visits
  std::uint64_t key = 0;                   // key of the parameters; see task/large_biases.hpp
  std::uint64_t param_offset = 0;          // start of the parameters in the shared arena
  std::uint64_t private_param_offset = 0;  // their start in the oracle's own memory
  bool original_draws = false;             // parameters and inputs as KernelBench draws them
  // CPU: the player of the baselines gets a seat too; CUDA: the vendor's library, where it plays.
  // And where its parameters start there.
  bool seats_baselines = false;
  std::uint64_t baselines_param_offset = 0;
  bool timed = true;  // no: where memory lies makes no difference
  // CUDA: bytes of the heap from which the submission's process takes its memory; 0: it gets none.
  std::uint64_t heap_bytes = 0;
};

// A player's shared memory: each player maps its own.
enum class Seat { kSubmission, kBaselines };

// Makes a player of the process that is asked, for good: it serves the mailbox from then on. Its
// descriptors: mailbox, inputs, parameters, outputs, and the files that "load" takes: the task, and
// its package where it has one.
struct PlayRequest {
  std::string task_file;  // path at the supervisor's; see given_files.hpp
  std::string size;
  std::vector<std::uint64_t> arena_bytes;
  std::uint64_t param_offset = 0;
};

struct PlaceReply {
  std::vector<std::uint64_t> arena_bytes;  // inputs, parameters, outputs
  std::uint64_t input_stride = 0;          // bytes from one slot to the next, slack included
  std::uint64_t output_stride = 0;
  std::uint64_t heap_bytes = 0;  // size asked for, or less where the device has little left
};

// A slot's tensors may start anywhere below this many bytes into the slot. On CUDA a kernel's time
// depends on where its inputs lie relative to its outputs in the device's memory, and 1 MiB does
// not average that: with it the median of a relu of 6 GB on an H200 differed by 0.12 % (standard
// deviation) from one allocation to the next, with 64 MiB by 0.02 %, the noise of such a median. On
// a CPU a row takes fresh pages several times.
[[nodiscard]] constexpr std::uint64_t slack_bytes(DeviceKind device) {
  return device == DeviceKind::kCuda ? 64u << 20 : 1u << 20;
}

// An offset by a random key: a multiple of 256, at least one, because there is a redzone before the
// first tensor too.
constexpr std::uint64_t kLeastOffset = 256;
[[nodiscard]] constexpr std::uint64_t drawn_offset(std::uint64_t key, DeviceKind device) {
  return (key % (slack_bytes(device) / kLeastOffset) + 1) * kLeastOffset;
}

struct SlotInputs {
  std::uint64_t key = 0;
  std::uint64_t private_offset = 0;
  std::string hard_draw;  // name of a HardDraw; empty: the task's own distribution
};

struct SlotPlaces {
  std::uint64_t input_base = 0;
  std::uint64_t output_base = 0;
};

// CUDA: where an output lies in the heap, without gaps and within its bounds.
struct HeapPlace {
  std::uint64_t offset = 0;  // bytes
};

// Places of a slot's outputs once its call is over: of each one its order, and its place where that
// is in the heap. As declared and in the arena where there are fewer.
struct OutputPlaces {
  std::vector<OutputOrder> orders;
  std::vector<std::optional<HeapPlace>> in_heap;
};

// A slot's inputs show.
struct Revealed {
  std::uint32_t gate = 0;     // CUDA: the value that the gate gets when they do, after the reply
  std::int64_t flush_ns = 0;  // CPU: of the cache flush before slot 0's call
};

// One timed visit of a baseline.
struct BaselineTime {
  std::int64_t ns = 0;
  std::int64_t flush_ns = 0;              // the cache flush before it: long when others are at work
  std::int64_t involuntary_switches = 0;  // CPU: times that the kernel took a core away meanwhile
  std::int64_t launch_ns = 0;             // time until the last launch; CPU: about `ns`
  std::int64_t waited_ns = 0;             // CPU, from outside: wait for a busy core
};

// Traces of a call, on the oracle's own view.
struct Audit {
  std::uint64_t outside_outputs = 0;  // bytes around the outputs that are poison no more
  std::string outside_at;             // where the first of them lie: "behind y"; empty for none
  std::uint64_t inputs_changed = 0;   // bytes; looked at only when everything is asked for
  std::uint64_t params_changed = 0;   // the same
};

// The device's peaks, measured once.
struct DevicePeaks {
  double copy_bytes_per_s = 0;    // read and written
  double matmul_flops_per_s = 0;  // CUDA: bfloat16, CPU: float32, or the run's type where faster
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BaselineTime, ns, flush_ns, involuntary_switches, launch_ns)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Audit, outside_outputs, outside_at, inputs_changed,
                                   params_changed)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DevicePeaks, copy_bytes_per_s, matmul_flops_per_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PlayRequest, task_file, size, arena_bytes, param_offset)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Revealed, gate, flush_ns)
NLOHMANN_JSON_SERIALIZE_ENUM(Seat,
                             {{Seat::kSubmission, "submission"}, {Seat::kBaselines, "baselines"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PlaceRequest, slots, key, param_offset, private_param_offset,
                                   original_draws, seats_baselines, baselines_param_offset, timed,
                                   heap_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HeapPlace, offset)
void to_json(Json& json, const OutputPlaces& places);
void from_json(const Json& json, OutputPlaces& places);
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PlaceReply, arena_bytes, input_stride, output_stride, heap_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SlotInputs, key, private_offset, hard_draw)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SlotPlaces, input_base, output_base)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EagerError, max_error, relative_l2, rms, not_finite,
                                   scaled_error, slice_errors)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OutputBound, absolute, ulp_factor, rms, relative, scaled, slices,
                                   slice_roundoff)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeviceFacts, kind, name, threads, sm_count, compute_capability,
                                   memory_bytes, cache_bytes, shared_bytes_per_block, driver,
                                   cpu_features)
NLOHMANN_JSON_SERIALIZE_ENUM(Against,
                             {{Against::kReference, "reference"}, {Against::kEager, "eager"}})
NLOHMANN_JSON_SERIALIZE_ENUM(DeviceKind, {{DeviceKind::kCpu, "cpu"}, {DeviceKind::kCuda, "cuda"}})
NLOHMANN_JSON_SERIALIZE_ENUM(ErrorCode, {{ErrorCode::kInfrastructure, "infrastructure"},
                                         {ErrorCode::kUsage, "usage"},
                                         {ErrorCode::kBadInput, "bad_input"},
                                         {ErrorCode::kNotFound, "not_found"},
                                         {ErrorCode::kSubmission, "submission"},
                                         {ErrorCode::kDoesNotFit, "does_not_fit"},
                                         {ErrorCode::kTimeout, "timeout"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Error, code, message, hint)

// Written by hand because the two values of the first wrong element may be NaN or infinite, which
// JSON has no number for: they travel as text.
void to_json(Json& json, const CompareResult& result);
void from_json(const Json& json, CompareResult& result);

}  // namespace kbench
