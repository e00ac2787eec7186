// FOLDER/manifest.json: the contents of a synthesised suite, for those who train on it. Made of the
// journal, so that it can be made again. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <span>

#include "runner/core/json.hpp"
#include "runner/synthesis/candidate_record.hpp"

namespace kbench {

// How many candidates ended by each fault.
[[nodiscard]] std::map<CandidateFault, std::size_t> count_faults(
    std::span<const CandidateRecord> records);

// The header's fields, then candidates, kept, rejected (by fault, every one), and tasks: one for
// each that was kept, by number.
[[nodiscard]] Json manifest_of(const Json& header, std::span<const CandidateRecord> records);

}  // namespace kbench
