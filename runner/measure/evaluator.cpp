#include "runner/measure/evaluator.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/analysis/keep.hpp"
#include "runner/analysis/least_time.hpp"
#include "runner/analysis/speedup.hpp"
#include "runner/core/defence.hpp"
#include "runner/core/lines.hpp"
#include "runner/core/sha256.hpp"
#include "runner/core/statistics.hpp"
#include "runner/measure/call_protocol.hpp"
#include "runner/measure/secret.hpp"
#include "runner/measure/suspicion.hpp"
#include "runner/measure/task_limit.hpp"
#include "runner/task/hard_draws.hpp"
#include "runner/task/large_biases.hpp"
#include "runner/task/working_type.hpp"
#include "runner/verify/imprecise.hpp"

namespace kbench {
namespace {

using Clock = std::chrono::steady_clock;

// CPU: the shortest sample. A baseline with a shorter call has samples of several calls on distinct
// inputs.
constexpr double kShortestSampleNs = 2e6;
// Visit numbers of the baselines' calls alone: before the worker comes, and (CUDA) after it has
// gone.
constexpr int kBeforeTheWorker = 0;
constexpr int kAfterTheWorker = 1;
// Visits of Python on a CPU that show in whose code it is.
constexpr int kLeastProfiled = 6;
// Visits where the looks are too few. Threads of the submission on all cores keep the looking
// thread off its core for a slice of the scheduler, some milliseconds; a short call is over by
// then.
constexpr int kMostProfiled = 48;
// One block in so many is profiled. With one placement there are few blocks, and a submission that
// counts its calls would know which; so most are profiled there.
constexpr std::uint64_t kProfiledOneIn = 3;
constexpr std::uint64_t kLeftAloneOneIn = 4;
constexpr int kAloneWarmUps = 2;  // libraries choose and load their kernels
// Calls of each baseline alone, before the worker comes; on CUDA as many after it has gone. So many
// samples make an interval of 95 % (analysis/speedup, Slowdown).
constexpr int kAloneAtOnce = 6;
constexpr int kAloneAPlacement = 2;  // where six placements or more follow

// A vendor's call that takes so many times as long as eager's measures nothing. Without TF32 cuDNN
// has one engine for a linear layer with a GELU: on an H200 it takes 270 times as long as the two
// calls of eager.
constexpr double kSlowestVendor = 10;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// One evaluation in progress. Each step returns how the evaluation ends early, or nothing.
class Evaluating {
 public:
  // `first`: samples of an earlier measurement that will count together with these.
  Evaluating(const EvaluationRequest& request, const EvaluationSettings& settings,
             std::span<const Sample> first, Oracle& oracle, const WorkerFactory& start_worker,
             WaitBudget& budget, Evaluation& record)
      : request_(request),
        settings_(settings),
        rule_(for_task(settings.acceptance, *request.size)),
        fast_math_rule_(for_fast_math(rule_, *request.size)),
        first_(first),
        oracle_(oracle),
        record_(record),
        keys_(request.seed),
        calls_(request, settings, oracle, start_worker, keys_, budget, record) {}

  std::optional<EarlyEnd> run() {
    auto end = run_steps();
    if (end && fault_of(end->state) == Fault::kSubmission) add_output(*end);
    return end;
  }

 private:
  // The submission's output tells its author more than a signal's name: an exception's text, for
  // example.
  void add_output(EarlyEnd& end) {
    const std::string printed = calls_.last_output();
    if (!printed.empty()) end.message += "\nthe last that it printed:\n" + printed;
  }

  std::optional<EarlyEnd> run_steps() {
    using Step = std::optional<EarlyEnd> (Evaluating::*)();
    for (const Step step : {&Evaluating::load, &Evaluating::check_correctness, &Evaluating::time})
      if (auto end = (this->*step)()) return end;
    note_limit();
    if (!has_submission()) return std::nullopt;
    record_.correct = true;
    if (auto end = judge_the_run()) return end;
    return check_large_biases();
  }

  // Judges what only all calls together show.
  std::optional<EarlyEnd> judge_the_run() {
    if (auto end = calls_.inspect(); end || !settings_.judges_times()) return end;
    if (auto end = calls_.judge_code_profile()) return end;
    if (stands(Defence::kFloor))
      record_.floor_ns =
          floor_ns(request_.size->work,
                   highest_peaks(peaks_, settings_.limits, find_device_sheet(request_.device_name)),
                   request_.cache_bytes);
    if (!on_cpu()) {
      calls_.dismiss();
      if (auto end = time_alone(kAfterTheWorker)) return end;
    }
    return calls_.judge_clocks();
  }

  void note_limit() {
    if (!settings_.judges_times()) return;
    TaskLimit limit = limit_of(request_.size->work, request_.precision, peaks_, settings_.limits,
                               request_.cache_bytes);
    record_.limit_ns = limit.ns;
    record_.unfused_limit_ns = limit.unfused_ns;
    record_.limit_basis = std::move(limit.basis);
  }

  [[nodiscard]] bool has_submission() const { return request_.submission.has_value(); }
  [[nodiscard]] bool on_cpu() const { return request_.device == "cpu"; }

  std::optional<EarlyEnd> load() {
    if (in_half())
      if (const std::string why = why_not_in_half(*request_.size); !why.empty())
        return not_in_type(why);
    auto parameters = request_.initial_parameters ? request_.initial_parameters() : Result<int>(-1);
    if (!parameters) return from_error(parameters.error());
    model_draws_parameters_ = *parameters >= 0;
    auto reason =
        oracle_.load(request_.task->file, request_.size->name, request_.package, *parameters);
    if (!reason) return from_error(reason.error());
    record_.compiled_reason = request_.package.empty() ? request_.package_reason : *reason;
    sides_ = {Side::kEager};
    if (record_.compiled_reason.empty()) sides_.push_back(Side::kCompiled);
    if (calls_.vendor().plays()) sides_.push_back(Side::kVendor);
    if (has_submission()) sides_.push_back(Side::kSubmission);
    return std::nullopt;
  }

  [[nodiscard]] bool in_half() const { return working_type(request_.precision) != DType::kFloat32; }

  // The end of an evaluation whose task cannot be had in the class: nobody is to blame, and it
  // counts in no score of the class.
  [[nodiscard]] EarlyEnd not_in_type(const std::string& why) {
    record_.unranked =
        fmt::format("{} is not to be had in {}: {}", request_.task->id, request_.precision, why);
    return {State::kSkipped, record_.unranked, "run it in another precision class"};
  }

  // In 16 bits eager itself may not run, or may leave the type's range. That is known before
  // anybody is timed.
  std::optional<EarlyEnd> try_type() {
    if (!in_half()) return std::nullopt;
    if (auto end = calls_.draw_inputs()) return end;
    const auto eager = oracle_.reference();
    if (!eager && eager.error().code == ErrorCode::kNotFound)
      return not_in_type(eager.error().message);
    if (!eager) return from_error(eager.error());
    if (!all_finite(*eager)) return not_in_type("eager's outputs leave the range of the type");
    if (auto released = oracle_.release(); !released) return from_error(released.error());
    return std::nullopt;
  }

  std::optional<EarlyEnd> check_correctness() {
    if (auto end = calls_.place(1)) return end;
    if (auto end = try_type()) return end;
    if (auto end = time_alone()) return end;
    if (auto end = calls_.start_worker()) return end;
    if (auto end = measure_peaks()) return end;
    int draw = 0;
    for (const auto& hard : planned_draws())
      if (auto end = check_draw(draw++, hard)) return end;
    if (auto released = oracle_.release(); !released) return from_error(released.error());
    return std::nullopt;
  }

  // Times the baselines while no submission is loaded, so that none can slow them down.
  std::optional<EarlyEnd> time_alone(int visit = kBeforeTheWorker) {
    if (!has_submission()) return std::nullopt;
    const std::size_t first = record_.alone.size();
    const int warm_ups = settings_.judges_times() ? kAloneWarmUps : 1;
    for (int i = 0; i < warm_ups + calls_alone(); ++i)
      if (auto end = visit_alone(visit, i >= warm_ups)) return end;
    const auto clock = oracle_.sm_clock_khz();
    if (!clock) return from_error(clock.error());
    for (std::size_t i = first; i < record_.alone.size(); ++i)
      if (*clock > 0) record_.alone[i].sm_clock_khz = *clock;
    if (visit == kAfterTheWorker) return std::nullopt;  // nobody wants the memory
    if (auto released = oracle_.release(); !released) return from_error(released.error());
    return std::nullopt;
  }

  // A visit like those of a block, with a flush in the submission's place. A baseline that is
  // called again and again would find its code and memory in caches that it shares with nobody.
  std::optional<EarlyEnd> visit_alone(int visit, bool counts) {
    if (auto end = calls_.draw_inputs()) return end;
    for (const Side side : shuffled(sides_, keys_.key("alone", visits_alone_++))) {
      if (side == Side::kVendor) continue;
      if (side == Side::kSubmission) {
        if (auto flushed = oracle_.flush(); !flushed) return from_error(flushed.error());
        continue;
      }
      Sample sample{.placement = placement_,
                    .block = kAlone,
                    .visit = visit,
                    .side = side,
                    .calls = calls_.slots()};
      if (auto end = time_baseline_alone(sample)) return end;
      if (counts) record_.alone.push_back(sample);
    }
    return std::nullopt;
  }

  // Number of calls alone. Zero where no time is judged: then the first warm-up tells how long the
  // submission may take.
  [[nodiscard]] int calls_alone() const {
    if (!settings_.judges_times()) return 0;
    const bool many_placements = on_cpu() && settings_.stop.min_placements >= kAloneAtOnce;
    return many_placements ? kAloneAPlacement : kAloneAtOnce;
  }

  std::optional<EarlyEnd> time_baseline_alone(Sample& sample) {
    calls_.take_quiet_core();
    BaselineTime timed;
    if (auto end = calls_.time_baseline(sample.side, timed)) return end;
    sample.time_ns = timed.ns;
    if (sample.side == Side::kEager) calls_.expect(static_cast<double>(timed.ns) / calls_.slots());
    calls_.saw_baseline_alone(sample.side, timed);
    return std::nullopt;
  }

  // Measures the device's peaks while the worker starts: the submission is not loaded yet, so
  // nobody else is at work.
  std::optional<EarlyEnd> measure_peaks() {
    if (!settings_.judges_times()) return std::nullopt;
    auto peaks = oracle_.peaks();
    if (!peaks) return from_error(peaks.error());
    peaks_ = *peaks;
    return std::nullopt;
  }

  // The task's own distribution several times and each hard draw that applies once, in an order
  // that the submission cannot know. A comparison of two files begins with the task's own
  // distribution: eager's error there is the yardstick of all that follows.
  std::vector<std::optional<HardDraw>> planned_draws() {
    if (!has_submission()) return {std::nullopt};
    std::vector<std::optional<HardDraw>> draws(
        static_cast<std::size_t>(settings_.correctness_draws));
    for (const HardDrawRule& rule : request_.size->hard_draws)
      if (rule.applies() && !settings_.original_draws && stands(Defence::kHardDraws))
        draws.emplace_back(rule.draw);
    if (settings_.times == Times::kRough) return draws;
    for (std::size_t i = draws.size(); i > 1; --i)
      std::swap(draws[i - 1], draws[keys_.key("order of draws", i) % i]);
    return draws;
  }

  std::optional<EarlyEnd> check_draw(int draw, std::optional<HardDraw> hard) {
    if (settings_.times == Times::kRough && draw > 0) {
      if (!hard && is_compared_enough(draw)) return std::nullopt;
      bool is_eagers = false;
      if (auto end = compare_with_eager(draw, hard, is_eagers)) return end;
      if (is_eagers) return std::nullopt;
    }
    if (auto end = calls_.draw_inputs(hard)) return end;
    if (draw == 0)
      if (auto end = calls_.load()) return end;
    // The worker loads meanwhile.
    auto eager = oracle_.reference();
    if (!eager) return from_error(eager.error());
    if (draw == 0)
      if (auto end = calls_.prepare()) return end;
    // Timed calls see the task's own distribution only, and so does the compiled baseline.
    const bool first_own = !hard && eager_error_.empty();
    if (!hard) eager_error_ = worst_of(eager_error_, *eager);
    if (!hard && in_half()) note_imprecise();
    if (first_own)
      if (auto end = check_compiled()) return end;
    if (first_own)
      if (auto end = check_vendor()) return end;
    if (first_own && request_.eager_is_a_worker)
      if (auto end = check_eager(*eager)) return end;
    if (!has_submission() || (hard && !is_usable(*hard, draw, *eager))) return std::nullopt;
    return check_submission(draw, hard, *eager);
  }

  // Whether two files were compared on enough of the task's own draws: three, and as many more as
  // are done at once.
  bool is_compared_enough(int draw) {
    constexpr int kFewest = 3;
    constexpr std::int64_t kAtOnceNs = 200'000'000;
    const std::int64_t now = settings_.surroundings.now_ns();
    if (draw == 1) comparing_since_ns_ = now;
    return draw >= kFewest && now - comparing_since_ns_ > kAtOnceNs;
  }

  // In 16 bits eager itself may be so far off that the rule cannot tell right from wrong. Lint
  // finds that as well, but keeps nothing of these classes.
  void note_imprecise() {
    for (const EagerError& error : eager_error_) {
      if (error.scaled_error <= kLargestEagerErrorInHalf || !record_.unranked.empty()) continue;
      record_.unranked = fmt::format(
          "in {} eager itself is off by {:.0f} % of an element, which leaves room for wrong "
          "results",
          request_.precision, 100 * error.scaled_error);
    }
  }

  // For somebody who compares two files: every draw after the first. The reference takes ten times
  // as long as eager in double, and has nothing to add where the results are eager's, or as near to
  // those as another run of eager is. On the task's own inputs they are judged like those of a
  // timed call.
  std::optional<EarlyEnd> compare_with_eager(int draw, std::optional<HardDraw> hard,
                                             bool& is_eagers) {
    calls_.take_quiet_core();
    if (auto end = calls_.draw_inputs(hard)) return end;
    BaselineTime timed;
    if (auto end = calls_.time_baseline(Side::kEager, timed)) return end;
    CallTimes times;
    if (auto end = calls_.call(times, true)) return end;
    const std::vector<TensorSpec>& outputs = request_.size->outputs;
    auto compared =
        oracle_.judge(Against::kEager, hard ? unbounded(outputs.size())
                                            : bounds(rule_, eager_error_, Against::kEager));
    if (!compared) return from_error(compared.error());
    is_eagers = hard ? is_near(outputs, eager_error_, *compared)
                     : judge(rule_, outputs, eager_error_, *compared, Against::kEager).passed;
    if (!is_eagers) return std::nullopt;
    Check check;
    check.draw = draw;
    if (hard) check.distribution = to_string(*hard);
    check.passed = true;
    record_.checks.push_back(std::move(check));
    return std::nullopt;
  }

  [[nodiscard]] static bool all_finite(const std::vector<EagerError>& eager) {
    return std::all_of(eager.begin(), eager.end(),
                       [](const EagerError& error) { return error.not_finite == 0; });
  }

  // Eager is no yardstick on a draw where the type leaves its range: the draw is left out, and the
  // row says so.
  bool is_usable(HardDraw hard, int draw, const std::vector<EagerError>& eager) {
    if (all_finite(eager)) return true;
    Check check;
    check.draw = draw;
    check.distribution = to_string(hard);
    check.passed = true;
    check.message = "left out: eager itself overflows on such inputs";
    record_.checks.push_back(check);
    return false;
  }

  std::optional<EarlyEnd> check_submission(int draw, std::optional<HardDraw> hard,
                                           const std::vector<EagerError>& eager) {
    // Its first call starts its threads. Draw 0 may have been left out.
    if (std::exchange(was_called_, true)) calls_.take_quiet_core();
    Check check;
    if (auto end = call_and_judge(hard.has_value(), eager, check)) return end;
    if (hard && !check.passed && depends_on_few(check))
      if (auto end = check_on_other_inputs(*hard, check)) return end;
    if (hard && !check.passed)
      check.message = fmt::format("on inputs with {}: {}", describe(*hard), check.message);
    check.draw = draw;
    if (hard) check.distribution = to_string(*hard);
    record_.checks.push_back(check);
    return check.passed ? std::nullopt : wrong(check);
  }

  // kbench compares with the graph in double. Another benchmark compares with what eager returns,
  // in TF32 where eager's convolutions are.
  [[nodiscard]] Against draws_against() const {
    return rule_.allclose > 0 ? Against::kEager : Against::kReference;
  }

  // `hard`: the inputs or the parameters are not the task's own.
  std::optional<EarlyEnd> call_and_judge(bool hard, const std::vector<EagerError>& eager,
                                         Check& check) {
    CallTimes times;
    if (auto end = calls_.call(times, true)) return end;
    auto yardstick = eager;
    if (auto end = judge_outputs(rule_, yardstick, check, draws_against())) return end;
    if (hard && !check.passed)
      if (auto end = judge_with_perturbed(yardstick, check)) return end;
    return check.passed ? std::nullopt : judge_as_fast_math(yardstick, check);
  }

  // In 16 bits: once more with biases that show (task/large_biases.hpp), which takes buffers and a
  // worker of its own. That comes last, so that nothing is timed beside it or after it.
  std::optional<EarlyEnd> check_large_biases() {
    if (settings_.original_draws || model_draws_parameters_ || !has_small_biases(*request_.size))
      return std::nullopt;
    record_.correct.reset();
    if (auto end = calls_.place_large_biases()) return end;
    if (auto end = calls_.start_worker()) return end;
    if (auto end = calls_.draw_inputs()) return end;
    if (auto end = calls_.load()) return end;
    const auto eager = oracle_.reference();
    if (!eager) return from_error(eager.error());
    if (auto end = calls_.prepare()) return end;
    if (auto end = judge_large_biases(*eager)) return end;
    record_.correct = true;
    return calls_.inspect();
  }

  std::optional<EarlyEnd> judge_large_biases(const std::vector<EagerError>& eager) {
    Check check;
    if (all_finite(eager)) {
      if (auto end = call_and_judge(true, eager, check)) return end;
      if (!check.passed)
        check.message = fmt::format("with biases drawn from [-1, 1): {}", check.message);
    } else {
      check.passed = true;
      check.message = "left out: eager itself overflows with such parameters";
    }
    check.draw = static_cast<int>(record_.checks.size());
    check.distribution = "large_biases";
    record_.checks.push_back(check);
    return check.passed ? std::nullopt : wrong(check);
  }

  // Whether so few elements are wrong that luck may explain it. One element of 40,960 of an honest
  // GRU was off by six times eager's largest error of nine runs, once in some hundred evaluations:
  // errors that double at every step have no bound. A kernel that cannot deal with such inputs is
  // wrong on others as well, and in more than a few elements.
  [[nodiscard]] bool depends_on_few(const Check& check) const {
    std::int64_t elements = 0;
    for (const TensorSpec& output : request_.size->outputs) elements += output.elements();
    return check.wrong_elements <= static_cast<std::uint64_t>(elements / 10'000 + 1);
  }

  std::optional<EarlyEnd> check_on_other_inputs(HardDraw hard, Check& check) {
    if (auto end = calls_.draw_inputs(hard)) return end;
    auto eager = oracle_.reference();
    if (!eager) return from_error(eager.error());
    const std::string before = check.message;
    if (auto end = call_and_judge(true, *eager, check)) return end;
    check.message = fmt::format("{}; on inputs drawn before: {}",
                                check.passed ? "ill-conditioned" : check.message, before);
    return std::nullopt;
  }

  std::optional<EarlyEnd> judge_outputs(const AcceptanceRule& rule,
                                        const std::vector<EagerError>& eager, Check& check,
                                        Against against = Against::kReference) {
    auto compared = oracle_.judge(against, bounds(rule, eager, against));
    if (!compared) return from_error(compared.error());
    check = judge(rule, request_.size->outputs, eager, *compared, against);
    return std::nullopt;
  }

  // Hard inputs can be ill-conditioned: the largest error then hangs on a handful of elements and
  // on chance, and eager may have had more luck than an honest submission. So eager's errors on
  // perturbed inputs are added to `eager`.
  std::optional<EarlyEnd> judge_with_perturbed(std::vector<EagerError>& eager, Check& check) {
    auto perturbed = oracle_.perturbed();
    if (!perturbed) return from_error(perturbed.error());
    eager = worst_of(eager, *perturbed);
    if (auto end = judge_outputs(rule_, eager, check)) return end;
    if (check.passed) check.message = "ill-conditioned: judged by eager on perturbed inputs too";
    return std::nullopt;
  }

  // A failed output may be what a GPU's fast mathematics gives: then it passes, and the row says
  // so.
  std::optional<EarlyEnd> judge_as_fast_math(const std::vector<EagerError>& eager, Check& check,
                                             Against against = Against::kReference) {
    if (!fast_math_rule_) return std::nullopt;
    if (auto end = judge_outputs(*fast_math_rule_, eager, check, against)) return end;
    if (check.passed) calls_.add_label("fast_math");
    return std::nullopt;
  }

  std::optional<EarlyEnd> wrong(const Check& check) {
    const std::string cause = calls_.likely_cause();
    return EarlyEnd{
        State::kWrongResult, check.message + (cause.empty() ? "" : "; " + cause),
        "compare with the task's module, which `kbench tasks prompt` prints, at the same "
        "size"};
  }

  // A compiled baseline that computes something else is left out, with the reason.
  std::optional<EarlyEnd> check_compiled() {
    if (!record_.compiled_reason.empty()) return std::nullopt;
    auto compared = oracle_.judge_compiled(bounds(rule_, eager_error_, Against::kEager));
    if (!compared && compared.error().code == ErrorCode::kDoesNotFit)
      return from_error(compared.error());
    if (compared) {
      const Check check = judge(rule_, request_.size->outputs, eager_error_, *compared,
                                Against::kEager, Whose::kCompiledBaselines);
      if (check.passed) return std::nullopt;
      record_.compiled_reason = "its output differs from eager's: " + check.message;
    } else {
      record_.compiled_reason = compared.error().message;
    }
    std::erase(sides_, Side::kCompiled);
    std::erase_if(record_.alone, [](const Sample& s) { return s.side == Side::kCompiled; });
    return std::nullopt;
  }

  // Judges the vendor's output like a submission's: against the reference, by the rule in force.
  std::optional<EarlyEnd> check_vendor() {
    if (!calls_.vendor().plays() || !calls_.take_vendor()) return std::nullopt;
    auto compared = oracle_.judge_vendor(bounds(rule_, eager_error_, Against::kReference));
    if (!compared) return from_error(compared.error());
    const Check check =
        judge(rule_, request_.size->outputs, eager_error_, *compared, Against::kReference);
    if (!check.passed) calls_.vendor().leave_out("its result is wrong: " + check.message);
    return std::nullopt;
  }

  // No further visit has the vendor's side once that is left out.
  void drop_left_out_vendor() {
    if (!calls_.vendor().plays()) std::erase(sides_, Side::kVendor);
  }

  // Time of a visit of the vendor's library; empty once that is left out.
  [[nodiscard]] std::optional<std::int64_t> time_vendor() {
    std::optional<std::int64_t> ns;
    if (calls_.vendor().plays()) calls_.time_vendor(ns);
    drop_left_out_vendor();
    return ns;
  }

  // `ns` of all slots' calls, `eager_ns` of one.
  void drop_slow_vendor(std::optional<std::int64_t> ns, double eager_ns) {
    if (!ns) return;
    const double call_ns = static_cast<double>(*ns) / calls_.slots();
    if (call_ns <= kSlowestVendor * eager_ns) return;
    calls_.vendor().leave_out(fmt::format("{} takes {:.0f} times as long as eager",
                                          record_.vendor_algorithm, call_ns / eager_ns));
    drop_left_out_vendor();
  }

  // Judges the eager that a worker plays: timed calls of a submission are compared with its
  // outputs.
  std::optional<EarlyEnd> check_eager(const std::vector<EagerError>& eager) {
    BaselineTime timed;
    if (auto end = calls_.time_baseline(Side::kEager, timed)) return end;
    // kbench's own rule, whatever profile the run has, tells whether two files say the same.
    const AcceptanceRule rule = for_task(AcceptanceRule{}, *request_.size);
    auto compared = oracle_.judge_eager(bounds(rule, eager, Against::kReference));
    if (!compared) return from_error(compared.error());
    const Check check = judge(rule, request_.size->outputs, eager, *compared, Against::kReference);
    if (check.passed) return settings_.is_timed() ? choose_eager(timed) : std::nullopt;
    return EarlyEnd{State::kInfrastructureError,
                    "what the task's .py computes is not what its .json says: " + check.message,
                    "the .json is older than the .py, or was lowered by another torch: lower the "
                    "task again"};
  }

  // The faster eager counts: the task's own Model as Python plays it, or its graph. Apart from the
  // interpreter's share both take the same time, unless the file does more than compute.
  std::optional<EarlyEnd> choose_eager(const BaselineTime& played_by_python) {
    constexpr double kSurelySlower = 1.5;
    constexpr double kInterpreterNs = 5e5;
    constexpr int kTries = 3;  // of each: a busy machine slows one call down
    auto python_ns = static_cast<double>(played_by_python.ns);
    double graph_ns = HUGE_VAL;
    const auto is_slower = [&] { return python_ns > kSurelySlower * graph_ns + kInterpreterNs; };
    for (int i = 0; i < kTries && (i == 0 || is_slower()); ++i) {
      BaselineTime timed;
      if (auto end = calls_.time_baseline(Side::kEager, timed)) return end;
      python_ns = std::min(python_ns, static_cast<double>(timed.ns));
      if (auto end = calls_.time_graph(timed)) return end;
      graph_ns = std::min(graph_ns, static_cast<double>(timed.ns));
    }
    if (!is_slower()) return std::nullopt;
    calls_.have_graph_play_eager();
    std::erase_if(record_.alone, [](const Sample& s) { return s.side == Side::kEager; });
    return std::nullopt;
  }

  // An unrecorded visit of each side. It warms caches, clocks and lazy loading, and tells how long
  // a baseline's call takes. The submission cannot tell it from a visit that counts, and it is
  // verified like one.
  std::optional<EarlyEnd> warm_up() {
    if (auto end = calls_.draw_inputs()) return end;
    shortest_ns_ = HUGE_VAL;
    double eager_ns = 0;
    const std::vector<Side> sides = sides_;
    for (const Side side : sides) {  // eager first: its outputs judge the submission's
      if (side != Side::kSubmission) calls_.take_quiet_core();
      if (side == Side::kVendor) {
        drop_slow_vendor(time_vendor(), eager_ns);
        continue;
      }
      if (side == Side::kSubmission) {
        calls_.leave_quiet_core();
        CallTimes times;
        if (auto end = calls_.call(times)) return end;
        if (auto end = verify_timed_call()) return end;
        continue;
      }
      BaselineTime timed;
      if (auto end = calls_.time_baseline(side, timed)) return end;
      const double call_ns = static_cast<double>(timed.ns) / calls_.slots();
      if (side == Side::kEager) {
        calls_.expect(call_ns);
        eager_ns = call_ns;
      }
      shortest_ns_ = std::min(shortest_ns_, call_ns);
    }
    return std::nullopt;
  }

  // Number of distinct inputs that make a sample long enough for the clock. It depends on the
  // baselines alone: a submission that returned at once would choose how it is timed.
  [[nodiscard]] int slots_needed() const {
    if (!on_cpu()) return 1;
    const double needed = std::ceil(kShortestSampleNs / std::max(shortest_ns_, 1.0));
    return static_cast<int>(std::clamp(needed, 1.0, static_cast<double>(kMaxSlots)));
  }

  // Visits each side twice: the first visit is slower than those that count, in either order of the
  // sides. The shortest of rough times counts, and that is not the first.
  std::optional<EarlyEnd> settle_in() {
    const int visits = settings_.times == Times::kRough ? 1 : 2;
    for (int i = 0; i < visits; ++i)
      if (auto end = warm_up()) return end;
    return std::nullopt;
  }

  std::optional<EarlyEnd> time() {
    if (!settings_.is_timed()) return std::nullopt;
    if (auto end = settle_in()) return end;
    const int slots = slots_needed();
    if (slots != calls_.slots())
      if (auto end = place_anew(slots)) return end;
    const auto start = Clock::now();
    while (!enough(seconds_since(start))) {
      const auto placing = Clock::now();
      if (on_cpu() && placement_ > 0)
        if (auto end = place_anew(slots)) return end;
      if (auto end = time_placement(seconds_since(placing))) return end;
      drop_disturbed_blocks(record_.samples, record_.blocks, on_cpu());
    }
    while (wants_profile() && visits_profiled_ < kMostProfiled)
      if (auto end = profile_a_visit()) return end;
    return std::nullopt;
  }

  [[nodiscard]] bool wants_profile() const {
    if (!has_submission() || !calls_.profiles()) return false;
    // Profiled visits are at the submission's expense.
    const int least = calls_.takes_long() ? 1 : kLeastProfiled;
    return visits_profiled_ < least || !calls_.has_enough_looks();
  }

  // Profiles a visit before some blocks; a submission that counts its calls does not know which.
  std::optional<EarlyEnd> profile_now_and_then() {
    if (!wants_profile()) return std::nullopt;
    const std::uint64_t drawn = keys_.key("profile", static_cast<std::uint64_t>(block_));
    const bool now = settings_.stop.min_placements > 1 ? drawn % kProfiledOneIn == 0
                                                       : drawn % kLeftAloneOneIn != 0;
    return now ? profile_a_visit() : std::nullopt;
  }

  // A visit that does not count, on inputs of its own. A side cannot tell it from one that counts,
  // not even by the time since its last call.
  std::optional<EarlyEnd> profile_a_visit() {
    const auto number = static_cast<std::uint64_t>(visits_profiled_++);
    if (auto end = calls_.draw_inputs()) return end;
    for (const Side side : shuffled(sides_, keys_.key("order of a profile", number))) {
      BaselineTime timed;
      auto end =
          side == Side::kSubmission ? calls_.call_and_profile() : calls_.time_baseline(side, timed);
      if (end) return end;
    }
    return verify_timed_call();
  }

  // CPU: starts fresh players on fresh buffers, on all sides.
  std::optional<EarlyEnd> place_anew(int slots) {
    if (auto end = calls_.inspect()) return end;
    if (auto end = calls_.place(slots)) return end;
    if (auto end = time_alone()) return end;
    if (auto end = calls_.start_worker()) return end;
    if (has_submission()) {
      if (auto end = calls_.draw_inputs()) return end;
      if (auto end = calls_.load()) return end;
      if (auto end = calls_.prepare()) return end;
    }
    return settle_in();
  }

  // Times the blocks of one placement. A placement costs time, and its blocks share its luck, so
  // about as much time goes into blocks as went into placing. A run with one placement has all of
  // its blocks there.
  std::optional<EarlyEnd> time_placement(double placing_seconds) {
    if (!on_cpu()) {
      placement_ = block_;  // every block has new addresses
      return time_block();
    }
    const bool only_one = settings_.stop.min_placements <= 1;
    const auto start = Clock::now();
    int blocks = 0;
    do {
      if (auto end = time_block()) return end;
      ++blocks;
    } while (only_one ? !enough(seconds_since(start))
                      : seconds_since(start) < placing_seconds &&
                            blocks < settings_.stop.most_blocks_a_placement);
    ++placement_;
    return std::nullopt;
  }

  [[nodiscard]] bool enough(double seconds) const {
    if (first_.empty()) return has_enough(settings_.stop, record_.samples, sides_.back(), seconds);
    const auto both = [this] { return joined(first_, record_.samples); };
    return has_enough_together(settings_.stop, record_.samples, both, sides_.back(), seconds);
  }

  std::optional<EarlyEnd> time_block() {
    auto order = shuffled(sides_, keys_.key("order", static_cast<std::uint64_t>(block_)));
    if (auto end = profile_now_and_then()) return end;
    Block block{.block = block_};
    calls_.forget_strangers();
    sentinels_ns_.clear();
    const Pressure pressure = settings_.surroundings.pressure();
    const std::int64_t stolen = on_cpu() ? settings_.surroundings.stolen_ns() : 0;
    if (auto end = read_clock(block.start_khz)) return end;
    block.clock_limits = clock_limits();
    if (auto end = calls_.make_empty_call()) return end;
    for (int visit = 0; visit < 2; ++visit) {
      if (auto end = time_visit(order, visit, block)) return end;
      std::reverse(order.begin(), order.end());
    }
    if (auto end = read_clock(block.end_khz)) return end;
    block.clock_limits |= clock_limits();
    if (on_cpu()) block.stolen_ns = settings_.surroundings.stolen_ns() - stolen;
    const Pressure now = settings_.surroundings.pressure();
    block.cpu_pressure_ns = now.cpu_ns - pressure.cpu_ns;
    block.memory_pressure_ns = now.memory_ns - pressure.memory_ns;
    if (!sentinels_ns_.empty())
      block.sentinel_ns = static_cast<std::int64_t>(median(sentinels_ns_));
    block.strangers = calls_.strangers();
    record_.blocks.push_back(block);
    ++block_;
    return std::nullopt;
  }

  [[nodiscard]] std::uint64_t clock_limits() const {
    return on_cpu() ? 0 : settings_.surroundings.clock_limits();
  }

  std::optional<EarlyEnd> read_clock(std::int64_t& khz) {
    if (on_cpu()) return std::nullopt;
    auto read = oracle_.sm_clock_khz();
    if (!read) return from_error(read.error());
    khz = *read;
    return std::nullopt;
  }

  // Times every side once, on one input. The input is fresh if there is a submission, which could
  // remember the last one.
  std::optional<EarlyEnd> time_visit(const std::vector<Side>& order, int visit, Block& block) {
    if (has_submission())
      if (auto end = calls_.draw_inputs()) return end;
    bool eager_known = false;
    bool waiting_for_eager = false;
    for (const Side side : order) {
      Sample sample{.placement = placement_,
                    .block = block_,
                    .visit = visit,
                    .side = side,
                    .calls = calls_.slots()};
      calls_.take_quiet_core();
      if (side == Side::kVendor) {
        const auto ns = time_vendor();
        if (!ns) continue;
        sample.time_ns = *ns;
      } else if (side == Side::kSubmission) {
        if (auto end = time_submission(sample, block)) return end;
        waiting_for_eager = !eager_known;
        if (!waiting_for_eager)
          if (auto end = verify_timed_call()) return end;
      } else {
        if (auto end = time_baseline(sample, block)) return end;
        eager_known |= side == Side::kEager;
      }
      record_.samples.push_back(std::move(sample));
    }
    return waiting_for_eager ? verify_timed_call() : std::nullopt;
  }

  std::optional<EarlyEnd> time_submission(Sample& sample, Block& block) {
    CallTimes times;
    if (auto end = calls_.call(times)) return end;
    sample.time_ns = times.time_ns;
    sample.claimed_ns = times.claimed_ns;
    sample.wall_ns = times.wall_ns;
    sample.strict_ns = times.strict_ns;
    block.submission_waited_ns += times.waited_ns;
    return std::nullopt;
  }

  std::optional<EarlyEnd> time_baseline(Sample& sample, Block& block) {
    BaselineTime timed;
    if (auto end = calls_.time_baseline(sample.side, timed)) return end;
    sample.time_ns = timed.ns;
    block.involuntary_switches += timed.involuntary_switches;
    block.baselines_waited_ns += timed.waited_ns;
    sentinels_ns_.push_back(static_cast<double>(timed.flush_ns));
    calls_.saw_baseline(sample.side, timed);
    return std::nullopt;
  }

  std::optional<EarlyEnd> verify_timed_call() {
    if (!stands(Defence::kEveryCallVerified)) return std::nullopt;
    Check check;
    if (auto end = judge_outputs(rule_, eager_error_, check, Against::kEager)) return end;
    if (!check.passed)
      if (auto end = judge_as_fast_math(eager_error_, check, Against::kEager)) return end;
    if (check.passed) return std::nullopt;
    check.draw = static_cast<int>(calls_.inputs_drawn());
    check.distribution = "timed";
    check.message = "in a timed call: " + check.message;
    record_.checks.push_back(check);
    return wrong(check);
  }

  const EvaluationRequest& request_;
  const EvaluationSettings& settings_;
  const AcceptanceRule rule_;
  const std::optional<AcceptanceRule> fast_math_rule_;
  std::span<const Sample> first_;
  Oracle& oracle_;
  Evaluation& record_;
  KeySchedule keys_;
  CallProtocol calls_;

  std::vector<Side> sides_;
  bool model_draws_parameters_ = false;
  bool was_called_ = false;  // the submission, in a check
  DevicePeaks peaks_;
  std::int64_t comparing_since_ns_ = 0;
  std::vector<EagerError> eager_error_;  // the worst over all draws so far
  std::vector<double> sentinels_ns_;     // of this block
  double shortest_ns_ = 0;               // a call of the fastest baseline
  int placement_ = 0;
  int block_ = 0;
  int visits_profiled_ = 0;
  std::uint64_t visits_alone_ = 0;
};

void explain_missing_times(Evaluation& record) {
  if (!record.timed) {
    record.eager_reason = record.compiled_reason = record.submission_reason = kNotTimed;
    return;
  }
  const auto missing = [&](Side side) { return !median_time_ns(record.samples, side); };
  // Only the first line is the reason: output of the submission and a compiler's pages stand in the
  // message.
  const std::string first = first_line(record.message);
  const std::string early = first.empty() ? "not reached" : first;
  if (missing(Side::kEager)) record.eager_reason = early;
  if (missing(Side::kCompiled) && record.compiled_reason.empty()) record.compiled_reason = early;
  if (record.asked_for_vendor() && missing(Side::kVendor) && record.vendor_reason.empty())
    record.vendor_reason = early;
  if (missing(Side::kSubmission))
    record.submission_reason = record.submission ? early : "nobody submitted for this task";
}

// Peaks only rise from one measurement to the next, so the floor of the later one is the truer.
void take_floor_of(const Evaluation& later, Evaluation& earlier) {
  if (later.floor_ns) earlier.floor_ns = later.floor_ns;
}

Evaluation evaluate_once(const EvaluationRequest& request, const EvaluationSettings& settings,
                         const std::string& reason, std::span<const Sample> first, Oracle& oracle,
                         const WorkerFactory& start_worker, WaitBudget& budget) {
  Evaluation record;
  record.protocol = kProtocol;
  record.timed = settings.is_timed();
  record.calibration = settings.calibration;
  record.task = request.task->id;
  record.level = request.task->level;
  record.size = request.size->name;
  record.device = request.device;
  record.precision = request.precision;
  record.submission = request.submission;
  record.task_hash = request.task->hash;
  record.unranked = why_unranked(request.task->lint_accepts);
  record.package_key = request.package_key;
  record.profile = settings.profile;
  record.rule_c = settings.acceptance.c;
  record.rule_k = settings.acceptance.k + for_task(settings.acceptance, *request.size).g;
  if (settings.acceptance.allclose > 0) record.rule_allclose = settings.acceptance.allclose;
  record.seed = request.seed;
  const auto start = Clock::now();
  const auto end = Evaluating(request, settings, first, oracle, start_worker, budget, record).run();
  record.state = request.submission ? State::kOk : State::kNoSubmission;
  if (end) {
    record.state = end->state;
    record.message = end->message;
    record.hint = end->hint;
    if (end->state == State::kWrongResult) record.correct = false;
  }
  explain_missing_times(record);
  if (request.vendor && !record.asked_for_vendor())
    record.vendor_reason = first_line(record.message);
  record.wall_seconds = seconds_since(start);
  record.attempts = {{.reason = reason,
                      .seed = request.seed,
                      .state = record.state,
                      .message = record.message,
                      .null_call_ns = record.null_call_ns,
                      .null_strict_ns = record.null_strict_ns,
                      .wall_seconds = record.wall_seconds}};
  return record;
}

}  // namespace

Evaluation evaluate(const EvaluationRequest& request, const EvaluationSettings& settings,
                    Oracle& oracle, const WorkerFactory& start_worker) {
  // The seed of a repetition is as secret as the first one while the evaluation runs, and as easily
  // repeated afterwards.
  EvaluationRequest again = request;
  EvaluationSettings alone = settings;
  alone.stop = confirming(settings.stop);
  WaitBudget budget(settings.budget);
  const auto measure_again = [&](const Evaluation& before, const EvaluationSettings& how,
                                 const std::string& reason, std::span<const Sample> first) {
    if (settings.last_worker) settings.last_worker->reset();
    if (auto restarted = oracle.restart(); !restarted) {
      Evaluation failed = before;
      failed.state = State::kInfrastructureError;
      failed.message = restarted.error().message;
      failed.hint = restarted.error().hint;
      failed.attempts = {{.reason = reason, .state = failed.state, .message = failed.message}};
      for (auto* samples : {&failed.samples, &failed.alone, &failed.set_aside}) samples->clear();
      failed.blocks.clear();
      explain_missing_times(failed);
      return failed;
    }
    if (is_below_floor(before)) oracle.doubt_peaks();
    again.seed = sha256(again.seed + "/again");
    return evaluate_once(again, how, reason, first, oracle, start_worker, budget);
  };
  const auto unless_confirmed = [&](const Evaluation& first) {
    if (!is_contradicted(first)) return first;
    return confirm(first, measure_again(first, alone, std::string(to_string(first.state)), {}));
  };
  Evaluation result =
      unless_confirmed(evaluate_once(request, settings, "first", {}, oracle, start_worker, budget));
  const std::string reason = reason_to_repeat(result, settings.repeat_busy);
  if (reason.empty()) return result;
  Evaluation second = unless_confirmed(measure_again(result, settings, reason, result.samples));
  take_floor_of(second, result);
  if (!disagree(result, second)) return settle(std::move(result), std::move(second), reason);
  Evaluation third =
      unless_confirmed(measure_again(second, settings, "two measurements disagree", {}));
  for (Evaluation* before : {&result, &second}) take_floor_of(third, *before);
  return settle(std::move(result), std::move(second), std::move(third), reason);
}

}  // namespace kbench
