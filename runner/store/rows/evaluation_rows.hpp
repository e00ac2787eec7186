// The row of an evaluation and those of its checks, samples, attempts and blocks, written and read
// together. Inside runner/store only. Both throw SQLite::Exception.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/evaluation.hpp"

namespace SQLite {
class Database;
}

namespace kbench {

class WorkBudget;
struct Blob;

// Tables that hold the rows below an evaluation, by their columns `evaluation` and `position`.
inline constexpr std::array<std::string_view, 5> kTablesOfEvaluation = {
    "check_draw", "sample", "vendor_sample", "attempt", "block"};

// The number that it got; nothing where its run has one of that key, and then nothing was changed.
// `blobs` are those of its sources and its task's that may not be there yet; one that is missing
// throws.
[[nodiscard]] std::optional<std::int64_t> insert_evaluation(SQLite::Database& database,
                                                            const Evaluation& evaluation,
                                                            std::span<const Blob> blobs,
                                                            WorkBudget& budget);

// Evaluations whose column `of` (a constant of ours) is `value`, in order of insertion.
[[nodiscard]] std::vector<Evaluation> read_evaluations(SQLite::Database& database,
                                                       std::string_view of,
                                                       const std::string& value,
                                                       WorkBudget& budget);

}  // namespace kbench
