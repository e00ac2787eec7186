#include "runner/store/store.hpp"

#include <cmath>
#include <fstream>
#include <limits>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/analysis/keep.hpp"
#include "runner/store/file/migrations.hpp"
#include "tests/unit/store_fixture.hpp"

namespace kbench {
namespace {

using test::make_evaluation;
using test::make_run;
using test::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

void expect_same(const SubmissionId& a, const SubmissionId& b) {
  EXPECT_EQ(a.agent, b.agent);
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.variant, b.variant);
  EXPECT_EQ(a.source_hash, b.source_hash);
  EXPECT_EQ(a.precision, b.precision);
  EXPECT_EQ(a.vendor_library, b.vendor_library);
}

void expect_same(const Check& a, const Check& b) {
  EXPECT_EQ(a.draw, b.draw);
  EXPECT_EQ(a.distribution, b.distribution);
  EXPECT_EQ(a.passed, b.passed);
  EXPECT_EQ(a.max_error, b.max_error);
  EXPECT_EQ(a.tolerance, b.tolerance);
  EXPECT_EQ(a.eager_max_error, b.eager_max_error);
  EXPECT_EQ(a.relative_l2, b.relative_l2);
  EXPECT_EQ(a.eager_relative_l2, b.eager_relative_l2);
  EXPECT_EQ(a.wrong_elements, b.wrong_elements);
  EXPECT_EQ(a.message, b.message);
}

void expect_same(const Attempt& a, const Attempt& b) {
  EXPECT_EQ(a.reason, b.reason);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.state, b.state);
  EXPECT_EQ(a.message, b.message);
  EXPECT_EQ(a.counts, b.counts);
  EXPECT_EQ(a.null_call_ns, b.null_call_ns);
  EXPECT_EQ(a.null_strict_ns, b.null_strict_ns);
  EXPECT_EQ(a.wall_seconds, b.wall_seconds);
}

void expect_same(const Block& a, const Block& b) {
  EXPECT_EQ(a.attempt, b.attempt);
  EXPECT_EQ(a.block, b.block);
  EXPECT_EQ(a.start_khz, b.start_khz);
  EXPECT_EQ(a.end_khz, b.end_khz);
  EXPECT_EQ(a.stolen_ns, b.stolen_ns);
  EXPECT_EQ(a.involuntary_switches, b.involuntary_switches);
  EXPECT_EQ(a.strangers, b.strangers);
  EXPECT_EQ(a.sentinel_ns, b.sentinel_ns);
  EXPECT_EQ(a.cpu_pressure_ns, b.cpu_pressure_ns);
  EXPECT_EQ(a.memory_pressure_ns, b.memory_pressure_ns);
  EXPECT_EQ(a.clock_limits, b.clock_limits);
  EXPECT_EQ(a.baselines_waited_ns, b.baselines_waited_ns);
  EXPECT_EQ(a.submission_waited_ns, b.submission_waited_ns);
}

void expect_same(const Sample& a, const Sample& b) {
  EXPECT_EQ(a.attempt, b.attempt);
  EXPECT_EQ(a.placement, b.placement);
  EXPECT_EQ(a.block, b.block);
  EXPECT_EQ(a.visit, b.visit);
  EXPECT_EQ(a.side, b.side);
  EXPECT_EQ(a.calls, b.calls);
  EXPECT_EQ(a.time_ns, b.time_ns);
  EXPECT_EQ(a.wall_ns, b.wall_ns);
  EXPECT_EQ(a.claimed_ns, b.claimed_ns);
  EXPECT_EQ(a.strict_ns, b.strict_ns);
  EXPECT_EQ(a.sm_clock_khz, b.sm_clock_khz);
  EXPECT_EQ(a.dropped, b.dropped);
  EXPECT_EQ(a.drop_reason, b.drop_reason);
}

template <class Record>
void expect_same(const std::vector<Record>& a, const std::vector<Record>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) expect_same(a[i], b[i]);
}

void expect_same(const Evaluation& a, const Evaluation& b) {
  EXPECT_EQ(a.run_id, b.run_id);
  EXPECT_EQ(a.key, b.key);
  EXPECT_EQ(a.task, b.task);
  EXPECT_EQ(a.level, b.level);
  EXPECT_EQ(a.size, b.size);
  EXPECT_EQ(a.device, b.device);
  EXPECT_EQ(a.precision, b.precision);
  ASSERT_EQ(a.submission.has_value(), b.submission.has_value());
  if (a.submission) expect_same(*a.submission, *b.submission);
  EXPECT_EQ(a.worker_kind, b.worker_kind);
  EXPECT_EQ(a.state, b.state);
  EXPECT_EQ(a.correct, b.correct);
  EXPECT_EQ(a.message, b.message);
  EXPECT_EQ(a.hint, b.hint);
  EXPECT_EQ(a.eager_reason, b.eager_reason);
  EXPECT_EQ(a.compiled_reason, b.compiled_reason);
  EXPECT_EQ(a.submission_reason, b.submission_reason);
  EXPECT_EQ(a.vendor_reason, b.vendor_reason);
  EXPECT_EQ(a.vendor_algorithm, b.vendor_algorithm);
  EXPECT_EQ(a.prepare_ns, b.prepare_ns);
  EXPECT_EQ(a.null_call_ns, b.null_call_ns);
  EXPECT_EQ(a.null_strict_ns, b.null_strict_ns);
  EXPECT_EQ(a.copy_ns, b.copy_ns);
  EXPECT_EQ(a.floor_ns, b.floor_ns);
  EXPECT_EQ(a.limit_ns, b.limit_ns);
  EXPECT_EQ(a.unfused_limit_ns, b.unfused_limit_ns);
  EXPECT_EQ(a.limit_basis, b.limit_basis);
  EXPECT_EQ(a.repeats, b.repeats);
  EXPECT_EQ(a.labels, b.labels);
  EXPECT_EQ(a.rule_c, b.rule_c);
  EXPECT_EQ(a.rule_k, b.rule_k);
  EXPECT_EQ(a.rule_allclose, b.rule_allclose);
  EXPECT_EQ(a.profile, b.profile);
  EXPECT_EQ(a.task_hash, b.task_hash);
  EXPECT_EQ(a.package_key, b.package_key);
  EXPECT_EQ(a.sandbox_level, b.sandbox_level);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.started_at, b.started_at);
  EXPECT_EQ(a.wall_seconds, b.wall_seconds);
  EXPECT_EQ(a.protocol, b.protocol);
  ASSERT_EQ(a.calibration.has_value(), b.calibration.has_value());
  if (a.calibration) {
    EXPECT_EQ(a.calibration->between_sessions, b.calibration->between_sessions);
    EXPECT_EQ(a.calibration->between_runs, b.calibration->between_runs);
    EXPECT_EQ(a.calibration->measured_at, b.calibration->measured_at);
  }
  EXPECT_EQ(a.torch_operators, b.torch_operators);
  EXPECT_EQ(a.allow_torch, b.allow_torch);
  EXPECT_EQ(a.build_seconds, b.build_seconds);
  EXPECT_EQ(a.device_uuid, b.device_uuid);
  expect_same(a.checks, b.checks);
  expect_same(a.attempts, b.attempts);
  expect_same(a.blocks, b.blocks);
  expect_same(a.samples, b.samples);
  expect_same(a.alone, b.alone);
  expect_same(a.set_aside, b.set_aside);
}

Store open_or_die(const std::filesystem::path& file, Store::Mode mode = Store::Mode::kReadWrite) {
  Result<Store> store = Store::open(file, mode);
  if (!store) throw std::runtime_error(store.error().message);
  return std::move(*store);
}

Error open_error(const std::filesystem::path& file, Store::Mode mode = Store::Mode::kReadWrite) {
  const Result<Store> store = Store::open(file, mode);
  return store ? Error{ErrorCode::kUsage, "it opened", ""} : store.error();
}

std::string read_bytes(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class StoreTest : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "kbench.sqlite";
};

TEST_F(StoreTest, EverythingComesBackExactly) {
  const Evaluation full = make_evaluation("r1", 3);
  Evaluation bare;
  bare.run_id = "r1";
  bare.key = "bare";
  {
    Store store = open_or_die(file_);
    ASSERT_TRUE(store.begin_run(make_run("r1")).ok());
    ASSERT_TRUE(store.add(full).ok());
    ASSERT_TRUE(store.add(bare).ok());
  }
  const Store store = open_or_die(file_, Store::Mode::kReadOnly);
  const auto back = store.evaluations("r1");
  ASSERT_TRUE(back.ok()) << back.error().message;
  ASSERT_EQ(back->size(), 2u);
  expect_same(back->at(0), full);
  expect_same(back->at(1), bare);
}

TEST_F(StoreTest, EveryStateAndEverySideComesBack) {
  Store store = open_or_die(file_);
  ASSERT_TRUE(store.begin_run(make_run("r1")).ok());
  const int last = static_cast<int>(State::kInfrastructureError);
  for (int i = 0; i <= last; ++i) {
    Evaluation evaluation = make_evaluation("r1", i, 3);
    evaluation.state = static_cast<State>(i);
    ASSERT_TRUE(store.add(evaluation).ok());
  }
  const auto back = store.evaluations("r1");
  ASSERT_TRUE(back.ok());
  for (int i = 0; i <= last; ++i)
    EXPECT_EQ(back->at(static_cast<std::size_t>(i)).state, static_cast<State>(i));
}

TEST_F(StoreTest, NotANumberAndInfinityComeBack) {
  Store store = open_or_die(file_);
  ASSERT_TRUE(store.begin_run(make_run("r1")).ok());
  Evaluation evaluation = make_evaluation("r1", 1, 0);
  evaluation.checks[0].max_error = std::numeric_limits<double>::quiet_NaN();
  evaluation.checks[1].max_error = std::numeric_limits<double>::infinity();
  ASSERT_TRUE(store.add(evaluation).ok());
  const auto back = store.evaluations("r1");
  ASSERT_TRUE(back.ok());
  EXPECT_TRUE(std::isnan(back->at(0).checks[0].max_error));
  EXPECT_EQ(back->at(0).checks[1].max_error, std::numeric_limits<double>::infinity());
}

TEST_F(StoreTest, AddingTwiceChangesNothing) {
  Store store = open_or_die(file_);
  ASSERT_TRUE(store.begin_run(make_run("r1")).ok());
  const Evaluation first = make_evaluation("r1", 1);
  Evaluation second = first;
  second.message = "another";
  second.samples.clear();
  ASSERT_TRUE(store.add(first).ok());
  ASSERT_TRUE(store.add(second).ok());
  const auto back = store.evaluations("r1");
  ASSERT_TRUE(back.ok());
  ASSERT_EQ(back->size(), 1u);
  expect_same(back->at(0), first);
}

TEST_F(StoreTest, AnEvaluationIsFoundByItsKeyInWhateverRun) {
  Store store = open_or_die(file_);
  for (const char* run : {"r1", "r2"}) {
    ASSERT_TRUE(store.begin_run(make_run(run)).ok());
    ASSERT_TRUE(store.add(make_evaluation(run, 1)).ok());
  }
  ASSERT_TRUE(store.add(make_evaluation("r2", 2)).ok());
  const auto found = store.read_key("key-1");
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_EQ(found->evaluations.size(), 2u);
  EXPECT_EQ(found->evaluations[0].run_id, "r1");
  EXPECT_EQ(found->evaluations[1].run_id, "r2") << "the newest is the last";
  EXPECT_EQ(found->evaluations[1].samples.size(), 60u);
  EXPECT_EQ(found->chains.size(), 2u);
  EXPECT_TRUE(store.read_key("key-3")->evaluations.empty());
  EXPECT_TRUE(store.read_key("")->evaluations.empty());
}

TEST_F(StoreTest, TheSameKeyInAnotherRunIsAnotherRow) {
  Store store = open_or_die(file_);
  for (const char* id : {"r1", "r2"}) {
    ASSERT_TRUE(store.begin_run(make_run(id)).ok());
    ASSERT_TRUE(store.add(make_evaluation(id, 1)).ok());
  }
  EXPECT_EQ(store.evaluations("r1")->size(), 1u);
  EXPECT_EQ(store.evaluations("r2")->size(), 1u);
}

TEST_F(StoreTest, ARunMustExistAndIsBegunOnce) {
  Store store = open_or_die(file_);
  const Status orphan = store.add(make_evaluation("nobody", 1));
  ASSERT_FALSE(orphan.ok());
  EXPECT_THAT(orphan.error().message, HasSubstr("no run nobody"));
  ASSERT_TRUE(store.begin_run(make_run("r1")).ok());
  const Status again = store.begin_run(make_run("r1"));
  ASSERT_FALSE(again.ok());
  EXPECT_THAT(again.error().hint, HasSubstr("--resume"));
  EXPECT_EQ(store.put_night("nobody", "[]").error().code, ErrorCode::kNotFound);
  const Status unknown = store.finish_run("nobody", "2026-11-21T14:00:00Z");
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().hint, HasSubstr("`kbench runs`"));
}

TEST_F(StoreTest, RunsAreListedNewestFirstAndFoundByUniquePrefix) {
  Store store = open_or_die(file_);
  for (const char* id : {"aa11", "aa22", "bb33"}) {
    kbench::Run run = make_run(id);
    run.started_at = std::string("2026-11-21T1") + id[3] + ":00:00Z";
    ASSERT_TRUE(store.begin_run(run).ok());
  }
  ASSERT_TRUE(store.finish_run("bb33", "2026-11-21T14:00:00Z").ok());
  const auto runs = store.runs();
  ASSERT_TRUE(runs.ok());
  ASSERT_EQ(runs->size(), 3u);
  EXPECT_EQ(runs->at(0).id, "bb33");
  EXPECT_EQ(runs->at(2).id, "aa11");
  EXPECT_EQ(runs->at(0).finished_at, "2026-11-21T14:00:00Z");
  EXPECT_EQ(runs->at(0).configuration, R"({"device":"cpu"})");
  EXPECT_EQ(store.find_run("b")->value().id, "bb33");
  EXPECT_FALSE(store.find_run("c")->has_value());
  EXPECT_FALSE(store.find_run("%")->has_value());
  const auto ambiguous = store.find_run("aa");
  ASSERT_FALSE(ambiguous.ok());
  EXPECT_THAT(ambiguous.error().message, HasSubstr("aa11, aa22"));
}

TEST_F(StoreTest, AWholeIdWinsOverTheLongerOnesItBegins) {
  Store store = open_or_die(file_);
  for (const char* id : {"aa", "aab"}) ASSERT_TRUE(store.begin_run(make_run(id)).ok());
  EXPECT_EQ(store.find_run("aa")->value().id, "aa");
}

TEST_F(StoreTest, KeysComeInOrderOfInsertion) {
  Store store = open_or_die(file_);
  ASSERT_TRUE(store.begin_run(make_run("r1")).ok());
  for (const int number : {2, 1, 3}) ASSERT_TRUE(store.add(make_evaluation("r1", number)).ok());
  EXPECT_THAT(*store.keys("r1"), ElementsAre("key-2", "key-1", "key-3"));
}

TEST_F(StoreTest, TypicalSecondsIsTheMedianOfKnownOnes) {
  Store store = open_or_die(file_);
  ASSERT_TRUE(store.begin_run(make_run("r1")).ok());
  EXPECT_FALSE(
      store.typical_seconds("level1/019_relu", "small", "cpu", HowTimed::kInFull)->has_value());
  for (const int number : {1, 2, 30}) ASSERT_TRUE(store.add(make_evaluation("r1", number)).ok());
  Evaluation never_measured = make_evaluation("r1", 500);
  never_measured.device = "cuda";
  never_measured.wall_seconds = std::numeric_limits<double>::quiet_NaN();
  ASSERT_TRUE(store.add(never_measured).ok());
  EXPECT_DOUBLE_EQ(
      store.typical_seconds("level1/019_relu", "small", "cpu", HowTimed::kInFull)->value(), 0.2);
  EXPECT_FALSE(
      store.typical_seconds("level1/019_relu", "small", "cpu", HowTimed::kQuick)->has_value());
  EXPECT_FALSE(
      store.typical_seconds("level1/019_relu", "full", "cpu", HowTimed::kInFull)->has_value());
  EXPECT_FALSE(
      store.typical_seconds("level1/019_relu", "small", "cuda", HowTimed::kInFull)->has_value());
  // Was: rows that failed at once made a task look short.
  for (const int number : {400, 401, 402, 403}) {
    Evaluation failed = make_evaluation("r1", number);
    failed.state = State::kCompileError;
    failed.wall_seconds = 0.01;
    ASSERT_TRUE(store.add(failed).ok());
  }
  EXPECT_DOUBLE_EQ(
      store.typical_seconds("level1/019_relu", "small", "cpu", HowTimed::kInFull)->value(), 0.2);
  // A baseline alone did not fail either; a run of baselines had no estimate of the next one.
  Evaluation baseline = make_evaluation("r1", 80);
  baseline.size = "full";
  baseline.state = State::kNoSubmission;
  ASSERT_TRUE(store.add(baseline).ok());
  EXPECT_TRUE(
      store.typical_seconds("level1/019_relu", "full", "cpu", HowTimed::kInFull)->has_value());
  Evaluation checked = make_evaluation("r1", 70);
  checked.timed = false;
  ASSERT_TRUE(store.add(checked).ok());
  EXPECT_DOUBLE_EQ(
      store.typical_seconds("level1/019_relu", "small", "cpu", HowTimed::kInFull)->value(), 0.2);
  EXPECT_DOUBLE_EQ(
      store.typical_seconds("level1/019_relu", "small", "cpu", HowTimed::kNot)->value(), 7);
}

TEST_F(StoreTest, LintKeepsTheNewestRecordOfEachContentSizeAndDevice) {
  LintRecord record{.task = "level1/019_relu",
                    .task_hash = "aa11",
                    .size = "small",
                    .device = "cpu",
                    .state = LintState::kFailed,
                    .mutants = 9,
                    .rejected = 8,
                    .findings = {{.kind = "identity", .subject = "x", .message = "a \x1b[31m é"},
                                 {.weight = LintFinding::Weight::kNote, .kind = "time"}},
                    .version = "1",
                    .checked_at = "2026-11-21T13:00:00Z"};
  Store store = open_or_die(file_);
  ASSERT_TRUE(store.put(record).ok());
  record.state = LintState::kPassed;
  record.rejected = 9;
  ASSERT_TRUE(store.put(record).ok());
  LintRecord full = record;
  full.size = "full";
  ASSERT_TRUE(store.put(full).ok());
  const auto lint = store.lint_records();
  ASSERT_TRUE(lint.ok()) << lint.error().message;
  EXPECT_TRUE(lint->malformed.empty());
  ASSERT_EQ(lint->records.size(), 2u);
  const LintRecord& read = lint->records.at(1);  // small after full
  EXPECT_EQ(read.state, LintState::kPassed);
  EXPECT_EQ(read.rejected, 9);
  EXPECT_EQ(read.checked_at, record.checked_at);
  ASSERT_EQ(read.findings.size(), 2u);
  EXPECT_EQ(read.findings[0].message, record.findings[0].message);
  EXPECT_EQ(read.findings[1].weight, LintFinding::Weight::kNote);
}

TEST_F(StoreTest, ALintRecordThatIsNotOursIsNamedAndLeftOut) {
  Store store = open_or_die(file_);
  ASSERT_TRUE(store.put({.task = "level1/1", .task_hash = "aa11", .size = "small"}).ok());
  ASSERT_TRUE(store.put({.task = "level1/2", .task_hash = "bb22", .size = "small"}).ok());
  const std::string set = "UPDATE lint SET ";
  for (const char* value : {"findings = '{'", "findings = '[1]'", "findings = '[{}]'",
                            "state = 'great'", "mutants = -1", "rejected = 3000000000"}) {
    SQLite::Database(file_.string(), SQLite::OPEN_READWRITE)
        .exec(set + value + " WHERE task_hash = 'aa11'");
    const auto lint = store.lint_records();
    ASSERT_TRUE(lint.ok()) << lint.error().message;
    ASSERT_EQ(lint->records.size(), 1u) << value;
    EXPECT_EQ(lint->records[0].task, "level1/2");
    EXPECT_THAT(lint->malformed, ::testing::ElementsAre(::testing::HasSubstr("level1/1 (small")));
    ASSERT_TRUE(store.put({.task = "level1/1", .task_hash = "aa11", .size = "small"}).ok());
  }
}

TEST_F(StoreTest, ANewFileIsMarkedAsOursAndDurable) {
  { const Store store = open_or_die(file_); }
  SQLite::Database database(file_.string(), SQLite::OPEN_READWRITE);
  EXPECT_EQ(database.execAndGet("PRAGMA application_id").getInt(), kApplicationId);
  EXPECT_EQ(database.execAndGet("PRAGMA user_version").getInt(),
            static_cast<int>(schema_steps().size()));
  EXPECT_EQ(database.execAndGet("PRAGMA journal_mode").getString(), "wal");
  EXPECT_EQ(database
                .execAndGet("SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND "
                            "name NOT LIKE 'sqlite_%' AND NOT strict")
                .getInt(),
            0);
}

TEST_F(StoreTest, AnEmptyFileOfVersionZeroIsMigrated) {
  { SQLite::Database(file_.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("VACUUM"); }
  EXPECT_THAT(open_error(file_, Store::Mode::kReadOnly).message, HasSubstr("empty"));
  Store store = open_or_die(file_);
  EXPECT_TRUE(store.begin_run(make_run("r1")).ok());
}

TEST_F(StoreTest, MissingStepsAreAppliedOnceAndInOrder) {
  SQLite::Database database(file_.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  const std::vector<std::string_view> first{"CREATE TABLE t (a INTEGER) STRICT"};
  apply_steps(database, first);
  database.exec("INSERT INTO t VALUES (7)");
  const std::vector<std::string_view> both{"CREATE TABLE t (a INTEGER) STRICT",
                                           "ALTER TABLE t ADD COLUMN b INTEGER DEFAULT 8"};
  apply_steps(database, both);
  apply_steps(database, both);
  EXPECT_EQ(database.execAndGet("PRAGMA user_version").getInt(), 2);
  EXPECT_EQ(database.execAndGet("SELECT a * 10 + b FROM t").getInt(), 78);
}

TEST_F(StoreTest, AnOlderFileIsReadAsItLiesThere) {
  {
    SQLite::Database old(file_.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    apply_steps(old, schema_steps().first(4));
    old.exec(
        "INSERT INTO run (id, started_at, finished_at, command_line, configuration, "
        "environment) VALUES ('r1', '', '', '', '{}', '{}')");
    old.exec(
        "INSERT INTO evaluation (run_id, key, task, level, size, device, precision, "
        "worker_kind, state, message, hint, eager_reason, compiled_reason, submission_reason, "
        "task_hash, package_key, sandbox_level, seed, started_at, wall_seconds) VALUES ('r1', "
        "'k', 't', 1, 'small', 'cpu', 'fp32', 'native', 'ok', '', '', '', '', '', '', '', '', "
        "'', '', 1.0)");
    old.exec(
        "INSERT INTO sample VALUES (1, 0, 0, 0, 0, 0, 1, 5000, NULL, NULL, 1, 'slow', NULL, "
        "NULL)");
  }
  const std::string before = read_bytes(file_);
  {
    const Store store = open_or_die(file_, Store::Mode::kReadOnly);
    const auto back = store.evaluations("r1");
    ASSERT_TRUE(back.ok()) << back.error().message;
    const Evaluation& row = back->at(0);
    EXPECT_EQ(row.protocol, 1);
    EXPECT_FALSE(row.calibration) << "and so it has no verdict";
    EXPECT_EQ(row.torch_operators + row.allow_torch, "");
    EXPECT_FALSE(row.copy_ns);
    EXPECT_FALSE(row.build_seconds);
    EXPECT_EQ(row.device_uuid, "");
    EXPECT_TRUE(row.attempts.empty());
    ASSERT_EQ(row.samples.size(), 1u);
    EXPECT_EQ(row.samples[0].attempt, 0);
    EXPECT_FALSE(row.asked_for_vendor());
    Evaluation judged = row;
    keep(judged);
    EXPECT_TRUE(judged.samples[0].dropped) << "what surrounded it is not known";
  }
  EXPECT_EQ(read_bytes(file_), before);
}

TEST_F(StoreTest, AFailingStepLeavesTheFileAsItWas) {
  SQLite::Database database(file_.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  const std::vector<std::string_view> steps{"CREATE TABLE t (a INTEGER) STRICT", "not SQL"};
  EXPECT_THROW(apply_steps(database, steps), std::exception);
  EXPECT_EQ(database.execAndGet("PRAGMA user_version").getInt(), 0);
  EXPECT_EQ(database.execAndGet("PRAGMA application_id").getInt(), 0);
  EXPECT_EQ(database.execAndGet("SELECT count(*) FROM sqlite_schema").getInt(), 0);
}

TEST_F(StoreTest, ANewerVersionIsRefused) {
  { const Store store = open_or_die(file_); }
  { SQLite::Database(file_.string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 99"); }
  for (const auto mode : {Store::Mode::kReadOnly, Store::Mode::kReadWrite}) {
    const Error error = open_error(file_, mode);
    EXPECT_THAT(error.message, HasSubstr("written by a newer kbench: schema 99"));
    EXPECT_THAT(error.hint, HasSubstr("newer kbench"));
  }
}

TEST_F(StoreTest, AForeignFileIsRefusedAndLeftAsItWas) {
  {
    SQLite::Database other(file_.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    other.exec("CREATE TABLE song (title TEXT)");
  }
  const std::string before = read_bytes(file_);
  EXPECT_THAT(open_error(file_).message, HasSubstr("another program"));
  EXPECT_EQ(read_bytes(file_), before);
}

TEST_F(StoreTest, GarbageIsRefusedAndLeftAsItWas) {
  for (const std::size_t size : {3u, 100u, 5000u}) {
    const std::string garbage(size, 'x');
    std::ofstream(file_, std::ios::binary) << garbage;
    EXPECT_THAT(open_error(file_).message, HasSubstr("not a database")) << size;
    EXPECT_THAT(open_error(file_, Store::Mode::kReadOnly).message, HasSubstr("not a database"));
    EXPECT_EQ(read_bytes(file_), garbage);
  }
}

TEST_F(StoreTest, ADamagedFileIsNamedAsSuch) {
  {
    Store store = open_or_die(file_);
    ASSERT_TRUE(store.begin_run(make_run("r1")).ok());
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(store.add(make_evaluation("r1", i)).ok());
  }
  const auto size = static_cast<std::streamoff>(std::filesystem::file_size(file_));
  // All pages behind those of the schema.
  const std::streamoff schema_bytes =
      std::streamoff{4096} *
      SQLite::Database(file_.string())
          .execAndGet("SELECT max(pageno) FROM dbstat WHERE name = 'sqlite_schema'")
          .getInt();
  ASSERT_LT(schema_bytes, size);
  {
    std::fstream stream(file_, std::ios::binary | std::ios::in | std::ios::out);
    stream.seekp(schema_bytes);
    stream << std::string(static_cast<std::size_t>(size - schema_bytes), '\xff');
  }
  const Store store = open_or_die(file_, Store::Mode::kReadOnly);
  const auto result = store.evaluations("r1");
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message, HasSubstr("damaged"));
  EXPECT_THAT(result.error().hint, HasSubstr("kbench db salvage"));
}

TEST_F(StoreTest, AMissingFileIsNotCreatedByReading) {
  const Error error = open_error(file_, Store::Mode::kReadOnly);
  EXPECT_EQ(error.code, ErrorCode::kUsage);
  EXPECT_FALSE(std::filesystem::exists(file_));
  EXPECT_THAT(open_error(folder_ / "no/such/folder.sqlite").message, HasSubstr("cannot be opened"));
}

TEST_F(StoreTest, AReadOnlyStoreRefusesToWrite) {
  { const Store store = open_or_die(file_); }
  Store store = open_or_die(file_, Store::Mode::kReadOnly);
  const Status status = store.begin_run(make_run("r1"));
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("cannot be written"));
}

// Was: kbench.sqlite-shm and kbench.sqlite-wal stayed after `kbench report`.
TEST_F(StoreTest, ReadingLeavesNothingBesideTheFile) {
  {
    Store store = open_or_die(file_);
    ASSERT_TRUE(store.begin_run(make_run("r1")).ok());
  }
  const auto before = std::filesystem::last_write_time(file_);
  {
    const Store store = open_or_die(file_, Store::Mode::kReadOnly);
    EXPECT_EQ(store.runs()->size(), 1u);
  }
  for (const char* ending : {"-wal", "-shm"})
    EXPECT_FALSE(std::filesystem::exists(file_.string() + ending)) << ending;
  EXPECT_EQ(std::filesystem::last_write_time(file_), before);
}

TEST_F(StoreTest, AReaderThatClosesFirstLeavesTheWriterItsLog) {
  { const Store store = open_or_die(file_); }
  Store writer = [&] {
    const Store reader = open_or_die(file_, Store::Mode::kReadOnly);
    EXPECT_EQ(reader.runs()->size(), 0u);
    Store opened = open_or_die(file_);
    EXPECT_TRUE(opened.begin_run(make_run("r1")).ok());
    return opened;
  }();
  ASSERT_TRUE(writer.add(make_evaluation("r1", 1)).ok());
  EXPECT_EQ(open_or_die(file_, Store::Mode::kReadOnly).evaluations("r1")->size(), 1u);
}

TEST_F(StoreTest, AReaderSeesWhatAnOpenWriterHasAdded) {
  Store writer = open_or_die(file_);
  ASSERT_TRUE(writer.begin_run(make_run("r1")).ok());
  const Store reader = open_or_die(file_, Store::Mode::kReadOnly);
  EXPECT_EQ(reader.evaluations("r1")->size(), 0u);
  ASSERT_TRUE(writer.add(make_evaluation("r1", 1)).ok());
  EXPECT_EQ(reader.evaluations("r1")->size(), 1u);
}

// Adding to a run, and reading it, take no longer for the rows that others have: none of these
// sorts.
TEST_F(StoreTest, RowsOfARunAreFoundInTheirOrder) {
  { const Store store = open_or_die(file_); }
  SQLite::Database raw(file_.string());
  for (const char* sql :
       {"SELECT chain FROM evaluation WHERE run_id = ? ORDER BY number DESC LIMIT 1",
        "SELECT chain FROM evaluation WHERE run_id = ? AND number < ? ORDER BY number DESC LIMIT 1",
        "SELECT * FROM evaluation WHERE run_id = ? ORDER BY number"}) {
    SQLite::Statement plan(raw, std::string("EXPLAIN QUERY PLAN ") + sql);
    std::string steps;
    while (plan.executeStep()) steps += plan.getColumn(3).getString() + "\n";
    EXPECT_THAT(steps, HasSubstr("USING INDEX evaluation_by_run")) << sql;
    EXPECT_THAT(steps, ::testing::Not(HasSubstr("TEMP B-TREE"))) << sql;
  }
}

}  // namespace
}  // namespace kbench
