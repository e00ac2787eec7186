#include "runner/store/rows/lint_rows.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include "runner/core/defence.hpp"
#include "runner/core/hmac.hpp"
#include "runner/core/json.hpp"
#include "runner/store/file/columns.hpp"
#include "runner/store/file/passive.hpp"

namespace kbench {
namespace {

// Sealed columns, in this order; the key's name and the seal stand behind them.
constexpr const char* kColumns =
    "task_hash, size, device, task, state, mutants, rejected, findings, version, checked_at";
constexpr int kSealed = 10;

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

// The record's name as far as it can be told: "level1/019_relu (small, cpu)".
std::string name_of(SQLite::Statement& rows) {
  const auto text = [&](int column) { return rows.getColumn(column).getString(); };
  return fmt::format("{} ({}, {})", text(3), text(1), text(2));
}

std::string seal_of_lint(const ChainKey& key, SQLite::Statement& rows) {
  // The sealed text, as in chain.cpp: a purpose, and parts of known length.
  std::string text = "kbench lint\n";
  for (int column = 0; column < kSealed; ++column) {
    const std::string value = rows.getColumn(column).getString();
    text += fmt::format("{}:{}\n", value.size(), value);
  }
  return hmac_sha256(key.secret, text);
}

// Sets `unvouched`.
void check_seal(const std::optional<ChainKey>& key, SQLite::Statement& rows, LintRecord& record) {
  if (!key || !stands(Defence::kChainedRows)) return;
  record.unvouched = text_of(rows, kSealed) != key->name;
  if (!record.unvouched && text_of(rows, kSealed + 1) != seal_of_lint(*key, rows))
    corrupt("it was changed after it was stored");
}

// Seals the record as it lies in the table, which may keep a value in another form than it was
// given.
void write_seal(const ChainAccess& access, const LintRecord& record) {
  const std::string which = " WHERE task_hash = ? AND size = ? AND device = ?";
  SQLite::Statement row(access.database, fmt::format("SELECT {} FROM lint{}", kColumns, which));
  SQLite::Statement update(access.database,
                           "UPDATE lint SET chain_key = ?4, chain_seal = ?5 WHERE task_hash = ?1 "
                           "AND size = ?2 AND device = ?3");
  for (SQLite::Statement* statement : {&row, &update}) {
    statement->bind(1, record.task_hash);
    statement->bind(2, record.size);
    statement->bind(3, record.device);
  }
  if (!row.executeStep()) return;
  update.bind(4, access.key->name);
  update.bind(5, seal_of_lint(*access.key, row));
  row.reset();
  update.exec();
}

}  // namespace

void put_lint(const ChainAccess& access, const LintRecord& record) {
  SQLite::Statement statement(
      access.database, fmt::format("INSERT OR REPLACE INTO lint ({}) VALUES (?, ?, ?, ?, ?, ?, ?, "
                                   "?, ?, ?)",
                                   kColumns));
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
  if (access.key) write_seal(access, record);
}

LintRows read_lint(const ChainAccess& access) {
  SQLite::Statement rows(
      access.database,
      fmt::format("SELECT {}, chain_key, chain_seal FROM lint ORDER BY task, size, device",
                  kColumns));
  LintRows read;
  while (rows.executeStep()) {
    access.budget.spend(columns::bytes_of_row(rows));
    try {
      LintRecord record = record_of(rows);
      check_seal(access.key, rows, record);
      read.records.push_back(std::move(record));
    } catch (const Malformed& malformed) {
      read.malformed.push_back(
          fmt::format("the row of lint for {}: {}", name_of(rows), malformed.what()));
    }
  }
  return read;
}

}  // namespace kbench
