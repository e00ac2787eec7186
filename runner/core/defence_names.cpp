#include "runner/core/defence.hpp"

namespace kbench {

std::string_view to_string(Defence defence) {
  switch (defence) {
    case Defence::kPoisonedOutputs: return "poisoned_outputs";
    case Defence::kRedzones: return "redzones";
    case Defence::kInputsAudited: return "inputs_audited";
    case Defence::kFreshInputs: return "fresh_inputs";
    case Defence::kFreshPlaces: return "fresh_places";
    case Defence::kHardDraws: return "hard_draws";
    case Defence::kEveryCallVerified: return "every_call_verified";
    case Defence::kOutputsCompared: return "outputs_compared";
    case Defence::kEagersError: return "eagers_error";
    case Defence::kNotFiniteIsWrong: return "not_finite_is_wrong";
    case Defence::kWholeTensorRule: return "whole_tensor_rule";
    case Defence::kSeparateOutputs: return "separate_outputs";
    case Defence::kFloor: return "floor";
    case Defence::kClaimsBounded: return "claims_bounded";
    case Defence::kStrictClock: return "strict_clock";
    case Defence::kTrustedEmptyCalls: return "trusted_empty_calls";
    case Defence::kBaselinesAlone: return "baselines_alone";
    case Defence::kIdleDevice: return "idle_device";
    case Defence::kStoppedBetweenCalls: return "stopped_between_calls";
    case Defence::kFrozenByCgroup: return "frozen_by_cgroup";
    case Defence::kStopWatched: return "stop_watched";
    case Defence::kNoLateWrites: return "no_late_writes";
    case Defence::kGivenCores: return "given_cores";
    case Defence::kWholeProcesses: return "whole_processes";
    case Defence::kFailsClosed: return "fails_closed";
    case Defence::kNoContinuing: return "no_continuing";
    case Defence::kNoProcesses: return "no_processes";
    case Defence::kSystemCallFilter: return "system_call_filter";
    case Defence::kPrivateFiles: return "private_files";
    case Defence::kSealedInputs: return "sealed_inputs";
    case Defence::kKnownCodeOnly: return "known_code_only";
    case Defence::kNoNewCode: return "no_new_code";
    case Defence::kNoDescriptors: return "no_descriptors";
    case Defence::kPassiveDatabase: return "passive_database";
    case Defence::kChainedRows: return "chained_rows";
    case Defence::kTellingTasks: return "telling_tasks";
    case Defence::kCredit: return "credit";
    case Defence::kCodeProfiled: return "code_profiled";
    case Defence::kFirstLooks: return "first_looks";
    case Defence::kListedOperators: return "listed_operators";
    case Defence::kNothingLeft: return "nothing_left";
    case Defence::kTrustedPython: return "trusted_python";
    case Defence::kFolderSettings: return "folder_settings";
    case Defence::kPlainFileNames: return "plain_file_names";
    case Defence::kAgentLimits: return "agent_limits";
    case Defence::kConfinedOracle: return "confined_oracle";
  }
  return "";
}

}  // namespace kbench
