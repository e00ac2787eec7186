// The defences of the judge, each by name, so that a test can switch one off and show that a cheat
// gets through without it. In kbench itself stands() is true, always, and there is no switch: the
// function that reads one is in tests/weakened, and only programs of the tests are linked with it.
// Every check, denial or hiding that is there because a submission may be hostile asks stands().
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace kbench {

enum class Defence {
  // while a call is judged
  kPoisonedOutputs,    // what a call leaves untouched is NaN
  kRedzones,           // what lies around the outputs is looked at
  kInputsAudited,      // so are inputs and parameters, now and then
  kFreshInputs,        // no call sees the inputs of another one
  kFreshPlaces,        // nor finds them where they were
  kHardDraws,          // inputs that simple ones cannot stand for
  kEveryCallVerified,  // timed calls and warm-ups like checks
  kOutputsCompared,    // at all: without it, whatever ends is right
  kEagersError,        // an output may be as wrong as eager's, not by a number that holds for all
  kNotFiniteIsWrong,   // where the reference is a number
  kWholeTensorRule,    // small errors everywhere count as well, in timed calls too
  kSeparateOutputs,    // Python: they lie in memory of their own, as eager's do
  // while it is timed
  kClaimsBounded,      // by the supervisor's clock
  kStrictClock,        // and by the one from showing inputs to having outputs
  kTrustedEmptyCalls,  // made before anything foreign is loaded
  kBaselinesAlone,     // baselines beside a worker take as long as without
  kIdleDevice,         // the oracle's own kernels do, too
  kFloor,              // nothing is faster than the device, and what seems to be has to be so twice
  // around its process
  kStoppedBetweenCalls,  // all of it stands still while no call is outstanding
  kFrozenByCgroup,       // where there is one: signals from inside change nothing
  kStopWatched,          // and whoever runs nevertheless is noticed, dead threads too
  kNoLateWrites,         // on a CPU its outputs stay as they are once it has said done
  kCodeProfiled,         // Python on a CPU: in whose code it spends its time
  kFirstLooks,           // and the look that comes unawares counts for itself as well
  kGivenCores,           // on a CPU it runs on no more cores than the baseline
  kWholeProcesses,       // a process lives as long as any of its threads
  kFailsClosed,          // what cannot be looked at is not taken for dead
  kNoContinuing,         // nothing in it can have itself continued
  kNoProcesses,          // it starts no process
  kSystemCallFilter,
  kPrivateFiles,   // namespaces and Landlock
  kSealedInputs,   // cannot be mapped writable
  kKnownCodeOnly,  // mapped files are known ones
  kNoNewCode,      // and on a CPU nothing becomes code once the submission is loaded
  kNoDescriptors,  // none comes back on its channel
  kNothingLeft,    // an evaluation is over only when all of its processes are gone
  // around what is kept of it
  kPassiveDatabase,  // a results file is data: what acts in it is refused
  kChainedRows,      // rows changed after the fact are noticed
  kTellingTasks,     // a task that cannot tell right from wrong ranks nobody
  kCredit,           // a speed-up below the floor or without a verdict counts nowhere
  kListedOperators,  // a task's graph holds operators of a list, and writes its own memory alone
  // before and beside all that
  kTrustedPython,   // outside of the sandbox, in an empty folder and isolated
  kFolderSettings,  // a settings file of the working directory says what it may
  kPlainFileNames,  // no name of a file is read as an option by a compiler
  kAgentLimits,     // what one agent may hand in
  // around what executes task files
  kConfinedOracle,  // it is in the sandbox
};

// The name by which tests switch it off, such as "redzones".
[[nodiscard]] std::string_view to_string(Defence defence);

// Whether it is in force.
[[nodiscard]] bool stands(Defence defence);

// The environment by which a weakened program tells those that it starts; empty in kbench itself.
[[nodiscard]] std::map<std::string, std::string> weakened_environment();

}  // namespace kbench
