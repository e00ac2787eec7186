// The record of one evaluation: what was evaluated, every raw sample and check, and how it ended.
// Written by runner/measure, kept by runner/store, read by reports. Speed-ups, medians and ranks
// are not in here: they are functions of the samples (see analysis/speedup.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/source_tree.hpp"

namespace kbench {

// How a unit of work ended. Each ends in exactly one of these.
enum class State {
  kOk,
  kNoSubmission,         // the task was timed without a submission: not a failure
  kSkipped,              // cannot be judged here, such as for another device: see the message
  kRefused,              // its agent handed in more than the limit: not evaluated
  kCompileError,         // the compiler refused the submission
  kMissingSymbol,        // the library has no kbench_forward, the file no ModelNew
  kLoadError,            // the library could not be loaded
  kImportError,          // a Python submission's file raised while it was imported
  kParametersDiffer,     // the parameters of its ModelNew are not those of the task
  kSubmissionError,      // kbench_prepare or kbench_forward returned non-zero, ModelNew raised
  kWrongResult,          // an output was outside the tolerance
  kCrash,                // the worker died in the submission's code
  kTimeout,              // the worker did not answer in time
  kOverBudget,           // it kept the run waiting for longer than one submission may
  kDoesNotFit,           // the task needs more memory than the device has
  kTimingInconsistent,   // the claimed time contradicts the supervisor's clock
  kRedzoneViolation,     // it wrote outside of its outputs
  kInputModified,        // it changed an input or a parameter
  kDeviceNotIdle,        // it left work on the device while another side was timed
  kRanWhileStopped,      // a process of it ran while no call was outstanding
  kForbiddenLibrary,     // it mapped a library that it may not use, or did not declare
  kSuspect,              // correct, but faster than the device can be; never ranked
  kInfrastructureError,  // the fault of kbench or of the machine
};

enum class Fault { kNone, kSubmission, kInfrastructure };

// A side of an evaluation: LibTorch eager, the AOTInductor package, one call of a vendor's library
// where the run asked for it, or the submission.
enum class Side { kEager, kCompiled, kSubmission, kVendor };

[[nodiscard]] std::string_view to_string(State state);
[[nodiscard]] std::string_view to_string(Fault fault);
[[nodiscard]] std::string_view to_string(Side side);
[[nodiscard]] std::optional<State> state_from_string(std::string_view text);
[[nodiscard]] std::optional<Side> side_from_string(std::string_view text);
[[nodiscard]] Fault fault_of(State state);
// True for the states that make `kbench run` exit with 1.
[[nodiscard]] bool is_failure(State state);

// The block number of samples that belong to no block.
constexpr int kAlone = -1;

// The protocol of a measurement. Rows of different protocols are not compared. Protocol 1 began its
// clocks on an idle device and believed a CPU worker's word on its time. Protocol 2 had baselines
// and Python submissions copy transposed outputs together while their clock ran, which no caller of
// a module wants, and compared Python on a CPU with eager called from C++. Protocol 3 left outputs
// as the operators leave them until the clock stopped; but it copied a Python submission's outputs
// to where they are judged within the call, and took off the time of a copy, measured beforehand: a
// submission that wrote in place and left the copy out was up to 373 times faster. Protocol 4 reads
// outputs where they lie, and takes nothing off.
constexpr int kProtocol = 4;

// Why a row of `kbench run --checks-only` has no times.
constexpr const char* kNotTimed = "nothing was timed (--checks-only)";

// A measurement of an evaluation, with processes and inputs of its own. Every attempt is kept, even
// if it does not count.
struct Attempt {
  std::string reason;  // "first", or why there is another one
  std::string seed;    // hex; what its inputs, orders and places were drawn from
  State state = State::kInfrastructureError;
  std::string message;  // message of its own end; empty when ok
  bool counts = true;   // its samples are those of the evaluation
  std::optional<std::int64_t> null_call_ns;
  std::optional<std::int64_t> null_strict_ns;
  double wall_seconds = 0;
};

// The variation of equal measurements on a device beyond what their own samples show, as standard
// deviations relative to a speed-up. No sample of a run can show it, so an interval that holds for
// the next run has to contain it. Measured by `kbench selftest timing` (analysis/calibration.hpp).
struct Calibration {
  double between_sessions = 0;  // fresh processes and places within one run
  double between_runs = 0;
  std::string measured_at;  // UTC, RFC 3339
};

// The surroundings of a block, for all sides that were timed in it: facts by which
// analysis/keep.hpp decides whether the block counts.
struct Block {
  int attempt = 0;
  int block = 0;
  std::int64_t start_khz = 0;  // SM clock at both ends; zero where unknown
  std::int64_t end_khz = 0;
  std::int64_t stolen_ns = 0;             // CPU: time that the hypervisor took from this machine
  std::int64_t involuntary_switches = 0;  // CPU: in timed calls of the baselines
  int strangers = 0;  // CPU: calls of the submission after which another program ran
  // Median time of the cache flush before each call of a baseline. The oracle does the same work in
  // every block of every run, and it belongs to no side.
  std::int64_t sentinel_ns = 0;
  // Time that some program, ours or another, waited for a core or for memory (PSI); zero if the
  // kernel does not say.
  std::int64_t cpu_pressure_ns = 0;
  std::int64_t memory_pressure_ns = 0;
  // CUDA: reasons why the clock was not higher, at either end; bits of NVML's clock event reasons.
  std::uint64_t clock_limits = 0;
  // CPU: time that the threads of a player, added up, waited in their calls for a core that another
  // program had.
  std::int64_t baselines_waited_ns = 0;
  std::int64_t submission_waited_ns = 0;
};

// A timed visit of one side: `time_ns` covers `calls` calls on distinct inputs.
struct Sample {
  int attempt = 0;
  int placement = 0;  // number of the set of buffer addresses
  int block = 0;      // counted within the whole evaluation
  int visit = 0;      // 0 or 1: a block visits each side twice
  Side side = Side::kEager;
  int calls = 1;
  // Device events on CUDA, steady clock on a CPU. A submission on CUDA has its claim here, or the
  // supervisor's clock if that shows more than an empty call explains.
  std::int64_t time_ns = 0;
  std::optional<std::int64_t> wall_ns;       // submission: the supervisor's clock around the call
  std::optional<std::int64_t> claimed_ns;    // submission: the worker's own word
  std::optional<std::int64_t> strict_ns;     // submission: from before its inputs are visible until
                                             // its outputs are copied away
  std::optional<std::int64_t> sm_clock_khz;  // CUDA: clock seen at the start of the block
  bool dropped = false;                      // kept, but left out of every derived number
  std::string drop_reason;                   // empty unless dropped
};

// A correctness draw, or a verified timed call that failed.
struct Check {
  int draw = 0;
  std::string distribution = "task";  // input distribution
  bool passed = false;
  double max_error = 0;        // largest |submission - reference| over all outputs
  double tolerance = 0;        // the per-element bound where max_error occurred
  double eager_max_error = 0;  // error of the fp32 eager run (E in the rule)
  double relative_l2 = 0;      // norm of the error over norm of the reference
  double eager_relative_l2 = 0;
  std::uint64_t wrong_elements = 0;
  std::string message;  // empty when passed
};

// The identity of a submission, independent of its results.
struct SubmissionId {
  std::string agent;
  std::string name;         // path below the submissions folder, e.g. "example/level1/019_relu.cpp"
  std::string variant;      // text after '@', else empty
  std::string source_hash;  // SHA-256 over sources, flags and headers
  std::string precision;    // declared precision class
  bool vendor_library = false;
};

struct Evaluation {
  std::string run_id;
  std::string key;   // unique within the run: hash(task, size, submission, toolchain, ...)
  std::string task;  // "level1/019_relu"
  int level = 0;
  std::string size;                // "small" or "full"
  std::string device;              // "cpu" or "cuda"
  std::string precision;           // precision class of the baselines
  std::string profile = "kbench";  // judging profile: its rule and its inputs
  std::optional<SubmissionId> submission;
  std::string worker_kind = "native";

  State state = State::kInfrastructureError;
  std::optional<bool> correct;  // empty if not judged
  std::string message;          // one or more lines on the failure; empty when ok
  std::string hint;             // advice: the next thing to do

  std::string eager_reason;       // why there is no eager time; empty where there is one
  std::string compiled_reason;    // why there is no compiled time
  std::string submission_reason;  // why there is no submission time

  // Why there is no time of a vendor's library, or the algorithm that it chose, "cuBLASLt algorithm
  // 66, …". Both empty: the run did not ask for it.
  std::string vendor_reason;
  std::string vendor_algorithm;
  [[nodiscard]] bool asked_for_vendor() const {
    return !vendor_reason.empty() || !vendor_algorithm.empty();
  }

  std::vector<Check> checks;
  // Attempts in the order in which they were made. Empty in rows of protocol 1, which had one
  // attempt only.
  std::vector<Attempt> attempts;
  std::vector<Block> blocks;  // blocks of all attempts
  std::vector<Sample> samples;
  // Baselines that were timed while there was no worker, so that no submission could slow them
  // down. Their block is kAlone.
  std::vector<Sample> alone;
  std::vector<Sample> set_aside;               // samples of the attempts that do not count
  std::optional<std::int64_t> prepare_ns;      // kbench_prepare, timed apart
  std::optional<std::int64_t> null_call_ns;    // median wall time of an empty call of this worker
  std::optional<std::int64_t> null_strict_ns;  // the empty call by the strict clock
  // Python, protocols 2 and 3: time of copying the outputs of a call, which was subtracted. Since
  // then no copy is in the time of a call.
  std::optional<std::int64_t> copy_ns;
  std::optional<double> floor_ns;  // faster is suspect: lenient bounds, highest known peaks
  // The least time of the task's work at the device's limits, as one kernel (every tensor crosses
  // the memory bus once) and operator by operator; empty where it cannot be counted.
  std::optional<double> limit_ns;
  std::optional<double> unfused_limit_ns;
  // The bound and whose limits: "bytes, calibrated 2026-01-02T03:04:05Z"; else why none is
  // known. Empty in rows from before.
  std::string limit_basis;
  int repeats = 0;    // new measurements, after one too fast or contradicted by clocks
  double rule_c = 4;  // the acceptance rule in force
  double rule_k = 32;
  std::optional<double> rule_allclose;  // set: this rule replaces the other two

  std::string task_hash;    // hash of the lowered file
  std::string task_source;  // hash of the task's .py, as a blob; empty in rows from before
  // The compiled sources, sorted by path; none without a submission, nor in rows from before.
  std::vector<TreeFile> sources;
  std::string tree_hash;      // hash_tree(sources)
  std::string package_key;    // key of the AOTInductor package; empty without one
  std::string sandbox_level;  // level that the worker's sandbox reached
  std::string labels;         // findings worth a look, not failures; separated by spaces
  std::string seed;           // hex; revealed here once the evaluation is over
  std::string started_at;     // UTC, RFC 3339
  double wall_seconds = 0;    // duration of the whole evaluation
  int protocol = 1;           // kProtocol of the kbench that measured it
  bool timed = true;          // false: `kbench run --checks-only`, ranked nowhere
  std::optional<Calibration> calibration;  // the device's, at that time; empty: none
  // Python: operators of torch that compute and that it was seen to call, "aten::relu 1"; empty
  // without any. What the run allowed: "data", "all", "none"; empty for native submissions.
  std::string torch_operators;
  std::string allow_torch;
  // Why the row counts in no score: its task's file says so, or its class does not have the task,
  // or eager is too imprecise in it. Else empty.
  std::string unranked;
  // Seconds that the build of the submission took, once; empty if nothing was built, and in rows
  // from before.
  std::optional<double> build_seconds;
  // UUID of the GPU that judged the submission, "GPU-…"; the rows of a run may be of several GPUs.
  // Empty on a CPU, where no device was asked, and in rows from before.
  std::string device_uuid;
};

// One `kbench run`.
struct Run {
  std::string id;           // 128 random bits, hex
  std::string started_at;   // UTC, RFC 3339
  std::string finished_at;  // empty while running or when killed
  std::string command_line;
  std::string configuration;  // JSON: what --resume must find unchanged
  std::string environment;    // JSON: device, driver, versions, host, sandbox, kbench version
};

// The first twelve characters of a run's id: what tables and messages call it.
[[nodiscard]] std::string short_id(std::string_view run_id);
[[nodiscard]] std::string short_id(const Run& run);

}  // namespace kbench
