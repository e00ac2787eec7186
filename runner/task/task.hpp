// A lowered task: suites/levelN/NNN_name.json in memory. The supervisor reads tensors and layouts
// from it; the nodes of its graph, which baselines/executor runs, are read by graph.hpp.
// Format: suites/FORMAT.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/task/work.hpp"

namespace kbench {

// Limits of a task file: tensors of one kind, or in one list, and their dimensions.
constexpr std::size_t kMaxTensors = 8192;
constexpr std::size_t kMaxRank = 12;
// A TiB of bytes; sums cannot overflow.
constexpr std::int64_t kMaxElements = std::int64_t{1} << 40;
constexpr std::size_t kMaxNodes = 1u << 17;

// A task all of whose inputs are fixed tells no kernel from one that keeps its first output. The
// reader gives it this flaw, with this reason, whether its file says so or not.
inline constexpr std::string_view kFixedInputsFlaw = "previous";
inline constexpr std::string_view kFixedInputsReason =
    "all its inputs have the same values in every call";

enum class DType {
  kFloat64,
  kFloat32,
  kFloat16,
  kBFloat16,
  kInt64,
  kInt32,
  kInt16,
  kInt8,
  kUInt8,
  kBool
};

[[nodiscard]] std::string_view to_string(DType dtype);  // "float32"
[[nodiscard]] Result<DType> dtype_from_string(std::string_view text);
[[nodiscard]] std::size_t size_of(DType dtype);  // bytes an element
[[nodiscard]] bool is_floating(DType dtype);

// How the values of a tensor are drawn. `a` and `b` mean, by kind: uniform [a, b); normal mean a,
// standard deviation b; integers a <= x < b; bernoulli probability a; constant value a; tril and
// triu (ones on and below / above diagonal a, zeros elsewhere, last two dimensions); data (values
// stored in the task file). The last four never stand in a task file: hard draws put them in the
// place of an input's own distribution (task/hard_draws.hpp); with a = 1 no value is negative.
struct Draw {
  enum class Kind {
    kUniform,
    kNormal,
    kIntegers,
    kBernoulli,
    kConstant,
    kTril,
    kTriu,
    kData,
    kWide,         // sign and 2^-12 <= |x| < 2^12, all exponents equally often
    kSignedZeros,  // half of them zero, of either sign; else 1/2 <= |x| < 1
    kDenormals,    // one in 64 denormal; else 1/2 <= |x| < 1
    kSpikes,       // one in 64 has 256 <= |x| < 512; else 1/2 <= |x| < 1
  };
  Kind kind = Kind::kUniform;
  double a = 0;
  double b = 1;
  std::vector<double> data;
  std::int64_t step = 1;  // integers: the distance of neighbouring values, so a, a + step, ... < b
  // The part of a random tensor that is kept: all, or the elements on and below / above `diagonal`
  // of the last two dimensions; the rest is zero.
  enum class Keep { kAll, kLower, kUpper };
  Keep keep = Keep::kAll;
  std::int64_t diagonal = 0;
  // A number that multiplies all values of a uniform, normal or constant tensor, drawn anew
  // whenever the tensor is. `a` and `b` as above.
  struct Factor {
    Kind kind = Kind::kUniform;  // or kNormal
    double a = 0;
    double b = 1;
  };
  std::optional<Factor> times = std::nullopt;
};

struct TensorSpec {
  std::string name;  // a C identifier, unique within the task
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> shape;
  Draw draw;  // unused for outputs
  // KernelBench's own draw of this tensor; empty if the task has the same.
  std::optional<Draw> kernelbench = std::nullopt;
  // Name of a parameter in the module, "conv.weight"; empty for a constant of forward.
  std::string fqn = {};

  [[nodiscard]] std::int64_t elements() const;
  [[nodiscard]] std::uint64_t bytes() const;
};

// Distributions that kernels get wrong: extra correctness draws beside the task's own one.
enum class HardDraw { kWide, kBits, kSignedZeros, kDenormals, kSpikes };

struct HardDrawRule {
  HardDraw draw = HardDraw::kWide;
  std::string reason;  // why the task is not drawn so; empty: it is

  [[nodiscard]] bool applies() const { return reason.empty(); }
};

// A size of a task.
struct TaskSize {
  std::string name;  // "small" or "full"
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> parameters;  // trained values, then buffers, in the order of kb_params
  std::vector<TensorSpec> outputs;
  std::uint64_t peak_bytes_fp32 = 0;  // live intermediates of the graph at their largest
  std::uint64_t peak_bytes_fp64 = 0;
  std::vector<HardDrawRule> hard_draws;  // every one, whether it applies or not
  Work work;                             // work of one call, counted from the graph
  // The largest number of terms added up, or factors multiplied, for one value; 0 in a task with
  // products of matrices.
  std::int64_t longest_sum = 0;
  int transcendental_functions = 0;  // number of them in its graph (fast_math.hpp)
  // For each output: whether eager's may share memory with an input, a parameter, another output or
  // itself.
  std::vector<bool> outputs_may_share;
};

struct Task {
  std::string id;  // "level1/019_relu"
  int level = 0;
  int number = 0;
  std::string name;              // "relu"
  std::string title;             // first line of the docstring
  std::string mode;              // "batch-stats"
  std::string note;              // guesses of its import; mostly empty
  std::string entry;             // "forward"
  std::filesystem::path file;    // the .json
  std::filesystem::path source;  // the .py
  std::string source_sha256;     // hash of the .py that was lowered; may be empty
  std::string hash;              // SHA-256 of the .json
  // Flaws that `kbench tasks lint` finds here and that stay: the kind of finding, and the reason.
  std::map<std::string, std::string> lint_accepts;
  // Hard draws that the task itself refuses (TaskSize::hard_draws holds the outcome): the reasons.
  std::map<std::string, std::string> hard_draws_skip;
  std::vector<TaskSize> sizes;

  [[nodiscard]] const TaskSize* find_size(std::string_view size) const;
};

// Why the task counts in no score: it accepts a flaw that lets a submission pass which computes
// nothing. Empty for every other task.
[[nodiscard]] std::string why_unranked(const std::map<std::string, std::string>& lint_accepts);

// Reads one lowered task completely. Errors name the file and the offending field.
[[nodiscard]] Result<Task> load_task(const std::filesystem::path& json_file);

// Offsets of tensors packed one after another, each at a multiple of 256 bytes and followed by at
// least as many that belong to no tensor: a write past the end lands there and is seen.
struct Layout {
  std::vector<std::uint64_t> offsets;
  std::uint64_t bytes = 0;  // a multiple of 256
};
[[nodiscard]] Layout pack(const std::vector<TensorSpec>& tensors);

}  // namespace kbench
