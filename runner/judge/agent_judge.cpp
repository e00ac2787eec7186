#include "runner/judge/agent_judge.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "reports/facts/model.hpp"
#include "reports/formats/json_report.hpp"
#include "runner/judge/kernel_profile.hpp"
#include "runner/judge/kernel_words.hpp"
#include "runner/os/files.hpp"
#include "runner/workspace/tool_result.hpp"

namespace kbench {
namespace {

KernelVerdict failed(const Error& error) {
  const bool theirs = error.code == ErrorCode::kSubmission || error.code == ErrorCode::kBadInput;
  return {error_result(error), "", theirs ? CallError::kRefused : CallError::kInfrastructure,
          false};
}

KernelVerdict nobody() { return {Json::object(), "", CallError::kInfrastructure, true}; }

CallError error_of(State state) {
  return fault_of(state) == Fault::kInfrastructure && state != State::kDoesNotFit
             ? CallError::kInfrastructure
             : CallError::kNone;
}

class DeviceJudge final : public EpisodeJudge {
 public:
  explicit DeviceJudge(AgentJudging judging) : judging_(std::move(judging)) {}

  KernelVerdict compile(const WorkspaceTask& task, const KernelTree& tree) override {
    const std::scoped_lock one_at_a_time(device_);
    if (judging_.stop()) return nobody();
    const auto staged = stage(task, tree, "");
    if (!staged) return failed(staged.error());
    CompileAnswer answer = compile_kernels({*staged, task, judging_.place});
    return {std::move(answer.result), "", error_of(answer.state), false};
  }

  KernelVerdict verify(const WorkspaceTask& task, const KernelTree& tree) override {
    const std::scoped_lock one_at_a_time(device_);
    if (judging_.stop()) return nobody();
    const auto staged = stage(task, tree, "");
    if (!staged) return failed(staged.error());
    const auto run = judge({*staged, task, judging_.place}, /*timed=*/false);
    if (!run) return failed(run.error());
    if (!run->row) return not_judged(*run);
    return {verify_result(*run->row), "", error_of(run->row->state), false};
  }

  KernelVerdict profile(const WorkspaceTask& task, const KernelTree& tree) override {
    const std::scoped_lock one_at_a_time(device_);
    if (judging_.stop()) return nobody();
    const auto staged = stage(task, tree, "");
    if (!staged) return failed(staged.error());
    ProfiledKernels profiled =
        profile_kernels({*staged, task, judging_.place}, judging_.sink.progress());
    if (judging_.stop()) return nobody();
    return {std::move(profiled.result), "", error_of(profiled.state), false};
  }

  KernelVerdict report(std::string_view component, const WorkspaceTask& task,
                       const KernelTree& tree) override {
    const std::scoped_lock one_at_a_time(device_);
    if (judging_.stop()) return nobody();
    const auto staged = stage(task, tree, "");
    if (!staged) return failed(staged.error());
    SpokenKernels spoken = spoken_kernels(component, {*staged, task, judging_.place});
    return {std::move(spoken.result), "", error_of(spoken.state), false};
  }

  KernelVerdict submit(const WorkspaceTask& task, const KernelTree& tree,
                       const std::string& variant) override {
    return stored_row(task, tree, variant, /*timed=*/true);
  }

  KernelVerdict check(const WorkspaceTask& task, const KernelTree& tree,
                      const std::string& variant) override {
    return stored_row(task, tree, variant, /*timed=*/false);
  }

 private:
  KernelVerdict stored_row(const WorkspaceTask& task, const KernelTree& tree,
                           const std::string& variant, bool timed) {
    const std::scoped_lock one_at_a_time(device_);
    auto before = find_row(task.task, variant, timed);
    if (!before) return failed(before.error());
    if (!before->empty()) return verdict_of(*before);
    if (judging_.stop()) return nobody();
    const auto staged = stage(task, tree, variant);
    if (!staged) return failed(staged.error());
    const auto run = judge({*staged, task, judging_.place}, timed);
    if (!run) return failed(run.error());
    if (!run->row) return not_judged(*run);
    const auto key = take_row(*run);
    return key ? verdict_of(*key) : failed(key.error());
  }

  Result<StagedKernels> stage(const WorkspaceTask& task, const KernelTree& tree,
                              const std::string& variant) const {
    auto folder = ScratchFolder::make("kbench-agent");
    if (!folder) return folder.error();
    if (auto added = add_submission(folder->path(), tree, task.task, judging_.agent, variant);
        !added)
      return added.error();
    return StagedKernels{std::move(*folder), tree.hash};
  }

  Result<KernelRun> judge(const KernelRequest& request, bool timed) {
    return run_kernels(request,
                       {.timed = timed,
                        .database = std::nullopt,
                        .command_line = "kbench agent run",
                        .stop = judging_.stop,
                        .quick = timed && judging_.quick,
                        .allow_torch = judging_.allow_torch},
                       judging_.sink);
  }

  KernelVerdict not_judged(const KernelRun& run) const {
    if (judging_.stop()) return nobody();
    return failed({ErrorCode::kInfrastructure, "nothing was judged: " + run.summary(), ""});
  }

  // The key of a row that was stored before the caller could be told; empty without one. A row that
  // was timed was checked as well.
  Result<std::string> find_row(const std::string& task, const std::string& variant, bool timed) {
    if (auto read = read_keys(); !read) return read.error();
    for (const bool was_timed : {true, timed})
      if (const auto found = keys_->find({task, variant, was_timed}); found != keys_->end())
        return found->second;
    return std::string();
  }

  // All rows of the run are read once, with their samples: no other adds one with a submission.
  Status read_keys() {
    if (keys_) return Done{};
    const auto rows =
        judging_.store.with([&](const Store& store) { return store.evaluations(judging_.run_id); });
    if (!rows) return rows.error();
    keys_.emplace();
    for (const Evaluation& row : *rows) remember(row);
    return Done{};
  }

  void remember(const Evaluation& row) {
    if (row.submission) keys_->try_emplace({row.task, row.submission->variant, row.timed}, row.key);
  }

  // The row, as it was measured, with its sources, becomes one of the episodes' run.
  Result<std::string> take_row(const KernelRun& run) {
    Evaluation row = *run.row;
    row.run_id = judging_.run_id;
    const Status added =
        judging_.store.with([&](Store& store) { return store.add(row, run.sources); });
    if (!added) return added.error();
    remember(row);
    return row.key;
  }

  KernelVerdict verdict_of(const std::string& key) const {
    auto data = judging_.store.with([&](const Store& store) { return report_of(store, key); });
    if (!data) return failed(data.error());
    data->trust = judging_.trust;
    const Evaluation& evaluation = data->evaluations.front();
    return {{{"run_id", judging_.run_id},
             {"row", result_json(derive(*data, evaluation), judging_.reward)}},
            key,
            error_of(evaluation.state),
            false};
  }

  // This run's row of that key alone, with what its chain says about it.
  Result<ReportData> report_of(const Store& store, const std::string& key) const {
    auto stored = store.read_key(key);
    if (!stored) return stored.error();
    for (Evaluation& row : stored->evaluations)
      if (row.run_id == judging_.run_id)
        return row_report(store, std::move(row), stored->chains[judging_.run_id]);
    return Error{ErrorCode::kInfrastructure, "the row that was stored is not there", ""};
  }

  AgentJudging judging_;
  std::mutex device_;
  // Keys of the run's rows with a submission, by task, variant and whether it was timed; nothing
  // before the first submit.
  std::optional<std::map<std::tuple<std::string, std::string, bool>, std::string>> keys_;
};

}  // namespace

std::unique_ptr<EpisodeJudge> make_agent_judge(AgentJudging judging) {
  return std::make_unique<DeviceJudge>(std::move(judging));
}

}  // namespace kbench
