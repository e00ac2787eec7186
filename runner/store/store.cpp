#include "runner/store/store.hpp"

#include <cstdint>
#include <string_view>
#include <utility>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include "runner/core/statistics.hpp"
#include "runner/store/chain/chain_key.hpp"
#include "runner/store/chain/chained_run.hpp"
#include "runner/store/file/columns.hpp"
#include "runner/store/file/connection.hpp"
#include "runner/store/rows/blob_rows.hpp"
#include "runner/store/rows/episode_rows.hpp"
#include "runner/store/rows/evaluation_rows.hpp"
#include "runner/store/rows/lint_rows.hpp"
#include "runner/store/rows/run_rows.hpp"
#include "runner/store/rows/study_rows.hpp"
#include "runner/store/rows/tag_rows.hpp"
#include "runner/store/rows/trajectory_rows.hpp"

namespace kbench {

struct Store::Impl : Connection {
  Mode mode;
  std::optional<ChainKey> key = std::nullopt;

  Impl(Connection connection, Mode how) : Connection(std::move(connection)), mode(how) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // Takes what was written out of the side file into the one that people copy. SQLite does so by
  // itself only where nobody else has the file open. What a reader holds up stays where it is, and
  // is as safe there.
  ~Impl() {
    if (mode == Mode::kReadOnly) return;
    constexpr int kPatienceMs = 500;
    try {
      budget->renew(database_bytes(file));
      database.setBusyTimeout(kPatienceMs);
      database.execAndGet("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch (const SQLite::Exception&) {  // a full disk: nothing is lost by leaving it
    }
  }

  // One transaction that stores these blobs and does `work`.
  template <class Work>
  Status write(std::string_view doing, std::span<const Blob> blobs, Work&& work) {
    return guarded(doing, GoesOn::kByResume, [&]() -> Status {
      SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
      put_blobs(database, blobs, *budget);
      if (Status done = work(); !done) return done;
      transaction.commit();
      return Done{};
    });
  }

  ChainAccess chain() { return {database, key, *budget}; }

  // Each value of a column (a constant of ours) of the rows, once and in order.
  Result<std::vector<std::string>> values_of(std::string_view of) {
    SQLite::Statement rows(
        database,
        fmt::format("SELECT DISTINCT {0} FROM evaluation WHERE {0} IS NOT NULL ORDER BY {0}", of));
    std::vector<std::string> values;
    while (rows.executeStep()) {
      budget->spend(columns::bytes_of_row(rows));
      values.push_back(rows.getColumn(0).getString());
    }
    return values;
  }

  // Rows of all runs whose column `of` (a constant of ours) is `value`.
  Result<StoredTask> rows_of_all_runs(std::string_view of, const std::string& value) {
    const SQLite::Transaction snapshot(database, SQLite::TransactionBehavior::DEFERRED);
    StoredTask stored;
    stored.evaluations = read_evaluations(database, of, value, *budget);
    SQLite::Statement rows(
        database, fmt::format("SELECT number FROM evaluation WHERE {} = ? ORDER BY number", of));
    rows.bind(1, value);
    std::vector<std::int64_t> numbers;
    while (rows.executeStep()) numbers.push_back(rows.getColumn(0).getInt64());
    stored.chains = check_links(chain(), stored.evaluations, numbers);
    return stored;
  }
};

namespace {

std::vector<Run> read_runs(SQLite::Statement& statement, WorkBudget& budget) {
  std::vector<Run> runs;
  while (statement.executeStep()) {
    budget.spend(columns::bytes_of_row(statement));
    runs.push_back(columns::read_run(statement));
  }
  return runs;
}

// The number of an episode that may be added to.
Result<std::int64_t> find_open_episode(SQLite::Database& database, const std::string& id,
                                       const std::filesystem::path& file) {
  SQLite::Statement row(database, "SELECT number, finished_at FROM episode WHERE id = ?");
  row.bind(1, id);
  if (!row.executeStep()) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("{}: no episode {}", file.string(), id.substr(0, 80)),
                 "`kbench episodes list` shows them."};
  }
  if (!row.getColumn(1).getString().empty()) {
    return Error{ErrorCode::kUsage, fmt::format("episode {} has ended already", id),
                 "Nothing was added to it."};
  }
  return row.getColumn(0).getInt64();
}

}  // namespace

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

void Store::use(ChainKey key) { impl_->key = std::move(key); }

Result<Store> Store::open(const std::filesystem::path& file, Mode mode) {
  Result<Connection> connection =
      open_connection(file, mode == Mode::kReadOnly ? OpenFor::kReading : OpenFor::kWriting);
  if (!connection) return connection.error();
  return Store(std::make_unique<Impl>(std::move(*connection), mode));
}

Status Store::begin_run(const Run& run) {
  return impl_->guarded("beginning a run", [&]() -> Status {
    SQLite::Transaction transaction(impl_->database, SQLite::TransactionBehavior::IMMEDIATE);
    SQLite::Statement statement(impl_->database,
                                columns::insert_run() + " ON CONFLICT (id) DO NOTHING");
    columns::bind(statement, run);
    if (statement.exec() == 0) {
      return Error{ErrorCode::kUsage, fmt::format("run {} exists already", run.id),
                   "Continue it with --resume."};
    }
    begin_chain(impl_->chain(), run);
    transaction.commit();
    return Done{};
  });
}

Status Store::settle() {
  return impl_->guarded("settling it", [&]() -> Status {
    if (impl_->database.execAndGet("PRAGMA wal_checkpoint(TRUNCATE)").getInt() == 0) return Done{};
    return Error{ErrorCode::kInfrastructure,
                 fmt::format("{}: another program reads it, so what was written cannot be put into "
                             "the file",
                             impl_->file.string()),
                 "End that program, and try again."};
  });
}

Status Store::finish_run(const std::string& run_id, const std::string& finished_at) {
  return impl_->guarded("finishing a run", GoesOn::kByResume, [&]() -> Status {
    SQLite::Transaction transaction(impl_->database, SQLite::TransactionBehavior::IMMEDIATE);
    if (Status may = may_extend(impl_->chain(), run_id); !may) return may;
    SQLite::Statement statement(impl_->database, "UPDATE run SET finished_at = ? WHERE id = ?");
    statement.bind(1, finished_at);
    statement.bind(2, run_id);
    if (statement.exec() == 0) {
      return Error{ErrorCode::kNotFound, fmt::format("{}: no run {}", impl_->file.string(), run_id),
                   "`kbench runs` lists the runs that are there."};
    }
    extend_chain(impl_->chain(), run_id, nullptr, 0);
    transaction.commit();
    return Done{};
  });
}

Status Store::put_night(const std::string& run_id, const std::string& findings) {
  return impl_->guarded("storing a night's findings", [&]() -> Status {
    if (kbench::put_night(impl_->database, run_id, findings)) return Done{};
    return Error{ErrorCode::kNotFound, fmt::format("{}: no run {}", impl_->file.string(), run_id),
                 "`kbench runs` lists the runs that are there."};
  });
}

Result<std::string> Store::night(const std::string& run_id) const {
  return impl_->guarded("reading a night's findings", [&]() -> Result<std::string> {
    return read_night(impl_->database, run_id, *impl_->budget);
  });
}

Status Store::add(const Evaluation& evaluation, std::span<const Blob> blobs) {
  return impl_->guarded("adding an evaluation", GoesOn::kByResume, [&]() -> Status {
    SQLite::Database& database = impl_->database;
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    SQLite::Statement known(database, "SELECT 1 FROM run WHERE id = ?");
    known.bind(1, evaluation.run_id);
    if (!known.executeStep()) {
      return Error{ErrorCode::kNotFound,
                   fmt::format("{}: no run {}, so {} cannot be added to it", impl_->file.string(),
                               evaluation.run_id, evaluation.task),
                   "This is a fault of kbench: a run is begun before anything is added to it."};
    }
    if (Status may = may_extend(impl_->chain(), evaluation.run_id); !may) return may;
    const std::optional<std::int64_t> number =
        insert_evaluation(database, evaluation, blobs, *impl_->budget);
    if (!number) return Done{};  // stored before
    extend_chain(impl_->chain(), evaluation.run_id, &evaluation, *number);
    transaction.commit();
    return Done{};
  });
}

Status Store::put(const LintRecord& record) {
  return impl_->guarded("keeping what lint found", [&]() -> Status {
    SQLite::Transaction transaction(impl_->database, SQLite::TransactionBehavior::IMMEDIATE);
    put_lint(impl_->chain(), record);
    transaction.commit();
    return Done{};
  });
}

Result<LintRows> Store::lint_records() const {
  return impl_->guarded("reading what lint found",
                        [&]() -> Result<LintRows> { return read_lint(impl_->chain()); });
}

Status Store::put(const Tag& tag) {
  if (Status name = check_tag_name(tag.name); !name) return name;
  return impl_->guarded("naming a run", [&]() -> Status {
    SQLite::Transaction transaction(impl_->database, SQLite::TransactionBehavior::IMMEDIATE);
    SQLite::Statement known(impl_->database, "SELECT 1 FROM run WHERE id = ?");
    known.bind(1, tag.run_id);
    if (!known.executeStep()) {
      return Error{ErrorCode::kNotFound,
                   fmt::format("{}: no run {}", impl_->file.string(), tag.run_id),
                   "`kbench runs` lists them"};
    }
    if (const auto like = tag_like(impl_->database, tag.name)) {
      return Error{ErrorCode::kUsage,
                   fmt::format("the tag \"{}\" differs from \"{}\" by capital letters only",
                               tag.name, *like),
                   "Nobody could tell them apart: choose another name."};
    }
    if (!put_tag(impl_->database, tag)) {
      return Error{ErrorCode::kUsage,
                   fmt::format("the tag \"{}\" is another run's already", tag.name),
                   fmt::format("`kbench tag --remove {}` takes it away from that one.", tag.name)};
    }
    transaction.commit();
    return Done{};
  });
}

Status Store::check_pages() const {
  return impl_->guarded("checking it", [&]() -> Status {
    const std::string found = impl_->database.execAndGet("PRAGMA quick_check(1)").getString();
    if (found != "ok") throw SQLite::Exception(found, SQLITE_CORRUPT);
    return Done{};
  });
}

Status Store::remove_tag(const std::string& name) {
  return impl_->guarded("taking a name from a run", [&]() -> Status {
    SQLite::Transaction transaction(impl_->database, SQLite::TransactionBehavior::IMMEDIATE);
    if (!kbench::remove_tag(impl_->database, name)) {
      return Error{ErrorCode::kNotFound, fmt::format("no tag is called \"{}\"", name),
                   "`kbench runs` shows them."};
    }
    transaction.commit();
    return Done{};
  });
}

Result<std::vector<Tag>> Store::tags() const {
  return impl_->guarded("reading the tags", [&]() -> Result<std::vector<Tag>> {
    return read_tags(impl_->database, *impl_->budget);
  });
}

Result<std::vector<Run>> Store::runs() const {
  return impl_->guarded("listing the runs", [&]() -> Result<std::vector<Run>> {
    SQLite::Statement statement(impl_->database,
                                columns::select_run() + " ORDER BY started_at DESC, number DESC");
    return read_runs(statement, *impl_->budget);
  });
}

Result<std::optional<Run>> Store::find_run(const std::string& id) const {
  return impl_->guarded("looking for a run", [&]() -> Result<std::optional<Run>> {
    SQLite::Statement statement(
        impl_->database,
        columns::select_run() + " WHERE substr(id, 1, length(?1)) = ?1 ORDER BY number");
    statement.bind(1, id);
    std::vector<Run> found = read_runs(statement, *impl_->budget);
    for (Run& run : found)
      if (run.id == id) return std::optional(std::move(run));
    if (found.empty()) return std::optional<Run>();
    if (found.size() == 1) return std::optional(std::move(found.front()));
    std::vector<std::string> ids;
    for (const Run& run : found) ids.push_back(run.id.substr(0, id.size() + 8));
    return Error{
        ErrorCode::kUsage,
        fmt::format("\"{}\" begins {} run ids: {}", id, found.size(), fmt::join(ids, ", ")),
        "Type more of it."};
  });
}

Result<std::vector<std::string>> Store::keys(const std::string& run_id) const {
  return impl_->guarded("reading a run", [&]() -> Result<std::vector<std::string>> {
    SQLite::Statement statement(impl_->database,
                                "SELECT key FROM evaluation WHERE run_id = ? ORDER BY number");
    statement.bind(1, run_id);
    std::vector<std::string> keys;
    while (statement.executeStep()) {
      impl_->budget->spend(columns::bytes_of_row(statement));
      keys.push_back(statement.getColumn(0).getString());
    }
    return keys;
  });
}

Result<std::vector<Evaluation>> Store::evaluations(const std::string& run_id) const {
  return impl_->guarded("reading a run", [&]() -> Result<std::vector<Evaluation>> {
    // One read transaction: a writer beside us cannot change what the three statements see.
    const SQLite::Transaction snapshot(impl_->database, SQLite::TransactionBehavior::DEFERRED);
    return read_evaluations(impl_->database, "run_id", run_id, *impl_->budget);
  });
}

Result<StoredRun> Store::read(const std::string& run_id) const {
  return impl_->guarded("reading a run", [&]() -> Result<StoredRun> {
    const SQLite::Transaction snapshot(impl_->database, SQLite::TransactionBehavior::DEFERRED);
    StoredRun stored;
    stored.evaluations = read_evaluations(impl_->database, "run_id", run_id, *impl_->budget);
    stored.chain = check_chain(impl_->chain(), run_id, stored.evaluations);
    return stored;
  });
}

Status Store::begin_episode(const Episode& episode) {
  return impl_->guarded("beginning an episode", GoesOn::kByResume, [&]() -> Status {
    SQLite::Database& database = impl_->database;
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    if (find_episode(database, episode.id)) {
      return Error{ErrorCode::kUsage, fmt::format("episode {} exists already", episode.id),
                   "Continue it with --resume."};
    }
    insert_episode(database, episode);
    transaction.commit();
    return Done{};
  });
}

Status Store::add_turn(const std::string& episode_id, int position, const Turn& turn,
                       std::span<const Blob> blobs) {
  return impl_->guarded("adding a turn", GoesOn::kByResume, [&]() -> Status {
    SQLite::Database& database = impl_->database;
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    const auto episode = find_open_episode(database, episode_id, impl_->file);
    if (!episode) return episode.error();
    put_blobs(database, blobs, *impl_->budget);
    insert_turn(database, *episode, position, turn, *impl_->budget);
    transaction.commit();
    return Done{};
  });
}

Status Store::add_call(const std::string& episode_id, int turn, int position, const ToolCall& call,
                       std::span<const Blob> blobs) {
  return impl_->guarded("adding a call", GoesOn::kByResume, [&]() -> Status {
    SQLite::Database& database = impl_->database;
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    const auto episode = find_open_episode(database, episode_id, impl_->file);
    if (!episode) return episode.error();
    put_blobs(database, blobs, *impl_->budget);
    insert_call(database, *episode, turn, position, call);
    transaction.commit();
    return Done{};
  });
}

Status Store::finish_episode(const std::string& episode_id, const std::string& finished_at,
                             StopReason reason) {
  return impl_->guarded("finishing an episode", GoesOn::kByResume, [&]() -> Status {
    SQLite::Database& database = impl_->database;
    SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
    const auto episode = find_open_episode(database, episode_id, impl_->file);
    if (!episode) return episode.error();
    SQLite::Statement end(database,
                          "UPDATE episode SET finished_at = ?, stop_reason = ? WHERE number = ?");
    end.bind(1, finished_at);
    end.bind(2, std::string(to_string(reason)));
    end.bind(3, *episode);
    end.exec();
    transaction.commit();
    return Done{};
  });
}

Result<std::vector<EpisodeSummary>> Store::episodes(
    const std::optional<std::string>& run_id) const {
  return impl_->guarded("listing episodes", [&]() -> Result<std::vector<EpisodeSummary>> {
    const SQLite::Transaction snapshot(impl_->database, SQLite::TransactionBehavior::DEFERRED);
    return list_episodes(impl_->database, run_id, *impl_->budget);
  });
}

Result<Episode> Store::read_episode(const std::string& id) const {
  return impl_->guarded("reading an episode", [&]() -> Result<Episode> {
    const SQLite::Transaction snapshot(impl_->database, SQLite::TransactionBehavior::DEFERRED);
    SQLite::Statement rows(impl_->database,
                           "SELECT id FROM episode WHERE substr(id, 1, length(?1)) = ?1 "
                           "ORDER BY id = ?1 DESC, number LIMIT 3");
    rows.bind(1, id);
    std::vector<std::string> ids;
    while (rows.executeStep()) ids.push_back(rows.getColumn(0).getString());
    if (ids.empty() || id.empty()) {
      return Error{
          ErrorCode::kNotFound,
          fmt::format("{}: no episode begins with \"{}\"", impl_->file.string(), id.substr(0, 80)),
          "`kbench episodes list` shows them."};
    }
    if (ids.size() > 1 && ids.front() != id) {
      return Error{
          ErrorCode::kUsage,
          fmt::format("\"{}\" begins several episodes: {}", id.substr(0, 80), fmt::join(ids, ", ")),
          "Type more of it."};
    }
    std::vector<Episode> episodes =
        read_episodes(impl_->database, "id", ids.front(), *impl_->budget);
    return std::move(episodes.at(0));
  });
}

Status Store::add_trajectories(const std::string& run_id, const Trajectories& trajectories,
                               std::span<const Blob> blobs) {
  return impl_->write("adding states", blobs, [&]() -> Status {
    kbench::put_trajectories(impl_->database, run_id, trajectories);
    return Done{};
  });
}

Status Store::begin_study(const std::string& run_id, std::string_view plan) {
  const Blob blob = pack(plan);
  return impl_->write("beginning a study", std::span(&blob, 1), [&]() -> Status {
    if (has_study(impl_->database, blob.hash)) {
      return Error{ErrorCode::kUsage, fmt::format("study {} exists already", blob.hash),
                   "Continue it with --resume."};
    }
    insert_study(impl_->database, run_id, blob.hash);
    return Done{};
  });
}

Status Store::put_cell(const std::string& study, const StateCell& cell,
                       std::span<const Blob> blobs) {
  return impl_->write("adding to a cell", blobs, [&]() -> Status {
    kbench::put_cell(impl_->database, study, cell);
    return Done{};
  });
}

Result<std::string> Store::run_of_study(const std::string& id) const {
  return impl_->guarded("looking for a study", [&]() -> Result<std::string> {
    SQLite::Statement row(impl_->database, "SELECT run_id FROM study WHERE id = ?");
    row.bind(1, id);
    if (row.executeStep()) return row.getColumn(0).getString();
    return Error{ErrorCode::kNotFound,
                 fmt::format("{}: there is no study {}", impl_->file.string(), id.substr(0, 12)),
                 "`kbench attribute run` without --resume begins it."};
  });
}

Result<StateStudy> Store::read_study(const std::string& id) const {
  return impl_->guarded("reading a study", [&]() -> Result<StateStudy> {
    const SQLite::Transaction snapshot(impl_->database, SQLite::TransactionBehavior::DEFERRED);
    auto study = kbench::read_study(impl_->database, id, *impl_->budget);
    if (study) return std::move(*study);
    return Error{ErrorCode::kNotFound,
                 fmt::format("{}: there is no study {}", impl_->file.string(), id.substr(0, 12)),
                 "`kbench attribute run` stores a study; --db names the file that has it."};
  });
}

Status Store::put_report(const StateReport& report, std::span<const Blob> blobs) {
  return impl_->write("adding a report", blobs, [&]() -> Status {
    kbench::put_report(impl_->database, report);
    return Done{};
  });
}

Result<Trajectories> Store::trajectories(const std::string& run_id) const {
  return impl_->guarded("reading states", [&]() -> Result<Trajectories> {
    const SQLite::Transaction snapshot(impl_->database, SQLite::TransactionBehavior::DEFERRED);
    return read_trajectories(impl_->database, run_id, *impl_->budget);
  });
}

Result<std::vector<StoredNode>> Store::nodes(const std::optional<std::string>& run_id) const {
  return impl_->guarded("listing states", [&]() -> Result<std::vector<StoredNode>> {
    const SQLite::Transaction snapshot(impl_->database, SQLite::TransactionBehavior::DEFERRED);
    return list_nodes(impl_->database, run_id, *impl_->budget);
  });
}

Result<StoredNode> Store::read_node(const std::string& id) const {
  return impl_->guarded("reading a state", [&]() -> Result<StoredNode> {
    const SQLite::Transaction snapshot(impl_->database, SQLite::TransactionBehavior::DEFERRED);
    SQLite::Statement rows(impl_->database,
                           "SELECT id FROM node WHERE substr(id, 1, length(?1)) = ?1 "
                           "ORDER BY number LIMIT 2");
    rows.bind(1, id);
    std::vector<std::string> ids;
    while (rows.executeStep()) ids.push_back(rows.getColumn(0).getString());
    if (ids.size() > 1) {
      return Error{ErrorCode::kUsage, fmt::format("\"{}\" begins several nodes", id.substr(0, 80)),
                   "Type more of it."};
    }
    auto node = ids.empty() || id.empty()
                    ? std::nullopt
                    : kbench::read_node(impl_->database, ids.front(), *impl_->budget);
    if (node) return std::move(*node);
    return Error{
        ErrorCode::kNotFound,
        fmt::format("{}: no node begins with \"{}\"", impl_->file.string(), id.substr(0, 80)),
        "`kbench trajectory list` shows them."};
  });
}

Result<std::vector<StateCount>> Store::state_counts() const {
  return impl_->guarded("counting rows", [&]() -> Result<std::vector<StateCount>> {
    SQLite::Statement rows(impl_->database,
                           "SELECT run_id, device, device_uuid, state, count(*), min(task), "
                           "max(task), min(agent), max(agent), min(submission), max(submission) "
                           "FROM evaluation GROUP BY run_id, device, device_uuid, state");
    const auto span = [&rows](int column) {
      return StateCount::Span{rows.getColumn(column).getString(),
                              rows.getColumn(column + 1).getString()};
    };
    std::vector<StateCount> counts;
    while (rows.executeStep()) {
      impl_->budget->spend(columns::bytes_of_row(rows));
      counts.push_back({rows.getColumn(0).getString(), rows.getColumn(1).getString(),
                        rows.getColumn(2).getString(),
                        state_from_string(rows.getColumn(3).getString()),
                        rows.getColumn(4).getInt(), span(5), span(7), span(9)});
    }
    return counts;
  });
}

Result<std::size_t> Store::row_count(const std::string& run_id) const {
  return impl_->guarded("counting rows", [&]() -> Result<std::size_t> {
    SQLite::Statement rows(impl_->database, "SELECT count(*) FROM evaluation WHERE run_id = ?");
    rows.bind(1, run_id);
    rows.executeStep();
    return static_cast<std::size_t>(rows.getColumn(0).getInt64());
  });
}

Result<std::vector<std::string>> Store::task_ids() const {
  return impl_->guarded("listing the tasks", [&] { return impl_->values_of("task"); });
}

Result<std::vector<std::string>> Store::agents() const {
  return impl_->guarded("listing the agents", [&] { return impl_->values_of("agent"); });
}

Result<StoredTask> Store::read_task(const std::string& task) const {
  return impl_->guarded("reading a task", [&] { return impl_->rows_of_all_runs("task", task); });
}

Result<StoredTask> Store::read_key(const std::string& key) const {
  return impl_->guarded("reading an evaluation",
                        [&] { return impl_->rows_of_all_runs("key", key); });
}

Result<StoredContents> Store::readable_contents(std::span<const std::string> hashes,
                                                std::size_t most_bytes) const {
  return impl_->guarded("reading sources", [&]() -> Result<StoredContents> {
    const SQLite::Transaction snapshot(impl_->database, SQLite::TransactionBehavior::DEFERRED);
    return read_contents(impl_->database, hashes, most_bytes, *impl_->budget);
  });
}

Result<std::map<std::string, std::string>> Store::contents(std::span<const std::string> hashes,
                                                           std::size_t most_bytes) const {
  auto contents = readable_contents(hashes, most_bytes);
  if (!contents) return contents.error();
  if (contents->damaged.empty()) return std::move(contents->texts);
  return explain(SQLite::Exception(contents->damaged.begin()->second, SQLITE_CORRUPT), impl_->file,
                 "reading sources");
}

const std::filesystem::path& Store::file() const { return impl_->file; }

Result<std::optional<double>> Store::typical_seconds(const std::string& task,
                                                     const std::string& size,
                                                     const std::string& device,
                                                     HowTimed how) const {
  return impl_->guarded("reading durations", [&]() -> Result<std::optional<double>> {
    // The newest fifty: older ones may stem from another machine or protocol. Out of few enough
    // that years of runs of the other kind cost nothing.
    SQLite::Statement statement(
        impl_->database,
        "SELECT wall_seconds FROM (SELECT number, run_id, wall_seconds FROM evaluation "
        "    WHERE task = ? AND size = ? AND device = ? AND timed = ? AND wall_seconds IS NOT NULL "
        "        AND state IN ('ok', 'no_submission') "
        "    ORDER BY number DESC LIMIT 500) AS newest JOIN run ON run.id = newest.run_id "
        "WHERE CASE WHEN json_valid(run.configuration) "
        "    THEN coalesce(json_extract(run.configuration, '$.quick'), 0) END = ? "
        "ORDER BY newest.number DESC LIMIT 50");
    statement.bind(1, task);
    statement.bind(2, size);
    statement.bind(3, device);
    statement.bind(4, how == HowTimed::kNot ? 0 : 1);
    statement.bind(5, how == HowTimed::kQuick ? 1 : 0);
    std::vector<double> seconds;
    while (statement.executeStep()) seconds.push_back(statement.getColumn(0).getDouble());
    if (seconds.empty()) return std::optional<double>();
    return std::optional(median(std::move(seconds)));
  });
}

Result<Store> open_with_key(const std::filesystem::path& file, Store::Mode mode,
                            const std::filesystem::path& state) {
  auto store = Store::open(file, mode);
  if (!store) return store;
  if (auto key = read_chain_key(state)) store->use(std::move(*key));
  return store;
}

}  // namespace kbench
