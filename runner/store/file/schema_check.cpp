#include "runner/store/file/schema_check.hpp"

#include <map>
#include <string>
#include <utility>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include "runner/core/defence.hpp"
#include "runner/store/file/migrations.hpp"

namespace kbench {
namespace {

constexpr std::size_t kLongestName = 80;

using ObjectName = std::pair<std::string, std::string>;  // type and name
// The table that it belongs to and its SQL, which is empty for an index that SQLite made itself.
using Schema = std::map<ObjectName, std::pair<std::string, std::string>>;

Schema read_schema(SQLite::Database& database) {
  SQLite::Statement rows(database, "SELECT type, name, tbl_name, sql FROM sqlite_schema");
  Schema schema;
  while (rows.executeStep()) {
    schema[{rows.getColumn(0).getString(), rows.getColumn(1).getString()}] = {
        rows.getColumn(2).getString(), rows.getColumn(3).getString()};
  }
  return schema;
}

Schema expected_schema(std::size_t steps) {
  SQLite::Database memory(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  if (steps > 0) apply_steps(memory, schema_steps().first(steps));
  return read_schema(memory);
}

std::string words(const ObjectName& object) {
  return fmt::format("{} \"{}\"", object.first.substr(0, kLongestName),
                     object.second.substr(0, kLongestName));
}

Error refused(const std::filesystem::path& file, const std::string& what) {
  return {
      ErrorCode::kBadInput, fmt::format("{}: {}", file.string(), what),
      "Nothing in it was believed or changed. Ask for the file as kbench wrote it; if you added "
      "this yourself, remove it with the program that you added it with."};
}

}  // namespace

Status check_schema(SQLite::Database& database, const std::filesystem::path& file,
                    std::size_t steps) {
  if (!stands(Defence::kPassiveDatabase)) return Done{};
  const Schema expected = expected_schema(steps);
  const Schema actual = read_schema(database);
  for (const auto& [object, made_of] : actual) {
    const auto ours = expected.find(object);
    if (ours == expected.end())
      return refused(file, fmt::format("it holds the {}, which kbench never made", words(object)));
    if (ours->second != made_of)
      return refused(file, fmt::format("its {} is not as kbench makes it", words(object)));
  }
  for (const auto& [object, made_of] : expected)
    if (!actual.contains(object)) return refused(file, "it lacks the " + words(object));
  // Two objects on one page would be two names for the same rows.
  if (database
          .execAndGet(
              "SELECT count(*) - count(DISTINCT rootpage) FROM sqlite_schema WHERE rootpage > 0")
          .getInt() != 0)
    return refused(file, "two of its tables share their pages");
  return Done{};
}

}  // namespace kbench
