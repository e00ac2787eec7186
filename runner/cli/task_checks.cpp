#include "runner/cli/task_checks.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "runner/cli/build_info.hpp"
#include "runner/cli/oracle_options.hpp"
#include "runner/cli/run_environment.hpp"
#include "runner/core/defence.hpp"
#include "runner/lint/graph_facts.hpp"
#include "runner/lint/linter.hpp"
#include "runner/measure/secret.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

}  // namespace

Result<std::unique_ptr<OracleProcess>> start_lint_oracle(Sandbox& sandbox,
                                                         const Installation& installation,
                                                         const Target& target) {
  auto oracle = OracleProcess::start(oracle_options(sandbox, installation, target, kLintPrecision));
  if (!oracle) return oracle.error();
  if (auto hello = (*oracle)->hello(); !hello) return hello.error();
  return oracle;
}

bool TaskChecks::is_shipped(const Task& task) const {
  std::error_code error;
  const fs::path suites = fs::weakly_canonical(installation_.suites, error);
  const fs::path file = fs::weakly_canonical(task.file, error);
  // suites/levelN/name.json
  return !error && file.parent_path().parent_path() == suites;
}

Status TaskChecks::check(const std::vector<const Task*>& tasks, bool lints, Store& store,
                         Progress& progress, const std::function<bool()>& interrupted) {
  auto known = store.lint_records();
  if (!known) return known.error();
  for (LintRecord& record : known->records) {
    // What a machine could not check yesterday it may check today.
    if (record.state == LintState::kUnable) continue;
    const Key key{record.task_hash, record.size, record.device};
    records_.insert_or_assign(key, std::move(record));
  }
  std::vector<std::pair<const Task*, const TaskSize*>> open;
  for (const Task* task : tasks) {
    const TaskSize* size = task->find_size(target_.size);
    if (lints && size != nullptr && !is_shipped(*task) && !records_.contains(key_of(*task)))
      open.emplace_back(task, size);
  }
  if (open.empty()) return Done{};
  progress.begin("checking tasks", std::vector<double>(open.size(), 1.0));
  for (std::size_t i = 0; i < open.size() && !interrupted(); ++i) {
    const auto [task, size] = open[i];
    progress.item(i, task->id);
    auto record = lint(*task, *size);
    if (!record) return record.error();
    if (auto kept = store.put(*record); !kept) return kept.error();
    progress.item_done(fmt::format("{}: {}", task->id, summary(*record)));
    records_.insert_or_assign(key_of(*task), std::move(*record));
  }
  progress.end();
  oracle_.reset();
  return Done{};
}

Result<LintRecord> TaskChecks::lint(const Task& task, const TaskSize& size) {
  if (!oracle_) {
    auto started = start_lint_oracle(sandbox_, installation_, target_);
    if (!started) return started.error();
    oracle_ = std::move(*started);
  }
  const auto facts = read_graph_facts(task.file, size.name);
  if (!facts) return facts.error();
  LintSettings settings;
  settings.only_whether_it_ranks = true;
  const LintRequest request{&task, &size, target_.device, random_seed()};
  LintRecord record = lint_task(request, settings, *facts, *oracle_, *oracle_).record;
  // An oracle that failed is not trusted with the next task.
  if (record.state == LintState::kUnable) oracle_.reset();
  record.version = build_info().version;
  record.checked_at = utc_now();
  return record;
}

std::string TaskChecks::why_unranked(const Task& task) const {
  if (!stands(Defence::kTellingTasks) || is_shipped(task)) return "";
  const auto found = records_.find(key_of(task));
  if (found == records_.end())
    return "nobody has checked whether its task can tell right from wrong (--no-lint)";
  const LintRecord& record = found->second;
  if (record.state == LintState::kUnable)
    return "it could not be checked whether its task can tell right from wrong: " +
           (record.findings.empty() ? std::string("no reason given")
                                    : record.findings.back().message);
  return why_it_ranks_nobody(record);
}

}  // namespace kbench
