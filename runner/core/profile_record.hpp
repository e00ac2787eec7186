// A profile as `kbench profile --format json` prints it and a database keeps it, read back for
// comparisons and pages. Its origin is not trusted: each value is checked against what a profile
// can say. The sentences of a verdict are those of its rule (profile_rules.hpp), not the stored
// ones. A profile is no verdict on a row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/core/profile_rules.hpp"
#include "runner/core/result.hpp"

namespace kbench {

// Version of a profile's JSON. 2: gap_us, gap_share, gaps and mean_gap_us count idle time between
// activities only, and the rest is around_us. Earlier versions are read as well.
inline constexpr int kProfileSchemaVersion = 2;

// Limits of one profile.
inline constexpr std::size_t kLongestProfileJson = std::size_t{256} << 10;  // bytes
inline constexpr std::size_t kMostProfiledKernels = 64;                     // the longest ones
inline constexpr std::size_t kMostProfileFindings = 3;                      // suggestions
inline constexpr std::size_t kMostProfileFacts = 256;

// A kernel, all of its launches in the median call together.
struct ProfiledKernel {
  std::string name;
  std::int64_t launches = 0;
  double us = 0;
  std::array<std::int64_t, 3> grid{};   // blocks
  std::array<std::int64_t, 3> block{};  // threads
  std::int64_t registers = 0;           // a thread
  std::int64_t shared_bytes = 0;        // a block, static and dynamic
};

struct ProfileRecord {
  std::string task;
  std::string task_hash;  // hash of the task's content, as in its rows; empty in earlier profiles
  std::string size;
  std::string side;        // "eager", "compiled", "submission"
  std::string submission;  // the submission's name; empty for a baseline
  // hash_contents of its sources; empty for a baseline, and in earlier profiles.
  std::string contents_hash;
  // A page calls the submission as its row does; its name here, if that is another one.
  std::string profiled_as;
  std::string device;  // its name
  std::string precision;
  std::string torch;    // version; empty in earlier profiles
  std::string verdict;  // name of a rule, or kNoVerdict
  std::string evidence;
  std::vector<ProfileFinding> suggestions;  // the verdict first
  std::vector<CloseRule> closest;           // without a verdict; found anew in the facts
  std::string limit_basis;
  std::map<std::string, double> facts;
  std::vector<double> calls_us;
  std::vector<ProfiledKernel> kernels;  // longest first
  std::size_t more_kernels = 0;         // shorter kernels that were left out
  std::vector<std::string> cautions;    // a line each: why its numbers are hardly to be believed
  std::vector<std::string> missing;     // a line each: what is not there, and why

  [[nodiscard]] std::optional<double> fact(const std::string& name) const;
  // "memory-bound near the limit"; "not judged" where no rule held.
  [[nodiscard]] std::string title() const;
  // "eager", "compiled", or "submission NAME": a submission that is called "eager" is no baseline.
  [[nodiscard]] std::string subject() const;
};

// The basis of a profile's limit with the bandwidths that it takes, where the facts have them:
// "bytes at 4.22 TB/s (read) and 4.6 TB/s (written), calibrated 2026-01-02T03:04:05Z".
[[nodiscard]] std::string limit_words(const std::string& basis,
                                      const std::map<std::string, double>& facts);

// Errors: kBadInput, naming what no profile has: a text that is too long or not there, a number
// that is negative, none, or beyond what a call can have, a verdict or side that there is not, more
// kernels or suggestions than are kept.
[[nodiscard]] Result<ProfileRecord> parse_profile(std::string_view json);

// A profile in a database.
struct StoredProfile {
  std::string id;           // SHA-256 of all the rest (profile_id)
  std::string device_kind;  // "cpu" or "cuda"
  std::string source_hash;  // hash of the submission, as in its rows; empty for a baseline
  std::string made_at;      // UTC, RFC 3339
  std::string version;      // kbench's version
  std::string json;         // the printed text, without its closest rules
  ProfileRecord record;     // `json`, parsed
};

// The id that belongs to the rest.
[[nodiscard]] std::string profile_id(const StoredProfile& profile);

}  // namespace kbench
