// When an output counts as correct. The reference is the same graph in fp64; with E the largest
// error that the eager run makes anywhere in that output tensor,
//
//   each element:  |got - ref| <= c * E + (k + g + f) * ulp32(max(|ref|, rms(ref)))
//   whole tensor:  |got - ref|_2 / |ref|_2 <= c * (the same of eager) + (32 + g + f/2) * 2^-24
//
// where g grows with the longest sum of the task: adding one after the other is float32 too. f is
// zero at first. Where an output fails by that alone, f allows for the fast mathematics of GPUs,
// and the row says `fast_math`.
//
// An output in 16 bits may be rounded once more than eager's: one unit in the last place of its
// type is added to each element's bound, and half a unit roundoff of the type to the whole
// tensor's. So any kernel that adds up in float32 and rounds at the end is right, and one that
// rounds its result to the next smaller type is not.
//
// Rounding to 16 bits is an error of a part of a number, so three things more hold there:
//   each element:  c * E is at most p * max(|ref|, rms(ref)), p = max(min(c * S, 1/4), c/2 * S), S
//                  being eager's largest error in units of that maximum. A softmax may have one
//                  output a hundred times the rms; half a unit of that one would excuse anything in
//                  all others.
//   each slice:    |mean(got) - mean(ref)| <= c * M + u * max(rms of the slice, rms(ref))
//   whole tensor:  |sum((got - ref) * ref) / sum(ref^2)| <= c/2 * (the same of eager) + u
//
// A slice is all elements with one index in one dimension, such as a channel, or in each of the
// first two; M is the largest error of eager in any such slice, u the unit roundoff. Chance errors
// cancel in these, and a missing bias or a missing factor near one, which is less than each
// element's roundings, does not. A kernel that rounds each element once more, always to the same
// side, is off by less than u.
//
// On hard inputs that fail by this, E is taken over eager's runs on perturbed inputs as well
// (LoadedTask::perturbed_errors): with ill-conditioned outputs, chance decides whose errors are
// large.
//
// A profile of another benchmark (verify/profile.hpp) has another rule, for comparison only.
//
// A timed call has no fp64 run: it is compared with eager's output on the same inputs, by the same
// two rules at 1 + c instead of c, with E from the draws that had one. The
// bounds are evaluated on the device by Backend::compare.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/backend/backend.hpp"
#include "runner/core/evaluation.hpp"
#include "runner/task/task.hpp"

namespace kbench {

// The largest error of eager in 16 bits that makes a yardstick, as a part of an element or of the
// output's root mean square, whichever is larger (EagerError::scaled_error). Up to here no element
// may be off by more than a quarter (AcceptanceRule), and beyond by twice such a part. One rounding
// to bfloat16 is 1/256.
inline constexpr double kLargestEagerErrorInHalf = 1.0 / 8;

// Parts of an output whose error is judged as one number, in 16 bits, beside that of each element.
// A part has the number of its dimension, or one of these.
//
// All elements with one index in each of the first two dimensions, such as a channel of a sample.
inline constexpr std::int64_t kFirstTwoDimensions = 100;
// All elements of the output. Their error is not a mean but the part of the reference that is in
// it: by so much the output is too large, as a whole, in units of its root mean square.
inline constexpr std::int64_t kWholeOutput = 101;

// How far one output of the eager run is from the fp64 reference.
struct EagerError {
  double max_error = 0;    // E; 0 for integer outputs
  double relative_l2 = 0;  // norm of the error over norm of the reference
  double rms = 0;          // root mean square of the reference
  // Elements where eager is NaN or infinite and the reference is not, or the other way round.
  std::uint64_t not_finite = 0;
  // The errors S, and M of each dimension that is sliced (slice_errors.hpp); of outputs in 16 bits
  // only.
  double scaled_error = 0;
  std::vector<double> slice_errors = {};
};

// The bound an output is judged by, see Backend::compare.
struct OutputBound {
  double absolute = 0;
  double ulp_factor = 0;
  double rms = 0;
  double relative = 0;
  double scaled = 0;  // CompareRequest::scaled_bound
  // Largest error of a mean by sliced dimension, besides slice_roundoff times a root mean square.
  // Empty: slices are not checked.
  std::vector<double> slices = {};
  double slice_roundoff = 0;
};

// The tensor that an output is compared with.
enum class Against { kReference, kEager };

// The side whose outputs are judged: a compiled baseline may choose TF32 where eager's heuristics
// did not, and no bound on the whole tensor holds for it.
enum class Whose { kSubmissions, kCompiledBaselines };

struct AcceptanceRule {
  double c = 4;
  // A thousand additions one after the other, begun with the bias, are off by up to 40 units where
  // most terms are zero or denormal and eager, which adds the bias last, is exact
  // (076_gemm_add_relu). Rounding to TF32 or float16 costs 8192.
  double k = 64;
  double g = 0;  // allowance by for_task()
  double f = 0;  // allowance by for_fast_math()
  // Bits of the outputs' significands, the hidden one included; for_task() sets it.
  int significand_bits = 24;
  // Above zero: the rule is another one instead, that of numpy.allclose with this absolute and
  // relative tolerance, |got - ref| <= t + t |ref|, and nothing about the whole tensor.
  double allclose = 0;
};

// The rule for one size of a task, by the coarsest floating type of its outputs; another
// benchmark's tolerance is at least 1e-2 in 16 bits, as KernelBench's is. With its g: an eighth of
// its longest sum, at most 960, so that 16 bits still fail. Nothing beyond 16,384 terms, where
// every kernel adds up in blocks, nor for outputs of one element, nor beside products
// (TaskSize::longest_sum). A serial softmax of 4,096 terms is off by 370 units, eager by 20.
[[nodiscard]] AcceptanceRule for_task(AcceptanceRule rule, const TaskSize& size);

// The same rule with its f: 64 for each exponential, logarithm, sine or power of the graph, at most
// 256. So __expf and __logf pass, also one upon another; an approximate tanh or 16 bits fail as
// ever. None where it would be the same rule: the graph has none of these, an output is not
// float32, or the rule is another benchmark's.
[[nodiscard]] std::optional<AcceptanceRule> for_fast_math(AcceptanceRule rule,
                                                          const TaskSize& size);

[[nodiscard]] std::vector<OutputBound> bounds(const AcceptanceRule& rule,
                                              const std::vector<EagerError>& eager,
                                              Against against);

// Finds nothing wrong but what is a number on one side only.
[[nodiscard]] std::vector<OutputBound> unbounded(std::size_t outputs);

// Whether results, compared with eager's under no bound, differ from those no more than two runs do
// that are as exact as eager: each output as a whole and each of its elements, in units of its root
// mean square. `eager` may belong to another draw.
[[nodiscard]] bool is_near(const std::vector<TensorSpec>& outputs,
                           const std::vector<EagerError>& eager,
                           const std::vector<CompareResult>& compared);

// Turns the device's comparison of every output into a verdict. `eager` belongs to the same draw.
// The Check carries the output with the largest error relative to its bound; its message names
// the output, the element, both values and the error that was allowed there.
[[nodiscard]] Check judge(const AcceptanceRule& rule, const std::vector<TensorSpec>& outputs,
                          const std::vector<EagerError>& eager,
                          const std::vector<CompareResult>& compared, Against against,
                          Whose whose = Whose::kSubmissions);

// Element by element the larger of two draws' errors: E of timed calls is over all draws.
[[nodiscard]] std::vector<EagerError> worst_of(const std::vector<EagerError>& a,
                                               const std::vector<EagerError>& b);

}  // namespace kbench
