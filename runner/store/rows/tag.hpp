// A name that a user gave a run: `kbench tag RUN NAME`. It lies beside the run and not in it, so
// that naming a run leaves the chain of its rows alone; a writer of the file may move it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/core/result.hpp"

namespace kbench {

struct Tag {
  std::string name;
  std::string run_id;
  std::string tagged_at;  // UTC, RFC 3339
};

// The names of one run, in the order of `tags`.
[[nodiscard]] std::vector<std::string> tags_of(std::string_view run_id,
                                               const std::vector<Tag>& tags);

// One to 64 of A-Z a-z 0-9 . _ -, not beginning with a dash, not dots alone, and nothing that
// `--run` would read as something else: the start of an id (hexadecimal digits alone), or "latest".
// Errors: kUsage.
[[nodiscard]] Status check_tag_name(std::string_view name);

}  // namespace kbench
