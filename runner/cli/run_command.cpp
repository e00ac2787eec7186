#include "runner/cli/run_command.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/console_report.hpp"
#include "reports/model.hpp"
#include "reports/reporter.hpp"
#include "reports/write/outputs.hpp"
#include "reports/write/page_extras.hpp"
#include "runner/backend/nvml.hpp"
#include "runner/cli/baseline_packages.hpp"
#include "runner/cli/dry_run.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/progress.hpp"
#include "runner/cli/python_submissions.hpp"
#include "runner/cli/resumed_options.hpp"
#include "runner/cli/run_checks.hpp"
#include "runner/cli/run_choices.hpp"
#include "runner/cli/run_plan.hpp"
#include "runner/cli/submission_builds.hpp"
#include "runner/cli/task_checks.hpp"
#include "runner/core/defence.hpp"
#include "runner/core/usable_cores.hpp"
#include "runner/core/utc_now.hpp"
#include "runner/device/calibration_file.hpp"
#include "runner/device/device_session.hpp"
#include "runner/device/machine_facts.hpp"
#include "runner/measure/device_health.hpp"
#include "runner/measure/evaluator.hpp"
#include "runner/measure/initial_parameters.hpp"
#include "runner/measure/secret.hpp"
#include "runner/measure/worker_process.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/stop_signals.hpp"
#include "runner/plan/evaluation_key.hpp"
#include "runner/store/chain_key.hpp"
#include "runner/store/store.hpp"
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

State state_of_failed_build(ErrorCode code) {
  if (code == ErrorCode::kSubmission) return State::kCompileError;
  return code == ErrorCode::kNotFound ? State::kSkipped : State::kInfrastructureError;
}

// One run from start to finish. Phases in order: open, start the oracle, compile, build packages,
// evaluate, report. No worker starts before everything is built, so that no compiler disturbs a
// clock.
class RunSession {
 public:
  // `python`: what plays Python submissions; none where there are none to be played.
  RunSession(const RunOptions& options, const Installation& installation, Plan plan,
             std::optional<PythonParts> python, const Profile& profile, DeviceSession& device,
             const Toolchain& toolchain)
      : options_(options),
        installation_(installation),
        plan_(std::move(plan)),
        python_(std::move(python)),
        profile_(profile),
        progress_(stderr, inspect_terminal(STDERR_FILENO, options.common.color),
                  options.common.verbosity),
        device_(device),
        shared_sandbox_(device.sandbox()),
        sandbox_(*shared_sandbox_),
        zygotes_(sandbox_),
        compiler_(sandbox_, toolchain, installation.cache / "submissions", installation.abi) {
    if (python_)
      python_builder_ =
          make_python_builder(*python_, plan_.target, installation_, sandbox_, toolchain);
  }

  Result<ExitCode> run() {
    announce();
    if (auto opened = open_store(); !opened) return opened.error();
    if (auto alone = await_turn(); !alone) return alone.error();
    if (auto made = create_cache(installation_); !made) return made.error();
    if (auto started = turn_->start_oracle(installation_, plan_.target, options_.precision);
        !started)
      return started.error();
    // LibTorch loads while the sandbox is tried, which starts CUDA, and the submissions compile.
    const auto trial = std::async(std::launch::async, [this] { (void)sandbox_.level(on_cuda()); });
    if (on_cuda()) nvml_ = Nvml::open();
    compiling_ = std::async(std::launch::async, [this] {
      const auto torch = std::async(std::launch::async, [this] { start_torch_early(); });
      const ArgumentsByTask arguments =
          python_ ? ask_model_arguments(plan_, python_->player, installation_, sandbox_)
                  : ArgumentsByTask{};
      return build_submissions(plan_, {compiler_, python_builder_.get()}, arguments,
                               options_.jobs.value_or(usable_threads()), given_up_);
    });
    if (auto ready = await_oracle(); !ready) {
      given_up_ = true;  // nobody will want what is not compiled yet
      return ready.error();
    }
    trial.wait();
    if (!may_begin_early()) await_builds();
    if (auto begun = begin_run(); !begun) return begun.error();
    if (auto checked = check_tasks(); !checked) return checked.error();
    if (auto built = build_baselines(); !built) return built.error();
    if (auto evaluated = evaluate_units(); !evaluated) return evaluated.error();
    // With all the memory they hold, they take 0.2 s to end. Meanwhile the report is made.
    const auto worker = std::async(std::launch::async, [this] {
      last_worker_.reset();
      zygotes_.clear();
    });
    // One that judged on a device that is lost judges nothing else.
    const auto oracle = std::async(std::launch::async, [this, lost = lost_device_.has_value()] {
      lost ? turn_->drop_oracle() : turn_->rest_oracle();
    });
    if (auto finished = finish_run(); !finished) return finished.error();
    worker.wait();
    if (!lost_device_)
      if (auto alone = check_alone(); !alone) lost_device_ = alone.error();
    return outcome();
  }

  [[nodiscard]] const std::string& summary() const { return summary_; }

 private:
  void announce() {
    progress_.note(fmt::format("{} task{}, {} on {}", plan_.tasks.size(),
                               plan_.tasks.size() == 1 ? "" : "s", plan_.target.size,
                               plan_.target.device));
    if (!plan_.submissions_from.empty()) progress_.note(plan_.submissions_from);
    for (const std::string& note : plan_.notes) progress_.note(note);
    if (plan_.census) announce_files(*plan_.census);
  }

  // Every file is accounted for; those that were meant as submissions by name.
  void announce_files(const Census& census) {
    constexpr int kMost = 20;
    progress_.note(fmt::format("files: {}", census.summary()));
    int shown = 0;
    for (const Census::Ignored& file : census.ignored) {
      if (!file.mistaken) continue;
      if (++shown > kMost) break;
      progress_.note(fmt::format("ignored {}: {}", file.path, file.why));
    }
    if (census.mistaken() > kMost)
      progress_.note(fmt::format("and {} more", census.mistaken() - kMost));
  }

  [[nodiscard]] bool on_cuda() const { return plan_.target.device == "cuda"; }

  Status open_store() {
    auto store = Store::open(options_.database, Store::Mode::kReadWrite);
    if (!store) return store.error();
    store_ = std::make_unique<Store>(std::move(*store));
    auto key = keep_chain_key(installation_.state);
    chained_ = key.ok();
    if (key) {
      store_->use(std::move(*key));
    } else {
      progress_.note(fmt::format("rows are stored unchained: {}", key.error().message));
    }
    return Done{};
  }

  // From here on nobody else measures on the device, nor do we beside anybody.
  Status await_turn() {
    run_.id = options_.id.empty() ? random_id() : options_.id;
    if (options_.resume) {
      auto found = find_resumed_run(*store_, options_);
      if (!found) return found.error();
      run_ = std::move(*found);
    }
    auto turn = DeviceTurn::take(device_, {.installation = &installation_,
                                           .target = &plan_.target,
                                           .what = fmt::format("run {}", short_id(run_)),
                                           .wait = !options_.no_wait,
                                           .progress = &progress_});
    if (!turn) return turn.error();
    turn_.emplace(std::move(*turn));
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
    return Done{};
  }

  // Whether the oracle may make ready for the only task while its submissions compile. Not on a
  // CPU, where compilers would slow down what is measured, nor where a package is to be built: no
  // task whose submissions do not compile needs one. Nor where a build step takes the GPU.
  [[nodiscard]] bool may_begin_early() const {
    const bool builds_on_device =
        std::any_of(plan_.units.begin(), plan_.units.end(), [this](const PlannedRow& unit) {
          return unit.submission && !unit.ends_as && unit.submission->is_built_as_python();
        });
    return on_cuda() && !builds_on_device && plan_.tasks.size() == 1 &&
           (options_.checks_only || has_cached_package(plan_.tasks.front(), plan_.target,
                                                       installation_, hello_, options_.precision));
  }

  // From then on torch has been started for the first agent who needs it as well.
  void await_builds() {
    if (compiling_.valid()) builds_ = compiling_.get();
  }

  // For those whose turn comes later it is started when that comes.
  void start_torch_early() {
    const auto first = std::find_if(plan_.units.begin(), plan_.units.end(),
                                    [](const PlannedRow& u) { return is_python(u) && !u.ends_as; });
    if (!python_ || first == plan_.units.end()) return;
    const ZygoteCommand command = zygote_command(python_->player, plan_.target.device,
                                                 plan_.target.device_index, usable_threads());
    zygotes_.start_early(first->id.agent, command);
    if (python_plays_eager()) zygotes_.start_early(kNoAgent, command);
  }

  // Of rows in Python.
  [[nodiscard]] bool python_plays_eager() const { return !on_cuda() && !options_.checks_only; }

  void tell_starts() {
    for (const std::string& start : device_.take_starts()) progress_.detail(start);
    for (const std::string& agent : zygotes_.take_starts())
      progress_.detail(agent == kNoAgent
                           ? std::string("started torch for eager beside Python submissions")
                           : fmt::format("started torch for the Python submissions of {}",
                                         clean_name(agent, 120)));
  }

  // --- the run's row ---

  Status begin_run() {
    const Json configuration = describe_configuration(options_, plan_, hello_.facts, hello_.torch);
    if (options_.resume) return resume_run(configuration);
    run_.started_at = utc_now();
    run_.command_line = options_.command_line;
    run_.configuration = configuration.dump();
    run_.environment = describe_environment().dump();
    return store_->begin_run(run_);
  }

  Json describe_environment() {
    Json facts = describe_machine(plan_.target.gpu, hello_, compiler_.toolchain(),
                                  sandbox_.level(on_cuda()), calibration_);
    facts["submissions"] = describe_submissions(plan_);
    facts["files"] = describe_files(plan_);
    return facts;
  }

  Status resume_run(const Json& configuration) {
    const Json before = Json::parse(run_.configuration, nullptr, false);
    if (const auto other = first_difference(before, configuration)) {
      const auto words = [&](const Json& choices) {
        return choices.contains(*other) ? choices.at(*other).dump() : std::string("nothing");
      };
      return Error{ErrorCode::kUsage,
                   fmt::format("run {} was started with another {}: {} then, {} now",
                               short_id(run_), *other, words(before), words(configuration)),
                   "leave the options out: --resume takes those of its run"};
    }
    auto rows = sound_rows();
    if (!rows) return rows.error();
    for (const Evaluation& row : *rows) done_.insert(row.key);
    if (auto same = check_same(*rows); !same) return same;
    progress_.note(fmt::format("resuming run {}: {} of {} rows are there", short_id(run_),
                               done_.size(), plan_.units.size()));
    return Done{};
  }

  // A run has one row for each thing that it was asked to evaluate: what has become another thing
  // since is for another run, or somebody could try until the row pleases.
  Status check_same(const std::vector<Evaluation>& rows) const {
    std::map<std::pair<std::string, std::string>, const Evaluation*> by_name;
    for (const Evaluation& row : rows)
      by_name[{row.task, row.submission ? row.submission->name : ""}] = &row;
    for (std::size_t i = 0; i < plan_.units.size(); ++i) {
      const PlannedRow& unit = plan_.units[i];
      const auto found = by_name.find({plan_.tasks[unit.task].id, unit.id.name});
      if (found == by_name.end() || done_.contains(key_of(i))) continue;
      const Evaluation& row = *found->second;
      const bool edited = row.submission && row.submission->source_hash != unit.id.source_hash;
      return Error{
          ErrorCode::kUsage,
          fmt::format("run {} has a row of {} already, and {} changed since", short_id(run_),
                      clean_name(unit.id.name.empty() ? row.task : unit.id.name, 120),
                      edited ? "its source" : "the task, a compiler, the device or kbench"),
          "start a new run: leave --resume out"};
    }
    return Done{};
  }

  // Rows that are there are not measured again, so they must be those that were stored.
  Result<std::vector<Evaluation>> sound_rows() {
    auto stored = store_->read(run_.id);
    if (!stored) return stored.error();
    const ChainFinding& chain = stored->chain;
    // Without a place for the key every run is unchained, and says so.
    const bool as_begun = !chained_ && chain.state == ChainFinding::State::kUnchained;
    if (chain.state == ChainFinding::State::kHolds || as_begun || !stands(Defence::kChainedRows))
      return std::move(stored->evaluations);
    return Error{ErrorCode::kUsage,
                 fmt::format("{}: run {} cannot be continued: {}", options_.database.string(),
                             short_id(run_), chain.message),
                 "Start a new run; `kbench report` still shows this one, and says so."};
  }

  // --- tasks of others ---

  Status check_tasks() {
    std::set<std::size_t> chosen;
    for (const std::size_t unit : units_to_do())
      if (plan_.units[unit].submission) chosen.insert(plan_.units[unit].task);
    std::vector<const Task*> tasks;
    for (const std::size_t task : chosen) tasks.push_back(&plan_.tasks[task]);
    const InterruptGuard guard(options_.stop);
    auto checked = task_checks_.check(tasks, !options_.no_lint, *store_, progress_,
                                      [&] { return guard.interrupted(); });
    interrupted_ = interrupted_ || guard.interrupted();
    return checked;
  }

  // --- compiled baselines ---

  Status build_baselines() {
    auto packages = build_baseline_packages(plan_, tasks_to_do(), installation_, hello_, options_,
                                            sandbox_, progress_);
    if (!packages) return packages.error();
    interrupted_ = packages->interrupted;
    packages_ = std::move(packages->by_task);
    return Done{};
  }

  // Units that are yet to be timed, as far as anybody knows now.
  [[nodiscard]] std::vector<std::size_t> units_to_do() const {
    std::vector<std::size_t> units;
    if (options_.checks_only) return units;
    for (std::size_t i = 0; i < plan_.units.size(); ++i) {
      const bool fails_anyway = plan_.units[i].ends_as || error_of_build(i) != nullptr;
      if (!fails_anyway && !done_.contains(key_of(i))) units.push_back(i);
    }
    return units;
  }

  [[nodiscard]] std::set<std::size_t> tasks_to_do() const {
    std::set<std::size_t> tasks;
    for (const std::size_t unit : units_to_do()) tasks.insert(plan_.units[unit].task);
    return tasks;
  }

  // --- evaluating ---

  // Unique within the run, and equal when the same thing is asked for again. What torch may be used
  // for is a part of it where it is not what it is by default, so that older rows keep theirs.
  [[nodiscard]] std::string key_of(std::size_t index) const {
    const PlannedRow& unit = plan_.units[index];
    const bool is_usual = !is_python(unit) || options_.allow_torch == RunOptions().allow_torch;
    return evaluation_key({.task_hash = plan_.tasks[unit.task].hash,
                           .size = plan_.target.size,
                           .device = plan_.target.device,
                           .precision = options_.precision,
                           .profile = options_.profile,
                           .agent = unit.id.agent,
                           .submission = unit.id.name,
                           .source_hash = unit.id.source_hash,
                           .host_compiler = compiler_.toolchain().host_version,
                           .nvcc = compiler_.toolchain().nvcc_version,
                           .device_name = hello_.facts.name,
                           .allow_torch = is_usual ? "" : options_.allow_torch,
                           .timed = !options_.checks_only});
  }

  [[nodiscard]] static bool is_python(const PlannedRow& unit) {
    return unit.submission && unit.submission->kind == SubmissionKind::kPython;
  }

  // Of an evaluation of the task; 0 where nobody knows.
  [[nodiscard]] double typical_seconds(const Task& task) const {
    const HowTimed how = options_.checks_only ? HowTimed::kNot
                         : options_.quick     ? HowTimed::kQuick
                                              : HowTimed::kInFull;
    const auto seconds =
        store_->typical_seconds(task.id, plan_.target.size, plan_.target.device, how);
    return seconds && *seconds ? **seconds : 0;
  }

  Status evaluate_units() {
    std::vector<std::size_t> open;
    std::vector<double> expected;
    std::map<std::size_t, double> typical;  // seconds, by task
    for (std::size_t i = 0; i < plan_.units.size(); ++i) {
      if (done_.contains(key_of(i))) continue;
      open.push_back(i);
      const auto [known, is_new] = typical.try_emplace(plan_.units[i].task, 0.0);
      if (is_new) known->second = typical_seconds(plan_.tasks[plan_.units[i].task]);
      expected.push_back(known->second);
    }
    progress_.begin("evaluating", expected);
    const InterruptGuard guard(options_.stop);
    for (std::size_t position = 0; position < open.size(); ++position) {
      interrupted_ = interrupted_ || guard.interrupted();
      if (interrupted_) break;
      last_worker_.reset();
      if (auto alone = check_alone(); !alone) {
        lost_device_ = alone.error();
        left_pending_ = open.size() - position;
        break;
      }
      const PlannedRow& unit = plan_.units[open[position]];
      progress_.item(position, plan_.tasks[unit.task].id);
      Evaluation evaluation = evaluate_unit(open[position]);
      const std::vector<Blob> blobs = take_sources(open[position], evaluation);
      tell_starts();
      if (auto healthy = check_device(evaluation); !healthy) {
        lost_device_ = healthy.error();
        left_pending_ = open.size() - position;
        // A verdict on the submission stands; where only the device failed, it is tried again.
        if (evaluation.state == State::kInfrastructureError) break;
        --left_pending_;
      }
      if (auto added = store_->add(evaluation, blobs); !added) return added.error();
      if (options_.stored) options_.stored(evaluation);
      progress_.item_done(format_row_line(derive(evaluation)));
      if (lost_device_) break;
      if (count_failure(evaluation) && position + 1 < open.size()) {
        stopped_ = true;
        left_pending_ = open.size() - position - 1;
        break;
      }
    }
    interrupted_ = interrupted_ || guard.interrupted();
    progress_.end();
    return Done{};
  }

  // Whether that was the last failure that --max-fail allows. Those of an earlier part of a resumed
  // run were counted there.
  bool count_failure(const Evaluation& evaluation) {
    if (fault_of(evaluation.state) == Fault::kSubmission) ++failures_here_;
    return options_.max_failures && failures_here_ >= *options_.max_failures;
  }

  // Whether nothing is left of any sandboxed program that is over. Whoever is left may run beside
  // all that is measured from then on, and has no business there: that is the end of the run.
  Status check_alone() {
    const int left = sandbox_.undead();
    if (left == 0) return Done{};
    return Error{
        ErrorCode::kInfrastructure,
        fmt::format("{} sandboxed program{} left processes behind that do not die", left,
                    left == 1 ? "" : "s"),
        "end them (their user number is above 1,000,000,000, or they hang in a driver: see dmesg) "
        "or restart the machine, then continue with --resume"};
  }

  // After a bad end, the device is tried by a fresh oracle, which then takes over. Error: it is
  // lost.
  Status check_device(const Evaluation& evaluation) {
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

  Evaluation evaluate_unit(std::size_t index) {
    const PlannedRow& unit = plan_.units[index];
    const std::string started_at = utc_now();
    const bool nothing_to_check = options_.checks_only && !unit.submission;
    const bool in_vain = unit.ends_as || error_of_build(index) || !size_of_unit(unit) ||
                         nothing_to_check || !why_unjudged(unit).empty();
    Evaluation evaluation = in_vain ? ended_early(index) : measure(index);
    // That it does not compile may be known only now.
    if (!in_vain && error_of_build(index)) evaluation = ended_early(index);
    evaluation.run_id = run_.id;
    // Also where nothing was measured: rows of a run rank together.
    evaluation.protocol = kProtocol;
    evaluation.timed = !options_.checks_only;
    if (unit.submission) evaluation.worker_kind = to_string(unit.submission->kind);
    if (is_python(unit)) evaluation.allow_torch = options_.allow_torch;
    if (!builds_.empty()) evaluation.build_seconds = builds_[index].seconds;
    evaluation.key = key_of(index);
    evaluation.started_at = started_at;
    if (evaluation.submission) evaluation.sandbox_level = sandbox_.level(on_cuda()).to_string();
    return evaluation;
  }

  std::vector<Blob> take_sources(std::size_t index, Evaluation& evaluation) {
    await_builds();
    return attach_sources(std::exchange(builds_[index].sources, {}),
                          plan_.tasks[plan_.units[index].task], evaluation);
  }

  // Null while it compiles, too.
  [[nodiscard]] const Error* error_of_build(std::size_t index) const {
    return builds_.empty() || !builds_[index].error ? nullptr : &*builds_[index].error;
  }

  [[nodiscard]] const TaskSize* size_of_unit(const PlannedRow& unit) const {
    return plan_.tasks[unit.task].find_size(plan_.target.size);
  }

  // Of rows with a submission: the graph is no measure for anybody.
  [[nodiscard]] std::string why_unjudged(const PlannedRow& unit) const {
    return unit.submission ? task_checks_.why_unjudged(plan_.tasks[unit.task]) : "";
  }

  // A row that needs no measurement: malformed, for another device, does not compile.
  Evaluation ended_early(std::size_t index) {
    const PlannedRow& unit = plan_.units[index];
    const Task& task = plan_.tasks[unit.task];
    Evaluation evaluation;
    evaluation.task = task.id;
    evaluation.level = task.level;
    evaluation.size = plan_.target.size;
    evaluation.device = plan_.target.device;
    evaluation.precision = options_.precision;
    evaluation.profile = options_.profile;
    evaluation.task_hash = task.hash;
    evaluation.unranked = why_unranked(task.lint_accepts);
    if (unit.submission || unit.ends_as) evaluation.submission = unit.id;
    if (unit.ends_as) {
      evaluation.state = *unit.ends_as;
      evaluation.message = unit.message;
      evaluation.hint = unit.hint;
    } else if (const Error* error = error_of_build(index)) {
      evaluation.state = state_of_failed_build(error->code);
      evaluation.message = error->message;
      evaluation.hint = error->hint;
    } else if (!size_of_unit(unit)) {
      evaluation.state = State::kSkipped;
      evaluation.message = task.id + " has no size " + plan_.target.size;
    } else if (const std::string why = why_unjudged(unit); !why.empty()) {
      evaluation.state = State::kInfrastructureError;
      evaluation.message = why;
      evaluation.hint =
          "the .json is older than the .py, or was lowered by another torch: lower the task again; "
          "no submission is to blame";
    } else {
      evaluation.state = State::kNoSubmission;
    }
    const std::string reason = options_.checks_only
                                   ? kNotTimed
                                   : fmt::format("not measured: {}", to_string(evaluation.state));
    evaluation.eager_reason = evaluation.compiled_reason = evaluation.submission_reason = reason;
    return evaluation;
  }

  Evaluation measure(std::size_t index) {
    const PlannedRow& unit = plan_.units[index];
    EvaluationRequest request;
    request.task = &plan_.tasks[unit.task];
    request.size = size_of_unit(unit);
    request.device = plan_.target.device;
    request.device_index = plan_.target.device_index;
    request.threads = usable_threads();
    request.cores = plan_.target.cores;
    request.cache_bytes = hello_.facts.cache_bytes;
    request.precision = options_.precision;
    if (const auto package = packages_.find(unit.task); package != packages_.end()) {
      request.package = package->second.file;
      request.package_reason = package->second.reason;
      request.package_key = package->second.key;
    }
    if (options_.checks_only) request.package_reason = kNotTimed;
    if (unit.submission) request.submission = unit.id;
    request.library = [this, index]() -> Result<std::filesystem::path> {
      await_builds();
      if (const Error* error = error_of_build(index)) return *error;
      return builds_[index].library;
    };
    request.seed = random_seed();
    EvaluationSettings settings;
    settings.profile = profile_.name;
    settings.acceptance = profile_.acceptance;
    settings.original_draws = profile_.original_draws;
    settings.checks_only = options_.checks_only;
    settings.last_worker = &last_worker_;
    settings.calibration = calibration_;
    settings.repeat_busy = options_.repeat_busy;
    // Their median is what bounds a GPU's claims: its own noise is to be small beside 15 us.
    if (on_cuda()) settings.null_calls = 25;
    if (nvml_ && plan_.target.gpu && plan_.target.gpu->nvml_index) {
      settings.surroundings.clock_limits = [this] {
        return nvml_->clock_limit_bits(*plan_.target.gpu->nvml_index).value_or(0);
      };
    }
    if (const auto policy = allow_torch_from_string(options_.allow_torch))
      settings.allow_torch = *policy;
    settings.budget = std::chrono::seconds{options_.budget_seconds};
    if (options_.call_limit_seconds)
      settings.call_limit =
          std::chrono::milliseconds{std::llround(1000 * *options_.call_limit_seconds)};
    settings.stop = options_.quick ? quick_stop_rule(plan_.target.device)
                                   : stop_rule_for(plan_.target.device,
                                                   unit.submission ? Ranked::kYes : Ranked::kNo);
    request.eager_is_a_worker = is_python(unit) && python_plays_eager();
    if (is_python(unit) && plan_.target.device != "cpu")
      request.heap_bytes = python_heap_bytes(*request.size);
    if (!builds_.empty() && builds_[index].python && builds_[index].python->built)
      request.torch_compiled = builds_[index].python->built->torch_compiled;
    Evaluation evaluation =
        play(index, request, settings, profile_.seeds_models && is_python(unit));
    if (evaluation.state == State::kWrongResult && is_right_by_its_own(index, request, settings))
      evaluation.message += kRightByItsOwn;
    if (!builds_.empty()) tell_of_build(builds_[index], evaluation);
    if (unit.submission && evaluation.timed && evaluation.unranked.empty())
      evaluation.unranked = task_checks_.why_unranked(*request.task);
    return evaluation;
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
    if (profile_.seeds_models || !is_python(plan_.units[index])) return false;
    if (!builds_[index].draws_alike || request.size->parameters.empty()) return false;
    request.eager_is_a_worker = false;
    request.package.clear();
    request.package_reason = kNotTimed;
    settings.checks_only = true;
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
    if (!initial_parameters_ || initial_parameters_->first != task) {
      initial_parameters_.reset();
      PythonModel model = seeded(index);
      model.entry = build.reference->entry;
      const ZygoteRequest request{
          .agent = kNoAgent,
          .folder = build.reference->folder,
          .command = zygote_command(python_->player, plan_.target.device, plan_.target.device_index,
                                    usable_threads())};
      auto drawn = draw_initial_parameters(zygotes_, request, model,
                                           *plan_.tasks[task].find_size(plan_.target.size));
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

  // --- the end ---

  Status finish_run() {
    if (!interrupted_ && !lost_device_ && !stopped_)
      if (auto finished = store_->finish_run(run_.id, utc_now()); !finished) return finished;
    auto data = load_report(*store_, run_.id, Shards::kApart);
    if (!data) return data.error();
    for (const Evaluation& evaluation : data->evaluations) {
      failed_ += is_failure(evaluation.state) ? 1 : 0;
      ours_ += fault_of(evaluation.state) == Fault::kInfrastructure &&
                       evaluation.state != State::kDoesNotFit
                   ? 1
                   : 0;
    }
    rows_ = static_cast<int>(data->evaluations.size());
    data->variants = options_.variants;
    data->trust = options_.common.trust;
    if (writes_page(options_.outputs)) {
      const auto& suite = options_.common.suite;
      auto added = add_page_extras(*data, *store_, suite.value_or(installation_.suites));
      if (!added) return added;
    }
    return report(*data);
  }

  // What could not be reported is not lost.
  Status report(const ReportData& data) const {
    auto written = write_outputs(data, options_.outputs, report_style(options_.common));
    if (written) return written;
    Error error = written.error();
    error.hint = fmt::format("run {} is saved in {}: `kbench report --out FORMAT=PATH` writes it",
                             short_id(run_), options_.database.string());
    return error;
  }

  // Where anything failed. With --exit-zero the rows alone say that a submission did.
  [[nodiscard]] ExitCode code_of_failures() const {
    if (ours_ > 0) return ExitCode::kInfrastructure;
    return options_.exit_zero ? ExitCode::kGood : ExitCode::kTaskFailed;
  }

  ExitCode outcome() {
    std::string saved =
        fmt::format("run {} saved in {}", short_id(run_), options_.database.string());
    if (const auto files = written_files(options_.outputs); !files.empty())
      saved += fmt::format(", reported in {}", files);
    if (lost_device_) {
      summary_ = fmt::format("{} ({}); {} left pending; {}", lost_device_->message,
                             lost_device_->hint, left_pending_, saved);
      return ExitCode::kInfrastructure;
    }
    if (interrupted_) {
      summary_ = fmt::format("interrupted; {}; continue with --resume", saved);
      return ExitCode::kInterrupted;
    }
    if (stopped_) {
      summary_ = fmt::format(
          "stopped after {} failed submission{}, {} row{} left pending; {}; continue with --resume",
          failures_here_, failures_here_ == 1 ? "" : "s", left_pending_,
          left_pending_ == 1 ? "" : "s", saved);
      return code_of_failures();
    }
    const char* rows = rows_ == 1 ? "row" : "rows";
    if (options_.checks_only) saved += ", nothing timed";
    summary_ = failed_ == 0 ? fmt::format("{} {}, none failed; {}", rows_, rows, saved)
                            : fmt::format("{} of {} {} failed; {}", failed_, rows_, rows, saved);
    const int mistaken = plan_.census ? plan_.census->mistaken() : 0;
    if (mistaken > 0) {
      const ExitCode code = code_of_failures();
      const std::string told =
          code == ExitCode::kGood ? "" : fmt::format(" (exit code {})", to_int(code));
      summary_ = fmt::format("{} file{} that look{} like a submission ignored{}; {}", mistaken,
                             mistaken == 1 ? "" : "s", mistaken == 1 ? "s" : "", told, summary_);
    }
    const bool all_good = failed_ == 0 && mistaken == 0;
    return all_good ? ExitCode::kGood : code_of_failures();
  }

  const RunOptions& options_;
  const Installation& installation_;
  Plan plan_;
  std::optional<PythonParts> python_;
  Profile profile_;
  std::optional<std::pair<std::size_t, UniqueFd>>
      initial_parameters_;  // of the task with that index
  Progress progress_;
  DeviceSession& device_;
  const std::shared_ptr<Sandbox> shared_sandbox_;
  Sandbox& sandbox_;
  TaskChecks task_checks_{installation_, plan_.target, sandbox_};
  ZygotePool zygotes_;
  Compiler compiler_;
  std::unique_ptr<PythonBuilder> python_builder_;  // where there are any to be played
  std::unique_ptr<Store> store_;
  bool chained_ = false;            // there is a key to chain with
  std::optional<DeviceTurn> turn_;  // outlives all that is measured
  OracleHello hello_;
  std::optional<Calibration> calibration_;
  std::optional<Nvml> nvml_;             // with a GPU: tells what limits its clock
  std::unique_ptr<Worker> last_worker_;  // of the evaluation before
  Run run_;
  std::atomic<bool> given_up_ = false;  // outlives what compiles
  std::future<std::vector<SubmissionBuild>> compiling_;
  std::vector<SubmissionBuild> builds_;            // by unit; empty while they compile
  std::map<std::size_t, PackageResult> packages_;  // by task
  std::set<std::string> done_;                     // keys that --resume found
  bool interrupted_ = false;
  std::optional<Error> lost_device_;  // quarantined: it did not come back
  bool stopped_ = false;              // by --max-fail, with units left
  int failures_here_ = 0;             // rows of this call that are a submission's fault
  std::size_t left_pending_ = 0;      // units, because of either
  int rows_ = 0;
  int failed_ = 0;
  int ours_ = 0;
  std::string summary_;
};

}  // namespace

Result<RunEnd> perform_run(const RunOptions& given, const Installation& installation) {
  DeviceSession device(installation, SessionTurns::kOne);
  return perform_run(given, device);
}

Result<RunEnd> perform_run(const RunOptions& given, DeviceSession& device) {
  const Installation& installation = device.installation();
  auto checked = check_run_options(given);
  if (!checked) return checked.error();
  const RunOptions& options = *checked;
  // Neither asks what is to be done, and each takes a moment.
  device.prepare();
  auto plan = plan_run(options, installation);
  if (!plan) return plan.error();
  if (!plan->nothing_selected.empty())
    return RunEnd{ExitCode::kNothingSelected, plan->nothing_selected};
  const auto profile = find_profile(options.profile);
  if (!profile) return profile.error();
  const auto complete = device.with_libtorch();
  if (!complete) return complete.error();
  Toolchain toolchain = device.toolchain();
  if (const auto& gpu = plan->target.gpu)
    toolchain.cuda_architecture = cuda_architecture(gpu->compute_capability);
  auto python = find_python_parts(*plan, *complete, toolchain);
  RunSession session(options, *complete, std::move(*plan), std::move(python), *profile, device,
                     toolchain);
  auto code = session.run();
  if (!code) return code.error();
  return RunEnd{*code, session.summary()};
}

int run_command(const RunOptions& options, const Installation& installation) {
  const auto end =
      options.dry_run ? show_plan(options, installation) : perform_run(options, installation);
  if (!end) return fail(end.error(), inspect_terminal(STDERR_FILENO, options.common.color));
  return finish(end->code, end->summary, options.common.verbosity);
}

}  // namespace kbench
