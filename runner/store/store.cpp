#include "runner/store/store.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>

#include <SQLiteCpp/Backup.h>
#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include "runner/core/defence.hpp"
#include "runner/core/statistics.hpp"
#include "runner/store/blob_rows.hpp"
#include "runner/store/chained_run.hpp"
#include "runner/store/columns.hpp"
#include "runner/store/database_path.hpp"
#include "runner/store/lint_rows.hpp"
#include "runner/store/migrations.hpp"
#include "runner/store/passive.hpp"
#include "runner/store/schema_check.hpp"
#include "runner/store/sqlite_error.hpp"
#include "runner/store/tag_rows.hpp"

namespace kbench {
namespace {

template <class Work>
auto guarded(const std::filesystem::path& file, std::string_view doing, Work&& work)
    -> decltype(work()) {
  try {
    return work();
  } catch (const SQLite::Exception& exception) {
    return explain(exception, file, doing);
  }
}

}  // namespace

struct Store::Impl {
  std::filesystem::path file;
  Mode mode;
  std::unique_ptr<WorkBudget> budget;  // outlives the connection, which it is attached to
  SQLite::Database database;
  std::optional<ChainKey> key = std::nullopt;

  Impl(std::filesystem::path path, Mode how, std::unique_ptr<WorkBudget> work,
       SQLite::Database opened)
      : file(std::move(path)), mode(how), budget(std::move(work)), database(std::move(opened)) {}
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

  ChainAccess chain() { return {database, key, *budget}; }

  // Runs `work`, which uses SQLite, and turns what it throws into an Error.
  template <class Work>
  auto guarded(std::string_view doing, Work&& work) -> decltype(work()) {
    budget->renew(database_bytes(file));
    return kbench::guarded(file, doing, std::forward<Work>(work));
  }
};

namespace {

// A path as SQLite's URI, every byte that is not plainly harmless escaped.
std::string immutable_uri(const std::filesystem::path& file) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(file).string()) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '/' || c == '_' || c == '-' || c == '.';
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri + "?immutable=1";
}

// The absolute path, because SQLite takes some names (":memory:", the empty one) for no file at
// all.
SQLite::Database connect(const std::filesystem::path& file, int flags, WorkBudget& budget) {
  SQLite::Database database(std::filesystem::absolute(file).string(), flags, kBusyTimeoutMs);
  make_passive(database);
  budget.attach(database);
  return database;
}

// Reading a WAL database normally creates its two side files. In a folder that cannot be written
// that fails; without a WAL nobody is writing, and the file can be read as it lies there.
SQLite::Database open_readable(const std::filesystem::path& file, WorkBudget& budget) {
  try {
    SQLite::Database database = connect(file, SQLite::OPEN_READONLY, budget);
    database.execAndGet("SELECT count(*) FROM sqlite_schema");
    return database;
  } catch (const SQLite::Exception& exception) {
    std::error_code ignored;
    const bool has_wal = std::filesystem::exists(file.string() + "-wal", ignored);
    const bool unwritable =
        exception.getErrorCode() == SQLITE_CANTOPEN || exception.getErrorCode() == SQLITE_READONLY;
    if (!unwritable || has_wal || !std::filesystem::exists(file, ignored)) throw;
  }
  SQLite::Database database(immutable_uri(file), SQLite::OPEN_READONLY | SQLite::OPEN_URI,
                            kBusyTimeoutMs);
  make_passive(database);
  budget.attach(database);
  return database;
}

std::size_t schema_version(SQLite::Database& database) {
  const int version = database.execAndGet("PRAGMA user_version").getInt();
  return static_cast<std::size_t>(std::max(version, 0));
}

// What an older kbench wrote, as a copy in memory that has this one's schema: reading changes no
// file.
SQLite::Database brought_up_to_date(SQLite::Database& old, WorkBudget& budget) {
  SQLite::Database copy(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  SQLite::Backup(copy, old).executeStep();
  make_passive(copy);
  budget.attach(copy);
  apply_steps(copy, schema_steps());
  return copy;
}

SQLite::Database open_database(const std::filesystem::path& file, Store::Mode mode,
                               WorkBudget& budget) {
  if (mode == Store::Mode::kReadOnly) return open_readable(file, budget);
  return connect(file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, budget);
}

// Whose file is it, and do we know its schema? An empty database becomes ours when it is writable.
// Read in one transaction, because another process may be making the file ours at this moment.
Status check_identity(SQLite::Database& database, const std::filesystem::path& file,
                      Store::Mode mode) {
  const SQLite::Transaction snapshot(database, SQLite::TransactionBehavior::DEFERRED);
  const int id = database.execAndGet("PRAGMA application_id").getInt();
  const int version = database.execAndGet("PRAGMA user_version").getInt();
  const int objects = database.execAndGet("SELECT count(*) FROM sqlite_schema").getInt();
  const auto known = static_cast<int>(schema_steps().size());
  const bool empty = id == 0 && version == 0 && objects == 0;
  if (empty && mode == Store::Mode::kReadWrite) return Done{};
  if (empty) {
    return Error{ErrorCode::kBadInput, fmt::format("{}: an empty database", file.string()),
                 "Nothing was stored yet: `kbench run` fills it."};
  }
  if (id != kApplicationId) {
    return Error{
        ErrorCode::kBadInput,
        fmt::format("{}: a database of another program (application id {:#x})", file.string(), id),
        "Name another file with --db; this one was left as it is."};
  }
  if (version > known) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{}: written by a newer kbench: schema {}, this one knows up to {}",
                             file.string(), version, known),
                 "Use the newer kbench, or choose another file with --db."};
  }
  const auto steps = static_cast<std::size_t>(std::max(version, 0));
  if (const Status same = check_schema(database, file, steps); !same) return same;
  return Done{};
}

// Two processes that switch a new file to WAL at once are told SQLITE_BUSY without SQLite's own
// waiting, so the waiting is done here. A file system without shared memory keeps its rollback
// journal, which is as safe and only slower.
void use_write_ahead_log(SQLite::Database& database) {
  using std::chrono::steady_clock;
  const auto deadline = steady_clock::now() + std::chrono::milliseconds(kBusyTimeoutMs);
  while (true) {
    try {
      database.execAndGet("PRAGMA journal_mode = WAL");
      return;
    } catch (const SQLite::Exception& exception) {
      if (exception.getErrorCode() != SQLITE_BUSY || steady_clock::now() > deadline) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
}

void set_up_connection(SQLite::Database& database) {
  database.exec("PRAGMA synchronous = FULL");
  database.exec("PRAGMA foreign_keys = ON");
}

// The children of one evaluation, in one statement prepared once.
template <class Record>
void insert_all(SQLite::Database& database, const std::string& sql, std::int64_t evaluation,
                const std::vector<Record>& records, std::size_t first_position = 0) {
  SQLite::Statement statement(database, sql);
  auto position = static_cast<std::int64_t>(first_position);
  for (const Record& record : records) {
    statement.bind(1, evaluation);
    statement.bind(2, position++);
    columns::bind(statement, record, 3);
    statement.exec();
    statement.reset();
  }
}

std::vector<Run> read_runs(SQLite::Statement& statement, WorkBudget& budget) {
  std::vector<Run> runs;
  while (statement.executeStep()) {
    budget.spend(columns::bytes_of_row(statement));
    runs.push_back(columns::read_run(statement));
  }
  return runs;
}

// As columns::bytes_of_row, which would take longer than reading them: there are many.
std::uint64_t bytes_of(const Check& check) {
  return sizeof check + check.distribution.size() + check.message.size();
}
std::uint64_t bytes_of(const Sample& sample) { return sizeof sample + sample.drop_reason.size(); }
std::uint64_t bytes_of(const Attempt& attempt) {
  return sizeof attempt + attempt.reason.size() + attempt.seed.size() + attempt.message.size();
}
std::uint64_t bytes_of(const Block& block) { return sizeof block; }

// Where a sample belongs: with what counts, with the baselines alone, or with what was set aside.
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

// Those whose column `of` (a constant of ours) is `value`.
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

}  // namespace

Store::Store(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

void Store::use(ChainKey key) { impl_->key = std::move(key); }

Result<Store> Store::open(const std::filesystem::path& file, Mode mode) {
  if (stands(Defence::kPassiveDatabase))
    if (const Status usable = check_database_path(file); !usable) return usable.error();
  std::error_code ignored;
  if (mode == Mode::kReadOnly && !std::filesystem::exists(file, ignored)) {
    return Error{ErrorCode::kUsage, fmt::format("{}: no such database", file.string()),
                 "`kbench run` creates it; --db names another one."};
  }
  return guarded(file, "opening it", [&]() -> Result<Store> {
    auto budget = std::make_unique<WorkBudget>();
    budget->renew(database_bytes(file));
    SQLite::Database database = open_database(file, mode, *budget);
    const Status ours = check_identity(database, file, mode);
    if (!ours) return ours.error();
    if (mode == Mode::kReadWrite) {
      use_write_ahead_log(database);
      apply_steps(database, schema_steps());
      // Once more: another process may have worked on the file since.
      const Status same = check_schema(database, file, schema_steps().size());
      if (!same) return same.error();
    }
    if (mode == Mode::kReadOnly && schema_version(database) < schema_steps().size())
      database = brought_up_to_date(database, *budget);
    set_up_connection(database);
    return Store(std::make_unique<Impl>(file, mode, std::move(budget), std::move(database)));
  });
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

Status Store::finish_run(const std::string& run_id, const std::string& finished_at) {
  return impl_->guarded("finishing a run", [&]() -> Status {
    SQLite::Transaction transaction(impl_->database, SQLite::TransactionBehavior::IMMEDIATE);
    if (Status may = may_extend(impl_->chain(), run_id); !may) return may;
    SQLite::Statement statement(impl_->database, "UPDATE run SET finished_at = ? WHERE id = ?");
    statement.bind(1, finished_at);
    statement.bind(2, run_id);
    if (statement.exec() == 0) {
      return Error{ErrorCode::kNotFound, fmt::format("{}: no run {}", impl_->file.string(), run_id),
                   ""};
    }
    extend_chain(impl_->chain(), run_id, nullptr, 0);
    transaction.commit();
    return Done{};
  });
}

Status Store::add(const Evaluation& evaluation, std::span<const Blob> blobs) {
  return impl_->guarded("adding an evaluation", [&]() -> Status {
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
    SQLite::Statement insert(database, columns::insert_evaluation());
    columns::bind(insert, evaluation);
    if (insert.exec() == 0) return Done{};  // stored before
    const std::int64_t number = database.getLastInsertRowid();
    insert_all(database, columns::insert_check(), number, evaluation.checks);
    insert_all(database, columns::insert_sample(), number, evaluation.samples);
    insert_all(database, columns::insert_sample(), number, evaluation.alone,
               evaluation.samples.size());
    insert_all(database, columns::insert_sample(), number, evaluation.set_aside,
               evaluation.samples.size() + evaluation.alone.size());
    insert_all(database, columns::insert_attempt(), number, evaluation.attempts);
    insert_all(database, columns::insert_block(), number, evaluation.blocks);
    put_blobs(database, blobs);
    if (!put_tree(database, evaluation)) {
      return Error{
          ErrorCode::kInfrastructure,
          fmt::format("{}: sources of {} are missing", impl_->file.string(), evaluation.task),
          "This is a fault of kbench: a row is stored with the blobs that it names."};
    }
    extend_chain(impl_->chain(), evaluation.run_id, &evaluation, number);
    transaction.commit();
    return Done{};
  });
}

Status Store::put(const LintRecord& record) {
  return impl_->guarded("keeping what lint found", [&]() -> Status {
    SQLite::Transaction transaction(impl_->database, SQLite::TransactionBehavior::IMMEDIATE);
    put_lint(impl_->database, record);
    transaction.commit();
    return Done{};
  });
}

Result<std::vector<LintRecord>> Store::lint_records() const {
  return impl_->guarded("reading what lint found", [&]() -> Result<std::vector<LintRecord>> {
    return read_lint(impl_->database, *impl_->budget);
  });
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
                   "`kbench runs` lists them."};
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

Result<std::vector<StateCount>> Store::state_counts() const {
  return impl_->guarded("counting rows", [&]() -> Result<std::vector<StateCount>> {
    SQLite::Statement rows(impl_->database,
                           "SELECT run_id, device, state, count(*) FROM evaluation "
                           "GROUP BY run_id, device, state");
    std::vector<StateCount> counts;
    while (rows.executeStep()) {
      impl_->budget->spend(columns::bytes_of_row(rows));
      counts.push_back({rows.getColumn(0).getString(), rows.getColumn(1).getString(),
                        state_from_string(rows.getColumn(2).getString()),
                        rows.getColumn(3).getInt()});
    }
    return counts;
  });
}

Result<std::vector<std::string>> Store::task_ids() const {
  return impl_->guarded("listing the tasks", [&]() -> Result<std::vector<std::string>> {
    SQLite::Statement rows(impl_->database, "SELECT DISTINCT task FROM evaluation ORDER BY task");
    std::vector<std::string> ids;
    while (rows.executeStep()) {
      impl_->budget->spend(columns::bytes_of_row(rows));
      ids.push_back(rows.getColumn(0).getString());
    }
    return ids;
  });
}

Result<StoredTask> Store::read_task(const std::string& task) const {
  return impl_->guarded("reading a task", [&]() -> Result<StoredTask> {
    const SQLite::Transaction snapshot(impl_->database, SQLite::TransactionBehavior::DEFERRED);
    StoredTask stored;
    stored.evaluations = read_evaluations(impl_->database, "task", task, *impl_->budget);
    SQLite::Statement rows(impl_->database,
                           "SELECT number FROM evaluation WHERE task = ? ORDER BY number");
    rows.bind(1, task);
    std::vector<std::int64_t> numbers;
    while (rows.executeStep()) numbers.push_back(rows.getColumn(0).getInt64());
    stored.chains = check_links(impl_->chain(), stored.evaluations, numbers);
    return stored;
  });
}

Result<std::map<std::string, std::string>> Store::contents(std::span<const std::string> hashes,
                                                           std::size_t most_bytes) const {
  using Contents = std::map<std::string, std::string>;
  return impl_->guarded("reading sources", [&]() -> Result<Contents> {
    const SQLite::Transaction snapshot(impl_->database, SQLite::TransactionBehavior::DEFERRED);
    return read_contents(impl_->database, hashes, most_bytes, *impl_->budget);
  });
}

const std::filesystem::path& Store::file() const { return impl_->file; }

Result<std::optional<double>> Store::typical_seconds(const std::string& task,
                                                     const std::string& size,
                                                     const std::string& device, bool quick) const {
  return impl_->guarded("reading durations", [&]() -> Result<std::optional<double>> {
    // The newest fifty: older ones may stem from another machine or protocol.
    SQLite::Statement statement(
        impl_->database,
        "SELECT wall_seconds FROM evaluation JOIN run ON run.id = evaluation.run_id "
        "WHERE task = ? AND size = ? AND device = ? AND wall_seconds IS NOT NULL "
        "AND CASE WHEN json_valid(run.configuration) "
        "    THEN coalesce(json_extract(run.configuration, '$.quick'), 0) END = ? "
        "ORDER BY evaluation.number DESC LIMIT 50");
    statement.bind(1, task);
    statement.bind(2, size);
    statement.bind(3, device);
    statement.bind(4, quick ? 1 : 0);
    std::vector<double> seconds;
    while (statement.executeStep()) seconds.push_back(statement.getColumn(0).getDouble());
    if (seconds.empty()) return std::optional<double>();
    return std::optional(median(std::move(seconds)));
  });
}

}  // namespace kbench
