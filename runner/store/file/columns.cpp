#include "runner/store/file/columns.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include "runner/core/defence.hpp"

namespace kbench::columns {
namespace {

template <class Record, class T>
concept Is = std::is_same_v<std::remove_const_t<Record>, T>;

// One list per record. `record` is const when binding, mutable when reading.
template <Is<Run> R, class Visitor>
void visit(R& run, Visitor& column) {
  column("id", run.id);
  column("started_at", run.started_at);
  column("finished_at", run.finished_at);
  column("command_line", run.command_line);
  column("configuration", run.configuration);
  column("environment", run.environment);
}

template <Is<SubmissionId> R, class Visitor>
void visit(R& id, Visitor& column) {
  column("agent", id.agent);
  column("submission", id.name);
  column("variant", id.variant);
  column("source_hash", id.source_hash);
  column("submission_precision", id.precision);
  column("vendor_library", id.vendor_library);
}

template <Is<Calibration> R, class Visitor>
void visit(R& calibration, Visitor& column) {
  column("between_sessions", calibration.between_sessions);
  column("between_runs", calibration.between_runs);
  column("calibrated_at", calibration.measured_at);
}

template <Is<Evaluation> R, class Visitor>
void visit(R& evaluation, Visitor& column) {
  column("run_id", evaluation.run_id);
  column("key", evaluation.key);
  column("task", evaluation.task);
  column("level", evaluation.level);
  column("size", evaluation.size);
  column("device", evaluation.device);
  column("precision", evaluation.precision);
  column("profile", evaluation.profile);
  column.group(evaluation.submission);
  column("worker_kind", evaluation.worker_kind);
  column("state", evaluation.state);
  column("correct", evaluation.correct);
  column("message", evaluation.message);
  column("hint", evaluation.hint);
  column("eager_reason", evaluation.eager_reason);
  column("compiled_reason", evaluation.compiled_reason);
  column("submission_reason", evaluation.submission_reason);
  column("prepare_ns", evaluation.prepare_ns);
  column("null_call_ns", evaluation.null_call_ns);
  column("null_strict_ns", evaluation.null_strict_ns);
  column("floor_ns", evaluation.floor_ns);
  column("repeats", evaluation.repeats);
  column("rule_c", evaluation.rule_c);
  column("rule_k", evaluation.rule_k);
  column("rule_allclose", evaluation.rule_allclose);
  column("task_hash", evaluation.task_hash);
  column("package_key", evaluation.package_key);
  column("sandbox_level", evaluation.sandbox_level);
  column("labels", evaluation.labels);
  column("seed", evaluation.seed);
  column("started_at", evaluation.started_at);
  column("wall_seconds", evaluation.wall_seconds);
  column("unranked", evaluation.unranked);
  column.later("protocol", evaluation.protocol, 1);
  column.later_group("calibration", evaluation.calibration);
  column.later("tree_hash", evaluation.tree_hash, {});
  column.later("task_source", evaluation.task_source, {});
  column.later("torch_operators", evaluation.torch_operators, {});
  column.later("allow_torch", evaluation.allow_torch, {});
  column.later("copy_ns", evaluation.copy_ns, {});
  column.later("build_seconds", evaluation.build_seconds, {});
  column.later("timed", evaluation.timed, true);
  column.later("limit_ns", evaluation.limit_ns, {});
  column.later("unfused_limit_ns", evaluation.unfused_limit_ns, {});
  column.later("limit_basis", evaluation.limit_basis, {});
  column.later("vendor_reason", evaluation.vendor_reason, {});
  column.later("vendor_algorithm", evaluation.vendor_algorithm, {});
  column.later("device_uuid", evaluation.device_uuid, {});
}

template <Is<Attempt> R, class Visitor>
void visit(R& attempt, Visitor& column) {
  column("reason", attempt.reason);
  column("seed", attempt.seed);
  column("state", attempt.state);
  column("message", attempt.message);
  column("counts", attempt.counts);
  column("null_call_ns", attempt.null_call_ns);
  column("null_strict_ns", attempt.null_strict_ns);
  column("wall_seconds", attempt.wall_seconds);
}

template <Is<Block> R, class Visitor>
void visit(R& block, Visitor& column) {
  column("attempt", block.attempt);
  column("block", block.block);
  column("start_khz", block.start_khz);
  column("end_khz", block.end_khz);
  column("stolen_ns", block.stolen_ns);
  column("involuntary_switches", block.involuntary_switches);
  column("strangers", block.strangers);
  column("sentinel_ns", block.sentinel_ns);
  column("cpu_pressure_ns", block.cpu_pressure_ns);
  column("memory_pressure_ns", block.memory_pressure_ns);
  column.later("clock_limits", block.clock_limits, {});
  column.later("baselines_waited_ns", block.baselines_waited_ns, {});
  column.later("submission_waited_ns", block.submission_waited_ns, {});
}

template <Is<Check> R, class Visitor>
void visit(R& check, Visitor& column) {
  column("draw", check.draw);
  column("distribution", check.distribution);
  column("passed", check.passed);
  column("max_error", check.max_error);
  column("tolerance", check.tolerance);
  column("eager_max_error", check.eager_max_error);
  column("relative_l2", check.relative_l2);
  column("eager_relative_l2", check.eager_relative_l2);
  column("wrong_elements", check.wrong_elements);
  column("message", check.message);
}

template <Is<Sample> R, class Visitor>
void visit(R& sample, Visitor& column) {
  column("placement", sample.placement);
  column("block", sample.block);
  column("visit", sample.visit);
  column("side", sample.side);
  column("calls", sample.calls);
  column("time_ns", sample.time_ns);
  column("wall_ns", sample.wall_ns);
  column("claimed_ns", sample.claimed_ns);
  column("strict_ns", sample.strict_ns);
  column("sm_clock_khz", sample.sm_clock_khz);
  column("dropped", sample.dropped);
  column("drop_reason", sample.drop_reason);
  column.later("attempt", sample.attempt, 0);
}

struct NameVisitor {
  std::vector<std::string_view> names;

  template <class T>
  void operator()(std::string_view name, const T&) {
    names.push_back(name);
  }
  template <class T>
  void later(std::string_view name, const T&, const T&) {
    names.push_back(name);
  }
  template <class Record>
  void group(const std::optional<Record>&) {
    const Record record{};
    visit(record, *this);
  }
  template <class Record>
  void later_group(std::string_view, const std::optional<Record>& record) {
    group(record);
  }
};

template <class Record>
std::vector<std::string_view> names_of() {
  NameVisitor visitor;
  const Record record{};
  visit(record, visitor);
  return visitor.names;
}

// Stored numbers of the sides; independent of the order of the enumeration.
int number_of(Side side) {
  switch (side) {
    case Side::kEager: return 0;
    case Side::kCompiled: return 1;
    case Side::kSubmission: return 2;
    case Side::kVendor: return 3;
  }
  return 0;
}

struct BindVisitor {
  SQLite::Statement& statement;
  int next;

  void operator()(std::string_view, const std::string& value) { statement.bind(next++, value); }
  void operator()(std::string_view, double value) { statement.bind(next++, value); }
  void operator()(std::string_view, bool value) { statement.bind(next++, value ? 1 : 0); }
  void operator()(std::string_view, int value) { statement.bind(next++, value); }
  void operator()(std::string_view, std::int64_t value) { statement.bind(next++, value); }
  void operator()(std::string_view, std::uint64_t value) {
    statement.bind(next++, static_cast<std::int64_t>(value));
  }
  void operator()(std::string_view, State value) {
    statement.bind(next++, std::string(to_string(value)));
  }
  void operator()(std::string_view, Side value) { statement.bind(next++, number_of(value)); }
  template <class T>
  void operator()(std::string_view name, const std::optional<T>& value) {
    if (value) {
      (*this)(name, *value);
    } else {
      statement.bind(next++);
    }
  }
  template <class T>
  void later(std::string_view name, const T& value, const T&) {
    (*this)(name, value);
  }
  template <class Record>
  void group(const std::optional<Record>& record) {
    if (record) return visit(*record, *this);
    for (std::size_t i = 0; i < names_of<Record>().size(); ++i) statement.bind(next++);
  }
  template <class Record>
  void later_group(std::string_view, const std::optional<Record>& record) {
    group(record);
  }
};

[[noreturn]] void corrupt(std::string_view name, std::string_view what) {
  throw SQLite::Exception(fmt::format("{} {}", name, what), SQLITE_CORRUPT);
}

// SQLite keeps the strict types of columns only for those who write through it. A file can be made
// to hold anything, so each value is looked at before it is taken.
struct ReadVisitor {
  SQLite::Statement& statement;
  int next = 0;

  SQLite::Column take() { return statement.getColumn(next++); }

  SQLite::Column take(std::string_view name, int type, std::string_view what) {
    SQLite::Column column = take();
    if (column.getType() != type && stands(Defence::kPassiveDatabase)) corrupt(name, what);
    return column;
  }

  void operator()(std::string_view name, std::string& value) {
    value = take(name, SQLITE_TEXT, "holds something that is no text").getString();
  }
  void operator()(std::string_view name, double& value) {
    if (statement.getColumn(next).isNull()) {
      ++next;
      value = std::numeric_limits<double>::quiet_NaN();
    } else {
      value = take(name, SQLITE_FLOAT, "holds something that is no number").getDouble();
    }
  }
  void operator()(std::string_view name, std::int64_t& value) {
    value = take(name, SQLITE_INTEGER, "holds something that is no whole number").getInt64();
  }
  void operator()(std::string_view name, std::uint64_t& value) {
    std::int64_t bits = 0;
    (*this)(name, bits);
    value = static_cast<std::uint64_t>(bits);
  }
  void operator()(std::string_view name, int& value) {
    std::int64_t wide = 0;
    (*this)(name, wide);
    // Every count of ours that is an int starts at 0, but for the block of samples in none.
    const int least = name == "block" ? kAlone : 0;
    if (wide < least || wide > std::numeric_limits<int>::max())
      corrupt(name, fmt::format("is {}, which no count can be", wide));
    value = static_cast<int>(wide);
  }
  void operator()(std::string_view name, bool& value) {
    std::int64_t number = 0;
    (*this)(name, number);
    if (number != 0 && number != 1) corrupt(name, fmt::format("is {}, not yes or no", number));
    value = number == 1;
  }
  void operator()(std::string_view name, State& value) {
    std::string text;
    (*this)(name, text);
    const auto state = state_from_string(text);
    if (!state) corrupt(name, fmt::format("is the unknown \"{}\"", text.substr(0, 40)));
    value = *state;
  }
  void operator()(std::string_view name, Side& value) {
    std::int64_t number = 0;
    (*this)(name, number);
    for (const Side side : {Side::kEager, Side::kCompiled, Side::kSubmission, Side::kVendor}) {
      if (number_of(side) != number) continue;
      value = side;
      return;
    }
    corrupt(name, fmt::format("is {}, which is no side", number));
  }
  template <class T>
  void operator()(std::string_view name, std::optional<T>& value) {
    if (statement.getColumn(next).isNull()) {
      ++next;
      value.reset();
    } else {
      (*this)(name, value.emplace());
    }
  }
  template <class T>
  void later(std::string_view name, T& value, const T&) {
    (*this)(name, value);
  }
  template <class Record>
  void group(std::optional<Record>& record) {
    if (statement.getColumn(next).isNull()) {
      next += static_cast<int>(names_of<Record>().size());
    } else {
      visit(record.emplace(), *this);
    }
  }
  template <class Record>
  void later_group(std::string_view, std::optional<Record>& record) {
    group(record);
  }
};

// Refuses values that no row of ours can have, though each is of its type.
void check(const Sample& sample) {
  if (sample.calls < 1) corrupt("calls", "is 0: nothing was timed");
  if (sample.time_ns < 0) corrupt("time_ns", fmt::format("is {}, a negative time", sample.time_ns));
}

void check(const Check&) {}
void check(const Attempt&) {}
void check(const Block&) {}

void check(const Evaluation& evaluation) {
  const std::string& device = evaluation.device;
  if (!device.empty() && device != "cpu" && device != "cuda")
    corrupt("device", fmt::format("is the unknown \"{}\"", device.substr(0, 40)));
  if (evaluation.wall_seconds < 0) corrupt("wall_seconds", "is negative");
  if (evaluation.build_seconds.value_or(0) < 0) corrupt("build_seconds", "is negative");
  if (evaluation.limit_ns.value_or(0) < 0) corrupt("limit_ns", "is negative");
  if (evaluation.unfused_limit_ns.value_or(0) < 0) corrupt("unfused_limit_ns", "is negative");
  if (evaluation.state == State::kOk && evaluation.correct == false)
    corrupt("correct", "is no, of a row that is ok");
  if (!evaluation.calibration) return;
  // A narrow interval is bought by a small deviation: one that is none would be the smallest.
  for (const double deviation :
       {evaluation.calibration->between_sessions, evaluation.calibration->between_runs})
    if (!(deviation >= 0)) corrupt("calibration", "is no deviation");
}

// Deeper than our JSON ever is, and far from what exhausts the stack of a function that walks
// through it.
constexpr int kDeepestJson = 50;

bool nests_deeply(std::string_view json) {
  int depth = 0;
  for (const char c : json) {
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > kDeepestJson) return true;
  }
  return false;
}

// An id is typed, and stands in every closing line: nothing that steers a terminal is one.
bool is_run_id(std::string_view id) {
  constexpr std::size_t kLongest = 64;
  constexpr std::string_view kOf =
      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
  return !id.empty() && id.size() <= kLongest && id.find_first_not_of(kOf) == id.npos;
}

void check(const Run& run) {
  if (!is_run_id(run.id)) corrupt("id", "is no run's id");
  if (nests_deeply(run.configuration)) corrupt("configuration", "nests too deeply");
  if (nests_deeply(run.environment)) corrupt("environment", "nests too deeply");
}

// Writes all values of a record as one text: each begins with its kind, texts with their length as
// well, numbers have eight bytes. As they come back from the database: it keeps no NaN but NULL,
// and no sign of a zero.
struct TextVisitor {
  std::string text;

  void bits(char kind, std::uint64_t value) {
    std::array<char, 9> bytes{kind};
    for (std::size_t i = 0; i < 8; ++i) bytes[i + 1] = static_cast<char>(value >> (56 - 8 * i));
    text.append(bytes.data(), bytes.size());
  }
  void operator()(std::string_view, const std::string& value) {
    bits('t', value.size());
    text += value;
  }
  void operator()(std::string_view, double value) {
    if (std::isnan(value)) {
      text += 'n';
    } else {
      bits('d', std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value));
    }
  }
  void operator()(std::string_view, bool value) { bits('i', value ? 1 : 0); }
  void operator()(std::string_view, int value) {
    bits('i', static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
  }
  void operator()(std::string_view, std::int64_t value) {
    bits('i', static_cast<std::uint64_t>(value));
  }
  void operator()(std::string_view, std::uint64_t value) { bits('i', value); }
  void operator()(std::string_view name, State value) {
    (*this)(name, std::string(to_string(value)));
  }
  void operator()(std::string_view name, Side value) { (*this)(name, number_of(value)); }
  template <class T>
  void operator()(std::string_view name, const std::optional<T>& value) {
    if (value) {
      (*this)(name, *value);
    } else {
      text += 'n';
    }
  }
  // A column from after the first chains: rows from before keep their links.
  template <class T>
  void later(std::string_view name, const T& value, const T& from_before) {
    if (value == from_before) return;
    text += name;
    (*this)(name, value);
  }
  void group(const std::optional<SubmissionId>& id) {
    if (id) {
      visit(*id, *this);
    } else {
      text += 'n';
    }
  }
  template <class Record>
  void later_group(std::string_view name, const std::optional<Record>& record) {
    if (!record) return;
    text += name;
    visit(*record, *this);
  }
  template <class Record>
  void list(const std::vector<Record>& records) {
    bits('l', records.size());
    for (const Record& record : records) visit(record, *this);
  }
  template <class Record>
  void later_list(std::string_view name, const std::vector<Record>& records) {
    if (records.empty()) return;
    text += name;
    list(records);
  }
};

template <class Record>
std::string insert_into(std::string_view table, std::vector<std::string_view> owner = {}) {
  const std::vector<std::string_view> own = names_of<Record>();
  owner.insert(owner.end(), own.begin(), own.end());
  const std::vector<std::string_view> marks(owner.size(), "?");
  return fmt::format("INSERT INTO {} ({}) VALUES ({})", table, fmt::join(owner, ", "),
                     fmt::join(marks, ", "));
}

template <class Record>
std::string select_from(std::string_view table, std::string_view more = "") {
  return fmt::format("SELECT {}{} FROM {}", fmt::join(names_of<Record>(), ", "), more, table);
}

template <class Record>
void bind_record(SQLite::Statement& statement, const Record& record, int first) {
  BindVisitor visitor{statement, first};
  visit(record, visitor);
}

template <class Record>
Record read_record(SQLite::Statement& statement) {
  Record record;
  ReadVisitor visitor{statement};
  visit(record, visitor);
  if (stands(Defence::kPassiveDatabase)) check(record);
  return record;
}

}  // namespace

std::string insert_run() { return insert_into<Run>("run"); }
std::string insert_evaluation() {
  return insert_into<Evaluation>("evaluation") + " ON CONFLICT (run_id, key) DO NOTHING";
}
std::string insert_check() { return insert_into<Check>("check_draw", {"evaluation", "position"}); }
std::string insert_sample() { return insert_into<Sample>("sample", {"evaluation", "position"}); }
std::string insert_vendor_sample() {
  return insert_into<Sample>("vendor_sample", {"evaluation", "position"});
}
std::string insert_attempt() { return insert_into<Attempt>("attempt", {"evaluation", "position"}); }
std::string insert_block() { return insert_into<Block>("block", {"evaluation", "position"}); }

std::string select_run() { return select_from<Run>("run"); }
std::string select_evaluation() { return select_from<Evaluation>("evaluation", ", number"); }
std::string select_check() { return select_from<Check>("check_draw"); }
std::string select_sample() {
  constexpr std::string_view kOwner = ", evaluation, position";
  return select_from<Sample>(fmt::format("({} UNION ALL {})", select_from<Sample>("sample", kOwner),
                                         select_from<Sample>("vendor_sample", kOwner)));
}
std::string select_attempt() { return select_from<Attempt>("attempt"); }
std::string select_block() { return select_from<Block>("block"); }

void bind(SQLite::Statement& statement, const Run& run, int first) {
  bind_record(statement, run, first);
}
void bind(SQLite::Statement& statement, const Evaluation& evaluation, int first) {
  bind_record(statement, evaluation, first);
}
void bind(SQLite::Statement& statement, const Check& check, int first) {
  bind_record(statement, check, first);
}
void bind(SQLite::Statement& statement, const Sample& sample, int first) {
  bind_record(statement, sample, first);
}
void bind(SQLite::Statement& statement, const Attempt& attempt, int first) {
  bind_record(statement, attempt, first);
}
void bind(SQLite::Statement& statement, const Block& block, int first) {
  bind_record(statement, block, first);
}

Run read_run(SQLite::Statement& statement) { return read_record<Run>(statement); }
Evaluation read_evaluation(SQLite::Statement& statement) {
  return read_record<Evaluation>(statement);
}
Check read_check(SQLite::Statement& statement) { return read_record<Check>(statement); }
Sample read_sample(SQLite::Statement& statement) { return read_record<Sample>(statement); }
Attempt read_attempt(SQLite::Statement& statement) { return read_record<Attempt>(statement); }
Block read_block(SQLite::Statement& statement) { return read_record<Block>(statement); }

std::string text_of(const Run& run) {
  TextVisitor visitor;
  visit(run, visitor);
  return std::move(visitor.text);
}

std::string text_of(const Evaluation& evaluation) {
  TextVisitor visitor;
  visit(evaluation, visitor);
  visitor.list(evaluation.checks);
  visitor.list(evaluation.samples);
  visitor.list(evaluation.alone);
  visitor.later_list("set_aside", evaluation.set_aside);
  visitor.later_list("attempt", evaluation.attempts);
  visitor.later_list("block", evaluation.blocks);
  return std::move(visitor.text);
}

std::uint64_t bytes_of_row(SQLite::Statement& statement) {
  constexpr std::uint64_t kForItself = 64;
  std::uint64_t sum = kForItself;
  for (int i = 0; i < statement.getColumnCount(); ++i) {
    const SQLite::Column column = statement.getColumn(i);
    const bool sized = column.isText() || column.isBlob();
    if (sized) sum += static_cast<std::uint64_t>(column.getBytes());
  }
  return sum;
}

int evaluation_number_column() { return static_cast<int>(names_of<Evaluation>().size()); }

}  // namespace kbench::columns
