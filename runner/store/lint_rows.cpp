#include "runner/store/lint_rows.hpp"

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

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

// A value of a row that cannot be one of ours; what SQLite itself throws is about the whole file.
class Malformed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

[[noreturn]] void corrupt(const char* what) { throw Malformed(what); }

std::string text_of(SQLite::Statement& rows, int column) {
  const SQLite::Column value = rows.getColumn(column);
  if (!value.isText()) corrupt("it holds something that is no text");
  return value.getString();
}

int count_of(SQLite::Statement& rows, int column) {
  const SQLite::Column value = rows.getColumn(column);
  const std::int64_t count = value.getInt64();
  if (!value.isInteger() || count < 0 || count > std::numeric_limits<int>::max())
    corrupt("it holds something that is no count");
  return static_cast<int>(count);
}

std::vector<LintFinding> findings_of(const std::string& text) {
  const Json list = Json::parse(text, nullptr, false);
  if (!list.is_array()) corrupt("its findings are no list");
  std::vector<LintFinding> findings;
  for (const Json& item : list) {
    const auto field = [&](const char* name) {
      if (!item.is_object() || !item.contains(name) || !item.at(name).is_string())
        corrupt("a finding is incomplete");
      return item.at(name).get<std::string>();
    };
    const auto weight = lint_weight_from_string(field("weight"));
    if (!weight) corrupt("a finding has an unknown weight");
    findings.push_back({*weight, field("kind"), field("subject"), field("message")});
  }
  return findings;
}

LintRecord record_of(SQLite::Statement& rows) {
  LintRecord record;
  record.task_hash = text_of(rows, 0);
  record.size = text_of(rows, 1);
  record.device = text_of(rows, 2);
  record.task = text_of(rows, 3);
  const auto state = lint_state_from_string(text_of(rows, 4));
  if (!state) corrupt("its state is unknown");
  record.state = *state;
  record.mutants = count_of(rows, 5);
  record.rejected = count_of(rows, 6);
  record.findings = findings_of(text_of(rows, 7));
  record.version = text_of(rows, 8);
  record.checked_at = text_of(rows, 9);
  return record;
}

// As far as it can be told: "level1/019_relu (small, cpu)".
std::string name_of(SQLite::Statement& rows) {
  const auto text = [&](int column) { return rows.getColumn(column).getString(); };
  return fmt::format("{} ({}, {})", text(3), text(1), text(2));
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

LintRows read_lint(SQLite::Database& database, WorkBudget& budget) {
  SQLite::Statement rows(database,
                         "SELECT task_hash, size, device, task, state, mutants, rejected, "
                         "findings, version, checked_at FROM lint ORDER BY task, size, device");
  LintRows read;
  while (rows.executeStep()) {
    budget.spend(columns::bytes_of_row(rows));
    try {
      read.records.push_back(record_of(rows));
    } catch (const Malformed& malformed) {
      read.malformed.push_back(
          fmt::format("the row of lint for {}: {}", name_of(rows), malformed.what()));
    }
  }
  return read;
}

}  // namespace kbench
