#include "runner/store/rows/evaluation_rows.hpp"

#include <utility>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include "runner/store/file/columns.hpp"
#include "runner/store/file/passive.hpp"
#include "runner/store/rows/blob_rows.hpp"

namespace kbench {
namespace {

// The children of one evaluation, in one statement prepared once.
template <class Record>
void insert_all(SQLite::Database& database, const std::string& sql, std::int64_t evaluation,
                const std::vector<Record>& records) {
  SQLite::Statement statement(database, sql);
  std::int64_t position = 0;
  for (const Record& record : records) {
    statement.bind(1, evaluation);
    statement.bind(2, position++);
    columns::bind(statement, record, 3);
    statement.exec();
    statement.reset();
  }
}

// A list of samples, each in the table of its side.
void insert_samples(SQLite::Database& database, std::int64_t evaluation,
                    const std::vector<Sample>& samples, std::size_t first_position) {
  SQLite::Statement ours(database, columns::insert_sample());
  SQLite::Statement vendors(database, columns::insert_vendor_sample());
  auto position = static_cast<std::int64_t>(first_position);
  for (const Sample& sample : samples) {
    SQLite::Statement& statement = sample.side == Side::kVendor ? vendors : ours;
    statement.bind(1, evaluation);
    statement.bind(2, position++);
    columns::bind(statement, sample, 3);
    statement.exec();
    statement.reset();
  }
}

// Size of a check, as columns::bytes_of_row counts it. That function would take longer than reading
// the checks: there are many.
std::uint64_t bytes_of(const Check& check) {
  return sizeof check + check.distribution.size() + check.message.size();
}
std::uint64_t bytes_of(const Sample& sample) { return sizeof sample + sample.drop_reason.size(); }
std::uint64_t bytes_of(const Attempt& attempt) {
  return sizeof attempt + attempt.reason.size() + attempt.seed.size() + attempt.message.size();
}
std::uint64_t bytes_of(const Block& block) { return sizeof block; }

// The list that a sample belongs to: with what counts, with the baselines alone, or with what was
// set aside.
std::vector<Sample>& home_of(const Sample& sample, Evaluation& evaluation) {
  const auto attempt = static_cast<std::size_t>(sample.attempt);
  const auto& attempts = evaluation.attempts;
  if (attempt < attempts.size() && !attempts[attempt].counts) return evaluation.set_aside;
  return sample.block == kAlone ? evaluation.alone : evaluation.samples;
}

// The children of one evaluation, by a statement that is used again for the next.
template <class Record>
std::vector<Record> read_all(SQLite::Statement& statement, std::int64_t evaluation,
                             Record (*read)(SQLite::Statement&), WorkBudget& budget) {
  std::vector<Record> records;
  statement.bind(1, evaluation);
  while (statement.executeStep()) {
    records.push_back(read(statement));
    budget.spend(bytes_of(records.back()));
  }
  statement.reset();
  return records;
}

constexpr std::string_view kOfEvaluation = " WHERE evaluation = ? ORDER BY position";

}  // namespace

std::optional<std::int64_t> insert_evaluation(SQLite::Database& database,
                                              const Evaluation& evaluation,
                                              std::span<const Blob> blobs, WorkBudget& budget) {
  SQLite::Statement insert(database, columns::insert_evaluation());
  columns::bind(insert, evaluation);
  if (insert.exec() == 0) return std::nullopt;
  const std::int64_t number = database.getLastInsertRowid();
  insert_all(database, columns::insert_check(), number, evaluation.checks);
  std::size_t position = 0;
  for (const auto* samples : {&evaluation.samples, &evaluation.alone, &evaluation.set_aside}) {
    insert_samples(database, number, *samples, position);
    position += samples->size();
  }
  insert_all(database, columns::insert_attempt(), number, evaluation.attempts);
  insert_all(database, columns::insert_block(), number, evaluation.blocks);
  put_blobs(database, blobs, budget);
  if (!put_tree(database, evaluation)) {
    throw SQLite::Exception(fmt::format("sources of {} are missing", evaluation.task),
                            SQLITE_CONSTRAINT);
  }
  return number;
}

std::vector<Evaluation> read_evaluations(SQLite::Database& database, std::string_view of,
                                         const std::string& value, WorkBudget& budget) {
  SQLite::Statement rows(
      database, fmt::format("{} WHERE {} = ? ORDER BY number", columns::select_evaluation(), of));
  SQLite::Statement checks(database, columns::select_check().append(kOfEvaluation));
  SQLite::Statement samples(database, columns::select_sample().append(kOfEvaluation));
  SQLite::Statement attempts(database, columns::select_attempt().append(kOfEvaluation));
  SQLite::Statement blocks(database, columns::select_block().append(kOfEvaluation));
  rows.bind(1, value);
  TreeReader trees(database, budget);
  std::vector<Evaluation> evaluations;
  while (rows.executeStep()) {
    budget.spend(columns::bytes_of_row(rows));
    Evaluation evaluation = columns::read_evaluation(rows);
    const std::int64_t number = rows.getColumn(columns::evaluation_number_column()).getInt64();
    evaluation.checks = read_all<Check>(checks, number, columns::read_check, budget);
    evaluation.attempts = read_all<Attempt>(attempts, number, columns::read_attempt, budget);
    evaluation.blocks = read_all<Block>(blocks, number, columns::read_block, budget);
    evaluation.sources = trees.read(evaluation.tree_hash);
    for (Sample& sample : read_all<Sample>(samples, number, columns::read_sample, budget))
      home_of(sample, evaluation).push_back(std::move(sample));
    evaluations.push_back(std::move(evaluation));
  }
  return evaluations;
}

}  // namespace kbench
