#include "runner/store/rows/study_rows.hpp"

#include <cstdint>
#include <optional>
#include <utility>

#include <SQLiteCpp/Database.h>

#include "runner/store/file/columns.hpp"
#include "runner/store/file/passive.hpp"
#include "runner/store/rows/checked_row.hpp"

namespace kbench {
namespace {

[[noreturn]] void corrupt(const std::string& what) {
  throw SQLite::Exception(what, SQLITE_CORRUPT);
}
[[noreturn]] void missing(const std::string& what) {
  throw SQLite::Exception(what, SQLITE_CONSTRAINT);
}

// The number of a text; nothing for the empty hash.
std::optional<std::int64_t> number_of_text(SQLite::Database& database, const std::string& hash) {
  if (hash.empty()) return std::nullopt;
  SQLite::Statement row(database, "SELECT number FROM blob WHERE hash = ?");
  row.bind(1, hash);
  if (!row.executeStep()) missing("a cell names a text that is not there");
  return row.getColumn(0).getInt64();
}

std::optional<std::int64_t> number_of_row(SQLite::Database& database, const std::string& study,
                                          const std::string& key) {
  if (key.empty()) return std::nullopt;
  SQLite::Statement row(database,
                        "SELECT number FROM evaluation WHERE key = ? AND run_id = "
                        "(SELECT run_id FROM study WHERE id = ?)");
  row.bind(1, key);
  row.bind(2, study);
  if (!row.executeStep()) missing("a cell names a row that its study's run does not have");
  return row.getColumn(0).getInt64();
}

void bind_or_null(SQLite::Statement& statement, int parameter,
                  const std::optional<std::int64_t>& value) {
  if (value)
    statement.bind(parameter, *value);
  else
    statement.bind(parameter);
}

// The node's number, where the run of the study holds it.
std::int64_t held_node(SQLite::Database& database, const std::string& study,
                       const std::string& node) {
  SQLite::Statement row(
      database,
      "SELECT node.number FROM study JOIN run ON run.id = study.run_id "
      "JOIN holds ON holds.run = run.number JOIN node ON node.number = holds.node "
      "WHERE study.id = ? AND node.id = ?");
  row.bind(1, study);
  row.bind(2, node);
  if (!row.executeStep()) missing("a cell names a node that its study's run does not hold");
  return row.getColumn(0).getInt64();
}

StateCell cell_at(SQLite::Statement& rows, const std::string& study) {
  const CheckedRow row(rows, "a cell");
  StateCell cell;
  cell.node = row.text(0, "node");
  cell.arm = row.text(1, "arm");
  cell.coalition = row.text(2, "coalition");
  cell.replicate = row.count(3, "replicate");
  cell.plan = row.text_if_any(4, "plan");
  cell.reply = row.text_if_any(5, "reply");
  cell.evaluation = row.text_if_any(6, "row");
  cell.status = row.text(7, "status");
  cell.tokens_in = row.count_if_any(8, "tokens");
  cell.tokens_out = row.count_if_any(9, "tokens");
  if (row.text(10, "seal") != seal_of(cell, study))
    corrupt("a cell of a study is not what its seal says");
  return cell;
}

constexpr const char* kSelectCells =
    "SELECT node.id, cell.arm, cell.coalition, cell.replicate, p.hash, r.hash, evaluation.key, "
    "cell.status, cell.tokens_in, cell.tokens_out, cell.seal FROM cell "
    "LEFT JOIN node ON node.number = cell.node LEFT JOIN blob AS p ON p.number = cell.plan "
    "LEFT JOIN blob AS r ON r.number = cell.reply "
    "LEFT JOIN evaluation ON evaluation.number = cell.evaluation "
    "WHERE cell.study = (SELECT number FROM study WHERE id = ?)";

// The cell of that place as it is stored; nothing where it is new.
std::optional<StateCell> cell_before(SQLite::Database& database, const std::string& study,
                                     const StateCell& cell) {
  SQLite::Statement rows(database, std::string(kSelectCells) +
                                       " AND node.id = ? AND cell.arm = ? AND cell.coalition = ? "
                                       "AND cell.replicate = ?");
  rows.bind(1, study);
  rows.bind(2, cell.node);
  rows.bind(3, cell.arm);
  rows.bind(4, cell.coalition);
  rows.bind(5, cell.replicate);
  return rows.executeStep() ? std::optional(cell_at(rows, study)) : std::nullopt;
}

std::vector<StateCell> read_cells(SQLite::Database& database, const std::string& study,
                                  WorkBudget& budget) {
  SQLite::Statement rows(
      database,
      std::string(kSelectCells) + " ORDER BY node.id, cell.arm, cell.coalition, cell.replicate");
  rows.bind(1, study);
  std::vector<StateCell> cells;
  while (rows.executeStep()) {
    budget.spend(sizeof(StateCell) + columns::bytes_of_row(rows));
    cells.push_back(cell_at(rows, study));
  }
  return cells;
}

}  // namespace

void insert_study(SQLite::Database& database, const std::string& run_id, const std::string& id) {
  const auto plan = number_of_text(database, id);
  SQLite::Statement insert(database, "INSERT INTO study (id, run_id, plan) VALUES (?, ?, ?)");
  insert.bind(1, id);
  insert.bind(2, run_id);
  bind_or_null(insert, 3, plan);
  insert.exec();
}

bool has_study(SQLite::Database& database, const std::string& id) {
  SQLite::Statement row(database, "SELECT 1 FROM study WHERE id = ?");
  row.bind(1, id);
  return row.executeStep();
}

void put_cell(SQLite::Database& database, const std::string& study, const StateCell& cell) {
  const std::int64_t node = held_node(database, study, cell.node);
  // Our connections run no triggers: that of the file is for those of others.
  if (const auto before = cell_before(database, study, cell); before && !fills_up(*before, cell))
    missing("a cell of a study would be changed, which only fills up");
  SQLite::Statement put(
      database,
      "INSERT INTO cell (study, node, arm, coalition, replicate, plan, reply, evaluation, status, "
      "tokens_in, tokens_out, seal) VALUES ((SELECT number FROM study WHERE id = ?), ?, ?, ?, ?, "
      "?, "
      "?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET plan = excluded.plan, reply = excluded.reply, "
      "evaluation = excluded.evaluation, status = excluded.status, tokens_in = excluded.tokens_in, "
      "tokens_out = excluded.tokens_out, seal = excluded.seal");
  put.bind(1, study);
  put.bind(2, node);
  put.bind(3, cell.arm);
  put.bind(4, cell.coalition);
  put.bind(5, cell.replicate);
  bind_or_null(put, 6, number_of_text(database, cell.plan));
  bind_or_null(put, 7, number_of_text(database, cell.reply));
  bind_or_null(put, 8, number_of_row(database, study, cell.evaluation));
  put.bind(9, cell.status);
  bind_or_null(put, 10, cell.tokens_in);
  bind_or_null(put, 11, cell.tokens_out);
  put.bind(12, seal_of(cell, study));
  put.exec();
}

std::optional<StateStudy> read_study(SQLite::Database& database, const std::string& id,
                                     WorkBudget& budget) {
  if (!has_study(database, id)) return std::nullopt;
  return StateStudy{id, read_cells(database, id, budget)};
}

std::vector<StateStudy> read_studies(SQLite::Database& database, const std::string& run_id,
                                     WorkBudget& budget) {
  SQLite::Statement rows(database,
                         "SELECT study.id, blob.hash FROM study "
                         "LEFT JOIN blob ON blob.number = study.plan "
                         "WHERE study.run_id = ? ORDER BY study.id");
  rows.bind(1, run_id);
  std::vector<StateStudy> studies;
  while (rows.executeStep()) {
    budget.spend(sizeof(StateStudy) + columns::bytes_of_row(rows));
    const CheckedRow row(rows, "a study");
    StateStudy study;
    study.id = row.text(0, "id");
    if (row.text(1, "plan") != study.id) corrupt("a study has another plan than its id says");
    study.cells = read_cells(database, study.id, budget);
    studies.push_back(std::move(study));
  }
  return studies;
}

}  // namespace kbench
