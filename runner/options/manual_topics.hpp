// The pages of the manual, data/docs, by which `kbench help TOPIC` names them. data/docs/index.md
// lists the same, which tests/cli/docs_test.py compares.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

struct ManualTopic {
  std::string_view name;   // "over-time", of data/docs/over-time.md
  std::string_view about;  // the page's first line
};

// Topics in the order in which a reader is likely to want them.
[[nodiscard]] std::span<const ManualTopic> manual_topics();

[[nodiscard]] bool is_manual_topic(std::string_view name);
[[nodiscard]] std::vector<std::string> manual_topic_names();

// The output of `kbench help`: a line for each page, and where the options are.
[[nodiscard]] std::string list_of_topics();

}  // namespace kbench
