#include "runner/store/care/merge.hpp"

#include <system_error>
#include <utility>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include "runner/store/chain/chained_run.hpp"
#include "runner/store/file/columns.hpp"
#include "runner/store/file/connection.hpp"
#include "runner/store/rows/blob_rows.hpp"
#include "runner/store/rows/episode_rows.hpp"
#include "runner/store/rows/lint_rows.hpp"
#include "runner/store/rows/profile_rows.hpp"
#include "runner/store/rows/run_rows.hpp"
#include "runner/store/rows/study_rows.hpp"
#include "runner/store/rows/tag_rows.hpp"
#include "runner/store/rows/trajectory_rows.hpp"

namespace kbench {
namespace {

bool has_run(SQLite::Database& database, const std::string& run_id) {
  SQLite::Statement run(database, "SELECT 1 FROM run WHERE id = ?");
  run.bind(1, run_id);
  return run.executeStep();
}

Result<std::vector<Run>> runs_of(Connection& from) {
  return from.guarded("listing the runs", [&]() -> Result<std::vector<Run>> {
    SQLite::Statement rows(from.database, columns::select_run() + " ORDER BY started_at, number");
    std::vector<Run> runs;
    while (rows.executeStep()) {
      from.budget->spend(columns::bytes_of_row(rows));
      runs.push_back(columns::read_run(rows));
    }
    return runs;
  });
}

Result<RunRows> read(Connection& connection, const std::string& run_id) {
  return connection.guarded("reading a run", [&]() -> Result<RunRows> {
    const SQLite::Transaction snapshot(connection.database, SQLite::TransactionBehavior::DEFERRED);
    const auto missing = missing_children(connection.database, run_id);
    if (!missing.empty()) {
      return Error{ErrorCode::kBadInput, missing.front(),
                   "`kbench db check` says more about that file."};
    }
    return read_run_rows(connection, run_id);
  });
}

// Why one of these episodes cannot be added; empty where all can.
std::string taken_episode(SQLite::Database& database, const std::vector<Episode>& episodes) {
  for (const Episode& episode : episodes)
    if (find_episode(database, episode.id))
      return fmt::format("its episode {} is another run's here", short_id(episode.id));
  return "";
}

// Why one of these studies cannot be added; empty where all can.
std::string taken_study(SQLite::Database& database, const std::vector<StateStudy>& studies) {
  for (const StateStudy& study : studies)
    if (has_study(database, study.id))
      return fmt::format("its study {} is another run's here", short_id(study.id));
  return "";
}

// Merges one run; an Error is of writing, and ends the whole.
Status merge_run(Connection& into, Connection& from, const std::optional<ChainKey>& key,
                 MergedRun& merged) {
  const Result<RunRows> rows = read(from, merged.run.id);
  if (!rows) {
    merged.why = rows.error().message;
    return Done{};
  }
  return into.guarded("adding a run", [&]() -> Status {
    // The budget takes what is to be added, not only what there was before.
    into.budget->renew(database_bytes(into.file) + database_bytes(from.file));
    SQLite::Transaction transaction(into.database, SQLite::TransactionBehavior::IMMEDIATE);
    const bool is_there = has_run(into.database, merged.run.id);
    if (is_there) {
      const RunRows own = read_run_rows(into, merged.run.id);
      merged.why = difference(own, *rows);
      if (!merged.why.empty()) return Done{};
      put_blobs(into.database, rows->sources.blobs, *into.budget);
      if (!rows->night.empty() && own.night.empty()) {
        put_night(into.database, merged.run.id, rows->night);
        merged.took_night = true;
      }
      for (const StateReport& report : rows->trajectories.reports)
        put_report(into.database, report);
    } else {
      merged.why = taken_episode(into.database, rows->episodes);
      if (merged.why.empty()) merged.why = taken_study(into.database, rows->trajectories.studies);
      if (!merged.why.empty()) return Done{};
      insert_run_rows(into, *rows);
      merged.chain =
          check_chain({into.database, key, *into.budget}, merged.run.id, rows->evaluations);
    }
    const DamagedBlobs damaged = find_blobs_of(into, *rows).damaged;
    merged.damaged = damaged_sources(rows->evaluations, damaged);
    for (std::string& sentence : damaged_texts(*rows, damaged))
      merged.damaged.push_back(std::move(sentence));
    transaction.commit();
    merged.state = is_there ? MergedRun::State::kThere : MergedRun::State::kAdded;
    return Done{};
  });
}

Status merge_tags(Connection& into, Connection& from, Merged& merged) {
  const auto tags = from.guarded("reading the tags", [&]() -> Result<std::vector<Tag>> {
    return read_tags(from.database, *from.budget);
  });
  if (!tags) return tags.error();
  return into.guarded("adding tags", [&]() -> Status {
    SQLite::Transaction transaction(into.database, SQLite::TransactionBehavior::IMMEDIATE);
    for (const Tag& tag : *tags) {
      if (!has_run(into.database, tag.run_id)) continue;
      const int before = into.database.getTotalChanges();
      if (!put_tag(into.database, tag))
        merged.notes.push_back(
            fmt::format("the tag {} of {} is another run's here: run {} stays without it", tag.name,
                        from.file.string(), short_id(tag.run_id)));
      merged.tags += into.database.getTotalChanges() - before;
    }
    transaction.commit();
    return Done{};
  });
}

Status merge_profiles(Connection& into, Connection& from, Merged& merged) {
  const auto rows = from.guarded("reading profiles", [&]() -> Result<ProfileRows> {
    return read_profiles(from.database, {}, *from.budget);
  });
  if (!rows) return rows.error();
  for (const std::string& malformed : rows->malformed)
    merged.notes.push_back(fmt::format("left out of {}: {}", from.file.string(), malformed));
  merged.refused_profiles += static_cast<int>(rows->malformed.size());
  return into.guarded("adding profiles", [&]() -> Status {
    into.budget->renew(database_bytes(into.file) + database_bytes(from.file));
    SQLite::Transaction transaction(into.database, SQLite::TransactionBehavior::IMMEDIATE);
    for (const StoredProfile& profile : rows->profiles)
      ++(put_profile(into.database, profile) ? merged.profiles : merged.there_profiles);
    transaction.commit();
    return Done{};
  });
}

Result<LintRows> lint_of(Connection& from, const std::optional<ChainKey>& key) {
  return from.guarded("reading what lint found", [&]() -> Result<LintRows> {
    return read_lint({from.database, key, *from.budget});
  });
}

// RFC 3339 in UTC: later is greater. A task that could not be checked is no knowledge of it, and
// gives way to any.
Status put_newer_lint(Connection& into, const std::optional<ChainKey>& key,
                      const std::vector<LintRecord>& records) {
  return into.guarded("keeping what lint found", [&]() -> Status {
    SQLite::Transaction transaction(into.database, SQLite::TransactionBehavior::IMMEDIATE);
    for (const LintRecord& record : records) {
      SQLite::Statement newer(into.database,
                              "SELECT 1 FROM lint WHERE task_hash = ? AND size = ? AND device = ? "
                              "AND (? OR (checked_at >= ? AND state <> ?))");
      newer.bind(1, record.task_hash);
      newer.bind(2, record.size);
      newer.bind(3, record.device);
      const std::string unable(to_string(LintState::kUnable));
      newer.bind(4, record.state == LintState::kUnable ? 1 : 0);
      newer.bind(5, record.checked_at);
      newer.bind(6, unable);
      if (!newer.executeStep()) put_lint({into.database, key, *into.budget}, record);
    }
    transaction.commit();
    return Done{};
  });
}

std::string lint_left_text(const Connection& from, std::size_t records) {
  return fmt::format(
      "what lint found in {}, {} record{}, is left there: it decides what counts in a "
      "score, of every run; --lint takes it",
      from.file.string(), records, records == 1 ? "" : "s");
}

Status merge_file(Connection& into, Connection& from, const MergeRequest& request, Merged& merged) {
  Result<std::vector<Run>> runs = runs_of(from);
  if (!runs) return runs.error();
  const auto lint = lint_of(from, request.key);
  if (!lint && request.lint) return lint.error();
  for (Run& run : *runs) {
    MergedRun one{.run = std::move(run), .from = from.file, .why = {}, .chain = {}, .damaged = {}};
    if (Status done = merge_run(into, from, request.key, one); !done) return done;
    if (request.progress) request.progress(one);
    if (one.took_night)
      merged.notes.push_back(
          fmt::format("run {} has the findings of a night now, which {} had and {} had not",
                      short_id(one.run), from.file.string(), into.file.string()));
    merged.runs.push_back(std::move(one));
  }
  if (Status done = merge_tags(into, from, merged); !done) return done;
  if (Status done = merge_profiles(into, from, merged); !done) return done;
  if (request.lint) {
    for (const std::string& malformed : lint->malformed)
      merged.notes.push_back("left out: " + malformed);
    return put_newer_lint(into, request.key, lint->records);
  }
  if (lint && !lint->records.empty())
    merged.notes.push_back(lint_left_text(from, lint->records.size()));
  return Done{};
}

// A file that is no database to read or to write, in the words of a command without --db.
Error of_place(Error error, const char* place) {
  if (error.hint.find("--db") != error.hint.npos)
    error.hint = fmt::format("name another file as {}: kbench db merge INTO FROM...", place);
  return error;
}

}  // namespace

Result<Merged> merge_databases(const MergeRequest& request) {
  if (request.from.empty())
    return Error{ErrorCode::kUsage, "no database is named that runs are taken from",
                 "kbench db merge INTO FROM...; or kbench db merge INTO --exchange DIR --group "
                 "NAME"};
  std::vector<Connection> from;
  for (const std::filesystem::path& file : request.from) {
    std::error_code ignored;
    if (std::filesystem::equivalent(file, request.into, ignored)) {
      return Error{ErrorCode::kUsage, fmt::format("{} is to be merged into itself", file.string()),
                   "kbench db merge INTO FROM...: name the others after the one that takes them."};
    }
    Result<Connection> opened = open_connection(file, OpenFor::kReading);
    if (!opened) return of_place(opened.error(), "FROM");
    from.push_back(std::move(*opened));
  }
  Result<Connection> into = open_connection(request.into, OpenFor::kWriting);
  if (!into) return of_place(into.error(), "INTO");
  Merged merged;
  for (Connection& one : from)
    if (Status done = merge_file(*into, one, request, merged); !done) return done.error();
  return merged;
}

}  // namespace kbench
