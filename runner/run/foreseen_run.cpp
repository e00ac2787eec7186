#include "runner/run/foreseen_run.hpp"

#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "runner/os/clean_text.hpp"
#include "runner/run/resumed_request.hpp"
#include "runner/store/store.hpp"

namespace kbench {
namespace {

using Fate = ForeseenRow::Fate;

ForeseenRow foresee(const PlannedRow& unit, const Plan& plan, const RunRequest& request) {
  ForeseenRow row{.unit = &unit, .task = &plan.tasks[unit.task]};
  if (unit.ends_as) {
    row.fate = Fate::kEnds;
    row.reason = unit.hint.empty() ? unit.message : fmt::format("{} ({})", unit.message, unit.hint);
  } else if (row.task->find_size(plan.target.size) == nullptr) {
    row.fate = Fate::kEnds;
    row.reason = fmt::format("{} has no size {}", row.task->id, plan.target.size);
  } else if (!unit.submission && request.checks_only) {
    row.fate = Fate::kEnds;
    row.reason = "it has no submission, so there is nothing to check";
  } else if (!unit.submission) {
    row.fate = Fate::kBaselines;
  }
  return row;
}

// The store; absent where there is no database yet: then nothing was measured before.
Result<std::optional<Store>> open_existing(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return std::optional<Store>();
  auto store = Store::open(file, Store::Mode::kReadOnly);
  if (!store) return store.error();
  return std::optional<Store>(std::move(*store));
}

Status mark_stored(const Store& store, const RunTerms& terms, std::vector<ForeseenRow>& rows) {
  const auto run = find_resumed_run(store, terms);
  if (!run) return run.error();
  const auto stored = store.evaluations(run->id);
  if (!stored) return stored.error();
  std::map<std::pair<std::string, std::string>, std::string> hashes;  // hashes of sources
  for (const Evaluation& row : *stored) {
    const SubmissionId id = row.submission.value_or(SubmissionId());
    hashes[{row.task, id.name}] = id.source_hash;
  }
  for (ForeseenRow& row : rows) {
    const auto found = hashes.find({row.task->id, row.unit->id.name});
    if (found == hashes.end()) continue;
    if (found->second != row.unit->id.source_hash)
      return Error{ErrorCode::kUsage,
                   fmt::format("run {} has a row of {} already, and its source changed since",
                               short_id(*run), clean_name(row.unit->id.name, 120)),
                   "start a new run: leave --resume out"};
    row.fate = Fate::kStored;
  }
  return Done{};
}

// Rows that are stored are not measured, and stay in front.
void put_longest_first(const std::vector<double>& expected, std::vector<ForeseenRow>& rows) {
  std::vector<std::size_t> places;
  std::vector<double> seconds;
  std::vector<ForeseenRow> sorted;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].fate == Fate::kStored) {
      sorted.push_back(rows[i]);
      continue;
    }
    places.push_back(i);
    seconds.push_back(expected[i]);
  }
  order_units(UnitOrder::kLongest, seconds, "", places);
  for (const std::size_t place : places) sorted.push_back(rows[place]);
  rows = std::move(sorted);
}

// Also puts the rows into the order of --order longest.
Status add_durations(const Store& store, const RunRequest& request, const RunTerms& terms,
                     const Plan& plan, std::vector<ForeseenRow>& rows) {
  const HowTimed how = request.checks_only ? HowTimed::kNot
                       : request.quick     ? HowTimed::kQuick
                                           : HowTimed::kInFull;
  std::vector<double> expected;
  for (ForeseenRow& row : rows) {
    auto seconds = store.typical_seconds(row.task->id, plan.target.size, plan.target.device, how);
    if (!seconds) return seconds.error();
    expected.push_back(seconds->value_or(0));
    if (row.is_measured()) row.seconds = *seconds;
  }
  if (terms.order == UnitOrder::kLongest) put_longest_first(expected, rows);
  return Done{};
}

Json row_json(const ForeseenRow& row) {
  const SubmissionId& id = row.unit->id;
  const auto text = [](const std::string& value) { return value.empty() ? Json() : Json(value); };
  return {{"task", row.task->id},
          {"agent", text(id.agent)},
          {"variant", text(id.variant)},
          {"submission", text(id.name)},
          {"what", row.fate_word()},
          {"reason", text(row.reason)},
          {"seconds", row.seconds ? Json(*row.seconds) : Json()}};
}

}  // namespace

std::string ForeseenRow::fate_word() const {
  switch (fate) {
    case Fate::kEvaluate: return "evaluate";
    case Fate::kBaselines: return "baselines";
    case Fate::kStored: return "stored";
    case Fate::kEnds: return std::string(to_string(unit->ends_as.value_or(State::kSkipped)));
  }
  return "";
}

Result<std::vector<ForeseenRow>> foresee_rows(const Plan& plan, const RunRequest& request,
                                              const RunTerms& terms) {
  std::vector<ForeseenRow> rows;
  for (const PlannedRow& unit : plan.units) rows.push_back(foresee(unit, plan, request));
  const auto store = open_existing(terms.database);
  if (!store) return store.error();
  if (!*store) return rows;
  if (terms.resume)
    if (auto marked = mark_stored(**store, terms, rows); !marked) return marked.error();
  if (auto added = add_durations(**store, request, terms, plan, rows); !added) return added.error();
  return rows;
}

ForeseenTime estimate(const std::vector<ForeseenRow>& rows) {
  ForeseenTime sum;
  for (const ForeseenRow& row : rows) {
    if (!row.is_measured()) continue;
    sum.seconds += row.seconds.value_or(0);
    ++(row.seconds ? sum.known : sum.unknown);
  }
  return sum;
}

Json foreseen_json(const Plan& plan, const std::vector<ForeseenRow>& rows, const RunTerms& terms) {
  Json list = Json::array();
  for (const ForeseenRow& row : rows) list.push_back(row_json(row));
  const ForeseenTime time = estimate(rows);
  return {{"schema_version", 1},
          {"device", plan.target.device},
          {"size", plan.target.size},
          {"database", terms.database.string()},
          {"notes", plan.notes},
          {"files", plan.census ? census_json(*plan.census) : Json()},
          {"rows", std::move(list)},
          {"seconds", time.known > 0 ? Json(time.seconds) : Json()},
          {"rows_without_seconds", time.unknown}};
}

}  // namespace kbench
