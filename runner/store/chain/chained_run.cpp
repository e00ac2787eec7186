#include "runner/store/chain/chained_run.hpp"

#include <utility>
#include <vector>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include "runner/core/defence.hpp"
#include "runner/store/file/columns.hpp"

namespace kbench {
namespace {

using Chain = ChainFinding::State;

// The stored part of a run's chain.
struct Stored {
  Run run;
  std::string key;  // name of the key; empty: unchained
  std::string seal;
  std::int64_t rows = 0;
};

Stored read_stored(const ChainAccess& access, const std::string& run_id) {
  Stored stored;
  SQLite::Statement run(access.database, columns::select_run() + " WHERE id = ?");
  run.bind(1, run_id);
  if (run.executeStep()) stored.run = columns::read_run(run);
  SQLite::Statement chain(access.database,
                          "SELECT chain_key, chain_seal, chain_rows FROM run WHERE id = ?");
  chain.bind(1, run_id);
  if (chain.executeStep()) {
    stored.key = chain.getColumn(0).getString();
    stored.seal = chain.getColumn(1).getString();
    stored.rows = chain.getColumn(2).getInt64();
  }
  return stored;
}

std::vector<std::string> read_links(const ChainAccess& access, const std::string& run_id) {
  SQLite::Statement rows(access.database,
                         "SELECT chain FROM evaluation WHERE run_id = ? ORDER BY number");
  rows.bind(1, run_id);
  std::vector<std::string> links;
  while (rows.executeStep()) {
    access.budget.spend(columns::bytes_of_row(rows));
    links.push_back(rows.getColumn(0).getString());
  }
  return links;
}

std::string last_link(const ChainAccess& access, const std::string& run_id) {
  SQLite::Statement row(
      access.database,
      "SELECT chain FROM evaluation WHERE run_id = ? ORDER BY number DESC LIMIT 1");
  row.bind(1, run_id);
  return row.executeStep() ? row.getColumn(0).getString() : first_link(*access.key, run_id);
}

void write_seal(const ChainAccess& access, const Run& run, std::int64_t rows,
                const std::string& link) {
  SQLite::Statement statement(
      access.database, "UPDATE run SET chain_key = ?, chain_seal = ?, chain_rows = ? WHERE id = ?");
  statement.bind(1, access.key->name);
  statement.bind(2, seal_of(*access.key, run, rows, link));
  statement.bind(3, rows);
  statement.bind(4, run.id);
  statement.exec();
}

bool key_is_here(const ChainAccess& access, const Stored& stored) {
  return access.key && access.key->name == stored.key;
}

// The finding as far as it can be made without looking at a row; kHolds where the rows decide.
ChainFinding without_rows(const ChainAccess& access, const Stored& stored) {
  if (stored.key.empty())
    return {Chain::kUnchained,
            "its rows are not chained: nobody can tell whether they were changed"};
  if (!key_is_here(access, stored))
    return {Chain::kUnchecked,
            "its rows cannot be checked here: they were signed with a key of another machine"};
  if (!stands(Defence::kChainedRows)) return {Chain::kHolds, "not checked"};
  return {Chain::kHolds, "its rows are as they were stored"};
}

ChainFinding changed(std::string message) { return {Chain::kChanged, std::move(message)}; }

std::string words(std::size_t position, const Evaluation& evaluation) {
  return fmt::format("row {} ({}{}{})", position + 1, evaluation.task,
                     evaluation.submission ? " of " : "",
                     evaluation.submission ? evaluation.submission->agent : "");
}

ChainFinding compare(const ChainAccess& access, const Stored& stored,
                     const std::vector<std::string>& links,
                     std::span<const Evaluation> evaluations) {
  std::string link = first_link(*access.key, stored.run.id);
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    link = next_link(*access.key, link, evaluations[i]);
    if (i < links.size() && links[i] == link) continue;
    return changed(
        fmt::format("{} is not what was stored there: it was changed, moved or added, or "
                    "the one before it was removed",
                    words(i, evaluations[i])));
  }
  const auto rows = static_cast<std::int64_t>(evaluations.size());
  if (rows < stored.rows)
    return changed(fmt::format("{} rows were stored, row {} and what followed it are gone",
                               stored.rows, rows + 1));
  if (stored.seal != seal_of(*access.key, stored.run, rows, link))
    return changed(
        "its rows follow each other, but the run's own columns (options, environment, "
        "begin, end, number of rows) are not what was stored");
  return {Chain::kHolds, "its rows are as they were stored"};
}

}  // namespace

void begin_chain(const ChainAccess& access, const Run& run) {
  if (access.key) write_seal(access, run, 0, first_link(*access.key, run.id));
}

Status may_extend(const ChainAccess& access, const std::string& run_id) {
  const Stored stored = read_stored(access, run_id);
  if (stored.key.empty() || !stands(Defence::kChainedRows)) return Done{};
  if (!key_is_here(access, stored)) {
    return Error{ErrorCode::kUsage,
                 fmt::format("run {} is chained with a key that is not here", short_id(run_id)),
                 "Continue it on the machine, and as the user, that began it; or start a new run."};
  }
  const std::string link = last_link(access, run_id);
  if (stored.seal == seal_of(*access.key, stored.run, stored.rows, link)) return Done{};
  return Error{
      ErrorCode::kUsage,
      fmt::format("run {} was changed after it was stored: its last row or its own columns",
                  short_id(run_id)),
      "Nothing was added to it. Start a new run."};
}

void extend_chain(const ChainAccess& access, const std::string& run_id,
                  const Evaluation* evaluation, std::int64_t number) {
  const Stored stored = read_stored(access, run_id);
  if (stored.key.empty() || !key_is_here(access, stored)) return;
  if (evaluation == nullptr)
    return write_seal(access, stored.run, stored.rows, last_link(access, run_id));
  SQLite::Statement before(access.database,
                           "SELECT chain FROM evaluation WHERE run_id = ? AND number < ? "
                           "ORDER BY number DESC LIMIT 1");
  before.bind(1, run_id);
  before.bind(2, number);
  const std::string link_before =
      before.executeStep() ? before.getColumn(0).getString() : first_link(*access.key, run_id);
  const std::string link = next_link(*access.key, link_before, *evaluation);
  SQLite::Statement statement(access.database, "UPDATE evaluation SET chain = ? WHERE number = ?");
  statement.bind(1, link);
  statement.bind(2, number);
  statement.exec();
  write_seal(access, stored.run, stored.rows + 1, link);
}

ChainFinding check_chain(const ChainAccess& access, const std::string& run_id,
                         std::span<const Evaluation> evaluations) {
  const Stored stored = read_stored(access, run_id);
  ChainFinding finding = without_rows(access, stored);
  if (finding.state != Chain::kHolds || !stands(Defence::kChainedRows)) return finding;
  return compare(access, stored, read_links(access, run_id), evaluations);
}

std::map<std::string, ChainFinding> check_links(const ChainAccess& access,
                                                std::span<const Evaluation> evaluations,
                                                std::span<const std::int64_t> numbers) {
  SQLite::Statement own(access.database, "SELECT chain FROM evaluation WHERE number = ?");
  SQLite::Statement before(access.database,
                           "SELECT chain FROM evaluation WHERE number = (SELECT max(number) FROM "
                           "evaluation WHERE run_id = ?1 AND number < ?2)");
  std::map<std::string, ChainFinding> findings;
  for (std::size_t i = 0; i < evaluations.size(); ++i) {
    const Evaluation& evaluation = evaluations[i];
    const auto [at, is_new] = findings.try_emplace(evaluation.run_id);
    if (is_new) at->second = without_rows(access, read_stored(access, evaluation.run_id));
    if (at->second.state != Chain::kHolds || !stands(Defence::kChainedRows)) continue;
    before.bind(1, evaluation.run_id);
    before.bind(2, numbers[i]);
    own.bind(1, numbers[i]);
    const std::string link_before = before.executeStep()
                                        ? before.getColumn(0).getString()
                                        : first_link(*access.key, evaluation.run_id);
    const std::string link = own.executeStep() ? own.getColumn(0).getString() : "";
    if (link != next_link(*access.key, link_before, evaluation))
      at->second = changed(fmt::format(
          "{}{}{} is not what was stored there, or does not follow what was stored before it",
          evaluation.task, evaluation.submission ? " of " : "",
          evaluation.submission ? evaluation.submission->agent : ""));
    before.reset();
    own.reset();
  }
  return findings;
}

}  // namespace kbench
