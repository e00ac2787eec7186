// Turns raw samples into the numbers people read: medians, and speed-ups with an interval and a
// verdict. Pure functions, used by the stop rule while measuring and by every report.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runner/analysis/keep.hpp"
#include "runner/core/evaluation.hpp"

namespace kbench {

constexpr double kNormal95 = 1.96;  // standard deviations on either side that hold 95 %

// kNone: nothing can be said, see doubts_of().
enum class Verdict { kFaster, kSlower, kSame, kUndecided, kNone };
[[nodiscard]] std::string_view to_string(Verdict verdict);

// Ratio of times, baseline over candidate: above 1 the candidate is faster.
struct Speedup {
  double estimate = 0;
  double low = 0;
  double high = 0;
  double confidence = 0;    // exact coverage of the order statistics used; no verdict below 95 %
  int units = 0;            // independent units (placements or blocks) behind it
  bool calibrated = false;  // the deviation between runs was measured on this device
  Verdict verdict = Verdict::kUndecided;

  // Half of the interval's width, relative to the estimate.
  [[nodiscard]] double half_width() const { return (high - low) / (2 * estimate); }
};

// The margin inside which two times count as the same: 0.03 on "cpu", 0.01 on "cuda".
[[nodiscard]] double same_margin(std::string_view device);

// Deviation that an interval has to hold beyond its samples' own, as relative standard deviations.
struct Spread {
  double between_sessions = 0;  // deviation of fresh processes; counts below six placements
  double between_runs = 0;      // deviation of runs, such as that of a busy neighbour
};

// The smallest believed spread, even if a calibration found less; also the spread without one.
// Between runs 0.02 on "cpu" (two cores of a virtual machine: eight speed-ups of nine runs lay 0 to
// 2.1 % apart), 0.001 on "cuda" (H200, twelve kernels against two baselines, five runs: 111 of 120
// intervals then hold the median of the other runs, 91 without it).
[[nodiscard]] Spread least_spread(std::string_view device);

// The spread as the device's calibration has it, and no smaller than that of least_spread().
[[nodiscard]] Spread spread_of(const Evaluation& evaluation);

// CPU: what a call takes at least, where the clock shows no more than for an empty one.
// Nanoseconds.
constexpr std::int64_t kLeastCpuCallNs = 1'000;

// A calibration has two halves. Without that of timing nobody knows how much equal runs differ.
inline constexpr const char* kTimingNotCalibrated =
    "the timing is not calibrated on this device, so run-to-run variation is unknown";

// Why an evaluation has no verdict: all that apply. Without any it may have one.
struct Doubts {
  bool busy = false;            // other programs kept the machine busy (keep.hpp)
  BusyBlocks blocks;            // CPU: by how many blocks that is known
  std::string too_short;        // names a side whose calls the clock cannot tell from empty ones
  bool too_few_blocks = false;  // were timed: the submission is slow, or slow to stop
  bool uncalibrated = false;    // the deviation of equal runs was never measured here

  [[nodiscard]] bool any() const;
  [[nodiscard]] std::string words() const;  // each with what to do; empty without any
  // The same without the numbers of this evaluation: equal wherever the doubts are.
  [[nodiscard]] std::string kinds() const;

 private:
  [[nodiscard]] std::string joined(const std::string& if_busy) const;
};
[[nodiscard]] Doubts doubts_of(const Evaluation& evaluation);

// Median of the kept samples of one side, in nanoseconds a call; empty without samples.
[[nodiscard]] std::optional<double> median_time_ns(std::span<const Sample> samples, Side side);

// The median as it counts in an evaluation: that of the calls alone, where a baseline was slower
// beside the submission.
[[nodiscard]] std::optional<double> median_time_ns(const Evaluation& evaluation, Side side);

// Median absolute deviation of those samples, in nanoseconds a call.
[[nodiscard]] std::optional<double> mad_time_ns(std::span<const Sample> samples, Side side);

// How much longer a baseline took beside the submission than alone: the difference of the medians'
// logarithms where their 95 % intervals lie further apart than equal baselines do in one run (1.96
// times 1 % on "cpu", 0.1 % on "cuda"; no calibration widens that), else zero; never negative.
// Without that allowance a third of the rows of an H200 were corrected by some 0.2 %, which was
// noise: 105 instead of 111 of 120 intervals then held the median of the other runs. Zero, too,
// with fewer than six calls alone: two of them accused a submission twice in a row.
struct Slowdown {
  double log_ratio = 0;   // ratio of the medians, as a logarithm
  double at_least = 0;    // far end of one interval to the near end of the other, less what a
                          // lower clock of the device explains
  double half_width = 0;  // half the 95 % interval of log_ratio: from the times alone, and from how
                          // much equal baselines differ
};
[[nodiscard]] Slowdown slowdown_beside(const Evaluation& evaluation, Side baseline);

// Median of per-block log-ratios baseline/candidate with an order-statistic interval of at least
// 95 % where there are enough units. Blocks of one placement share their addresses, so the unit is
// the placement, represented by the median of its blocks. Fewer than six placements hold no 95 %:
// then the blocks are the units, and what lies between placements is added for as many as there
// are. The interval is to hold for another run as well: 1.96 times all of this spread is added to
// its halves, in quadrature, on the log scale. 1.96 takes the deviation between runs as known,
// though a calibration has few runs: one that comes out too small by chance is raised to the floor
// of least_spread(). Empty when a side is missing, or with fewer than three units.
[[nodiscard]] std::optional<Speedup> speedup(std::span<const Sample> samples, Side baseline,
                                             Side candidate, double margin, Spread spread = {});

// The submission over a baseline, on the log scale, from the samples of one run alone.
struct LogRatio {
  double estimate = 0;
  double half_width = 0;  // half the width of the interval
};
[[nodiscard]] std::optional<LogRatio> log_speedup(std::span<const Sample> samples, Side baseline);

// The speed-up of an evaluation, with its device's margin. Where a baseline was slower beside the
// submission than alone, its time alone counts, and the half width of that correction is added to
// the halves of the interval, in quadrature.
[[nodiscard]] std::optional<Speedup> speedup(const Evaluation& evaluation, Side baseline,
                                             Side candidate);

}  // namespace kbench
