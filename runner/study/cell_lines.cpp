#include "runner/study/cell_lines.hpp"

#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "reports/facts/model.hpp"
#include "runner/attribution/cells.hpp"
#include "runner/core/json.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/trajectory/freeze_episode.hpp"

namespace kbench {
namespace {

constexpr double kMostThreshold = 1000;

// 0 not built, 1 wrong, 2 correct: the rungs of "better".
int rung_of(const Evaluation& row) {
  const std::string_view kind = stratum_of(row);
  if (kind == stratum::kNotBuilt) return 0;
  return kind == stratum::kCorrect ? 2 : 1;
}

struct Value {
  double value = 0;
  bool undecided = false;
};

// The result of one cell's kernel.
class Judged {
 public:
  // `row` is null for what never was a kernel.
  Judged(const StateCell& cell, const Evaluation* row, const Evaluation* before)
      : cell_(cell), row_(row), before_(before) {
    if (row != nullptr) derived_ = derive(*row);
    if (before != nullptr) derived_before_ = derive(*before);
  }

  [[nodiscard]] Value value_of(const CellOutcome& outcome) const {
    switch (outcome.kind) {
      case CellOutcome::Kind::kTokens:
        return {static_cast<double>(cell_.tokens_in.value_or(0) + cell_.tokens_out.value_or(0))};
      case CellOutcome::Kind::kBuilt: return {row_ != nullptr && rung_of(*row_) > 0 ? 1.0 : 0.0};
      case CellOutcome::Kind::kCorrect: return {is_correct() ? 1.0 : 0.0};
      case CellOutcome::Kind::kFast: return above(outcome.threshold);
      case CellOutcome::Kind::kBetter: return better();
    }
    return {};
  }

 private:
  [[nodiscard]] bool is_correct() const { return derived_ && derived_->counts_as_correct(); }

  [[nodiscard]] Value above(double threshold) const {
    if (!is_correct() || !derived_->over_eager) return {};
    const Speedup& speedup = *derived_->over_eager;
    return {speedup.low > threshold ? 1.0 : 0.0,
            speedup.low <= threshold && threshold < speedup.high};
  }

  [[nodiscard]] Value better() const {
    if (row_ == nullptr || before_ == nullptr) return {};
    const int now = is_correct() ? 2 : std::min(rung_of(*row_), 1);
    const int before = rung_of(*before_);
    if (now != before) return {now > before ? 1.0 : 0.0};
    if (now < 2 || !derived_->over_eager || !derived_before_->over_eager) return {};
    const Speedup& mine = *derived_->over_eager;
    const Speedup& other = *derived_before_->over_eager;
    return {mine.low > other.high ? 1.0 : 0.0, mine.low <= other.high && other.low < mine.high};
  }

  const StateCell& cell_;
  const Evaluation* row_;
  const Evaluation* before_;
  std::optional<ResultRow> derived_;
  std::optional<ResultRow> derived_before_;
};

std::vector<std::string> split(const std::string& coalition) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < coalition.size();) {
    const std::size_t end = std::min(coalition.find(',', at), coalition.size());
    names.push_back(coalition.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

Error damaged_cell(const std::string& what) {
  return {ErrorCode::kBadInput, "a cell of the study " + what,
          "`kbench db check` says what is damaged."};
}

class LineWriter {
 public:
  LineWriter(const StudyFacts& study, std::vector<CellOutcome> outcomes)
      : study_(study), outcomes_(std::move(outcomes)) {
    for (const PlannedState& state : study.plan.states) planned_.emplace(state.node, &state);
  }

  Result<std::string> line(const StateCell& cell) const {
    const auto node = study_.nodes.find(cell.node);
    const auto planned = planned_.find(cell.node);
    if (node == study_.nodes.end() || planned == planned_.end())
      return damaged_cell("is of a node that is not in its plan");
    Json json = {{"task", node->second.state.task},
                 {"trajectory", node->second.node.trajectory},
                 {"state", cell.node},
                 {"generation", node->second.node.generation},
                 {"stratum", planned->second->stratum},
                 {"available", planned->second->available},
                 {"coalition", split(cell.coalition)},
                 {"arm", cell.arm},
                 {"replicate", cell.replicate},
                 {"labels",
                  {{"model", clean_name(study_.plan.model)},
                   {"origin", clean_name(node->second.node.origin)}}}};
    if (!cell.reply.empty()) json["reply"] = cell.reply;
    if (is_fault(cell.status)) {
      json["outcomes"] = nullptr;
      return text_of(json);
    }
    const Evaluation* row = nullptr;
    if (!cell.evaluation.empty()) {
      row = row_of(cell.evaluation);
      if (row == nullptr) return damaged_cell("names a row that its run does not have");
    }
    const auto before = study_.state_rows.find(cell.node);
    const Judged judged(cell, row,
                        before == study_.state_rows.end() ? nullptr : row_of(before->second));
    json["outcomes"] = Json::object();
    for (const CellOutcome& outcome : outcomes_) {
      const Value value = judged.value_of(outcome);
      json["outcomes"][outcome.name] = value.value;
      if (value.undecided) json["undecided"].push_back(outcome.name);
    }
    return text_of(json);
  }

 private:
  static std::string text_of(const Json& json) {
    return json.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
  }

  [[nodiscard]] const Evaluation* row_of(const std::string& key) const {
    const auto row = study_.rows.find(key);
    return row == study_.rows.end() ? nullptr : &row->second;
  }

  const StudyFacts& study_;
  std::vector<CellOutcome> outcomes_;
  std::map<std::string, const PlannedState*> planned_;
};

}  // namespace

bool is_fault(std::string_view status) {
  return status == cell_status::kEndpoint || status == cell_status::kInfrastructure;
}

Result<CellOutcome> find_outcome(std::string_view name) {
  using Kind = CellOutcome::Kind;
  constexpr std::string_view kFast = "fast:";
  if (name == "built") return CellOutcome{"built", Kind::kBuilt};
  if (name == "correct") return CellOutcome{"correct", Kind::kCorrect};
  if (name == "better") return CellOutcome{"better", Kind::kBetter};
  if (name == kTokensOutcome) return CellOutcome{std::string(name), Kind::kTokens};
  if (name.starts_with(kFast)) {
    const std::string_view digits = name.substr(kFast.size());
    double threshold = 0;
    const auto [end, failed] =
        std::from_chars(digits.data(), digits.data() + digits.size(), threshold);
    if (failed == std::errc() && end == digits.data() + digits.size() && threshold > 0 &&
        threshold <= kMostThreshold)
      return CellOutcome{std::string(name), Kind::kFast, threshold};
  }
  return Error{ErrorCode::kUsage,
               fmt::format("\"{}\" is no outcome", clean_name(std::string(name), 80)),
               "outcomes are built, correct, better, fast:1.05 (a speed-up over eager) and tokens"};
}

bool takes_time(const CellOutcome& outcome) {
  return outcome.kind == CellOutcome::Kind::kFast || outcome.kind == CellOutcome::Kind::kBetter;
}

Result<CellLines> cell_lines(const StudyFacts& study) {
  std::vector<CellOutcome> outcomes;
  for (const std::string& name : study.plan.outcomes) {
    auto outcome = find_outcome(name);
    if (!outcome) return outcome.error();
    outcomes.push_back(std::move(*outcome));
  }
  const LineWriter writer(study, std::move(outcomes));
  CellLines lines;
  for (const StateCell& cell : study.cells) {
    if (cell.status.empty()) {
      ++lines.incomplete;
      continue;
    }
    const auto line = writer.line(cell);
    if (!line) return line.error();
    lines.text += *line;
    ++lines.cells;
  }
  return lines;
}

}  // namespace kbench
