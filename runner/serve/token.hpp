// The tokens of `kbench serve`: who may ask for what. A token is 256 random bits that its holder
// sends with each request; the file that lists them is read by the supervisor alone, and the gate
// gets their hashes.
//
//   # name  scopes                    token (64 hex digits)
//   default read,evaluate,workspace   0123…
//
// The gate compares (gate/credentials.hpp).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/result.hpp"

namespace kbench {

// The rights of a token.
struct Scopes {
  bool read = false;       // stored rows, what is queued, events
  bool evaluate = false;   // have submissions judged
  bool workspace = false;  // the tools of an agent

  friend bool operator==(const Scopes&, const Scopes&) = default;
};
[[nodiscard]] std::string to_string(const Scopes& scopes);  // "read,evaluate"
// Errors: kUsage.
[[nodiscard]] Result<Scopes> scopes_from_string(std::string_view text);

// A token without itself.
struct KnownToken {
  std::string name;  // agent of the rows of its submissions
  Scopes scopes;
  std::string hash;  // SHA-256 of the token, in hex
};

// Errors: kUsage, with the line; never with a token.
[[nodiscard]] Result<std::vector<KnownToken>> parse_tokens(std::string_view text);

// Errors: those, and kUsage for a file that others may read, that is a link or another user's.
[[nodiscard]] Result<std::vector<KnownToken>> read_tokens(const std::filesystem::path& file);

// Writes a new file (mode 0600) with one token, "default", that may do everything. Errors:
// kInfrastructure.
[[nodiscard]] Status make_tokens(const std::filesystem::path& file);

// Letters, digits, dots, dashes and underscores, at most 32, a letter first; no "level1".
[[nodiscard]] bool is_token_name(std::string_view name);

}  // namespace kbench
