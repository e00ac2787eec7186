#include "runner/run/build_session.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "runner/core/usable_cores.hpp"
#include "runner/device/device_session.hpp"
#include "runner/exchange/exchange.hpp"
#include "runner/machine/cuda_probe.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/stop_signals.hpp"
#include "runner/plan/run_plan.hpp"
#include "runner/run/announced_plan.hpp"
#include "runner/run/model_arguments.hpp"
#include "runner/run/python_submissions.hpp"
#include "runner/run/run_builds.hpp"
#include "runner/run/shared_libraries.hpp"
#include "runner/run/submission_builds.hpp"

namespace kbench {
namespace {

using Built = BuiltRow::State;

bool is_cuda(const std::string& device) { return device.starts_with("cuda"); }

std::string describe(const Target& target, const Toolchain& toolchain) {
  if (target.device != "cuda") return target.device;
  return fmt::format("cuda, architecture {}", toolchain.cuda_architecture);
}

Built state_of(ErrorCode code) {
  if (code == ErrorCode::kSubmission) return Built::kFailed;
  return code == ErrorCode::kNotFound ? Built::kLeft : Built::kUnable;
}

// All of one build.
class Builds {
 public:
  Builds(const BuildRequest& request, Plan& plan, DeviceSession& session, ProgressSink& progress)
      : request_(request),
        plan_(plan),
        session_(session),
        sandbox_(*session.sandbox()),
        toolchain_(toolchain_for(plan.target, session.toolchain())),
        progress_(progress),
        compiler_(sandbox_, toolchain_, session.installation().cache / "submissions",
                  session.installation().abi) {}

  void share(const Exchange& exchange) {
    share_libraries(exchange, compiler_, [this](const Error& why) {
      const std::scoped_lock lock(mutex_);
      if (!unshared_) unshared_ = why;
      given_up_ = true;
    });
  }

  Result<BuiltPlan> run() {
    const InterruptGuard guard;
    leave_out();
    const auto installation = with_torch_if_played();
    if (!installation) return installation.error();
    const auto python = find_python_parts(plan_, *installation, toolchain_);
    std::unique_ptr<PythonBuilder> builder;
    ArgumentsByTask arguments;
    if (python) {
      builder = make_python_builder(*python, plan_.target, *installation, sandbox_, toolchain_);
      arguments = ask_model_arguments(plan_, python->player, *installation, sandbox_,
                                      [&] { return guard.interrupted(); });
    }
    std::vector<BuiltRow> rows(plan_.units.size());
    std::vector<char> ended(plan_.units.size(), 0);
    const auto submitted = static_cast<std::size_t>(std::count_if(
        plan_.units.begin(), plan_.units.end(), [](const auto& unit) { return is_row(unit); }));
    progress_.begin("submissions", std::vector<double>(submitted, 0));
    std::size_t done = 0;
    const auto told = [&](std::size_t unit, const SubmissionBuild& build) {
      const std::scoped_lock lock(mutex_);
      if (guard.interrupted()) given_up_ = true;
      if (!is_row(plan_.units[unit])) return;
      rows[unit] = row_of(plan_.units[unit], build);
      ended[unit] = 1;
      const std::string name = clean_name(rows[unit].submission.name, 120);
      progress_.detail(fmt::format("{}: {}", name, to_string(rows[unit].state)));
      progress_.item(done++, name);
    };
    (void)build_submissions(plan_, {compiler_, builder.get()}, arguments,
                            request_.jobs.value_or(usable_threads()), given_up_, told);
    progress_.end();
    if (unshared_) return *unshared_;
    BuiltPlan built{.target = describe(plan_.target, toolchain_),
                    .interrupted = guard.interrupted()};
    for (std::size_t unit = 0; unit < rows.size(); ++unit)
      if (ended[unit] != 0) built.rows.push_back(std::move(rows[unit]));
    return built;
  }

 private:
  // A task without a submission has nothing to compile.
  static bool is_row(const PlannedRow& unit) { return unit.submission || unit.ends_as; }

  // Ends the Python submissions of a GPU: their build step takes it.
  void leave_out() {
    if (plan_.target.device != "cuda") return;
    for (PlannedRow& unit : plan_.units) {
      if (!is_played_python(unit)) continue;
      unit.ends_as = State::kSkipped;
      unit.message = unit.submission->is_built_as_python()
                         ? "the run compiles what it asks torch or Triton for, on its GPU"
                         : "Python, of which nothing is compiled";
    }
  }

  // A machine without torch compiles what is no Python.
  Result<Installation> with_torch_if_played() {
    const bool played = std::any_of(plan_.units.begin(), plan_.units.end(), is_played_python);
    return played ? session_.with_libtorch() : Result<Installation>(session_.installation());
  }

  BuiltRow row_of(const PlannedRow& unit, const SubmissionBuild& build) const {
    BuiltRow row{.task = plan_.tasks[unit.task].id, .submission = unit.id};
    if (unit.ends_as) {
      row.state = *unit.ends_as == State::kSkipped ? Built::kLeft : Built::kFailed;
      row.why = unit.message;
    } else if (build.error) {
      row.state = state_of(build.error->code);
      row.why = build.error->message;
    } else if (plan_.tasks[unit.task].find_size(plan_.target.size) == nullptr) {
      row.why = fmt::format("its task has no size {}", plan_.target.size);
    } else if (unit.is_python() && !unit.submission->is_built_as_python()) {
      row.why = "Python, of which nothing is compiled";
    } else {
      row.state = build.from_cache ? Built::kThere : Built::kBuilt;
      row.seconds = build.from_cache ? 0 : build.seconds.value_or(0);
    }
    return row;
  }

  const BuildRequest& request_;
  Plan& plan_;
  DeviceSession& session_;
  Sandbox& sandbox_;
  const Toolchain toolchain_;
  ProgressSink& progress_;
  Compiler compiler_;
  std::mutex mutex_;
  std::atomic<bool> given_up_ = false;
  std::optional<Error> unshared_;
};

}  // namespace

std::string to_string(BuiltRow::State state) {
  switch (state) {
    case Built::kBuilt: return "built";
    case Built::kThere: return "there";
    case Built::kFailed: return "failed";
    case Built::kLeft: return "left";
    case Built::kUnable: return "unable";
  }
  return "";
}

int BuiltPlan::count(BuiltRow::State state) const {
  return static_cast<int>(std::count_if(rows.begin(), rows.end(),
                                        [&](const BuiltRow& row) { return row.state == state; }));
}

Result<std::optional<Target>> named_target(const BuildRequest& request) {
  const auto& device = request.run.device;
  if (!request.architecture) {
    if (device && is_cuda(*device) && probe_gpus().empty())
      return Error{ErrorCode::kUsage, "there is no GPU here that says what to compile for",
                   "name the architecture: --arch 90a for compute capability 9.0"};
    return std::optional<Target>();
  }
  if (device && !is_cuda(*device))
    return Error{ErrorCode::kUsage,
                 fmt::format("--arch names a GPU's architecture, and --device is {}", *device),
                 "leave one of them out"};
  const auto capability = compute_capability_of(*request.architecture);
  if (!capability) return capability.error();
  Target target{.device = "cuda", .size = request.run.size.value_or("full")};
  target.gpu = GpuInfo{.compute_capability = *capability};
  return std::optional(std::move(target));
}

Result<BuiltPlan> build_plan(const BuildRequest& request, const Installation& installation,
                             ProgressSink& progress) {
  const auto target = named_target(request);
  if (!target) return target.error();
  DeviceSession session(installation, SessionTurns::kOne);
  session.prepare();
  auto plan = make_plan(request.run, installation, *target);
  if (!plan) return plan.error();
  if (plan->nothing_selected)
    return BuiltPlan{.nothing_selected = std::move(plan->nothing_selected)};
  std::optional<Exchange> exchange;
  if (request.exchange) {
    auto opened = Exchange::open_with_key_of(installation.state, *request.exchange);
    if (!opened) return opened.error();
    exchange.emplace(std::move(*opened));
  }
  announce_plan(*plan, progress);
  if (plan->census) announce_files(*plan->census, progress);
  if (auto made = create_cache(installation); !made) return made.error();
  Builds builds(request, *plan, session, progress);
  if (exchange) builds.share(*exchange);
  return builds.run();
}

}  // namespace kbench
