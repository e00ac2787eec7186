// Reads JSON files from untrusted writers: size and nesting are bounded, a key given twice is an
// error (the library would silently keep the last), numbers beyond double are errors. Nothing here
// knows what a file is about.
#pragma once

#include <cstddef>
#include <filesystem>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"

namespace kbench {

struct JsonLimits {
  std::size_t max_bytes = 64u << 20;
  std::size_t max_depth = 64;
};

// Errors: kNotFound (no such file), kBadInput (not a regular file, too large, malformed; with line
// and column), kInfrastructure (unreadable). Every message names the file.
[[nodiscard]] Result<Json> read_strict_json(const std::filesystem::path& file,
                                            const JsonLimits& limits = {});

// The text of a regular file of at most `max_bytes`. Errors as above.
[[nodiscard]] Result<std::string> read_bounded_file(const std::filesystem::path& file,
                                                    std::size_t max_bytes);

// Reads JSON from a text as strictly; `name` stands for the file in messages.
[[nodiscard]] Result<Json> parse_strict_json(const std::string& text, const std::string& name,
                                             const JsonLimits& limits = {});

}  // namespace kbench
