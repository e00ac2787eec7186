#include "runner/core/profile_record.hpp"

#include <cmath>

#include <fmt/format.h>

#include "runner/core/bounded_json.hpp"
#include "runner/core/sha256.hpp"

namespace kbench {
namespace {

constexpr std::size_t kLongestText = 2000;
constexpr std::size_t kMostCalls = 64;
constexpr std::size_t kMostMissing = 32;
constexpr double kLongestUs = 1e12;
constexpr std::int64_t kMostCount = std::int64_t{1} << 40;

// What no profile has; caught where the profile is taken apart.
struct NoProfile {
  std::string why;
};

[[noreturn]] void refuse(const std::string& name, const char* what) {
  throw NoProfile{fmt::format("its {} {}", name, what)};
}

const Json& member(const Json& object, const std::string& name) {
  const auto found = object.find(name);
  if (found == object.end()) refuse(name, "is not there");
  return *found;
}

std::string text_in(const Json& object, const std::string& name) {
  const Json& value = member(object, name);
  if (!value.is_string()) refuse(name, "is no text");
  const auto& text = value.get_ref<const std::string&>();
  if (text.size() > kLongestText) refuse(name, "is too long");
  return text;
}

double number_of(const Json& value, const std::string& name) {
  if (!value.is_number()) refuse(name, "is no number");
  const auto number = value.get<double>();
  if (!std::isfinite(number) || number < 0) refuse(name, "is negative or no number");
  return number;
}

double time_in(const Json& object, const std::string& name) {
  const double us = number_of(member(object, name), name);
  if (us > kLongestUs) refuse(name, "is longer than any call");
  return us;
}

std::int64_t count_of(const Json& value, const std::string& name) {
  if (!value.is_number_integer() || value < 0 || value > kMostCount) refuse(name, "is no count");
  return value.get<std::int64_t>();
}

const Json& list_in(const Json& object, const std::string& name, std::size_t most) {
  const Json& value = member(object, name);
  if (!value.is_array()) refuse(name, "is no list");
  if (value.size() > most) refuse(name, "has more entries than are kept");
  return value;
}

const Json& object_of(const Json& value, const std::string& name) {
  if (!value.is_object()) refuse(name, "holds something that is no object");
  return value;
}

std::array<std::int64_t, 3> extent_in(const Json& object, const std::string& name) {
  const Json& value = list_in(object, name, 3);
  if (value.size() != 3) refuse(name, "has not three parts");
  return {count_of(value[0], name), count_of(value[1], name), count_of(value[2], name)};
}

ProfileAdvice advice_of(const Json& json) {
  object_of(json, "suggestions");
  return {.verdict = text_in(json, "verdict"),
          .title = text_in(json, "title"),
          .evidence = text_in(json, "evidence"),
          .wrong_if = text_in(json, "wrong_if"),
          .suggestion = text_in(json, "suggestion"),
          .saves_us = time_in(json, "saves_us")};
}

ProfiledKernel kernel_of(const Json& json) {
  object_of(json, "kernels");
  const auto count = [&](const char* name) { return count_of(member(json, name), name); };
  return {.name = text_in(json, "name"),
          .launches = count("launches"),
          .us = time_in(json, "us"),
          .grid = extent_in(json, "grid"),
          .block = extent_in(json, "block"),
          .registers = count("registers"),
          .shared_bytes = count("static_shared_bytes") + count("dynamic_shared_bytes")};
}

ProfileRecord record_of(const Json& json) {
  object_of(json, "JSON");
  if (count_of(member(json, "schema_version"), "schema_version") != 1)
    refuse("schema_version", "is none that this kbench knows");
  ProfileRecord record{.task = text_in(json, "task"),
                       .size = text_in(json, "size"),
                       .side = text_in(json, "side"),
                       .submission = {},
                       .device = text_in(json, "device"),
                       .precision = text_in(json, "precision"),
                       .verdict = text_in(json, "verdict"),
                       .evidence = text_in(json, "evidence"),
                       .suggestions = {},
                       .limit_basis = text_in(json, "limit_basis"),
                       .facts = {},
                       .calls_us = {},
                       .kernels = {},
                       .missing = {}};
  if (!member(json, "submission").is_null()) record.submission = text_in(json, "submission");
  for (const Json& one : list_in(json, "suggestions", kMostProfileFindings))
    record.suggestions.push_back(advice_of(one));
  const Json& facts = object_of(member(json, "facts"), "facts");
  if (facts.size() > kMostProfileFacts) refuse("facts", "are more than are kept");
  for (const auto& [name, value] : facts.items()) {
    if (name.size() > 64) refuse("facts", "have a name that is too long");
    record.facts[name] = number_of(value, name);
  }
  for (const Json& one : list_in(json, "calls_us", kMostCalls))
    record.calls_us.push_back(number_of(one, "calls_us"));
  for (const Json& one : list_in(json, "kernels", kMostProfiledKernels))
    record.kernels.push_back(kernel_of(one));
  for (const Json& one : list_in(json, "missing", kMostMissing)) {
    if (!one.is_string() || one.get_ref<const std::string&>().size() > kLongestText)
      refuse("missing", "holds something that is no line");
    record.missing.push_back(one.get<std::string>());
  }
  return record;
}

}  // namespace

std::optional<double> ProfileRecord::fact(const std::string& name) const {
  const auto found = facts.find(name);
  return found == facts.end() ? std::nullopt : std::optional(found->second);
}

std::string ProfileRecord::title() const {
  return suggestions.empty() ? std::string("not judged") : suggestions.front().title;
}

const std::string& ProfileRecord::subject() const { return submission.empty() ? side : submission; }

Result<ProfileRecord> parse_profile(std::string_view json) {
  const auto refused = [](const std::string& why) {
    return Error{ErrorCode::kBadInput, "this is no profile: " + why, ""};
  };
  if (json.size() > kLongestProfileJson) return refused("it is too long");
  const auto parsed = parse_bounded_json(json);
  if (!parsed) return refused(parsed.error().message);
  try {
    return record_of(*parsed);
  } catch (const NoProfile& no) {
    return refused(no.why);
  }
}

std::string profile_id(const StoredProfile& profile) {
  // Parts of known length, so that no two profiles have one text.
  std::string text = "kbench profile\n";
  for (const std::string* part : {&profile.device_kind, &profile.source_hash, &profile.made_at,
                                  &profile.version, &profile.json})
    text += fmt::format("{}:{}\n", part->size(), *part);
  return sha256(text);
}

}  // namespace kbench
