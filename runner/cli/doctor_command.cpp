#include <algorithm>

#include <fmt/format.h>

#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/device/examination.hpp"
#include "runner/print/machine_text.hpp"
#include "runner/run/lane_examination.hpp"

namespace kbench {

CLI::App* add_doctor(CLI::App& app, DoctorOptions& options) {
  auto& doctor = add_verb(app, "doctor", "Check this machine and the installation");
  add_json(doctor, options.format);
  add_common(doctor, options.common, true);
  return &doctor;
}

Result<End> call(const DoctorOptions& options, const Installation& installation) {
  auto findings = examine(installation, options.common.suite.value_or(installation.suites));
  add_lanes(findings);
  if (options.format == OutputFormat::kJson)
    fmt::print("{}\n", findings_json(findings).dump(2, ' ', false, Json::error_handler_t::replace));
  else
    fmt::print("{}", findings_text(findings, standard_output(options.common)));
  const auto count = [&](Health health) {
    return std::count_if(findings.begin(), findings.end(),
                         [&](const auto& finding) { return finding.health == health; });
  };
  const auto failures = count(Health::kFail);
  if (failures > 0)
    return End{ExitCode::kInfrastructure, fmt::format("{} checks failed", failures)};
  const auto cautions = count(Health::kCaution);
  return good(cautions == 0 ? "everything is in order"
                            : fmt::format("kbench can run, with {} cautions", cautions));
}

}  // namespace kbench
