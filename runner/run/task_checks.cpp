#include "runner/run/task_checks.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "runner/core/defence.hpp"
#include "runner/core/utc_now.hpp"
#include "runner/installation/build_info.hpp"
#include "runner/lint/linter.hpp"
#include "runner/run/graph_against_python.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kElsewhere =
    "a machine that has a Python with torch can check it for this one: run any submission for it "
    "there with a --db FILE of its own, and take the record by `kbench db merge DB FILE --lint`";

Result<std::vector<LintFinding>> listed(const Result<LintFinding>& finding) {
  if (!finding) return finding.error();
  return std::vector{*finding};
}

// Adds the findings of the comparison. A task that cannot be compared here may be comparable where
// the next run is.
void add_findings(const Task& task, LintRecord& record, Result<std::vector<LintFinding>> compared) {
  if (!compared) {
    const Error& error = compared.error();
    const std::string hint = error.hint.empty() ? "" : "; " + error.hint;
    record.findings.push_back(
        {LintFinding::Weight::kFlaw, "unable", "", error.message + hint + "; " + kElsewhere});
    record.state = LintState::kUnable;
    return;
  }
  std::move(compared->begin(), compared->end(), std::back_inserter(record.findings));
  settle(task, record);
}

}  // namespace

bool TaskChecks::is_shipped(const Task& task) const {
  std::error_code error;
  const fs::path suites = fs::weakly_canonical(installation_.suites, error);
  const fs::path file = fs::weakly_canonical(task.file, error);
  // suites/levelN/name.json
  return !error && file.parent_path().parent_path() == suites;
}

Status TaskChecks::check(const std::vector<const Task*>& tasks, bool lints, Store& store,
                         ProgressSink& progress, const std::function<bool()>& interrupted) {
  auto known = store.lint_records();
  if (!known) return known.error();
  for (LintRecord& record : known->records) {
    // A task that a machine could not check yesterday is checked again today. A record that nobody
    // here vouches for does not count: it may be written by the task's author.
    if (record.state == LintState::kUnable || record.unvouched) continue;
    const Key key{record.task_hash, record.size, record.device};
    records_.insert_or_assign(key, std::move(record));
  }
  std::vector<const Task*> open;
  for (const Task* task : tasks) {
    const bool has_size = task->find_size(target_.size) != nullptr;
    if (lints && has_size && !is_shipped(*task) && record_of(*task) == nullptr)
      open.push_back(task);
  }
  if (open.empty()) return Done{};
  // Each process of a check imports torch for seconds: they start together.
  examiner_->begin(open, interrupted);
  const Status done = examine_all(open, store, progress, interrupted);
  examiner_->end();
  return done;
}

Status TaskChecks::examine_all(const std::vector<const Task*>& open, Store& store,
                               ProgressSink& progress, const std::function<bool()>& interrupted) {
  progress.begin("checking tasks", std::vector<double>(open.size(), 1.0));
  for (std::size_t i = 0; i < open.size() && !interrupted(); ++i) {
    const Task& task = *open[i];
    progress.item(i, task.id);
    auto record = examine(task, i);
    if (!record) return record.error();
    if (auto kept = store.put(*record); !kept) return kept.error();
    progress.item_done(fmt::format("{}: {}", task.id, summary(*record)));
    records_.insert_or_assign(key_of(task), std::move(*record));
  }
  progress.end();
  return Done{};
}

Result<LintRecord> TaskChecks::examine(const Task& task, std::size_t index) {
  auto linted = examiner_->lint(task, *task.find_size(target_.size));
  if (!linted) return linted;
  LintRecord record = std::move(*linted);
  // Counting costs and executing files keep cores busy: on a CPU they end before a task's Python is
  // timed.
  if (target_.device == "cpu") examiner_->wait_for_threads();
  if (record.state != LintState::kUnable) add_findings(task, record, examiner_->compare(index));
  if (record.state != LintState::kUnable)
    add_findings(task, record, listed(examiner_->cost(index)));
  // An oracle that failed is not trusted with the next task.
  if (record.state == LintState::kUnable) examiner_->drop_oracle();
  record.version = build_info().version;
  record.checked_at = utc_now();
  return record;
}

const LintRecord* TaskChecks::record_of(const Task& task) const {
  const auto found = records_.find(key_of(task));
  if (found == records_.end()) return nullptr;
  const LintRecord& record = found->second;
  const bool whole =
      record.state == LintState::kUnable ||
      (was_recounted(record) && comparison_with_python(record, hash_of_python(task)) != nullptr);
  return whole ? &record : nullptr;
}

std::string TaskChecks::why_unranked(const Task& task) const {
  if (!stands(Defence::kTellingTasks) || is_shipped(task)) return "";
  // Tasks that `kbench import` made have no such list: it leaves them out.
  if (!task.hard_draws_skip.empty())
    return fmt::format(
        "its file says itself which hard draws it is spared ({}): that is not for a task of others "
        "to say; `kbench import` makes one without",
        task.hard_draws_skip.begin()->first);
  const LintRecord* record = record_of(task);
  if (record == nullptr)
    return "nobody has checked whether its task rejects wrong kernels (--no-lint)";
  const std::string why = why_it_ranks_nobody(*record);
  if (why.empty() && record->state == LintState::kUnable)
    return "it could not be checked whether its task rejects wrong kernels: " +
           (record->findings.empty() ? std::string("no reason given")
                                     : record->findings.back().message);
  return why;
}

std::string TaskChecks::why_unjudged(const Task& task) const {
  if (!stands(Defence::kTellingTasks) || is_shipped(task)) return "";
  const LintRecord* record = record_of(task);
  if (record == nullptr) return "";
  const LintFinding* finding = comparison_with_python(*record, hash_of_python(task));
  const bool agrees = finding == nullptr || finding->weight == LintFinding::Weight::kNote;
  return agrees ? "" : finding->message;
}

}  // namespace kbench
