#include "runner/again/remeasure.hpp"

#include <cmath>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "reports/formats/run_list.hpp"
#include "runner/analysis/keep.hpp"
#include "runner/analysis/speedup.hpp"
#include "runner/core/random_id.hpp"
#include "runner/run/run_session.hpp"
#include "runner/store/store.hpp"
#include "runner/submission/source_files.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Agents' names sort in the order in which submissions of a task are measured.
std::string agent_of(std::size_t index, bool is_before, bool before_first) {
  return fmt::format("{:03}-{}-{}", index, is_before == before_first ? 1 : 2,
                     is_before ? "before" : "after");
}

Status write_below(const fs::path& file, const std::string& bytes) {
  std::error_code ignored;  // a folder that cannot be made fails the write below
  fs::create_directories(file.parent_path(), ignored);
  return write_new_file(file, bytes);
}

// The very files that are hashed, a manifest among them, under another agent's name.
Status write_submission(const Submission& submission, const std::string& task,
                        const fs::path& agent) {
  const auto files = read_source_files(submission);
  if (!files) return files.error();
  const bool is_folder = !submission.folder.empty();
  const fs::path level = agent / fs::path(task).parent_path();
  const fs::path home = is_folder ? level / submission.folder.filename() : level;
  for (const SourceFile& file : *files) {
    const bool is_header = file.name.starts_with("include/");
    const fs::path name =
        is_header ? fs::path(file.name) : fs::path(file.name).lexically_relative("src");
    // A file on its own may have been called like no task.
    const bool renamed = !is_header && !is_folder;
    const std::string wanted = fs::path(task).filename().string() + name.extension().string();
    const fs::path plain = renamed && submission.id.name == name ? fs::path(wanted) : name;
    if (auto written = write_below((is_header ? agent : home) / plain, file.bytes); !written)
      return written;
  }
  return Done{};
}

std::optional<double> log_speedup_of(const std::optional<Evaluation>& evaluation, Side baseline) {
  if (!evaluation || evaluation->state != State::kOk || evaluation->correct != true)
    return std::nullopt;
  const auto ratio = speedup(*evaluation, baseline, Side::kSubmission);
  if (!ratio || !(ratio->estimate > 0)) return std::nullopt;
  return std::log(ratio->estimate);
}

}  // namespace

fs::path remeasured_database(const fs::path& database) {
  fs::path file = database;
  file.replace_filename(database.stem().string() + "-remeasured" + database.extension().string());
  return file;
}

std::optional<double> MeasuredPair::slowdown(Side baseline) const {
  const auto then = log_speedup_of(before, baseline);
  const auto now = log_speedup_of(after, baseline);
  if (!then || !now) return std::nullopt;
  return *then - *now;
}

std::optional<double> MeasuredPair::longer_than(double log_speedup, Side baseline) const {
  const auto now = log_speedup_of(after, baseline);
  return now ? std::optional(log_speedup - *now) : std::nullopt;
}

Remeasurement::Remeasurement(const Run& run, RunRequest like, BenchSource& benches, RunSink& sink,
                             RunTerms terms, const std::string& command)
    : device_(facts_of(run)),
      like_(std::move(like)),
      benches_(benches),
      sink_(sink),
      terms_(std::move(terms)),
      what_(fmt::format("{} {}", command, short_id(run))) {
  like_.levels.clear();
  like_.agent.reset();
  like_.file.reset();
  like_.baselines_only = false;
}

Result<std::vector<MeasuredPair>> Remeasurement::measure(const std::vector<SourcePair>& pairs) {
  const auto scratch = ScratchFolder::make("kbench-remeasure");
  if (!scratch) return scratch.error();
  const bool before_first = ++round_ % 2 == 1;
  std::set<std::string> tasks;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const SourcePair& pair = pairs[i];
    tasks.insert(pair.task);
    const auto write = [&](const Submission& submission, bool is_before) {
      return write_submission(submission, pair.task,
                              scratch->path() / agent_of(i, is_before, before_first));
    };
    if (auto written = write(pair.after, false); !written) return written.error();
    if (!pair.before) continue;
    if (auto written = write(*pair.before, true); !written) return written.error();
  }
  RunRequest request = like_;
  request.tasks.assign(tasks.begin(), tasks.end());
  request.submissions = scratch->path();
  request.layout = RunRequest().layout;  // written as in a folder of ours
  terms_.id = random_id();
  terms_.command_line = fmt::format("{}, pair {}", what_, round_);
  const auto outcome = RunSession(benches_, request, terms_, sink_).run();
  if (!outcome)
    return Error{ErrorCode::kInfrastructure, "measuring again: " + outcome.error().message,
                 outcome.error().hint};
  if (outcome->interrupted)
    return Error{ErrorCode::kInterrupted, "interrupted while measuring again",
                 fmt::format("nothing of it is compared; its rows so far are in {}, and the same "
                             "command begins anew",
                             terms_.database.string())};
  if (!outcome->is_complete())
    return Error{ErrorCode::kInfrastructure, "measuring again: " + summarize(*outcome, terms_),
                 fmt::format("`kbench report table --db {}` shows how far it came",
                             terms_.database.string())};
  return read(terms_.id, pairs.size());
}

Result<std::vector<MeasuredPair>> Remeasurement::read(const std::string& run_id,
                                                      std::size_t pairs) const {
  const auto store = Store::open(terms_.database, Store::Mode::kReadOnly);
  if (!store) return store.error();
  const auto run = store->find_run(run_id);
  if (!run) return run.error();
  if (!*run || !same_device(facts_of(**run), device_))
    return Error{ErrorCode::kUsage,
                 fmt::format("the run was made on {}, and this machine has another device",
                             device_words(device_)),
                 "measure again where the run was made"};
  auto evaluations = store->evaluations(run_id);
  if (!evaluations) return evaluations.error();
  std::vector<MeasuredPair> measured(pairs);
  for (Evaluation& evaluation : *evaluations) {
    if (!evaluation.submission) continue;
    keep(evaluation);
    const std::string agent = evaluation.submission->agent;
    for (std::size_t i = 0; i < pairs; ++i)
      for (const bool first : {true, false}) {
        if (agent == agent_of(i, true, first)) measured[i].before = evaluation;
        if (agent == agent_of(i, false, first)) measured[i].after = evaluation;
      }
  }
  return measured;
}

RunSources& SourcesOfRuns::of(const Run& run, const std::optional<fs::path>& given) {
  auto& sources = by_run_[run.id];
  if (!sources)
    sources = std::make_unique<RunSources>(run, given, database_, installation_.examples);
  return *sources;
}

}  // namespace kbench
