#include "runner/profile/profile.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace kbench {
namespace {

constexpr std::size_t kMostKernelsShown = 8;
constexpr std::size_t kNameShown = 72;
// Share above which calls beside other programs say more of these than of the kernel.
constexpr double kBusyShare = 0.1;
// Microseconds and share of a call that launch and profiler take in any: a quiet device needs 3.
constexpr double kUsualAroundUs = 10;
constexpr double kUsualAroundShare = 0.1;

std::string shortened(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

std::optional<double> number_of(const Profile& profile, const std::string& name) {
  const auto found = profile.facts.numbers.find(name);
  return found == profile.facts.numbers.end() ? std::nullopt : std::optional(found->second);
}

// "1234 us" or "1.234 ms", of microseconds.
std::string time_text(double us) {
  return us < 1000 ? fmt::format("{:.4g} us", us) : fmt::format("{:.4g} ms", us * 1e-3);
}

// "1 kernel", "2 kernels": the fact of that name.
std::string count_text(const Profile& profile, const char* name, const char* one) {
  const double count = number_of(profile, name).value_or(0);
  return fmt::format("{:.0f} {}", count, count == 1 ? one : name);
}

std::string extent_text(const std::array<std::uint32_t, 3>& extent) {
  std::string text = std::to_string(extent[0]);
  if (extent[1] > 1 || extent[2] > 1) text += fmt::format("x{}", extent[1]);
  if (extent[2] > 1) text += fmt::format("x{}", extent[2]);
  return text;
}

// --- text ---

const char* why_not_judged(const Profile& profile) {
  return kbench::why_not_judged(profile.facts, !profile.kernels.empty());
}

// "eager", or "submission me/relu": a submission may be called "eager".
std::string subject_words(const ProfileSubject& subject) {
  return subject.submission.empty()
             ? subject.side
             : fmt::format("{} {}", subject.side, shortened(subject.submission, kNameShown));
}

// Advice where no rule says what to do.
std::string what_to_look_at(const Profile& profile) {
  if (profile.kernels.empty())
    return "compare it with a baseline: which share of the limit that one reaches is all there is";
  const KernelSummary& top = profile.kernels.front();
  return fmt::format("look at {}, which takes {} of the call's {}", shortened(top.name, kNameShown),
                     time_text(static_cast<double>(top.total_ns) * 1e-3),
                     time_text(number_of(profile, "call_us").value_or(0)));
}

std::string head_lines(const Profile& profile) {
  const ProfileSubject& subject = profile.subject;
  std::string text = fmt::format("{} {} ({}) on {}, {}\n", subject.task, subject_words(subject),
                                 subject.size, profile.device.name, profile.precision);
  if (const auto call = number_of(profile, "call_us")) {
    text += fmt::format(
        "call      {} (median of {}, {} to {}{})\n", time_text(*call), profile.calls_us.size(),
        time_text(number_of(profile, "fastest_us").value_or(*call)),
        time_text(number_of(profile, "slowest_us").value_or(*call)),
        profile.kernels.empty() ? "" : "; under a profiler: compare with profiles only");
  }
  const auto limit = number_of(profile, "limit_us");
  const auto percent = number_of(profile, "limit_percent");
  if (limit && percent)
    text += fmt::format("limit     {} a call ({}{}); share of the limit {:.3g} % (limit / call)\n",
                        time_text(*limit), limit_words(profile.limit_basis, profile.facts.numbers),
                        number_of(profile, "limit_calibrated") == 0 ? ", not calibrated" : "",
                        *percent);
  else
    text += fmt::format("limit     not known: {}\n", profile.limit_basis);
  if (const auto busy = number_of(profile, "busy_us")) {
    text += fmt::format(
        "device    {} busy, {} idle between activities, {} launch and profiler; {}, {}, {}, {}\n",
        time_text(*busy), time_text(number_of(profile, "gap_us").value_or(0)),
        time_text(number_of(profile, "around_us").value_or(0)),
        count_text(profile, "kernels", "kernel"), count_text(profile, "copies", "copy"),
        count_text(profile, "memsets", "memset"), count_text(profile, "streams", "stream"));
  }
  const char* label = "counters  ";
  for (const std::string& line : counter_lines(profile.facts)) {
    text += fmt::format("{}{}\n", label, line);
    label = "          ";
  }
  for (const std::string& caution : profile.cautions)
    text += fmt::format("caution   {}\n", shortened(caution, 200));
  return text;
}

// Lines in a verdict's place: the closest rules.
std::string unjudged_lines(const Profile& profile) {
  std::string text = fmt::format("\nverdict   not judged: {}\n", why_not_judged(profile));
  for (const CloseRule& close : profile.closest)
    text +=
        fmt::format("closest   {}: {}\n          {}\n", close.title, close.evidence, close.asks);
  return text;
}

std::string verdict_lines(const Profile& profile) {
  if (profile.findings.empty()) return unjudged_lines(profile);
  const ProfileFinding& first = profile.findings.front();
  std::string text = fmt::format("\nverdict   {}\n  because   {}\n  wrong if  {}\n\nwhat to do\n",
                                 first.title, first.evidence, first.wrong_if);
  for (std::size_t i = 0; i < std::min(kMostProfileFindings, profile.findings.size()); ++i) {
    const ProfileFinding& finding = profile.findings[i];
    text += fmt::format("  {}. {} (cannot save more than {})\n", i + 1, finding.suggestion,
                        time_text(finding.saves_us));
  }
  return text;
}

std::string kernel_line(const KernelSummary& kernel) {
  const Activity& longest = kernel.longest;
  return fmt::format("  {:>10} {:>8} {:>14} {:>10} {:>5} {:>9}  {}\n",
                     fmt::format("{:.4g}", static_cast<double>(kernel.total_ns) * 1e-3),
                     kernel.launches, extent_text(longest.grid), extent_text(longest.block),
                     longest.registers, longest.static_shared_bytes + longest.dynamic_shared_bytes,
                     shortened(kernel.name, kNameShown));
}

std::string kernel_lines(const Profile& profile, std::size_t most) {
  if (profile.kernels.empty()) return "";
  std::string text = fmt::format("\n  {:>10} {:>8} {:>14} {:>10} {:>5} {:>9}  {}\n", "total us",
                                 "launches", "grid", "block", "regs", "shared B", "kernel");
  for (std::size_t i = 0; i < std::min(most, profile.kernels.size()); ++i)
    text += kernel_line(profile.kernels[i]);
  if (profile.kernels.size() > most)
    text += fmt::format("  and {} more\n", profile.kernels.size() - most);
  return text;
}

// --- JSON ---

Json finding_json(const ProfileFinding& finding) {
  return {{"verdict", finding.verdict},       {"title", finding.title},
          {"evidence", finding.evidence},     {"wrong_if", finding.wrong_if},
          {"suggestion", finding.suggestion}, {"saves_us", finding.saves_us}};
}

Json closest_json(const std::vector<CloseRule>& closest) {
  Json list = Json::array();
  for (const CloseRule& close : closest)
    list.push_back({{"verdict", close.verdict},
                    {"title", close.title},
                    {"evidence", close.evidence},
                    {"fact", close.fact},
                    {"value", close.value},
                    {"comparison", close.comparison},
                    {"bound", close.bound}});
  return list;
}

// Names that sentences of rules have in them.
Json words_json(const Profile& profile) {
  Json words = Json::object();
  const auto spills = profile.facts.words.find("spill_kernel");
  if (spills != profile.facts.words.end())
    words["spill_kernel"] = shortened(spills->second, kNameShown);
  return words;
}

Json kernel_json(const KernelSummary& kernel) {
  const Activity& longest = kernel.longest;
  return {{"name", kernel.name},
          {"launches", kernel.launches},
          {"us", static_cast<double>(kernel.total_ns) * 1e-3},
          {"grid", longest.grid},
          {"block", longest.block},
          {"registers", longest.registers},
          {"static_shared_bytes", longest.static_shared_bytes},
          {"dynamic_shared_bytes", longest.dynamic_shared_bytes},
          {"local_bytes", longest.local_bytes},
          {"thread_share", kernel.thread_share > 0 ? Json(kernel.thread_share) : Json()}};
}

// --- cautions ---

std::vector<std::string> cautions_of(const Profile& profile, const ProfileInput& input) {
  std::vector<std::string> cautions;
  if (input.waited_in_calls >= kBusyShare)
    cautions.push_back(
        fmt::format("the machine was busy: some program waited for a core for {:.0f} % of the time "
                    "of these calls",
                    100 * input.waited_in_calls));
  const double around = number_of(profile, "around_us").value_or(0);
  const double call = number_of(profile, "call_us").value_or(0);
  if (around >= kUsualAroundUs && around >= kUsualAroundShare * call)
    cautions.push_back(
        fmt::format("launch and profiler take {} of the call's {}, and its share of the limit is "
                    "lower for that: profile it again, or look at the share in `kbench run`",
                    time_text(around), time_text(call)));
  if (number_of(profile, "limit_calibrated") != 0) return cautions;
  const std::string beside =
      input.waited_in_peaks >= kBusyShare
          ? fmt::format(", while some program waited for a core for {:.0f} % of the time",
                        100 * input.waited_in_peaks)
          : "";
  cautions.push_back(
      fmt::format("not calibrated: peaks were measured in passing{}; `kbench calibrate --only "
                  "limits` on a quiet machine",
                  beside));
  return cautions;
}

}  // namespace

Profile make_profile(ProfileSubject subject, const ProfileInput& input) {
  Profile profile{.subject = std::move(subject),
                  .device = input.device,
                  .precision = input.precision,
                  .facts = facts_of(input)};
  profile.missing = input.missing;
  profile.limit_basis = profile.facts.words["limit_basis"];
  for (const ProfiledCall& call : input.recorded.calls)
    profile.calls_us.push_back(static_cast<double>(call.claimed_ns) * 1e-3);
  if (const ProfiledCall* call = median_call(input.recorded)) {
    profile.call = *call;
    profile.kernels = summarize_kernels(*call, input.device);
  }
  if (!input.recorded.problem.empty()) profile.missing.push_back(input.recorded.problem);
  if (!input.recorded.counter_problem.empty())
    profile.missing.push_back(input.recorded.counter_problem);
  const auto kernels = number_of(profile, "kernels").value_or(0);
  const auto counted = static_cast<double>(input.recorded.counters.size());
  if (counted > 0 && counted != kernels)
    profile.missing.push_back(
        fmt::format("hardware counters: {} kernels were counted, and a recorded call has {}",
                    counted, kernels));
  if (input.recorded.dropped > 0)
    profile.missing.push_back(fmt::format("{} activities: there were more than there is room for",
                                          input.recorded.dropped));
  profile.findings = find_verdicts(profile_rules(), profile.facts);
  if (profile.findings.empty()) profile.closest = closest_rules(profile_rules(), profile.facts);
  profile.cautions = cautions_of(profile, input);
  return profile;
}

std::string profile_text(const Profile& profile) {
  std::string missing;
  for (const std::string& line : profile.missing)
    missing += fmt::format("not there: {}\n", shortened(line, 200));
  for (std::size_t kernels = kMostKernelsShown;; --kernels) {
    std::string text = head_lines(profile) + verdict_lines(profile) +
                       kernel_lines(profile, kernels) + (missing.empty() ? "" : "\n" + missing);
    if (text.size() <= kLongestProfileText || kernels == 1)
      return text.substr(0, kLongestProfileText);
  }
}

Json profile_json(const Profile& profile) {
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? Json() : Json(text);
  };
  Json suggestions = Json::array();
  for (std::size_t i = 0; i < std::min(kMostProfileFindings, profile.findings.size()); ++i)
    suggestions.push_back(finding_json(profile.findings[i]));
  Json kernels = Json::array();
  const std::size_t kept = std::min(kMostProfiledKernels, profile.kernels.size());
  for (std::size_t i = 0; i < kept; ++i) kernels.push_back(kernel_json(profile.kernels[i]));
  return {{"schema_version", kProfileSchemaVersion},
          {"task", profile.subject.task},
          {"task_hash", profile.subject.task_hash},
          {"size", profile.subject.size},
          {"side", profile.subject.side},
          {"submission", text_or_null(profile.subject.submission)},
          {"contents_hash", profile.subject.contents_hash},
          {"device", profile.device.name},
          {"precision", profile.precision},
          {"torch", profile.subject.torch},
          {"verdict",
           profile.findings.empty() ? std::string(kNoVerdict) : profile.findings.front().verdict},
          {"evidence", profile.findings.empty() ? std::string(why_not_judged(profile))
                                                : profile.findings.front().evidence},
          {"suggestions", std::move(suggestions)},
          {"closest", closest_json(profile.closest)},
          {"limit_basis", profile.limit_basis},
          {"facts", profile.facts.numbers},
          {"words", words_json(profile)},
          {"calls_us", profile.calls_us},
          {"kernels", std::move(kernels)},
          {"more_kernels", profile.kernels.size() - kept},
          {"cautions", profile.cautions},
          {"missing", profile.missing}};
}

Json profile_answer(const Profile& profile) {
  const bool judged = !profile.findings.empty();
  Json answer = {{"verdict", std::string(kNoVerdict)},
                 {"because", why_not_judged(profile)},
                 {"wrong_if", nullptr},
                 {"to_do", what_to_look_at(profile)},
                 {"saves_us", nullptr},
                 {"text", ""}};
  if (judged) {
    const ProfileFinding& first = profile.findings.front();
    answer.update({{"verdict", first.verdict},
                   {"because", first.evidence},
                   {"wrong_if", first.wrong_if},
                   {"to_do", first.suggestion},
                   {"saves_us", first.saves_us}});
  }
  // Quotes and line breaks take two bytes each.
  std::string text = profile_text(profile);
  const auto bytes = [&] {
    answer["text"] = text;
    return answer.dump(-1, ' ', true, Json::error_handler_t::replace).size();
  };
  for (std::size_t size = bytes(); size > kLongestProfileText && !text.empty(); size = bytes())
    text.resize(text.size() -
                std::min(text.size(), std::max<std::size_t>(1, (size - kLongestProfileText) / 2)));
  return answer;
}

Result<StoredProfile> to_be_stored(const Profile& profile, const std::string& made_at,
                                   const std::string& version) {
  Json kept = profile_json(profile);
  kept.erase("closest");  // a record holds facts; rules are held against them where it is shown
  StoredProfile stored{.id = {},
                       .device_kind = profile.device.kind == DeviceKind::kCuda ? "cuda" : "cpu",
                       .source_hash = profile.subject.source_hash,
                       .made_at = made_at,
                       .version = version,
                       .json = kept.dump(-1, ' ', true, Json::error_handler_t::replace),
                       .record = {}};
  auto record = parse_profile(stored.json);
  if (!record) return record.error();
  stored.record = std::move(*record);
  stored.id = profile_id(stored);
  return stored;
}

Json profile_trace(const Profile& profile) {
  Json events = Json::array();
  if (profile.call && !profile.call->activities.empty()) {
    const std::int64_t first = profile.call->activities.front().start_ns;
    for (const Activity& activity : profile.call->activities) {
      Json arguments = {{"bytes", activity.bytes}};
      if (activity.kind == ActivityKind::kKernel)
        arguments = {
            {"grid", activity.grid},
            {"block", activity.block},
            {"registers", activity.registers},
            {"shared_bytes", activity.static_shared_bytes + activity.dynamic_shared_bytes}};
      events.push_back({{"name", activity.kind == ActivityKind::kKernel ? activity.name
                                 : activity.kind == ActivityKind::kCopy ? "copy"
                                                                        : "memset"},
                        {"cat", activity.kind},
                        {"ph", "X"},
                        {"pid", 0},
                        {"tid", activity.stream},
                        {"ts", static_cast<double>(activity.start_ns - first) * 1e-3},
                        {"dur", static_cast<double>(activity.duration_ns()) * 1e-3},
                        {"args", std::move(arguments)}});
    }
  }
  return {{"traceEvents", std::move(events)}, {"displayTimeUnit", "ns"}};
}

}  // namespace kbench
