// Answers to a workspace's requests, as JSON for a model with a window: at most 16 KiB, and no more
// of the judge than its author may know (no seed, no inputs).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/submission/compiler.hpp"
#include "runner/submission/load_fault.hpp"

namespace kbench {

inline constexpr std::size_t kMostResultBytes = 16u << 10;

// {state, fault, message, hint, warnings, seconds, cached, architecture, kernels}. `kernels` is
// null on a CPU, else [{name, registers, stack_bytes, spill_store_bytes, spill_load_bytes,
// shared_bytes}]. `fault`: the reason why the library cannot be loaded, if that is known.
[[nodiscard]] Json compile_result(const Result<CompiledSubmission>& compiled,
                                  const std::optional<LoadFault>& fault, const std::string& device,
                                  const std::string& architecture);

// {state, fault, correct, message, hint, checks: [{distribution, passed, wrong_elements, max_error,
// tolerance, message}]}. The errors are those of the worst element; the message names the first
// wrong one.
[[nodiscard]] Json verify_result(const Evaluation& evaluation);

// {error: {message, hint}}: nothing was judged.
[[nodiscard]] Json error_result(const Error& error);

// The text of `result` on one line, with a line break. Where it has more than `most_bytes`, the
// longest texts in it are cut in the middle, and say how much is missing; where that is not
// enough, the longest lists lose their second halves.
[[nodiscard]] std::string fit(Json result, std::size_t most_bytes = kMostResultBytes);

}  // namespace kbench
