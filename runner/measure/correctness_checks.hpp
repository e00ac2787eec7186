// The checks of one evaluation: draws of inputs on which the submission is compared with the
// reference in double, and the baselines with each other; and the look at each timed call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runner/measure/evaluation_at_hand.hpp"
#include "runner/task/hard_draws.hpp"

namespace kbench {

[[nodiscard]] bool all_finite(const std::vector<EagerError>& eager);

// Each check returns how the evaluation ends early, or nothing.
class CorrectnessChecks {
 public:
  explicit CorrectnessChecks(EvaluationAtHand& at) : at_(at) {}

  // Judges every planned draw. The submission loads and prepares in the first.
  std::optional<EarlyEnd> check_draws();
  // Judges the outputs of the submission's last timed call by eager's of the same inputs.
  std::optional<EarlyEnd> verify_timed_call();
  // In 16 bits: once more with biases that show (task/large_biases.hpp), which takes buffers and a
  // worker of its own. That comes last, so that nothing is timed beside it or after it.
  std::optional<EarlyEnd> check_large_biases();

 private:
  std::vector<std::optional<HardDraw>> planned_draws();
  std::optional<EarlyEnd> check_draw(int draw, std::optional<HardDraw> hard);
  bool is_compared_enough(int draw);
  void note_imprecise();
  std::optional<EarlyEnd> compare_with_eager(int draw, std::optional<HardDraw> hard,
                                             bool& is_eagers);
  bool is_usable(HardDraw hard, int draw, const std::vector<EagerError>& eager);
  std::optional<EarlyEnd> check_submission(int draw, std::optional<HardDraw> hard,
                                           const std::vector<EagerError>& eager);
  [[nodiscard]] Against draws_against() const;
  std::optional<EarlyEnd> call_and_judge(bool hard, const std::vector<EagerError>& eager,
                                         Check& check);
  std::optional<EarlyEnd> judge_large_biases(const std::vector<EagerError>& eager);
  [[nodiscard]] bool depends_on_few(const Check& check) const;
  std::optional<EarlyEnd> check_on_other_inputs(HardDraw hard, Check& check);
  std::optional<EarlyEnd> judge_outputs(const AcceptanceRule& rule,
                                        const std::vector<EagerError>& eager, Check& check,
                                        Against against = Against::kReference);
  std::optional<EarlyEnd> judge_with_perturbed(std::vector<EagerError>& eager, Check& check);
  std::optional<EarlyEnd> judge_as_fast_math(const std::vector<EagerError>& eager, Check& check,
                                             Against against = Against::kReference);
  std::optional<EarlyEnd> wrong(const Check& check);
  std::optional<EarlyEnd> check_compiled();
  std::optional<EarlyEnd> check_vendor();
  std::optional<EarlyEnd> check_eager(const std::vector<EagerError>& eager);
  std::optional<EarlyEnd> choose_eager(const BaselineTime& played_by_python);

  EvaluationAtHand& at_;
  bool was_called_ = false;  // the submission
  std::int64_t comparing_since_ns_ = 0;
};

}  // namespace kbench
