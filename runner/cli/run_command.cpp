#include "runner/cli/run_command.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "baselines/builder_pool.hpp"
#include "reports/console_report.hpp"
#include "reports/html_report.hpp"
#include "reports/json_report.hpp"
#include "reports/model.hpp"
#include "runner/cli/build_info.hpp"
#include "runner/cli/interrupt.hpp"
#include "runner/cli/oracle_options.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/progress.hpp"
#include "runner/cli/run_environment.hpp"
#include "runner/cli/run_plan.hpp"
#include "runner/core/sha256.hpp"
#include "runner/measure/device_health.hpp"
#include "runner/measure/evaluator.hpp"
#include "runner/measure/oracle_process.hpp"
#include "runner/measure/secret.hpp"
#include "runner/measure/worker_process.hpp"
#include "runner/store/store.hpp"
#include "runner/submission/findings.hpp"
#include "runner/task/graph_hash.hpp"
#include "runner/task/task_header.hpp"
#include "runner/verify/profile.hpp"

namespace kbench {
namespace {

// What a fresh oracle may take to load LibTorch and to use the device once.
constexpr std::chrono::seconds kDevicePatience{60};

// One run from start to finish. Phases in order: open, start the oracle, compile, build packages,
// evaluate, report. Nothing is measured before everything is built, so that no compiler disturbs a
// clock.
class RunSession {
 public:
  RunSession(const RunOptions& options, const Installation& installation, Plan plan,
             const Profile& profile)
      : options_(options),
        installation_(installation),
        plan_(std::move(plan)),
        profile_(profile),
        progress_(stderr, inspect_terminal(STDERR_FILENO, options.common.color),
                  options.common.verbosity),
        sandbox_(make_sandbox()),
        compiler_(*sandbox_, find_toolchain(plan_.target.compute_capability),
                  installation.cache / "submissions", installation.abi) {}

  Result<ExitCode> run() {
    announce();
    if (auto opened = open_store(); !opened) return opened.error();
    if (auto made = create_cache(installation_); !made) return made.error();
    if (auto started = start_oracle(); !started) return started.error();
    // LibTorch loads while the submissions compile.
    std::thread compiling([this] { compile_submissions(); });
    const auto ready = await_oracle();
    compiling.join();
    if (!ready) return ready.error();
    if (auto begun = begin_run(); !begun) return begun.error();
    if (auto built = build_baselines(); !built) return built.error();
    if (auto evaluated = evaluate_units(); !evaluated) return evaluated.error();
    if (auto finished = finish_run(); !finished) return finished.error();
    return outcome();
  }

  [[nodiscard]] const std::string& summary() const { return summary_; }

 private:
  struct Build {
    std::filesystem::path library;
    std::optional<Error> error;
    std::string labels;
  };

  void announce() {
    progress_.note(fmt::format("{} task{}, {} on {}", plan_.tasks.size(),
                               plan_.tasks.size() == 1 ? "" : "s", plan_.target.size,
                               plan_.target.device));
    if (!plan_.submissions_from.empty()) progress_.note(plan_.submissions_from);
    for (const std::string& note : plan_.notes) progress_.note(note);
  }

  Status open_store() {
    auto store = Store::open(options_.database, Store::Mode::kReadWrite);
    if (!store) return store.error();
    store_ = std::make_unique<Store>(std::move(*store));
    return Done{};
  }

  Status start_oracle() {
    oracle_.reset();
    auto oracle =
        OracleProcess::start(oracle_options(installation_, plan_.target, options_.precision));
    if (!oracle) return oracle.error();
    oracle_ = std::move(*oracle);
    return Done{};
  }

  Status await_oracle() {
    auto hello = oracle_->hello();
    if (!hello) return hello.error();
    hello_ = std::move(*hello);
    return Done{};
  }

  // --- compiling ---

  void compile_submissions() {
    builds_.resize(plan_.units.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
      for (std::size_t i = next++; i < plan_.units.size(); i = next++) compile_unit(i);
    };
    std::vector<std::jthread> threads;
    const int jobs = options_.jobs.value_or(usable_threads());
    for (int i = 0; i < jobs; ++i) threads.emplace_back(work);
  }

  void compile_unit(std::size_t index) {
    const Unit& unit = plan_.units[index];
    if (!unit.submission || unit.ends_as) return;
    const Task& task = plan_.tasks[unit.task];
    const TaskSize* size = task.find_size(plan_.target.size);
    if (size == nullptr) return;
    auto compiled = compiler_.compile(*unit.submission, task_header(task, *size));
    if (auto files = read_source_files(*unit.submission))
      builds_[index].labels = fmt::format("{}", fmt::join(find_labels(*files), " "));
    if (compiled)
      builds_[index].library = compiled->library;
    else
      builds_[index].error = compiled.error();
  }

  // --- the run's row ---

  Status begin_run() {
    const Json configuration = describe_configuration(options_, plan_, hello_);
    if (options_.resume) return resume_run(configuration);
    run_.id = random_id();
    run_.started_at = utc_now();
    run_.command_line = options_.command_line;
    run_.configuration = configuration.dump();
    run_.environment = describe_environment(plan_, hello_, compiler_.toolchain(),
                                            sandbox_->level(plan_.target.device == "cuda"))
                           .dump();
    return store_->begin_run(run_);
  }

  Status resume_run(const Json& configuration) {
    auto found = find_resumed_run();
    if (!found) return found.error();
    run_ = std::move(*found);
    const Json before = Json::parse(run_.configuration, nullptr, false);
    for (const auto& [name, value] : configuration.items())
      if (!before.contains(name) || before.at(name) != value)
        return Error{
            ErrorCode::kUsage,
            fmt::format("run {} was started with another {}: {} then, {} now",
                        run_.id.substr(0, 12), name,
                        before.contains(name) ? before.at(name).dump() : "nothing", value.dump()),
            "resume with the options of that run, or start a new one"};
    auto keys = store_->keys(run_.id);
    if (!keys) return keys.error();
    done_.insert(keys->begin(), keys->end());
    progress_.note(fmt::format("resuming run {}: {} of {} rows are there", run_.id.substr(0, 12),
                               done_.size(), plan_.units.size()));
    return Done{};
  }

  Result<Run> find_resumed_run() {
    if (*options_.resume != "latest") {
      auto run = store_->find_run(*options_.resume);
      if (!run) return run.error();
      if (*run) return **run;
    } else {
      auto runs = store_->runs();
      if (!runs) return runs.error();
      if (!runs->empty()) return runs->front();
    }
    return Error{ErrorCode::kUsage,
                 "there is no run " + *options_.resume + " in " + options_.database.string(),
                 "leave out --resume to start one"};
  }

  // --- compiled baselines ---

  Status build_baselines() {
    std::vector<PackageRequest> requests;
    for (const std::size_t task : tasks_to_do()) {
      PackageRequest request;
      request.task = plan_.tasks[task].id;
      request.task_file = plan_.tasks[task].file;
      auto hash = graph_hash(plan_.tasks[task], plan_.target.size);
      if (!hash) return hash.error();
      request.graph_hash = std::move(*hash);
      request.size = plan_.target.size;
      request.device = plan_.target.device;
      request.precision = options_.precision;
      request.torch_version = hello_.torch;
      if (plan_.target.device == "cpu") {
        request.threads = hello_.facts.threads;
        request.cpu_features = hello_.facts.cpu_features;
      } else {
        request.compute_capability = hello_.facts.compute_capability;
      }
      requests.push_back(std::move(request));
      package_of_[task] = requests.size() - 1;
    }
    const InterruptGuard guard;
    BuilderPoolOptions pool{installation_.python, installation_.aot_builder,
                            installation_.cache / "packages",
                            options_.jobs.value_or(builder_processes(usable_threads()))};
    pool.interrupted = [&] { return guard.interrupted(); };
    constexpr double kTypicalBuildSeconds = 8;
    progress_.begin("compiled baselines",
                    std::vector<double>(requests.size(), kTypicalBuildSeconds));
    std::size_t built = 0;
    auto packages = build_packages(requests, pool, [&](std::size_t i, const PackageResult& result) {
      progress_.item(built++, requests[i].task);
      if (result.seconds > 0)
        progress_.item_done(
            fmt::format("{}: compiled in {:.1f} s", requests[i].task, result.seconds));
    });
    progress_.end();
    if (!packages) return packages.error();
    packages_ = std::move(*packages);
    interrupted_ = guard.interrupted();
    return Done{};
  }

  // Inductor keeps about two cores busy: Python beside the compilers it starts. On two cores a
  // second process still helps, since the two rarely want the same one.
  static int builder_processes(int cores) { return std::clamp(cores / 2, 2, 8); }

  std::set<std::size_t> tasks_to_do() const {
    std::set<std::size_t> tasks;
    for (std::size_t i = 0; i < plan_.units.size(); ++i) {
      const Unit& unit = plan_.units[i];
      const bool fails_anyway = unit.ends_as || builds_[i].error;
      if (!fails_anyway && !done_.contains(key_of(i))) tasks.insert(unit.task);
    }
    return tasks;
  }

  // --- evaluating ---

  // Unique within the run, and equal when the same thing is asked for again.
  [[nodiscard]] std::string key_of(std::size_t index) const {
    const Unit& unit = plan_.units[index];
    const Json identity = {plan_.tasks[unit.task].hash,
                           plan_.target.size,
                           plan_.target.device,
                           options_.precision,
                           options_.profile,
                           unit.id.agent,
                           unit.id.name,
                           unit.id.source_hash,
                           compiler_.toolchain().host_version,
                           compiler_.toolchain().nvcc_version,
                           hello_.facts.name,
                           std::string(build_info().version)};
    return sha256(identity.dump());
  }

  Status evaluate_units() {
    std::vector<std::size_t> open;
    std::vector<double> expected;
    for (std::size_t i = 0; i < plan_.units.size(); ++i) {
      if (done_.contains(key_of(i))) continue;
      open.push_back(i);
      const std::string& task = plan_.tasks[plan_.units[i].task].id;
      auto seconds = store_->typical_seconds(task, plan_.target.size, plan_.target.device);
      expected.push_back(seconds && *seconds ? **seconds : 0);
    }
    progress_.begin("evaluating", expected);
    const InterruptGuard guard;
    for (std::size_t position = 0; position < open.size(); ++position) {
      interrupted_ = interrupted_ || guard.interrupted();
      if (interrupted_) break;
      const Unit& unit = plan_.units[open[position]];
      progress_.item(position, plan_.tasks[unit.task].id);
      Evaluation evaluation = evaluate_unit(open[position]);
      if (auto healthy = check_device(evaluation); !healthy) {
        lost_device_ = healthy.error();
        left_pending_ = open.size() - position;
        // A verdict on the submission stands; where only the device failed, it is tried again.
        if (evaluation.state == State::kInfrastructureError) break;
        --left_pending_;
      }
      if (auto added = store_->add(evaluation); !added) return added.error();
      progress_.item_done(format_row_line(derive(evaluation)));
      if (lost_device_) break;
    }
    interrupted_ = interrupted_ || guard.interrupted();
    progress_.end();
    return Done{};
  }

  // After a bad end, the device is tried by a fresh oracle, which then takes over. Error: it is
  // lost.
  Status check_device(const Evaluation& evaluation) {
    if (!may_have_harmed(evaluation)) {
      // An oracle that failed is not trusted with the next task.
      return evaluation.state == State::kInfrastructureError ? start_oracle() : Status(Done{});
    }
    const std::string device = fmt::format("{}:{}", plan_.target.device, plan_.target.device_index);
    HealthProbe probe;
    probe.use_device = [&]() -> Status {
      if (auto started = start_oracle(); !started) return started.error();
      return oracle_->answers_within(kDevicePatience);
    };
    probe.undead = [&] { return sandbox_->undead(); };
    probe.pause = [&](std::chrono::milliseconds time) {
      progress_.note(
          fmt::format("{} does not answer; next try in {} s", device, time.count() / 1000));
      std::this_thread::sleep_for(time);
    };
    return await_device(device, probe);
  }

  Evaluation evaluate_unit(std::size_t index) {
    const Unit& unit = plan_.units[index];
    const std::string started_at = utc_now();
    Evaluation evaluation = unit.ends_as || builds_[index].error || !size_of_unit(unit)
                                ? ended_early(index)
                                : measure(index);
    evaluation.run_id = run_.id;
    evaluation.key = key_of(index);
    evaluation.started_at = started_at;
    if (evaluation.submission)
      evaluation.sandbox_level = sandbox_->level(plan_.target.device == "cuda").to_string();
    return evaluation;
  }

  [[nodiscard]] const TaskSize* size_of_unit(const Unit& unit) const {
    return plan_.tasks[unit.task].find_size(plan_.target.size);
  }

  // A row that needs no measurement: malformed, for another device, does not compile.
  Evaluation ended_early(std::size_t index) {
    const Unit& unit = plan_.units[index];
    const Task& task = plan_.tasks[unit.task];
    Evaluation evaluation;
    evaluation.task = task.id;
    evaluation.level = task.level;
    evaluation.size = plan_.target.size;
    evaluation.device = plan_.target.device;
    evaluation.precision = options_.precision;
    evaluation.profile = options_.profile;
    evaluation.task_hash = task.hash;
    if (unit.submission || unit.ends_as) evaluation.submission = unit.id;
    if (unit.ends_as) {
      evaluation.state = *unit.ends_as;
      evaluation.message = unit.message;
      evaluation.hint = unit.hint;
    } else if (const auto& error = builds_[index].error) {
      evaluation.state = error->code == ErrorCode::kSubmission ? State::kCompileError
                                                               : State::kInfrastructureError;
      evaluation.message = error->message;
      evaluation.hint = error->hint;
    } else {
      evaluation.state = State::kSkipped;
      evaluation.message = task.id + " has no size " + plan_.target.size;
    }
    const std::string reason = "not measured: " + std::string(to_string(evaluation.state));
    evaluation.eager_reason = evaluation.compiled_reason = evaluation.submission_reason = reason;
    return evaluation;
  }

  Evaluation measure(std::size_t index) {
    const Unit& unit = plan_.units[index];
    EvaluationRequest request;
    request.task = &plan_.tasks[unit.task];
    request.size = size_of_unit(unit);
    request.device = plan_.target.device;
    request.device_index = plan_.target.device_index;
    request.threads = usable_threads();
    request.cache_bytes = hello_.facts.cache_bytes;
    request.precision = options_.precision;
    if (const auto package = package_of_.find(unit.task); package != package_of_.end()) {
      request.package = packages_[package->second].file;
      request.package_reason = packages_[package->second].reason;
      request.package_key = packages_[package->second].key;
    }
    if (unit.submission) request.submission = unit.id;
    request.library = builds_[index].library;
    request.labels = builds_[index].labels;
    request.seed = random_seed();
    EvaluationSettings settings;
    settings.profile = profile_.name;
    settings.acceptance = profile_.acceptance;
    settings.original_draws = profile_.original_draws;
    settings.stop = options_.quick ? quick_stop_rule(plan_.target.device)
                                   : stop_rule_for(plan_.target.device,
                                                   unit.submission ? Ranked::kYes : Ranked::kNo);
    return evaluate(request, settings, *oracle_, [&](const WorkerStart& start) {
      return WorkerProcess::start(*sandbox_, installation_.worker, start);
    });
  }

  // --- the end ---

  Status finish_run() {
    if (!interrupted_ && !lost_device_)
      if (auto finished = store_->finish_run(run_.id, utc_now()); !finished) return finished;
    auto data = load_report(*store_, run_.id);
    if (!data) return data.error();
    if (options_.format == OutputFormat::kJson) {
      fmt::print("{}", render_json(*data));
    } else {
      const Terminal terminal = inspect_terminal(STDOUT_FILENO, options_.common.color);
      fmt::print("{}", render_console(*data, {.colour = terminal.color}));
    }
    for (const Evaluation& evaluation : data->evaluations) {
      failed_ += is_failure(evaluation.state) ? 1 : 0;
      ours_ += fault_of(evaluation.state) == Fault::kInfrastructure &&
                       evaluation.state != State::kDoesNotFit
                   ? 1
                   : 0;
    }
    rows_ = static_cast<int>(data->evaluations.size());
    if (!options_.html) return Done{};
    std::ofstream page(*options_.html, std::ios::binary);
    page << render_html(*data);
    page.close();
    if (!page)
      return Error{ErrorCode::kUsage, "cannot write " + options_.html->string(),
                   "choose another path for --html"};
    return Done{};
  }

  ExitCode outcome() {
    std::string saved =
        fmt::format("run {} saved in {}", run_.id.substr(0, 12), options_.database.string());
    if (options_.html) saved += fmt::format(", its page is {}", options_.html->string());
    if (lost_device_) {
      summary_ = fmt::format("{} ({}); {} left pending; {}", lost_device_->message,
                             lost_device_->hint, left_pending_, saved);
      return ExitCode::kInfrastructure;
    }
    if (interrupted_) {
      summary_ = fmt::format("interrupted; {}; continue with --resume", saved);
      return ExitCode::kInterrupted;
    }
    summary_ = failed_ == 0 ? fmt::format("{} rows, all good; {}", rows_, saved)
                            : fmt::format("{} of {} rows failed; {}", failed_, rows_, saved);
    if (ours_ > 0) return ExitCode::kInfrastructure;
    return failed_ > 0 ? ExitCode::kTaskFailed : ExitCode::kGood;
  }

  const RunOptions& options_;
  const Installation& installation_;
  Plan plan_;
  Profile profile_;
  Progress progress_;
  std::unique_ptr<Sandbox> sandbox_;
  Compiler compiler_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<OracleProcess> oracle_;
  OracleHello hello_;
  Run run_;
  std::vector<Build> builds_;                      // by unit
  std::map<std::size_t, std::size_t> package_of_;  // task to index into packages_
  std::vector<PackageResult> packages_;
  std::set<std::string> done_;  // keys that --resume found
  bool interrupted_ = false;
  std::optional<Error> lost_device_;  // quarantined: it did not come back
  std::size_t left_pending_ = 0;      // units, because of that
  int rows_ = 0;
  int failed_ = 0;
  int ours_ = 0;
  std::string summary_;
};

}  // namespace

int run_command(const RunOptions& options, const Installation& installation) {
  const Terminal terminal = inspect_terminal(STDERR_FILENO, options.common.color);
  auto plan = make_plan(options, installation);
  if (!plan) return fail(plan.error(), terminal);
  if (plan->tasks.empty())
    return finish(ExitCode::kNothingSelected, "no task matches", options.common.verbosity);
  const auto profile = find_profile(options.profile);
  if (!profile) return fail(profile.error(), terminal);
  RunSession session(options, installation, std::move(*plan), *profile);
  auto code = session.run();
  if (!code) return fail(code.error(), terminal);
  return finish(*code, session.summary(), options.common.verbosity);
}

}  // namespace kbench
