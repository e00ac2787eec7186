#include "runner/submission/layouts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <regex>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/defence.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/submission/python_imports.hpp"
#include "runner/submission/source_files.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 300;
constexpr const char* kEntry = "model_new.py";

struct LayoutName {
  FolderLayout layout;
  std::string_view name;
};
constexpr std::array kLayouts{LayoutName{FolderLayout::kKbench, "kbench"},
                              LayoutName{FolderLayout::kKernelBench, "kernelbench"},
                              LayoutName{FolderLayout::kCudaAgent, "cuda-agent"}};

// The parts of a file name in a folder of KernelBench's.
struct KernelName {
  std::string level;
  std::string problem;
  std::string sample;
};

std::optional<KernelName> parse_kernel_name(const std::string& name) {
  static const std::regex kPattern(
      "level_([0-9]{1,2})_problem_([0-9]{1,6})_sample_([0-9]{1,9})_kernel\\.py");
  std::smatch match;
  if (name.size() > kLongestName || !std::regex_match(name, match, kPattern)) return std::nullopt;
  return KernelName{match[1], match[2], match[3]};
}

// Tasks such as "level1/019_relu": those of level 1 with the number 19.
std::vector<std::string> tasks_called(const KernelName& name,
                                      const std::vector<std::string>& tasks) {
  const std::string level = fmt::format("level{}/", name.level);
  int wanted = 0;
  std::from_chars(name.problem.data(), name.problem.data() + name.problem.size(), wanted);
  std::vector<std::string> found;
  for (const std::string& task : tasks) {
    if (!task.starts_with(level)) continue;
    int number = -1;
    const char* first = task.data() + level.size();
    const auto [end, error] = std::from_chars(first, task.data() + task.size(), number);
    if (error == std::errc() && *end == '_' && number == wanted) found.push_back(task);
  }
  return found;
}

// The folder as it is, without links, and the name by which its agent is called.
struct Place {
  fs::path folder;
  std::string agent;
};

Result<Place> open_place(const fs::path& directory) {
  std::error_code error;
  const fs::path folder = fs::canonical(directory, error);
  if (error || !fs::is_directory(folder, error)) {
    return Error{
        ErrorCode::kUsage,
        fmt::format("no submissions folder {}", clean_name(directory.string(), kLongestName)),
        "Give one with --submissions."};
  }
  const std::string agent = folder.filename().string();
  if (is_plain_name(agent)) return Place{folder, agent};
  return Error{
      ErrorCode::kUsage,
      fmt::format("the folder's name \"{}\" is not allowed for an agent", clean_name(agent, 64)),
      "Use at most 64 letters, digits and . _ + - @ only; none begins with a dot, a dash or "
      "an @."};
}

// Walks one run folder of KernelBench's.
class RunFinder {
 public:
  RunFinder(Place place, const std::vector<std::string>& tasks, const AgentLimits& limits)
      : place_(std::move(place)), tasks_(tasks), limits_(limits) {}

  SubmissionSet find() {
    std::vector<fs::path> entries;
    std::error_code error;
    for (fs::directory_iterator entry(place_.folder, error), end; !error && entry != end;
         entry.increment(error)) {
      entries.push_back(entry->path());
      if (entries.size() < limits_.entries || !stands(Defence::kAgentLimits)) continue;
      refuse("", fmt::format("the run has {} files and folders or more", limits_.entries));
      return std::move(set_);
    }
    std::sort(entries.begin(), entries.end());
    for (const fs::path& entry : entries)
      if (!entry.filename().string().starts_with('.')) visit(entry);
    refuse_crowded_tasks();
    const auto order = [](const Submission& s) { return std::tie(s.task, s.id.variant); };
    std::sort(set_.submissions.begin(), set_.submissions.end(),
              [&](const Submission& a, const Submission& b) { return order(a) < order(b); });
    return std::move(set_);
  }

 private:
  void visit(const fs::path& path) {
    const std::string file = path.filename().string();
    const auto name = parse_kernel_name(file);
    std::error_code error;
    if (!name) {
      const bool meant = file.ends_with(".py") || file.ends_with(".cu");
      const char* why =
          meant ? "a kernel is called level_N_problem_N_sample_N_kernel.py" : "not a submission";
      if (fs::is_directory(path, error)) why = "a folder within a run of KernelBench's";
      other(file, why, meant);
      return;
    }
    const auto found = tasks_called(*name, tasks_);
    if (found.size() != 1) {
      other(file,
            found.empty()
                ? fmt::format("no task of level {} has the number {}", name->level, name->problem)
                : fmt::format("several tasks have this number: {}", fmt::join(found, ", ")),
            true);
      return;
    }
    add(path, *name, found.front());
  }

  void add(const fs::path& path, const KernelName& name, const std::string& task) {
    Submission submission;
    submission.kind = SubmissionKind::kPython;
    submission.task = task;
    submission.sources = {path};
    submission.root = place_.folder;
    submission.id.agent = place_.agent;
    submission.id.variant = "sample_" + name.sample;
    submission.id.precision = "torch-default";
    submission.staged_name =
        fmt::format("{}@{}.py", fs::path(task).filename().string(), submission.id.variant);
    submission.id.name = fmt::format("{}/{}/{}", place_.agent,
                                     fs::path(task).parent_path().string(), submission.staged_name);
    const auto files = read_source_files(submission);
    if (!files) {
      problem(path.filename().string(), task, files.error());
      return;
    }
    submission.id.source_hash = hash_sources(submission, *files);
    submission.needs = needs_of(*files);
    set_.submissions.push_back(std::move(submission));
  }

  void other(const std::string& file, std::string why, bool mistaken) {
    set_.others.push_back({clean_name(file, kLongestName), place_.agent, std::move(why), mistaken});
  }

  void problem(const std::string& file, const std::string& task, Error error) {
    const std::string shown = clean_name(file, kLongestName);
    error.message = shown + ": " + error.message;
    set_.problems.push_back({shown, task, place_.agent, std::move(error)});
  }

  void refuse(const std::string& task, const std::string& why) {
    if (task.empty()) set_ = {};
    problem(place_.agent, task,
            {ErrorCode::kSubmission, why, "Submit less; nothing was evaluated."});
    set_.problems.back().refused = true;
  }

  void refuse_crowded_tasks() {
    if (!stands(Defence::kAgentLimits)) return;
    std::map<std::string, std::size_t> count;
    for (const Submission& submission : set_.submissions) ++count[submission.task];
    for (const auto& [task, samples] : count) {
      if (samples <= limits_.submissions_a_task) continue;
      std::erase_if(set_.submissions, [&](const Submission& s) { return s.task == task; });
      refuse(task, fmt::format("{} samples for {}, more than {}", samples, task,
                               limits_.submissions_a_task));
    }
  }

  Place place_;
  const std::vector<std::string>& tasks_;
  AgentLimits limits_;
  SubmissionSet set_;
};

bool has_cuda_sources(const fs::path& folder) {
  for (const fs::path& part : {folder, folder / "kernels"}) {
    std::error_code error;
    for (fs::directory_iterator entry(part, error), end; !error && entry != end;
         entry.increment(error))
      if (entry->path().extension() == ".cu") return true;
  }
  return false;
}

}  // namespace

std::string_view to_string(FolderLayout layout) {
  for (const LayoutName& one : kLayouts)
    if (one.layout == layout) return one.name;
  return "";
}

std::optional<FolderLayout> layout_from_string(std::string_view text) {
  for (const LayoutName& one : kLayouts)
    if (one.name == text) return one.layout;
  return std::nullopt;
}

Result<SubmissionSet> find_kernelbench_run(const fs::path& directory,
                                           const std::vector<std::string>& tasks,
                                           const AgentLimits& limits) {
  auto place = open_place(directory);
  if (!place) return place.error();
  return RunFinder(std::move(*place), tasks, limits).find();
}

Result<SubmissionSet> find_cuda_agent_folder(const fs::path& directory, const std::string& task) {
  const auto place = open_place(directory);
  if (!place) return place.error();
  if (!is_cuda_agent_folder(place->folder)) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{} is no folder of CUDA Agent's",
                             clean_name(directory.string(), kLongestName)),
                 "It has model_new.py and kernels/, and no submission.json."};
  }
  Submission submission;
  submission.task = task;
  submission.root = place->folder;
  submission.id.agent = place->agent;
  submission.id.name = fmt::format("{}/{}", place->agent, task);
  submission.id.precision = "torch-default";
  describe_cuda_agent(place->folder, submission);
  const auto files = read_source_files(submission);
  if (!files) return files.error();
  submission.id.source_hash = hash_sources(submission, *files);
  submission.needs = needs_of(*files);
  SubmissionSet set;
  set.submissions.push_back(std::move(submission));
  return set;
}

bool is_cuda_agent_folder(const fs::path& folder) {
  std::error_code error;
  return fs::is_regular_file(folder / kEntry, error) &&
         fs::is_directory(folder / "kernels", error) &&
         !fs::exists(fs::symlink_status(folder / "submission.json", error));
}

bool is_kernelbench_name(const std::string& file_name) {
  return parse_kernel_name(file_name).has_value();
}

void describe_cuda_agent(const fs::path& folder, Submission& submission) {
  submission.kind = SubmissionKind::kPython;
  submission.cuda_agent = true;
  submission.folder = folder;
  submission.sources = {folder / kEntry};
  submission.device = has_cuda_sources(folder) ? "cuda" : "";
}

}  // namespace kbench
