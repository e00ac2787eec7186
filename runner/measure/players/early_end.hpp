// How an evaluation ends early: a terminal state with its words.
#pragma once

#include <string>

#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"

namespace kbench {

struct EarlyEnd {
  State state = State::kInfrastructureError;
  std::string message;
  std::string hint;
};

// An error of ours or of the machine: kDoesNotFit keeps its name, all others are kInfrastructure's.
[[nodiscard]] EarlyEnd from_error(const Error& error);

}  // namespace kbench
