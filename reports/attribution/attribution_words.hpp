// Numbers and estimates of an attribution as words: "+.14 [.06, .22]", "|φ| ≤ 0.17", "no interval:
// 4 states". Names of components are foreign text and are cleaned here.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "runner/attribution/analysis.hpp"

namespace kbench {

// ".14", "−.02", "1.20", "12": two digits behind the point below ten.
[[nodiscard]] std::string number_words(double value);
// The same with a sign: "+.14".
[[nodiscard]] std::string signed_words(double value);
// "[.06, .22]", with as many digits as its ends need to differ.
[[nodiscard]] std::string interval_words(const ConfidenceInterval& interval);
// "1,900".
[[nodiscard]] std::string thousands(double value);

// "1 state", "14 trajectories".
[[nodiscard]] std::string unit_words(std::size_t count, UnitKind kind);

// "+.14 [.06, .22]", or why there is no interval. `symbol` is what a bound is written of: "φ".
[[nodiscard]] std::string estimate_words(const Estimate& estimate, UnitKind kind,
                                         std::string_view symbol);

// "+.14 [.06, .22]" or "+.14", for a table.
[[nodiscard]] std::string estimate_cell(const Estimate& estimate);

// "debugger × profiler".
[[nodiscard]] std::string component_words(const std::vector<std::string>& components);

// "profiler +.14 [.06, .22]: keep, 1,900 tokens a call".
[[nodiscard]] std::string answer_words(const Attribution& found, const ComponentAnswer& answer);

// The units that the intervals of the answers speak of: a line, or two where both trajectories and
// states can be spoken of.
[[nodiscard]] std::vector<std::string> scope_words(const Attribution& found);

}  // namespace kbench
