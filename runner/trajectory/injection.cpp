#include "runner/trajectory/injection.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/bounded_json.hpp"
#include "runner/core/sha256.hpp"
#include "runner/core/suggest.hpp"
#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

constexpr std::array<std::string_view, 4> kFirstComponents = {"error", "debugger", "analyzer",
                                                              "profiler"};
constexpr std::string_view kCut = "\n[cut]";

Error no_template(const std::string& what) {
  return {ErrorCode::kBadInput, "the template of injections " + what,
          "It is data/attribution/injection.json of the installation."};
}

std::size_t count_of(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + word.size())) ++count;
  return count;
}

// Fills each place once, from the front: what is put in is not looked at again.
std::string filled(std::string_view text, const std::map<std::string, std::string>& places) {
  std::string result;
  while (!text.empty()) {
    std::size_t first = text.npos;
    const std::pair<const std::string, std::string>* which = nullptr;
    for (const auto& place : places) {
      const std::size_t at = text.find(place.first);
      if (at < first) {
        first = at;
        which = &place;
      }
    }
    result += text.substr(0, first);
    if (which == nullptr) break;
    result += which->second;
    text.remove_prefix(first + which->first.size());
  }
  return result;
}

std::string tamed(const std::string& text) {
  std::string clean = clean_text(text.substr(0, kMostReportBytes), kMostReportBytes);
  if (text.size() > kMostReportBytes) clean += kCut;
  return clean;
}

// The coalition as it is rendered: under two names the same report is there once.
std::vector<std::string> speakers(const Injection& injection) {
  auto order = injection_order(injection.coalition);
  if (injection.treatment.reports != ArmTreatment::Reports::kOnce) return order;
  std::set<std::string> said;
  std::vector<std::string> once;
  for (std::string& name : order) {
    const auto report = injection.reports.find(name);
    if (report == injection.reports.end() || said.insert(report->second).second)
      once.push_back(std::move(name));
  }
  return once;
}

std::string report_text(const InjectionTemplate& with, const std::string& component,
                        const std::string& report) {
  const std::string text = tamed(report);
  return filled(
      with.report,
      {{"{component}", clean_name(component)}, {"{report}", text}, {"{fence}", fence_for(text)}});
}

// The reports at the anchor of a coalition; empty for the empty coalition, but not for the sham.
Result<std::string> reports_text(const Injection& injection) {
  using From = ArmTreatment::Reports;
  const InjectionTemplate& with = injection.with;
  if (injection.treatment.reports == From::kHeading) return with.heading;
  std::string text;
  for (const std::string& component : speakers(injection)) {
    const auto report = injection.reports.find(component);
    if (report == injection.reports.end())
      return Error{ErrorCode::kBadInput,
                   fmt::format("{} is to speak and has no report", clean_name(component)),
                   "A coalition is of components that answered in this state."};
    text += report_text(with, component, report->second);
  }
  if (text.empty()) return text;
  text = with.heading + text;
  if (injection.treatment.reports != From::kFiller) return text;
  std::string filler;
  while (filler.size() < text.size()) filler += with.filler;
  filler.resize(text.size());
  return filler + "\n\n";
}

// The context with that text at its anchor and, where there is one, another question.
Result<Json> messages_with(const StateContext& context, const std::string& text,
                           const std::string& question) {
  Json messages = Json::array();
  bool anchored = false;
  for (const ContextMessage& message : context) {
    std::string content = message.content;
    if (message.after) {
      content += text + (question.empty() ? *message.after : question);
      anchored = true;
    }
    messages.push_back({{"role", message.role}, {"content", std::move(content)}});
  }
  if (anchored) return messages;
  return Error{ErrorCode::kBadInput, "the context of a state has no anchor", ""};
}

}  // namespace

Result<InjectionTemplate> read_injection_template(std::string_view text) {
  if (text.size() > kMostTemplateBytes) return no_template("is too large");
  const auto json = parse_bounded_json(text);
  if (!json || !json->is_object()) return no_template("is no object of JSON");
  InjectionTemplate with;
  const std::map<std::string, std::string*> members = {{"heading", &with.heading},
                                                       {"report", &with.report},
                                                       {"plan", &with.plan},
                                                       {"ask_for_plan", &with.ask_for_plan},
                                                       {"filler", &with.filler}};
  for (const auto& [name, value] : json->items()) {
    const auto member = members.find(name);
    if (name == "version" && value.is_number_integer() && value > 0 && value < 1'000'000)
      with.version = value.get<int>();
    else if (member != members.end() && value.is_string())
      *member->second = value.get<std::string>();
    else
      return no_template(fmt::format("has what is none of it: \"{}\"", name.substr(0, 40)));
  }
  for (const auto& [name, value] : members)
    if (value->empty()) return no_template("lacks " + name);
  if (with.version == 0) return no_template("lacks version");
  if (count_of(with.report, "{component}") != 1 || count_of(with.report, "{report}") != 1 ||
      count_of(with.report, "{fence}") != 2)
    return no_template("has no places for component, report and two fences");
  if (count_of(with.plan, "{plan}") != 1 || count_of(with.plan, "{fence}") != 2)
    return no_template("has no places for plan and two fences");
  with.id = fmt::format("{}-{}", with.version, sha256(text));
  return with;
}

Result<ArmTreatment> treatment_of(std::string_view arm, InjectionMode mode) {
  using From = ArmTreatment::Reports;
  const bool has_planner = mode != InjectionMode::kDirect;
  const bool has_direct = mode != InjectionMode::kPlan;
  const auto by_mode = [&](From from) {
    return ArmTreatment{has_planner, false, has_planner, has_direct, from};
  };
  const std::map<std::string_view, ArmTreatment> arms = {
      {"direct", {false, false, false, true, From::kOwn}},
      {"plan", {true, false, true, false, From::kOwn}},
      {"both", {true, false, true, true, From::kOwn}},
      {"NP+NF", {false, false, false, false, From::kOwn}},
      {"NP+F", {false, false, false, true, From::kOwn}},
      {"NP+S", {false, false, false, true, From::kSummary}},
      {"P+NF", {true, false, false, false, From::kOwn}},
      {"P+F", {true, false, true, true, From::kOwn}},
      {"P+S", {true, false, true, true, From::kSummary}},
      {"P+RF", {true, false, true, true, From::kOther}},
      {"DP", {false, true, false, false, From::kOwn}},
      {"sham", by_mode(From::kHeading)},
      {"filler", by_mode(From::kFiller)},
      {"dup", by_mode(From::kOnce)},
      {"transfer:own", {true, false, true, false, From::kOwn}},
      {"transfer:plan", {true, false, true, false, From::kOwn}},
      {"transfer:strong", {true, false, true, false, From::kOwn}}};
  const auto found = arms.find(arm);
  if (found != arms.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [name, treatment] : arms) known.emplace_back(name);
  const auto meant = nearest(arm, known);
  return Error{ErrorCode::kUsage, fmt::format("\"{}\" is no arm of a study", clean_name(arm)),
               fmt::format("{}arms are {}", meant ? "did you mean " + *meant + "? " : "",
                           fmt::join(known, ", "))};
}

std::vector<std::string> injection_order(std::span<const std::string> components) {
  const std::set<std::string> names(components.begin(), components.end());
  std::vector<std::string> order;
  for (const std::string_view first : kFirstComponents)
    if (names.contains(std::string(first))) order.emplace_back(first);
  for (const std::string& name : names)
    if (std::find(kFirstComponents.begin(), kFirstComponents.end(), name) == kFirstComponents.end())
      order.push_back(name);
  return order;
}

Result<Json> planner_messages(const Injection& injection) {
  std::string text;
  if (injection.treatment.planner_reports) {
    auto reports = reports_text(injection);
    if (!reports) return reports.error();
    text = std::move(*reports);
  }
  return messages_with(injection.context, text, injection.with.ask_for_plan);
}

Result<Json> coder_messages(const Injection& injection, const std::string& plan) {
  std::string text;
  if (injection.treatment.coder_reports) {
    auto reports = reports_text(injection);
    if (!reports) return reports.error();
    text = std::move(*reports);
  }
  if (!plan.empty()) {
    const std::string clean = tamed(plan);
    text += filled(injection.with.plan, {{"{plan}", clean}, {"{fence}", fence_for(clean)}});
  }
  return messages_with(injection.context, text, "");
}

}  // namespace kbench
