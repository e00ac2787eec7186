// A session's account of the ModelNew that it made. Its word, and no proof: for a label and for
// what its author is told, never for a verdict.
#pragma once

#include <string>
#include <vector>

#include "runner/core/json.hpp"

namespace kbench {

struct ModelAccount {
  // True where nothing but the order of shapes and types said which of the task's parameters is
  // which.
  bool parameters_by_order = false;
  // Buffers and attributes that __init__ filled, safe to show; the task's parameters are set later.
  std::vector<std::string> made_in_init;
};

// Reads the message "loaded" (runner/player/player.py). A malformed field counts as absent.
[[nodiscard]] ModelAccount read_model_account(const Json& loaded);

// Why its results may be wrong, one sentence for each reason; empty where it gives none.
// `has_prepare`: it has a kbench_prepare, in which it can derive what it packs.
[[nodiscard]] std::string likely_cause(const ModelAccount& account, bool has_prepare);

}  // namespace kbench
