#include "runner/cli/run_plan.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <future>
#include <iterator>
#include <map>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "runner/backend/cuda_probe.hpp"
#include "runner/core/usable_cores.hpp"
#include "runner/task/suite.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

Result<Target> explicit_device(const std::string& text) {
  Target target;
  if (text == "cpu") {
    target.device = "cpu";
    return target;
  }
  const std::string_view rest =
      std::string_view(text).substr(std::min<std::size_t>(text.size(), 4));
  const bool numbered = rest.starts_with(':') && rest.size() > 1;
  if (text.starts_with("cuda") && (rest.empty() || numbered)) {
    target.device = "cuda";
    if (rest.empty()) return target;
    const auto [end, error] =
        std::from_chars(rest.data() + 1, rest.data() + rest.size(), target.device_index);
    if (error == std::errc() && end == rest.data() + rest.size() && target.device_index >= 0)
      return target;
  }
  return Error{ErrorCode::kUsage, "--device " + text + " is no device", "use cpu, cuda or cuda:N"};
}

struct SubmissionFolder {
  fs::path path;
  std::string sentence;
};

Result<SubmissionFolder> choose_folder(const RunOptions& options,
                                       const Installation& installation) {
  if (options.submissions) {
    if (!fs::is_directory(*options.submissions)) {
      return Error{ErrorCode::kUsage,
                   "--submissions " + options.submissions->string() + " is not a folder",
                   "expected DIR/AGENT/levelN/NNN_name.cpp or .cu below it"};
    }
    return SubmissionFolder{*options.submissions,
                            "submissions from " + options.submissions->string()};
  }
  if (fs::is_directory("submissions"))
    return SubmissionFolder{"submissions", "submissions from ./submissions"};
  return SubmissionFolder{installation.examples,
                          "the shipped example submissions (there is no ./submissions here)"};
}

// A submission for the other device is a row of its own only where its agent sent nothing for this
// one: otherwise the folder simply holds both forms.
std::size_t add_submissions(const RunOptions& options, const SubmissionSet& found, Plan& plan) {
  std::set<std::tuple<std::string, std::string, std::string>> answered;
  for (const Submission& submission : found.submissions) {
    if (submission.device == plan.target.device)
      answered.emplace(submission.task, submission.id.agent, submission.id.variant);
  }

  std::size_t left_out = 0;
  for (const Submission& submission : found.submissions) {
    const auto task = std::find_if(plan.tasks.begin(), plan.tasks.end(),
                                   [&](const Task& t) { return t.id == submission.task; });
    if (task == plan.tasks.end()) continue;
    if (options.agent && submission.id.agent != *options.agent) continue;
    Unit unit{.task = static_cast<std::size_t>(task - plan.tasks.begin()),
              .submission = submission,
              .id = submission.id};
    if (submission.device != plan.target.device) {
      if (answered.contains({submission.task, submission.id.agent, submission.id.variant})) {
        ++left_out;
        continue;
      }
      unit.ends_as = State::kSkipped;
      unit.message =
          fmt::format("it is for {}, this run is on {}", submission.device, plan.target.device);
      unit.hint = fmt::format("use --device {}", submission.device);
    }
    plan.units.push_back(std::move(unit));
  }
  return left_out;
}

// A malformed submission for a selected task is a failed row; one whose task nobody can tell is a
// note, and an agent that is refused altogether a failed row of the first task.
void add_problems(const RunOptions& options, const SubmissionSet& found, Plan& plan) {
  constexpr std::size_t kMostNotesAnAgent = 20;
  std::map<std::string, std::size_t> notes;
  for (const SubmissionProblem& problem : found.problems) {
    auto task = std::find_if(plan.tasks.begin(), plan.tasks.end(),
                             [&](const Task& t) { return t.id == problem.task; });
    if (problem.refused && problem.task.empty()) task = plan.tasks.begin();
    if (task == plan.tasks.end()) {
      const std::size_t nth = ++notes[problem.agent];
      if (nth <= kMostNotesAnAgent) plan.notes.push_back(problem.error.message);
      if (nth == kMostNotesAnAgent + 1)
        plan.notes.push_back(fmt::format("{}: more of the kind, not shown", problem.agent));
      continue;
    }
    if (options.agent && problem.agent != *options.agent) continue;
    Unit unit{.task = static_cast<std::size_t>(task - plan.tasks.begin()),
              .ends_as = problem.refused ? State::kRefused : State::kCompileError,
              .message = problem.error.message,
              .hint = problem.error.hint};
    unit.id.agent = problem.agent;
    unit.id.name = problem.path.filename().string();
    plan.units.push_back(std::move(unit));
  }
}

// Imported tasks come at one size only. Nobody asked for another: the one that is there is taken.
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

void add_tasks_without_submission(Plan& plan) {
  std::set<std::size_t> answered;
  for (const Unit& unit : plan.units) answered.insert(unit.task);
  for (std::size_t task = 0; task < plan.tasks.size(); ++task)
    if (!answered.contains(task)) plan.units.push_back({.task = task});
}

std::vector<int> near(const GpuInfo& gpu) {
  const std::vector<int> usable = usable_cores();
  std::vector<int> both;
  std::set_intersection(usable.begin(), usable.end(), gpu.near_cores.begin(), gpu.near_cores.end(),
                        std::back_inserter(both));
  return both.empty() ? usable : both;
}

}  // namespace

Result<Target> choose_target(const RunOptions& options, const Installation& installation) {
  Target target;
  const bool has_cuda_oracle = fs::exists(installation.oracle_cuda);
  const bool asked = options.device.has_value();
  if (asked) {
    auto given = explicit_device(*options.device);
    if (!given) return given.error();
    target = *given;
  }
  std::vector<GpuInfo> gpus;
  if (has_cuda_oracle && target.device != "cpu") gpus = probe_gpus();
  if (!asked) target.device = gpus.empty() ? "cpu" : "cuda";
  if (target.device == "cuda") {
    if (!has_cuda_oracle) {
      return Error{ErrorCode::kUsage, "this kbench was built without CUDA",
                   installation.installed
                       ? "install one that was built with it, or use --device cpu"
                       : "install the CUDA toolkit and run third_party/setup again, or use "
                         "--device cpu"};
    }
    const auto gpu = std::find_if(gpus.begin(), gpus.end(), [&](const GpuInfo& candidate) {
      return candidate.index == target.device_index;
    });
    if (gpu == gpus.end()) {
      return Error{ErrorCode::kUsage,
                   fmt::format("there is no GPU number {} here ({} found)", target.device_index,
                               gpus.size()),
                   "`kbench doctor` lists what there is"};
    }
    target.gpu = *gpu;
    target.cores = near(*gpu);
  }
  target.size = options.size.value_or(target.device == "cuda" ? "full" : "small");
  return target;
}

Result<std::vector<Task>> choose_tasks(const RunOptions& options,
                                       const Installation& installation) {
  auto entries = list_tasks(options.common.suite.value_or(installation.suites));
  if (!entries) return entries.error();
  auto selected = select_tasks(*entries, options.levels, options.tasks);
  if (!selected) return selected.error();
  std::vector<Task> tasks;
  for (const TaskEntry& entry : *selected) {
    auto task = load_task(entry.file);
    if (!task) return task.error();
    tasks.push_back(std::move(*task));
  }
  return tasks;
}

Result<Plan> make_plan(const RunOptions& options, const Installation& installation) {
  Plan plan;
  // NVML takes 0.1 s to start.
  auto asked = std::async(std::launch::async, [&] { return choose_target(options, installation); });
  auto tasks = choose_tasks(options, installation);
  auto target = asked.get();
  if (!tasks) return tasks.error();
  plan.tasks = std::move(*tasks);
  if (!target) return target.error();
  plan.target = *target;
  if (!options.size) take_size_that_exists(plan);
  if (!options.baselines_only) {
    auto folder = choose_folder(options, installation);
    if (!folder) return folder.error();
    plan.submissions_from = folder->sentence;
    auto found = find_submissions(folder->path);
    if (!found) return found.error();
    if (const std::size_t left_out = add_submissions(options, *found, plan); left_out > 0) {
      plan.notes.push_back(fmt::format("{} for the other device {} left out", left_out,
                                       left_out == 1 ? "was" : "were"));
    }
    add_problems(options, *found, plan);
  }
  add_tasks_without_submission(plan);
  std::stable_sort(plan.units.begin(), plan.units.end(),
                   [](const Unit& a, const Unit& b) { return a.task < b.task; });
  return plan;
}

}  // namespace kbench
