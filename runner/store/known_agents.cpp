#include "runner/store/known_agents.hpp"

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Statement.h>

#include "runner/store/file/columns.hpp"
#include "runner/store/file/connection.hpp"

namespace kbench {

Result<std::vector<std::string>> known_agents(const std::filesystem::path& file) {
  auto connection = open_connection(file, OpenFor::kReading);
  if (!connection) return connection.error();
  return connection->guarded("listing the agents", [&]() -> Result<std::vector<std::string>> {
    SQLite::Statement rows(
        connection->database,
        "SELECT DISTINCT agent FROM evaluation WHERE agent IS NOT NULL ORDER BY agent");
    std::vector<std::string> agents;
    while (rows.executeStep()) {
      connection->budget->spend(columns::bytes_of_row(rows));
      agents.push_back(rows.getColumn(0).getString());
    }
    return agents;
  });
}

}  // namespace kbench
