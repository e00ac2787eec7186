#include <fnmatch.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/formats/profile_compare.hpp"
#include "reports/formats/profile_list.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/progress.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/core/utc_now.hpp"
#include "runner/device/device_session.hpp"
#include "runner/installation/build_info.hpp"
#include "runner/os/stop_signals.hpp"
#include "runner/run/device_bench.hpp"
#include "runner/store/rows/stored_profiles.hpp"

namespace kbench {

CLI::App* add_profile(CLI::App& app, ProfileOptions& options) {
  auto& profile = add_verb(
      app, "profile", "Say what bounds a kernel or a baseline, by how much, and what to do next");
  add_value(profile, "TASK", options.task, "", "Task, as --task takes it; must select exactly one");
  auto* submission = add_path(profile, "--submission", options.submission, "FILE",
                              "The file to profile (.cpp, .cu, .py)");
  add_choice<Side>(
      profile, "--side", options.side,
      {{"eager", Side::kEager}, {"compiled", Side::kCompiled}, {"submission", Side::kSubmission}},
      "What is profiled (default: the submission where there is one, else eager)")
      ->excludes(submission);
  add_size(profile, options.size, "Size of the task (default: full on CUDA, small on CPU)");
  add_device(profile, options.device);
  add_precision(profile, options.precision);
  add_call_limit(profile, options.call_limit_seconds,
                 "Seconds that one call may take (default: 20)");
  profile.add_flag("--no-wait", options.no_wait,
                   "Do not wait for a run on the same device: exit code 3");
  add_choice<ProfileFormat>(profile, "--format", options.format,
                            {{"text", ProfileFormat::kText},
                             {"json", ProfileFormat::kJson},
                             {"trace", ProfileFormat::kTrace}},
                            "text, json, or trace: events that Perfetto and Chrome open (default: "
                            "text)");
  add_database(profile, options.database, "SQLite database that keeps it (default: kbench.sqlite)");
  auto* list = profile.add_flag(
      "--list", options.list, "List the stored profiles, of all tasks or of TASK; nothing is run");
  list->excludes(submission);
  profile
      .add_option(
          "--compare", options.compare,
          "Beside another: a side, or a stored profile's id; of two, these alone are compared")
      ->expected(1, 2)
      ->type_name("A [B]")
      ->excludes(list);
  profile.add_flag("--no-store", options.no_store, "Keep it in no database");
  add_suite(profile, options.suite);
  add_common(profile, options.common, false);
  return &profile;
}

namespace {

struct Asking {
  const ProfileOptions& options;
  ProfileRequest request;  // with what ends it
  BenchSource& benches;
  ProgressSink& progress;
};

Error usage(std::string message, std::string hint) {
  return {ErrorCode::kUsage, std::move(message), std::move(hint)};
}

// --- one profile ---

// As it is kept, if it is.
Result<StoredProfile> keep(const ProfileOptions& options, const Profile& profile) {
  auto stored = to_be_stored(profile, utc_now(), std::string(build_info().version));
  if (!stored || options.no_store) return stored;
  if (Status kept = keep_profile(options.database, *stored); !kept) return kept.error();
  return stored;
}

// Before anything is measured, which takes long.
Status check_place(const ProfileOptions& options) {
  return options.no_store ? Status(Done{}) : check_keeps_profiles(options.database);
}

Result<std::string> profile_one(const Asking& asking) {
  const ProfileOptions& options = asking.options;
  if (options.task.empty())
    return usage("no task is named",
                 "kbench profile TASK; --compare A B needs none where both are stored");
  if (auto place = check_place(options); !place) return place.error();
  const auto profile = profile_task(asking.benches, asking.request, asking.progress);
  if (!profile) return profile.error();
  switch (options.format) {
    case ProfileFormat::kText: fmt::print("{}", profile_text(*profile)); break;
    case ProfileFormat::kJson: print_json(profile_json(*profile)); break;
    case ProfileFormat::kTrace: print_json(profile_trace(*profile)); break;
  }
  const auto stored = keep(options, *profile);
  if (!stored) return stored.error();
  return fmt::format("profiled {} of {}{}", profile->subject.side, profile->subject.task,
                     options.no_store ? ""
                                      : fmt::format("; kept in {} as {}", options.database.string(),
                                                    short_id(stored->id)));
}

// --- two beside each other ---

// One of the two: there already, or a side that is still to be profiled.
struct Compared {
  std::optional<ProfileRecord> stored;
  Side side = Side::kEager;

  [[nodiscard]] bool is_submission() const { return !stored && side == Side::kSubmission; }
};

std::optional<Side> as_side(const std::string& word) {
  for (const Side side : {Side::kEager, Side::kCompiled, Side::kSubmission})
    if (word == to_string(side)) return side;
  return std::nullopt;
}

// A side of the task, or the start of a stored profile's id.
Result<Compared> find_compared(const ProfileOptions& options, const std::string& word) {
  if (const auto side = as_side(word)) return Compared{std::nullopt, *side};
  auto stored = find_profile(options.database, word);
  if (!stored) return stored.error();
  return Compared{std::move(stored->record), {}};
}

// With one word, the other is what the rest of the line asks for.
Result<std::vector<Compared>> find_both(const ProfileOptions& options) {
  std::vector<Compared> both;
  if (options.compare.size() == 1) {
    const Side otherwise = options.submission ? Side::kSubmission : Side::kEager;
    both.push_back({std::nullopt, options.side.value_or(otherwise)});
  }
  for (const std::string& word : options.compare) {
    auto found = find_compared(options, word);
    if (!found) return found.error();
    both.push_back(std::move(*found));
  }
  return both;
}

// Words of the line that nothing would be made of are a mistake: what is compared is then something
// else than what was meant.
Status check_words(const ProfileOptions& options, const std::vector<Compared>& both) {
  const bool stored = both[0].stored && both[1].stored;
  if (stored && (!options.task.empty() || options.submission || options.side))
    return usage(
        "two stored profiles are compared as they are: a task, a submission and a side "
        "mean nothing",
        "kbench profile --compare A B [--db FILE]");
  if (!stored && options.task.empty())
    return usage("no task is named, and a side is one of a task",
                 "kbench profile TASK --compare eager");
  if (options.compare.size() == 2 && options.side)
    return usage("--side is what one word is compared with, and --compare names two",
                 "leave it out");
  const bool submission = both[0].is_submission() || both[1].is_submission();
  if (submission && !options.submission)
    return usage("there is no submission to profile", "name its file: --submission FILE");
  if (options.submission && !submission)
    return usage("the submission is none of the two that are compared",
                 "--compare submission eager, or leave --submission out");
  return Done{};
}

// Before anything is measured: of two tasks there is nothing to compare.
Status check_tasks(const Asking& asking, const std::vector<Compared>& both) {
  if (both[0].stored && both[1].stored) return Done{};
  const auto task = profiled_task(asking.benches, asking.request);
  if (!task) return task.error();
  for (const Compared& one : both)
    if (one.stored && one.stored->task != *task)
      return usage(fmt::format("the stored profile is of {} and not of {}: calls of two tasks are "
                               "not compared",
                               one.stored->task, *task),
                   "`kbench profile --list` names profiles of one task");
  return Done{};
}

// Its record; `kept` gets the id of a new one.
Result<ProfileRecord> take(const Asking& asking, Compared& one, std::string& kept) {
  if (one.stored) return std::move(*one.stored);
  ProfileRequest request = asking.request;
  request.side = one.side;
  if (one.side != Side::kSubmission) request.submission.reset();
  const auto profile = profile_task(asking.benches, request, asking.progress);
  if (!profile) return profile.error();
  auto stored = keep(asking.options, *profile);
  if (!stored) return stored.error();
  if (!asking.options.no_store) kept += fmt::format(" {}", short_id(stored->id));
  return std::move(stored->record);
}

Result<std::string> compare(const Asking& asking) {
  const ProfileOptions& options = asking.options;
  if (options.format == ProfileFormat::kTrace)
    return usage("a timeline is of one profile, and two are compared", "--format text or json");
  auto both = find_both(options);
  if (!both) return both.error();
  if (auto words = check_words(options, *both); !words) return words.error();
  const bool measures = !both->front().stored || !both->back().stored;
  if (measures)
    if (auto place = check_place(options); !place) return place.error();
  if (auto tasks = check_tasks(asking, *both); !tasks) return tasks.error();
  std::string kept;
  auto a = take(asking, both->front(), kept);
  if (!a) return a.error();
  auto b = take(asking, both->back(), kept);
  if (!b) return b.error();
  const auto comparison = compare_profiles(std::move(*a), std::move(*b));
  if (!comparison) return comparison.error();
  if (options.format == ProfileFormat::kJson)
    print_json(profile_comparison_json(*comparison));
  else
    fmt::print("{}", render_profile_comparison(*comparison, output_style(options.common)));
  return kept.empty()
             ? std::string("compared two profiles")
             : fmt::format("compared two profiles; kept in {}:{}", options.database.string(), kept);
}

// --- those that are there ---

bool is_meant(const std::string& task, const std::string& pattern) {
  return pattern.empty() || ::fnmatch(pattern.c_str(), task.c_str(), 0) == 0 ||
         ::fnmatch(("*/" + pattern).c_str(), task.c_str(), 0) == 0;
}

Result<std::string> list(const ProfileOptions& options) {
  if (options.format == ProfileFormat::kTrace)
    return usage("a timeline is of one profile, and all are listed", "--format text or json");
  auto rows = stored_profiles(options.database);
  if (!rows) return rows.error();
  std::erase_if(rows->profiles, [&](const StoredProfile& profile) {
    return !is_meant(profile.record.task, options.task);
  });
  if (options.format == ProfileFormat::kJson)
    print_json(profile_list_json(*rows));
  else
    fmt::print("{}", render_profile_list(*rows, output_style(options.common)));
  const std::size_t count = rows->profiles.size();
  std::string words =
      fmt::format("{} profile{} in {}", count, count == 1 ? "" : "s", options.database.string());
  if (!rows->malformed.empty()) words += fmt::format(", {} unsound", rows->malformed.size());
  return words;
}

}  // namespace

Result<End> call(const ProfileOptions& options, const Installation& installation) {
  DeviceSession device(installation,
                       options.compare.empty() ? SessionTurns::kOne : SessionTurns::kMany);
  DeviceBenches benches(device);
  Progress progress(options.common);
  const InterruptGuard guard;
  Asking asking{options, options, benches, progress};
  asking.request.stop = [&] { return guard.interrupted(); };
  const auto words = options.list              ? list(options)
                     : options.compare.empty() ? profile_one(asking)
                                               : compare(asking);
  if (words) return good(*words);
  if (guard.interrupted()) return End{ExitCode::kInterrupted, "interrupted"};
  return words.error();
}

}  // namespace kbench
