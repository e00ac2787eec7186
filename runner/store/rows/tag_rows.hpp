// The tag table: at most one run for each name. Inside runner/store only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runner/store/rows/tag.hpp"

namespace SQLite {
class Database;
}

namespace kbench {

class WorkBudget;

// All throw SQLite::Exception; read_tags with SQLITE_CORRUPT where a value cannot be one of ours.
// False where the name belongs to another run already, and then nothing was changed.
[[nodiscard]] bool put_tag(SQLite::Database& database, const Tag& tag);
// A tag whose name differs by capital letters only.
[[nodiscard]] std::optional<std::string> tag_like(SQLite::Database& database,
                                                  const std::string& name);
// Removes a tag; false where there is none of that name.
[[nodiscard]] bool remove_tag(SQLite::Database& database, const std::string& name);
// Tags by name, without those whose name is none of ours.
[[nodiscard]] std::vector<Tag> read_tags(SQLite::Database& database, WorkBudget& budget);
// Faults of the other tags' names, a sentence each; the names are foreign text.
[[nodiscard]] std::vector<std::string> wrong_tags(SQLite::Database& database, WorkBudget& budget);

}  // namespace kbench
