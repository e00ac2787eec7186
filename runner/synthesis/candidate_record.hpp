// The outcome of one candidate: a line of the journal, an entry of the manifest. Written by the
// cli, kept by synthesis_journal.hpp. Invariant: a candidate that was kept has a task and no
// rejection, one that was rejected has a reason and a message.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"

namespace kbench {

// Why a candidate is no task, in the order of the filters.
enum class CandidateFault {
  kLowering,      // it cannot be lowered
  kRandom,        // it draws random numbers
  kContaminated,  // a held-out task has the same operators
  kEager,         // eager fails
  kTime,          // no size at which eager's time lies in the band
  kDuplicate,     // the graph of a candidate before it
  kUnequalRuns,   // two runs on the same inputs differ
  kMutant,        // a submission passes that is wrong on purpose
  kPackage,       // no AOTInductor package can be built
  kDisagrees      // the package computes something else
};

[[nodiscard]] std::span<const CandidateFault> all_candidate_faults();  // in that order
[[nodiscard]] std::string_view to_string(CandidateFault fault);        // "lowering", ...
[[nodiscard]] std::string_view describe(CandidateFault fault);         // a few words for a table

struct CandidateRecord {
  std::int64_t candidate = 0;           // its number, from 0
  std::string where;                    // "candidate 12", "rows.jsonl:17"
  std::string task;                     // "level2/012_conv_relu"; what it would have been called
  std::optional<CandidateFault> fault;  // none: it was kept
  std::string message;                  // message of the fault
  std::vector<std::string> drawn;       // by the grammar; empty for what came from elsewhere
  std::vector<std::string> operators;   // read from the graph (operator_sequence.hpp)
  std::string fingerprint;              // hash of graph and shapes; empty before it was read
  std::string source_sha256;
  double scale = 0;        // scale of its size; 0 for what came from elsewhere
  double eager_ms = 0;     // 0 where it was not timed
  int tries = 0;           // sizes that were timed
  std::string similar_to;  // a held-out task; empty: nothing near
  double similarity = 0;   // to it

  [[nodiscard]] bool kept() const { return !fault; }
};

[[nodiscard]] Json to_json_line(const CandidateRecord& record);
// Errors: kBadInput, for what to_json_line did not write.
[[nodiscard]] Result<CandidateRecord> record_from_json(const Json& json);

}  // namespace kbench
