#include "runner/submission/submission.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "runner/core/defence.hpp"
#include "runner/core/suggest.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/submission/layouts.hpp"
#include "runner/submission/manifest.hpp"
#include "runner/submission/python_imports.hpp"
#include "runner/submission/source_files.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxAgents = 100'000;

// A file costs time however small it is.
constexpr std::uint64_t kLeastCost = 4096;

std::uint64_t cost_of_reading(const std::vector<SourceFile>& files) {
  std::uint64_t bytes = 0;
  for (const SourceFile& file : files)
    bytes += std::max<std::uint64_t>(kLeastCost, file.bytes.size());
  return bytes;
}

// The parts of a name inside levelN.
struct SubmissionName {
  std::string task;     // "019_relu"
  std::string variant;  // the part after '@'
};

std::optional<SubmissionName> parse_name(const std::string& stem) {
  static const std::regex kPattern(
      R"(([0-9]{3,6}_[A-Za-z0-9_]{1,100})(@([A-Za-z0-9_.+-]{1,64}))?)");
  std::smatch match;
  if (stem.size() > 200 || !std::regex_match(stem, match, kPattern)) return std::nullopt;
  return SubmissionName{match[1].str(), match[3].str()};
}

bool is_source(const fs::path& file) {
  return file.extension() == ".cu" || file.extension() == ".cpp" || file.extension() == ".py";
}

constexpr const char* kEndings = "a submission ends in .cu (CUDA), .cpp (CPU) or .py (Python)";
constexpr const char* kPlainNames =
    "Use at most 64 letters, digits and . _ + - @ only; none begins with a dot, a dash or an @.";

// "did you mean …?" of an ending that is one in other letters, or in another compiler's ways; else
// nothing. Only these: what is merely near (.hpp, .pyc, .cpp~) lies beside sources and is none.
std::string meant_ending(const fs::path& file) {
  static const std::map<std::string, std::string> kMeant = {
      {".cpp", ".cpp"}, {".cc", ".cpp"}, {".cxx", ".cpp"}, {".c++", ".cpp"},
      {".c", ".cpp"},   {".cu", ".cu"},  {".cuh", ".cu"},  {".py", ".py"}};
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  const auto found = kMeant.find(ending);
  return found == kMeant.end() ? "" : fmt::format("did you mean \"{}\"?", found->second);
}

// Numbers have three digits at least, which KernelBench's 19_ReLU.py has not.
std::string meant_name(const fs::path& path) {
  static const std::regex kShort("[0-9]{1,2}_.*");
  const std::string name = path.filename().string();
  const std::string padded = std::string(3 - std::min<std::size_t>(3, name.find('_')), '0') + name;
  const bool is_meant = name.size() <= 200 && std::regex_match(name, kShort) &&
                        parse_name(fs::path(padded).stem().string());
  if (is_meant)
    return fmt::format("a number has three digits, as in \"{}\"; `kbench tasks list` has the names",
                       padded);
  return "Expected NNN_name[@variant], e.g. \"019_relu@tiled\".";
}

// Sets kind and device of a single file by its ending.
void set_kind(const fs::path& file, Submission& submission) {
  submission.sources = {file};
  if (file.extension() == ".py") {
    submission.kind = SubmissionKind::kPython;
  } else {
    submission.device = file.extension() == ".cu" ? "cuda" : "cpu";
  }
}

// Facts of sources that were read once: the fingerprint, and the needs of a Python submission's
// build.
void describe_sources(const std::vector<SourceFile>& files, Submission& submission) {
  submission.id.source_hash = hash_sources(submission, files);
  if (submission.kind == SubmissionKind::kPython) submission.needs = needs_of(files);
}

// Whether the manifest that was read is the one among the kept files.
bool holds(const std::vector<SourceFile>& files, std::string_view name, std::string_view text) {
  return std::any_of(files.begin(), files.end(), [&](const SourceFile& file) {
    return file.name == name && file.bytes == text;
  });
}

bool is_level(const std::string& name) {
  static const std::regex kLevel("level[0-9]{1,2}");
  return name.size() <= 16 && std::regex_match(name, kLevel);
}

bool lies_in_level(const fs::path& file) {
  return is_level(file.parent_path().filename().string());
}

// The agent of a single file in AGENT/levelN; else the one of all single files.
std::string agent_around(const fs::path& file) {
  const std::string agent = file.parent_path().parent_path().filename().string();
  return lies_in_level(file) && is_plain_name(agent) ? agent : kLoneAgent;
}

// Whether a folder of submissions has the file as this agent's for the task.
bool lies_as_submitted(const fs::path& file, const Submission& submission) {
  const auto name = parse_name(file.stem().string());
  if (!name || !lies_in_level(file)) return false;
  const fs::path level = file.parent_path();
  return name->variant == submission.id.variant &&
         level.parent_path().filename() == submission.id.agent &&
         level.filename() / name->task == fs::path(submission.task);
}

// Walks DIR/AGENT/levelN/SUBMISSION and sorts what it meets into submissions, problems and others.
class Finder {
 public:
  Finder(fs::path root, const AgentLimits& limits) : root_(std::move(root)), limits_(limits) {}

  Result<SubmissionSet> find() {
    entries_left_ = kMaxAgents;
    const auto agents = entries(root_);
    if (!agents) return agents.error();
    if (entries_left_ == 0) {
      return Error{ErrorCode::kBadInput,
                   fmt::format("{} or more agents below {}", kMaxAgents, root_.string()),
                   "Give a folder of AGENT/levelN/NNN_name.cu, .cpp or .py with --submissions."};
    }
    for (const fs::path& agent : *agents) visit_within_limits(agent);
    const auto order = [](const Submission& s) {
      return std::tie(s.task, s.id.agent, s.id.variant, s.id.name);
    };
    std::sort(found_.submissions.begin(), found_.submissions.end(),
              [&](const Submission& a, const Submission& b) { return order(a) < order(b); });
    return std::move(found_);
  }

 private:
  // An agent's files count as a whole or not at all: which of them are seen before a limit is
  // reached depends on the order of a folder.
  void visit_within_limits(const fs::path& folder) {
    set_ = {};
    entries_left_ = limits_.entries;
    bytes_left_ = limits_.source_bytes;
    visit_agent(folder);
    if (stands(Defence::kAgentLimits)) {
      if (entries_left_ == 0) {
        refuse_all(folder,
                   fmt::format("the agent has {} files and folders or more", limits_.entries));
      } else if (bytes_left_ == 0) {
        refuse_all(folder, fmt::format("the sources of all its submissions have {} MiB or more",
                                       limits_.source_bytes >> 20));
      }
      refuse_crowded_tasks(folder);
    }
    std::move(set_.submissions.begin(), set_.submissions.end(),
              std::back_inserter(found_.submissions));
    std::move(set_.problems.begin(), set_.problems.end(), std::back_inserter(found_.problems));
    std::move(set_.others.begin(), set_.others.end(), std::back_inserter(found_.others));
  }

  void refuse(const fs::path& path, const std::string& task, const std::string& agent,
              const std::string& why) {
    problem(path, task, agent,
            Error{ErrorCode::kSubmission, why, "Submit less; nothing was evaluated."});
    set_.problems.back().refused = true;
  }

  void refuse_all(const fs::path& folder, const std::string& why) {
    set_ = {};
    refuse(folder, "", folder.filename().string(), why);
  }

  void refuse_crowded_tasks(const fs::path& folder) {
    std::map<std::string, std::size_t> count;
    for (const Submission& submission : set_.submissions) ++count[submission.task];
    for (const SubmissionProblem& problem : set_.problems)
      if (!problem.task.empty()) ++count[problem.task];
    std::erase_if(
        count, [&](const auto& of_task) { return of_task.second <= limits_.submissions_a_task; });
    std::erase_if(set_.submissions, [&](const Submission& s) { return count.contains(s.task); });
    std::erase_if(set_.problems,
                  [&](const SubmissionProblem& p) { return count.contains(p.task); });
    for (const auto& [task, submissions] : count) {
      refuse(folder, task, folder.filename().string(),
             fmt::format("{} submissions for {}, more than {}", submissions, task,
                         limits_.submissions_a_task));
    }
  }

  // The entries of a folder, sorted, without hidden ones.
  Result<std::vector<fs::path>> entries(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      if (!spend(entries_left_, 1) && stands(Defence::kAgentLimits)) break;
      if (!entry->path().filename().string().starts_with('.')) found.push_back(entry->path());
    }
    if (error) {
      return Error{ErrorCode::kBadInput,
                   fmt::format("cannot list {}: {}", clean_name(folder.string()), error.message()),
                   "check that you may read it"};
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  // Spends an amount; false once nothing is left.
  static bool spend(std::uint64_t& left, std::uint64_t amount) {
    left -= std::min(left, amount);
    return left > 0;
  }

  void problem(const fs::path& path, const std::string& task, const std::string& agent,
               Error error) {
    const std::string shown = clean_name(path.lexically_relative(root_).string(), 300);
    error.message = shown + ": " + error.message;
    set_.problems.push_back({shown, task, clean_name(agent, 64), std::move(error)});
  }

  void problem(const fs::path& path, const std::string& agent, const std::string& message,
               std::string hint = "") {
    problem(path, "", agent, Error{ErrorCode::kBadInput, message, std::move(hint)});
  }

  void other(const fs::path& path, const std::string& agent, std::string why,
             bool mistaken = false) {
    set_.others.push_back({clean_name(path.lexically_relative(root_).string(), 300),
                           clean_name(agent, 64), std::move(why), mistaken});
  }

  [[nodiscard]] bool leaves_root(const fs::path& path) const {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    return error ||
           std::mismatch(root_.begin(), root_.end(), real.begin(), real.end()).first != root_.end();
  }

  void visit_agent(const fs::path& folder) {
    const std::string agent = folder.filename().string();
    if (leaves_root(folder)) {
      return problem(folder, agent, "a link that is broken or leaves the submissions folder");
    }
    std::error_code error;
    if (!fs::is_directory(folder, error)) {
      if (is_source(folder)) {
        problem(folder, "", "a submission lies in AGENT/levelN/, not at the top",
                other_layout(agent));
      } else {
        other(folder, "", "not a submission");
      }
      return;
    }
    if (is_level(agent)) {
      return problem(folder, "", "a level folder where agents' folders are expected",
                     "Give the folder above the agent's: it holds AGENT/" + agent + ".");
    }
    if (!is_plain_name(agent)) {
      return problem(folder, agent, "this name is not allowed for an agent", kPlainNames);
    }
    const auto levels = entries(folder);
    if (!levels) return problem(folder, "", agent, levels.error());
    for (const fs::path& level : *levels) visit_level(agent, level);
  }

  // The layout of another benchmark that the file is named like. It is never taken for one unasked.
  [[nodiscard]] std::string other_layout(const std::string& file) const {
    if (is_kernelbench_name(file))
      return "This looks like a run of KernelBench's, which --layout kernelbench reads.";
    if (is_cuda_agent_folder(root_))
      return "This looks like a folder of CUDA Agent's, which --layout cuda-agent reads, for one "
             "--task.";
    return "";
  }

  void visit_level(const std::string& agent, const fs::path& folder) {
    static const std::vector<std::string> kUsual = {"level1", "level2", "level3", "level4",
                                                    "include"};
    const std::string level = folder.filename().string();
    if (leaves_root(folder)) {
      return problem(folder, agent, "a link that is broken or leaves the submissions folder");
    }
    std::error_code error;
    if (!fs::is_directory(folder, error)) {
      const bool named_like_one =
          is_source(folder) || parse_name(folder.stem().string()).has_value();
      if (!named_like_one) return other(folder, agent, "not a submission");
      return other(folder, agent,
                   is_kernelbench_name(level)
                       ? "a kernel of a run of KernelBench's: name its folder, with --layout "
                         "kernelbench"
                       : "a submission lies in AGENT/levelN/, not beside it",
                   true);
    }
    if (level == "include") return;
    if (!is_level(level)) {
      const auto near = nearest(level.substr(0, 32), kUsual);
      return problem(folder, agent, "neither a level folder nor \"include\"",
                     near ? fmt::format("did you mean \"{}\"?", *near)
                          : "Level folders are named level1, level2 and so on.");
    }
    const auto found = entries(folder);
    if (!found) return problem(folder, "", agent, found.error());
    for (const fs::path& entry : *found) visit_entry(agent, level, entry);
  }

  void visit_entry(const std::string& agent, const std::string& level, const fs::path& path) {
    if (leaves_root(path)) {
      return problem(path, agent, "a link that is broken or leaves the submissions folder");
    }
    std::error_code error;
    const bool is_folder = fs::is_directory(path, error);
    const std::string stem = (is_folder ? path.filename() : path.stem()).string();
    const auto name = parse_name(stem);
    if (!is_folder && !is_source(path)) {
      const std::string meant = meant_ending(path);
      if (name && !meant.empty()) {
        problem(path, level + "/" + name->task, agent,
                Error{ErrorCode::kBadInput, kEndings, meant});
      } else if (name && path.extension().empty()) {
        other(path, agent, kEndings, true);
      } else {
        other(path, agent, "not a submission");
      }
      return;
    }
    if (!name) {
      return problem(path, agent, "not a submission name", meant_name(path));
    }
    Submission submission;
    submission.task = level + "/" + name->task;
    submission.id.agent = agent;
    submission.id.variant = name->variant;
    submission.id.name = agent + "/" + level + "/" + path.filename().string();
    submission.id.precision = "torch-default";
    add(std::move(submission), path, is_folder, name->task);
  }

  void add(Submission submission, const fs::path& path, bool is_folder,
           const std::string& task_name) {
    const std::string agent = submission.id.agent;
    const std::string task = submission.task;
    std::string manifest_text;
    const bool cuda_agent = is_folder && is_cuda_agent_folder(path);
    if (cuda_agent) {
      describe_cuda_agent(path, submission);
    } else if (is_folder) {
      std::error_code missing;
      const fs::path file = path / "submission.json";
      if (fs::is_symlink(file, missing) && leaves_root(file)) {
        return problem(
            file, task, agent,
            Error{ErrorCode::kBadInput, "a link that is broken or leaves the submissions folder",
                  "put the file itself there"});
      }
      auto manifest = read_manifest(path, task_name, agent);
      if (!manifest) return problem(path, task, agent, manifest.error());
      manifest_text = std::move(manifest->text);
      submission.folder = path;
      submission.kind = manifest->kind;
      for (const std::string& source : manifest->sources) {
        submission.sources.push_back(path / source);
      }
      submission.device = manifest->device;
      submission.flags = std::move(manifest->flags);
      submission.libraries = std::move(manifest->libraries);
      submission.id.precision = manifest->precision;
      submission.id.vendor_library = !submission.libraries.empty();
    } else {
      set_kind(path, submission);
    }
    const fs::path include = path.parent_path().parent_path() / "include";
    std::error_code error;
    if (fs::is_directory(include, error)) submission.include_directories = {include};
    if (bytes_left_ == 0 && stands(Defence::kAgentLimits)) return;
    const auto files = read_source_files(submission);
    spend(bytes_left_, files ? cost_of_reading(*files) : kMaxSourceFiles * kLeastCost);
    if (!files) return problem(path, task, agent, files.error());
    if (is_folder && !cuda_agent && !holds(*files, "src/submission.json", manifest_text)) {
      return problem(path, task, agent,
                     Error{ErrorCode::kBadInput, "submission.json was changed while it was read",
                           "Run it again once nobody writes to it."});
    }
    describe_sources(*files, submission);
    set_.submissions.push_back(std::move(submission));
  }

  fs::path root_;
  AgentLimits limits_;
  SubmissionSet found_;
  SubmissionSet set_;               // submissions of the agent at hand
  std::uint64_t entries_left_ = 0;  // entries that the agent may still have
  std::uint64_t bytes_left_ = 0;
};

}  // namespace

bool is_plain_name(const std::string& name) {
  return name.size() <= 64 && is_plain_relative_path(name) && name.find('/') == std::string::npos;
}

std::string_view to_string(SubmissionKind kind) {
  return kind == SubmissionKind::kPython ? "python" : "native";
}

Result<SubmissionSet> find_submissions(const fs::path& directory, const AgentLimits& limits) {
  std::error_code error;
  const fs::path root = fs::canonical(directory, error);
  if (error || !fs::is_directory(root, error)) {
    return Error{ErrorCode::kUsage,
                 fmt::format("no submissions folder {}", clean_name(directory.string(), 300)),
                 "Give one with --submissions; it holds AGENT/levelN/NNN_name.cu, .cpp or .py."};
  }
  return Finder(root, limits).find();
}

Result<Submission> single_submission(const fs::path& file, const std::string& task,
                                     const std::optional<std::string>& agent) {
  std::error_code error;
  const fs::path path = fs::canonical(file, error);
  const std::string shown = clean_name(file.string(), 300);
  if (error || !fs::is_regular_file(path, error))
    return Error{ErrorCode::kUsage, "no file " + shown,
                 "Give a .cpp, .cu or .py file, or --submissions."};
  if (!is_source(path)) {
    const std::string target =
        is_source(file) ? " is a link to " + clean_name(path.string(), 300) : "";
    return Error{ErrorCode::kBadInput, shown + target + ": " + kEndings, meant_ending(path)};
  }
  const std::string stem = path.stem().string();
  const auto at = stem.find('@');
  const std::string name = stem.substr(0, at);
  const std::string variant = at == std::string::npos ? "" : stem.substr(at + 1);
  if (!is_plain_name(name) || (!variant.empty() && !is_plain_name(variant))) {
    return Error{ErrorCode::kBadInput, shown + ": this name is not allowed", kPlainNames};
  }
  if (agent && !is_plain_name(*agent)) {
    return Error{ErrorCode::kUsage,
                 fmt::format("\"{}\" is not allowed for an agent", clean_name(*agent, 64)),
                 kPlainNames};
  }
  Submission submission;
  submission.task = task;
  submission.id.agent = agent.value_or(agent_around(path));
  submission.id.variant = variant;
  submission.id.name = path.filename().string();
  if (lies_as_submitted(path, submission)) {
    const fs::path level = path.parent_path().filename();
    submission.id.name = (fs::path(submission.id.agent) / level / path.filename()).string();
  }
  submission.id.precision = "torch-default";
  set_kind(path, submission);
  const fs::path include = path.parent_path().parent_path() / "include";
  if (lies_in_level(path) && fs::is_directory(include, error))
    submission.include_directories = {include};
  const auto files = read_source_files(submission);
  if (!files) return files.error();
  describe_sources(*files, submission);
  return submission;
}

}  // namespace kbench
