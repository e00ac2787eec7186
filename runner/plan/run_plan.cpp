#include "runner/plan/run_plan.hpp"

#include <algorithm>
#include <filesystem>
#include <future>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/sha256.hpp"
#include "runner/core/suggest.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/plan/device_choice.hpp"
#include "runner/plan/task_choice.hpp"
#include "runner/submission/layouts.hpp"
#include "runner/task/suite.hpp"
#include "runner/task/working_type.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Why a submission cannot be played in a run on the target, and what to do. A run on the CPU for
// which no device was asked for is on a machine without a GPU: a .cu file would else choose it.
Error other_device(const Submission& submission, std::string_view name, const RunRequest& request,
                   const Target& target) {
  if (submission.device == "cuda" && !request.device)
    return {ErrorCode::kUsage, fmt::format("{} needs a GPU, and there is none here", name),
            "`kbench build` compiles it without one; `kbench doctor` says what this machine has"};
  return {ErrorCode::kUsage,
          fmt::format("{} is for {}, this run is on {}", name, submission.device, target.device),
          fmt::format("use --device {}", submission.device)};
}

struct SubmissionFolder {
  fs::path path;
  std::string sentence;
  bool is_the_users = true;  // not that of the shipped examples
};

Result<SubmissionFolder> choose_folder(const RunRequest& request,
                                       const Installation& installation) {
  if (request.submissions) {
    if (std::error_code loop; !fs::is_directory(*request.submissions, loop)) {
      return Error{ErrorCode::kUsage,
                   "--submissions " + request.submissions->string() + " is not a folder",
                   "expected DIR/AGENT/levelN/NNN_name.cpp, .cu or .py below it"};
    }
    return SubmissionFolder{*request.submissions,
                            "submissions from " + request.submissions->string()};
  }
  if (std::error_code loop; fs::is_directory("submissions", loop))
    return SubmissionFolder{"submissions", "submissions from ./submissions"};
  return SubmissionFolder{installation.examples,
                          "the shipped example submissions (there is no ./submissions here)",
                          false};
}

// A submission for the other device is a row only if its agent sent nothing for this device;
// otherwise the folder simply holds both forms.
void add_submissions(const RunRequest& request, const SubmissionSet& found,
                     const std::vector<std::string>& known_tasks, Plan& plan, Census& census) {
  std::set<std::tuple<std::string, std::string, std::string>> answered;
  for (const Submission& submission : found.submissions) {
    if (submission.is_for(plan.target.device))
      answered.emplace(submission.task, submission.id.agent, submission.id.variant);
  }

  for (const Submission& submission : found.submissions) {
    const auto task = std::find_if(plan.tasks.begin(), plan.tasks.end(),
                                   [&](const Task& t) { return t.id == submission.task; });
    const bool is_selected = !request.agent || submission.id.agent == *request.agent;
    if (is_selected &&
        std::find(known_tasks.begin(), known_tasks.end(), submission.task) == known_tasks.end()) {
      const auto guess = nearest(submission.task, known_tasks);
      census.ignored.push_back({clean_name(submission.id.name, 300),
                                fmt::format("there is no task {}{}", submission.task,
                                            guess ? fmt::format(", did you mean {}?", *guess) : ""),
                                true});
      continue;
    }
    if (!is_selected || task == plan.tasks.end()) {
      ++census.not_selected;
      continue;
    }
    PlannedRow unit{.task = static_cast<std::size_t>(task - plan.tasks.begin()),
                    .submission = submission,
                    .id = submission.id};
    if (!submission.is_for(plan.target.device)) {
      ++census.other_device;
      if (answered.contains({submission.task, submission.id.agent, submission.id.variant}))
        continue;
      const auto other = other_device(submission, "it", request, plan.target);
      unit.ends_as = State::kSkipped;
      unit.message = other.message;
      unit.hint = other.hint;
    } else {
      ++census.evaluated;
    }
    plan.units.push_back(std::move(unit));
  }
}

std::string with_hint(const Error& error) {
  // The path is in front of the message.
  const auto colon = error.message.find(": ");
  const std::string why =
      colon == std::string::npos ? error.message : error.message.substr(colon + 2);
  return error.hint.empty() ? why : fmt::format("{} ({})", why, error.hint);
}

void add_others(const RunRequest& request, const SubmissionSet& found, Census& census) {
  for (const OtherFile& file : found.others) {
    const bool is_selected = !request.agent || file.agent == *request.agent;
    if (is_selected) census.ignored.push_back({file.path, file.why, file.mistaken});
  }
}

// The reason why no submission is of the --agent asked for; none if one is.
std::optional<Error> unknown_agent(const RunRequest& request, const SubmissionSet& found) {
  if (!request.agent) return std::nullopt;
  std::vector<std::string> agents;
  for (const Submission& submission : found.submissions) agents.push_back(submission.id.agent);
  for (const SubmissionProblem& problem : found.problems) agents.push_back(problem.agent);
  if (std::find(agents.begin(), agents.end(), *request.agent) != agents.end()) return std::nullopt;
  const auto guess = nearest(*request.agent, agents);
  return Error{ErrorCode::kNotFound,
               fmt::format("no agent is called \"{}\"", clean_name(*request.agent, 64)),
               guess ? fmt::format("did you mean \"{}\"?", *guess)
                     : "an agent is a folder right below that of the submissions"};
}

// A file in a level's folder whose name is nearly a task's, without its number or mistyped
// ("AGENT/level1/relu.cpp", "AGENT/level1/23_sofmax.cpp"): the name that it wants. Empty where no
// task's is near, or two tasks have it.
std::string name_of_nearest_task(const fs::path& path,
                                 const std::vector<std::string>& known_tasks) {
  const std::string level = path.parent_path().filename().string();
  std::string stem = path.stem().string();
  if (const auto letters = stem.find_first_not_of("0123456789_"); letters != stem.npos)
    stem.erase(0, letters);
  std::vector<std::string> names;  // names of the level's tasks, without their numbers
  std::vector<std::string> files;  // the same tasks' file names
  for (const std::string& task : known_tasks) {
    const auto number = task.find('/') + 1;
    const auto name = task.find('_', number) + 1;
    if (!task.starts_with(level + "/") || name <= number) continue;
    names.push_back(task.substr(name));
    files.push_back(task.substr(number) + path.extension().string());
  }
  const auto meant = nearest(stem, names);
  if (!meant || std::count(names.begin(), names.end(), *meant) != 1) return "";
  const auto found = std::find(names.begin(), names.end(), *meant);
  return files[static_cast<std::size_t>(found - names.begin())];
}

// A malformed submission for a selected task is a failed row; one whose task is unknown is a note,
// and an agent that is refused altogether a failed row of the first task.
void add_problems(const RunRequest& request, const SubmissionSet& found,
                  const std::vector<std::string>& known_tasks, Plan& plan, Census& census) {
  for (const SubmissionProblem& problem : found.problems) {
    auto task = std::find_if(plan.tasks.begin(), plan.tasks.end(),
                             [&](const Task& t) { return t.id == problem.task; });
    // A refused agent has its row in the first of several shards.
    if (problem.refused && problem.task.empty() && request.shard.value_or(ShardChoice{}).index == 1)
      task = plan.tasks.begin();
    const bool is_selected = !request.agent || problem.agent == *request.agent;
    if (task == plan.tasks.end() || !is_selected) {
      if (!problem.task.empty() || !is_selected) {
        ++census.not_selected;
        continue;
      }
      Error error = problem.error;
      const std::string meant = name_of_nearest_task(problem.path, known_tasks);
      if (!meant.empty()) error.hint = fmt::format("did you mean \"{}\"?", meant);
      census.ignored.push_back({problem.path.string(), with_hint(error), true});
      continue;
    }
    ++census.evaluated;
    PlannedRow unit{.task = static_cast<std::size_t>(task - plan.tasks.begin()),
                    .ends_as = problem.refused ? State::kRefused : State::kCompileError,
                    .message = problem.error.message,
                    .hint = problem.error.hint};
    unit.id.agent = problem.agent;
    unit.id.name = problem.path.filename().string();
    plan.units.push_back(std::move(unit));
  }
}

// The error of a file or folder for one task where several are selected.
Error several_tasks(std::string_view what, const std::string& name,
                    const std::vector<Task>& tasks) {
  constexpr std::size_t kMostNamed = 4;
  std::vector<std::string> named;
  for (const Task& task : tasks)
    if (named.size() < kMostNamed) named.push_back(task.id);
  const std::string more =
      tasks.size() > named.size() ? fmt::format(" and {} more", tasks.size() - named.size()) : "";
  return {ErrorCode::kUsage,
          fmt::format("{}: {} is for one task, and these options select {}: {}{}",
                      clean_name(name, 64), what, tasks.size(), fmt::join(named, ", "), more),
          fmt::format("name one: --task {}", named.front())};
}

// Finds submissions by the layout that --layout names. No other layout is ever guessed.
Result<SubmissionSet> find_in(const fs::path& folder, const RunRequest& request, const Plan& plan,
                              const std::vector<std::string>& known_tasks) {
  switch (layout_from_string(request.layout).value_or(FolderLayout::kKbench)) {
    case FolderLayout::kKernelBench: return find_kernelbench_run(folder, known_tasks);
    case FolderLayout::kCudaAgent:
      if (plan.tasks.size() == 1) return find_cuda_agent_folder(folder, plan.tasks.front().id);
      return several_tasks("a folder of CUDA Agent's", folder.filename().string(), plan.tasks);
    case FolderLayout::kKbench: break;
  }
  return find_submissions(folder);
}

// Checks that a foreign layout comes with a named folder, and an agent's name with a single file.
Status check_kind(const RunRequest& request) {
  if (request.name && !request.file && request.given.contains("name")) {
    return Error{ErrorCode::kUsage, "--name is of a single file, and none is given",
                 "below --submissions an agent's folder is its name; --agent selects one"};
  }
  if (request.layout == RunRequest().layout || request.submissions) return Done{};
  return Error{ErrorCode::kUsage,
               fmt::format("--layout {} is of a folder, and none is named", request.layout),
               "name it with --submissions DIR"};
}

// Takes the one size at which imported tasks come, if no size was asked for.
void take_size_that_exists(Plan& plan) {
  const std::string wanted = plan.target.size;
  const auto missing = std::count_if(plan.tasks.begin(), plan.tasks.end(), [&](const Task& task) {
    return task.find_size(wanted) == nullptr;
  });
  if (missing == 0) return;
  const std::string other = wanted == "small" ? "full" : "small";
  if (static_cast<std::size_t>(missing) == plan.tasks.size()) {
    plan.target.size = other;
    plan.notes.push_back(fmt::format("size {}: the only one that {} has", other,
                                     missing == 1 ? plan.tasks.front().id : "any of these tasks"));
    return;
  }
  plan.notes.push_back(
      fmt::format("{} of {} tasks have no size {} and are skipped; --size {} "
                  "takes them",
                  missing, plan.tasks.size(), wanted, other));
}

// Takes every n-th task, so that each shard gets its share of each level. Which one a task belongs
// to depends on all that were selected: shards that selected something else are told apart by the
// name of the selection.
void take_shard(const ShardChoice& shard, Plan& plan) {
  std::string all;
  for (const Task& task : plan.tasks) all += fmt::format("{} {}\n", task.id, task.hash);
  plan.selection = sha256(all);
  std::vector<Task> part;
  for (std::size_t i = 0; i < plan.tasks.size(); ++i)
    if (static_cast<int>(i % static_cast<std::size_t>(shard.of)) == shard.index - 1)
      part.push_back(std::move(plan.tasks[i]));
  if (part.empty())
    plan.nothing_selected = Error{ErrorCode::kNotFound,
                                  fmt::format("shard {}/{} has no task: {} selected", shard.index,
                                              shard.of, plan.tasks.size()),
                                  "take as many shards as there are tasks, or fewer"};
  plan.tasks = std::move(part);
}

// The shipped examples are written for float32, and would not compile.
bool examples_fit(const RunRequest& request) {
  return working_type(request.precision) == DType::kFloat32;
}

// Whether tasks without a submission are left out. Tasks and levels that were named are never left
// out: a score counts them all. The shipped examples say nothing about a suite that was named, or
// where none of them fits.
bool takes_submitted_tasks_only(const RunRequest& request, const SubmissionFolder& folder) {
  const bool names_tasks =
      !request.levels.empty() || !request.tasks.empty() || !request.tags.empty();
  const bool submitted = folder.is_the_users || (!request.suite && examples_fit(request));
  return submitted && !names_tasks && !request.all_tasks;
}

// Leaves the tasks that a selected submission is for, well formed or not. An agent that is refused
// altogether has a row of the first task.
void keep_submitted_tasks(const RunRequest& request, const SubmissionSet& found, Plan& plan) {
  const auto is_selected = [&](const std::string& agent) {
    return !request.agent || agent == *request.agent;
  };
  std::set<std::string> submitted;
  for (const Submission& submission : found.submissions)
    if (is_selected(submission.id.agent)) submitted.insert(submission.task);
  for (const SubmissionProblem& problem : found.problems) {
    if (!is_selected(problem.agent)) continue;
    if (!problem.task.empty()) submitted.insert(problem.task);
    if (problem.refused && problem.task.empty() && !plan.tasks.empty())
      submitted.insert(plan.tasks.front().id);
  }
  const std::size_t all = plan.tasks.size();
  std::erase_if(plan.tasks, [&](const Task& task) { return !submitted.contains(task.id); });
  plan.only_submitted = true;
  if (plan.tasks.size() < all)
    plan.notes.push_back(
        fmt::format("{} of {} tasks have a submission; --all-tasks times the others "
                    "as well",
                    plan.tasks.size(), all));
}

void add_tasks_without_submission(Plan& plan) {
  std::set<std::size_t> answered;
  for (const PlannedRow& unit : plan.units) answered.insert(unit.task);
  for (std::size_t task = 0; task < plan.tasks.size(); ++task)
    if (!answered.contains(task)) plan.units.push_back({.task = task});
}

// A caller who names a folder wants to see something of it.
Status require_submissions(const SubmissionFolder& folder, const Census& census) {
  if (census.submissions() > 0) return Done{};
  const auto first = std::find_if(census.ignored.begin(), census.ignored.end(),
                                  [](const auto& file) { return file.mistaken; });
  const std::string why = first == census.ignored.end()
                              ? std::string("no file there is a submission")
                              : fmt::format("{}: {}", first->path, first->why);
  return Error{ErrorCode::kUsage,
               fmt::format("nothing below {} can be evaluated; {}",
                           clean_name(folder.path.string(), 300), why),
               "a submission is DIR/AGENT/levelN/NNN_name.cpp, .cu or .py, and --submissions takes "
               "DIR (--layout says of other folders what they are); --baselines-only needs none"};
}

// The error for a file that does not exist, with the file beside it that is spelt most alike.
Error missing_file(const fs::path& file) {
  constexpr std::size_t kMostLooked = 10'000;
  constexpr std::size_t kShown = 300;
  std::vector<std::string> beside;
  std::error_code failed;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
    const std::string name = it->path().filename().string();
    if (names_source(name)) beside.push_back(name);
    if (beside.size() == kMostLooked) break;
  }
  std::sort(beside.begin(), beside.end());
  const auto guess = nearest(file.filename().string(), beside);
  return {ErrorCode::kUsage, clean_name(file.string(), kShown) + ": no such file",
          guess
              ? fmt::format("did you mean \"{}\"?",
                            clean_name((file.parent_path() / *guess).string(), kShown))
              : "FILE is a .cpp, .cu or .py file; a folder of them is given as --submissions DIR"};
}

bool is_missing(const fs::path& file) {
  std::error_code ignored;
  return fs::status(file, ignored).type() == fs::file_type::not_found;
}

// A file without a folder is for one task, which a name like 019_relu.cpp tells as well.
Result<std::vector<Task>> load_task_of_file(const std::vector<TaskEntry>& entries,
                                            const RunRequest& request) {
  RunRequest named = request;
  const std::string stem = request.file->stem().string();
  if (named.tasks.empty()) named.tasks = {stem.substr(0, stem.find('@'))};
  auto tasks = load_selected(entries, named);
  if (!tasks && request.tasks.empty()) {
    return Error{ErrorCode::kUsage,
                 clean_name(request.file->filename().string(), 64) + std::string(kNameMatchesNone),
                 "add --task, e.g. --task level1/019_relu, or --reference REF.py for a problem of "
                 "your own"};
  }
  if (!tasks || tasks->size() <= 1) return tasks;
  return several_tasks("a file", request.file->filename().string(), *tasks);
}

Status add_file(const RunRequest& request, Plan& plan) {
  auto submission = single_submission(*request.file, plan.tasks.front().id, request.name);
  if (!submission) return submission.error();
  if (!submission->is_for(plan.target.device)) {
    return other_device(*submission, submission->id.name, request, plan.target);
  }
  const SubmissionId id = submission->id;
  plan.units.push_back({.task = 0, .submission = std::move(*submission), .id = id});
  return Done{};
}

struct FoundFolder {
  SubmissionFolder folder;
  SubmissionSet submissions;
};

// Finds the submissions of the folder. This comes before the tasks of a shard are chosen, so that
// each shard sees the same folder.
Result<FoundFolder> look_into_folder(const RunRequest& request, const Installation& installation,
                                     const std::vector<std::string>& known_tasks, Plan& plan) {
  auto folder = choose_folder(request, installation);
  if (!folder) return folder.error();
  plan.submissions_from = folder->sentence;
  auto found = find_in(folder->path, request, plan, known_tasks);
  if (!found) return found.error();
  plan.nothing_selected = unknown_agent(request, *found);
  if (takes_submitted_tasks_only(request, *folder)) keep_submitted_tasks(request, *found, plan);
  return FoundFolder{std::move(*folder), std::move(*found)};
}

void leave_unfit_examples_out(const RunRequest& request, std::optional<FoundFolder>& found,
                              Plan& plan) {
  if (examples_fit(request) || found->folder.is_the_users) return;
  found.reset();
  plan.submissions_from = fmt::format(
      "no submissions: the shipped examples are not in {} (there is no ./submissions here)",
      request.precision);
}

Status add_folder(const RunRequest& request, const FoundFolder& found,
                  const std::vector<std::string>& known_tasks, Plan& plan) {
  Census census;
  add_submissions(request, found.submissions, known_tasks, plan, census);
  add_problems(request, found.submissions, known_tasks, plan, census);
  add_others(request, found.submissions, census);
  if (!found.folder.is_the_users) return Done{};
  plan.submissions = found.folder.path;
  if (auto sound = require_submissions(found.folder, census); !sound) return sound;
  plan.census = std::move(census);
  if (plan.tasks.empty())
    plan.nothing_selected =
        Error{ErrorCode::kNotFound, "no submission is for a task of this suite",
              "a file is for the task whose name it has: AGENT/levelN/NNN_name.cpp; `kbench tasks "
              "list` shows the names, --suite takes another suite"};
  return Done{};
}

}  // namespace

Result<Plan> make_plan(const RunRequest& request, const Installation& installation,
                       const std::optional<Target>& given) {
  if (std::error_code loop; request.file && fs::is_directory(*request.file, loop)) {
    const std::string folder = clean_name(request.file->string(), 300);
    return Error{ErrorCode::kUsage, folder + " is a folder, and FILE is one .cpp, .cu or .py file",
                 "a folder of submissions is given as --submissions " + folder};
  }
  if (request.file && is_missing(*request.file)) return missing_file(*request.file);
  if (auto fine = check_kind(request); !fine) return fine.error();
  Plan plan;
  // NVML takes 0.1 s to start.
  auto asked = std::async(std::launch::async, [&] {
    return given ? Result<Target>(*given) : choose_target(request, installation);
  });
  const auto entries = tasks_of_suite(request.suite, installation);
  if (!entries) return entries.error();
  auto tasks =
      request.file ? load_task_of_file(*entries, request) : load_selected(*entries, request);
  auto target = asked.get();
  if (!tasks) return tasks.error();
  plan.tasks = std::move(*tasks);
  if (plan.tasks.empty()) plan.nothing_selected = why_no_task(*entries, request);
  if (plan.nothing_selected) return plan;
  if (!target) return target.error();
  plan.target = *target;
  std::vector<std::string> known_tasks;
  for (const TaskEntry& entry : *entries) known_tasks.push_back(entry.id);
  std::optional<FoundFolder> found;
  if (!request.file && !request.baselines_only) {
    auto folder = look_into_folder(request, installation, known_tasks, plan);
    if (!folder) return folder.error();
    if (plan.nothing_selected) return plan;
    found = std::move(*folder);
    leave_unfit_examples_out(request, found, plan);
  }
  if (!request.size) take_size_that_exists(plan);
  if (request.shard) take_shard(*request.shard, plan);
  if (plan.nothing_selected) return plan;
  if (request.file) {
    if (auto added = add_file(request, plan); !added) return added.error();
    plan.submissions = request.file;
  }
  if (found)
    if (auto added = add_folder(request, *found, known_tasks, plan); !added) return added.error();
  add_tasks_without_submission(plan);
  std::stable_sort(plan.units.begin(), plan.units.end(),
                   [](const PlannedRow& a, const PlannedRow& b) { return a.task < b.task; });
  return plan;
}

}  // namespace kbench
