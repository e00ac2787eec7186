#include <unistd.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/profile_compare.hpp"
#include "runner/cli/command_help.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/progress.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/core/utc_now.hpp"
#include "runner/device/device_session.hpp"
#include "runner/installation/build_info.hpp"
#include "runner/run/device_bench.hpp"
#include "runner/store/stored_profiles.hpp"

namespace kbench {

CLI::App* add_profile(CLI::App& app, ProfileOptions& options) {
  auto* profile = app.add_subcommand(
      "profile", "Say what bounds a kernel or a baseline, by how much, and what to do next");
  profile->footer(help_of("profile"));
  profile->add_option("TASK", options.task, "Task, as --task takes it; must select exactly one")
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
  add_database(*profile, options.database,
               "SQLite database that keeps it (default: kbench.sqlite)");
  profile
      ->add_option(
          "--compare", options.compare,
          "Beside another: a side, or a stored profile's id; of two, these alone are compared")
      ->expected(1, 2)
      ->type_name("A [B]");
  profile->add_flag("--no-store", options.no_store, "Keep it in no database");
  add_suite(*profile, options.suite);
  add_common(*profile, options.common, false);
  return profile;
}

namespace {

// The id under which it is kept.
Result<std::string> keep(const ProfileOptions& options, const Profile& profile) {
  const auto stored = to_be_stored(profile, utc_now(), std::string(build_info().version));
  if (!stored) return stored.error();
  if (Status kept = keep_profile(options.database, *stored); !kept) return kept.error();
  return stored->id;
}

struct Asking {
  const ProfileOptions& options;
  BenchSource& benches;
  ProgressSink& progress;
};

// A profile that is there now, or was.
struct Taken {
  ProfileRecord record;
  std::string kept;  // its id, where it is new and was kept
};

Result<Taken> take(const Asking& asking, std::optional<Side> side) {
  ProfileRequest request = asking.options;
  if (request.task.empty())
    return Error{ErrorCode::kUsage, "no task is named, and a side is one of a task",
                 "kbench profile TASK --compare eager"};
  request.side = side ? side : request.side;
  if (request.side && *request.side != Side::kSubmission) request.submission.reset();
  const auto profile = profile_task(asking.benches, request, asking.progress);
  if (!profile) return profile.error();
  auto stored = to_be_stored(*profile, utc_now(), std::string(build_info().version));
  if (!stored) return stored.error();
  if (asking.options.no_store) return Taken{std::move(stored->record), {}};
  if (Status kept = keep_profile(asking.options.database, *stored); !kept) return kept.error();
  return Taken{std::move(stored->record), stored->id};
}

// A side of the task, or the start of a stored profile's id.
Result<Taken> take(const Asking& asking, const std::string& word) {
  for (const Side side : {Side::kEager, Side::kCompiled, Side::kSubmission})
    if (word == to_string(side)) return take(asking, side);
  auto stored = find_profile(asking.options.database, word);
  if (!stored) return stored.error();
  return Taken{std::move(stored->record), {}};
}

Result<std::string> compare(const Asking& asking) {
  const std::vector<std::string>& words = asking.options.compare;
  if (asking.options.format == ProfileFormat::kTrace)
    return Error{ErrorCode::kUsage, "a timeline is of one profile, and two are compared",
                 "--format text or json"};
  auto a = words.size() == 2 ? take(asking, words[0]) : take(asking, std::nullopt);
  if (!a) return a.error();
  auto b = take(asking, words.back());
  if (!b) return b.error();
  std::string kept;
  for (const Taken* taken : {&*a, &*b})
    if (!taken->kept.empty()) kept += fmt::format(" {}", short_id(taken->kept));
  const auto comparison = compare_profiles(std::move(a->record), std::move(b->record));
  if (asking.options.format == ProfileFormat::kJson)
    print_json(profile_comparison_json(comparison));
  else
    fmt::print("{}", render_profile_comparison(comparison, output_style(asking.options.common)));
  return kept.empty() ? std::string("compared two profiles")
                      : fmt::format("compared two profiles; kept in {}:{}",
                                    asking.options.database.string(), kept);
}

}  // namespace

int call(const ProfileOptions& options, const Installation& installation) {
  const auto terminal = inspect_terminal(STDERR_FILENO, options.common.color);
  DeviceSession device(installation,
                       options.compare.empty() ? SessionTurns::kOne : SessionTurns::kMany);
  DeviceBenches benches(device);
  Progress progress(stderr, terminal, options.common.verbosity);
  if (!options.compare.empty()) {
    const auto words = compare({options, benches, progress});
    if (!words) return fail(words.error(), terminal);
    return finish(ExitCode::kGood, *words, options.common.verbosity);
  }
  if (options.task.empty())
    return fail({ErrorCode::kUsage, "no task is named",
                 "kbench profile TASK; --compare A B needs none where both are stored"},
                terminal);
  const auto profile = profile_task(benches, options, progress);
  if (!profile) return fail(profile.error(), terminal);
  switch (options.format) {
    case ProfileFormat::kText: fmt::print("{}", profile_text(*profile)); break;
    case ProfileFormat::kJson: print_json(profile_json(*profile)); break;
    case ProfileFormat::kTrace: print_json(profile_trace(*profile)); break;
  }
  std::string words =
      fmt::format("profiled {} of {}", profile->subject.side, profile->subject.task);
  if (!options.no_store) {
    const auto id = keep(options, *profile);
    if (!id) return fail(id.error(), terminal);
    words += fmt::format("; kept in {} as {}", options.database.string(), short_id(*id));
  }
  return finish(ExitCode::kGood, words, options.common.verbosity);
}

}  // namespace kbench
