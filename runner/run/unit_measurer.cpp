#include "runner/run/unit_measurer.hpp"

#include <chrono>
#include <thread>

#include <fmt/format.h>

#include "runner/core/usable_cores.hpp"
#include "runner/device/calibration_file.hpp"
#include "runner/device/machine_facts.hpp"
#include "runner/measure/players/initial_parameters.hpp"
#include "runner/measure/players/worker_process.hpp"
#include "runner/measure/profiled_calls.hpp"
#include "runner/measure/watch/device_health.hpp"
#include "runner/measure/watch/pressure_share.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/submission/cuda_tools.hpp"
#include "runner/task/working_type.hpp"

namespace kbench {
namespace {

constexpr const char* kRightByItsOwn =
    "; it is right under the parameters that its own __init__ draws, which the task's replace: "
    "what it makes of parameters is made in kbench_prepare(self)";

// Longest time in which a fresh oracle loads LibTorch and uses the device once.
constexpr std::chrono::seconds kDevicePatience{60};

// Agent whose fork server plays eager beside Python submissions: none.
constexpr const char* kNoAgent = "";

}  // namespace

UnitMeasurer::UnitMeasurer(const MeasurerOrder& order, std::optional<PythonPlayer> player)
    : order_(order),
      player_(std::move(player)),
      shared_sandbox_(order.device.sandbox()),
      sandbox_(*shared_sandbox_),
      zygotes_(sandbox_) {}

// --- the device ---

Status UnitMeasurer::take(LockRequest request) {
  lock_request_ = std::move(request);
  auto turn = DeviceTurn::take(order_.device, lock_request_);
  if (!turn) return turn.error();
  turn_.emplace(std::move(*turn));
  return Done{};
}

Status UnitMeasurer::begin_start() {
  if (auto started =
          turn_->start_oracle(order_.installation, order_.target, order_.request.precision);
      !started)
    return started;
  // LibTorch loads while the sandbox is tried, which starts CUDA.
  trial_ = std::async(std::launch::async, [this] { (void)sandbox_level(); });
  if (on_cuda()) nvml_ = Nvml::open();
  return Done{};
}

// Starts torch for this agent. For agents whose turn comes later it is started when that comes.
void UnitMeasurer::start_torch(std::string agent) {
  if (!player_) return;
  starting_torch_ = std::async(std::launch::async, [this, agent = std::move(agent)] {
    const ZygoteCommand command = zygote_command(*player_, order_.target.device,
                                                 order_.target.device_index, usable_threads());
    zygotes_.start_early(agent, command);
    if (python_plays_eager(order_.request, order_.target)) zygotes_.start_early(kNoAgent, command);
  });
}

void UnitMeasurer::await_torch() {
  if (starting_torch_.valid()) starting_torch_.get();
}

Status UnitMeasurer::finish_start() {
  auto hello = turn_->hello();
  if (!hello) return hello.error();
  hello_ = std::move(*hello);
  tell_starts();
  const auto& state = order_.installation.state;
  const auto device = describe_device(order_.target, hello_.facts);
  auto calibration = find_calibration(state, device);
  if (calibration)
    calibration_ = std::move(*calibration);
  else
    order_.progress.warn(fmt::format("no row gets a verdict: {}; {}", calibration.error().message,
                                     calibration.error().hint));
  failed_clock_checks_ = kbench::failed_clock_checks(state, device);
  // The same file: what is wrong with it has been said.
  if (auto limits = find_limits(state, device)) limits_ = std::move(*limits);
  trial_.wait();
  return Done{};
}

std::string UnitMeasurer::device_name() const {
  return fmt::format("{}:{}", order_.target.device, order_.target.device_index);
}

// Recovers after a bad end: the device is tried by a fresh oracle, which then takes over. Error:
// the device is lost.
Status UnitMeasurer::recover(const Evaluation& evaluation) {
  tell_starts();
  if (!may_have_harmed(evaluation)) {
    // An oracle that failed is not trusted with the next task.
    return evaluation.state == State::kInfrastructureError ? turn_->replace_oracle()
                                                           : Status(Done{});
  }
  HealthProbe probe;
  probe.use_device = [&]() -> Status {
    if (auto started = turn_->replace_oracle(); !started) return started.error();
    return turn_->oracle().answers_within(kDevicePatience);
  };
  probe.undead = [&] { return sandbox_.undead(); };
  probe.pause = [&](std::chrono::milliseconds time) {
    order_.progress.note(
        fmt::format("{} does not answer; next try in {} s", device_name(), time.count() / 1000));
    std::this_thread::sleep_for(time);
  };
  return await_device(device_name(), probe);
}

Status UnitMeasurer::check_alone() {
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

// The processes take 0.2 s to end, with all the memory that they hold.
void UnitMeasurer::begin_end(bool lost) {
  ending_workers_ = std::async(std::launch::async, [this] {
    last_worker_.reset();
    zygotes_.clear();
  });
  // An oracle that judged on a device that is lost judges nothing else.
  ending_oracle_ = std::async(std::launch::async,
                              [this, lost] { lost ? turn_->drop_oracle() : turn_->rest_oracle(); });
}

void UnitMeasurer::tell_starts() {
  for (const std::string& start : order_.device.take_starts()) order_.progress.detail(start);
  for (const std::string& agent : zygotes_.take_starts())
    order_.progress.detail(agent == kNoAgent
                               ? std::string("started torch for eager beside Python submissions")
                               : fmt::format("started torch for the Python submissions of {}",
                                             clean_name(agent, 120)));
}

// --- how a unit is measured ---

// Waits for the build. Torch has been started by then for the first agent who needs it.
const SubmissionBuild& UnitMeasurer::finished(const UnitParts& unit) {
  const SubmissionBuild& build = unit.finished_build();
  await_torch();
  return build;
}

RowOrder UnitMeasurer::row_order(const UnitParts& unit) const {
  return {.request = order_.request,
          .profile = order_.profile,
          .target = order_.target,
          .unit = unit,
          .device = hello_.facts,
          .calibration = calibration_,
          .limits = limits_};
}

EvaluationRequest UnitMeasurer::request_of(const UnitParts& unit) {
  EvaluationRequest request = evaluation_request(row_order(unit));
  if (order_.request.vendor) request.vendor = vendor_of(unit, *request.size);
  request.library = [this, &unit]() -> Result<std::filesystem::path> {
    const SubmissionBuild& build = finished(unit);
    if (build.error) return *build.error;
    return build.library;
  };
  if (unit.build != nullptr && unit.build->python && unit.build->python->built)
    request.torch_compiled = unit.build->python->built->torch_compiled;
  return request;
}

EvaluationRequest::Vendor UnitMeasurer::vendor_of(const UnitParts& unit, const TaskSize& size) {
  if (!vendor_)
    vendor_.emplace(order_.installation, order_.target, sandbox_, order_.request.precision);
  EvaluationRequest::Vendor vendor = vendor_->of(*unit.task, size);
  if (order_.request.checks_only && vendor.reason.empty()) vendor.reason = kNotTimed;
  return vendor;
}

EvaluationSettings UnitMeasurer::settings_of(const UnitParts& unit) {
  EvaluationSettings settings = evaluation_settings(row_order(unit));
  settings.bury = [this](std::unique_ptr<Worker> worker) { last_worker_ = std::move(worker); };
  const auto& gpu = order_.target.gpu;
  if (nvml_ && gpu && gpu->nvml_index) {
    settings.surroundings.clock_limits = [this, index = *gpu->nvml_index] {
      return nvml_->clock_limit_bits(index).value_or(0);
    };
  }
  return settings;
}

// --- measuring ---

Evaluation UnitMeasurer::measure(const UnitParts& unit) {
  const EvaluationRequest request = request_of(unit);
  const EvaluationSettings settings = settings_of(unit);
  const bool is_seeded = order_.profile.seeds_models && unit.is_python;
  Evaluation evaluation = play(unit, request, settings, is_seeded);
  if (wants_whole_device(evaluation) && take_whole_device())
    evaluation = play(unit, request, settings, is_seeded);
  if (evaluation.state == State::kWrongResult && is_right_by_its_own(unit, request, settings))
    evaluation.message += kRightByItsOwn;
  if (unit.submission) tell_of_build(finished(unit), evaluation);
  if (unit.submission && evaluation.timed && evaluation.unranked.empty())
    evaluation.unranked = unit.unranked;
  if (order_.target.gpu) evaluation.device_uuid = order_.target.gpu->uuid;
  return evaluation;
}

// `is_seeded`: a ModelNew keeps the parameters that it draws.
Evaluation UnitMeasurer::play(const UnitParts& unit, EvaluationRequest request,
                              const EvaluationSettings& settings, bool is_seeded) {
  if (is_seeded) request.initial_parameters = [this, &unit] { return initial_parameters(unit); };
  std::unique_ptr<WorkerProgram> program, eager;
  return evaluate(request, settings, turn_->oracle(), [&](const WorkerStart& start) {
    return start.seat == Seat::kBaselines ? start_eager(unit, start, is_seeded, eager)
                                          : start_submission(unit, start, is_seeded, program);
  });
}

// A check had a turn only, and what holds the device left it too little memory.
bool UnitMeasurer::wants_whole_device(const Evaluation& evaluation) const {
  return order_.request.checks_only && evaluation.state == State::kDoesNotFit &&
         !has_whole_device_ && on_cuda();
}

Status UnitMeasurer::take_whole_device() {
  has_whole_device_ = true;
  order_.progress.note(
      "the device's memory may not hold both this check and the run that measures there: it waits "
      "for the end of that run");
  lock_request_.is_needless = {};
  if (auto taken = turn_->take_whole_device(lock_request_); !taken) return taken;
  return turn_->hello() ? Status(Done{}) : turn_->replace_oracle();
}

// A wrong result of a ModelNew that made something of its parameters before the task's were set.
bool UnitMeasurer::is_right_by_its_own(const UnitParts& unit, EvaluationRequest request,
                                       EvaluationSettings settings) {
  if (order_.profile.seeds_models || !unit.is_python) return false;
  if (!finished(unit).draws_alike || request.size->parameters.empty()) return false;
  request.eager_is_a_worker = false;
  request.package.clear();
  request.package_reason = kNotTimed;
  settings.times = Times::kNone;
  return play(unit, request, settings, true).state == State::kOk;
}

// Parameters of a unit whose ModelNew keeps what it draws. They are drawn once for the units of a
// task that follow one another. -1: the oracle draws them.
Result<int> UnitMeasurer::initial_parameters(const UnitParts& unit) {
  const SubmissionBuild& build = finished(unit);
  if (build.error) return *build.error;
  if (!build.python || !build.draws_alike || !build.reference) return -1;
  const TaskSize& size = *unit.task->find_size(order_.target.size);
  if (size.parameters.empty()) return -1;
  if (!initial_parameters_ || initial_parameters_->first != unit.task->hash) {
    initial_parameters_.reset();
    PythonModel model = seeded(build);
    model.entry = build.reference->entry;
    const ZygoteRequest request{
        .agent = kNoAgent,
        .folder = build.reference->folder,
        .command = zygote_command(*player_, order_.target.device, order_.target.device_index,
                                  usable_threads())};
    auto drawn = draw_initial_parameters(zygotes_, request, model, size,
                                         working_type(order_.request.precision));
    if (!drawn) return drawn.error();
    initial_parameters_.emplace(unit.task->hash, std::move(*drawn));
  }
  return initial_parameters_->second.get();
}

PythonModel UnitMeasurer::seeded(const SubmissionBuild& build) {
  PythonModel model = *build.python;
  if (build.draws_alike) model.seed = kKernelBenchSeed;
  return model;
}

// One program for each submission, so that none finds anything of another one's in its sandbox.
Result<std::unique_ptr<Worker>> UnitMeasurer::start_submission(
    const UnitParts& unit, const WorkerStart& start, bool is_seeded,
    std::unique_ptr<WorkerProgram>& program) {
  if (!program) {
    // Parts of the program may have been built only since the run began.
    const SubmissionBuild& build = finished(unit);
    program = build.python ? make_python_program(zygotes_, *player_,
                                                 is_seeded ? seeded(build) : *build.python,
                                                 unit.submission ? unit.submission->agent : "")
                           : make_native_program(sandbox_, order_.installation.worker);
  }
  return WorkerProcess::start(*program, start);
}

// Starts eager's worker. Waits for the submission's build, which has the task's Model.
Result<std::unique_ptr<Worker>> UnitMeasurer::start_eager(const UnitParts& unit, WorkerStart start,
                                                          bool is_seeded,
                                                          std::unique_ptr<WorkerProgram>& program) {
  const SubmissionBuild& build = finished(unit);
  if (build.error) return *build.error;
  if (!program) {
    PythonModel model = is_seeded ? seeded(build) : *build.python;
    model.entry = build.reference->entry;
    model.built.reset();
    program = make_python_program(zygotes_, *player_, std::move(model), kNoAgent);
  }
  start.library = build.reference->folder;
  return WorkerProcess::start(*program, start);
}

// --- profiles ---

Result<BenchProfile> UnitMeasurer::profile(const UnitParts& unit, Side side,
                                           const Toolchain& toolchain) {
  EvaluationRequest request = request_of(unit);
  const EvaluationSettings settings = settings_of(unit);
  std::unique_ptr<WorkerProgram> program;
  const WorkerFactory start = [&](const WorkerStart& placed) {
    return start_submission(unit, placed, /*is_seeded=*/false, program);
  };
  auto recorded = record_calls(request, settings, side, toolchain.cupti, turn_->oracle(), start);
  if (!recorded) return recorded.error();
  // The device's peaks are not needed where there is a calibration.
  const PressureShare waiting(settings.surroundings);
  const auto peaks = limits_ ? Result<DevicePeaks>(DevicePeaks{}) : turn_->oracle().peaks();
  if (!peaks) return peaks.error();
  BenchProfile taken{.recorded = std::move(recorded->activity),
                     .device = hello_.facts,
                     .limits = limits_,
                     .peaks = *peaks,
                     .waited_in_calls = recorded->waited_share,
                     .waited_in_peaks = limits_ ? 0 : waiting.until_now()};
  if (side == Side::kSubmission) add_static_facts(finished(unit), toolchain, taken);
  return taken;
}

void UnitMeasurer::add_static_facts(const SubmissionBuild& build, const Toolchain& toolchain,
                                    BenchProfile& taken) {
  if (!on_cuda() || build.python) return;
  taken.compiler_words = build.words;
  const auto instructions = disassemble(sandbox_, find_cuobjdump(toolchain.nvcc), build.library);
  if (instructions)
    taken.instructions = *instructions;
  else
    taken.missing.push_back(instructions.error().message);
}

}  // namespace kbench
