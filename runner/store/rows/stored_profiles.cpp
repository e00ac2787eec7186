#include "runner/store/rows/stored_profiles.hpp"

#include <fnmatch.h>

#include <system_error>
#include <utility>

#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include "runner/store/file/connection.hpp"
#include "runner/store/file/database_path.hpp"
#include "runner/store/rows/profile_rows.hpp"

namespace kbench {

Status check_keeps_profiles(const std::filesystem::path& file) {
  if (auto usable = check_database_path(file); !usable) return usable;
  if (auto folder = check_database_folder(file); !folder) return folder;
  std::error_code none;
  if (!std::filesystem::exists(file, none)) return Done{};
  auto connection = open_connection(file, OpenFor::kWriting);
  if (!connection) return connection.error();
  // A lock for writing, which a file that may only be read does not give.
  return connection->guarded("trying to write", [&]() -> Status {
    const SQLite::Transaction transaction(connection->database,
                                          SQLite::TransactionBehavior::IMMEDIATE);
    return Done{};
  });
}

Status keep_profile(const std::filesystem::path& file, const StoredProfile& profile) {
  auto connection = open_connection(file, OpenFor::kWriting);
  if (!connection) return connection.error();
  return connection->guarded("keeping a profile", [&]() -> Status {
    SQLite::Transaction transaction(connection->database, SQLite::TransactionBehavior::IMMEDIATE);
    put_profile(connection->database, profile);
    transaction.commit();
    return Done{};
  });
}

Result<ProfileRows> stored_profiles(const std::filesystem::path& file,
                                    const std::optional<std::string>& task) {
  auto connection = open_connection(file, OpenFor::kReading);
  if (!connection) return connection.error();
  return connection->guarded("reading profiles", [&]() -> Result<ProfileRows> {
    return read_profiles(connection->database, task, *connection->budget);
  });
}

void keep_profiles_of(const std::string& tasks, ProfileRows& rows) {
  std::erase_if(rows.profiles, [&](const StoredProfile& profile) {
    const char* task = profile.record.task.c_str();
    return ::fnmatch(tasks.c_str(), task, 0) != 0 &&
           ::fnmatch(("*/" + tasks).c_str(), task, 0) != 0;
  });
}

Result<StoredProfile> find_profile(const std::filesystem::path& file, const std::string& id) {
  auto rows = stored_profiles(file);
  if (!rows) return rows.error();
  StoredProfile* found = nullptr;
  for (StoredProfile& profile : rows->profiles) {
    if (id.empty() || !profile.id.starts_with(id)) continue;
    if (found != nullptr)
      return Error{ErrorCode::kUsage,
                   fmt::format("\"{}\" begins several profiles", id.substr(0, 80)),
                   "Type more of it."};
    found = &profile;
  }
  if (found != nullptr) return std::move(*found);
  return Error{rows->malformed.empty() ? ErrorCode::kNotFound : ErrorCode::kBadInput,
               fmt::format("{}: no profile begins with \"{}\"{}", file.string(), id.substr(0, 80),
                           rows->malformed.empty()
                               ? ""
                               : fmt::format(", and {} cannot be read", rows->malformed.size())),
               "`kbench profile TASK` keeps one and names its id."};
}

Result<std::size_t> prune_profiles(const std::filesystem::path& file, const ProfilePrune& prune) {
  auto connection = open_connection(file, prune.dry_run ? OpenFor::kReading : OpenFor::kWriting);
  if (!connection) return connection.error();
  return connection->guarded("removing profiles", [&]() -> Result<std::size_t> {
    SQLite::Transaction transaction(connection->database,
                                    prune.dry_run ? SQLite::TransactionBehavior::DEFERRED
                                                  : SQLite::TransactionBehavior::IMMEDIATE);
    const auto numbers = profiles_that_go(connection->database, prune.made_before, prune.going_runs,
                                          *connection->budget);
    if (prune.dry_run) return numbers.size();
    remove_profiles(connection->database, numbers);
    transaction.commit();
    return numbers.size();
  });
}

}  // namespace kbench
