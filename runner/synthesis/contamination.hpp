// Whether a candidate is a copy of a task that is held out for evaluation, decided by its graph: a
// model that is trained on it would know the answer. Pure but for reading the held-out suite.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/synthesis/operator_sequence.hpp"
#include "runner/task/suite.hpp"

namespace kbench {

struct HeldOutTask {
  std::string id;                           // "level1/019_relu"
  std::vector<OperatorSequence> sequences;  // sequences of its sizes, each one once
};

struct Contamination {
  std::string task;       // the held-out one
  double similarity = 0;  // similarity of 3-grams, 0 to 1
  bool same = false;      // the same operators in the same order, shapes ignored
};

// Similarity from which on a candidate is labelled.
constexpr double kSimilar = 0.8;

// Every task of a suite. Errors: those of reading their graphs.
[[nodiscard]] Result<std::vector<HeldOutTask>> read_held_out(const std::vector<TaskEntry>& suite);

// Jaccard's index of the sets of three operators in a row, ends marked, so that two operators give
// two of them.
[[nodiscard]] double trigram_similarity(const OperatorSequence& a, const OperatorSequence& b);

// The held-out task that is the same, else the most similar one, where it is kSimilar at least.
// What has no operators that compute is like nothing.
[[nodiscard]] std::optional<Contamination> find_contamination(
    const OperatorSequence& candidate, std::span<const HeldOutTask> held_out);

}  // namespace kbench
