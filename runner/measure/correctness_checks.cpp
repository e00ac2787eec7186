#include "runner/measure/correctness_checks.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "runner/core/defence.hpp"
#include "runner/task/large_biases.hpp"
#include "runner/verify/acceptance.hpp"

namespace kbench {

bool all_finite(const std::vector<EagerError>& eager) {
  return std::all_of(eager.begin(), eager.end(),
                     [](const EagerError& error) { return error.not_finite == 0; });
}

std::optional<EarlyEnd> CorrectnessChecks::check_draws() {
  int draw = 0;
  for (const auto& hard : planned_draws())
    if (auto end = check_draw(draw++, hard)) return end;
  return std::nullopt;
}

// The task's own distribution several times and each hard draw that applies once, in an order
// that the submission cannot know. A comparison of two files begins with the task's own
// distribution: eager's error there is the yardstick of all that follows.
std::vector<std::optional<HardDraw>> CorrectnessChecks::planned_draws() {
  if (!at_.has_submission()) return {std::nullopt};
  std::vector<std::optional<HardDraw>> draws(
      static_cast<std::size_t>(at_.settings.correctness_draws));
  for (const HardDrawRule& rule : at_.request.size->hard_draws)
    if (rule.applies() && !at_.settings.original_draws && stands(Defence::kHardDraws))
      draws.emplace_back(rule.draw);
  if (at_.settings.times == Times::kRough) return draws;
  for (std::size_t i = draws.size(); i > 1; --i)
    std::swap(draws[i - 1], draws[at_.keys.key("order of draws", i) % i]);
  return draws;
}

std::optional<EarlyEnd> CorrectnessChecks::check_draw(int draw, std::optional<HardDraw> hard) {
  if (at_.settings.times == Times::kRough && draw > 0) {
    if (!hard && is_compared_enough(draw)) return std::nullopt;
    bool is_eagers = false;
    if (auto end = compare_with_eager(draw, hard, is_eagers)) return end;
    if (is_eagers) return std::nullopt;
  }
  if (auto end = at_.calls.draw_inputs(hard)) return end;
  if (draw == 0)
    if (auto end = at_.calls.load()) return end;
  // The worker loads meanwhile.
  auto eager = at_.oracle.reference();
  if (!eager) return from_error(eager.error());
  if (draw == 0)
    if (auto end = at_.calls.prepare()) return end;
  // Timed calls see the task's own distribution only, and so does the compiled baseline.
  const bool first_own = !hard && at_.eager_error.empty();
  if (!hard) at_.eager_error = worst_of(at_.eager_error, *eager);
  if (!hard && at_.in_half()) note_imprecise();
  if (first_own)
    if (auto end = check_compiled()) return end;
  if (first_own)
    if (auto end = check_vendor()) return end;
  if (first_own && at_.request.eager_is_a_worker)
    if (auto end = check_eager(*eager)) return end;
  if (!at_.has_submission() || (hard && !is_usable(*hard, draw, *eager))) return std::nullopt;
  return check_submission(draw, hard, *eager);
}

// Whether two files were compared on enough of the task's own draws: three, and as many more as
// are done at once.
bool CorrectnessChecks::is_compared_enough(int draw) {
  constexpr int kFewest = 3;
  constexpr std::int64_t kAtOnceNs = 200'000'000;
  const std::int64_t now = at_.settings.surroundings.now_ns();
  if (draw == 1) comparing_since_ns_ = now;
  return draw >= kFewest && now - comparing_since_ns_ > kAtOnceNs;
}

// In 16 bits eager itself may be so far off that the rule cannot tell right from wrong. Lint
// finds that as well, but keeps nothing of these classes.
void CorrectnessChecks::note_imprecise() {
  for (const EagerError& error : at_.eager_error) {
    if (error.scaled_error <= kLargestEagerErrorInHalf || !at_.record.unranked.empty()) continue;
    at_.record.unranked = fmt::format(
        "in {} eager itself is off by {:.0f} % of an element, which leaves room for wrong "
        "results",
        at_.request.precision, 100 * error.scaled_error);
  }
}

// For the comparison of two files: every draw after the first. The reference takes ten times as
// long as eager in double, and has nothing to add where the results are eager's, or as near to
// those as another run of eager is. On the task's own inputs they are judged like those of a timed
// call.
std::optional<EarlyEnd> CorrectnessChecks::compare_with_eager(int draw,
                                                              std::optional<HardDraw> hard,
                                                              bool& is_eagers) {
  at_.calls.take_quiet_core();
  if (auto end = at_.calls.draw_inputs(hard)) return end;
  BaselineTime timed;
  if (auto end = at_.calls.time_baseline(Side::kEager, timed)) return end;
  CallTimes times;
  if (auto end = at_.calls.call(times, true)) return end;
  const std::vector<TensorSpec>& outputs = at_.request.size->outputs;
  auto compared =
      at_.oracle.judge(Against::kEager, hard ? unbounded(outputs.size())
                                             : bounds(at_.rule, at_.eager_error, Against::kEager));
  if (!compared) return from_error(compared.error());
  is_eagers = hard ? is_near(outputs, at_.eager_error, *compared)
                   : judge(at_.rule, outputs, at_.eager_error, *compared, Against::kEager).passed;
  if (!is_eagers) return std::nullopt;
  Check check;
  check.draw = draw;
  if (hard) check.distribution = to_string(*hard);
  check.passed = true;
  at_.record.checks.push_back(std::move(check));
  return std::nullopt;
}

// Eager is no yardstick on a draw where the type leaves its range: the draw is left out, and the
// row says so.
bool CorrectnessChecks::is_usable(HardDraw hard, int draw, const std::vector<EagerError>& eager) {
  if (all_finite(eager)) return true;
  Check check;
  check.draw = draw;
  check.distribution = to_string(hard);
  check.passed = true;
  check.message = "left out: eager itself overflows on such inputs";
  at_.record.checks.push_back(check);
  return false;
}

std::optional<EarlyEnd> CorrectnessChecks::check_submission(int draw, std::optional<HardDraw> hard,
                                                            const std::vector<EagerError>& eager) {
  // Its first call starts its threads. Draw 0 may have been left out.
  if (std::exchange(was_called_, true)) at_.calls.take_quiet_core();
  Check check;
  if (auto end = call_and_judge(hard.has_value(), eager, check)) return end;
  if (hard && !check.passed && depends_on_few(check))
    if (auto end = check_on_other_inputs(*hard, check)) return end;
  if (hard && !check.passed)
    check.message = fmt::format("on inputs with {}: {}", describe(*hard), check.message);
  check.draw = draw;
  if (hard) check.distribution = to_string(*hard);
  at_.record.checks.push_back(check);
  return check.passed ? std::nullopt : wrong(check);
}

// kbench compares with the graph in double. Another benchmark compares with what eager returns,
// in TF32 where eager's convolutions are.
Against CorrectnessChecks::draws_against() const {
  return at_.rule.allclose > 0 ? Against::kEager : Against::kReference;
}

// `hard`: the inputs or the parameters are not the task's own.
std::optional<EarlyEnd> CorrectnessChecks::call_and_judge(bool hard,
                                                          const std::vector<EagerError>& eager,
                                                          Check& check) {
  CallTimes times;
  if (auto end = at_.calls.call(times, true)) return end;
  auto yardstick = eager;
  if (auto end = judge_outputs(at_.rule, yardstick, check, draws_against())) return end;
  if (hard && !check.passed)
    if (auto end = judge_with_perturbed(yardstick, check)) return end;
  return check.passed ? std::nullopt : judge_as_fast_math(yardstick, check);
}

std::optional<EarlyEnd> CorrectnessChecks::check_large_biases() {
  if (at_.settings.original_draws || at_.model_draws_parameters ||
      !has_small_biases(*at_.request.size))
    return std::nullopt;
  at_.record.correct.reset();
  if (auto end = at_.calls.place_large_biases()) return end;
  if (auto end = at_.calls.start_worker()) return end;
  if (auto end = at_.calls.draw_inputs()) return end;
  if (auto end = at_.calls.load()) return end;
  const auto eager = at_.oracle.reference();
  if (!eager) return from_error(eager.error());
  if (auto end = at_.calls.prepare()) return end;
  if (auto end = judge_large_biases(*eager)) return end;
  at_.record.correct = true;
  return at_.calls.inspect();
}

std::optional<EarlyEnd> CorrectnessChecks::judge_large_biases(
    const std::vector<EagerError>& eager) {
  Check check;
  if (all_finite(eager)) {
    if (auto end = call_and_judge(true, eager, check)) return end;
    if (!check.passed)
      check.message = fmt::format("with biases drawn from [-1, 1): {}", check.message);
  } else {
    check.passed = true;
    check.message = "left out: eager itself overflows with such parameters";
  }
  check.draw = static_cast<int>(at_.record.checks.size());
  check.distribution = "large_biases";
  at_.record.checks.push_back(check);
  return check.passed ? std::nullopt : wrong(check);
}

// Whether so few elements are wrong that luck may explain it. One element of 40,960 of an honest
// GRU was off by six times eager's largest error of nine runs, once in some hundred evaluations:
// errors that double at every step have no bound. A kernel that cannot deal with such inputs is
// wrong on others as well, and in more than a few elements.
bool CorrectnessChecks::depends_on_few(const Check& check) const {
  std::int64_t elements = 0;
  for (const TensorSpec& output : at_.request.size->outputs) elements += output.elements();
  return check.wrong_elements <= static_cast<std::uint64_t>(elements / 10'000 + 1);
}

std::optional<EarlyEnd> CorrectnessChecks::check_on_other_inputs(HardDraw hard, Check& check) {
  if (auto end = at_.calls.draw_inputs(hard)) return end;
  auto eager = at_.oracle.reference();
  if (!eager) return from_error(eager.error());
  const std::string before = check.message;
  if (auto end = call_and_judge(true, *eager, check)) return end;
  check.message = fmt::format("{}; on inputs drawn before: {}",
                              check.passed ? "ill-conditioned" : check.message, before);
  return std::nullopt;
}

std::optional<EarlyEnd> CorrectnessChecks::judge_outputs(const AcceptanceRule& rule,
                                                         const std::vector<EagerError>& eager,
                                                         Check& check, Against against) {
  auto compared = at_.oracle.judge(against, bounds(rule, eager, against));
  if (!compared) return from_error(compared.error());
  check = judge(rule, at_.request.size->outputs, eager, *compared, against);
  return std::nullopt;
}

// Hard inputs can be ill-conditioned: the largest error then hangs on a handful of elements and
// on chance, and eager may have had more luck than an honest submission. So eager's errors on
// perturbed inputs are added to `eager`.
std::optional<EarlyEnd> CorrectnessChecks::judge_with_perturbed(std::vector<EagerError>& eager,
                                                                Check& check) {
  auto perturbed = at_.oracle.perturbed();
  if (!perturbed) return from_error(perturbed.error());
  eager = worst_of(eager, *perturbed);
  if (auto end = judge_outputs(at_.rule, eager, check)) return end;
  if (check.passed) check.message = "ill-conditioned: judged by eager on perturbed inputs too";
  return std::nullopt;
}

// A failed output may be what a GPU's fast mathematics gives: then it passes, and the row says
// so.
std::optional<EarlyEnd> CorrectnessChecks::judge_as_fast_math(const std::vector<EagerError>& eager,
                                                              Check& check, Against against) {
  if (!at_.fast_math_rule) return std::nullopt;
  if (auto end = judge_outputs(*at_.fast_math_rule, eager, check, against)) return end;
  if (check.passed) at_.calls.add_label("fast_math");
  return std::nullopt;
}

std::optional<EarlyEnd> CorrectnessChecks::wrong(const Check& check) {
  const std::string cause = at_.calls.likely_cause();
  const std::string step = at_.calls.step_against_races();
  return EarlyEnd{State::kWrongResult, check.message + (cause.empty() ? "" : "; " + cause),
                  "compare with the task's module, which `kbench tasks prompt` prints, at the same "
                  "size" +
                      (step.empty() ? "" : "; " + step)};
}

// A compiled baseline that computes something else is left out, with the reason.
std::optional<EarlyEnd> CorrectnessChecks::check_compiled() {
  if (!at_.record.compiled_reason.empty()) return std::nullopt;
  auto compared = at_.oracle.judge_baseline(Side::kCompiled,
                                            bounds(at_.rule, at_.eager_error, Against::kEager));
  if (!compared && compared.error().code == ErrorCode::kDoesNotFit)
    return from_error(compared.error());
  if (compared) {
    const Check check = judge(at_.rule, at_.request.size->outputs, at_.eager_error, *compared,
                              Against::kEager, Whose::kCompiledBaselines);
    if (check.passed) return std::nullopt;
    at_.record.compiled_reason = "its output differs from eager's: " + check.message;
  } else {
    at_.record.compiled_reason = compared.error().message;
  }
  std::erase(at_.sides, Side::kCompiled);
  std::erase_if(at_.record.alone, [](const Sample& s) { return s.side == Side::kCompiled; });
  return std::nullopt;
}

// Judges the vendor's output like a submission's: against the reference, by the rule in force.
std::optional<EarlyEnd> CorrectnessChecks::check_vendor() {
  if (!at_.calls.vendor().plays() || !at_.calls.take_vendor()) return std::nullopt;
  auto compared = at_.oracle.judge_baseline(Side::kVendor,
                                            bounds(at_.rule, at_.eager_error, Against::kReference));
  if (!compared) return from_error(compared.error());
  const Check check =
      judge(at_.rule, at_.request.size->outputs, at_.eager_error, *compared, Against::kReference);
  if (!check.passed) at_.calls.vendor().leave_out("its result is wrong: " + check.message);
  return std::nullopt;
}

// Judges the eager that a worker plays: timed calls of a submission are compared with its
// outputs.
std::optional<EarlyEnd> CorrectnessChecks::check_eager(const std::vector<EagerError>& eager) {
  BaselineTime timed;
  if (auto end = at_.calls.time_baseline(Side::kEager, timed)) return end;
  // kbench's own rule, whatever profile the run has, tells whether two files say the same.
  const AcceptanceRule rule = for_task(AcceptanceRule{}, *at_.request.size);
  auto compared = at_.oracle.judge_baseline(Side::kEager, bounds(rule, eager, Against::kReference));
  if (!compared) return from_error(compared.error());
  const Check check = judge(rule, at_.request.size->outputs, eager, *compared, Against::kReference);
  if (check.passed) return at_.settings.is_timed() ? choose_eager(timed) : std::nullopt;
  return EarlyEnd{State::kInfrastructureError,
                  "what the task's .py computes is not what its .json says: " + check.message,
                  "the .json is older than the .py, or was lowered by another torch: lower the "
                  "task again"};
}

// The faster eager counts: the task's own Model as Python plays it, or its graph. Apart from the
// interpreter's share both take the same time, unless the file does more than compute.
std::optional<EarlyEnd> CorrectnessChecks::choose_eager(const BaselineTime& played_by_python) {
  constexpr double kSurelySlower = 1.5;
  constexpr double kInterpreterNs = 5e5;
  constexpr int kTries = 3;  // tries of each: a busy machine slows one call down
  auto python_ns = static_cast<double>(played_by_python.ns);
  double graph_ns = HUGE_VAL;
  const auto is_slower = [&] { return python_ns > kSurelySlower * graph_ns + kInterpreterNs; };
  for (int i = 0; i < kTries && (i == 0 || is_slower()); ++i) {
    BaselineTime timed;
    if (auto end = at_.calls.time_baseline(Side::kEager, timed)) return end;
    python_ns = std::min(python_ns, static_cast<double>(timed.ns));
    if (auto end = at_.calls.time_graph(timed)) return end;
    graph_ns = std::min(graph_ns, static_cast<double>(timed.ns));
  }
  if (!is_slower()) return std::nullopt;
  at_.calls.have_graph_play_eager();
  std::erase_if(at_.record.alone, [](const Sample& s) { return s.side == Side::kEager; });
  return std::nullopt;
}

std::optional<EarlyEnd> CorrectnessChecks::verify_timed_call() {
  if (!stands(Defence::kEveryCallVerified)) return std::nullopt;
  Check check;
  if (auto end = judge_outputs(at_.rule, at_.eager_error, check, Against::kEager)) return end;
  if (!check.passed)
    if (auto end = judge_as_fast_math(at_.eager_error, check, Against::kEager)) return end;
  if (check.passed) return std::nullopt;
  check.draw = static_cast<int>(at_.calls.inputs_drawn());
  check.distribution = "timed";
  check.message = "in a timed call: " + check.message;
  at_.record.checks.push_back(check);
  return wrong(check);
}

}  // namespace kbench
