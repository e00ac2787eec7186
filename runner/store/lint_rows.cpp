#include "runner/store/lint_rows.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <sqlite3.h>

#include "runner/core/json.hpp"
#include "runner/store/columns.hpp"
#include "runner/store/passive.hpp"

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

std::string text_of(SQLite::Statement& rows, int column) {
  const SQLite::Column value = rows.getColumn(column);
  if (!value.isText()) corrupt("a row of lint holds something that is no text");
  return value.getString();
}

int count_of(SQLite::Statement& rows, int column) {
  const SQLite::Column value = rows.getColumn(column);
  const std::int64_t count = value.getInt64();
  if (!value.isInteger() || count < 0 || count > std::numeric_limits<int>::max())
    corrupt("a row of lint holds something that is no count");
  return static_cast<int>(count);
}

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

std::vector<LintRecord> read_lint(SQLite::Database& database, WorkBudget& budget) {
  SQLite::Statement rows(database,
                         "SELECT task_hash, size, device, task, state, mutants, rejected, "
                         "findings, version, checked_at FROM lint ORDER BY task, size, device");
  std::vector<LintRecord> records;
  while (rows.executeStep()) {
    budget.spend(columns::bytes_of_row(rows));
    LintRecord record;
    record.task_hash = text_of(rows, 0);
    record.size = text_of(rows, 1);
    record.device = text_of(rows, 2);
    record.task = text_of(rows, 3);
    const auto state = lint_state_from_string(text_of(rows, 4));
    if (!state) corrupt("unknown state of lint");
    record.state = *state;
    record.mutants = count_of(rows, 5);
    record.rejected = count_of(rows, 6);
    record.findings = findings_of(text_of(rows, 7));
    record.version = text_of(rows, 8);
    record.checked_at = text_of(rows, 9);
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace kbench
