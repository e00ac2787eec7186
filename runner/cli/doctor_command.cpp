#include <unistd.h>

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "runner/cli/command_options.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/core/json.hpp"
#include "runner/device/examination.hpp"
#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

Json to_json(const std::vector<Finding>& findings) {
  Json json = {{"schema_version", 1}, {"findings", Json::array()}};
  for (const auto& finding : findings) {
    json["findings"].push_back({{"check", finding.check},
                                {"health", to_string(finding.health)},
                                {"text", finding.text},
                                {"remedy", finding.remedy}});
  }
  return json;
}

Color color_of(Health health) {
  switch (health) {
    case Health::kPass: return Color::kGreen;
    case Health::kCaution: return Color::kYellow;
    case Health::kSkipped: return Color::kDim;
    case Health::kFail: return Color::kRed;
  }
  return Color::kRed;
}

void print_findings(const Terminal& out, const std::vector<Finding>& findings) {
  for (const auto& finding : findings) {
    fmt::print("{}  {:12}  {}\n",
               out.paint(color_of(finding.health), fmt::format("{:7}", to_string(finding.health))),
               finding.check, printable(finding.text));
    if (!finding.remedy.empty()) fmt::print("{:23}-> {}\n", "", printable(finding.remedy));
  }
}

}  // namespace

CLI::App* add_doctor(CLI::App& app, DoctorOptions& options) {
  auto& doctor = add_verb(app, "doctor", "Check this machine and the installation");
  add_json(doctor, options.format);
  add_common(doctor, options.common, true);
  return &doctor;
}

Result<End> call(const DoctorOptions& options, const Installation& installation) {
  const auto findings = examine(installation, options.common.suite.value_or(installation.suites));
  if (options.format == OutputFormat::kJson) {
    fmt::print("{}\n", to_json(findings).dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    print_findings(inspect_terminal(STDOUT_FILENO, options.common.color), findings);
  }
  const auto count = [&](Health health) {
    return std::count_if(findings.begin(), findings.end(),
                         [&](const auto& finding) { return finding.health == health; });
  };
  const auto failures = count(Health::kFail);
  if (failures > 0) {
    return End{ExitCode::kInfrastructure, fmt::format("{} checks failed", failures)};
  }
  const auto cautions = count(Health::kCaution);
  return good(cautions == 0 ? "everything is in order"
                            : fmt::format("kbench can run, with {} cautions", cautions));
}

}  // namespace kbench
