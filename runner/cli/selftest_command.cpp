#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/backend/cuda_probe.hpp"
#include "runner/cli/command_help.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/core/json.hpp"
#include "runner/core/suggest.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/selftest/selftest.hpp"

namespace kbench {
namespace {

SandboxOptions without(const std::vector<std::string>& layers) {
  SandboxOptions options;
  for (const std::string& layer : layers) {
    if (layer == "bubblewrap") options.use_bubblewrap = false;
    if (layer == "namespaces") options.use_bubblewrap = options.use_namespaces = false;
    if (layer == "user-namespace") options.use_user_namespace = false;
    if (layer == "network") options.use_network_namespace = false;
    if (layer == "landlock") options.max_landlock_abi = 0;
    if (layer == "new-landlock") options.max_landlock_abi = std::min(options.max_landlock_abi, 2);
    if (layer == "seccomp") options.use_system_call_filter = false;
    if (layer == "cgroup") options.use_cgroup = options.use_freezer = false;
  }
  return options;
}

Color color_of(EscapeOutcome outcome) {
  switch (outcome) {
    case EscapeOutcome::kBlocked: return Color::kGreen;
    case EscapeOutcome::kOpen: return Color::kRed;
    case EscapeOutcome::kNotApplicable: return Color::kDim;
    case EscapeOutcome::kFailed: return Color::kRed;
  }
  return Color::kRed;
}

void print_result(const Terminal& out, const EscapeResult& result) {
  fmt::print("{}  {:26}  {:8}  {}\n{:16}{}\n",
             out.paint(color_of(result.outcome), fmt::format("{:14}", to_string(result.outcome))),
             result.escape.name, to_string(result.escape.as), result.escape.what, "",
             printable(result.reason));
  std::fflush(stdout);
}

Json to_json(const SelftestReport& report, const std::string& device) {
  Json counts = Json::object();
  for (const auto outcome : {EscapeOutcome::kBlocked, EscapeOutcome::kOpen,
                             EscapeOutcome::kNotApplicable, EscapeOutcome::kFailed}) {
    counts[std::string(to_string(outcome))] = report.count(outcome);
  }
  Json json = {{"schema_version", 1},
               {"device", device},
               {"sandbox", report.level.to_string()},
               {"sandbox_reason", report.level.reason},
               {"counts", counts},
               {"escapes", Json::array()}};
  for (const EscapeResult& result : report.results) {
    json["escapes"].push_back({{"name", result.escape.name},
                               {"group", result.escape.group},
                               {"as", to_string(result.escape.as)},
                               {"what", result.escape.what},
                               {"outcome", to_string(result.outcome)},
                               {"reason", result.reason}});
  }
  return json;
}

Status require_known(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const Escape& escape : all_escapes())
    if (std::find(known.begin(), known.end(), escape.name) == known.end())
      known.emplace_back(escape.name);
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto guess = nearest(name, known);
    return Error{
        ErrorCode::kUsage, fmt::format("no escape is called \"{}\"", name),
        fmt::format("{}--only takes {}", guess ? fmt::format("did you mean \"{}\"? ", *guess) : "",
                    fmt::join(known, ", "))};
  }
  return Done{};
}

// Bombs go off only where what they need is there to hold them.
Status require_gpu(int index) {
  const std::vector<GpuInfo> gpus = probe_gpus();
  const bool there =
      std::any_of(gpus.begin(), gpus.end(), [&](const GpuInfo& gpu) { return gpu.index == index; });
  if (there) return Done{};
  return Error{ErrorCode::kUsage,
               fmt::format("there is no GPU number {} here ({} found)", index, gpus.size()),
               "without --device cuda the sandbox is tried as it is on a CPU"};
}

}  // namespace

SelftestCommands add_selftest(CLI::App& app, SelftestRequest& options,
                              TimingSelftestRequest& timing) {
  auto* selftest = app.add_subcommand("selftest", "Check kbench's own defences");
  selftest->require_subcommand(1);
  selftest->footer(help_of("selftest"));
  auto* sandbox = selftest->add_subcommand("sandbox", "Try to escape from this machine's sandbox");
  sandbox->footer(help_of("selftest sandbox"));
  add_device(*sandbox, options.device, "Whose sandbox (default: cpu)");
  sandbox
      ->add_option("--without", options.without,
                   "Layer to leave out; may be repeated (new-landlock: what Debian 12 lacks)")
      ->check(one_of({"bubblewrap", "namespaces", "user-namespace", "network", "landlock",
                      "new-landlock", "seccomp", "cgroup"}))
      ->allow_extra_args(false)
      ->type_name("");
  sandbox->add_option("--only", options.only, "Only this escape; may be repeated")
      ->allow_extra_args(false)
      ->type_name("NAME");
  add_json(*sandbox, options.format);
  add_common(*sandbox, options.common, false);
  return {sandbox, add_timing(*selftest, timing)};
}

int call(const SelftestRequest& user, const Installation& installation) {
  const bool table = user.format == OutputFormat::kTable;
  const Terminal out = inspect_terminal(STDOUT_FILENO, user.common.color);
  SelftestOptions options{.program = installation.programs / "kbench-escape",
                          .sandbox = without(user.without),
                          .only = user.only};
  if (const Status known = require_known(user.only); !known)
    return fail(known.error(), inspect_terminal(STDERR_FILENO, user.common.color));
  if (user.device.starts_with("cuda")) {
    options.cuda_device = user.device.size() > 5 ? std::atoi(user.device.c_str() + 5) : 0;
    if (const Status there = require_gpu(options.cuda_device); !there)
      return fail(there.error(), inspect_terminal(STDERR_FILENO, user.common.color));
  }
  if (table) options.on_result = [&](const EscapeResult& result) { print_result(out, result); };
  const auto report = run_selftest(options);
  if (!report) return fail(report.error(), inspect_terminal(STDERR_FILENO, user.common.color));
  if (table) {
    fmt::print("\nsandbox: {}{}{}\n", report->level.to_string(),
               report->level.reason.empty() ? "" : "; ", printable(report->level.reason));
  } else {
    fmt::print("{}\n",
               to_json(*report, user.device).dump(2, ' ', false, Json::error_handler_t::replace));
  }
  const int open = report->count(EscapeOutcome::kOpen);
  const int failed = report->count(EscapeOutcome::kFailed);
  const auto text = fmt::format("{} blocked, {} open, {} not applicable{}",
                                report->count(EscapeOutcome::kBlocked), open,
                                report->count(EscapeOutcome::kNotApplicable),
                                failed > 0 ? fmt::format(", {} failed", failed) : "");
  return finish(open + failed == 0 ? ExitCode::kGood : ExitCode::kInfrastructure, text,
                user.common.verbosity);
}

}  // namespace kbench
