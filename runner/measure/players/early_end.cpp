#include "runner/measure/players/early_end.hpp"

namespace kbench {

EarlyEnd from_error(const Error& error) {
  const State state =
      error.code == ErrorCode::kDoesNotFit ? State::kDoesNotFit : State::kInfrastructureError;
  return {state, error.message, error.hint};
}

}  // namespace kbench
