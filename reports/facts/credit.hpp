// Whether a row may rank and be paid, and whether its speed-up may: one rule for rankings, pages,
// rewards, nightly runs and exports. Pure functions of the raw record and of what was found out
// about it.
#pragma once

#include <string>

#include "reports/facts/trust.hpp"
#include "runner/core/evaluation.hpp"
#include "runner/core/lint_record.hpp"
#include "runner/reward/reward.hpp"
#include "runner/store/chain/chain.hpp"

namespace kbench {

struct Credit {
  // Why the row counts in no score and is paid nothing; empty where it does.
  std::string unranked;
  // Why its speed-up counts in no score; empty where it counts, and where there is none.
  std::string uncredited;
  // The part of a correct and ranked row that is paid, and why not its speed-up.
  Pay pay = Pay::kSpeedup;
  std::string pay_reason;
  // False: the submission had no verdict, by a fault of the machine, of kbench or of the task's
  // file. It is then neither solved nor failed, in any count.
  bool judged = true;
  bool as_stored = true;          // no: its chain does not hold, or cannot be checked here
  bool below_floor = false;       // faster than the device can be, also on a busy machine
  bool estimate_trusted = false;  // counts only because the operator trusts estimates
};

// `lint` is null without a record. What was checked only has no times. A task whose output does not
// depend on its inputs cannot tell a kernel that works from one that writes zeros: it ranks no row.
// Its file may say so itself (stored with the row), or lint found out about the very content that
// was evaluated, whether or not the task accepts the flaw.
[[nodiscard]] Credit credit_of(const Evaluation& evaluation, const LintRecord* lint,
                               ChainFinding::State chain, Trust trust);

}  // namespace kbench
