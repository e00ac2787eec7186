#include "runner/run/task_examiner.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <utility>

#include "runner/import/lowering_setup.hpp"
#include "runner/import/recount.hpp"
#include "runner/installation/python_facts.hpp"
#include "runner/lint/graph_facts.hpp"
#include "runner/lint/lint_session.hpp"
#include "runner/lint/linter.hpp"
#include "runner/measure/oracle/oracle_process.hpp"
#include "runner/measure/secret.hpp"
#include "runner/run/awaited_answers.hpp"
#include "runner/run/graph_against_python.hpp"

namespace kbench {
namespace {

class MachinesExaminer final : public TaskExaminer {
 public:
  MachinesExaminer(const Installation& installation, const Target& target, Sandbox& sandbox)
      : installation_(installation), target_(target), sandbox_(sandbox) {}

  void begin(const std::vector<const Task*>& tasks,
             const std::function<bool()>& interrupted) override {
    costs_.emplace(tasks.size(), [this, tasks, interrupted](const auto& give) {
      return count_anew(tasks, interrupted, give);
    });
    python_.emplace(installation_, target_, sandbox_, tasks, interrupted);
  }
  void end() override {
    python_.reset();
    costs_.reset();
    oracle_.reset();
  }

  Result<LintRecord> lint(const Task& task, const TaskSize& size) override {
    if (!oracle_) {
      auto started = start_lint_oracle(sandbox_, installation_, target_, "fp32");
      if (!started) return started.error();
      oracle_ = std::move(*started);
    }
    const auto facts = read_graph_facts(task.file, size.name);
    if (!facts) return facts.error();
    LintSettings settings;
    settings.only_whether_it_ranks = true;
    const LintRequest request{&task, &size, target_.device, random_seed()};
    return lint_task(request, settings, *facts, *oracle_, *oracle_).record;
  }
  void drop_oracle() override { oracle_.reset(); }

  Result<std::vector<LintFinding>> compare(std::size_t index) override {
    return python_->compare(index, *oracle_);
  }
  Result<LintFinding> cost(std::size_t index) override { return costs_->of(index); }
  void wait_for_threads() override {
    costs_->wait_for_all();
    python_->wait_for_files();
  }

 private:
  using Costs = AwaitedAnswers<LintFinding>;

  [[nodiscard]] Error count_anew(const std::vector<const Task*>& tasks,
                                 const std::function<bool()>& interrupted,
                                 const Costs::Give& give) {
    constexpr int kGiB = 12;  // limit of the address space
    if (installation_.python.empty())
      return Error{ErrorCode::kInfrastructure, installation_.python_reason,
                   "`kbench doctor` says where a Python with torch was looked for"};
    const auto facts = ask_python(installation_.python);
    if (!facts) return facts.error();
    std::vector<std::filesystem::path> files;
    for (const Task* task : tasks) files.push_back(task->file);
    const auto counted =
        recount(sandbox_, lowering_setup(installation_, *facts, kGiB), files, interrupted, give);
    return counted ? Error{ErrorCode::kInfrastructure, "its cost was not counted anew", ""}
                   : counted.error();
  }

  const Installation& installation_;
  const Target& target_;
  Sandbox& sandbox_;
  std::unique_ptr<OracleProcess> oracle_;
  std::optional<Costs> costs_;
  std::optional<GraphAgainstPython> python_;
};

}  // namespace

std::unique_ptr<TaskExaminer> make_task_examiner(const Installation& installation,
                                                 const Target& target, Sandbox& sandbox) {
  return std::make_unique<MachinesExaminer>(installation, target, sandbox);
}

}  // namespace kbench
