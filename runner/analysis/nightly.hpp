// When a nightly run calls something a regression. Two steps, because one run cannot know: with 250
// tasks something always looks slower. First, what takes longer than the median of the last good
// runs by more than the flag is suspected. Then it is measured again, in pairs of tonight's source
// and the last good one, until the pairs have said it or the most pairs are made. Only those count
// for the verdict, not the time that raised the suspicion: it was picked for being long.
//
// Pure: reports/over_time/nightly.hpp knows rows and runs. All values are logarithms of speed-ups
// over the same baseline, or differences of such: 0.05 is some 5 % longer.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "runner/analysis/change.hpp"

namespace kbench {

// So many good runs make a reference; fewer do where there are no more.
inline constexpr std::size_t kReferenceRuns = 5;

struct NightlyRule {
  double flag = 0;              // relative time over the reference above which a row is suspected
  std::size_t least_pairs = 3;  // two pairs are too few to estimate a scatter
  std::size_t most_pairs = 9;
  // The probability that a night without any change confirms anything at all: shared out over the
  // rows that are suspected.
  double doubt = 0.01;
};

// The flag by default: 2 % on "cuda"; on "cpu", where two runs of the same file differ by 2 %
// (data/docs/trust.md), 6 %.
[[nodiscard]] double default_flag(std::string_view device);

// The speed-ups of one submission in the last good runs, newest first; at least one.
struct Reference {
  std::vector<double> values;

  [[nodiscard]] double level() const;  // the median
};

// How much longer tonight's takes than the reference.
[[nodiscard]] double slowdown(const Reference& reference, double tonight);
[[nodiscard]] bool looks_slower(const Reference& reference, double tonight,
                                const NightlyRule& rule);

// The repeated measurements of one suspected row.
struct Evidence {
  // How much longer tonight's source took than the good one, for each pair; without another source
  // to pair it with, how much longer it took than the reference.
  std::vector<double> slowdowns;
  // Empty with pairs. Else the scatter of the reference counts as well, since all of the slowdowns
  // are off by its error; and fewer than kReferenceRuns confirm nothing: a row is suspected as
  // often for a reference that is too fast.
  Reference alone;
  double between_runs = 0;  // calibrated: no scatter is believed to be smaller
};

enum class Clearance {
  kOpen,       // another pair is needed
  kConfirmed,  // it is slower, by more than the flag
  kCleared,    // it is not slower by as much as the flag
  kUnclear,    // all pairs were made, and they scatter too much to say
};

// The slowdowns' mean, against their scatter (Student). Confirmed: above the flag, and no slowdown
// at all is as unlikely as the rule asks. Cleared: the mean's 95 % interval ends below the flag.
[[nodiscard]] Clearance judge(const Evidence& evidence, const NightlyRule& rule,
                              std::size_t suspected_rows);

// The mean of the slowdowns; 0 without any.
[[nodiscard]] double mean_slowdown(const Evidence& evidence);

// Half of the mean's 95 % interval, from the scatter of the slowdowns; needs two.
[[nodiscard]] double mean_half_width(const Evidence& evidence);

// The slowdowns as a change between runs: their mean with its 95 % interval, and Student's
// two-sided p. Needs two slowdowns.
[[nodiscard]] LogChange change_in_pairs(const Evidence& evidence);

}  // namespace kbench
