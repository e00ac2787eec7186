#include "runner/store/lint_rows.hpp"

#include <string>
#include <utility>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <sqlite3.h>

#include "runner/core/json.hpp"

namespace kbench {
namespace {

std::string findings_text(const std::vector<LintFinding>& findings) {
  auto list = Json::array();
  for (const LintFinding& finding : findings) {
    list.push_back({{"weight", to_string(finding.weight)},
                    {"kind", finding.kind},
                    {"subject", finding.subject},
                    {"message", finding.message}});
  }
  return list.dump(-1, ' ', true, Json::error_handler_t::replace);
}

[[noreturn]] void corrupt(const char* what) { throw SQLite::Exception(what, SQLITE_CORRUPT); }

std::vector<LintFinding> findings_of(const std::string& text) {
  const Json list = Json::parse(text, nullptr, false);
  if (!list.is_array()) corrupt("findings of lint are no list");
  std::vector<LintFinding> findings;
  for (const Json& item : list) {
    const auto field = [&](const char* name) {
      if (!item.is_object() || !item.contains(name) || !item.at(name).is_string())
        corrupt("a finding of lint is incomplete");
      return item.at(name).get<std::string>();
    };
    const auto weight = lint_weight_from_string(field("weight"));
    if (!weight) corrupt("a finding of lint has an unknown weight");
    findings.push_back({*weight, field("kind"), field("subject"), field("message")});
  }
  return findings;
}

}  // namespace

void put_lint(SQLite::Database& database, const LintRecord& record) {
  SQLite::Statement statement(
      database,
      "INSERT OR REPLACE INTO lint (task_hash, size, device, task, state, mutants, rejected, "
      "findings, version, checked_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  statement.bind(1, record.task_hash);
  statement.bind(2, record.size);
  statement.bind(3, record.device);
  statement.bind(4, record.task);
  statement.bind(5, std::string(to_string(record.state)));
  statement.bind(6, record.mutants);
  statement.bind(7, record.rejected);
  statement.bind(8, findings_text(record.findings));
  statement.bind(9, record.version);
  statement.bind(10, record.checked_at);
  statement.exec();
}

std::vector<LintRecord> read_lint(SQLite::Database& database) {
  SQLite::Statement rows(database,
                         "SELECT task_hash, size, device, task, state, mutants, rejected, "
                         "findings, version, checked_at FROM lint ORDER BY task, size, device");
  std::vector<LintRecord> records;
  while (rows.executeStep()) {
    LintRecord record;
    record.task_hash = rows.getColumn(0).getString();
    record.size = rows.getColumn(1).getString();
    record.device = rows.getColumn(2).getString();
    record.task = rows.getColumn(3).getString();
    const auto state = lint_state_from_string(rows.getColumn(4).getString());
    if (!state) corrupt("unknown state of lint");
    record.state = *state;
    record.mutants = rows.getColumn(5).getInt();
    record.rejected = rows.getColumn(6).getInt();
    record.findings = findings_of(rows.getColumn(7).getString());
    record.version = rows.getColumn(8).getString();
    record.checked_at = rows.getColumn(9).getString();
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace kbench
