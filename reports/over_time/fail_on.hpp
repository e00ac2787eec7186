// The differences on which a comparison of runs is to fail: "slower:5%", "fails", "undecided", or
// several with commas between them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/over_time/compare.hpp"
#include "runner/core/result.hpp"

namespace kbench {

struct FailOn {
  // A row that is SLOWER and takes more than this part longer: 0.05 of "slower:5%".
  std::optional<double> slower;
  bool fails = false;  // a row that NOW FAILS or is GONE
  // A row that is UNDECIDED, and whose source changed. A source that did not change is UNDECIDED on
  // a CPU whenever nothing happened.
  bool undecided = false;
};

// Errors: kUsage with an example.
[[nodiscard]] Result<FailOn> parse_fail_on(std::string_view text);

// "2 of 5 rows are UNDECIDED, on which slower:5% does not fail". Empty where each was judged, it is
// not to fail on slower ones, or it is to fail on undecided ones.
[[nodiscard]] std::string not_judged_words(const Comparison& comparison, const FailOn& fail_on);

// The rows on which it fails, worst first; they live as long as the comparison.
[[nodiscard]] std::vector<const ComparedRow*> offenders(const Comparison& comparison,
                                                        const FailOn& fail_on);

}  // namespace kbench
