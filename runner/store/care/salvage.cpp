#include "runner/store/care/salvage.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include "runner/store/care/mended_copy.hpp"
#include "runner/store/care/readable_rows.hpp"
#include "runner/store/chain/chained_run.hpp"
#include "runner/store/file/columns.hpp"
#include "runner/store/file/connection.hpp"
#include "runner/store/file/database_path.hpp"
#include "runner/store/file/new_database.hpp"
#include "runner/store/rows/episode_rows.hpp"
#include "runner/store/rows/evaluation_rows.hpp"
#include "runner/store/rows/lint_rows.hpp"
#include "runner/store/rows/profile_rows.hpp"
#include "runner/store/rows/run_rows.hpp"
#include "runner/store/rows/tag_rows.hpp"
#include "runner/store/rows/trajectory_rows.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Evaluations that the damaged file knows, by table and by index. Either may have lost pages, and
// each tells what the other lacks.
struct Evaluations {
  std::map<std::string, std::set<std::int64_t>> numbers;  // key: the run
  bool complete = true;  // one of the two was read from start to end: no other row can be missing
};

[[noreturn]] void incomplete(const std::string& why) {
  throw SQLite::Exception(why, SQLITE_CORRUPT);
}

// Runs `work`, which reads the damaged file; why it could not, or nothing.
template <class Work>
std::string failure(Connection& from, Work&& work) {
  from.budget->renew(database_bytes(from.file));
  try {
    work();
    return "";
  } catch (const SQLite::Exception& exception) {
    return exception.what();
  }
}

Evaluations find_evaluations(Connection& from) {
  Evaluations found;
  const bool whole_table = for_each_readable_row(
      from.database, "evaluation", "run_id", *from.budget, [&](SQLite::Statement& row) {
        found.numbers[row.getColumn(1).getString()].insert(row.getColumn(0).getInt64());
      });
  const std::string index_failed = failure(from, [&] {
    SQLite::Statement rows(from.database,
                           "SELECT number, run_id, key FROM evaluation "
                           "ORDER BY run_id, key");
    while (rows.executeStep()) {
      from.budget->spend(columns::bytes_of_row(rows));
      found.numbers[rows.getColumn(1).getString()].insert(rows.getColumn(0).getInt64());
    }
  });
  found.complete = whole_table || index_failed.empty();
  return found;
}

// Reads all rows of a run, beside its own; throws where one is missing or cannot be read.
void read_whole(Connection& from, const Evaluations& evaluations, RunRows& rows) {
  const auto found = evaluations.numbers.find(rows.run.id);
  const auto numbers =
      found == evaluations.numbers.end() ? std::set<std::int64_t>() : found->second;
  const auto count = static_cast<std::int64_t>(numbers.size());
  if (!rows.chain_key.empty() && count != rows.chain_rows)
    incomplete(fmt::format("{} of its {} rows are left", count, rows.chain_rows));
  if (rows.chain_key.empty() && !evaluations.complete)
    incomplete("it is not chained, so that nobody can tell whether rows of it are missing");
  for (const std::int64_t number : numbers) {
    const std::string text = fmt::format("{}", number);
    auto one = read_evaluations(from.database, "number", text, *from.budget);
    const std::string which = fmt::format("row {}", rows.evaluations.size() + 1);
    if (one.size() != 1 || one.front().run_id != rows.run.id)
      incomplete(which + " cannot be found");
    const std::string missing = missing_children(from.database, number);
    if (!missing.empty()) incomplete(fmt::format("{}: {}", which, missing));
    SQLite::Statement link(from.database, "SELECT chain FROM evaluation WHERE number = ?");
    link.bind(1, number);
    rows.links.push_back(link.executeStep() ? link.getColumn(0).getString() : "");
    rows.evaluations.push_back(std::move(one.front()));
  }
}

struct Rescue {
  Connection& from;
  Connection& to;
  const std::optional<ChainKey>& key;
  Salvaged& salvaged;
};

// Episodes by their run, as far as the table can be read. That one is damaged costs no run.
std::map<std::string, std::vector<std::int64_t>> find_run_episodes(Connection& from,
                                                                   Salvaged& salvaged) {
  std::map<std::string, std::vector<std::int64_t>> found;
  const bool whole = for_each_readable_row(
      from.database, "episode", "run_id", *from.budget, [&](SQLite::Statement& row) {
        found[row.getColumn(1).getString()].push_back(row.getColumn(0).getInt64());
      });
  if (!whole) salvaged.notes.emplace_back("a part of the table of episodes cannot be read");
  return found;
}

void read_run_episodes(Rescue& rescue, const std::vector<std::int64_t>& numbers, RunRows& rows) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::string why = failure(rescue.from, [&] {
      auto one = read_episodes(rescue.from.database, "number", fmt::format("{}", numbers[i]),
                               *rescue.from.budget);
      if (one.size() != 1 || one.front().run_id != rows.run.id) incomplete("it cannot be found");
      rows.episodes.push_back(std::move(one.front()));
    });
    if (!why.empty())
      rescue.salvaged.notes.push_back(
          fmt::format("run {}: its episode {} is lost: {}", short_id(rows.run), i + 1, why));
  }
}

// Reads all states of a run or none: a trajectory with a hole is none.
void read_run_states(Rescue& rescue, RunRows& rows) {
  const std::string why = failure(rescue.from, [&] {
    rows.trajectories = read_trajectories(rescue.from.database, rows.run.id, *rescue.from.budget);
  });
  if (why.empty()) return;
  rows.trajectories = {};
  rescue.salvaged.notes.push_back(
      fmt::format("run {}: its states are lost: {}", short_id(rows.run), why));
}

// Errors are of writing.
Status save(Rescue& rescue, const RunRows& rows) {
  return rescue.to.guarded("writing a run", [&]() -> Status {
    rescue.to.budget->renew(database_bytes(rescue.to.file) + database_bytes(rescue.from.file));
    SQLite::Transaction transaction(rescue.to.database, SQLite::TransactionBehavior::IMMEDIATE);
    insert_run_rows(rescue.to, rows);
    ChainFinding chain = check_chain({rescue.to.database, rescue.key, *rescue.to.budget},
                                     rows.run.id, rows.evaluations);
    transaction.commit();
    rescue.salvaged.saved.push_back({rows.run, rows.evaluations.size(), std::move(chain)});
    for (const std::string& sentence : damaged_sources(rows.evaluations, rows.sources.damaged))
      rescue.salvaged.notes.push_back(fmt::format("run {}: {}", short_id(rows.run), sentence));
    for (const std::string& sentence : damaged_texts(rows, rows.sources.damaged))
      rescue.salvaged.notes.push_back(fmt::format("run {}: {}", short_id(rows.run), sentence));
    return Done{};
  });
}

Status save_runs(Rescue& rescue) {
  Evaluations evaluations = find_evaluations(rescue.from);
  std::map<std::int64_t, std::string> runs;  // ids by number, as far as they can be read
  (void)for_each_readable_row(rescue.from.database, "run", "id", *rescue.from.budget,
                              [&](SQLite::Statement& row) {
                                runs[row.getColumn(0).getInt64()] = row.getColumn(1).getString();
                              });
  const auto episodes = find_run_episodes(rescue.from, rescue.salvaged);
  for (const auto& [number, id] : runs) {
    LostRun lost{.id = id, .started_at = {}, .why = {}};
    RunRows rows;
    lost.why = failure(rescue.from, [&] {
      rows = read_own_row(rescue.from.database, "number", fmt::format("{}", number));
      lost.started_at = rows.run.started_at;
      read_whole(rescue.from, evaluations, rows);
    });
    evaluations.numbers.erase(id);
    if (lost.why.empty()) {
      if (const auto own = episodes.find(id); own != episodes.end())
        read_run_episodes(rescue, own->second, rows);
      read_run_states(rescue, rows);
      const std::string night_lost = failure(rescue.from, [&] {
        rows.night = read_night(rescue.from.database, id, *rescue.from.budget);
      });
      if (!night_lost.empty())
        rescue.salvaged.notes.push_back(
            fmt::format("run {}: a night's findings are lost: {}", short_id(rows.run), night_lost));
      lost.why = failure(rescue.from, [&] { rows.sources = find_blobs_of(rescue.from, rows); });
    }
    if (!lost.why.empty()) {
      rescue.salvaged.lost.push_back(std::move(lost));
    } else if (Status saved = save(rescue, rows); !saved) {
      return saved;
    }
  }
  for (const auto& [id, numbers] : evaluations.numbers)
    rescue.salvaged.lost.push_back(
        {id, "", fmt::format("its own row is lost; {} rows of it are left", numbers.size())});
  return Done{};
}

void save_what_runs_share(Rescue& rescue) {
  const auto save = [&](const char* what, const auto& work) {
    const std::string why = failure(rescue.from, [&] {
      SQLite::Transaction transaction(rescue.to.database, SQLite::TransactionBehavior::IMMEDIATE);
      work();
      transaction.commit();
    });
    if (!why.empty()) rescue.salvaged.notes.push_back(fmt::format("{}: {}", what, why));
  };
  save("tags are lost", [&] {
    std::set<std::string> saved;
    for (const SavedRun& run : rescue.salvaged.saved) saved.insert(run.run.id);
    for (const Tag& tag : read_tags(rescue.from.database, *rescue.from.budget))
      if (saved.contains(tag.run_id)) (void)put_tag(rescue.to.database, tag);
  });
  save("profiles are lost", [&] {
    const ProfileRows rows = read_profiles(rescue.from.database, {}, *rescue.from.budget);
    for (const StoredProfile& profile : rows.profiles)
      rescue.salvaged.profiles += put_profile(rescue.to.database, profile) ? 1u : 0u;
    for (const std::string& malformed : rows.malformed)
      rescue.salvaged.notes.push_back("left out: " + malformed);
  });
  save("what lint found is lost", [&] {
    const LintRows lint = read_lint({rescue.from.database, rescue.key, *rescue.from.budget});
    // Salvaged records carry no key: saving a record does not vouch for it.
    const std::optional<ChainKey> none;
    for (const LintRecord& record : lint.records)
      put_lint({rescue.to.database, record.unvouched ? none : rescue.key, *rescue.to.budget},
               record);
    for (const std::string& malformed : lint.malformed)
      rescue.salvaged.notes.push_back("left out: " + malformed);
  });
}

// The draft, closed and in one file.
Status write_draft(const fs::path& draft, MendedCopy& copy, const std::optional<ChainKey>& key,
                   Salvaged& salvaged) {
  Result<Connection> to = open_connection(draft, OpenFor::kWriting);
  if (!to) return to.error();
  Rescue rescue{copy.connection(), *to, key, salvaged};
  copy.connection().budget->renew(database_bytes(copy.connection().file));
  if (Status saved = save_runs(rescue); !saved) return saved;
  save_what_runs_share(rescue);
  return to->guarded("closing it", [&]() -> Status {
    to->database.execAndGet("PRAGMA journal_mode = DELETE");
    return Done{};
  });
}

}  // namespace

Result<Salvaged> salvage(const fs::path& damaged, const fs::path& to,
                         const std::optional<ChainKey>& key) {
  if (Status usable = check_database_path(damaged); !usable) return usable.error();
  std::error_code ignored;
  if (!fs::exists(damaged, ignored))
    return Error{ErrorCode::kNotFound, damaged.string() + ": no such file", "check the path"};
  Result<NewDatabase> made = NewDatabase::at(to);
  if (!made) return made.error();
  Result<MendedCopy> copy = MendedCopy::of(damaged, made->draft().string() + ".damaged");
  if (!copy) return copy.error();
  Salvaged salvaged;
  salvaged.mended = copy->mended();
  if (Status written = write_draft(made->draft(), *copy, key, salvaged); !written)
    return written.error();
  if (salvaged.saved.empty() && salvaged.profiles == 0) return salvaged;
  if (Status placed = made->take_place(); !placed) return placed.error();
  return salvaged;
}

}  // namespace kbench
