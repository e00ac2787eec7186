#include <unistd.h>

#include <string>

#include <fmt/format.h>

#include "runner/cli/command_help.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/progress.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/device/device_session.hpp"
#include "runner/run/device_bench.hpp"

namespace kbench {

CLI::App* add_profile(CLI::App& app, ProfileOptions& options) {
  auto* profile = app.add_subcommand(
      "profile", "Say what bounds a kernel or a baseline, by how much, and what to do next");
  profile->footer(help_of("profile"));
  profile->add_option("TASK", options.task, "Task, as --task takes it; must select exactly one")
      ->required()
      ->type_name("");
  auto* submission =
      add_path(*profile, "--submission", options.submission, "The file to profile (.cpp, .cu, .py)")
          ->type_name("FILE");
  add_choice<Side>(
      *profile, "--side", options.side,
      {{"eager", Side::kEager}, {"compiled", Side::kCompiled}, {"submission", Side::kSubmission}},
      "What is profiled (default: the submission where there is one, else eager)")
      ->excludes(submission);
  add_size(*profile, options.size, "Size of the task (default: full on CUDA, small on CPU)");
  add_device(*profile, options.device);
  add_word(*profile, "--precision", options.precision, {"torch-default", "fp32", "tf32"},
           "Precision class (default: torch-default)");
  profile
      ->add_option("--call-limit", options.call_limit_seconds,
                   "Seconds that one call may take (default: 20)")
      ->check(CLI::Range(kLeastCallLimitSeconds, kMostCallLimitSeconds).description(""))
      ->type_name("SECONDS");
  profile->add_flag("--no-wait", options.no_wait,
                    "Do not wait for a run on the same device: exit code 3");
  add_choice<ProfileFormat>(*profile, "--format", options.format,
                            {{"text", ProfileFormat::kText},
                             {"json", ProfileFormat::kJson},
                             {"trace", ProfileFormat::kTrace}},
                            "text, json, or trace: events that Perfetto and Chrome open (default: "
                            "text)");
  add_suite(*profile, options.suite);
  add_common(*profile, options.common, false);
  return profile;
}

int call(const ProfileOptions& options, const Installation& installation) {
  const auto terminal = inspect_terminal(STDERR_FILENO, options.common.color);
  DeviceSession device(installation, SessionTurns::kOne);
  DeviceBenches benches(device);
  Progress progress(stderr, terminal, options.common.verbosity);
  const auto profile = profile_task(benches, options, progress);
  if (!profile) return fail(profile.error(), terminal);
  switch (options.format) {
    case ProfileFormat::kText: fmt::print("{}", profile_text(*profile)); break;
    case ProfileFormat::kJson: print_json(profile_json(*profile)); break;
    case ProfileFormat::kTrace: print_json(profile_trace(*profile)); break;
  }
  return finish(ExitCode::kGood,
                fmt::format("profiled {} of {}", profile->subject.side, profile->subject.task),
                options.common.verbosity);
}

}  // namespace kbench
