// The labels of a row: words with a space between two.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace kbench {

// Label of a row of `run --seed`: its inputs can be drawn again, so they were known beforehand.
inline constexpr std::string_view kKnownInputsLabel = "known_inputs";

// Label of a row whose request another run of its group had answered: it counts nowhere.
inline constexpr std::string_view kAgainLabel = "again";

[[nodiscard]] inline bool has_label(std::string_view labels, std::string_view label) {
  while (!labels.empty()) {
    const auto end = std::min(labels.find(' '), labels.size());
    if (labels.substr(0, end) == label) return true;
    labels.remove_prefix(std::min(end + 1, labels.size()));
  }
  return false;
}

// Adds a label once, however often it is added.
inline void add_label(std::string& labels, std::string_view label) {
  if (has_label(labels, label)) return;
  labels += labels.empty() ? "" : " ";
  labels += label;
}

inline void remove_label(std::string& labels, std::string_view label) {
  std::string left;
  for (std::string_view rest = labels; !rest.empty();) {
    const auto end = std::min(rest.find(' '), rest.size());
    if (rest.substr(0, end) != label) add_label(left, rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  labels = std::move(left);
}

}  // namespace kbench
