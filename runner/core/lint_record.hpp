// The findings of `kbench tasks lint` about one task: can its judge tell right from wrong? Written
// by runner/lint, kept by runner/store beside the results, shown by reports with each of them. A
// record belongs to the content of a task file: another content is another task, and not linted.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

enum class LintState {
  kPassed,
  kAccepted,  // it has a flaw that the task names, with the reason why it stays
  kFailed,
  kUnable,  // the machine's fault: does not fit, or the oracle failed
};

[[nodiscard]] std::string_view to_string(LintState state);  // "passed", ...
[[nodiscard]] std::optional<LintState> lint_state_from_string(std::string_view text);

struct LintFinding {
  enum class Weight { kFlaw, kAccepted, kNote };
  Weight weight = Weight::kFlaw;
  std::string kind;     // "zeros", "operator", "duplicate", ...: what LINT_ACCEPTS may name
  std::string subject;  // an output, a parameter, "node 3 (aten::relu)"; may be empty
  std::string message;  // one sentence
};

[[nodiscard]] std::string_view to_string(LintFinding::Weight weight);  // "flaw", ...
[[nodiscard]] std::optional<LintFinding::Weight> lint_weight_from_string(std::string_view text);

struct LintRecord {
  std::string task;       // "level1/019_relu"
  std::string task_hash;  // hash of the lowered file
  std::string size;
  std::string device;
  LintState state = LintState::kUnable;
  int mutants = 0;   // tried
  int rejected = 0;  // mutants that were rejected
  // Set when read: a key is in use here, and no seal of that key vouches for this record, because
  // it is older than seals or another user's. It is not believed for a new row.
  bool unvouched = false;
  std::vector<LintFinding> findings;
  std::string version;     // kbench's version
  std::string checked_at;  // UTC, RFC 3339
};

// The lint records of a database.
struct LintRows {
  std::vector<LintRecord> records;
  // Rows that no kbench of this user has written, or that were changed since: the row, and the
  // fault. Foreign text.
  std::vector<std::string> malformed;
};

// The kind of finding that eager's own error is too large.
inline constexpr std::string_view kImprecise = "imprecise";
// The kind of a flaw that only a 16-bit type has: it overflows, or cannot tell its numbers apart.
inline constexpr std::string_view kNotInHalf = "precision";

// The kind of finding that tells what came of comparing the graph with the task's Python: a note
// where they agree, else a flaw that no task can accept. Its subject is the SHA-256 of the Python.
inline constexpr std::string_view kAgainstPython = "python";
// The kind of finding that the graph takes longer than the Python that it stands for.
inline constexpr std::string_view kSlowGraph = "slow_graph";
// The kind of finding that tells whether the task says of its cost what its graph does: a note, or
// a flaw that no task can accept.
inline constexpr std::string_view kCost = "cost";

// The finding on the graph and the Python with that SHA-256; null without a comparison.
[[nodiscard]] const LintFinding* comparison_with_python(const LintRecord& record,
                                                        std::string_view source_hash);

// Whether the task's cost was counted anew.
[[nodiscard]] bool was_recounted(const LintRecord& record);

// Whether a finding of that kind means that an output passes which does not depend on the inputs:
// nothing written, zeros, a constant, a mean, the output for another input. Such a task cannot tell
// a kernel that works from one that does not.
[[nodiscard]] bool passes_without_inputs(std::string_view kind);

// Reasons why a task with that record ranks no row; any of them is enough. An output passes that
// does not depend on the inputs, whether or not the task accepts that. Its graph computes something
// else than its Python. Eager's own error ("imprecise") lets wrong outputs pass, or eager is slowed
// down ("slow_graph"), and the task does not declare it. The task misstates its cost. Empty: its
// rows may rank.
[[nodiscard]] std::string why_it_ranks_nobody(const LintRecord& record);

// "passed", "failed: zeros, operator", "accepted: identity".
[[nodiscard]] std::string summary(const LintRecord& record);

}  // namespace kbench
