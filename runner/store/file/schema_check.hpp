// Whether the schema of a file is the one that our steps make, word by word. A trigger, a view, a
// column that is computed, an index over an expression: each is a program that would run while we
// read or write. Checked before anything of the file is read, and once more after it was brought up
// to date.
#pragma once

#include <cstddef>
#include <filesystem>

#include "runner/core/result.hpp"

namespace SQLite {
class Database;
}

namespace kbench {

// The file must hold exactly the schema that the first `steps` steps make. The error (kBadInput)
// names the object that differs. Throws SQLite::Exception.
[[nodiscard]] Status check_schema(SQLite::Database& database, const std::filesystem::path& file,
                                  std::size_t steps);

}  // namespace kbench
