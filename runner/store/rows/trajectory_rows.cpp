#include "runner/store/rows/trajectory_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include <SQLiteCpp/Database.h>
#include <fmt/format.h>

#include "runner/store/file/columns.hpp"
#include "runner/store/file/passive.hpp"
#include "runner/store/rows/blob_rows.hpp"
#include "runner/store/rows/checked_row.hpp"
#include "runner/store/rows/study_rows.hpp"

namespace kbench {
namespace {

constexpr std::size_t kShownOfAHash = 12;

[[noreturn]] void corrupt(const std::string& what) {
  throw SQLite::Exception(what, SQLITE_CORRUPT);
}
[[noreturn]] void missing(const std::string& what) {
  throw SQLite::Exception(what, SQLITE_CONSTRAINT);
}

std::string shown(const std::string& id) { return id.substr(0, kShownOfAHash); }

// `sql`, a constant of ours, selects one number by one text.
std::optional<std::int64_t> number_by(SQLite::Database& database, const char* sql,
                                      const std::string& text) {
  SQLite::Statement row(database, sql);
  row.bind(1, text);
  return row.executeStep() ? std::optional(row.getColumn(0).getInt64()) : std::nullopt;
}

std::int64_t text_number(SQLite::Database& database, const std::string& hash) {
  const auto number = number_by(database, "SELECT number FROM blob WHERE hash = ?", hash);
  if (!number) missing(fmt::format("text {} of a state is missing", shown(hash)));
  return *number;
}

std::optional<std::int64_t> state_number(SQLite::Database& database, const std::string& id) {
  return number_by(database, "SELECT number FROM state WHERE id = ?", id);
}

std::optional<std::int64_t> node_number(SQLite::Database& database, const std::string& id) {
  return number_by(database, "SELECT number FROM node WHERE id = ?", id);
}

void put_state(SQLite::Database& database, const FrozenState& state) {
  const std::string tree = hash_tree(state.files);
  const std::string id = state_id(state, tree);
  if (state_number(database, id)) return;
  put_tree_files(database, tree, state.files);
  SQLite::Statement insert(database,
                           "INSERT INTO state (id, task, task_hash, size, device, tree, context) "
                           "VALUES (?, ?, ?, ?, ?, ?, ?)");
  insert.bind(1, id);
  insert.bind(2, state.task);
  insert.bind(3, state.task_hash);
  insert.bind(4, state.size);
  insert.bind(5, state.device);
  insert.bind(6, tree);
  insert.bind(7, text_number(database, state.context));
  insert.exec();
}

void insert_parents(SQLite::Database& database, std::int64_t number, const TrajectoryNode& node) {
  SQLite::Statement insert(database, "INSERT INTO parent (node, parent) VALUES (?, ?)");
  for (const std::string& parent : node.parents) {
    const auto known = node_number(database, parent);
    if (!known)
      missing(fmt::format("a node names the parent {}, which is not there", shown(parent)));
    insert.bind(1, number);
    insert.bind(2, *known);
    insert.exec();
    insert.reset();
  }
}

std::int64_t put_node(SQLite::Database& database, const TrajectoryNode& node,
                      const std::string& id) {
  if (const auto known = node_number(database, id)) return *known;
  const auto state = state_number(database, node.state);
  if (!state)
    missing(fmt::format("a node names the state {}, which is not there", shown(node.state)));
  SQLite::Statement insert(database,
                           "INSERT INTO node (id, state, trajectory, generation, origin, outcome) "
                           "VALUES (?, ?, ?, ?, ?, ?)");
  insert.bind(1, id);
  insert.bind(2, *state);
  insert.bind(3, node.trajectory);
  insert.bind(4, node.generation);
  insert.bind(5, node.origin);
  insert.bind(6, node.outcome);
  insert.exec();
  const std::int64_t number = database.getLastInsertRowid();
  insert_parents(database, number, node);
  return number;
}

// A run that holds a node holds its parents: none goes before its children.
void need_held_parents(SQLite::Database& database, std::int64_t run, std::int64_t node) {
  SQLite::Statement rows(
      database,
      "SELECT 1 FROM parent WHERE parent.node = ? AND NOT EXISTS "
      "(SELECT 1 FROM holds WHERE holds.run = ? AND holds.node = parent.parent)");
  rows.bind(1, node);
  rows.bind(2, run);
  if (rows.executeStep()) missing("a node's parent is not held by the run that holds the node");
}

void hold(SQLite::Database& database, std::int64_t run, std::int64_t node,
          const std::string& seal) {
  need_held_parents(database, run, node);
  SQLite::Statement insert(database,
                           "INSERT INTO holds (run, node, seal) VALUES (?, ?, ?) "
                           "ON CONFLICT (run, node) DO NOTHING");
  insert.bind(1, run);
  insert.bind(2, node);
  insert.bind(3, seal);
  insert.exec();
}

// Columns of a node and of its state, and how the latter comes to the former.
constexpr const char* kNodeColumns =
    "node.id, state.id, node.trajectory, node.generation, node.origin, node.outcome, "
    "state.task, state.task_hash, state.size, state.device, state.tree, blob.hash, node.number";
constexpr const char* kWithState =
    "LEFT JOIN state ON state.number = node.state LEFT JOIN blob ON blob.number = state.context";
constexpr int kTreeColumn = 10;
constexpr int kNumberColumn = 12;

std::vector<std::string> parents_of(SQLite::Database& database, std::int64_t node,
                                    WorkBudget& budget) {
  SQLite::Statement rows(database,
                         "SELECT p.id FROM parent LEFT JOIN node AS p ON p.number = parent.parent "
                         "WHERE parent.node = ? ORDER BY p.id");
  rows.bind(1, node);
  std::vector<std::string> parents;
  while (rows.executeStep()) {
    budget.spend(columns::bytes_of_row(rows));
    parents.push_back(CheckedRow(rows, "a node").text(0, "parent"));
  }
  return parents;
}

// A node without the files of its state.
StoredNode node_at(SQLite::Database& database, SQLite::Statement& rows, WorkBudget& budget) {
  budget.spend(sizeof(StoredNode) + columns::bytes_of_row(rows));
  const CheckedRow row(rows, "a node");
  StoredNode stored;
  stored.id = row.text(0, "id");
  stored.node.state = row.text(1, "state");
  stored.node.trajectory = row.text(2, "trajectory");
  stored.node.generation = row.count(3, "generation");
  stored.node.origin = row.text(4, "origin");
  stored.node.outcome = row.text(5, "outcome");
  stored.node.parents = parents_of(database, rows.getColumn(kNumberColumn).getInt64(), budget);
  stored.state.task = row.text(6, "task");
  stored.state.task_hash = row.text(7, "task");
  stored.state.size = row.text(8, "size");
  stored.state.device = row.text(9, "device");
  stored.state.context = row.text(11, "context");
  if (node_id(stored.node) != stored.id)
    corrupt(fmt::format("node {} of a trajectory is not what its id says", shown(stored.id)));
  if (state_id(stored.state, row.text(kTreeColumn, "tree")) != stored.node.state)
    corrupt(fmt::format("state {} is not what its id says", shown(stored.node.state)));
  return stored;
}

std::vector<StateReport> read_reports(SQLite::Database& database, std::int64_t run,
                                      WorkBudget& budget) {
  SQLite::Statement rows(
      database,
      "SELECT state.id, report.component, report.version, report.form, report.status, blob.hash, "
      "report.seal FROM report JOIN state ON state.number = report.state "
      "LEFT JOIN blob ON blob.number = report.content WHERE report.state IN "
      "(SELECT node.state FROM holds JOIN node ON node.number = holds.node WHERE holds.run = ?) "
      "ORDER BY state.id, report.component, report.version, report.form");
  rows.bind(1, run);
  std::vector<StateReport> reports;
  while (rows.executeStep()) {
    budget.spend(sizeof(StateReport) + columns::bytes_of_row(rows));
    const CheckedRow row(rows, "a report");
    StateReport report = {row.text(0, "state"), row.text(1, "component"), row.text(2, "version"),
                          row.text(3, "form"),  row.text(4, "status"),    row.text(5, "content")};
    if (row.text(6, "seal") != seal_of(report))
      corrupt(fmt::format("a report on state {} is not what its seal says", shown(report.state)));
    reports.push_back(std::move(report));
  }
  return reports;
}

std::int64_t run_number(SQLite::Database& database, const std::string& id) {
  const auto number = number_by(database, "SELECT number FROM run WHERE id = ?", id);
  if (!number) missing("states are to be held by a run that is not there");
  return *number;
}

// Nodes of a run, each with what the run's seal on it has to be.
void read_held(SQLite::Database& database, const std::string& run_id, std::int64_t run,
               WorkBudget& budget, Trajectories& found) {
  SQLite::Statement rows(
      database, fmt::format("SELECT {}, holds.seal FROM holds LEFT JOIN node ON node.number = "
                            "holds.node {} WHERE holds.run = ? ORDER BY node.number",
                            kNodeColumns, kWithState));
  rows.bind(1, run);
  TreeReader trees(database, budget);
  std::set<std::string> states;
  while (rows.executeStep()) {
    StoredNode stored = node_at(database, rows, budget);
    if (CheckedRow(rows, "a run").text(kNumberColumn + 1, "seal") !=
        seal_of_holding(run_id, stored.id))
      corrupt(
          fmt::format("that the run holds node {} is not what its seal says", shown(stored.id)));
    if (states.insert(stored.node.state).second) {
      stored.state.files = trees.read(CheckedRow(rows, "a state").text(kTreeColumn, "tree"));
      found.states.push_back(std::move(stored.state));
    }
    found.nodes.push_back(std::move(stored.node));
  }
}

std::int64_t count_of(SQLite::Database& database, const char* what) {
  return database.execAndGet(fmt::format("SELECT count(*) FROM {}", what)).getInt64();
}

}  // namespace

void put_trajectories(SQLite::Database& database, const std::string& run_id,
                      const Trajectories& trajectories) {
  if (trajectories.empty()) return;
  const std::int64_t run = run_number(database, run_id);
  for (const FrozenState& state : trajectories.states) put_state(database, state);
  for (const TrajectoryNode& node : trajectories.nodes) {
    const std::string id = node_id(node);
    hold(database, run, put_node(database, node, id), seal_of_holding(run_id, id));
  }
  for (const StateReport& report : trajectories.reports) put_report(database, report);
  for (const StateStudy& study : trajectories.studies) {
    if (!has_study(database, study.id)) insert_study(database, run_id, study.id);
    for (const StateCell& cell : study.cells) put_cell(database, study.id, cell);
  }
}

void put_report(SQLite::Database& database, const StateReport& report) {
  const auto state = state_number(database, report.state);
  if (!state) missing("a report is on a state that is not there");
  SQLite::Statement insert(
      database,
      "INSERT INTO report (state, component, version, form, status, content, seal) "
      "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (state, component, version, form) DO NOTHING");
  insert.bind(1, *state);
  insert.bind(2, report.component);
  insert.bind(3, report.version);
  insert.bind(4, report.form);
  insert.bind(5, report.status);
  insert.bind(6, text_number(database, report.content));
  insert.bind(7, seal_of(report));
  insert.exec();
}

Trajectories read_trajectories(SQLite::Database& database, const std::string& run_id,
                               WorkBudget& budget) {
  Trajectories found;
  const std::int64_t run = run_number(database, run_id);
  read_held(database, run_id, run, budget, found);
  found.reports = read_reports(database, run, budget);
  found.studies = read_studies(database, run_id, budget);
  return found;
}

std::vector<StoredNode> list_nodes(SQLite::Database& database,
                                   const std::optional<std::string>& run_id, WorkBudget& budget) {
  SQLite::Statement rows(
      database,
      fmt::format("SELECT {} FROM node {} {} ORDER BY node.number", kNodeColumns, kWithState,
                  run_id ? "WHERE node.number IN (SELECT node FROM holds JOIN run ON run.number = "
                           "holds.run WHERE run.id = ?)"
                         : ""));
  if (run_id) rows.bind(1, *run_id);
  std::vector<StoredNode> nodes;
  while (rows.executeStep()) nodes.push_back(node_at(database, rows, budget));
  return nodes;
}

std::optional<StoredNode> read_node(SQLite::Database& database, const std::string& id,
                                    WorkBudget& budget) {
  SQLite::Statement rows(
      database, fmt::format("SELECT {} FROM node {} WHERE node.id = ?", kNodeColumns, kWithState));
  rows.bind(1, id);
  if (!rows.executeStep()) return std::nullopt;
  StoredNode stored = node_at(database, rows, budget);
  TreeReader trees(database, budget);
  stored.state.files = trees.read(CheckedRow(rows, "a state").text(kTreeColumn, "tree"));
  return stored;
}

void remove_unheld_nodes(SQLite::Database& database) {
  database.exec("DELETE FROM parent WHERE node NOT IN (SELECT node FROM holds)");
  // In a damaged file a node of no run may be named still: that one stays.
  database.exec(
      "DELETE FROM node WHERE number NOT IN (SELECT node FROM holds) "
      "AND number NOT IN (SELECT parent FROM parent) AND number NOT IN (SELECT node FROM cell)");
  database.exec("DELETE FROM report WHERE state NOT IN (SELECT state FROM node)");
  database.exec("DELETE FROM state WHERE number NOT IN (SELECT state FROM node)");
}

std::vector<std::string> unheld_rows(SQLite::Database& database) {
  std::vector<std::string> sentences;
  if (!database.tableExists("holds")) return sentences;  // a file from before there were any
  for (const auto& [what, are] : std::map<const char*, const char*>{
           {"node WHERE number NOT IN (SELECT node FROM holds)", "nodes are held by no run"},
           {"state WHERE number NOT IN (SELECT state FROM node)", "states are of no node"}})
    if (const std::int64_t count = count_of(database, what); count > 0)
      sentences.push_back(fmt::format("{} {}", count, are));
  return sentences;
}

std::set<std::string> texts_of(const Trajectories& trajectories) {
  std::set<std::string> texts;
  for (const FrozenState& state : trajectories.states) {
    texts.insert(state.context);
    for (const TreeFile& file : state.files) texts.insert(file.hash);
  }
  for (const StateReport& report : trajectories.reports) texts.insert(report.content);
  for (const StateStudy& study : trajectories.studies) {
    texts.insert(study.id);
    for (const StateCell& cell : study.cells) texts.insert({cell.plan, cell.reply});
  }
  texts.erase("");
  return texts;
}

std::vector<std::string> damaged_texts(const Trajectories& trajectories,
                                       const DamagedBlobs& damaged) {
  if (damaged.empty()) return {};
  std::size_t count = 0;
  std::string first;
  for (const std::string& hash : texts_of(trajectories)) {
    const auto found = damaged.find(hash);
    if (found != damaged.end() && count++ == 0) first = found->second;
  }
  if (count == 0) return {};
  return {fmt::format("{} text{} of its states {} damaged: {}", count, count == 1 ? "" : "s",
                      count == 1 ? "is" : "are", first)};
}

}  // namespace kbench
