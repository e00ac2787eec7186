#include "runner/store/care/prune.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/utc_now.hpp"
#include "runner/store/file/connection.hpp"
#include "runner/store/rows/blob_rows.hpp"
#include "runner/store/rows/episode_rows.hpp"
#include "runner/store/rows/evaluation_rows.hpp"
#include "runner/store/rows/trajectory_rows.hpp"
#include "runner/store/run_group.hpp"
#include "runner/store/store.hpp"

namespace kbench {
namespace {

bool reads_as_date(std::string_view text) { return text.size() == 20 && text[19] == 'Z'; }

// The reason why a run stays, as far as it is known without reading any rows; or nothing.
std::string stays_unread(const Run& run, const std::vector<std::string>& tags,
                         const PruneRule& rule) {
  if (!tags.empty()) return fmt::format("tagged {}", fmt::join(tags, ", "));
  if (!reads_as_date(run.started_at)) return "nobody can tell when it began";
  if (run.started_at >= rule.begun_before) return "young enough";
  if (run.finished_at.empty() && run.started_at >= rule.unfinished_since)
    return "unfinished, and may be running";
  return "";
}

// Why a run is not good, or nothing.
std::string fault_in(const Run& run, const StoredRun& stored) {
  if (run.finished_at.empty()) return "unfinished";
  for (const Evaluation& evaluation : stored.evaluations)
    if (fault_of(evaluation.state) == Fault::kInfrastructure &&
        evaluation.state != State::kDoesNotFit)
      return fmt::format("{} on {}", to_string(evaluation.state), evaluation.task);
  if (stored.chain.state == ChainFinding::State::kHolds) return "";
  return fmt::format("its chain is {}", to_string(stored.chain.state));
}

Status judge(const Store& store, const PruneRule& rule, const std::vector<std::string>& tags,
             PruneVerdict& verdict) {
  verdict.why = stays_unread(verdict.run, tags, rule);
  if (!verdict.why.empty()) return Done{};
  verdict.goes = true;
  verdict.why = "old";
  if (!rule.keep_good) return Done{};
  const Result<StoredRun> stored = store.read(verdict.run.id);
  // A damaged run is for `check` and `salvage`: it is not removed on the quiet.
  if (!stored) {
    verdict.goes = false;
    verdict.why = fmt::format("it cannot be read: {}", stored.error().message);
    return Done{};
  }
  const std::string fault = fault_in(verdict.run, *stored);
  verdict.goes = !fault.empty();
  verdict.why = fault.empty() ? "good" : fmt::format("old, and not good: {}", fault);
  return Done{};
}

// Shards stay together.
void keep_groups_whole(std::vector<PruneVerdict>& verdicts) {
  std::set<std::string> staying;
  for (const PruneVerdict& verdict : verdicts)
    if (const auto shard = shard_of(verdict.run); shard && !verdict.goes)
      staying.insert(shard->group);
  for (PruneVerdict& verdict : verdicts) {
    const auto shard = shard_of(verdict.run);
    if (!verdict.goes || !shard || !staying.contains(shard->group)) continue;
    verdict.goes = false;
    verdict.why = fmt::format("a shard of {}, of which another stays", shard->group);
  }
}

// Pages that a row of each table takes on average, its indexes included.
std::map<std::string, double> bytes_per_row(Connection& connection) {
  SQLite::Statement tables(
      connection.database,
      "SELECT s.tbl_name, sum(d.pgsize), max(CASE WHEN d.name = s.tbl_name THEN d.ncell END) "
      "FROM dbstat AS d JOIN sqlite_schema AS s ON s.name = d.name WHERE d.aggregate = 1 "
      "GROUP BY 1");
  std::map<std::string, double> bytes;
  while (tables.executeStep()) {
    const double rows = tables.getColumn(2).getDouble();
    if (rows > 0) bytes[tables.getColumn(0).getString()] = tables.getColumn(1).getDouble() / rows;
  }
  return bytes;
}

std::uint64_t bytes_of(Connection& connection, const std::string& run_id,
                       std::map<std::string, double>& per_row) {
  SQLite::Statement rows(connection.database, "SELECT count(*) FROM evaluation WHERE run_id = ?");
  rows.bind(1, run_id);
  double bytes = rows.executeStep() ? rows.getColumn(0).getDouble() * per_row["evaluation"] : 0;
  for (const std::string_view table : kTablesOfEvaluation) {
    SQLite::Statement children(
        connection.database,
        fmt::format("SELECT count(*) FROM evaluation AS e JOIN {} AS c ON c.evaluation = e.number "
                    "WHERE e.run_id = ?",
                    table));
    children.bind(1, run_id);
    if (children.executeStep())
      bytes += children.getColumn(0).getDouble() * per_row[std::string(table)];
  }
  for (const std::string_view table : kTablesOfEpisode) {
    SQLite::Statement children(
        connection.database,
        fmt::format("SELECT count(*) FROM episode AS e JOIN {} AS c ON c.episode = e.number "
                    "WHERE e.run_id = ?",
                    table));
    children.bind(1, run_id);
    if (children.executeStep())
      bytes += children.getColumn(0).getDouble() * per_row[std::string(table)];
  }
  return static_cast<std::uint64_t>(bytes);
}

// A SQLite without statistics of its pages leaves them unknown.
void estimate(const std::filesystem::path& file, std::vector<PruneVerdict>& verdicts) {
  Result<Connection> connection = open_connection(file, OpenFor::kReading);
  if (!connection) return;
  (void)connection->guarded("estimating sizes", [&]() -> Status {
    std::map<std::string, double> per_row = bytes_per_row(*connection);
    for (PruneVerdict& verdict : verdicts)
      if (verdict.goes) verdict.bytes = bytes_of(*connection, verdict.run.id, per_row);
    return Done{};
  });
}

// Removes a run, all in one transaction of the caller.
void remove_run(SQLite::Database& database, const std::string& run_id) {
  std::vector<std::string> statements;
  // Children go before parents; a call and a cell name an evaluation.
  statements.emplace_back(
      "DELETE FROM cell WHERE study IN (SELECT number FROM study WHERE run_id = ?)");
  statements.emplace_back("DELETE FROM study WHERE run_id = ?");
  statements.emplace_back("DELETE FROM holds WHERE run = (SELECT number FROM run WHERE id = ?)");
  for (const std::string_view table : kTablesOfEpisode)
    statements.push_back(fmt::format(
        "DELETE FROM {} WHERE episode IN (SELECT number FROM episode WHERE run_id = ?)", table));
  statements.emplace_back("DELETE FROM episode WHERE run_id = ?");
  for (const std::string_view table : kTablesOfEvaluation)
    statements.push_back(fmt::format(
        "DELETE FROM {} WHERE evaluation IN (SELECT number FROM evaluation WHERE run_id = ?)",
        table));
  statements.emplace_back("DELETE FROM evaluation WHERE run_id = ?");
  statements.emplace_back("DELETE FROM run WHERE id = ?");
  for (const std::string& sql : statements) {
    SQLite::Statement statement(database, sql);
    statement.bind(1, run_id);
    statement.exec();
  }
}

std::uint64_t free_bytes(SQLite::Database& database) {
  const auto pages = database.execAndGet("PRAGMA freelist_count").getInt64();
  return static_cast<std::uint64_t>(pages * database.execAndGet("PRAGMA page_size").getInt64());
}

bool is_tagged(SQLite::Database& database, const std::string& run_id) {
  SQLite::Statement tags(database, "SELECT 1 FROM tag WHERE run_id = ?");
  tags.bind(1, run_id);
  return tags.executeStep();
}

}  // namespace

PruneRule keep_runs_of(int days, bool keep_good, std::optional<ChainKey> key) {
  constexpr int kDaysUnfinished = 7;
  constexpr double kSecondsOfDay = 86'400;
  return {.begun_before = utc_in(-kSecondsOfDay * days),
          .keep_good = keep_good,
          .key = std::move(key),
          .unfinished_since = utc_in(-kSecondsOfDay * kDaysUnfinished)};
}

Result<int> parse_keep_time(std::string_view word) {
  constexpr int kMostDays = 100'000;
  int number = -1;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  const std::string_view unit = word.substr(static_cast<std::size_t>(end - word.data()));
  const int days = unit == "w" ? 7 : 1;
  if (error == std::errc() && number >= 0 && number <= kMostDays / days &&
      (unit == "d" || unit == "w"))
    return number * days;
  return Error{ErrorCode::kUsage,
               fmt::format("\"{}\" is no time to keep runs for", word.substr(0, 40)),
               "say 90d for days or 12w for weeks"};
}

Result<std::vector<PruneVerdict>> judge_runs(const std::filesystem::path& file,
                                             const PruneRule& rule, const PruneProgress& progress) {
  Result<Store> store = Store::open(file, Store::Mode::kReadOnly);
  if (!store) return store.error();
  if (rule.key) store->use(*rule.key);
  Result<std::vector<Run>> runs = store->runs();
  if (!runs) return runs.error();
  const Result<std::vector<Tag>> tags = store->tags();
  if (!tags) return tags.error();
  const Result<std::vector<StateCount>> counts = store->state_counts();
  if (!counts) return counts.error();
  std::map<std::string, int> rows;
  for (const StateCount& count : *counts) rows[count.run_id] += count.rows;
  std::vector<PruneVerdict> verdicts;
  std::reverse(runs->begin(), runs->end());
  for (Run& run : *runs) {
    if (progress.tell) progress.tell(verdicts.size(), runs->size());
    PruneVerdict verdict{.run = std::move(run), .why = {}, .bytes = {}};
    verdict.rows = rows[verdict.run.id];
    if (Status judged = judge(*store, rule, tags_of(verdict.run.id, *tags), verdict); !judged)
      return judged.error();
    verdicts.push_back(std::move(verdict));
  }
  keep_groups_whole(verdicts);
  estimate(file, verdicts);
  return verdicts;
}

RunsThatGo runs_that_go(const std::vector<PruneVerdict>& verdicts) {
  RunsThatGo going;
  for (const PruneVerdict& verdict : verdicts) {
    if (!verdict.goes) continue;
    going.run_ids.push_back(verdict.run.id);
    going.bytes += verdict.bytes.value_or(0);
  }
  return going;
}

Result<Removed> remove_runs(const std::filesystem::path& file,
                            const std::vector<std::string>& run_ids,
                            const PruneProgress& progress) {
  Result<Connection> connection = open_connection(file, OpenFor::kWriting);
  if (!connection) return connection.error();
  Removed removed;
  for (const std::string& run_id : run_ids) {
    if (progress.tell) progress.tell(removed.runs, run_ids.size());
    const Status done = connection->guarded("removing a run", [&]() -> Status {
      SQLite::Transaction transaction(connection->database, SQLite::TransactionBehavior::IMMEDIATE);
      if (is_tagged(connection->database, run_id)) {
        removed.kept.push_back(run_id);
        return Done{};
      }
      const std::uint64_t before = free_bytes(connection->database);
      remove_run(connection->database, run_id);
      const std::uint64_t after = free_bytes(connection->database);
      transaction.commit();
      removed.bytes += after > before ? after - before : 0;
      ++removed.runs;
      return Done{};
    });
    if (!done) return done.error();
  }
  const Status swept = connection->guarded("removing sources", [&]() -> Status {
    SQLite::Transaction transaction(connection->database, SQLite::TransactionBehavior::IMMEDIATE);
    const std::uint64_t before = free_bytes(connection->database);
    remove_unheld_nodes(connection->database);
    remove_unnamed_sources(connection->database, *connection->budget);
    removed.bytes += free_bytes(connection->database) - before;
    transaction.commit();
    return Done{};
  });
  if (!swept) return swept.error();
  return removed;
}

}  // namespace kbench
