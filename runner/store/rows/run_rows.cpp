#include "runner/store/rows/run_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/store/file/columns.hpp"
#include "runner/store/rows/episode_rows.hpp"
#include "runner/store/rows/evaluation_rows.hpp"
#include "runner/store/rows/trajectory_rows.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMostTasksNamed = 5;  // number that a sentence names

std::vector<std::string> read_links(Connection& connection, const std::string& run_id) {
  SQLite::Statement rows(connection.database,
                         "SELECT chain FROM evaluation WHERE run_id = ? ORDER BY number");
  rows.bind(1, run_id);
  std::vector<std::string> links;
  while (rows.executeStep()) {
    connection.budget->spend(columns::bytes_of_row(rows));
    links.push_back(rows.getColumn(0).getString());
  }
  return links;
}

void write_link(SQLite::Database& database, std::int64_t number, const std::string& link) {
  SQLite::Statement statement(database, "UPDATE evaluation SET chain = ? WHERE number = ?");
  statement.bind(1, link);
  statement.bind(2, number);
  statement.exec();
}

}  // namespace

FoundBlobs find_blobs_of(Connection& connection, const RunRows& rows) {
  std::set<std::string> hashes = texts_of(rows.trajectories);
  for (const Episode& episode : rows.episodes) hashes.merge(texts_of(episode));
  for (const Evaluation& evaluation : rows.evaluations) {
    if (!evaluation.task_source.empty()) hashes.insert(evaluation.task_source);
    for (const TreeFile& file : evaluation.sources) hashes.insert(file.hash);
  }
  return find_blobs(connection.database, hashes, *connection.budget);
}

std::vector<std::string> damaged_texts(const RunRows& rows, const DamagedBlobs& damaged) {
  std::vector<std::string> sentences = damaged_texts(rows.episodes, damaged);
  for (std::string& sentence : damaged_texts(rows.trajectories, damaged))
    sentences.push_back(std::move(sentence));
  return sentences;
}

std::vector<std::string> damaged_sources(const std::vector<Evaluation>& evaluations,
                                         const DamagedBlobs& damaged) {
  struct Named {
    std::string as;
    std::vector<std::string> tasks;
  };
  std::map<std::string, Named> named;
  const auto note = [&](const std::string& hash, const std::string& as, const std::string& task) {
    if (!damaged.contains(hash)) return;
    Named& one = named[hash];
    if (one.tasks.empty()) one.as = as;
    if (std::find(one.tasks.begin(), one.tasks.end(), task) == one.tasks.end())
      one.tasks.push_back(task);
  };
  for (const Evaluation& evaluation : evaluations) {
    note(evaluation.task_source, "the source", evaluation.task);
    for (const TreeFile& file : evaluation.sources) note(file.hash, file.path, evaluation.task);
  }
  std::vector<std::string> sentences;
  for (auto& [hash, one] : named) {
    const std::size_t more = one.tasks.size() - std::min(one.tasks.size(), kMostTasksNamed);
    one.tasks.resize(one.tasks.size() - more);
    sentences.push_back(fmt::format("{} of {}{} is damaged: {}", one.as, fmt::join(one.tasks, ", "),
                                    more > 0 ? fmt::format(" and {} more", more) : std::string(),
                                    damaged.at(hash)));
  }
  return sentences;
}

RunRows read_run_rows(Connection& connection, const std::string& run_id) {
  RunRows rows = read_own_row(connection.database, "id", run_id);
  rows.night = read_night(connection.database, run_id, *connection.budget);
  rows.evaluations = read_evaluations(connection.database, "run_id", run_id, *connection.budget);
  rows.links = read_links(connection, run_id);
  rows.episodes = read_episodes(connection.database, "run_id", run_id, *connection.budget);
  rows.trajectories = read_trajectories(connection.database, run_id, *connection.budget);
  rows.sources = find_blobs_of(connection, rows);
  return rows;
}

RunRows read_own_row(SQLite::Database& database, std::string_view of, const std::string& value) {
  RunRows rows;
  SQLite::Statement run(database, fmt::format("{} WHERE {} = ?", columns::select_run(), of));
  run.bind(1, value);
  if (run.executeStep()) rows.run = columns::read_run(run);
  SQLite::Statement chain(
      database, fmt::format("SELECT chain_key, chain_seal, chain_rows FROM run WHERE {} = ?", of));
  chain.bind(1, value);
  if (chain.executeStep()) {
    rows.chain_key = chain.getColumn(0).getString();
    rows.chain_seal = chain.getColumn(1).getString();
    rows.chain_rows = chain.getColumn(2).getInt64();
  }
  return rows;
}

void insert_run_rows(Connection& connection, const RunRows& rows) {
  SQLite::Database& database = connection.database;
  SQLite::Statement run(database, columns::insert_run());
  columns::bind(run, rows.run);
  run.exec();
  SQLite::Statement chain(
      database, "UPDATE run SET chain_key = ?, chain_seal = ?, chain_rows = ? WHERE id = ?");
  chain.bind(1, rows.chain_key);
  chain.bind(2, rows.chain_seal);
  chain.bind(3, rows.chain_rows);
  chain.bind(4, rows.run.id);
  chain.exec();
  if (!rows.night.empty()) put_night(database, rows.run.id, rows.night);
  put_blobs(database, rows.sources.blobs, *connection.budget);
  for (std::size_t i = 0; i < rows.evaluations.size(); ++i) {
    const auto number = insert_evaluation(database, rows.evaluations[i], {}, *connection.budget);
    if (number && i < rows.links.size()) write_link(database, *number, rows.links[i]);
  }
  for (const Episode& episode : rows.episodes)
    insert_whole_episode(database, episode, *connection.budget);
  put_trajectories(database, rows.run.id, rows.trajectories);
}

std::string read_night(SQLite::Database& database, const std::string& run_id, WorkBudget& budget) {
  SQLite::Statement rows(database, "SELECT night FROM run WHERE id = ?");
  rows.bind(1, run_id);
  if (!rows.executeStep()) return "";
  budget.spend(columns::bytes_of_row(rows));
  return rows.getColumn(0).getString();
}

bool put_night(SQLite::Database& database, const std::string& run_id, const std::string& findings) {
  SQLite::Statement update(database, "UPDATE run SET night = ? WHERE id = ?");
  update.bind(1, findings);
  update.bind(2, run_id);
  return update.exec() > 0;
}

std::string difference(const RunRows& a, const RunRows& b) {
  if (columns::text_of(a.run) != columns::text_of(b.run))
    return a.run.finished_at != b.run.finished_at ? "one is finished and the other is not"
                                                  : "their options, environment or dates differ";
  if (a.evaluations.size() != b.evaluations.size())
    return fmt::format("one has {} rows, the other {}", a.evaluations.size(), b.evaluations.size());
  for (std::size_t i = 0; i < a.evaluations.size(); ++i)
    if (columns::text_of(a.evaluations[i]) != columns::text_of(b.evaluations[i]))
      return fmt::format("row {} ({}) differs", i + 1, a.evaluations[i].task);
  const bool same_chain = a.chain_key == b.chain_key && a.chain_seal == b.chain_seal &&
                          a.chain_rows == b.chain_rows && a.links == b.links;
  if (!same_chain) return "their chains differ";
  if (a.episodes.size() != b.episodes.size())
    return fmt::format("one has {} episodes, the other {}", a.episodes.size(), b.episodes.size());
  for (std::size_t i = 0; i < a.episodes.size(); ++i)
    if (a.episodes[i] != b.episodes[i])
      return fmt::format("episode {} differs", short_id(a.episodes[i].id));
  // A difference in later findings about a state is no difference between runs: both are kept.
  if (a.trajectories.nodes != b.trajectories.nodes) return "they hold other states";
  if (a.trajectories.studies != b.trajectories.studies) return "their studies differ";
  return "";
}

// Positions are counted through the samples of both tables.
std::string with_positions(std::string_view table) {
  if (table != "sample") return std::string(table);
  return "(SELECT evaluation, position FROM sample UNION ALL "
         "SELECT evaluation, position FROM vendor_sample)";
}

std::string missing_children(SQLite::Database& database, std::int64_t number) {
  for (const std::string_view table : kTablesOfEvaluation) {
    if (table == "vendor_sample") continue;  // the other samples bring these
    SQLite::Statement rows(database,
                           fmt::format("SELECT count(*), coalesce(min(position), 0), "
                                       "coalesce(max(position), -1) FROM {} WHERE evaluation = ?",
                                       with_positions(table)));
    rows.bind(1, number);
    if (!rows.executeStep()) continue;
    const std::int64_t count = rows.getColumn(0).getInt64();
    const std::int64_t last = rows.getColumn(2).getInt64();
    if (rows.getColumn(1).getInt64() == 0 && last == count - 1) continue;
    return fmt::format("{} rows of its table \"{}\" are there, and the last is number {}", count,
                       table, last + 1);
  }
  return "";
}

std::vector<std::string> missing_children(SQLite::Database& database, const std::string& run_id) {
  SQLite::Statement rows(database,
                         "SELECT number, task FROM evaluation WHERE run_id = ? ORDER BY number");
  rows.bind(1, run_id);
  std::vector<std::string> sentences;
  for (int row = 1; rows.executeStep(); ++row) {
    const std::string missing = missing_children(database, rows.getColumn(0).getInt64());
    if (!missing.empty())
      sentences.push_back(
          fmt::format("row {} ({}): {}", row, rows.getColumn(1).getString(), missing));
  }
  return sentences;
}

}  // namespace kbench
