#include "runner/core/evaluation.hpp"

#include <array>
#include <utility>

namespace kbench {
namespace {

constexpr std::array<std::pair<State, std::string_view>, 23> kStates{{
    {State::kOk, "ok"},
    {State::kNoSubmission, "no_submission"},
    {State::kSkipped, "skipped"},
    {State::kRefused, "refused"},
    {State::kCompileError, "compile_error"},
    {State::kMissingSymbol, "missing_symbol"},
    {State::kLoadError, "load_error"},
    {State::kImportError, "import_error"},
    {State::kParametersDiffer, "parameters_differ"},
    {State::kSubmissionError, "submission_error"},
    {State::kWrongResult, "wrong_result"},
    {State::kCrash, "crash"},
    {State::kTimeout, "timeout"},
    {State::kOverBudget, "over_budget"},
    {State::kDoesNotFit, "does_not_fit"},
    {State::kTimingInconsistent, "timing_inconsistent"},
    {State::kRedzoneViolation, "redzone_violation"},
    {State::kInputModified, "input_modified"},
    {State::kDeviceNotIdle, "device_not_idle"},
    {State::kRanWhileStopped, "ran_while_stopped"},
    {State::kForbiddenLibrary, "forbidden_library"},
    {State::kSuspect, "suspect"},
    {State::kInfrastructureError, "infrastructure_error"},
}};

constexpr std::array<std::pair<Side, std::string_view>, 4> kSides{{
    {Side::kEager, "eager"},
    {Side::kCompiled, "compiled"},
    {Side::kSubmission, "submission"},
    {Side::kVendor, "vendor"},
}};

}  // namespace

std::string_view to_string(State state) {
  for (const auto& [value, name] : kStates)
    if (value == state) return name;
  return "infrastructure_error";
}

std::string_view to_string(Fault fault) {
  switch (fault) {
    case Fault::kNone: return "none";
    case Fault::kSubmission: return "submission";
    case Fault::kInfrastructure: return "infrastructure";
  }
  return "infrastructure";
}

std::string_view to_string(Side side) {
  for (const auto& [value, name] : kSides)
    if (value == side) return name;
  return "eager";
}

std::optional<State> state_from_string(std::string_view text) {
  for (const auto& [value, name] : kStates)
    if (name == text) return value;
  return std::nullopt;
}

std::optional<Side> side_from_string(std::string_view text) {
  for (const auto& [value, name] : kSides)
    if (name == text) return value;
  return std::nullopt;
}

Fault fault_of(State state) {
  switch (state) {
    case State::kOk:
    case State::kNoSubmission:
    case State::kSkipped: return Fault::kNone;
    case State::kRefused:
    case State::kCompileError:
    case State::kMissingSymbol:
    case State::kLoadError:
    case State::kImportError:
    case State::kParametersDiffer:
    case State::kSubmissionError:
    case State::kWrongResult:
    case State::kCrash:
    case State::kTimeout:
    case State::kOverBudget:
    case State::kTimingInconsistent:
    case State::kRedzoneViolation:
    case State::kInputModified:
    case State::kDeviceNotIdle:
    case State::kRanWhileStopped:
    case State::kForbiddenLibrary:
    case State::kSuspect: return Fault::kSubmission;
    case State::kDoesNotFit:
    case State::kInfrastructureError: return Fault::kInfrastructure;
  }
  return Fault::kInfrastructure;
}

bool is_failure(State state) { return fault_of(state) != Fault::kNone; }

std::string short_id(std::string_view run_id) { return std::string(run_id.substr(0, 12)); }

std::string short_id(const Run& run) { return short_id(run.id); }

}  // namespace kbench
