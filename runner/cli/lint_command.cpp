#include "runner/cli/lint_command.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/sanitize.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/progress.hpp"
#include "runner/core/json.hpp"
#include "runner/core/utc_now.hpp"
#include "runner/device/measuring_lock.hpp"
#include "runner/installation/build_info.hpp"
#include "runner/installation/torch_search.hpp"
#include "runner/lint/graph_facts.hpp"
#include "runner/lint/linter.hpp"
#include "runner/measure/oracle_process.hpp"
#include "runner/measure/secret.hpp"
#include "runner/os/stop_signals.hpp"
#include "runner/plan/run_plan.hpp"
#include "runner/plan/task_choice.hpp"
#include "runner/run/task_checks.hpp"
#include "runner/store/store.hpp"
#include "runner/task/suite.hpp"

namespace kbench {
namespace {

using Weight = LintFinding::Weight;
using Clock = std::chrono::steady_clock;

constexpr int kSchemaVersion = 1;
// A suite of 250 tasks may keep at most five with a flaw that they name.
constexpr int kMostAccepted = 5;

// What the graphs of a suite's tasks say at one size, and which share a fingerprint.
struct Copies {
  std::map<std::string, Result<GraphFacts>> facts;           // by id
  std::map<std::string, std::vector<std::string>> same;      // fingerprint to ids
  std::map<std::string, std::vector<std::string>> sequence;  // operator sequence to ids
};

struct LintRow {
  LintOutcome outcome;
  double seconds = 0;
};

Copies find_copies(const std::vector<TaskEntry>& entries, const std::string& size) {
  Copies copies;
  for (const TaskEntry& entry : entries) {
    const auto& facts =
        copies.facts.emplace(entry.id, read_graph_facts(entry.file, size)).first->second;
    if (!facts) continue;  // unreadable, or without this size: said where it is selected
    copies.same[facts->fingerprint].push_back(entry.id);
    copies.sequence[facts->sequence].push_back(entry.id);
  }
  return copies;
}

std::vector<std::string> others(const std::vector<std::string>& ids, const std::string& self) {
  std::vector<std::string> rest;
  std::copy_if(ids.begin(), ids.end(), std::back_inserter(rest),
               [&](const std::string& id) { return id != self; });
  return rest;
}

void add_copies(const Copies& copies, const GraphFacts& facts, LintRecord& record) {
  const auto same = others(copies.same.at(facts.fingerprint), record.task);
  if (!same.empty()) {
    record.findings.push_back({Weight::kFlaw, "duplicate", "",
                               fmt::format("the same graph as {}", fmt::join(same, ", "))});
  }
  auto alike = others(copies.sequence.at(facts.sequence), record.task);
  std::erase_if(alike, [&](const std::string& id) {
    return std::find(same.begin(), same.end(), id) != same.end();
  });
  if (!alike.empty()) {
    record.findings.push_back(
        {Weight::kNote, "near_duplicate", "",
         fmt::format("the same operators, other shapes or constants: {}", fmt::join(alike, ", "))});
  }
}

Json row_json(const LintRow& row) {
  const LintRecord& record = row.outcome.record;
  auto findings = Json::array();
  for (const LintFinding& finding : record.findings) {
    findings.push_back({{"weight", to_string(finding.weight)},
                        {"kind", finding.kind},
                        {"subject", finding.subject},
                        {"message", finding.message}});
  }
  return {{"task", record.task},
          {"task_hash", record.task_hash},
          {"size", record.size},
          {"device", record.device},
          {"state", to_string(record.state)},
          {"mutants", record.mutants},
          {"rejected", record.rejected},
          {"eager_ms", row.outcome.eager_ms},
          {"eager_error", row.outcome.eager_error},
          {"seconds", row.seconds},
          {"findings", std::move(findings)}};
}

void print_json(const std::vector<LintRow>& rows) {
  Json json = {{"schema_version", kSchemaVersion}, {"tasks", Json::array()}};
  for (const LintRow& row : rows) json["tasks"].push_back(row_json(row));
  fmt::print("{}\n", json.dump(2, ' ', true, Json::error_handler_t::replace));
}

Color color_of(LintState state) {
  switch (state) {
    case LintState::kPassed: return Color::kGreen;
    case LintState::kAccepted: return Color::kYellow;
    case LintState::kFailed:
    case LintState::kUnable: return Color::kRed;
  }
  return Color::kRed;
}

void print_table(const Terminal& out, const std::vector<LintRow>& rows, bool with_notes) {
  std::size_t width = 0;
  for (const LintRow& row : rows) width = std::max(width, row.outcome.record.task.size());
  for (const LintRow& row : rows) {
    const LintRecord& record = row.outcome.record;
    fmt::print("{:{}}  {}  {:3} of {:3} mutations rejected  eager {:8.3f} ms\n", record.task, width,
               out.paint(color_of(record.state), fmt::format("{:8}", to_string(record.state))),
               record.rejected, record.mutants, row.outcome.eager_ms);
    for (const LintFinding& finding : record.findings) {
      // A parameter without effect is right, and a task that nobody would write knowing of it.
      const bool is_dead = finding.kind == to_string(MutationKind::kParameter);
      if (with_notes || is_dead || finding.weight != Weight::kNote) {
        fmt::print("    {} {}: {}\n", to_string(finding.weight), finding.kind,
                   sanitize_line(finding.message));
      }
    }
  }
}

// One lint of all selected tasks, from opening the database to the last line.
class LintSession {
 public:
  LintSession(const LintOptions& options, const Installation& installation, Target target,
              std::vector<Task> tasks, Copies copies)
      : options_(options),
        installation_(installation),
        target_(std::move(target)),
        tasks_(std::move(tasks)),
        copies_(std::move(copies)),
        progress_(stderr, inspect_terminal(STDERR_FILENO, options.common.color),
                  options.common.verbosity) {}

  Result<ExitCode> run() {
    auto store = Store::open(options_.database, Store::Mode::kReadWrite);
    if (!store) return store.error();
    auto lock = take_measuring_lock({.installation = &installation_,
                                     .target = &target_,
                                     .what = "tasks lint",
                                     .progress = &progress_});
    if (!lock) return lock.error();
    if (auto made = create_cache(installation_); !made) return made.error();
    if (auto started = start_oracle(); !started) return started.error();
    progress_.begin("linting", std::vector<double>(tasks_.size(), 1.0));
    const InterruptGuard guard;
    for (std::size_t i = 0; i < tasks_.size() && !guard.interrupted(); ++i) {
      progress_.item(i, tasks_[i].id);
      rows_.push_back(lint(tasks_[i]));
      const LintRecord& record = rows_.back().outcome.record;
      if (auto kept = store->put(record); !kept) return kept.error();
      progress_.item_done(fmt::format("{}: {}", record.task, summary(record)));
      // An oracle that failed is not trusted with the next task.
      if (record.state == LintState::kUnable)
        if (auto started = start_oracle(); !started) return started.error();
    }
    progress_.end();
    interrupted_ = guard.interrupted();
    print();
    return outcome();
  }

  [[nodiscard]] const std::string& summary_text() const { return summary_; }

 private:
  Status start_oracle() {
    oracle_.reset();
    auto oracle = start_lint_oracle(*sandbox_, installation_, target_);
    if (!oracle) return oracle.error();
    oracle_ = std::move(*oracle);
    return Done{};
  }

  LintRow lint(const Task& task) {
    const auto start = Clock::now();
    LintRow row;
    LintRecord& record = row.outcome.record;
    const TaskSize* size = task.find_size(target_.size);
    const Result<GraphFacts>& facts = copies_.facts.at(task.id);
    if (size != nullptr && facts) {
      const LintRequest request{&task, size, target_.device, random_seed()};
      row.outcome = lint_task(request, {}, *facts, *oracle_, *oracle_);
      add_copies(copies_, *facts, record);
      if (record.state != LintState::kUnable) settle(task, record);
    } else {
      record.task = task.id;
      record.task_hash = task.hash;
      record.size = target_.size;
      record.device = target_.device;
      record.state = LintState::kFailed;
      record.findings = {
          {Weight::kFlaw, "size", "",
           facts ? task.id + " has no size " + target_.size : facts.error().message}};
    }
    record.version = build_info().version;
    record.checked_at = utc_now();
    row.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return row;
  }

  void print() const {
    if (options_.format == OutputFormat::kJson) return print_json(rows_);
    print_table(inspect_terminal(STDOUT_FILENO, options_.common.color), rows_,
                options_.common.verbosity > 0);
  }

  ExitCode outcome() {
    std::map<LintState, int> count;
    for (const LintRow& row : rows_) ++count[row.outcome.record.state];
    summary_ = fmt::format("{} of {} tasks passed, {} with an accepted flaw, {} failed",
                           count[LintState::kPassed], rows_.size(), count[LintState::kAccepted],
                           count[LintState::kFailed]);
    if (count[LintState::kUnable] > 0)
      summary_ += fmt::format(", {} could not be tried", count[LintState::kUnable]);
    if (interrupted_) return ExitCode::kInterrupted;
    if (count[LintState::kUnable] > 0) return ExitCode::kInfrastructure;
    if (count[LintState::kAccepted] > kMostAccepted) {
      summary_ += fmt::format("; at most {} may accept one", kMostAccepted);
      return ExitCode::kTaskFailed;
    }
    return count[LintState::kFailed] > 0 ? ExitCode::kTaskFailed : ExitCode::kGood;
  }

  const LintOptions& options_;
  const Installation& installation_;
  Target target_;
  std::vector<Task> tasks_;
  Copies copies_;
  Progress progress_;
  std::unique_ptr<Sandbox> sandbox_ = make_sandbox();
  std::unique_ptr<OracleProcess> oracle_;
  std::vector<LintRow> rows_;
  bool interrupted_ = false;
  std::string summary_;
};

// Planning is that of a run: the same selection, the same choice of device and size.
RunRequest as_selection(const LintOptions& options) {
  RunRequest run;
  run.suite = options.common.suite;
  run.levels = options.levels;
  run.tasks = options.tasks;
  run.size = options.size;
  run.device = options.device;
  return run;
}

}  // namespace

int lint_command(const LintOptions& options, const Installation& installation) {
  const Terminal terminal = inspect_terminal(STDERR_FILENO, options.common.color);
  const RunRequest selection = as_selection(options);
  auto tasks = choose_tasks(selection, installation);
  if (!tasks) return fail(tasks.error(), terminal);
  if (tasks->empty())
    return finish(ExitCode::kNothingSelected, "no task matches", options.common.verbosity);
  auto target = choose_target(selection, installation);
  if (!target) return fail(target.error(), terminal);
  auto all = tasks_of_suite(options.common.suite, installation);
  if (!all) return fail(all.error(), terminal);
  const auto complete = with_torch(installation, process_environment(), ask_for_torch);
  if (!complete) return fail(complete.error(), terminal);
  Copies copies = find_copies(*all, target->size);
  LintSession session(options, *complete, std::move(*target), std::move(*tasks), std::move(copies));
  auto code = session.run();
  if (!code) return fail(code.error(), terminal);
  return finish(*code, session.summary_text(), options.common.verbosity);
}

}  // namespace kbench
