#include "runner/core/profile_record.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "runner/core/bounded_json.hpp"
#include "runner/core/evaluation.hpp"
#include "runner/core/sha256.hpp"

namespace kbench {
namespace {

// Bytes of names that are short, and of all other text.
constexpr std::size_t kLongestName = 200;
constexpr std::size_t kLongestText = 2000;
constexpr std::size_t kMostCalls = 64;
constexpr std::size_t kMostMissing = 32;
constexpr std::size_t kMostCautions = 8;
constexpr std::size_t kMostWords = 8;
constexpr double kLongestUs = 1e12;
constexpr double kLargestFact = 1e12;
constexpr double kMostBytes = 1e15;  // a call of minutes moves more than 1e12 on a fast device
constexpr std::int64_t kMostCount = std::int64_t{1} << 40;

// Thrown at a value that no profile has; caught where the profile is taken apart.
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

std::string text_in(const Json& object, const std::string& name,
                    std::size_t longest = kLongestText) {
  const Json& value = member(object, name);
  if (!value.is_string()) refuse(name, "is no text");
  const auto& text = value.get_ref<const std::string&>();
  if (text.size() > longest) refuse(name, "is too long");
  return text;
}

std::string name_in(const Json& object, const std::string& name) {
  return text_in(object, name, kLongestName);
}

// A name that earlier profiles lack.
std::string later_name_in(const Json& object, const std::string& name) {
  return object.contains(name) ? name_in(object, name) : "";
}

double number_of(const Json& value, const std::string& name) {
  if (!value.is_number()) refuse(name, "is no number");
  const auto number = value.get<double>();
  if (!std::isfinite(number) || number < 0) refuse(name, "is negative or no number");
  return number;
}

double time_of(const Json& value, const std::string& name) {
  const double us = number_of(value, name);
  if (us > kLongestUs) refuse(name, "is longer than any call");
  return us;
}

double fact_of(const Json& value, const std::string& name) {
  const double number = number_of(value, name);
  if (name.ends_with("_us")) return time_of(value, name);
  if (number > (name.ends_with("_bytes") ? kMostBytes : kLargestFact))
    refuse(name, "is larger than that of any call");
  return number;
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

const ProfileRule& rule_of(const std::string& verdict) {
  const ProfileRule* rule = find_profile_rule(verdict);
  if (rule == nullptr) refuse("verdict", "is none that this kbench knows");
  return *rule;
}

// The stored sentences are measured and thrown away.
ProfileFinding finding_in(const Json& json, const ProfileFacts& facts) {
  object_of(json, "suggestions");
  for (const char* name : {"title", "evidence", "wrong_if", "suggestion"})
    (void)text_in(json, name);
  (void)time_of(member(json, "saves_us"), "saves_us");
  return finding_of(rule_of(name_in(json, "verdict")), facts);
}

ProfiledKernel kernel_of(const Json& json) {
  object_of(json, "kernels");
  const auto count = [&](const char* name) { return count_of(member(json, name), name); };
  return {.name = text_in(json, "name"),
          .launches = count("launches"),
          .us = time_of(member(json, "us"), "us"),
          .grid = extent_in(json, "grid"),
          .block = extent_in(json, "block"),
          .registers = count("registers"),
          .shared_bytes = count("static_shared_bytes") + count("dynamic_shared_bytes")};
}

std::vector<std::string> lines_in(const Json& object, const std::string& name, std::size_t most) {
  std::vector<std::string> lines;
  for (const Json& one : list_in(object, name, most)) {
    if (!one.is_string() || one.get_ref<const std::string&>().size() > kLongestText)
      refuse(name, "holds something that is no line");
    lines.push_back(one.get<std::string>());
  }
  return lines;
}

ProfileFacts facts_in(const Json& json) {
  ProfileFacts read;
  const Json& facts = object_of(member(json, "facts"), "facts");
  if (facts.size() > kMostProfileFacts) refuse("facts", "are more than are kept");
  for (const auto& [name, value] : facts.items()) {
    if (name.size() > 64) refuse("facts", "have a name that is too long");
    read.numbers[name] = fact_of(value, name);
  }
  if (!json.contains("words")) return read;  // an earlier one
  const Json& words = object_of(member(json, "words"), "words");
  if (words.size() > kMostWords) refuse("words", "are more than are kept");
  for (const auto& [name, value] : words.items()) {
    if (name.size() > 64) refuse("words", "have a name that is too long");
    read.words[name] = text_in(words, name);
  }
  return read;
}

// Reads the profile's calls, and checks that the call which is told is one of them.
void read_calls(const Json& json, ProfileRecord& record) {
  for (const Json& one : list_in(json, "calls_us", kMostCalls))
    record.calls_us.push_back(time_of(one, "calls_us"));
  const auto call = record.fact("call_us");
  if (call &&
      std::find(record.calls_us.begin(), record.calls_us.end(), *call) == record.calls_us.end())
    refuse("call_us", "is that of no call");
}

void read_kernels(const Json& json, ProfileRecord& record) {
  for (const Json& one : list_in(json, "kernels", kMostProfiledKernels))
    record.kernels.push_back(kernel_of(one));
  if (json.contains("more_kernels"))
    record.more_kernels =
        static_cast<std::size_t>(count_of(member(json, "more_kernels"), "more_kernels"));
}

// A submission has a name and a baseline none, so that neither can stand in the other's place.
void read_subject(const Json& json, ProfileRecord& record) {
  record.side = name_in(json, "side");
  const auto side = side_from_string(record.side);
  if (!side) refuse("side", "is none that there is");
  if (!member(json, "submission").is_null()) record.submission = text_in(json, "submission");
  if ((*side == Side::kSubmission) == record.submission.empty())
    refuse("submission", "does not go with its side");
}

void read_verdict(const Json& json, const ProfileFacts& facts, ProfileRecord& record) {
  record.verdict = name_in(json, "verdict");
  (void)text_in(json, "evidence");
  for (const Json& one : list_in(json, "suggestions", kMostProfileFindings))
    record.suggestions.push_back(finding_in(one, facts));
  const bool judged = record.verdict != kNoVerdict;
  if (judged) record.evidence = finding_of(rule_of(record.verdict), facts).evidence;
  if (!judged) {
    record.evidence = why_not_judged(facts, !record.kernels.empty());
    record.closest = closest_rules(profile_rules(), facts);
  }
  if (judged == record.suggestions.empty() ||
      (judged && record.suggestions.front().verdict != record.verdict))
    refuse("verdict", "does not go with its suggestions");
}

ProfileRecord record_of(const Json& json) {
  object_of(json, "JSON");
  const std::int64_t version = count_of(member(json, "schema_version"), "schema_version");
  if (version < 1 || version > kProfileSchemaVersion)
    refuse("schema_version", "is none that this kbench knows");
  ProfileRecord record;
  record.task = name_in(json, "task");
  record.task_hash = later_name_in(json, "task_hash");
  record.size = name_in(json, "size");
  read_subject(json, record);
  record.device = name_in(json, "device");
  record.precision = name_in(json, "precision");
  record.contents_hash = later_name_in(json, "contents_hash");
  record.torch = later_name_in(json, "torch");
  record.limit_basis = text_in(json, "limit_basis");
  ProfileFacts facts = facts_in(json);
  record.facts = facts.numbers;
  read_calls(json, record);
  read_kernels(json, record);
  read_verdict(json, facts, record);
  if (json.contains("cautions")) record.cautions = lines_in(json, "cautions", kMostCautions);
  record.missing = lines_in(json, "missing", kMostMissing);
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

std::string ProfileRecord::subject() const {
  return submission.empty() ? side : fmt::format("{} {}", side, submission);
}

std::string limit_words(const std::string& basis, const std::map<std::string, double>& facts) {
  constexpr std::string_view kByBytes = "bytes, ";
  const auto rate_of = [&](const char* name) {
    const auto found = facts.find(name);
    const auto earlier = facts.find("limit_gb_per_s");  // one rate for both, in earlier profiles
    return found != facts.end() ? found->second : earlier != facts.end() ? earlier->second : 0;
  };
  const double read = rate_of("limit_read_gb_per_s");
  const double written = rate_of("limit_write_gb_per_s");
  if (!basis.starts_with(kByBytes) || !(read > 0) || !(written > 0)) return basis;
  const auto text_of = [](double rate) {
    return rate >= 1000 ? fmt::format("{:.3g} TB/s", rate * 1e-3)
                        : fmt::format("{:.3g} GB/s", rate);
  };
  const std::string rates =
      read == written ? text_of(read)
                      : fmt::format("{} (read) and {} (written)", text_of(read), text_of(written));
  return fmt::format("bytes at {}, {}", rates, basis.substr(kByBytes.size()));
}

Result<ProfileRecord> parse_profile(std::string_view json) {
  const auto refused = [](const std::string& why) {
    return Error{ErrorCode::kBadInput, "this is no profile: " + why,
                 "give one that `kbench profile` has written"};
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
