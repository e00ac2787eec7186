// The schema as an ordered list of steps. PRAGMA user_version counts the steps a file has seen;
// step N takes it from N to N + 1. A released step is never edited: a change is a new step at the
// end. Tests give it lists of their own.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace SQLite {
class Database;
}

namespace kbench {

// "kben" in ASCII: how a file tells that it is ours (PRAGMA application_id, file offset 68).
inline constexpr std::int32_t kApplicationId = 0x6b62656e;

[[nodiscard]] std::span<const std::string_view> schema_steps();

// Applies the steps the file lacks, all in one BEGIN IMMEDIATE transaction: of two processes that
// open a new file at once, one waits and finds nothing left to do. Throws SQLite::Exception, and
// then the file is as it was.
void apply_steps(SQLite::Database& database, std::span<const std::string_view> steps);

}  // namespace kbench
