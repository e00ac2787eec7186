#include "runner/run/graph_against_python.hpp"

#include <utility>

#include "runner/analysis/stop_rule.hpp"
#include "runner/core/sha256.hpp"
#include "runner/core/strict_json.hpp"
#include "runner/core/usable_cores.hpp"
#include "runner/lint/own_model.hpp"
#include "runner/measure/evaluator.hpp"
#include "runner/measure/players/worker_process.hpp"
#include "runner/measure/secret.hpp"

namespace kbench {
namespace {

// The class in which tasks are linted.
constexpr const char* kPrecision = "fp32";
// Agent whose fork server plays the tasks' Models: none.
constexpr const char* kNoAgent = "";
constexpr std::size_t kMostPythonBytes = std::size_t{64} << 20;

// Few blocks, because they have to tell a half, not a percent, and a graph that looks slow is timed
// again. Other programs may disturb one or two of them. On a GPU a call of 20 ms gets one block:
// judging a block's outputs takes longer than the call.
StopRule few_blocks(const std::string& device) {
  StopRule rule = quick_stop_rule(device);
  rule.min_blocks = rule.enough_blocks = rule.most_blocks_a_placement = 4;
  rule.max_seconds = device == "cpu" ? 2 : 0.2;
  return rule;
}

EvaluationSettings settings_for(const std::string& device) {
  EvaluationSettings settings;
  settings.correctness_draws = 10;  // the most; all but the first are judged by eager
  settings.times = Times::kRough;
  settings.null_calls = 5;
  settings.stop = few_blocks(device);
  settings.allow_torch = AllowTorch::kAll;
  return settings;
}

}  // namespace

std::string hash_of_python(const Task& task) {
  const auto text = read_bounded_file(task.source, kMostPythonBytes);
  return text ? sha256(*text) : "";
}

GraphAgainstPython::GraphAgainstPython(const Installation& installation, const Target& target,
                                       Sandbox& sandbox, std::vector<const Task*> tasks,
                                       const std::function<bool()>& interrupted)
    : installation_(installation),
      target_(target),
      sandbox_(sandbox),
      tasks_(std::move(tasks)),
      python_(find_python_parts(installation, target.device == "cuda")),
      zygotes_(sandbox) {
  if (!python_) return;
  zygotes_.start_early(kNoAgent, zygote_command(python_->player, target_.device,
                                                target_.device_index, usable_threads()));
  arguments_.emplace(tasks_.size(), [this, interrupted](const auto& give) {
    ask_model_arguments(tasks_, target_.size, python_->player, installation_, sandbox_, give,
                        interrupted);
    return Error{ErrorCode::kInfrastructure, "its Python was not looked at", ""};
  });
}

void GraphAgainstPython::wait_for_files() const {
  if (arguments_) arguments_->wait_for_all();
}

Result<std::vector<LintFinding>> GraphAgainstPython::compare(std::size_t index, Oracle& oracle) {
  const auto cannot = [](const Error& error) {
    return Error{ErrorCode::kInfrastructure,
                 "its graph could not be compared with its Python: " + error.message, error.hint};
  };
  if (!python_) return cannot(python_.error());
  const Task& task = *tasks_[index];
  const auto& arguments = arguments_->of(index);
  if (!arguments) return cannot(arguments.error());
  constexpr std::size_t kMostEvaluations = 3;
  std::vector<Evaluation> own;
  do own.push_back(play(task, *arguments, oracle));
  while (own.size() < kMostEvaluations && looks_slow(own));
  return findings_of(own, arguments->source_hash);
}

Evaluation GraphAgainstPython::play(const Task& task, const ModelArguments& arguments,
                                    Oracle& oracle) {
  const TaskSize& size = *task.find_size(target_.size);
  EvaluationRequest request;
  request.task = &task;
  request.size = &size;
  request.device = target_.device;
  request.device_index = target_.device_index;
  request.threads = usable_threads();
  request.cores = target_.cores;
  request.precision = kPrecision;
  request.package_reason = "not asked for";
  request.submission = SubmissionId{.name = task.id};
  request.library = [&]() -> Result<std::filesystem::path> { return arguments.reference.folder; };
  request.seed = random_seed();
  if (target_.device != "cpu") request.heap_bytes = python_heap_bytes(size);
  const auto program = make_python_program(zygotes_, python_->player,
                                           PythonModel{.entry = arguments.reference.entry,
                                                       .init = arguments.init,
                                                       .mode = task.mode,
                                                       .state = arguments.state,
                                                       .kernelbench = arguments.kernelbench,
                                                       .built = std::nullopt},
                                           kNoAgent);
  return evaluate(request, settings_for(target_.device), oracle,
                  [&](const WorkerStart& start) { return WorkerProcess::start(*program, start); });
}

}  // namespace kbench
