#include "runner/run/run_builds.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "runner/core/lines.hpp"
#include "runner/core/usable_cores.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/run/baseline_packages.hpp"
#include "runner/run/model_arguments.hpp"
#include "runner/run/shared_libraries.hpp"
#include "runner/task/working_type.hpp"

namespace kbench {

Toolchain toolchain_for(const Target& target, Toolchain toolchain) {
  if (target.gpu) toolchain.cuda_architecture = cuda_architecture(target.gpu->compute_capability);
  return toolchain;
}

RunBuilds::RunBuilds(const BenchOrder& order, const Installation& installation,
                     const std::optional<PythonParts>& python, Sandbox& sandbox,
                     const Toolchain& toolchain)
    : request_(order.request),
      terms_(order.terms),
      plan_(order.plan),
      progress_(order.progress),
      installation_(installation),
      python_(python),
      sandbox_(sandbox),
      compiler_(sandbox, toolchain, installation.cache / "submissions", installation.abi) {
  compiler_.tell(order.compiler_tells);
  if (const auto exchange = exchange_of_run()) share_libraries(*exchange, compiler_);
  if (python_)
    python_builder_ =
        make_python_builder(*python_, plan_.target, installation_, sandbox_, toolchain);
}

// --- submissions ---

bool RunBuilds::on_device() const {
  return on_cuda() &&
         std::any_of(plan_.units.begin(), plan_.units.end(), [](const PlannedRow& unit) {
           return unit.submission && !unit.ends_as && unit.submission->is_built_as_python();
         });
}

void RunBuilds::begin() {
  compiling_ = std::async(std::launch::async, [this] {
    const ArgumentsByTask arguments =
        python_ ? ask_model_arguments(plan_, python_->player, installation_, sandbox_,
                                      [this] { return given_up_.load(); })
                : ArgumentsByTask{};
    return build_submissions(plan_, {compiler_, python_builder_.get()}, arguments,
                             terms_.jobs.value_or(usable_threads()), given_up_);
  });
}

void RunBuilds::await() {
  if (compiling_.valid()) builds_ = compiling_.get();
}

bool RunBuilds::in_vain() {
  if (compiling_.valid()) {
    builds_ = compiling_.get();
    tell_of_failures();
  }
  if (builds_.empty()) return false;
  for (std::size_t i = 0; i < plan_.units.size(); ++i)
    if (is_measured(i)) return false;
  return true;
}

bool RunBuilds::is_measured(std::size_t index) const {
  const PlannedRow& unit = plan_.units[index];
  if (unit.ends_as || error_of(index) != nullptr) return false;
  return unit.submission || !request_.checks_only;
}

void RunBuilds::tell_of_failures() {
  for (std::size_t i = 0; i < plan_.units.size(); ++i) {
    const Error* error = error_of(i);
    if (error == nullptr) continue;
    const std::string name = clean_name(plan_.units[i].id.name, 120);
    const std::string what = printable(first_line(error->message));
    progress_.note(what.starts_with(name) ? what : fmt::format("{}: {}", name, what));
  }
}

// --- tasks and packages ---

Status RunBuilds::prepare(const std::set<std::size_t>& units, Store& store,
                          const OracleHello& hello, const std::function<bool()>& interrupted,
                          const std::function<bool()>& between) {
  std::set<std::size_t> all;     // tasks
  std::set<std::size_t> judged;  // tasks with a submission
  for (const std::size_t unit : units) {
    all.insert(plan_.units[unit].task);
    if (plan_.units[unit].submission) judged.insert(plan_.units[unit].task);
  }
  const auto written = as_written(judged);
  if (!written) return written.error();
  std::vector<const Task*> checked;
  for (const Task& task : *written) checked.push_back(&task);
  if (auto sound = task_checks_.check(checked, !request_.no_lint, store, progress_, interrupted);
      !sound)
    return sound;
  auto packages = build_baseline_packages(plan_, all, installation_, hello,
                                          {.precision = request_.precision,
                                           .jobs = terms_.jobs,
                                           .interrupted = between,
                                           .shared = shared_packages(),
                                           .gpus = gpus_},
                                          sandbox_, progress_);
  if (!packages) return packages.error();
  packages_ = std::move(*packages);
  return Done{};
}

// The tasks in the class in which they are linted and compared with their Python, whatever the
// run's class.
Result<std::vector<Task>> RunBuilds::as_written(const std::set<std::size_t>& tasks) const {
  std::vector<Task> written;
  for (const std::size_t task : tasks) {
    const Task& planned = plan_.tasks[task];
    auto loaded = working_type(request_.precision) == DType::kFloat32 ? Result<Task>(planned)
                                                                      : load_task(planned.file);
    if (!loaded) return loaded.error();
    written.push_back(std::move(*loaded));
  }
  return written;
}

// The run opens the exchange itself, and says what is wrong with it.
std::optional<Exchange> RunBuilds::exchange_of_run() const {
  if (!terms_.exchange) return std::nullopt;
  auto exchange = Exchange::open_with_key_of(installation_.state, *terms_.exchange);
  return exchange ? std::optional(std::move(*exchange)) : std::nullopt;
}

std::optional<CacheEntries> RunBuilds::shared_packages() const {
  const auto exchange = exchange_of_run();
  return exchange ? std::optional(exchange->cache(kCachedPackages)) : std::nullopt;
}

Status RunBuilds::build_package(std::size_t task, const OracleHello& hello) {
  if (packages_.contains(task)) return Done{};
  auto packages = build_baseline_packages(plan_, {task}, installation_, hello,
                                          {.precision = request_.precision,
                                           .jobs = terms_.jobs,
                                           .interrupted = [] { return false; },
                                           .shared = shared_packages(),
                                           .gpus = gpus_},
                                          sandbox_, progress_);
  if (!packages) return packages.error();
  packages_ = std::move(*packages);
  return Done{};
}

// True where the oracle may begin early: not on a CPU, where compilers would slow down what is
// measured, nor where a package is to be built: no task whose submissions do not compile needs one.
// Nor where a build step takes the GPU.
bool RunBuilds::may_begin_early(const OracleHello& hello) const {
  return on_cuda() && !on_device() && plan_.tasks.size() == 1 &&
         (request_.checks_only || has_cached_package(plan_.tasks.front(), plan_.target,
                                                     installation_, hello, request_.precision));
}

// --- a unit ---

UnitParts RunBuilds::parts_of(std::size_t index) {
  const PlannedRow& unit = plan_.units[index];
  const Task& task = plan_.tasks[unit.task];
  UnitParts parts{
      .task = &task,
      .is_python = unit.is_python(),
      .build = of(index),
      .finished_build = [this, index]() -> const SubmissionBuild& { return finished(index); }};
  if (unit.submission) {
    parts.submission = unit.id;
    parts.unranked = task_checks_.why_unranked(task);
  }
  if (const auto package = packages_.find(unit.task); package != packages_.end())
    parts.package = package->second;
  return parts;
}

}  // namespace kbench
