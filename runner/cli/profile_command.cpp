#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "reports/formats/profile_compare.hpp"
#include "reports/formats/profile_list.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/device/device_session.hpp"
#include "runner/os/stop_signals.hpp"
#include "runner/print/progress.hpp"
#include "runner/profile/profile_maker.hpp"
#include "runner/run/device_bench.hpp"
#include "runner/store/rows/stored_profiles.hpp"

namespace kbench {

CLI::App* add_profile(CLI::App& app, ProfileOptions& options) {
  auto& profile =
      add_verb(app, "profile", "Say why a kernel or a baseline is slow, and what to do next");
  add_value(profile, "TASK", options.task, "",
            "One task, as `kbench run --task` takes it, or a FILE that is named like its task");
  auto* task = add_value(profile, "--task", options.task_of_file, "TASK",
                         "The task of a FILE that is not named like it");
  auto* submission = add_path(profile, "--submission", options.submission, "FILE",
                              "The file to profile (.cpp, .cu, .py)");
  add_choice<Side>(profile, "--side", options.side,
                   {{"eager", Side::kEager},
                    {"compiled", Side::kCompiled},
                    {"vendor", Side::kVendor},
                    {"submission", Side::kSubmission}},
                   "What is profiled (default: the file that you name; without one, eager)")
      ->excludes(submission);
  add_size(profile, options.size, "Size of the task (default: full on CUDA, small on CPU)");
  add_device(profile, options.device,
             "Device (default: cpu for a .cpp file, else cuda where there is a GPU)");
  add_precision(profile, options.precision);
  add_call_limit(profile, options.call_limit_seconds,
                 "Seconds that one call may take (default: 20)");
  profile.add_flag("--no-wait", options.no_wait,
                   "Exit with code 3 instead of waiting for another run on this device");
  add_choice<ProfileFormat>(profile, "--format", options.format,
                            {{"text", ProfileFormat::kText},
                             {"json", ProfileFormat::kJson},
                             {"trace", ProfileFormat::kTrace}},
                            "text, json, or trace: events that Perfetto and Chrome open (default: "
                            "text)");
  profile
      .add_flag_function(
          "--json", [&options](std::int64_t) { options.format = ProfileFormat::kJson; },
          "The same as --format json")
      ->excludes(profile.get_option("--format"));
  add_database(profile, options.database,
               "SQLite database that keeps the profile (default: kbench.sqlite)");
  auto* list = profile.add_flag(
      "--list", options.list, "List the stored profiles, of all tasks or of TASK; nothing is run");
  list->excludes(submission)->excludes(task);
  profile
      .add_option(
          "--compare", options.compare,
          "Compare the profile with A, or A with B (each a side to run, or a stored profile's id)")
      ->expected(1, 2)
      ->type_name("A [B]")
      ->excludes(list);
  profile.add_flag("--no-store", options.no_store, "Do not store the profile");
  add_suite(profile, options.suite);
  add_common(profile, options.common, false);
  return &profile;
}

namespace {

Error usage(std::string message, std::string hint) {
  return {ErrorCode::kUsage, std::move(message), std::move(hint)};
}

Result<std::string> profile_one(const ProfileOptions& options, ProfileMaker& maker) {
  if (options.task.empty() && !options.submission)
    return usage("no task is named",
                 "kbench profile TASK; --compare A B needs none where both are stored");
  const auto made = maker.make();
  if (!made) return made.error();
  switch (options.format) {
    case ProfileFormat::kText: fmt::print("{}", profile_text(made->profile)); break;
    case ProfileFormat::kJson: print_json(profile_json(made->profile)); break;
    case ProfileFormat::kTrace: print_json(profile_trace(made->profile)); break;
  }
  const ProfileSubject& subject = made->profile.subject;
  return fmt::format("profiled {} of {}{}", subject.side, subject.task,
                     options.no_store ? ""
                                      : fmt::format("; kept in {} as {}", options.database.string(),
                                                    short_id(made->stored.id)));
}

Result<std::string> compare(const ProfileOptions& options, ProfileMaker& maker) {
  if (options.format == ProfileFormat::kTrace)
    return usage("a timeline is of one profile, and two are compared", "--format text or json");
  auto pair = maker.make_pair(options.compare);
  if (!pair) return pair.error();
  const auto comparison = compare_profiles(std::move(pair->a), std::move(pair->b));
  if (!comparison) return comparison.error();
  if (options.format == ProfileFormat::kJson)
    print_json(profile_comparison_json(*comparison));
  else
    fmt::print("{}", render_profile_comparison(*comparison, output_style(options.common)));
  if (pair->kept.empty()) return std::string("compared two profiles");
  std::string words = fmt::format("compared two profiles; kept in {}:", options.database.string());
  for (const std::string& id : pair->kept) words += fmt::format(" {}", short_id(id));
  return words;
}

// --- those that are there ---

Result<std::string> list(const ProfileOptions& options) {
  if (options.format == ProfileFormat::kTrace)
    return usage("a timeline is of one profile, and all are listed", "--format text or json");
  auto rows = stored_profiles(options.database);
  if (!rows) return rows.error();
  if (!options.task.empty()) keep_profiles_of(options.task, *rows);
  if (options.format == ProfileFormat::kJson)
    print_json(profile_list_json(*rows));
  else
    fmt::print("{}", render_profile_list(*rows, output_style(options.common)));
  std::string words =
      counted(rows->profiles.size(), "profile") + " in " + options.database.string();
  if (!rows->malformed.empty()) words += fmt::format(", {} unsound", rows->malformed.size());
  return words;
}

}  // namespace

Result<End> call(const ProfileOptions& options, const Installation& installation) {
  DeviceSession device(installation,
                       options.compare.empty() ? SessionTurns::kOne : SessionTurns::kMany);
  DeviceBenches benches(device);
  Progress progress = progress_of(options.common);
  const InterruptGuard guard;
  auto request = with_file_as_submission(options, options.task_of_file, options.list);
  if (!request) return request.error();
  request->stop = [&] { return guard.interrupted(); };
  const auto keep_in = options.no_store ? std::nullopt : std::optional(options.database);
  ProfileMaker maker(*request, options.database, keep_in, benches, progress);
  const auto words = options.list              ? list(options)
                     : options.compare.empty() ? profile_one(options, maker)
                                               : compare(options, maker);
  if (words) return good(*words);
  if (guard.interrupted()) return End{ExitCode::kInterrupted, "interrupted"};
  return words.error();
}

}  // namespace kbench
