#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/print/machine_text.hpp"
#include "runner/run/confined_programs.hpp"
#include "runner/selftest/selftest.hpp"

namespace kbench {

CLI::App* add_selftest(CLI::App& app, SelftestRequest& options) {
  auto& selftest = add_group(app, "selftest", "Check kbench's own defences");
  auto& sandbox = add_verb(selftest, "sandbox", "Try to escape from this machine's sandbox");
  add_device(sandbox, options.device, "Whose sandbox (default: cpu)");
  add_many(sandbox, "--without", options.without, "",
           "Layer to leave out; may be repeated (new-landlock: what Debian 12's kernel lacks)")
      ->check(one_of({"bubblewrap", "namespaces", "user-namespace", "network", "landlock",
                      "new-landlock", "seccomp", "cgroup"}));
  add_many(sandbox, "--only", options.only, "NAME", "Try this escape alone; may be repeated");
  add_json(sandbox, options.format);
  add_common(sandbox, options.common, false);
  return &selftest;
}

Result<End> call(const SelftestRequest& user, const Installation& installation) {
  const bool table = user.format == OutputFormat::kTable;
  const Terminal out = standard_output(user.common);
  SelftestOptions options{.program = installation.programs / "kbench-escape",
                          .sandbox = sandbox_without(user.without),
                          .only = user.only};
  if (user.device.starts_with("cuda"))
    options.cuda_device = user.device.size() > 5 ? std::atoi(user.device.c_str() + 5) : 0;
  const ConfinedPrograms programs = confined_programs(installation, options.cuda_device);
  if (programs.oracle) options.confined[EscapeAs::kOracle] = programs.oracle;
  if (programs.builder) options.confined[EscapeAs::kBuilder] = programs.builder;
  if (table)
    options.on_result = [&](const EscapeResult& result) {
      fmt::print("{}", escape_text(result, out));
      std::fflush(stdout);
    };
  const auto report = run_selftest(options);
  if (!report) return report.error();
  if (table)
    fmt::print("{}", sandbox_text(report->level));
  else
    fmt::print(
        "{}\n",
        selftest_json(*report, user.device).dump(2, ' ', false, Json::error_handler_t::replace));
  const int open = report->count(EscapeOutcome::kOpen);
  const int failed = report->count(EscapeOutcome::kFailed);
  const auto text = fmt::format("{} blocked, {} open, {} not applicable{}",
                                report->count(EscapeOutcome::kBlocked), open,
                                report->count(EscapeOutcome::kNotApplicable),
                                failed > 0 ? fmt::format(", {} failed", failed) : "");
  return End{open + failed == 0 ? ExitCode::kGood : ExitCode::kInfrastructure, text};
}

}  // namespace kbench
