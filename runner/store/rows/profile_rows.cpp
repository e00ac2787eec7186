#include "runner/store/rows/profile_rows.hpp"

#include <array>
#include <map>
#include <utility>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include "runner/core/evaluation.hpp"
#include "runner/core/source_contents.hpp"
#include "runner/core/utc_now.hpp"
#include "runner/store/file/columns.hpp"
#include "runner/store/file/passive.hpp"
#include "runner/store/rows/blob_rows.hpp"

namespace kbench {
namespace {

// Seconds by which a time may lie in the future: clocks of two machines differ by less.
constexpr double kLatestSeconds = 24 * 3600;

constexpr const char* kColumns =
    "id, task, size, side, device, source_hash, made_at, version, content";

std::string text_at(SQLite::Statement& rows, int column) {
  return rows.getColumn(column).getString();
}

// Why the row is no profile of ours; empty where it is one.
std::string read_row(SQLite::Statement& rows, StoredProfile& profile) {
  for (int column = 0; column < 9; ++column)
    if (!rows.getColumn(column).isText()) return "it holds something that is no text";
  profile.id = text_at(rows, 0);
  profile.device_kind = text_at(rows, 4);
  profile.source_hash = text_at(rows, 5);
  profile.made_at = text_at(rows, 6);
  profile.version = text_at(rows, 7);
  profile.json = text_at(rows, 8);
  if (profile.id != profile_id(profile)) return "it is not what its id says";
  if (!parse_utc(profile.made_at) || profile.made_at.size() != utc_now().size())
    return "nobody can tell when it was made";
  // Times are compared as texts: a clock that counts nanoseconds knows no year 2999.
  if (profile.made_at > utc_in(kLatestSeconds)) return "it was made in the future";
  if (profile.version.size() > 200 || profile.source_hash.size() > 200)
    return "it holds something that is too long";
  if (profile.device_kind != "cpu" && profile.device_kind != "cuda")
    return "it is of no device that there is";
  auto record = parse_profile(profile.json);
  if (!record) return record.error().message;
  profile.record = std::move(*record);
  if (text_at(rows, 1) != profile.record.task || text_at(rows, 2) != profile.record.size ||
      text_at(rows, 3) != profile.record.side)
    return "it is of something else than its row says";
  if (profile.record.submission.empty() != profile.source_hash.empty())
    return "its source does not go with its side";
  return "";
}

bool explains_a_row(SQLite::Database& database, SQLite::Statement& profile,
                    const std::set<std::string>& going_runs) {
  SQLite::Statement runs(database,
                         "SELECT DISTINCT run_id FROM evaluation WHERE task = ?1 AND size = ?2 "
                         "AND device = ?3 AND (?4 = '' OR source_hash = ?4)");
  for (int column = 1; column <= 4; ++column) runs.bind(column, text_at(profile, column));
  while (runs.executeStep())
    if (!going_runs.contains(text_at(runs, 0))) return true;
  return false;
}

// Contents of the rows that stay. Each tree is read once, however many profiles ask for it.
class KeptContents {
 public:
  KeptContents(SQLite::Database& database, const std::set<std::string>& going_runs,
               WorkBudget& budget)
      : database_(database), going_runs_(going_runs), trees_(database, budget) {}

  // Whether a row of the profile's task has its bytes under other names of files. A row whose
  // sources are damaged may be it.
  bool has_bytes_of(SQLite::Statement& profile) {
    const auto record = parse_profile(text_at(profile, 5));
    if (!record || record->contents_hash.empty()) return false;
    const Place place{text_at(profile, 1), text_at(profile, 2), text_at(profile, 3)};
    const auto known = places_.find(place);
    const std::set<std::string>& hashes =
        known == places_.end() ? places_.emplace(place, read_hashes(place)).first->second
                               : known->second;
    return hashes.contains(record->contents_hash) || hashes.contains(kDamaged);
  }

 private:
  using Place = std::array<std::string, 3>;  // task, size, device
  static constexpr const char* kDamaged = "";

  std::set<std::string> read_hashes(const Place& place) {
    SQLite::Statement rows(database_,
                           "SELECT DISTINCT run_id, tree_hash FROM evaluation WHERE task = ?1 AND "
                           "size = ?2 AND device = ?3 AND tree_hash <> ''");
    for (int column = 1; column <= 3; ++column)
      rows.bind(column, place[static_cast<std::size_t>(column - 1)]);
    std::set<std::string> hashes;
    while (rows.executeStep())
      if (!going_runs_.contains(text_at(rows, 0))) hashes.insert(hash_of(text_at(rows, 1)));
    return hashes;
  }

  const std::string& hash_of(const std::string& tree) {
    const auto known = hashes_.find(tree);
    return known == hashes_.end() ? hashes_.emplace(tree, read_hash(tree)).first->second
                                  : known->second;
  }

  std::string read_hash(const std::string& tree) {
    try {
      return hash_contents(trees_.read(tree));
    } catch (const SQLite::Exception& exception) {
      if (!is_damage(exception)) throw;
      return kDamaged;
    }
  }

  SQLite::Database& database_;
  const std::set<std::string>& going_runs_;
  TreeReader trees_;
  std::map<Place, std::set<std::string>> places_;
  std::map<std::string, std::string> hashes_;  // tree's hash to that of its contents
};

}  // namespace

bool put_profile(SQLite::Database& database, const StoredProfile& profile) {
  SQLite::Statement insert(database,
                           fmt::format("INSERT INTO profile ({}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, "
                                       "?) ON CONFLICT (id) DO NOTHING",
                                       kColumns));
  int parameter = 0;
  for (const std::string* value : {&profile.id, &profile.record.task, &profile.record.size,
                                   &profile.record.side, &profile.device_kind, &profile.source_hash,
                                   &profile.made_at, &profile.version, &profile.json})
    insert.bind(++parameter, *value);
  return insert.exec() > 0;
}

ProfileRows read_profiles(SQLite::Database& database, const std::optional<std::string>& task,
                          WorkBudget& budget) {
  SQLite::Statement rows(database, fmt::format("SELECT {}, number FROM profile {} ORDER BY number",
                                               kColumns, task ? "WHERE task = ?" : ""));
  if (task) rows.bind(1, *task);
  ProfileRows read;
  while (rows.executeStep()) {
    budget.spend(columns::bytes_of_row(rows));
    StoredProfile profile;
    const std::string why = read_row(rows, profile);
    if (why.empty())
      read.profiles.push_back(std::move(profile));
    else
      read.malformed.push_back(fmt::format("profile {}: {}", rows.getColumn(9).getInt64(), why));
  }
  return read;
}

std::vector<std::int64_t> profiles_that_go(SQLite::Database& database,
                                           const std::string& made_before,
                                           const std::set<std::string>& going_runs,
                                           WorkBudget& budget) {
  SQLite::Statement old(database,
                        "SELECT number, task, size, device, source_hash, content FROM profile "
                        "WHERE made_at <= ? ORDER BY number");
  old.bind(1, made_before);
  KeptContents kept(database, going_runs, budget);
  std::vector<std::int64_t> numbers;
  while (old.executeStep()) {
    budget.spend(columns::bytes_of_row(old));
    if (!explains_a_row(database, old, going_runs) && !kept.has_bytes_of(old))
      numbers.push_back(old.getColumn(0).getInt64());
  }
  return numbers;
}

void remove_profiles(SQLite::Database& database, const std::vector<std::int64_t>& numbers) {
  for (const std::int64_t number : numbers) {
    SQLite::Statement statement(database, "DELETE FROM profile WHERE number = ?");
    statement.bind(1, number);
    statement.exec();
  }
}

}  // namespace kbench
