#include "runner/lint/lint_session.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/utc_now.hpp"
#include "runner/device/measuring_lock.hpp"
#include "runner/device/oracle_options.hpp"
#include "runner/installation/build_info.hpp"
#include "runner/installation/torch_search.hpp"
#include "runner/lint/graph_facts.hpp"
#include "runner/machine/target.hpp"
#include "runner/measure/oracle/oracle_process.hpp"
#include "runner/measure/secret.hpp"
#include "runner/os/stop_signals.hpp"
#include "runner/plan/device_choice.hpp"
#include "runner/plan/task_choice.hpp"
#include "runner/sandbox/sandbox.hpp"
#include "runner/store/store.hpp"
#include "runner/task/suite.hpp"
#include "runner/task/working_type.hpp"

namespace kbench {
namespace {

using Weight = LintFinding::Weight;
using Clock = std::chrono::steady_clock;

// Facts of a suite's graphs at one size, and which tasks share a fingerprint.
struct Copies {
  std::map<std::string, Result<GraphFacts>> facts;           // key: the id
  std::map<std::string, std::vector<std::string>> same;      // fingerprint to ids
  std::map<std::string, std::vector<std::string>> sequence;  // operator sequence to ids
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

// One lint of all selected tasks, from opening the database to the last row.
class LintSession {
 public:
  LintSession(const Installation& installation, Target target, std::vector<Task> tasks,
              Copies copies, const std::string& precision, ProgressSink& progress)
      : installation_(installation),
        target_(std::move(target)),
        precision_(precision),
        type_(working_type(precision)),
        tasks_(std::move(tasks)),
        copies_(std::move(copies)),
        progress_(progress) {}

  Result<SuiteLint> run(const std::filesystem::path& database) {
    auto store = Store::open(database, Store::Mode::kReadWrite);
    if (!store) return store.error();
    // Nothing is timed here.
    const LockRequest request{.installation = &installation_,
                              .target = &target_,
                              .what = "tasks lint",
                              .turn_only = true,
                              .progress = &progress_};
    auto lock = take_measuring_lock(request);
    if (!lock) return lock.error();
    if (auto made = create_cache(installation_); !made) return made.error();
    if (auto started = start_oracle(); !started) return started.error();
    progress_.begin("linting", std::vector<double>(tasks_.size(), 1.0));
    SuiteLint found;
    const InterruptGuard guard;
    for (std::size_t i = 0; i < tasks_.size() && !guard.interrupted(); ++i) {
      give_turn(request, *lock);
      progress_.item(i, tasks_[i].id);
      found.rows.push_back(lint(tasks_[i]));
      const LintRecord& record = found.rows.back().outcome.record;
      // Runs of any class go by what was found in float32.
      if (auto kept = type_ == DType::kFloat32 ? store->put(record) : Status(Done{}); !kept)
        return kept.error();
      progress_.item_done(fmt::format("{}: {}", record.task, summary(record)));
      // An oracle that failed is not trusted with the next task.
      if (record.state == LintState::kUnable)
        if (auto started = start_oracle(); !started) return started.error();
    }
    progress_.end();
    found.interrupted = guard.interrupted();
    return found;
  }

 private:
  Status start_oracle() {
    oracle_.reset();
    auto oracle = start_lint_oracle(*sandbox_, installation_, target_, precision_);
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
      row.outcome = lint_task(request, {.type = type_}, *facts, *oracle_, *oracle_);
      if (const std::string why = type_ == DType::kFloat32 ? "" : why_not_in_half(*size);
          !why.empty())
        record.findings.push_back({Weight::kFlaw, std::string(kNotInHalf), "", why});
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

  const Installation& installation_;
  Target target_;
  std::string precision_;
  DType type_;
  std::vector<Task> tasks_;
  Copies copies_;
  ProgressSink& progress_;
  std::unique_ptr<Sandbox> sandbox_ = make_sandbox();
  std::unique_ptr<OracleProcess> oracle_;
};

constexpr int kSchemaVersion = 1;

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

}  // namespace

Result<std::unique_ptr<OracleProcess>> start_lint_oracle(Sandbox& sandbox,
                                                         const Installation& installation,
                                                         const Target& target,
                                                         const std::string& precision) {
  const bool in_half = working_type(precision) != DType::kFloat32;
  auto oracle = OracleProcess::start(
      oracle_options(sandbox, installation, target, in_half ? precision : "fp32"));
  if (!oracle) return oracle.error();
  if (auto hello = (*oracle)->hello(); !hello) return hello.error();
  return oracle;
}

int SuiteLint::count(LintState state) const {
  return static_cast<int>(std::count_if(rows.begin(), rows.end(), [&](const LintRow& row) {
    return row.outcome.record.state == state;
  }));
}

Result<SuiteLint> lint_suite(const RunRequest& selection, const std::filesystem::path& database,
                             const Installation& installation, ProgressSink& progress) {
  auto tasks = choose_tasks(selection, installation);
  if (!tasks) return tasks.error();
  auto all = tasks_of_suite(selection.suite, installation);
  if (!all) return all.error();
  if (tasks->empty()) return SuiteLint{.nothing_selected = why_no_task(*all, selection)};
  auto target = choose_target(selection, installation);
  if (!target) return target.error();
  const auto complete = with_torch(installation, process_environment(), ask_for_torch);
  if (!complete) return complete.error();
  Copies copies = find_copies(*all, target->size);
  return LintSession(*complete, std::move(*target), std::move(*tasks), std::move(copies),
                     selection.precision, progress)
      .run(database);
}

Json lint_json(const std::vector<LintRow>& rows) {
  Json json = {{"schema_version", kSchemaVersion}, {"tasks", Json::array()}};
  for (const LintRow& row : rows) json["tasks"].push_back(row_json(row));
  return json;
}

}  // namespace kbench
