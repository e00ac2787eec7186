#include "reports/facts/run_facts.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include <fmt/format.h>

namespace kbench {
namespace {

// Null where there is no such value.
const Json& at(const Json& root, std::initializer_list<const char*> path) {
  static const Json kNothing;
  const Json* here = &root;
  for (const char* name : path) {
    if (!here->is_object() || !here->contains(name)) return kNothing;
    here = &here->at(name);
  }
  return *here;
}

std::string text_at(const Json& root, std::initializer_list<const char*> path) {
  const Json& value = at(root, path);
  return value.is_string() ? value.get<std::string>() : "";
}

int count_at(const Json& root, std::initializer_list<const char*> path) {
  const Json& value = at(root, path);
  constexpr std::int64_t kMost = 1'000'000;
  if (!value.is_number_integer()) return 0;
  const auto number = value.get<std::int64_t>();
  return number > 0 && number <= kMost ? static_cast<int>(number) : 0;
}

std::optional<std::int64_t> number_at(const Json& root, std::initializer_list<const char*> path) {
  const Json& value = at(root, path);
  return value.is_number_integer() ? std::optional(value.get<std::int64_t>()) : std::nullopt;
}

std::optional<bool> flag_at(const Json& root, std::initializer_list<const char*> path) {
  const Json& value = at(root, path);
  return value.is_boolean() ? std::optional(value.get<bool>()) : std::nullopt;
}

std::string calibration_words(const Json& calibration) {
  if (!calibration.is_object()) return "";
  const auto percent = [&](const char* name) {
    const Json& value = at(calibration, {name});
    return value.is_number() ? fmt::format("{:.2f} %", 100 * value.get<double>()) : "?";
  };
  return fmt::format("{}, {} between runs, {} between sessions",
                     minute_of(text_at(calibration, {"measured_at"})), percent("between_runs"),
                     percent("between_sessions"));
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return text;
}

}  // namespace

Json recorded(const std::string& text) {
  Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return json.is_discarded() ? Json() : json;
}

RunFacts facts_of(const Run& run) {
  const Json environment = recorded(run.environment);
  const Json configuration = recorded(run.configuration);
  RunFacts facts;
  facts.kind = text_at(environment, {"device", "kind"});
  if (facts.kind.empty()) facts.kind = text_at(configuration, {"device"});
  facts.device = text_at(environment, {"device", "name"});
  if (facts.device.empty()) facts.device = text_at(configuration, {"device_name"});
  if (facts.kind == "cpu") facts.threads = count_at(environment, {"device", "threads"});
  facts.driver = text_at(environment, {"gpu", "driver"});
  facts.torch = text_at(environment, {"torch"});
  facts.host_compiler = text_at(environment, {"host_compiler"});
  if (facts.kind == "cuda") facts.nvcc = text_at(environment, {"nvcc"});
  facts.kbench = text_at(environment, {"kbench"});
  facts.kernel = text_at(environment, {"host", "kernel"});
  facts.sandbox = text_at(environment, {"sandbox"});
  facts.calibration = calibration_words(at(environment, {"calibration"}));
  facts.failed_clock_checks = count_at(environment, {"calibration", "failed_checks"});
  facts.commit = text_at(environment, {"submissions", "commit"});
  facts.dirty = flag_at(environment, {"submissions", "dirty"});
  facts.quick = flag_at(configuration, {"quick"}).value_or(false);
  facts.timed = !flag_at(configuration, {"checks_only"}).value_or(false);
  facts.seed = number_at(configuration, {"seed"});
  facts.submissions_folder = text_at(configuration, {"submissions"});
  facts.submitted_file = text_at(configuration, {"file"});
  return facts;
}

std::string device_words(const RunFacts& facts) {
  const std::string& name = facts.device.empty() ? facts.kind : facts.device;
  if (facts.threads == 0) return name;
  return fmt::format("{}, {} thread{}", name, facts.threads, facts.threads == 1 ? "" : "s");
}

bool same_device(const RunFacts& a, const RunFacts& b) {
  return a.kind == b.kind && a.device == b.device && a.threads == b.threads;
}

bool device_matches(const RunFacts& facts, const std::string& wanted) {
  return facts.kind == wanted || lower(facts.device).find(lower(wanted)) != std::string::npos;
}

std::string commit_words(const RunFacts& facts) {
  constexpr std::size_t kShown = 12;
  if (facts.commit.empty()) return "";
  return facts.commit.substr(0, kShown) + (facts.dirty == true ? "+changes" : "");
}

std::string minute_of(const std::string& started_at) {
  constexpr std::size_t kToTheMinute = 16;
  std::string minute = started_at.substr(0, kToTheMinute);
  if (minute.size() == kToTheMinute && minute[10] == 'T') minute[10] = ' ';
  return minute;
}

std::vector<Difference> environment_changes(const RunFacts& before, const RunFacts& after) {
  std::vector<Difference> changes;
  const auto look = [&](const char* what, const std::string& a, const std::string& b) {
    if (a != b) changes.push_back({what, a, b});
  };
  look("driver", before.driver, after.driver);
  look("torch", before.torch, after.torch);
  look("host compiler", before.host_compiler, after.host_compiler);
  look("nvcc", before.nvcc, after.nvcc);
  look("kbench", before.kbench, after.kbench);
  look("kernel", before.kernel, after.kernel);
  look("sandbox", before.sandbox, after.sandbox);
  look("calibration", before.calibration, after.calibration);
  return changes;
}

}  // namespace kbench
