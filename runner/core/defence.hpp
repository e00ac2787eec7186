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
  kPoisonedOutputs,    // elements that a call leaves untouched are NaN
  kRedzones,           // the memory around the outputs is checked
  kInputsAudited,      // inputs and parameters are checked for changes, now and then
  kFreshInputs,        // no call sees the inputs of another one
  kFreshPlaces,        // inputs and outputs lie at new addresses
  kHardDraws,          // some inputs have values on which shortcuts fail
  kEveryCallVerified,  // timed calls and warm-ups are verified like checks
  kOutputsCompared,    // outputs are compared; without, every call that ends counts as correct
  kEagersError,        // the tolerance comes from eager's own error, not from one number for all
  kNotFiniteIsWrong,   // NaN or infinity is wrong where the reference is a number
  kWholeTensorRule,    // small errors everywhere count as well, in timed calls too
  kSeparateOutputs,    // Python: outputs lie in memory of their own, as eager's do
  // while it is timed
  kClaimsBounded,      // the supervisor's clock bounds the times that a worker claims
  kStrictClock,        // a second clock runs from showing inputs to having outputs
  kTrustedEmptyCalls,  // empty calls are timed before anything foreign is loaded
  kBaselinesAlone,     // baselines take as long beside a worker as without one
  kIdleDevice,         // the oracle's own kernels take as long beside a worker as alone
  kFloor,              // a time below the device's floor is measured again before it is suspect
  // around its process
  kStoppedBetweenCalls,  // every thread stands still while no call is outstanding
  kFrozenByCgroup,       // a cgroup, where there is one, stops it: its own signals change nothing
  kStopWatched,          // a thread that runs while stopped is noticed, dead ones too
  kNoLateWrites,         // CPU: its outputs do not change once it has said done
  kCodeProfiled,         // Python on a CPU: samples say in whose code it spends its time
  kFirstLooks,           // the first stop of a call, which nothing announces, is judged on its own
  kGivenCores,           // CPU: it runs on no more cores than the baseline
  kWholeProcesses,       // a process lives as long as any of its threads
  kFailsClosed,          // a process that cannot be examined is not taken for dead
  kNoContinuing,         // none of its processes can have itself continued
  kNoProcesses,          // it starts no process
  kSystemCallFilter,
  kPrivateFiles,   // namespaces and Landlock hide all other files
  kSealedInputs,   // inputs cannot be mapped writable
  kKnownCodeOnly,  // only known files are mapped as code
  kNoNewCode,      // CPU: no memory becomes code once the submission is loaded
  kNoDescriptors,  // no file descriptor comes back on its channel
  kNothingLeft,    // an evaluation is over only when all of its processes are gone
  // around what is kept of it
  kPassiveDatabase,  // a results file is data: triggers and views in it are refused
  kChainedRows,      // rows changed after the fact are noticed
  kTellingTasks,     // a task that cannot tell right from wrong ranks no row
  kCredit,           // a speed-up below the floor or without a verdict counts nowhere
  kListedOperators,  // a task's graph holds operators of a list, and writes its own memory alone
  // before and beside all that
  kTrustedPython,   // Python outside of the sandbox runs isolated, in an empty folder
  kFolderSettings,  // a settings file of the working directory may set some options only
  kPlainFileNames,  // no name of a file is read as an option by a compiler
  kAgentLimits,     // one agent may hand in a limited number of submissions
  // around what executes task files
  kConfinedOracle,  // the oracle is in the sandbox
};

// The name by which tests switch it off, such as "redzones".
[[nodiscard]] std::string_view to_string(Defence defence);

// Whether it is in force.
[[nodiscard]] bool stands(Defence defence);

// The environment by which a weakened program tells those that it starts; empty in kbench itself.
[[nodiscard]] std::map<std::string, std::string> weakened_environment();

}  // namespace kbench
