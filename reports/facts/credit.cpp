#include "reports/facts/credit.hpp"

#include <fmt/format.h>

#include "reports/facts/without_folders.hpp"
#include "runner/analysis/least_time.hpp"
#include "runner/analysis/speedup.hpp"
#include "runner/core/defence.hpp"
#include "runner/core/labels.hpp"
#include "runner/core/lines.hpp"

namespace kbench {
namespace {

// Empty where the task can tell right from wrong, as far as anybody knows.
std::string why_task_ranks_nobody(const Evaluation& evaluation, const LintRecord* lint) {
  if (!stands(Defence::kTellingTasks)) return "";
  if (!evaluation.unranked.empty() || lint == nullptr) return evaluation.unranked;
  return why_it_ranks_nobody(*lint);
}

// A kernel whose author knows the inputs can be right for these inputs alone.
std::string why_inputs_rank_nobody(const Evaluation& evaluation) {
  return has_label(evaluation.labels, kKnownInputsLabel)
             ? "its inputs were known beforehand (--seed)"
             : "";
}

std::string why_not_as_stored(ChainFinding::State chain, Trust trust) {
  if (chain == ChainFinding::State::kChanged)
    return "the rows of its run are not as they were stored: see `kbench db check`";
  if (chain == ChainFinding::State::kUnchecked && !trust.unchecked)
    return "the key of its run's chain is not here, so nobody can tell whether the row was "
           "changed: ask whoever published it, who can report where it was measured, or count it "
           "with --trust-unchecked";
  if (chain == ChainFinding::State::kUnchained && !trust.unchecked)
    return "its run has no chain, so nobody can tell whether the row was changed: ask whoever "
           "published it, who can count it with --trust-unchecked";
  return "";
}

// Empty where the submission was judged, or there is none.
std::string why_not_judged(const Evaluation& evaluation) {
  const bool judged = fault_of(evaluation.state) != Fault::kInfrastructure;
  if (judged || !evaluation.submission || !stands(Defence::kCredit)) return "";
  const std::string why = without_folders(first_line(evaluation.message));
  return "its submission was not judged, which is not its fault" + (why.empty() ? "" : ": " + why);
}

void judge_speedup(const Evaluation& evaluation, Trust trust, Credit& credit) {
  if (is_below_floor(evaluation)) {
    credit.below_floor = true;
    credit.uncredited = "faster than the device can be: " + below_floor_words(evaluation);
    credit.pay = Pay::kAtMostSame;
    return;
  }
  Doubts doubts = doubts_of(evaluation);
  if (doubts.uncalibrated && trust.estimates) {
    doubts.uncalibrated = false;
    credit.estimate_trusted = !doubts.any();
  }
  if (!doubts.any()) return;
  credit.uncredited = doubts.words();
  // A row that the machine or the submission made doubtful has a price all the same: a trainer
  // needs a number.
  credit.pay = doubts.busy || doubts.too_few_blocks ? Pay::kAtMostSame : Pay::kCorrect;
}

// On a CPU eager's outputs were copied as well, and a submission that leaves the copy out is faster
// by it.
bool copies_are_in_the_times(const Evaluation& evaluation) {
  return evaluation.device == "cpu" && has_label(evaluation.labels, "outputs_copied");
}

// A model of torch's operators is what eager is. Where kernels of its own make it faster, it is
// paid.
bool is_torch_in_disguise(const Evaluation& evaluation, const Credit& credit) {
  if (evaluation.torch_operators.empty() || evaluation.allow_torch == "all") return false;
  const auto ratio = speedup(evaluation, Side::kEager, Side::kSubmission);
  const bool is_faster =
      credit.uncredited.empty() && ratio && ratio->low > 1 + same_margin(evaluation.device);
  return !is_faster;
}

}  // namespace

Credit credit_of(const Evaluation& evaluation, const LintRecord* lint, ChainFinding::State chain,
                 Trust trust) {
  Credit credit;
  const std::string changed = why_not_as_stored(chain, trust);
  const std::string not_judged = why_not_judged(evaluation);
  credit.as_stored = changed.empty();
  credit.judged = not_judged.empty();
  if (!evaluation.timed)
    credit.unranked = kNotTimed;
  else if (!credit.as_stored)
    credit.unranked = changed;
  else if (!credit.judged)
    credit.unranked = not_judged;
  else
    credit.unranked = why_inputs_rank_nobody(evaluation);
  if (credit.unranked.empty()) credit.unranked = why_task_ranks_nobody(evaluation, lint);
  const bool was_timed = median_time_ns(evaluation.samples, Side::kSubmission).has_value();
  if (!was_timed || !stands(Defence::kCredit)) return credit;
  judge_speedup(evaluation, trust, credit);
  if (credit.uncredited.empty() && copies_are_in_the_times(evaluation)) {
    credit.uncredited =
        "the kernel does not let kbench read a worker's memory, so both sides copied their outputs "
        "within their calls: a plain user needs user namespaces, root CAP_SYS_PTRACE";
    credit.pay = Pay::kAtMostSame;
  }
  credit.pay_reason = credit.uncredited;
  if (is_torch_in_disguise(evaluation, credit)) {
    credit.pay = Pay::kFailure;
    credit.pay_reason =
        "it computes with torch, which its run does not allow, and is not faster than eager by "
        "more than the margin: " +
        evaluation.torch_operators;
  }
  return credit;
}

}  // namespace kbench
