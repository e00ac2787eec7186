#include "runner/run/run_session.hpp"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "runner/analysis/keep.hpp"
#include "runner/core/defence.hpp"
#include "runner/core/labels.hpp"
#include "runner/core/random_id.hpp"
#include "runner/core/sha256.hpp"
#include "runner/core/utc_now.hpp"
#include "runner/measure/secret.hpp"
#include "runner/os/busy_cores.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/stop_signals.hpp"
#include "runner/plan/device_choice.hpp"
#include "runner/plan/evaluation_key.hpp"
#include "runner/plan/run_choices.hpp"
#include "runner/pool/again.hpp"
#include "runner/pool/run_file.hpp"
#include "runner/run/announced_plan.hpp"
#include "runner/run/device_bench.hpp"
#include "runner/run/machine_fingerprint.hpp"
#include "runner/run/rerun.hpp"
#include "runner/run/resumed_request.hpp"
#include "runner/store/chain/chain_key.hpp"
#include "runner/store/file/database_path.hpp"
#include "runner/store/rows/tag.hpp"

namespace kbench {
namespace {

// A group without shards is one of judges, who differ in what they are asked for.
bool is_of_judges(const RunRequest& request) { return !request.group.empty() && !request.shard; }

// The fingerprint that all machines of the run's group share.
Json fingerprint_of(const RunRequest& request, const Plan& plan, const RunBench& bench,
                    const BenchSource& benches, const OracleHello& hello) {
  if (is_of_judges(request))
    return terms_of_judges(benches.installation(), plan.target, bench.toolchain(), request.vendor);
  return fingerprint_of_run(plan.target, bench.toolchain(), hello);
}

// A file of the exchange that is not what it should be costs a measurement, or more: see check.
void tell_ignored(SharedRun& shared, ProgressSink& progress) {
  for (const std::string& file : shared.take_ignored())
    progress.warn(fmt::format("ignored: {} (`kbench exchange check` says what to do)", file));
}

// Cores that no lane has; none where there are no lanes.
std::vector<int> spare_cores_of(RunBench& bench) {
  BenchLanes* lanes = bench.lanes();
  return lanes == nullptr ? std::vector<int>() : lanes->spare_cores();
}

// With fewer cores at work than asked for, a calibration would hold for a quieter machine.
Status check_busy(const RunTerms& terms, RunBench& bench) {
  if (!terms.busy || !spare_cores_of(bench).empty()) return Done{};
  return Error{ErrorCode::kUsage,
               "--busy: the lanes have all cores of this process, so no core is left to keep at "
               "work",
               "leave --busy out: compilers have no core beside the lanes either; or give this "
               "process more cores"};
}

// The plan is made for the device that --devices names first.
Result<RunRequest> on_first_device(const RunRequest& request, const RunTerms& terms) {
  if (!terms.devices) return request;
  if (auto fine = check_devices(*terms.devices); !fine) return fine.error();
  RunRequest placed = request;
  if (auto named = named_device(*terms.devices)) placed.device = std::move(named);
  return placed;
}

}  // namespace

Result<RunRequest> complete_request(const RunRequest& request, const RunTerms& terms) {
  // The database is checked before anything else: it is worth more than a report.
  if (auto sound = check_database_path(terms.database); !sound) return sound.error();
  if (auto there = check_database_folder(terms.database); !there) return there.error();
  const auto placed = on_first_device(request, terms);
  if (!placed) return placed;
  const auto resumed = complete_resumed(*placed, terms);
  if (!resumed) return resumed;
  return complete_rerun(*resumed, terms);
}

Result<Plan> plan_run(const RunRequest& request, const RunTerms& terms,
                      const Installation& installation) {
  auto plan = make_plan(request, installation);
  if (!plan || plan->nothing_selected) return plan;
  if (auto kept = keep_rerun(request, terms, *plan); !kept) return kept.error();
  if (plan->nothing_selected) return plan;
  if (terms.devices) {
    const auto gpus = plan->target.device == "cuda" ? probe_gpus() : std::vector<GpuInfo>();
    if (auto taken = take_devices(*terms.devices, gpus, *plan); !taken) return taken.error();
  }
  if (request.shard)
    if (auto named = check_tag_name(request.group); !named) return named.error();
  return plan;
}

RunSession::RunSession(DeviceSession& device, RunRequest request, RunTerms terms, RunSink& sink)
    : own_benches_(std::make_unique<DeviceBenches>(device)),
      benches_(*own_benches_),
      request_(std::move(request)),
      terms_(std::move(terms)),
      sink_(sink),
      progress_(sink.progress()) {}

RunSession::RunSession(BenchSource& benches, RunRequest request, RunTerms terms, RunSink& sink)
    : benches_(benches),
      request_(std::move(request)),
      terms_(std::move(terms)),
      sink_(sink),
      progress_(sink.progress()) {}

Result<RunOutcome> RunSession::run() {
  auto completed = complete_request(request_, terms_);
  if (!completed) return completed.error();
  request_ = std::move(*completed);
  benches_.prepare();
  auto plan = plan_run(request_, terms_, benches_.installation());
  if (!plan) return plan.error();
  if (plan->nothing_selected)
    return RunOutcome{.nothing_selected = std::move(plan->nothing_selected)};
  plan_ = std::move(*plan);
  if (auto begun = sink_.begin(plan_); !begun) return begun.error();
  auto bench = benches_.make({request_, terms_, plan_, progress_});
  if (!bench) return bench.error();
  bench_ = std::move(*bench);
  if (auto fine = check_busy(terms_, *bench_); !fine) return fine.error();
  outcome_.timed = !request_.checks_only;
  if (plan_.census) outcome_.mistaken_files = plan_.census->mistaken();
  return go_through();
}

Result<RunOutcome> RunSession::go_through() {
  announce_plan(plan_, progress_);
  if (plan_.census) announce_files(*plan_.census, progress_);
  if (auto opened = open_store(); !opened) return opened.error();
  if (auto opened = open_exchange(); !opened) return opened.error();
  if (auto taken = name_and_take_device(); !taken) return taken.error();
  auto hello = bench_->start();
  if (!hello) return hello.error();
  hello_ = std::move(*hello);
  if (auto begun = begin_run(); !begun) return begun.error();
  {
    const InterruptGuard guard(terms_.stop);
    const auto interrupted = [&] { return guard.interrupted(); };
    if (auto ready = bench_->prepare(units_to_judge(), *store_, interrupted); !ready)
      return ready.error();
    BenchLanes* lanes = bench_->lanes();
    // In the place of compilers, while lanes measure.
    const BusyCores busy(terms_.busy ? spare_cores_of(*bench_) : std::vector<int>());
    auto evaluated = lanes != nullptr ? evaluate_on_lanes(lanes->fleet(), interrupted)
                                      : evaluate_units(interrupted);
    if (!evaluated) {
      // Rows that wait were measured before that.
      if (auto told = publish_waiting(); !told)
        progress_.warn(fmt::format("{}: {}", told.error().message, told.error().hint));
      return evaluated.error();
    }
  }
  // If one device of several is lost, the others may have measured all rows.
  const bool lost = outcome_.lost && (bench_->lanes() == nullptr || outcome_.left_pending > 0);
  const bool whole = !outcome_.interrupted && !lost && !outcome_.stopped;
  bench_->begin_end(outcome_.lost.has_value());
  if (whole) {
    const std::string now = utc_now();
    if (auto finished = store_->finish_run(run_.id, now); !finished) return finished.error();
    if (shared_)
      if (auto finished = shared_->finish(now); !finished) return finished.error();
  }
  if (auto told = sink_.done(*store_, run_); !told) return told.error();
  bench_->wait_for_end();
  if (!outcome_.lost)
    if (auto alone = bench_->check_alone(); !alone) outcome_.lost = alone.error();
  outcome_.run = run_;
  return outcome_;
}

Status RunSession::open_store() {
  auto store = Store::open(terms_.database, Store::Mode::kReadWrite);
  if (!store) return store.error();
  store_.emplace(std::move(*store));
  auto key = keep_chain_key(benches_.installation().state);
  chained_ = key.ok();
  if (key) {
    store_->use(std::move(*key));
  } else {
    progress_.note(fmt::format("rows are stored unchained: {}", key.error().message));
  }
  return Done{};
}

Status RunSession::open_exchange() {
  if (!terms_.exchange) return Done{};
  if (!request_.group.empty())
    if (auto named = check_space_name(request_.group); !named) return named.error();
  auto exchange = Exchange::open_with_key_of(benches_.installation().state, *terms_.exchange);
  if (!exchange) return exchange.error();
  exchange_.emplace(std::move(*exchange));
  return Done{};
}

Status RunSession::name_and_take_device() {
  run_.id = terms_.id.empty() ? random_id() : terms_.id;
  if (terms_.resume) {
    auto found = find_resumed_run(*store_, terms_);
    if (!found) return found.error();
    run_ = std::move(*found);
  }
  return bench_->take_device(fmt::format("run {}", short_id(run_)), probable_seconds());
}

// Probable seconds of the whole run; 0 if one of its tasks was never timed here.
double RunSession::probable_seconds() const {
  double seconds = 0;
  for (const PlannedRow& unit : plan_.units) {
    const double typical = typical_seconds(plan_.tasks[unit.task]);
    if (typical == 0) return 0;
    seconds += typical;
  }
  return seconds;
}

// --- the run's row ---

Status RunSession::begin_run() {
  const Json configuration = describe_configuration(request_, plan_, hello_.facts, hello_.torch);
  if (terms_.resume) return resume_run(configuration);
  run_.started_at = utc_now();
  run_.command_line = terms_.command_line;
  run_.configuration = configuration.dump();
  Json facts = bench_->describe_machine();
  facts["submissions"] = describe_submissions(plan_);
  facts["files"] = describe_files(plan_);
  if (exchange_) {
    facts["exchange"] = space_of_run();
    facts["fingerprint"] = fingerprint_of(request_, plan_, *bench_, benches_, hello_);
  }
  run_.environment = facts.dump();
  if (auto joined = join_exchange(configuration); !joined) return joined;
  return store_->begin_run(run_);
}

// A run without a group shares its rows only with itself, when it is resumed on another machine.
std::string RunSession::space_of_run() const {
  return request_.group.empty() ? run_.id : request_.group;
}

// Rows that lie in the exchange already are not measured: they are done, and count.
Status RunSession::join_exchange(const Json& configuration) {
  if (!exchange_) return Done{};
  Json terms = fingerprint_of(request_, plan_, *bench_, benches_, hello_);
  if (!is_of_judges(request_)) terms.update(configuration);
  auto shared = SharedRun::begin(*exchange_, space_of_run(), run_, terms);
  if (!shared) return shared.error();
  shared_ = std::move(*shared);
  for (std::size_t i = 0; i < plan_.units.size(); ++i) {
    if (done_.contains(key_of(i))) continue;
    const auto row = shared_->find(key_of(i));
    tell_ignored(*shared_, progress_);
    if (!row) continue;
    done_.insert(row->key);
    ++outcome_.answered;
    count(*row);
  }
  if (outcome_.answered > 0)
    progress_.note(fmt::format("{} of {} rows lie in {} already", outcome_.answered,
                               plan_.units.size(), terms_.exchange->string()));
  return Done{};
}

// Rows that a run published just before it was killed may not have been stored: they are taken out
// of its own file in the exchange.
Status RunSession::take_back(std::vector<Evaluation>& rows) {
  const auto published = shared_->published_before();
  if (!published) {
    if (published.error().code != ErrorCode::kNotFound) progress_.warn(published.error().message);
    return Done{};
  }
  for (const Evaluation& row : published->rows) {
    if (done_.contains(row.key)) continue;
    const auto sources = sources_of(published->store, row);
    if (!sources) return sources.error();
    if (auto added = store_->add(row, *sources); !added) return added.error();
    done_.insert(row.key);
    count(row);
    rows.push_back(row);
  }
  return Done{};
}

// Rows that a run has from before it was interrupted may have been stored and not published. All
// come together, so that the file never has fewer rows than before.
Status RunSession::publish_again(const std::vector<Evaluation>& rows) {
  for (const Evaluation& row : rows) {
    const auto sources = sources_of(*store_, row);
    if (!sources) return sources.error();
    if (auto added = shared_->add(row, *sources); !added) return added;
  }
  if (auto lie_there = shared_->put(); !lie_there) return lie_there;
  for (const Evaluation& row : rows)
    if (const auto claimed = shared_->claim(row); !claimed) return claimed.error();
  return Done{};
}

Status RunSession::resume_run(Json configuration) {
  const Json before = Json::parse(run_.configuration, nullptr, false);
  // Rows of devices that are alike are one run's, whichever of them measure now.
  if (terms_.devices && before.contains("device_index"))
    configuration["device_index"] = before["device_index"];
  if (const auto other = first_difference(before, configuration)) {
    const auto words = [&](const Json& choices) {
      return choices.contains(*other) ? choices.at(*other).dump() : std::string("nothing");
    };
    return Error{ErrorCode::kUsage,
                 fmt::format("run {} was started with another {}: {} then, {} now", short_id(run_),
                             *other, words(before), words(configuration)),
                 "leave the options out: --resume takes those of its run"};
  }
  auto rows = sound_rows();
  if (!rows) return rows.error();
  for (const Evaluation& row : *rows) {
    done_.insert(row.key);
    count(row);
  }
  if (auto same = check_same(*rows); !same) return same;
  progress_.note(fmt::format("resuming run {}: {} of {} rows are there", short_id(run_),
                             done_.size(), plan_.units.size()));
  if (const std::string behind = options_left_behind(run_.command_line, terms_.command_line);
      !behind.empty())
    progress_.note(
        fmt::format("the run was started with {}: only what is typed now writes reports "
                    "and stops it",
                    behind));
  if (auto joined = join_exchange(configuration); !joined) return joined;
  if (!shared_) return Done{};
  if (auto taken = take_back(*rows); !taken) return taken;
  return publish_again(*rows);
}

// A run has one row for each thing that it was asked to evaluate. A submission or task that changed
// since is for another run; else a user could try until the row pleases.
Status RunSession::check_same(const std::vector<Evaluation>& rows) const {
  std::map<std::pair<std::string, std::string>, const Evaluation*> by_name;
  for (const Evaluation& row : rows)
    by_name[{row.task, row.submission ? row.submission->name : ""}] = &row;
  for (std::size_t i = 0; i < plan_.units.size(); ++i) {
    const PlannedRow& unit = plan_.units[i];
    const auto found = by_name.find({plan_.tasks[unit.task].id, unit.id.name});
    if (found == by_name.end() || done_.contains(key_of(i))) continue;
    const Evaluation& row = *found->second;
    const bool edited = row.submission && row.submission->source_hash != unit.id.source_hash;
    return Error{ErrorCode::kUsage,
                 fmt::format("run {} has a row of {} already, and {} changed since", short_id(run_),
                             clean_name(unit.id.name.empty() ? row.task : unit.id.name, 120),
                             edited ? "its source" : "the task, a compiler, the device or kbench"),
                 "start a new run: leave --resume out"};
  }
  return Done{};
}

// The stored rows of the run. They are not measured again, so they must be unchanged.
Result<std::vector<Evaluation>> RunSession::sound_rows() {
  auto stored = store_->read(run_.id);
  if (!stored) return stored.error();
  const ChainFinding& chain = stored->chain;
  // Without a place for the key every run is unchained, and says so.
  const bool as_begun = !chained_ && chain.state == ChainFinding::State::kUnchained;
  if (chain.state == ChainFinding::State::kHolds || as_begun || !stands(Defence::kChainedRows))
    return std::move(stored->evaluations);
  return Error{ErrorCode::kUsage,
               fmt::format("{}: run {} cannot be continued: {}", terms_.database.string(),
                           short_id(run_), chain.message),
               "Start a new run; `kbench report` still shows this one, and says so."};
}

// The key of a row: unique within the run, and equal when the same thing is asked for again. The
// allowed use of torch is a part of it only if it is not the default, so that older rows keep their
// keys.
std::string RunSession::key_of(std::size_t index) const {
  const PlannedRow& unit = plan_.units[index];
  const bool is_usual = !unit.is_python() || request_.allow_torch == RunRequest().allow_torch;
  return evaluation_key({.task_hash = plan_.tasks[unit.task].hash,
                         .size = plan_.target.size,
                         .device = plan_.target.device,
                         .precision = request_.precision,
                         .profile = request_.profile,
                         .agent = unit.id.agent,
                         .submission = unit.id.name,
                         .source_hash = unit.id.source_hash,
                         .host_compiler = bench_->toolchain().host_version,
                         .nvcc = bench_->toolchain().nvcc_version,
                         .device_name = hello_.facts.name,
                         .allow_torch = is_usual ? "" : request_.allow_torch,
                         .timed = !request_.checks_only,
                         .seed = request_.seed});
}

// --- evaluating ---

// The units that are still to be timed, as far as is known now.
std::set<std::size_t> RunSession::units_to_judge() const {
  std::set<std::size_t> units;
  if (request_.checks_only) return units;
  for (std::size_t i = 0; i < plan_.units.size(); ++i) {
    const bool fails_anyway = plan_.units[i].ends_as || error_of_build(i) != nullptr;
    if (!fails_anyway && !done_.contains(key_of(i))) units.insert(i);
  }
  return units;
}

// Typical seconds of an evaluation of the task; 0 if not known.
double RunSession::typical_seconds(const Task& task) const {
  const HowTimed how = request_.checks_only ? HowTimed::kNot
                       : request_.quick     ? HowTimed::kQuick
                                            : HowTimed::kInFull;
  const auto seconds =
      store_->typical_seconds(task.id, plan_.target.size, plan_.target.device, how);
  return seconds && *seconds ? **seconds : 0;
}

std::vector<std::size_t> RunSession::open_units() const {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < plan_.units.size(); ++i)
    if (!done_.contains(key_of(i))) open.push_back(i);
  return open;
}

std::vector<double> RunSession::expected_seconds(const std::vector<std::size_t>& units) const {
  std::map<std::size_t, double> typical;  // key: the task
  std::vector<double> expected;
  for (const std::size_t unit : units) {
    const auto [known, is_new] = typical.try_emplace(plan_.units[unit].task, 0.0);
    if (is_new) known->second = typical_seconds(task_of(unit));
    expected.push_back(known->second);
  }
  return expected;
}

// The seed of a shuffled order. With a seed of the run, its order can be repeated too.
std::string RunSession::random_order_seed() const {
  return request_.seed ? known_seed(*request_.seed, "order") : random_seed();
}

Status RunSession::evaluate_units(const std::function<bool()>& interrupted) {
  std::vector<std::size_t> open = open_units();
  order_units(terms_.order, expected_seconds(open), random_order_seed(), open);
  const std::vector<double> expected = expected_seconds(open);
  progress_.begin("evaluating", expected);
  rows_before_ = outcome_.rows;
  std::size_t position = 0;
  while (position < open.size() && !outcome_.lost && !outcome_.stopped) {
    outcome_.interrupted = interrupted();
    if (outcome_.interrupted) break;
    if (auto alone = bench_->check_alone(); !alone) {
      outcome_.lost = alone.error();
      break;
    }
    // A check has waited for its turn, and gives none away before it has used it.
    if (position > 0 || !request_.checks_only) bench_->give_turn(expected[position]);
    progress_.item(position, task_of(open[position]).id);
    // Rows do not wait for an evaluation that is known to be long.
    constexpr double kSoon = 1;
    if (expected[position] > kSoon)
      if (auto told = publish_waiting(); !told) return told;
    const auto kept = evaluate_next(open[position]);
    if (!kept) return kept.error();
    if (*kept) ++position;
  }
  outcome_.interrupted = outcome_.interrupted || interrupted();
  outcome_.left_pending = open.size() - position;
  // A run that stops at its last unit has left nothing out.
  outcome_.stopped = outcome_.stopped && outcome_.left_pending > 0;
  Status published = publish_waiting();
  progress_.end();
  return published;
}

// Measures a unit and stores its row. False if the device was lost, so that the unit has no row.
Result<bool> RunSession::evaluate_next(std::size_t unit) {
  if (take_answer(unit)) return true;
  Evaluation evaluation = evaluate_unit(unit);
  std::vector<Blob> sources = take_sources(unit, evaluation);
  if (auto healthy = bench_->recover(evaluation); !healthy) {
    outcome_.lost = healthy.error();
    // A verdict on the submission stands. If only the device failed, the unit is tried again.
    if (evaluation.state == State::kInfrastructureError) return false;
  }
  if (auto kept = keep(std::move(evaluation), std::move(sources)); !kept) return kept.error();
  return true;
}

Evaluation RunSession::evaluate_unit(std::size_t index) {
  const std::string started_at = utc_now();
  const bool in_vain = ends_early(index);
  Evaluation evaluation = in_vain ? ended_early(index) : bench_->measure(index);
  // A compiler's error may be known only now.
  if (!in_vain && error_of_build(index)) evaluation = ended_early(index);
  complete(index, started_at, evaluation);
  return evaluation;
}

Status RunSession::keep(Evaluation evaluation, std::vector<Blob> sources) {
  // Failures of an earlier part of a resumed run were counted there.
  if (fault_of(evaluation.state) == Fault::kSubmission) ++outcome_.failures_here;
  outcome_.stopped = terms_.max_failures && outcome_.failures_here >= *terms_.max_failures;
  if (!shared_) return store_and_tell(evaluation, sources);
  if (const Status added = shared_->add(evaluation, sources); !added) {
    if (auto kept = store_->add(evaluation, sources); !kept) return kept;
    return unpublished(added.error());
  }
  waiting_.push_back({std::move(evaluation), std::move(sources)});
  // A client waits for the row of a judge.
  return is_of_judges(request_) || shared_->is_due() ? publish_waiting() : Status(Done{});
}

Status RunSession::store_and_tell(const Evaluation& row, const std::vector<Blob>& sources) {
  if (auto added = store_->add(row, sources); !added) return added.error();
  sink_.row(row, sources);
  count(row);
  return Done{};
}

// Keeps a row that another process measured, or that stands for one that was not. `device`: where
// each device has such a row, whose it is; else empty.
Status RunSession::keep_row(std::size_t unit, Evaluation row, const std::string& started_at,
                            const std::string& device) {
  complete(unit, started_at, row);
  if (!device.empty()) row.key = sha256(row.key + "/" + device);
  std::vector<Blob> sources = take_sources(unit, row);
  return keep(std::move(row), std::move(sources));
}

void RunSession::count(const Evaluation& row) {
  ++outcome_.rows;
  if (is_failure(row.state)) ++outcome_.failed;
  if (fault_of(row.state) == Fault::kInfrastructure && row.state != State::kDoesNotFit)
    ++outcome_.ours;
  if (row.submission && row.state == State::kOk && machine_was_busy(row)) ++outcome_.busy;
}

// Whether the unit's row needs no measurement, as far as is known now.
bool RunSession::ends_early(std::size_t index) const {
  const PlannedRow& unit = plan_.units[index];
  const bool nothing_to_check = request_.checks_only && !unit.submission;
  return unit.ends_as || error_of_build(index) != nullptr || !has_size(index) || nothing_to_check ||
         !why_unjudged(index).empty();
}

// Adds to a row all that was not measured.
void RunSession::complete(std::size_t index, const std::string& started_at,
                          Evaluation& evaluation) {
  const PlannedRow& unit = plan_.units[index];
  evaluation.run_id = run_.id;
  // The protocol, even if nothing was measured: rows of a run rank together.
  evaluation.protocol = kProtocol;
  evaluation.timed = !request_.checks_only;
  if (unit.submission) evaluation.worker_kind = to_string(unit.submission->kind);
  if (unit.is_python()) evaluation.allow_torch = request_.allow_torch;
  if (const auto* build = bench_->build_of(index)) evaluation.build_seconds = build->seconds;
  if (request_.seed) add_label(evaluation.labels, kKnownInputsLabel);
  evaluation.key = key_of(index);
  evaluation.started_at = started_at;
  if (evaluation.submission) evaluation.sandbox_level = bench_->sandbox_level();
}

std::vector<Blob> RunSession::take_sources(std::size_t unit, Evaluation& evaluation) {
  auto& sources = bench_->finished_build_of(unit).sources;
  auto taken = terms_.on_each_device ? sources : std::exchange(sources, {});
  return attach_sources(std::move(taken), task_of(unit), evaluation);
}

const Task& RunSession::task_of(std::size_t unit) const {
  return plan_.tasks[plan_.units[unit].task];
}

bool RunSession::has_size(std::size_t unit) const {
  return task_of(unit).find_size(plan_.target.size) != nullptr;
}

// Null while the unit is being built, and without an error.
const Error* RunSession::error_of_build(std::size_t unit) const {
  const SubmissionBuild* build = bench_->build_of(unit);
  return build != nullptr && build->error ? &*build->error : nullptr;
}

// The reason why the task's graph cannot judge a row with a submission; else empty.
std::string RunSession::why_unjudged(std::size_t unit) const {
  return plan_.units[unit].submission ? bench_->why_unjudged(task_of(unit)) : "";
}

Evaluation RunSession::unmeasured(std::size_t index) const {
  const PlannedRow& unit = plan_.units[index];
  const Task& task = task_of(index);
  Evaluation evaluation;
  evaluation.task = task.id;
  evaluation.level = task.level;
  evaluation.size = plan_.target.size;
  evaluation.device = plan_.target.device;
  evaluation.precision = request_.precision;
  evaluation.profile = request_.profile;
  evaluation.task_hash = task.hash;
  evaluation.unranked = why_unranked(task.lint_accepts);
  if (unit.submission || unit.ends_as) evaluation.submission = unit.id;
  return evaluation;
}

// A row that needs no measurement: malformed, for another device, does not compile.
Evaluation RunSession::ended_early(std::size_t index) const {
  const PlannedRow& unit = plan_.units[index];
  const Task& task = task_of(index);
  Evaluation evaluation = unmeasured(index);
  if (unit.ends_as) {
    evaluation.state = *unit.ends_as;
    evaluation.message = unit.message;
    evaluation.hint = unit.hint;
  } else if (const Error* error = error_of_build(index)) {
    evaluation.state = state_of_failed(*bench_->build_of(index));
    evaluation.message = error->message;
    evaluation.hint = error->hint;
  } else if (!has_size(index)) {
    evaluation.state = State::kSkipped;
    evaluation.message = task.id + " has no size " + plan_.target.size;
  } else if (const std::string why = why_unjudged(index); !why.empty()) {
    evaluation.state = State::kInfrastructureError;
    evaluation.message = why;
    evaluation.hint =
        "the .json is older than the .py, or was lowered by another torch: lower the task again; "
        "no submission is to blame";
  } else {
    evaluation.state = State::kNoSubmission;
  }
  give_reasons(evaluation);
  return evaluation;
}

void RunSession::give_reasons(Evaluation& evaluation) const {
  const std::string reason = request_.checks_only
                                 ? kNotTimed
                                 : fmt::format("not measured: {}", to_string(evaluation.state));
  evaluation.eager_reason = evaluation.compiled_reason = evaluation.submission_reason = reason;
}

// --- sharing rows ---

// Whether another run has answered the unit's key since this one began.
bool RunSession::take_answer(std::size_t unit) {
  if (!shared_) return false;
  const auto row = shared_->find(key_of(unit));
  tell_ignored(*shared_, progress_);
  if (!row) return false;
  ++outcome_.answered;
  count(*row);
  progress_.item_done(fmt::format("{}: answered by run {}", row->task, short_id(row->run_id)));
  return true;
}

// Publishes the rows that wait in the exchange, and only then stores them and tells of them. If
// that fails, they are stored all the same; one that cannot be stored does not keep the others.
Status RunSession::publish_waiting() {
  if (waiting_.empty()) return Done{};
  Status first = shared_->put();
  const bool come_together = waiting_.size() > 1;
  Status stored{Done{}};
  for (WaitingRow& waiting : std::exchange(waiting_, {})) {
    if (first) first = mark_unless_first(waiting.row);
    if (come_together)
      progress_.item(static_cast<std::size_t>(outcome_.rows - rows_before_), waiting.row.task);
    const Status kept = first ? store_and_tell(waiting.row, waiting.sources)
                              : store_->add(waiting.row, waiting.sources);
    if (stored) stored = kept;
  }
  tell_ignored(*shared_, progress_);
  if (!stored) return stored;
  return first ? Status(Done{}) : unpublished(first.error());
}

Error RunSession::unpublished(Error why) {
  why.hint += " The row is stored here: --resume publishes it.";
  return why;
}

// The first row of a key answers the key.
Status RunSession::mark_unless_first(Evaluation& row) {
  const auto published = shared_->claim(row);
  if (!published) return published.error();
  if (!published->withheld.empty())
    progress_.warn(fmt::format("no row can answer this request: {}", published->withheld));
  if (published->winner.empty() || published->winner == run_.id) return Done{};
  mark_again(row, published->winner);
  ++outcome_.again;
  return Done{};
}

}  // namespace kbench
