#include "runner/again/reproduction.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/facts/run_facts.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/run/resumed_request.hpp"
#include "runner/task/suite.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// The request as the row's run was told, for this row alone.
RunRequest request_of(const StoredRow& row, const std::optional<fs::path>& suite) {
  RunRequest request;
  request.suite = suite;
  request = with_choices_of(request, row.run);
  request.levels = {};
  request.tasks = {row.evaluation.task};
  request.submissions.reset();
  request.layout = RunRequest().layout;  // sources are kept as in a folder of ours
  request.file.reset();
  request.agent.reset();
  request.baselines_only = !row.evaluation.submission;
  return request;
}

// A task is chosen by its id alone: what else matches one may be in a database of another origin.
Status check_task(const RunRequest& request, const StoredRow& row) {
  if (!entry_of_id(row.evaluation.task)) {
    return Error{ErrorCode::kBadInput,
                 fmt::format("run {} has a task \"{}\", which no suite can have", short_id(row.run),
                             clean_name(row.evaluation.task, 80)),
                 "Ask for the database as kbench wrote it."};
  }
  const auto& suite = request.suite;
  if (!suite || fs::is_directory(*suite)) return Done{};
  return Error{ErrorCode::kUsage,
               fmt::format("the tasks of run {} lay in {}, which is no folder here",
                           short_id(row.run), clean_name(suite->string(), 300)),
               "Import them again (`kbench import`), or say with --suite where they are now."};
}

// Hands in the row's submission; its sources go into `scratch`.
Status hand_in(const StoredRow& row, const fs::path& scratch, RunRequest& request) {
  if (!row.evaluation.submission) return Done{};
  const auto submission = write_stored_sources(row, scratch);
  if (!submission) return submission.error();
  if (is_lone_file(row)) {
    request.file = *submission;
    request.name = row.evaluation.submission->agent;
  } else {
    request.submissions = scratch;
  }
  return Done{};
}

// Parts of the key that differ between the stored row and the new one.
std::vector<std::string> differences(const StoredRow& row, const Run& run, const Evaluation& now) {
  const Evaluation& then = row.evaluation;
  std::vector<std::string> differ;
  if (then.task_hash != now.task_hash) differ.emplace_back("the task file");
  const auto source = [](const Evaluation& e) {
    return e.submission ? e.submission->source_hash : "";
  };
  if (source(then) != source(now)) differ.emplace_back("the sources");
  const RunFacts before = facts_of(row.run);
  const RunFacts after = facts_of(run);
  if (!same_device(before, after))
    differ.push_back(
        fmt::format("the device ({} then, {} now)", device_words(before), device_words(after)));
  for (const Difference& change : environment_changes(before, after))
    if (change.what == "host compiler" || change.what == "nvcc" || change.what == "kbench")
      differ.push_back(change.what);
  return differ;
}

}  // namespace

Result<RunRequest> reproducing_request(const StoredRow& row, const std::optional<fs::path>& suite,
                                       const fs::path& scratch) {
  RunRequest request = request_of(row, suite);
  if (auto here = check_task(request, row); !here) return here.error();
  if (auto handed = hand_in(row, scratch, request); !handed) return handed.error();
  return request;
}

std::string reproduction_words(const StoredRow& row, const Run& run,
                               const std::vector<Evaluation>& rows) {
  if (rows.empty()) return "";
  const std::string id = short_id(row.run);
  const auto same = std::find_if(rows.begin(), rows.end(), [&](const Evaluation& evaluation) {
    return evaluation.key == row.evaluation.key;
  });
  if (same != rows.end())
    return fmt::format("the same evaluation as in run {}: key {}; it was {} then, and is {} now",
                       id, row.evaluation.key.substr(0, 12), to_string(row.evaluation.state),
                       to_string(same->state));
  const auto differ = differences(row, run, rows.front());
  return fmt::format("not the same evaluation as in run {}: {}", id,
                     differ.empty() ? "the versions of kbench or its configuration differ"
                                    : fmt::format("{} changed", fmt::join(differ, ", ")));
}

}  // namespace kbench
