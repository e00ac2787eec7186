#include "runner/store/care/database_check.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include "runner/core/bounded_json.hpp"
#include "runner/store/chain/chained_run.hpp"
#include "runner/store/file/columns.hpp"
#include "runner/store/file/connection.hpp"
#include "runner/store/file/database_path.hpp"
#include "runner/store/file/migrations.hpp"
#include "runner/store/rows/blob_rows.hpp"
#include "runner/store/rows/episode_rows.hpp"
#include "runner/store/rows/evaluation_rows.hpp"
#include "runner/store/rows/lint_rows.hpp"
#include "runner/store/rows/profile_rows.hpp"
#include "runner/store/rows/run_rows.hpp"
#include "runner/store/rows/tag_rows.hpp"
#include "runner/store/rows/trajectory_rows.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMostSentences = 20;  // sentences of one kind
constexpr std::size_t kLongestSentence = 300;

// Adds SQLite's own findings about pages, indexes and constraints.
void check_pages(Connection& connection, bool quick, std::vector<std::string>& wrong) {
  SQLite::Statement rows(
      connection.database,
      fmt::format("PRAGMA {}({})", quick ? "quick_check" : "integrity_check", kMostSentences));
  while (rows.executeStep()) {
    const std::string sentence = rows.getColumn(0).getString();
    if (sentence != "ok") wrong.push_back(sentence.substr(0, kLongestSentence));
  }
}

void check_references(Connection& connection, std::vector<std::string>& wrong) {
  SQLite::Statement rows(connection.database,
                         "SELECT \"table\", parent, count(*) FROM pragma_foreign_key_check "
                         "GROUP BY 1, 2");
  while (rows.executeStep())
    wrong.push_back(fmt::format("{} rows of \"{}\" belong to no row of \"{}\"",
                                rows.getColumn(2).getInt64(), rows.getColumn(0).getString(),
                                rows.getColumn(1).getString()));
}

// Runs `check`, which appends to `wrong`; that it fails is wrong, too.
template <class Check>
void append(Connection& connection, std::vector<std::string>& wrong, Check&& check) {
  const Status done = connection.guarded("checking it", [&]() -> Status {
    check();
    return Done{};
  });
  if (!done) wrong.push_back(done.error().message);
}

std::vector<std::string> attempts_that_are_not(const Evaluation& evaluation) {
  std::vector<std::string> wrong;
  const auto attempts = static_cast<int>(std::max<std::size_t>(evaluation.attempts.size(), 1));
  const auto beyond = [&](const auto& record) { return record.attempt >= attempts; };
  for (const auto* samples : {&evaluation.samples, &evaluation.alone, &evaluation.set_aside})
    if (std::any_of(samples->begin(), samples->end(), beyond))
      wrong.push_back(fmt::format("{}: a sample of an attempt that is not there", evaluation.task));
  if (std::any_of(evaluation.blocks.begin(), evaluation.blocks.end(), beyond))
    wrong.push_back(fmt::format("{}: a block of an attempt that is not there", evaluation.task));
  return wrong;
}

void keep_most(std::vector<std::string>& sentences) {
  if (sentences.size() <= kMostSentences) return;
  const std::size_t more = sentences.size() - kMostSentences;
  sentences.resize(kMostSentences);
  sentences.push_back(fmt::format("and {} more", more));
}

void add_most(std::vector<std::string> sentences, std::vector<std::string>& wrong) {
  keep_most(sentences);
  std::move(sentences.begin(), sentences.end(), std::back_inserter(wrong));
}

// Each blob is read: SQLite does not know what it should hold.
DamagedBlobs check_blobs(Connection& connection, std::vector<std::string>& wrong) {
  DamagedBlobs damaged;
  append(connection, wrong,
         [&] { damaged = find_damaged_blobs(connection.database, *connection.budget); });
  std::vector<std::string> sentences;
  for (const auto& [hash, why] : damaged) sentences.push_back(why);
  add_most(std::move(sentences), wrong);
  return damaged;
}

void check_tags(Connection& connection, std::vector<std::string>& wrong) {
  append(connection, wrong,
         [&] { add_most(wrong_tags(connection.database, *connection.budget), wrong); });
}

CheckedRun check_run(Connection& connection, const std::optional<ChainKey>& key,
                     const DamagedBlobs& damaged, Run run) {
  CheckedRun checked;
  append(connection, checked.wrong, [&] {
    const SQLite::Transaction snapshot(connection.database, SQLite::TransactionBehavior::DEFERRED);
    const auto evaluations =
        read_evaluations(connection.database, "run_id", run.id, *connection.budget);
    checked.rows = static_cast<int>(evaluations.size());
    checked.chain =
        check_chain({connection.database, key, *connection.budget}, run.id, evaluations);
    checked.wrong = missing_children(connection.database, run.id);
    for (const Evaluation& evaluation : evaluations)
      for (std::string& sentence : attempts_that_are_not(evaluation))
        checked.wrong.push_back(std::move(sentence));
    for (std::string& sentence : damaged_sources(evaluations, damaged))
      checked.wrong.push_back(std::move(sentence));
  });
  append(connection, checked.wrong, [&] {
    const SQLite::Transaction snapshot(connection.database, SQLite::TransactionBehavior::DEFERRED);
    const auto episodes = read_episodes(connection.database, "run_id", run.id, *connection.budget);
    checked.episodes = static_cast<int>(episodes.size());
    for (std::string& sentence : damaged_texts(episodes, damaged))
      checked.wrong.push_back(std::move(sentence));
  });
  append(connection, checked.wrong, [&] {
    const SQLite::Transaction snapshot(connection.database, SQLite::TransactionBehavior::DEFERRED);
    const auto held = read_trajectories(connection.database, run.id, *connection.budget);
    checked.states = static_cast<int>(held.states.size());
    for (std::string& sentence : damaged_texts(held, damaged))
      checked.wrong.push_back(std::move(sentence));
  });
  if (checked.chain.state == ChainFinding::State::kChanged)
    checked.wrong.push_back(checked.chain.message);
  append(connection, checked.wrong, [&] {
    const std::string night = read_night(connection.database, run.id, *connection.budget);
    const auto list = parse_bounded_json(night.empty() ? "[]" : night);
    if (!list || !list->is_array()) checked.wrong.push_back("a night's findings are malformed");
  });
  keep_most(checked.wrong);
  checked.run = std::move(run);
  return checked;
}

std::vector<Run> runs_of(Connection& connection, std::vector<std::string>& wrong) {
  std::vector<Run> runs;
  append(connection, wrong, [&] {
    SQLite::Statement rows(connection.database,
                           columns::select_run() + " ORDER BY started_at DESC, number DESC");
    while (rows.executeStep()) {
      connection.budget->spend(columns::bytes_of_row(rows));
      runs.push_back(columns::read_run(rows));
    }
  });
  return runs;
}

void check_runs(const std::filesystem::path& file, const CheckRequest& request,
                const DamagedBlobs& damaged, DatabaseCheck& check) {
  Result<Connection> connection = open_connection(file, OpenFor::kReading);
  if (!connection) {
    check.wrong.push_back(connection.error().message);
    return;
  }
  check_tags(*connection, check.wrong);
  append(*connection, check.wrong,
         [&] { add_most(unheld_rows(connection->database), check.wrong); });
  append(*connection, check.wrong, [&] {
    const LintRows lint = read_lint({connection->database, request.key, *connection->budget});
    check.lint = lint.records.size();
    for (const LintRecord& record : lint.records) check.unvouched_lint += record.unvouched ? 1 : 0;
    check.wrong.insert(check.wrong.end(), lint.malformed.begin(), lint.malformed.end());
  });
  append(*connection, check.wrong, [&] {
    ProfileRows rows = read_profiles(connection->database, {}, *connection->budget);
    check.profiles = rows.profiles.size();
    add_most(std::move(rows.malformed), check.wrong);
  });
  std::vector<Run> runs = runs_of(*connection, check.wrong);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (request.progress) request.progress(i, runs.size());
    check.runs.push_back(check_run(*connection, request.key, damaged, std::move(runs[i])));
  }
}

}  // namespace

bool DatabaseCheck::sound() const {
  return wrong.empty() && std::all_of(runs.begin(), runs.end(),
                                      [](const CheckedRun& run) { return run.wrong.empty(); });
}

Result<DatabaseCheck> check_database(const std::filesystem::path& file,
                                     const CheckRequest& request) {
  DatabaseCheck check;
  check.newest_schema = schema_steps().size();
  check.bytes = database_bytes(file);
  Result<Connection> connection = open_connection(file, OpenFor::kInspecting);
  if (!connection && connection.error().code != ErrorCode::kBadInput) return connection.error();
  if (const Status whole = check_file_end(file); !whole)
    check.wrong.push_back(whole.error().message);
  if (!connection) {
    check.wrong.push_back(connection.error().message);
    return check;
  }
  append(*connection, check.wrong, [&] { check.schema = schema_version(connection->database); });
  append(*connection, check.wrong, [&] { check_pages(*connection, request.quick, check.wrong); });
  append(*connection, check.wrong, [&] { check_references(*connection, check.wrong); });
  const DamagedBlobs damaged = check_blobs(*connection, check.wrong);
  if (request.runs) check_runs(file, request, damaged, check);
  return check;
}

}  // namespace kbench
