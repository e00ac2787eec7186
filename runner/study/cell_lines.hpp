// Cells of a study as the lines that `kbench attribute analyze` reads
// (data/schema/cell.schema.json): what became of each kernel is taken from its row, by the names of
// the outcomes. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"
#include "runner/study/study_plan.hpp"
#include "runner/trajectory/frozen_state.hpp"

namespace kbench {

// How a cell ended, as it is stored.
namespace cell_status {
inline constexpr std::string_view kJudged = "judged";
inline constexpr std::string_view kNoCode = "no code";     // the reply has no fence
inline constexpr std::string_view kRefused = "refused";    // its files are no kernel
inline constexpr std::string_view kWindow = "window";      // the prompt does not fit the model's
inline constexpr std::string_view kEndpoint = "endpoint";  // faults: this and the next
inline constexpr std::string_view kInfrastructure = "infrastructure";
}  // namespace cell_status

// A fault of the endpoint or of the machine, by which a cell has no outcome.
[[nodiscard]] bool is_fault(std::string_view status);

// "built"; "correct"; "fast:1.12": the speed-up over eager is above that with its whole interval;
// "better": built or right where the state's kernel was not, or faster than it with the whole
// interval; "tokens".
struct CellOutcome {
  std::string name;
  enum class Kind { kBuilt, kCorrect, kFast, kBetter, kTokens } kind = Kind::kCorrect;
  double threshold = 1;  // kFast's threshold
};
// Errors: kUsage, none of these.
[[nodiscard]] Result<CellOutcome> find_outcome(std::string_view name);
// Whether only a kernel that was timed has it.
[[nodiscard]] bool takes_time(const CellOutcome& outcome);

struct StudyFacts {
  const StudyPlan& plan;
  const std::vector<StateCell>& cells;
  const std::map<std::string, StoredNode>& nodes;        // key: the id
  const std::map<std::string, Evaluation>& rows;         // rows of the study's run, by key
  const std::map<std::string, std::string>& state_rows;  // key of the row of a node's own kernel
};
struct CellLines {
  std::string text;
  std::size_t cells = 0;       // lines
  std::size_t incomplete = 0;  // cells that are begun and not complete
};
// Errors: kBadInput, a cell names a node or a row that is not there.
[[nodiscard]] Result<CellLines> cell_lines(const StudyFacts& study);

}  // namespace kbench
