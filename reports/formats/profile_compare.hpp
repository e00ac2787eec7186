// Two profiles beside each other: verdicts first, then what changed, by how much, then what did
// not. Pure. Names in them are foreign text, and are cleaned here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/formats/text_table.hpp"
#include "runner/core/json.hpp"
#include "runner/core/profile_record.hpp"
#include "runner/core/result.hpp"

namespace kbench {

struct ComparedFact {
  std::string name;         // "call_us"
  std::string what;         // "call (us)"
  std::optional<double> a;  // empty: not known of that one
  std::optional<double> b;
  bool changed = false;  // the two differ by more than 5 %, or one is not known

  // b over a, where both are above 0.
  [[nodiscard]] std::optional<double> ratio() const;
};

struct ProfileComparison {
  ProfileRecord a;
  ProfileRecord b;
  std::vector<ComparedFact> facts;    // changed ones first: the call's time, then by their ratio
  std::vector<std::string> cautions;  // why the two are hardly to be compared, a sentence each
};

// Errors: kUsage where they are of two tasks.
[[nodiscard]] Result<ProfileComparison> compare_profiles(ProfileRecord a, ProfileRecord b);

[[nodiscard]] std::string render_profile_comparison(const ProfileComparison& comparison,
                                                    const TableStyle& style);
// {schema_version, a, b, cautions[], facts[{name, a, b, ratio, changed}]}; a and b have task, size,
// side, submission, device, precision, verdict, evidence, suggestion.
[[nodiscard]] Json profile_comparison_json(const ProfileComparison& comparison);

}  // namespace kbench
