#include "runner/run/device_bench.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/backend/nvml.hpp"
#include "runner/core/usable_cores.hpp"
#include "runner/device/calibration_file.hpp"
#include "runner/device/machine_facts.hpp"
#include "runner/exchange/exchange.hpp"
#include "runner/measure/evaluator.hpp"
#include "runner/measure/players/initial_parameters.hpp"
#include "runner/measure/players/worker_process.hpp"
#include "runner/measure/profiled_calls.hpp"
#include "runner/measure/watch/device_health.hpp"
#include "runner/measure/watch/pressure_share.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/run/baseline_packages.hpp"
#include "runner/run/model_arguments.hpp"
#include "runner/run/python_submissions.hpp"
#include "runner/run/row_order.hpp"
#include "runner/run/task_checks.hpp"
#include "runner/run/vendor_baseline.hpp"
#include "runner/submission/cuda_tools.hpp"
#include "runner/task/working_type.hpp"
#include "runner/verify/profile.hpp"

namespace kbench {
namespace {

constexpr const char* kRightByItsOwn =
    "; it is right under the parameters that its own __init__ draws, which the task's replace: "
    "what it makes of parameters is made in kbench_prepare(self)";

// What a fresh oracle may take to load LibTorch and to use the device once.
constexpr std::chrono::seconds kDevicePatience{60};

// Whose fork server plays eager beside Python submissions.
constexpr const char* kNoAgent = "";

// No worker starts before everything is built, so that no compiler disturbs a clock.
class DeviceBench final : public RunBench {
 public:
  // `python`: what plays Python submissions; none where there are none to be played.
  DeviceBench(const BenchOrder& order, Installation installation, std::optional<PythonParts> python,
              const JudgingProfile& profile, DeviceSession& device, const Toolchain& toolchain)
      : order_(order),
        request_(order.request),
        terms_(order.terms),
        installation_(std::move(installation)),
        plan_(order.plan),
        python_(std::move(python)),
        profile_(profile),
        progress_(order.progress),
        device_(device),
        shared_sandbox_(device.sandbox()),
        sandbox_(*shared_sandbox_),
        zygotes_(sandbox_),
        compiler_(sandbox_, toolchain, installation_.cache / "submissions", installation_.abi) {
    compiler_.tell(order.compiler_tells);
    if (python_)
      python_builder_ =
          make_python_builder(*python_, plan_.target, installation_, sandbox_, toolchain);
  }

  Status take_device(const std::string& what, double seconds) override {
    if (auto made = create_cache(installation_); !made) return made.error();
    if (!builds_on_device()) begin_builds();
    lock_request_ = lock_request_of(order_, installation_, what, seconds);
    lock_request_.is_needless = [this] { return gives_up() || is_built_in_vain(); };
    auto turn = DeviceTurn::take(device_, lock_request_);
    given_up_ = !turn.ok();  // nobody will want what is not compiled yet
    if (!turn) return turn.error();
    if (gives_up()) {  // without a lock nothing is measured
      given_up_ = true;
      return Error{ErrorCode::kInfrastructure, "interrupted while it waited for the device", ""};
    }
    turn_.emplace(std::move(*turn));
    return Done{};
  }

  void give_turn(double next_seconds) override { turn_->give_turn(lock_request_, next_seconds); }

  Result<OracleHello> start() override {
    if (auto started = turn_->start_oracle(installation_, plan_.target, request_.precision);
        !started)
      return started.error();
    // LibTorch loads while the sandbox is tried, which starts CUDA, and the submissions compile.
    const auto trial = std::async(std::launch::async, [this] { (void)sandbox_.level(on_cuda()); });
    if (on_cuda()) nvml_ = Nvml::open();
    if (builds_on_device()) begin_builds();
    starting_torch_ = std::async(std::launch::async, [this] { start_torch_early(); });
    if (auto ready = await_oracle(); !ready) {
      given_up_ = true;  // nobody will want what is not compiled yet
      return ready.error();
    }
    trial.wait();
    if (!may_begin_early()) await_builds();
    return hello_;
  }

  [[nodiscard]] const Toolchain& toolchain() const override { return compiler_.toolchain(); }

  Json describe_machine() override {
    return kbench::describe_machine(plan_.target.gpu, hello_, compiler_.toolchain(),
                                    sandbox_.level(on_cuda()), calibration_);
  }

  std::string sandbox_level() override { return sandbox_.level(on_cuda()).to_string(); }

  [[nodiscard]] const SubmissionBuild* build_of(std::size_t unit) const override {
    return builds_.empty() ? nullptr : &builds_[unit];
  }

  SubmissionBuild& finished_build_of(std::size_t unit) override {
    await_builds();
    return builds_[unit];
  }

  Status prepare(const std::set<std::size_t>& units, Store& store,
                 const std::function<bool()>& interrupted) override {
    std::set<std::size_t> all;     // tasks
    std::set<std::size_t> judged;  // with a submission
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
    // Nothing is timed yet. On a GPU, builders time kernels to choose among them.
    const auto between_builds = [&] {
      if (!on_cuda()) give_turn(0);
      return interrupted();
    };
    auto packages = build_baseline_packages(plan_, all, installation_, hello_,
                                            {.precision = request_.precision,
                                             .jobs = terms_.jobs,
                                             .interrupted = between_builds,
                                             .shared = shared_packages()},
                                            sandbox_, progress_);
    if (!packages) return packages.error();
    packages_ = std::move(*packages);
    return Done{};
  }

  [[nodiscard]] std::string why_unjudged(const Task& task) const override {
    return task_checks_.why_unjudged(task);
  }

  Evaluation measure(std::size_t index) override {
    const PlannedRow& unit = plan_.units[index];
    const Task& task = plan_.tasks[unit.task];
    const EvaluationRequest request = request_of(index);
    const EvaluationSettings settings = settings_of(index);
    const bool is_seeded = profile_.seeds_models && unit.is_python();
    Evaluation evaluation = play(index, request, settings, is_seeded);
    if (wants_whole_device(evaluation) && take_whole_device())
      evaluation = play(index, request, settings, is_seeded);
    if (evaluation.state == State::kWrongResult && is_right_by_its_own(index, request, settings))
      evaluation.message += kRightByItsOwn;
    if (!builds_.empty()) tell_of_build(builds_[index], evaluation);
    if (unit.submission && evaluation.timed && evaluation.unranked.empty())
      evaluation.unranked = task_checks_.why_unranked(task);
    return evaluation;
  }

  Result<BenchProfile> profile(std::size_t index, Side side) override {
    const PlannedRow& unit = plan_.units[index];
    if (side == Side::kCompiled)
      if (auto built = build_package(unit.task); !built) return built.error();
    if (side == Side::kSubmission) {
      await_builds();
      if (const Error* error = error_of_build(index)) return *error;
    }
    EvaluationRequest request = request_of(index);
    const EvaluationSettings settings = settings_of(index);
    std::unique_ptr<WorkerProgram> program;
    const WorkerFactory start = [&](const WorkerStart& placed) {
      return start_submission(index, placed, /*is_seeded=*/false, program);
    };
    auto recorded =
        record_calls(request, settings, side, compiler_.toolchain().cupti, turn_->oracle(), start);
    if (!recorded) return recorded.error();
    // With a calibration nobody asks for them.
    const PressureShare waiting(settings.surroundings);
    const auto peaks = limits_ ? Result<DevicePeaks>(DevicePeaks{}) : turn_->oracle().peaks();
    if (!peaks) return peaks.error();
    BenchProfile taken{.recorded = std::move(recorded->activity),
                       .device = hello_.facts,
                       .limits = limits_,
                       .peaks = *peaks,
                       .waited_in_calls = recorded->waited_share,
                       .waited_in_peaks = limits_ ? 0 : waiting.until_now()};
    if (side == Side::kSubmission) add_static_facts(builds_[index], taken);
    return taken;
  }

  // After a bad end, the device is tried by a fresh oracle, which then takes over. Error: it is
  // lost.
  Status recover(const Evaluation& evaluation) override {
    tell_starts();
    if (!may_have_harmed(evaluation)) {
      // An oracle that failed is not trusted with the next task.
      return evaluation.state == State::kInfrastructureError ? turn_->replace_oracle()
                                                             : Status(Done{});
    }
    const std::string device = fmt::format("{}:{}", plan_.target.device, plan_.target.device_index);
    HealthProbe probe;
    probe.use_device = [&]() -> Status {
      if (auto started = turn_->replace_oracle(); !started) return started.error();
      return turn_->oracle().answers_within(kDevicePatience);
    };
    probe.undead = [&] { return sandbox_.undead(); };
    probe.pause = [&](std::chrono::milliseconds time) {
      progress_.note(
          fmt::format("{} does not answer; next try in {} s", device, time.count() / 1000));
      std::this_thread::sleep_for(time);
    };
    return await_device(device, probe);
  }

  Status check_alone() override {
    last_worker_.reset();
    const int left = sandbox_.undead();
    if (left == 0) return Done{};
    return Error{
        ErrorCode::kInfrastructure,
        fmt::format("{} sandboxed program{} left processes behind that do not die", left,
                    left == 1 ? "" : "s"),
        "end them (their user number is above 1,000,000,000, or they hang in a driver: see dmesg) "
        "or restart the machine, then continue with --resume"};
  }

  // With all the memory that they hold, they take 0.2 s to end.
  void begin_end(bool lost) override {
    ending_workers_ = std::async(std::launch::async, [this] {
      last_worker_.reset();
      zygotes_.clear();
    });
    // An oracle that judged on a device that is lost judges nothing else.
    ending_oracle_ = std::async(
        std::launch::async, [this, lost] { lost ? turn_->drop_oracle() : turn_->rest_oracle(); });
  }

  void wait_for_end() override { ending_workers_.wait(); }

 private:
  [[nodiscard]] bool on_cuda() const { return plan_.target.device == "cuda"; }

  // As tasks are linted and compared with their Python, whatever the run's class.
  [[nodiscard]] Result<std::vector<Task>> as_written(const std::set<std::size_t>& tasks) const {
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

  [[nodiscard]] RowOrder order_of(std::size_t index) const {
    return {.request = request_,
            .profile = profile_,
            .plan = plan_,
            .unit = plan_.units[index],
            .device = hello_.facts,
            .calibration = calibration_,
            .limits = limits_,
            .packages = packages_};
  }

  [[nodiscard]] EvaluationRequest request_of(std::size_t index) {
    EvaluationRequest request = evaluation_request(order_of(index));
    if (request_.vendor) request.vendor = vendor_of(*request.task, *request.size);
    request.library = [this, index]() -> Result<std::filesystem::path> {
      await_builds();
      if (const Error* error = error_of_build(index)) return *error;
      return builds_[index].library;
    };
    if (!builds_.empty() && builds_[index].python && builds_[index].python->built)
      request.torch_compiled = builds_[index].python->built->torch_compiled;
    return request;
  }

  [[nodiscard]] EvaluationRequest::Vendor vendor_of(const Task& task, const TaskSize& size) {
    if (!vendor_) vendor_.emplace(installation_, plan_.target, sandbox_, request_.precision);
    EvaluationRequest::Vendor vendor = vendor_->of(task, size);
    if (request_.checks_only && vendor.reason.empty()) vendor.reason = kNotTimed;
    return vendor;
  }

  [[nodiscard]] EvaluationSettings settings_of(std::size_t index) {
    EvaluationSettings settings = evaluation_settings(order_of(index));
    settings.last_worker = &last_worker_;
    if (nvml_ && plan_.target.gpu && plan_.target.gpu->nvml_index) {
      settings.surroundings.clock_limits = [this] {
        return nvml_->clock_limit_bits(*plan_.target.gpu->nvml_index).value_or(0);
      };
    }
    return settings;
  }

  void add_static_facts(const SubmissionBuild& build, BenchProfile& taken) {
    if (!on_cuda() || build.python) return;
    taken.compiler_words = build.words;
    const auto cuobjdump = find_cuobjdump(compiler_.toolchain().nvcc);
    const auto instructions = disassemble(sandbox_, cuobjdump, build.library);
    if (instructions)
      taken.instructions = *instructions;
    else
      taken.missing.push_back(instructions.error().message);
  }

  // The run has opened the exchange before, and said what is wrong with it.
  [[nodiscard]] std::optional<CacheEntries> shared_packages() const {
    if (!terms_.exchange) return std::nullopt;
    const auto exchange = Exchange::open_with_key_of(installation_.state, *terms_.exchange);
    return exchange ? std::optional(exchange->cache(kCachedPackages)) : std::nullopt;
  }

  Status build_package(std::size_t task) {
    if (packages_.contains(task)) return Done{};
    auto packages = build_baseline_packages(plan_, {task}, installation_, hello_,
                                            {.precision = request_.precision,
                                             .jobs = terms_.jobs,
                                             .interrupted = [] { return false; },
                                             .shared = shared_packages()},
                                            sandbox_, progress_);
    if (!packages) return packages.error();
    packages_ = std::move(*packages);
    return Done{};
  }

  Status await_oracle() {
    auto hello = turn_->hello();
    if (!hello) return hello.error();
    hello_ = std::move(*hello);
    tell_starts();
    auto calibration =
        find_calibration(installation_.state, describe_device(plan_.target, hello_.facts));
    if (calibration)
      calibration_ = std::move(*calibration);
    else
      progress_.warn(fmt::format("no row gets a verdict: {}; {}", calibration.error().message,
                                 calibration.error().hint));
    // The same file: what is wrong with it has been said.
    if (auto limits = find_limits(installation_.state, describe_device(plan_.target, hello_.facts)))
      limits_ = std::move(*limits);
    return Done{};
  }

  // Whether the oracle may make ready for the only task while its submissions compile. Not on a
  // CPU, where compilers would slow down what is measured, nor where a package is to be built: no
  // task whose submissions do not compile needs one. Nor where a build step takes the GPU.
  [[nodiscard]] bool may_begin_early() const {
    return on_cuda() && !builds_on_device() && plan_.tasks.size() == 1 &&
           (request_.checks_only || has_cached_package(plan_.tasks.front(), plan_.target,
                                                       installation_, hello_, request_.precision));
  }

  // Whether a build step takes the GPU: then nothing is built before the device is there.
  [[nodiscard]] bool builds_on_device() const {
    return on_cuda() &&
           std::any_of(plan_.units.begin(), plan_.units.end(), [](const PlannedRow& unit) {
             return unit.submission && !unit.ends_as && unit.submission->is_built_as_python();
           });
  }

  void begin_builds() {
    compiling_ = std::async(std::launch::async, [this] {
      const ArgumentsByTask arguments =
          python_ ? ask_model_arguments(plan_, python_->player, installation_, sandbox_)
                  : ArgumentsByTask{};
      return build_submissions(plan_, {compiler_, python_builder_.get()}, arguments,
                               terms_.jobs.value_or(usable_threads()), given_up_);
    });
  }

  // From then on torch has been started for the first agent who needs it as well.
  void await_builds() {
    if (compiling_.valid()) builds_ = compiling_.get();
    if (starting_torch_.valid()) starting_torch_.get();
  }

  [[nodiscard]] bool gives_up() const { return terms_.gives_up && terms_.gives_up(); }

  // Before it waits for the device, once everything is built: whether there is nothing to measure.
  // Who waits with something that compiles is told before that of what does not.
  bool is_built_in_vain() {
    if (compiling_.valid()) {
      builds_ = compiling_.get();
      tell_of_failed_builds();
    }
    if (builds_.empty()) return false;
    for (std::size_t i = 0; i < plan_.units.size(); ++i)
      if (is_measured(i)) return false;
    return true;
  }

  [[nodiscard]] bool is_measured(std::size_t index) const {
    const PlannedRow& unit = plan_.units[index];
    if (unit.ends_as || error_of_build(index) != nullptr) return false;
    return unit.submission || !request_.checks_only;
  }

  void tell_of_failed_builds() {
    for (std::size_t i = 0; i < plan_.units.size(); ++i)
      if (const Error* error = error_of_build(i))
        progress_.note(fmt::format("{}: {}", clean_name(plan_.units[i].id.name, 120),
                                   printable(error->message.substr(0, error->message.find('\n')))));
  }

  // A check had a turn only, and what holds the device left it too little memory.
  [[nodiscard]] bool wants_whole_device(const Evaluation& evaluation) const {
    return request_.checks_only && evaluation.state == State::kDoesNotFit && !has_whole_device_ &&
           on_cuda();
  }

  Status take_whole_device() {
    has_whole_device_ = true;
    progress_.note(
        "the device's memory may not hold both this check and the run that measures there: it "
        "waits "
        "for the end of that run");
    lock_request_.is_needless = {};
    if (auto taken = turn_->take_whole_device(lock_request_); !taken) return taken;
    return turn_->hello() ? Status(Done{}) : turn_->replace_oracle();
  }

  // For those whose turn comes later it is started when that comes.
  void start_torch_early() {
    const auto first =
        std::find_if(plan_.units.begin(), plan_.units.end(),
                     [](const PlannedRow& u) { return u.is_python() && !u.ends_as; });
    if (!python_ || first == plan_.units.end()) return;
    const ZygoteCommand command = zygote_command(python_->player, plan_.target.device,
                                                 plan_.target.device_index, usable_threads());
    zygotes_.start_early(first->id.agent, command);
    if (python_plays_eager(request_, plan_.target)) zygotes_.start_early(kNoAgent, command);
  }

  void tell_starts() {
    for (const std::string& start : device_.take_starts()) progress_.detail(start);
    for (const std::string& agent : zygotes_.take_starts())
      progress_.detail(agent == kNoAgent
                           ? std::string("started torch for eager beside Python submissions")
                           : fmt::format("started torch for the Python submissions of {}",
                                         clean_name(agent, 120)));
  }

  // Null while it compiles, too.
  [[nodiscard]] const Error* error_of_build(std::size_t index) const {
    return builds_.empty() || !builds_[index].error ? nullptr : &*builds_[index].error;
  }

  // `is_seeded`: a ModelNew keeps the parameters that it draws.
  Evaluation play(std::size_t index, EvaluationRequest request, const EvaluationSettings& settings,
                  bool is_seeded) {
    if (is_seeded) request.initial_parameters = [this, index] { return initial_parameters(index); };
    std::unique_ptr<WorkerProgram> program, eager;
    return evaluate(request, settings, turn_->oracle(), [&](const WorkerStart& start) {
      return start.seat == Seat::kBaselines ? start_eager(index, start, is_seeded, eager)
                                            : start_submission(index, start, is_seeded, program);
    });
  }

  // A wrong result of a ModelNew that made something of its parameters before the task's were set.
  bool is_right_by_its_own(std::size_t index, EvaluationRequest request,
                           EvaluationSettings settings) {
    if (profile_.seeds_models || !plan_.units[index].is_python()) return false;
    if (!builds_[index].draws_alike || request.size->parameters.empty()) return false;
    request.eager_is_a_worker = false;
    request.package.clear();
    request.package_reason = kNotTimed;
    settings.times = Times::kNone;
    return play(index, request, settings, true).state == State::kOk;
  }

  // Of a unit whose ModelNew keeps what it draws; drawn once for those of a task that follow one
  // another. -1: the oracle draws them.
  Result<int> initial_parameters(std::size_t index) {
    await_builds();
    if (const Error* error = error_of_build(index)) return *error;
    const SubmissionBuild& build = builds_[index];
    if (!build.python || !build.draws_alike || !build.reference) return -1;
    const std::size_t task = plan_.units[index].task;
    const TaskSize& size = *plan_.tasks[task].find_size(plan_.target.size);
    if (size.parameters.empty()) return -1;
    if (!initial_parameters_ || initial_parameters_->first != task) {
      initial_parameters_.reset();
      PythonModel model = seeded(index);
      model.entry = build.reference->entry;
      const ZygoteRequest request{
          .agent = kNoAgent,
          .folder = build.reference->folder,
          .command = zygote_command(python_->player, plan_.target.device, plan_.target.device_index,
                                    usable_threads())};
      auto drawn =
          draw_initial_parameters(zygotes_, request, model, size, working_type(request_.precision));
      if (!drawn) return drawn.error();
      initial_parameters_.emplace(task, std::move(*drawn));
    }
    return initial_parameters_->second.get();
  }

  [[nodiscard]] PythonModel seeded(std::size_t index) const {
    PythonModel model = *builds_[index].python;
    if (builds_[index].draws_alike) model.seed = kKernelBenchSeed;
    return model;
  }

  // One program for each submission, so that none finds anything of another one's in its sandbox.
  Result<std::unique_ptr<Worker>> start_submission(std::size_t index, const WorkerStart& start,
                                                   bool is_seeded,
                                                   std::unique_ptr<WorkerProgram>& program) {
    if (!program) {
      // What it takes may have been built meanwhile only.
      const auto& model = builds_[index].python;
      program =
          model ? make_python_program(zygotes_, python_->player, is_seeded ? seeded(index) : *model,
                                      plan_.units[index].id.agent)
                : make_native_program(sandbox_, installation_.worker);
    }
    return WorkerProcess::start(*program, start);
  }

  // It starts before the submission's, which may still be built.
  Result<std::unique_ptr<Worker>> start_eager(std::size_t index, WorkerStart start, bool is_seeded,
                                              std::unique_ptr<WorkerProgram>& program) {
    await_builds();
    if (const Error* error = error_of_build(index)) return *error;
    const SubmissionBuild& build = builds_[index];
    if (!program) {
      PythonModel model = is_seeded ? seeded(index) : *build.python;
      model.entry = build.reference->entry;
      model.built.reset();
      program = make_python_program(zygotes_, python_->player, std::move(model), kNoAgent);
    }
    start.library = build.reference->folder;
    return WorkerProcess::start(*program, start);
  }

  const BenchOrder order_;
  const RunRequest& request_;
  const RunTerms& terms_;
  const Installation installation_;  // with its LibTorch
  const Plan& plan_;
  std::optional<PythonParts> python_;
  JudgingProfile profile_;
  std::optional<std::pair<std::size_t, UniqueFd>>
      initial_parameters_;  // of the task with that index
  ProgressSink& progress_;
  DeviceSession& device_;
  const std::shared_ptr<Sandbox> shared_sandbox_;
  Sandbox& sandbox_;
  TaskChecks task_checks_{installation_, plan_.target, sandbox_};
  ZygotePool zygotes_;
  Compiler compiler_;
  std::unique_ptr<PythonBuilder> python_builder_;  // where there are any to be played
  std::optional<DeviceTurn> turn_;                 // outlives all that is measured
  OracleHello hello_;
  std::optional<Calibration> calibration_;
  std::optional<DeviceLimits> limits_;
  std::optional<VendorBaseline> vendor_;  // once a row asks for it
  std::optional<Nvml> nvml_;              // with a GPU: tells what limits its clock
  std::unique_ptr<Worker> last_worker_;   // of the evaluation before
  std::atomic<bool> given_up_ = false;    // outlives what compiles
  LockRequest lock_request_;
  bool has_whole_device_ = false;  // of a check
  std::future<std::vector<SubmissionBuild>> compiling_;
  std::future<void> starting_torch_;
  std::vector<SubmissionBuild> builds_;            // by unit; empty while they compile
  std::map<std::size_t, PackageResult> packages_;  // by task
  std::future<void> ending_workers_, ending_oracle_;
};

}  // namespace

Result<std::unique_ptr<RunBench>> DeviceBenches::make(const BenchOrder& order) {
  const auto profile = find_profile(order.request.profile);
  if (!profile) return profile.error();
  auto complete = device_.with_libtorch();
  if (!complete) return complete.error();
  Toolchain toolchain = device_.toolchain();
  if (const auto& gpu = order.plan.target.gpu)
    toolchain.cuda_architecture = cuda_architecture(gpu->compute_capability);
  auto python = find_python_parts(order.plan, *complete, toolchain);
  return std::unique_ptr<RunBench>(std::make_unique<DeviceBench>(
      order, std::move(*complete), std::move(python), *profile, device_, toolchain));
}

}  // namespace kbench
