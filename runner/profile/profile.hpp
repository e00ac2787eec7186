// A profile of one side of a task: what its time went into, what bounds it, and what to do next,
// for people, for programs, and as a timeline. It is no verdict on a submission: what a
// submission's process says of itself may be wrong. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/core/profile_record.hpp"
#include "runner/core/profile_rules.hpp"
#include "runner/core/result.hpp"
#include "runner/profile/facts.hpp"

namespace kbench {

struct ProfileSubject {
  std::string task;            // "level1/019_relu"
  std::string task_hash = {};  // hash of its content, as rows have it
  std::string size;
  std::string side;                // "eager", "compiled", "vendor", "submission"
  std::string submission;          // its name; empty for a baseline
  std::string source_hash = {};    // hash of the submission, as its rows have it
  std::string contents_hash = {};  // hash_contents of its sources
  std::string torch = {};          // version of the one in use
};

struct Profile {
  ProfileSubject subject;
  DeviceFacts device;
  std::string precision;
  std::string limit_basis;  // basis that limit_of gives
  ProfileFacts facts;
  std::vector<KernelSummary> kernels;  // longest first
  std::optional<ProfiledCall> call;    // the median one
  std::vector<double> calls_us;        // all recorded ones
  std::vector<ProfileFinding> findings;
  std::vector<CloseRule> closest;     // where nothing is found
  std::vector<std::string> cautions;  // a line each: why its numbers are hardly to be believed
  std::vector<std::string> missing;   // a line each: what is not there, and why
};

[[nodiscard]] Profile make_profile(ProfileSubject subject, const ProfileInput& input);

// Longest text of a profile.
inline constexpr std::size_t kLongestProfileText = 4096;
[[nodiscard]] std::string profile_text(const Profile& profile);

// {"schema_version": 2, "verdict": …}; see data/docs/profiles.md. If there are many kernels, it has
// the longest ones.
[[nodiscard]] Json profile_json(const Profile& profile);

// The answer to an agent, at most kLongestProfileText of JSON: {verdict, because, wrong_if, to_do,
// saves_us, text}. `to_do` is one thing; `text` begins as profile_text does.
[[nodiscard]] Json profile_answer(const Profile& profile);

// The profile as a database keeps it, made at `made_at` by this `version`. Errors: kBadInput where
// it says what no profile says, which no database keeps.
[[nodiscard]] Result<StoredProfile> to_be_stored(const Profile& profile, const std::string& made_at,
                                                 const std::string& version);

// Trace events as Chrome and Perfetto read them: a line for each stream, in microseconds from the
// first activity.
[[nodiscard]] Json profile_trace(const Profile& profile);

}  // namespace kbench
