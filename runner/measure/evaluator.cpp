#include "runner/measure/evaluator.hpp"

#include <chrono>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/analysis/least_time.hpp"
#include "runner/analysis/speedup.hpp"
#include "runner/core/defence.hpp"
#include "runner/core/lines.hpp"
#include "runner/core/sha256.hpp"
#include "runner/measure/correctness_checks.hpp"
#include "runner/measure/evaluation_at_hand.hpp"
#include "runner/measure/suspicion.hpp"
#include "runner/measure/task_limit.hpp"
#include "runner/measure/timed_blocks.hpp"

namespace kbench {
namespace {

using Clock = std::chrono::steady_clock;

// One evaluation in progress. Each step returns how the evaluation ends early, or nothing.
class Evaluating {
 public:
  // `first`: samples of an earlier measurement that will count together with these.
  Evaluating(const EvaluationRequest& request, const EvaluationSettings& settings,
             std::span<const Sample> first, Oracle& oracle, const WorkerFactory& start_worker,
             WaitBudget& budget, Evaluation& record)
      : at_(request, settings, oracle, start_worker, budget, record),
        checks_(at_),
        blocks_(at_, checks_, first) {}

  std::optional<EarlyEnd> run() {
    auto end = run_steps();
    if (end && fault_of(end->state) == Fault::kSubmission) add_output(*end);
    return end;
  }

 private:
  // The submission's output tells its author more than a signal's name: an exception's text, for
  // example.
  void add_output(EarlyEnd& end) {
    const std::string printed = at_.calls.last_output();
    if (!printed.empty()) end.message += "\nthe last that it printed:\n" + printed;
  }

  std::optional<EarlyEnd> run_steps() {
    if (auto end = load()) return end;
    if (auto end = check_correctness()) return end;
    if (auto end = blocks_.time()) return end;
    note_limit();
    if (!at_.has_submission()) return std::nullopt;
    at_.record.correct = true;
    if (auto end = judge_the_run()) return end;
    return checks_.check_large_biases();
  }

  // Judges what only all calls together show.
  std::optional<EarlyEnd> judge_the_run() {
    if (auto end = at_.calls.inspect(); end || !at_.settings.judges_times()) return end;
    if (auto end = at_.calls.judge_code_profile()) return end;
    if (stands(Defence::kFloor))
      at_.record.floor_ns = floor_ns(
          at_.request.size->work,
          highest_peaks(peaks_, at_.settings.limits, find_device_sheet(at_.request.device_name)),
          at_.request.cache_bytes);
    if (!at_.on_cpu()) {
      at_.calls.dismiss();
      if (auto end = blocks_.time_alone_again()) return end;
    }
    return at_.calls.judge_clocks();
  }

  void note_limit() {
    if (!at_.settings.judges_times()) return;
    TaskLimit limit = limit_of(at_.request.size->work, at_.request.precision, peaks_,
                               at_.settings.limits, at_.request.cache_bytes);
    at_.record.limit_ns = limit.ns;
    at_.record.unfused_limit_ns = limit.unfused_ns;
    at_.record.limit_basis = std::move(limit.basis);
  }

  std::optional<EarlyEnd> load() {
    if (at_.in_half())
      if (const std::string why = why_not_in_half(*at_.request.size); !why.empty())
        return not_in_type(why);
    auto parameters =
        at_.request.initial_parameters ? at_.request.initial_parameters() : Result<int>(-1);
    if (!parameters) return from_error(parameters.error());
    at_.model_draws_parameters = *parameters >= 0;
    auto reason = at_.oracle.load(at_.request.task->file, at_.request.size->name,
                                  at_.request.package, *parameters);
    if (!reason) return from_error(reason.error());
    at_.record.compiled_reason = at_.request.package.empty() ? at_.request.package_reason : *reason;
    at_.sides = {Side::kEager};
    if (at_.record.compiled_reason.empty()) at_.sides.push_back(Side::kCompiled);
    if (at_.calls.vendor().plays()) at_.sides.push_back(Side::kVendor);
    if (at_.has_submission()) at_.sides.push_back(Side::kSubmission);
    return std::nullopt;
  }

  // The end of an evaluation whose task cannot be had in the class: no side is to blame, and it
  // counts in no score of the class.
  [[nodiscard]] EarlyEnd not_in_type(const std::string& why) {
    at_.record.unranked = fmt::format("{} is not to be had in {}: {}", at_.request.task->id,
                                      at_.request.precision, why);
    return {State::kSkipped, at_.record.unranked, "run it in another precision class"};
  }

  // In 16 bits eager itself may not run, or may leave the type's range. That is known before
  // anybody is timed.
  std::optional<EarlyEnd> try_type() {
    if (!at_.in_half()) return std::nullopt;
    if (auto end = at_.calls.draw_inputs()) return end;
    const auto eager = at_.oracle.reference();
    if (!eager && eager.error().code == ErrorCode::kNotFound)
      return not_in_type(eager.error().message);
    if (!eager) return from_error(eager.error());
    if (!all_finite(*eager)) return not_in_type("eager's outputs leave the range of the type");
    if (auto released = at_.oracle.release(); !released) return from_error(released.error());
    return std::nullopt;
  }

  std::optional<EarlyEnd> check_correctness() {
    if (auto end = at_.calls.place(1)) return end;
    if (auto end = try_type()) return end;
    if (auto end = blocks_.time_alone()) return end;
    if (auto end = at_.calls.start_worker()) return end;
    if (auto end = measure_peaks()) return end;
    if (auto end = checks_.check_draws()) return end;
    if (auto released = at_.oracle.release(); !released) return from_error(released.error());
    return std::nullopt;
  }

  // Measures the device's peaks while the worker starts: the submission is not loaded yet, so
  // nothing else is at work.
  std::optional<EarlyEnd> measure_peaks() {
    if (!at_.settings.judges_times()) return std::nullopt;
    auto peaks = at_.oracle.peaks();
    if (!peaks) return from_error(peaks.error());
    peaks_ = *peaks;
    return std::nullopt;
  }

  EvaluationAtHand at_;
  CorrectnessChecks checks_;
  TimedBlocks blocks_;
  DevicePeaks peaks_;
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
  // A submission's fault is no property of a baseline.
  const std::string beside = fault_of(record.state) == Fault::kSubmission
                                 ? "not timed, since the submission failed"
                                 : early;
  if (missing(Side::kEager)) record.eager_reason = beside;
  if (missing(Side::kCompiled) && record.compiled_reason.empty()) record.compiled_reason = beside;
  if (record.asked_for_vendor() && missing(Side::kVendor) && record.vendor_reason.empty())
    record.vendor_reason = beside;
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
    if (settings.bury) settings.bury(nullptr);
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
