// An open database of ours: found to be one, passive, with the newest schema. Everything in
// runner/store that touches a file goes through here. Inside runner/store only.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>

#include "runner/core/result.hpp"
#include "runner/store/file/database_path.hpp"
#include "runner/store/file/passive.hpp"
#include "runner/store/file/sqlite_error.hpp"

namespace kbench {

// Runs `work`, which uses SQLite, and turns what it throws into an Error. `doing` completes
// "While …".
template <class Work>
auto guarded(const std::filesystem::path& file, std::string_view doing, GoesOn goes_on, Work&& work)
    -> decltype(work()) {
  try {
    return work();
  } catch (const SQLite::Exception& exception) {
    return explain(exception, file, doing, goes_on);
  }
}

template <class Work>
auto guarded(const std::filesystem::path& file, std::string_view doing, Work&& work)
    -> decltype(work()) {
  return guarded(file, doing, GoesOn::kAnew, std::forward<Work>(work));
}

struct Connection {
  std::filesystem::path file;
  std::unique_ptr<WorkBudget> budget;  // outlives the database, which it is attached to
  SQLite::Database database;

  // The same, as an operation of its own: with a new budget.
  template <class Work>
  auto guarded(std::string_view doing, GoesOn goes_on, Work&& work) -> decltype(work()) {
    budget->renew(database_bytes(file));
    return kbench::guarded(file, doing, goes_on, std::forward<Work>(work));
  }
  template <class Work>
  auto guarded(std::string_view doing, Work&& work) -> decltype(work()) {
    return guarded(doing, GoesOn::kAnew, std::forward<Work>(work));
  }
};

enum class OpenFor {
  kReading,     // an older file as a copy that has today's schema
  kInspecting,  // reading it as it lies, by whatever schema
  kWriting,     // created where it is missing, brought up to date where it is older
};

// Errors: see Store::open.
[[nodiscard]] Result<Connection> open_connection(const std::filesystem::path& file,
                                                 OpenFor purpose);

// How many steps of migrations.hpp a file has seen. Throws SQLite::Exception.
[[nodiscard]] std::size_t schema_version(SQLite::Database& database);

}  // namespace kbench
