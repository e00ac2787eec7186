// Whether the clock shows what was planted: submissions whose times differ by a known amount, all
// of them measured in each of several runs. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/evaluation.hpp"

namespace kbench {

// A submission of the selftest: relu with more work (data/selftest/clock.*). The others are
// compared with the first one.
struct Planted {
  std::string_view variant;
  int percent = 100;      // work, in percent of relu's time
  int spin_us = 0;        // microseconds of spinning on top
  std::string_view what;  // description for the reader
};
[[nodiscard]] std::span<const Planted> planted();

struct ClockCheck {
  std::string name;
  std::string what;
  double expected = 0;   // relative: 0.05 for 5 % longer
  double seen = 0;       // median over the runs
  double deviation = 0;  // standard deviation between runs; zero for one run
  int runs = 0;
  int found = 0;  // runs whose own samples tell the two apart at 95 %
  bool passed = false;

  [[nodiscard]] double bias() const { return seen - expected; }
  // The bias relative to the time that should have been seen.
  [[nodiscard]] double relative_bias() const { return bias() / (1 + expected); }
};

// How far `seen` may be from `expected`: 0.03 on "cpu", 0.005 on "cuda".
[[nodiscard]] double largest_bias(std::string_view device);

// One check for each planted submission but the first, and on a CPU one of the first against the
// compiled baseline, whose loop it has. `runs`: the evaluations of each. What was not measured has
// no check, so that callers compare their number with expected_checks().
[[nodiscard]] std::vector<ClockCheck> check_clock(std::span<const std::vector<Evaluation>> runs,
                                                  std::string_view device);
[[nodiscard]] std::size_t expected_checks(std::string_view device);

// Difference between equal rows of one run, as a standard deviation relative to a speed-up: the
// root mean square of the planted checks' biases beyond what the spread of the runs explains. No
// spread between runs shows it, since a row has the same place in each of them; a clock that is
// wrong shows here as well. It says nothing of one row in two runs, where it cancels.
[[nodiscard]] double between_rows(std::span<const ClockCheck> checks);

// The largest bias of a planted check that failed, relative to the time that it should have seen;
// zero where none failed. No interval may be narrower: it is how far the clock was off.
[[nodiscard]] double largest_failed_bias(std::span<const ClockCheck> checks);

}  // namespace kbench
