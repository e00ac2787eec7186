#include "runner/measure/evaluator.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/core/speedup.hpp"
#include "runner/core/statistics.hpp"
#include "runner/measure/block_filter.hpp"
#include "runner/measure/secret.hpp"
#include "runner/measure/side_order.hpp"

namespace kbench {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::uint64_t kAlignment = 256;
constexpr auto kLoadTimeout = milliseconds{30'000};
constexpr double kShortestSampleNs = 1e6;  // CPU: shorter calls are batched over distinct inputs

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

EarlyEnd from_error(const Error& error) {
  const State state =
      error.code == ErrorCode::kDoesNotFit ? State::kDoesNotFit : State::kInfrastructureError;
  return {state, error.message, error.hint};
}

// One evaluation in progress. Each step returns how the evaluation ends early, or nothing.
class Evaluating {
 public:
  Evaluating(const EvaluationRequest& request, const EvaluationSettings& settings, Oracle& oracle,
             const WorkerFactory& start_worker, Evaluation& record)
      : request_(request),
        settings_(settings),
        oracle_(oracle),
        start_worker_(start_worker),
        record_(record),
        keys_(request.seed) {}

  std::optional<EarlyEnd> run() {
    using Step = std::optional<EarlyEnd> (Evaluating::*)();
    for (const Step step : {&Evaluating::load, &Evaluating::check_correctness, &Evaluating::time})
      if (auto end = (this->*step)()) return end;
    if (has_submission()) {
      record_.correct = true;
      return judge_claims();
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool has_submission() const { return request_.submission.has_value(); }
  [[nodiscard]] bool on_cpu() const { return request_.device == "cpu"; }

  // A random multiple of 256 up to the slack.
  std::uint64_t random_offset() {
    return keys_.key("offset", offsets_drawn_++) % (kSlackBytes / kAlignment + 1) * kAlignment;
  }

  std::optional<EarlyEnd> load() {
    auto reason = oracle_.load(request_.task->file, request_.size->name, request_.package);
    if (!reason) return from_error(reason.error());
    record_.compiled_reason = request_.package.empty() ? request_.package_reason : *reason;
    sides_ = {Side::kEager};
    if (record_.compiled_reason.empty()) sides_.push_back(Side::kCompiled);
    if (has_submission()) sides_.push_back(Side::kSubmission);
    return std::nullopt;
  }

  // New buffers, and a new worker on them that is not yet waited for.
  std::optional<EarlyEnd> place(int slots) {
    worker_.reset();  // before the memory under it goes away
    PlaceRequest place;
    place.slots = slots;
    place.key = keys_.key("parameters", placements_made_++);
    place.param_offset = random_offset();
    place.private_param_offset = random_offset();
    auto arenas = oracle_.place(place);
    if (!arenas) return from_error(arenas.error());
    arenas_ = std::move(*arenas);
    parameter_base_ = place.param_offset;
    slots_ = slots;
    if (!has_submission()) return std::nullopt;
    auto worker = start_worker_({request_.device, request_.device_index, request_.threads,
                                 request_.library, request_.size, &arenas_});
    if (!worker) return from_error(worker.error());
    worker_ = std::move(*worker);
    return std::nullopt;
  }

  std::optional<EarlyEnd> prepare_worker() {
    if (!has_submission()) return std::nullopt;
    if (auto end = worker_->await_loaded(kLoadTimeout)) return end;
    if (!worker_->has_prepare()) return std::nullopt;
    const auto answer = worker_->call(
        {.kind = CallKind::kPrepare, .parameter_base = parameter_base_, .timeout = kLoadTimeout});
    if (answer.failure) return answer.failure;
    record_.prepare_ns = answer.claimed_ns;
    return std::nullopt;
  }

  std::optional<EarlyEnd> draw_inputs() {
    std::vector<SlotInputs> slots;
    for (int slot = 0; slot < slots_; ++slot)
      slots.push_back({keys_.key("input", inputs_drawn_++), random_offset()});
    if (auto drawn = oracle_.inputs(slots); !drawn) return from_error(drawn.error());
    return std::nullopt;
  }

  std::vector<SlotPlaces> random_places() {
    std::vector<SlotPlaces> places;
    for (int slot = 0; slot < slots_; ++slot) {
      const auto index = static_cast<std::uint64_t>(slot);
      places.push_back({index * arenas_.geometry.input_stride + random_offset(),
                        index * arenas_.geometry.output_stride + random_offset()});
    }
    return places;
  }

  // Arms the shared buffers and lets the worker run once over all slots.
  std::optional<EarlyEnd> call_submission(WorkerAnswer& answer,
                                          CallKind kind = CallKind::kForward) {
    WorkerCall call{.kind = kind, .parameter_base = parameter_base_, .slots = random_places()};
    call.timeout = call_timeout();
    if (auto armed = oracle_.arm(call.slots); !armed) return from_error(armed.error());
    if (on_cpu())
      if (auto frozen = oracle_.freeze(); !frozen) return from_error(frozen.error());
    answer = worker_->call(call);
    if (on_cpu())
      if (auto thawed = oracle_.thaw(); !thawed) return from_error(thawed.error());
    if (answer.failure) return answer.failure;
    if (kind == CallKind::kForward && answer.claimed_ns <= 0)
      return inconsistent(static_cast<double>(answer.claimed_ns),
                          static_cast<double>(answer.wall_ns));
    return std::nullopt;
  }

  // A hundred times eager, but never so short that a first call (lazy loading) is cut off.
  [[nodiscard]] milliseconds call_timeout() const {
    const auto patience = static_cast<std::int64_t>(eager_ns_ * 100 * slots_ / 1e6);
    return milliseconds{std::clamp<std::int64_t>(patience, 5'000, 60'000)};
  }

  std::optional<EarlyEnd> check_correctness() {
    if (auto end = place(1)) return end;
    const int draws = has_submission() ? settings_.correctness_draws : 1;
    for (int draw = 0; draw < draws; ++draw)
      if (auto end = check_draw(draw)) return end;
    if (auto released = oracle_.release(); !released) return from_error(released.error());
    return std::nullopt;
  }

  std::optional<EarlyEnd> check_draw(int draw) {
    if (auto end = draw_inputs()) return end;
    // Meanwhile the worker loads.
    auto eager = oracle_.reference();
    if (!eager) return from_error(eager.error());
    eager_error_ = worst_of(eager_error_, *eager);
    if (draw == 0) {
      if (auto end = prepare_worker()) return end;
      if (auto end = check_compiled()) return end;
    }
    if (!has_submission()) return std::nullopt;
    WorkerAnswer answer;
    if (auto end = call_submission(answer)) return end;
    auto compared = oracle_.judge(Against::kReference,
                                  bounds(settings_.acceptance, *eager, Against::kReference));
    if (!compared) return from_error(compared.error());
    Check check =
        judge(settings_.acceptance, request_.size->outputs, *eager, *compared, Against::kReference);
    check.draw = draw;
    record_.checks.push_back(check);
    return check.passed ? std::nullopt : wrong(check);
  }

  static std::optional<EarlyEnd> wrong(const Check& check) {
    return EarlyEnd{State::kWrongResult, check.message,
                    "compare with the reference in the task's .py at the same size"};
  }

  // A compiled baseline that computes something else is left out, with the reason.
  std::optional<EarlyEnd> check_compiled() {
    if (!record_.compiled_reason.empty()) return std::nullopt;
    const bool tf32_allowed = !on_cpu() && request_.precision != "fp32";
    auto compared =
        oracle_.judge_compiled(compiled_bounds(settings_.acceptance, eager_error_, tf32_allowed));
    if (!compared && compared.error().code == ErrorCode::kDoesNotFit)
      return from_error(compared.error());
    if (compared) {
      const Check check = judge(settings_.acceptance, request_.size->outputs, eager_error_,
                                *compared, Against::kEager);
      if (check.passed) return std::nullopt;
      record_.compiled_reason = "its output differs from eager's: " + check.message;
    } else {
      record_.compiled_reason = compared.error().message;
    }
    std::erase(sides_, Side::kCompiled);
    return std::nullopt;
  }

  // One unrecorded visit of each side: caches, clocks, lazy loading, and how long a call takes.
  std::optional<EarlyEnd> warm_up() {
    if (auto end = draw_inputs()) return end;
    shortest_ns_ = HUGE_VAL;
    for (const Side side : sides_) {
      double nanoseconds = 0;
      if (side == Side::kSubmission) {
        WorkerAnswer answer;
        if (auto end = call_submission(answer)) return end;
        nanoseconds = static_cast<double>(answer.claimed_ns);
      } else {
        auto timed = oracle_.time(side);
        if (!timed) return from_error(timed.error());
        nanoseconds = static_cast<double>(*timed);
        if (side == Side::kEager) eager_ns_ = nanoseconds / slots_;
      }
      shortest_ns_ = std::min(shortest_ns_, nanoseconds / slots_);
    }
    return std::nullopt;
  }

  // How many distinct inputs make a sample long enough for the clock.
  [[nodiscard]] int slots_needed() const {
    if (!on_cpu()) return 1;
    const double needed = std::ceil(kShortestSampleNs / std::max(shortest_ns_, 1.0));
    return static_cast<int>(std::clamp(needed, 1.0, static_cast<double>(kMaxSlots)));
  }

  std::optional<EarlyEnd> time() {
    // Twice: the first visit is slower than those that count.
    for (int i = 0; i < 2; ++i)
      if (auto end = warm_up()) return end;
    if (auto end = calibrate_null_call()) return end;
    const auto start = Clock::now();
    const int slots = slots_needed();
    if (slots != slots_)
      if (auto end = place_anew(slots)) return end;
    while (!has_enough(settings_.stop, record_.samples, sides_.back(), seconds_since(start))) {
      const auto placing = Clock::now();
      if (on_cpu() && placement_ > 0)
        if (auto end = place_anew(slots)) return end;
      if (auto end = time_placement(seconds_since(placing))) return end;
      drop_throttled_blocks(record_.samples, clocks_);
    }
    return std::nullopt;
  }

  // CPU: everything fresh on both sides, processes included.
  std::optional<EarlyEnd> place_anew(int slots) {
    worker_.reset();
    if (auto restarted = oracle_.restart(); !restarted) return from_error(restarted.error());
    auto reason = oracle_.load(request_.task->file, request_.size->name, request_.package);
    if (!reason) return from_error(reason.error());
    if (auto end = place(slots)) return end;
    if (auto end = prepare_worker()) return end;
    // Twice: a fresh process pays for its first pages in either order of the sides.
    if (auto end = warm_up()) return end;
    return warm_up();
  }

  // Blocks at one placement. A placement costs time, and its blocks share its luck: so about as
  // much time goes into blocks as went into placing.
  std::optional<EarlyEnd> time_placement(double placing_seconds) {
    if (!on_cpu()) {
      placement_ = block_;  // every block has new addresses
      return time_block();
    }
    const auto start = Clock::now();
    int blocks = 0;
    do {
      if (auto end = time_block()) return end;
      ++blocks;
    } while (seconds_since(start) < placing_seconds &&
             blocks < settings_.stop.most_blocks_a_placement);
    ++placement_;
    return std::nullopt;
  }

  std::optional<EarlyEnd> time_block() {
    auto order = shuffled(sides_, keys_.key("order", static_cast<std::uint64_t>(block_)));
    BlockClock clock{.block = block_};
    if (auto end = read_clock(clock.start_khz)) return end;
    for (int visit = 0; visit < 2; ++visit) {
      if (auto end = time_visit(order, visit)) return end;
      std::reverse(order.begin(), order.end());
    }
    if (auto end = read_clock(clock.end_khz)) return end;
    clocks_.push_back(clock);
    ++block_;
    return std::nullopt;
  }

  std::optional<EarlyEnd> read_clock(std::int64_t& khz) {
    if (on_cpu()) return std::nullopt;
    auto read = oracle_.sm_clock_khz();
    if (!read) return from_error(read.error());
    khz = *read;
    return std::nullopt;
  }

  // Every side once, on one fresh input.
  std::optional<EarlyEnd> time_visit(const std::vector<Side>& order, int visit) {
    if (auto end = draw_inputs()) return end;
    bool eager_known = false;
    bool waiting_for_eager = false;
    for (const Side side : order) {
      Sample sample{
          .placement = placement_, .block = block_, .visit = visit, .side = side, .calls = slots_};
      if (side == Side::kSubmission) {
        WorkerAnswer answer;
        if (auto end = call_submission(answer)) return end;
        sample.time_ns = answer.claimed_ns;
        sample.wall_ns = answer.wall_ns;
        // The output is taken before anything else may happen to it.
        waiting_for_eager = !eager_known;
        if (auto end = waiting_for_eager ? take_snapshot() : verify_timed_call()) return end;
      } else {
        auto timed = oracle_.time(side);
        if (!timed) return from_error(timed.error());
        sample.time_ns = *timed;
        eager_known |= side == Side::kEager;
      }
      record_.samples.push_back(std::move(sample));
    }
    return waiting_for_eager ? verify_timed_call() : std::nullopt;
  }

  std::optional<EarlyEnd> take_snapshot() {
    if (auto taken = oracle_.snapshot(); !taken) return from_error(taken.error());
    return std::nullopt;
  }

  std::optional<EarlyEnd> verify_timed_call() {
    auto compared =
        oracle_.judge(Against::kEager, bounds(settings_.acceptance, eager_error_, Against::kEager));
    if (!compared) return from_error(compared.error());
    Check check = judge(settings_.acceptance, request_.size->outputs, eager_error_, *compared,
                        Against::kEager);
    if (check.passed) return std::nullopt;
    check.draw = static_cast<int>(inputs_drawn_);
    check.distribution = "timed";
    check.message = "in a timed call: " + check.message;
    record_.checks.push_back(check);
    return wrong(check);
  }

  // What the supervisor's clock shows for a call that does nothing, after the same preparation.
  std::optional<EarlyEnd> calibrate_null_call() {
    if (!has_submission()) return std::nullopt;
    std::vector<double> walls;
    for (int i = 0; i < settings_.null_calls; ++i) {
      WorkerAnswer answer;
      if (auto end = call_submission(answer, CallKind::kNull)) return end;
      walls.push_back(static_cast<double>(answer.wall_ns));
    }
    record_.null_call_ns = static_cast<std::int64_t>(median(std::move(walls)));
    return std::nullopt;
  }

  // The claimed times must explain what the supervisor's own clock saw, up to an empty call.
  std::optional<EarlyEnd> judge_claims() {
    std::vector<double> unexplained;
    std::vector<double> claims;
    for (const Sample& sample : record_.samples) {
      if (sample.side != Side::kSubmission || !sample.wall_ns) continue;
      claims.push_back(static_cast<double>(sample.time_ns));
      unexplained.push_back(static_cast<double>(*sample.wall_ns - sample.time_ns));
    }
    if (claims.empty()) return std::nullopt;
    const double claimed = median(claims);
    const double excess =
        median(unexplained) - static_cast<double>(record_.null_call_ns.value_or(0));
    const double allowance = (on_cpu() ? 5e5 : 2e5) + 0.05 * claimed;
    return excess > allowance ? inconsistent(claimed, excess) : std::nullopt;
  }

  static std::optional<EarlyEnd> inconsistent(double claimed_ns, double excess_ns) {
    return EarlyEnd{
        State::kTimingInconsistent,
        fmt::format("the worker claims {:.3f} ms a sample, the supervisor's clock shows "
                    "{:.3f} ms more than an empty call explains",
                    claimed_ns * 1e-6, excess_ns * 1e-6),
        "all work of a call must be complete when it returns, on the given stream"};
  }

  const EvaluationRequest& request_;
  const EvaluationSettings& settings_;
  Oracle& oracle_;
  const WorkerFactory& start_worker_;
  Evaluation& record_;
  KeySchedule keys_;

  std::vector<Side> sides_;
  PlacedArenas arenas_;
  std::unique_ptr<Worker> worker_;
  std::uint64_t parameter_base_ = 0;
  int slots_ = 1;
  std::vector<EagerError> eager_error_;  // the worst over all draws so far
  double eager_ns_ = 0;                  // a call, from the last warm-up
  double shortest_ns_ = 0;               // a call of the fastest side
  int placement_ = 0;
  int block_ = 0;
  std::vector<BlockClock> clocks_;
  std::uint64_t offsets_drawn_ = 0;
  std::uint64_t inputs_drawn_ = 0;
  std::uint64_t placements_made_ = 0;
};

void explain_missing_times(Evaluation& record) {
  const auto missing = [&](Side side) { return !median_time_ns(record.samples, side); };
  const std::string early = record.message.empty() ? "not reached" : record.message;
  if (missing(Side::kEager)) record.eager_reason = early;
  if (missing(Side::kCompiled) && record.compiled_reason.empty()) record.compiled_reason = early;
  if (missing(Side::kSubmission))
    record.submission_reason = record.submission ? early : "nobody submitted for this task";
}

}  // namespace

Evaluation evaluate(const EvaluationRequest& request, const EvaluationSettings& settings,
                    Oracle& oracle, const WorkerFactory& start_worker) {
  Evaluation record;
  record.task = request.task->id;
  record.level = request.task->level;
  record.size = request.size->name;
  record.device = request.device;
  record.precision = request.precision;
  record.submission = request.submission;
  record.task_hash = request.task->hash;
  record.package_key = request.package_key;
  record.rule_c = settings.acceptance.c;
  record.rule_k = settings.acceptance.k;
  record.seed = request.seed;
  const auto start = Clock::now();
  const auto end = Evaluating(request, settings, oracle, start_worker, record).run();
  record.state = request.submission ? State::kOk : State::kNoSubmission;
  if (end) {
    record.state = end->state;
    record.message = end->message;
    record.hint = end->hint;
    if (end->state == State::kWrongResult) record.correct = false;
  }
  explain_missing_times(record);
  record.wall_seconds = seconds_since(start);
  return record;
}

}  // namespace kbench
