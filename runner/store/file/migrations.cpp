#include "runner/store/file/migrations.hpp"

#include <array>
#include <cstddef>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

namespace kbench {
namespace {

// REAL columns without NOT NULL: SQLite keeps a NaN as NULL, and it is read back as NaN.
constexpr std::string_view kStep1 = R"sql(
CREATE TABLE run (
  number        INTEGER PRIMARY KEY,
  id            TEXT NOT NULL UNIQUE,
  started_at    TEXT NOT NULL,
  finished_at   TEXT NOT NULL,      -- empty while running, and for ever after a kill
  command_line  TEXT NOT NULL,
  configuration TEXT NOT NULL,      -- JSON
  environment   TEXT NOT NULL       -- JSON
) STRICT;

CREATE TABLE evaluation (
  number               INTEGER PRIMARY KEY,
  run_id               TEXT NOT NULL REFERENCES run(id),
  key                  TEXT NOT NULL,
  task                 TEXT NOT NULL,
  level                INTEGER NOT NULL,
  size                 TEXT NOT NULL,
  device               TEXT NOT NULL,
  precision            TEXT NOT NULL,
  agent                TEXT,         -- this and the next five: all NULL without a submission
  submission           TEXT,
  variant              TEXT,
  source_hash          TEXT,
  submission_precision TEXT,
  vendor_library       INTEGER CHECK (vendor_library IN (0, 1)),
  worker_kind          TEXT NOT NULL,
  state                TEXT NOT NULL,
  correct              INTEGER CHECK (correct IN (0, 1)),   -- NULL: not judged
  message              TEXT NOT NULL,
  hint                 TEXT NOT NULL,
  eager_reason         TEXT NOT NULL,
  compiled_reason      TEXT NOT NULL,
  submission_reason    TEXT NOT NULL,
  prepare_ns           INTEGER,
  null_call_ns         INTEGER,
  rule_c               REAL,
  rule_k               REAL,
  task_hash            TEXT NOT NULL,
  package_key          TEXT NOT NULL,
  sandbox_level        TEXT NOT NULL,
  seed                 TEXT NOT NULL,
  started_at           TEXT NOT NULL,
  wall_seconds         REAL,
  UNIQUE (run_id, key),
  CHECK ((agent IS NULL) = (source_hash IS NULL))
) STRICT;

CREATE INDEX evaluation_by_task ON evaluation (task, size, device);

CREATE TABLE check_draw (
  evaluation         INTEGER NOT NULL REFERENCES evaluation(number),
  position           INTEGER NOT NULL,
  draw               INTEGER NOT NULL,
  distribution       TEXT NOT NULL,
  passed             INTEGER NOT NULL CHECK (passed IN (0, 1)),
  max_error          REAL,
  tolerance          REAL,
  eager_max_error    REAL,
  relative_l2        REAL,
  eager_relative_l2  REAL,
  wrong_elements     INTEGER NOT NULL,   -- an unsigned 64-bit count, kept bit for bit
  message            TEXT NOT NULL,
  PRIMARY KEY (evaluation, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE sample (
  evaluation   INTEGER NOT NULL REFERENCES evaluation(number),
  position     INTEGER NOT NULL,
  placement    INTEGER NOT NULL,
  block        INTEGER NOT NULL,
  visit        INTEGER NOT NULL,
  side         INTEGER NOT NULL CHECK (side IN (0, 1, 2)),   -- eager, compiled, submission
  calls        INTEGER NOT NULL,
  time_ns      INTEGER NOT NULL,
  wall_ns      INTEGER,
  sm_clock_khz INTEGER,
  dropped      INTEGER NOT NULL CHECK (dropped IN (0, 1)),
  drop_reason  TEXT NOT NULL,
  PRIMARY KEY (evaluation, position)
) STRICT, WITHOUT ROWID;
)sql";

// The timed-call protocol: what the worker claimed, the strict clock, why a row needs a look.
constexpr std::string_view kStep2 = R"sql(
ALTER TABLE evaluation ADD COLUMN null_strict_ns INTEGER;
ALTER TABLE evaluation ADD COLUMN floor_ns REAL;
ALTER TABLE evaluation ADD COLUMN repeats INTEGER NOT NULL DEFAULT 0;
ALTER TABLE evaluation ADD COLUMN labels TEXT NOT NULL DEFAULT '';
ALTER TABLE sample ADD COLUMN claimed_ns INTEGER;
ALTER TABLE sample ADD COLUMN strict_ns INTEGER;
)sql";

// Lint's findings on a task file of that content, the newest only; and the profile by which a row
// was judged.
constexpr std::string_view kStep3 = R"sql(
CREATE TABLE lint (
  task_hash  TEXT NOT NULL,
  size       TEXT NOT NULL,
  device     TEXT NOT NULL,
  task       TEXT NOT NULL,
  state      TEXT NOT NULL,
  mutants    INTEGER NOT NULL,
  rejected   INTEGER NOT NULL,
  findings   TEXT NOT NULL,   -- JSON
  version    TEXT NOT NULL,
  checked_at TEXT NOT NULL,
  PRIMARY KEY (task_hash, size, device)
) STRICT, WITHOUT ROWID;

ALTER TABLE evaluation ADD COLUMN profile TEXT NOT NULL DEFAULT 'kbench';
ALTER TABLE evaluation ADD COLUMN rule_allclose REAL;
)sql";

// The chain of a run's rows (chain.hpp), empty for those that have none; and what a task file says
// of its own worth.
constexpr std::string_view kStep4 = R"sql(
ALTER TABLE run ADD COLUMN chain_key TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN chain_seal TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN chain_rows INTEGER NOT NULL DEFAULT 0;
ALTER TABLE evaluation ADD COLUMN chain TEXT NOT NULL DEFAULT '';
ALTER TABLE evaluation ADD COLUMN unranked TEXT NOT NULL DEFAULT '';
)sql";

// Every measurement of an evaluation and what surrounded its blocks. Rows from before have neither,
// and their samples are those of attempt 0.
constexpr std::string_view kStep5 = R"sql(
CREATE TABLE attempt (
  evaluation     INTEGER NOT NULL REFERENCES evaluation(number),
  position       INTEGER NOT NULL,   -- what sample.attempt and block.attempt name
  reason         TEXT NOT NULL,
  seed           TEXT NOT NULL,
  state          TEXT NOT NULL,
  message        TEXT NOT NULL,
  counts         INTEGER NOT NULL CHECK (counts IN (0, 1)),
  null_call_ns   INTEGER,
  null_strict_ns INTEGER,
  wall_seconds   REAL,
  PRIMARY KEY (evaluation, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE block (
  evaluation           INTEGER NOT NULL REFERENCES evaluation(number),
  position             INTEGER NOT NULL,
  attempt              INTEGER NOT NULL,
  block                INTEGER NOT NULL,
  start_khz            INTEGER NOT NULL,
  end_khz              INTEGER NOT NULL,
  stolen_ns            INTEGER NOT NULL,
  involuntary_switches INTEGER NOT NULL,
  strangers            INTEGER NOT NULL,
  PRIMARY KEY (evaluation, position)
) STRICT, WITHOUT ROWID;

ALTER TABLE sample ADD COLUMN attempt INTEGER NOT NULL DEFAULT 0;
ALTER TABLE evaluation ADD COLUMN protocol INTEGER NOT NULL DEFAULT 1;
)sql";

// More of what surrounded a block; zero in rows from before.
constexpr std::string_view kStep6 = R"sql(
ALTER TABLE block ADD COLUMN sentinel_ns INTEGER NOT NULL DEFAULT 0;
ALTER TABLE block ADD COLUMN cpu_pressure_ns INTEGER NOT NULL DEFAULT 0;
ALTER TABLE block ADD COLUMN memory_pressure_ns INTEGER NOT NULL DEFAULT 0;
)sql";

// Difference between equal runs of the device, as it was known when a row was measured. Empty in
// rows from before, which therefore have no verdict. More of what surrounded a block.
constexpr std::string_view kStep7 = R"sql(
ALTER TABLE evaluation ADD COLUMN between_sessions REAL;
ALTER TABLE evaluation ADD COLUMN between_runs REAL;
ALTER TABLE evaluation ADD COLUMN calibrated_at TEXT;
ALTER TABLE block ADD COLUMN clock_limits INTEGER NOT NULL DEFAULT 0;
ALTER TABLE block ADD COLUMN baselines_waited_ns INTEGER NOT NULL DEFAULT 0;
ALTER TABLE block ADD COLUMN submission_waited_ns INTEGER NOT NULL DEFAULT 0;
)sql";

// Names that people gave to runs; and what `kbench runs` counts, without reading the rows.
constexpr std::string_view kStep8 = R"sql(
CREATE TABLE tag (
  name      TEXT NOT NULL PRIMARY KEY,
  run_id    TEXT NOT NULL REFERENCES run(id),
  tagged_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX evaluation_by_state ON evaluation (run_id, device, state);
)sql";

// Sources of submissions: contents by their hash, and trees that name them. A tree's hash is of its
// paths and hashes, and the row that names it is chained. Neither is ever changed: an evaluation
// refers to what was compiled. Both go with the last run that names them.
constexpr std::string_view kStep9 = R"sql(
CREATE TABLE blob (
  number  INTEGER PRIMARY KEY,
  hash    TEXT NOT NULL UNIQUE,    -- SHA-256 of what it holds
  bytes   INTEGER NOT NULL,        -- of that
  codec   TEXT NOT NULL CHECK (codec IN ('raw', 'zstd')),
  content BLOB NOT NULL
) STRICT;

CREATE TABLE tree (
  hash TEXT NOT NULL,
  path TEXT NOT NULL,
  blob INTEGER NOT NULL REFERENCES blob(number),
  PRIMARY KEY (hash, path)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER blob_stays BEFORE UPDATE ON blob
BEGIN SELECT RAISE(ABORT, 'a blob is never changed'); END;
CREATE TRIGGER tree_stays BEFORE UPDATE ON tree
BEGIN SELECT RAISE(ABORT, 'a tree is never changed'); END;

ALTER TABLE evaluation ADD COLUMN tree_hash TEXT NOT NULL DEFAULT '';
ALTER TABLE evaluation ADD COLUMN task_source TEXT NOT NULL DEFAULT '';
)sql";

// The rows of a run in their order. Without it SQLite sorts all of them for the last one's link,
// each time that a row is added: 2.4 ms beside 2,500 rows, 0.007 ms with it.
constexpr std::string_view kStep10 = R"sql(
CREATE INDEX evaluation_by_run ON evaluation (run_id);
)sql";

// Python submissions: what they were seen to call of torch, and what their run allowed.
constexpr std::string_view kStep11 = R"sql(
ALTER TABLE evaluation ADD COLUMN torch_operators TEXT NOT NULL DEFAULT '';
ALTER TABLE evaluation ADD COLUMN allow_torch TEXT NOT NULL DEFAULT '';
)sql";

// The same evaluation in all runs: whoever asks for it again is answered by the row that is there.
constexpr std::string_view kStep12 = R"sql(
CREATE INDEX evaluation_by_key ON evaluation (key);
)sql";

// Words and calls of agents, turn by turn. Texts are blobs: the prompt of a turn (trajectory/
// prompt_context.hpp), whose messages are further ones, replies, arguments and results. Nothing of
// an episode is ever changed but that it ends, once. It goes with its run.
constexpr std::string_view kStep13 = R"sql(
CREATE TABLE episode (
  number      INTEGER PRIMARY KEY,
  id          TEXT NOT NULL UNIQUE,
  run_id      TEXT NOT NULL REFERENCES run(id),
  task        TEXT NOT NULL,
  size        TEXT NOT NULL,
  device      TEXT NOT NULL,
  model       TEXT NOT NULL,
  sampling    TEXT NOT NULL,      -- JSON
  seed        INTEGER NOT NULL,
  budget      TEXT NOT NULL,      -- JSON
  started_at  TEXT NOT NULL,
  finished_at TEXT NOT NULL,      -- this and the next: empty while it goes on
  stop_reason TEXT NOT NULL
) STRICT;

CREATE TABLE turn (
  episode           INTEGER NOT NULL REFERENCES episode(number),
  position          INTEGER NOT NULL,
  context           INTEGER NOT NULL REFERENCES blob(number),
  reply             INTEGER NOT NULL REFERENCES blob(number),
  finish_reason     TEXT NOT NULL,
  prompt_tokens     INTEGER,            -- this and the next: NULL where the endpoint does not count
  completion_tokens INTEGER,
  invalid_calls     INTEGER NOT NULL,
  compacted         INTEGER NOT NULL,
  wall_ms           INTEGER NOT NULL,
  PRIMARY KEY (episode, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE call (
  episode     INTEGER NOT NULL,
  turn        INTEGER NOT NULL,
  position    INTEGER NOT NULL,
  tool        TEXT NOT NULL,
  arguments   INTEGER NOT NULL REFERENCES blob(number),
  result      INTEGER NOT NULL REFERENCES blob(number),
  error       TEXT NOT NULL,            -- empty where it was answered
  tree_before TEXT NOT NULL,
  tree_after  TEXT NOT NULL,
  evaluation  INTEGER REFERENCES evaluation(number),
  wall_ms     INTEGER NOT NULL,
  PRIMARY KEY (episode, turn, position),
  FOREIGN KEY (episode, turn) REFERENCES turn(episode, position)
) STRICT, WITHOUT ROWID;

-- Of a run; and of what is to be removed, who names it.
CREATE INDEX episode_by_run ON episode (run_id);
CREATE INDEX turn_by_context ON turn (context);
CREATE INDEX turn_by_reply ON turn (reply);
CREATE INDEX call_by_arguments ON call (arguments);
CREATE INDEX call_by_result ON call (result);
CREATE INDEX call_by_evaluation ON call (evaluation);

CREATE TRIGGER episode_ends_once BEFORE UPDATE ON episode
WHEN old.finished_at <> '' OR
     (new.number, new.id, new.run_id, new.task, new.size, new.device, new.model, new.sampling,
      new.seed, new.budget, new.started_at) IS NOT
     (old.number, old.id, old.run_id, old.task, old.size, old.device, old.model, old.sampling,
      old.seed, old.budget, old.started_at)
BEGIN SELECT RAISE(ABORT, 'an episode is never changed, but that it ends'); END;
CREATE TRIGGER turn_stays BEFORE UPDATE ON turn
BEGIN SELECT RAISE(ABORT, 'a turn is never changed'); END;
CREATE TRIGGER call_stays BEFORE UPDATE ON call
BEGIN SELECT RAISE(ABORT, 'a call is never changed'); END;
)sql";

// Python submissions: what was taken off of their times for copying outputs.
constexpr std::string_view kStep14 = R"sql(
ALTER TABLE evaluation ADD COLUMN copy_ns INTEGER;
)sql";

// Seconds that building a submission took; empty in rows from before.
constexpr std::string_view kStep15 = R"sql(
ALTER TABLE evaluation ADD COLUMN build_seconds REAL;
)sql";

// Rows that were judged without timing: they have no times, and count in no score.
constexpr std::string_view kStep16 = R"sql(
ALTER TABLE evaluation ADD COLUMN timed INTEGER NOT NULL DEFAULT 1;
)sql";

// States that agents were in, the trajectories that reached them, and studies of what helps from
// there (trajectory/frozen_state.hpp). Ids are hashes of what they name; a row that no id names has
// a seal. Nothing is ever changed, but that a cell fills up, each part once. Studies and their
// cells go with their run; nodes, states and reports with the last run that holds them.
constexpr std::string_view kStep17 = R"sql(
CREATE TABLE state (
  number    INTEGER PRIMARY KEY,
  id        TEXT NOT NULL UNIQUE,
  task      TEXT NOT NULL,
  task_hash TEXT NOT NULL,
  size      TEXT NOT NULL,
  device    TEXT NOT NULL,
  tree      TEXT NOT NULL,
  context   INTEGER NOT NULL REFERENCES blob(number)
) STRICT;

CREATE TABLE node (
  number     INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  state      INTEGER NOT NULL REFERENCES state(number),
  trajectory TEXT NOT NULL,
  generation INTEGER NOT NULL,
  origin     TEXT NOT NULL,
  outcome    TEXT NOT NULL       -- JSON
) STRICT;

CREATE TABLE parent (
  node   INTEGER NOT NULL REFERENCES node(number),
  parent INTEGER NOT NULL REFERENCES node(number),
  PRIMARY KEY (node, parent)
) STRICT, WITHOUT ROWID;

CREATE TABLE report (
  state     INTEGER NOT NULL REFERENCES state(number),
  component TEXT NOT NULL,
  version   TEXT NOT NULL,
  form      TEXT NOT NULL CHECK (form IN ('raw', 'summary')),
  status    TEXT NOT NULL,
  content   INTEGER NOT NULL REFERENCES blob(number),
  seal      TEXT NOT NULL,
  PRIMARY KEY (state, component, version, form)
) STRICT, WITHOUT ROWID;

CREATE TABLE holds (
  run  INTEGER NOT NULL REFERENCES run(number),
  node INTEGER NOT NULL REFERENCES node(number),
  seal TEXT NOT NULL,
  PRIMARY KEY (run, node)
) STRICT, WITHOUT ROWID;

CREATE TABLE study (
  number INTEGER PRIMARY KEY,
  id     TEXT NOT NULL UNIQUE,   -- SHA-256 of the plan
  run_id TEXT NOT NULL REFERENCES run(id),
  plan   INTEGER NOT NULL REFERENCES blob(number)
) STRICT;

CREATE TABLE cell (
  study      INTEGER NOT NULL REFERENCES study(number),
  node       INTEGER NOT NULL REFERENCES node(number),
  arm        TEXT NOT NULL,
  coalition  TEXT NOT NULL,
  replicate  INTEGER NOT NULL,
  plan       INTEGER REFERENCES blob(number),    -- this and the next two: NULL until it is there
  reply      INTEGER REFERENCES blob(number),
  evaluation INTEGER REFERENCES evaluation(number),
  status     TEXT NOT NULL,                      -- empty until it is complete
  tokens_in  INTEGER,
  tokens_out INTEGER,
  seal       TEXT NOT NULL,
  PRIMARY KEY (study, node, arm, coalition, replicate),
  CHECK (evaluation IS NULL OR reply IS NOT NULL)
) STRICT, WITHOUT ROWID;

-- Of a run; and of what is to be removed, who names it.
CREATE INDEX state_by_tree ON state (tree);
CREATE INDEX state_by_context ON state (context);
CREATE INDEX node_by_state ON node (state);
CREATE INDEX parent_by_parent ON parent (parent);
CREATE INDEX report_by_content ON report (content);
CREATE INDEX holds_by_node ON holds (node);
CREATE INDEX study_by_run ON study (run_id);
CREATE INDEX study_by_plan ON study (plan);
CREATE INDEX cell_by_node ON cell (node);
CREATE INDEX cell_by_plan ON cell (plan);
CREATE INDEX cell_by_reply ON cell (reply);
CREATE INDEX cell_by_evaluation ON cell (evaluation);

CREATE TRIGGER state_stays BEFORE UPDATE ON state
BEGIN SELECT RAISE(ABORT, 'a state is never changed'); END;
CREATE TRIGGER node_stays BEFORE UPDATE ON node
BEGIN SELECT RAISE(ABORT, 'a node is never changed'); END;
CREATE TRIGGER parent_stays BEFORE UPDATE ON parent
BEGIN SELECT RAISE(ABORT, 'a parent is never changed'); END;
CREATE TRIGGER report_stays BEFORE UPDATE ON report
BEGIN SELECT RAISE(ABORT, 'a report is never changed'); END;
CREATE TRIGGER holds_stays BEFORE UPDATE ON holds
BEGIN SELECT RAISE(ABORT, 'what a run holds is never changed'); END;
CREATE TRIGGER study_stays BEFORE UPDATE ON study
BEGIN SELECT RAISE(ABORT, 'a study is never changed'); END;
CREATE TRIGGER cell_fills_up_once BEFORE UPDATE ON cell
WHEN old.status <> '' OR
     (new.study, new.node, new.arm, new.coalition, new.replicate) IS NOT
     (old.study, old.node, old.arm, old.coalition, old.replicate) OR
     (old.plan IS NOT NULL AND new.plan IS NOT old.plan) OR
     (old.plan IS NULL AND new.plan IS NOT NULL AND old.reply IS NOT NULL) OR
     (old.reply IS NOT NULL AND new.reply IS NOT old.reply) OR
     (old.evaluation IS NOT NULL AND new.evaluation IS NOT old.evaluation) OR
     (old.tokens_in IS NOT NULL AND new.tokens_in IS NOT old.tokens_in) OR
     (old.tokens_out IS NOT NULL AND new.tokens_out IS NOT old.tokens_out)
BEGIN SELECT RAISE(ABORT, 'a cell is never changed, but that it fills up'); END;
)sql";

// The least time of a task's work at the device's limits; empty in rows from before.
constexpr std::string_view kStep18 = R"sql(
ALTER TABLE evaluation ADD COLUMN limit_ns REAL;
ALTER TABLE evaluation ADD COLUMN unfused_limit_ns REAL;
ALTER TABLE evaluation ADD COLUMN limit_basis TEXT NOT NULL DEFAULT '';
)sql";

// The seal of what lint found (lint_rows.hpp), empty in records from before.
constexpr std::string_view kStep19 = R"sql(
ALTER TABLE lint ADD COLUMN chain_key TEXT NOT NULL DEFAULT '';
ALTER TABLE lint ADD COLUMN chain_seal TEXT NOT NULL DEFAULT '';
)sql";

// Results of `kbench profile` (core/profile_record.hpp), for pages and comparisons. The id is the
// hash of all else; a profile belongs to no run, and is found by what it is of.
constexpr std::string_view kStep20 = R"sql(
CREATE TABLE profile (
  number      INTEGER PRIMARY KEY,
  id          TEXT NOT NULL UNIQUE,
  task        TEXT NOT NULL,     -- this and the next two: as the JSON says
  size        TEXT NOT NULL,
  side        TEXT NOT NULL,
  device      TEXT NOT NULL,     -- cpu or cuda
  source_hash TEXT NOT NULL,     -- as an evaluation has it; empty for a baseline
  made_at     TEXT NOT NULL,
  version     TEXT NOT NULL,
  content     TEXT NOT NULL      -- JSON, as printed
) STRICT;

CREATE INDEX profile_by_task ON profile (task, size, device);

CREATE TRIGGER profile_stays BEFORE UPDATE ON profile
BEGIN SELECT RAISE(ABORT, 'a profile is never changed'); END;
)sql";

// One call of a vendor's library beside the baselines. Its samples have a table of their own, since
// that of the others knows three sides, and positions in the order of them all.
constexpr std::string_view kStep21 = R"sql(
ALTER TABLE evaluation ADD COLUMN vendor_reason TEXT NOT NULL DEFAULT '';
ALTER TABLE evaluation ADD COLUMN vendor_algorithm TEXT NOT NULL DEFAULT '';

CREATE TABLE vendor_sample (
  evaluation   INTEGER NOT NULL REFERENCES evaluation(number),
  position     INTEGER NOT NULL,
  placement    INTEGER NOT NULL,
  block        INTEGER NOT NULL,
  visit        INTEGER NOT NULL,
  side         INTEGER NOT NULL CHECK (side = 3),
  calls        INTEGER NOT NULL,
  time_ns      INTEGER NOT NULL,
  wall_ns      INTEGER,
  sm_clock_khz INTEGER,
  dropped      INTEGER NOT NULL CHECK (dropped IN (0, 1)),
  drop_reason  TEXT NOT NULL,
  claimed_ns   INTEGER,
  strict_ns    INTEGER,
  attempt      INTEGER NOT NULL,
  PRIMARY KEY (evaluation, position)
) STRICT, WITHOUT ROWID;
)sql";

// The GPU that judged a row; empty in rows from before.
constexpr std::string_view kStep22 = R"sql(
ALTER TABLE evaluation ADD COLUMN device_uuid TEXT NOT NULL DEFAULT '';
)sql";

// Findings of a night about the run (reports/facts/night_findings.hpp), JSON; empty of a run that
// no night looked at, and of one from before.
constexpr std::string_view kStep23 = R"sql(
ALTER TABLE run ADD COLUMN night TEXT NOT NULL DEFAULT '';
)sql";

constexpr std::array kSteps{kStep1,  kStep2,  kStep3,  kStep4,  kStep5,  kStep6,  kStep7,  kStep8,
                            kStep9,  kStep10, kStep11, kStep12, kStep13, kStep14, kStep15, kStep16,
                            kStep17, kStep18, kStep19, kStep20, kStep21, kStep22, kStep23};

}  // namespace

std::span<const std::string_view> schema_steps() { return kSteps; }

void apply_steps(SQLite::Database& database, std::span<const std::string_view> steps) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  const int version = database.execAndGet("PRAGMA user_version").getInt();
  const auto done = static_cast<std::size_t>(version < 0 ? 0 : version);
  if (done >= steps.size()) return;
  for (const std::string_view step : steps.subspan(done)) database.exec(std::string(step));
  // A pragma takes no bound parameters; both values are integers of ours.
  database.exec(fmt::format("PRAGMA application_id = {}", kApplicationId));
  database.exec(fmt::format("PRAGMA user_version = {}", steps.size()));
  transaction.commit();
}

}  // namespace kbench
