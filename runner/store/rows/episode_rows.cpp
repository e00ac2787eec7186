#include "runner/store/rows/episode_rows.hpp"

#include <limits>
#include <span>
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
#include "runner/trajectory/prompt_context.hpp"

namespace kbench {
namespace {

constexpr std::size_t kShownOfAHash = 12;

constexpr std::string_view kHead =
    "id, run_id, task, size, device, model, sampling, seed, budget, started_at, finished_at, "
    "stop_reason, number";
constexpr int kNumberColumn = 12;  // index in kHead

[[noreturn]] void corrupt(const std::string& what) {
  throw SQLite::Exception(what, SQLITE_CORRUPT);
}
[[noreturn]] void missing(const std::string& what) {
  throw SQLite::Exception(what, SQLITE_CONSTRAINT);
}

// Values of the row that a statement stands on, each looked at before it is taken.
class Row {
 public:
  explicit Row(SQLite::Statement& rows) : rows_(rows) {}

  [[nodiscard]] std::string text(int column, const char* what) const {
    const SQLite::Column value = rows_.getColumn(column);
    if (!value.isText()) corrupt(fmt::format("an episode's {} is no text", what));
    return value.getString();
  }
  [[nodiscard]] std::int64_t number(int column, const char* what) const {
    const SQLite::Column value = rows_.getColumn(column);
    if (!value.isInteger()) corrupt(fmt::format("an episode's {} is no whole number", what));
    return value.getInt64();
  }
  [[nodiscard]] int count(int column, const char* what) const {
    const std::int64_t wide = number(column, what);
    if (wide < 0 || wide > std::numeric_limits<int>::max())
      corrupt(fmt::format("an episode's {} is {}, which no count can be", what, wide));
    return static_cast<int>(wide);
  }
  // A time or a number of tokens.
  [[nodiscard]] std::int64_t amount(int column, const char* what) const {
    const std::int64_t value = number(column, what);
    if (value < 0) corrupt(fmt::format("an episode's {} is negative", what));
    return value;
  }
  [[nodiscard]] std::optional<std::int64_t> amount_if_any(int column, const char* what) const {
    if (rows_.getColumn(column).isNull()) return std::nullopt;
    return amount(column, what);
  }

 private:
  SQLite::Statement& rows_;
};

Episode head_of(SQLite::Statement& rows) {
  const Row row(rows);
  Episode head;
  head.id = row.text(0, "id");
  head.run_id = row.text(1, "run");
  head.task = row.text(2, "task");
  head.size = row.text(3, "size");
  head.device = row.text(4, "device");
  head.model = row.text(5, "model");
  head.sampling = row.text(6, "sampling");
  head.seed = row.number(7, "seed");
  head.budget = row.text(8, "budget");
  head.started_at = row.text(9, "begin");
  head.finished_at = row.text(10, "end");
  const std::string reason = row.text(11, "stop reason");
  if (!reason.empty()) {
    head.stop_reason = stop_reason_from_string(reason);
    if (!head.stop_reason)
      corrupt(fmt::format("an episode's stop reason is the unknown \"{}\"", reason.substr(0, 40)));
  }
  if (head.finished_at.empty() != reason.empty())
    corrupt("an episode has a stop reason and no end, or an end and no reason");
  return head;
}

void need_text(SQLite::Database& database, const std::string& hash) {
  SQLite::Statement found(database, "SELECT 1 FROM blob WHERE hash = ?");
  found.bind(1, hash);
  if (!found.executeStep())
    missing(fmt::format("text {} of an episode is missing", hash.substr(0, kShownOfAHash)));
}

// The turn before that position. Throws where there is none.
PromptContext::Before turn_before(SQLite::Database& database, std::int64_t episode, int position) {
  SQLite::Statement row(database,
                        "SELECT c.hash, r.hash FROM turn JOIN blob AS c ON c.number = turn.context "
                        "JOIN blob AS r ON r.number = turn.reply "
                        "WHERE turn.episode = ? AND turn.position = ?");
  row.bind(1, episode);
  row.bind(2, position - 1);
  if (!row.executeStep()) missing(fmt::format("turn {} of an episode is missing", position));
  return {row.getColumn(0).getString(), row.getColumn(1).getString()};
}

void bind_or_null(SQLite::Statement& statement, int parameter,
                  const std::optional<std::int64_t>& value) {
  if (value)
    statement.bind(parameter, *value);
  else
    statement.bind(parameter);
}

// The context of a turn, which is a text like any other.
PromptContext context_of(SQLite::Database& database, const std::string& hash, WorkBudget& budget) {
  const StoredContents found = read_contents(database, std::span(&hash, 1),
                                             static_cast<std::size_t>(kMostBlobBytes), budget);
  if (const auto why = found.damaged.find(hash); why != found.damaged.end()) corrupt(why->second);
  const auto text = found.texts.find(hash);
  if (text == found.texts.end())
    corrupt(fmt::format("blob {} is missing", hash.substr(0, kShownOfAHash)));
  // A few bytes may be packed that stand for megabytes.
  budget.spend(text->second.size());
  auto context = read_context(text->second);
  if (!context) corrupt(context.error().message);
  return std::move(*context);
}

// The turns of one episode, in order, without their calls.
std::vector<Turn> read_turns(SQLite::Database& database, std::int64_t episode, WorkBudget& budget) {
  SQLite::Statement rows(
      database,
      "SELECT turn.position, c.hash, r.hash, turn.finish_reason, turn.prompt_tokens, "
      "turn.completion_tokens, turn.invalid_calls, turn.compacted, turn.wall_ms FROM turn "
      "LEFT JOIN blob AS c ON c.number = turn.context LEFT JOIN blob AS r ON r.number = turn.reply "
      "WHERE turn.episode = ? ORDER BY turn.position");
  rows.bind(1, episode);
  std::vector<Turn> turns;
  PromptContext::Before before;
  while (rows.executeStep()) {
    budget.spend(sizeof(Turn) + columns::bytes_of_row(rows));
    const Row row(rows);
    if (row.number(0, "turn") != static_cast<std::int64_t>(turns.size()))
      corrupt(fmt::format("turn {} of an episode is missing", turns.size() + 1));
    const std::string hash = row.text(1, "prompt");
    PromptContext context = context_of(database, hash, budget);
    if (context.before && (turns.empty() || context.before->context != before.context ||
                           context.before->reply != before.reply))
      corrupt(fmt::format("the prompt of turn {} of an episode follows on another one",
                          turns.size() + 1));
    Turn turn;
    turn.continues = context.before.has_value();
    turn.messages = std::move(context.messages);
    turn.tools = std::move(context.tools);
    turn.reply = row.text(2, "reply");
    turn.finish_reason = row.text(3, "finish reason");
    turn.prompt_tokens = row.amount_if_any(4, "prompt tokens");
    turn.completion_tokens = row.amount_if_any(5, "completion tokens");
    turn.invalid_calls = row.count(6, "invalid calls");
    turn.compacted = row.count(7, "compacted messages");
    turn.wall_ms = row.amount(8, "time");
    before = {hash, turn.reply};
    turns.push_back(std::move(turn));
  }
  return turns;
}

void read_calls(SQLite::Database& database, std::int64_t episode, std::vector<Turn>& turns,
                WorkBudget& budget) {
  SQLite::Statement rows(
      database,
      "SELECT call.turn, call.position, call.tool, a.hash, r.hash, call.error, call.tree_before, "
      "call.tree_after, coalesce(evaluation.key, ''), call.wall_ms, call.evaluation FROM call "
      "LEFT JOIN blob AS a ON a.number = call.arguments "
      "LEFT JOIN blob AS r ON r.number = call.result "
      "LEFT JOIN evaluation ON evaluation.number = call.evaluation "
      "WHERE call.episode = ? ORDER BY call.turn, call.position");
  rows.bind(1, episode);
  while (rows.executeStep()) {
    budget.spend(sizeof(ToolCall) + columns::bytes_of_row(rows));
    const Row row(rows);
    const int turn = row.count(0, "turn");
    if (turn >= static_cast<int>(turns.size())) corrupt("a call of an episode is of no turn");
    auto& calls = turns[static_cast<std::size_t>(turn)].calls;
    if (row.number(1, "call") != static_cast<std::int64_t>(calls.size()))
      corrupt(
          fmt::format("call {} in turn {} of an episode is missing", calls.size() + 1, turn + 1));
    ToolCall call;
    call.tool = row.text(2, "tool");
    call.arguments = row.text(3, "arguments");
    call.result = row.text(4, "result");
    const std::string error = row.text(5, "error");
    const auto known = call_error_from_string(error);
    if (!known) corrupt(fmt::format("a call's error is the unknown \"{}\"", error.substr(0, 40)));
    call.error = *known;
    call.tree_before = row.text(6, "tree");
    call.tree_after = row.text(7, "tree");
    call.evaluation = row.text(8, "evaluation");
    call.wall_ms = row.amount(9, "time");
    if (call.evaluation.empty() != rows.getColumn(10).isNull())
      corrupt("a call of an episode names an evaluation that is not there");
    calls.push_back(std::move(call));
  }
}

}  // namespace

std::optional<std::int64_t> find_episode(SQLite::Database& database, const std::string& id) {
  SQLite::Statement row(database, "SELECT number FROM episode WHERE id = ?");
  row.bind(1, id);
  return row.executeStep() ? std::optional(row.getColumn(0).getInt64()) : std::nullopt;
}

void insert_episode(SQLite::Database& database, const Episode& episode) {
  SQLite::Statement insert(
      database,
      "INSERT INTO episode (id, run_id, task, size, device, model, sampling, seed, budget, "
      "started_at, finished_at, stop_reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert.bind(1, episode.id);
  insert.bind(2, episode.run_id);
  insert.bind(3, episode.task);
  insert.bind(4, episode.size);
  insert.bind(5, episode.device);
  insert.bind(6, episode.model);
  insert.bind(7, episode.sampling);
  insert.bind(8, episode.seed);
  insert.bind(9, episode.budget);
  insert.bind(10, episode.started_at);
  insert.bind(11, episode.finished_at);
  insert.bind(12, std::string(episode.stop_reason ? to_string(*episode.stop_reason) : ""));
  insert.exec();
}

void insert_turn(SQLite::Database& database, std::int64_t episode, int position, const Turn& turn,
                 WorkBudget& budget) {
  for (const std::string& message : turn.messages) need_text(database, message);
  if (!turn.tools.empty()) need_text(database, turn.tools);
  need_text(database, turn.reply);
  PromptContext::Before before;
  if (position > 0) before = turn_before(database, episode, position);
  if (position == 0 && turn.continues) missing("the first turn of an episode follows on nothing");
  const Blob context = pack(context_text(turn, before));
  put_blobs(database, std::span(&context, 1), budget);
  SQLite::Statement insert(
      database,
      "INSERT INTO turn (episode, position, context, reply, finish_reason, prompt_tokens, "
      "completion_tokens, invalid_calls, compacted, wall_ms) VALUES (?, ?, "
      "(SELECT number FROM blob WHERE hash = ?), (SELECT number FROM blob WHERE hash = ?), "
      "?, ?, ?, ?, ?, ?)");
  insert.bind(1, episode);
  insert.bind(2, position);
  insert.bind(3, context.hash);
  insert.bind(4, turn.reply);
  insert.bind(5, turn.finish_reason);
  bind_or_null(insert, 6, turn.prompt_tokens);
  bind_or_null(insert, 7, turn.completion_tokens);
  insert.bind(8, turn.invalid_calls);
  insert.bind(9, turn.compacted);
  insert.bind(10, turn.wall_ms);
  insert.exec();
}

void insert_call(SQLite::Database& database, std::int64_t episode, int turn, int position,
                 const ToolCall& call) {
  need_text(database, call.arguments);
  need_text(database, call.result);
  std::optional<std::int64_t> evaluation;
  if (!call.evaluation.empty()) {
    SQLite::Statement row(database,
                          "SELECT number FROM evaluation WHERE key = ? AND run_id = "
                          "(SELECT run_id FROM episode WHERE number = ?)");
    row.bind(1, call.evaluation);
    row.bind(2, episode);
    if (!row.executeStep()) missing("a call of an episode names an evaluation that is not there");
    evaluation = row.getColumn(0).getInt64();
  }
  SQLite::Statement insert(
      database,
      "INSERT INTO call (episode, turn, position, tool, arguments, result, error, tree_before, "
      "tree_after, evaluation, wall_ms) VALUES (?, ?, ?, ?, (SELECT number FROM blob WHERE hash = "
      "?), (SELECT number FROM blob WHERE hash = ?), ?, ?, ?, ?, ?)");
  insert.bind(1, episode);
  insert.bind(2, turn);
  insert.bind(3, position);
  insert.bind(4, call.tool);
  insert.bind(5, call.arguments);
  insert.bind(6, call.result);
  insert.bind(7, std::string(to_string(call.error)));
  insert.bind(8, call.tree_before);
  insert.bind(9, call.tree_after);
  bind_or_null(insert, 10, evaluation);
  insert.bind(11, call.wall_ms);
  insert.exec();
}

void insert_whole_episode(SQLite::Database& database, const Episode& episode, WorkBudget& budget) {
  insert_episode(database, episode);
  const std::int64_t number = database.getLastInsertRowid();
  for (std::size_t t = 0; t < episode.turns.size(); ++t) {
    const Turn& turn = episode.turns[t];
    insert_turn(database, number, static_cast<int>(t), turn, budget);
    for (std::size_t c = 0; c < turn.calls.size(); ++c)
      insert_call(database, number, static_cast<int>(t), static_cast<int>(c), turn.calls[c]);
  }
}

std::vector<Episode> read_episodes(SQLite::Database& database, std::string_view of,
                                   const std::string& value, WorkBudget& budget) {
  SQLite::Statement rows(
      database, fmt::format("SELECT {} FROM episode WHERE {} = ? ORDER BY number", kHead, of));
  rows.bind(1, value);
  std::vector<Episode> episodes;
  while (rows.executeStep()) {
    budget.spend(sizeof(Episode) + columns::bytes_of_row(rows));
    Episode episode = head_of(rows);
    const std::int64_t number = rows.getColumn(kNumberColumn).getInt64();
    episode.turns = read_turns(database, number, budget);
    read_calls(database, number, episode.turns, budget);
    episodes.push_back(std::move(episode));
  }
  return episodes;
}

std::vector<EpisodeSummary> list_episodes(SQLite::Database& database,
                                          const std::optional<std::string>& run_id,
                                          WorkBudget& budget) {
  SQLite::Statement rows(
      database, fmt::format("SELECT {} FROM episode {} ORDER BY started_at DESC, number DESC",
                            kHead, run_id ? "WHERE run_id = ?" : ""));
  if (run_id) rows.bind(1, *run_id);
  SQLite::Statement turns(database,
                          "SELECT count(*), coalesce(sum(invalid_calls), 0), "
                          "coalesce(sum(coalesce(prompt_tokens, 0) + "
                          "coalesce(completion_tokens, 0)), 0) FROM turn WHERE episode = ?");
  SQLite::Statement calls(database, "SELECT count(*) FROM call WHERE episode = ?");
  SQLite::Statement last(database,
                         "SELECT evaluation.key FROM call JOIN evaluation ON evaluation.number = "
                         "call.evaluation WHERE call.episode = ? "
                         "ORDER BY call.turn DESC, call.position DESC LIMIT 1");
  std::vector<EpisodeSummary> episodes;
  while (rows.executeStep()) {
    budget.spend(sizeof(EpisodeSummary) + columns::bytes_of_row(rows));
    EpisodeSummary episode;
    episode.head = head_of(rows);
    const std::int64_t number = rows.getColumn(kNumberColumn).getInt64();
    for (SQLite::Statement* statement : {&turns, &calls, &last}) statement->bind(1, number);
    if (turns.executeStep()) {
      const Row row(turns);
      episode.turns = row.count(0, "number of turns");
      episode.invalid_calls = row.count(1, "invalid calls");
      episode.tokens = row.amount(2, "tokens");
    }
    if (calls.executeStep()) episode.calls = Row(calls).count(0, "number of calls");
    if (last.executeStep()) episode.evaluation = Row(last).text(0, "evaluation");
    for (SQLite::Statement* statement : {&turns, &calls, &last}) statement->reset();
    episodes.push_back(std::move(episode));
  }
  return episodes;
}

std::optional<std::set<std::string>> texts_of_prompts(SQLite::Database& database,
                                                      WorkBudget& budget) {
  std::set<std::string> hashes;
  try {
    SQLite::Statement rows(database,
                           "SELECT hash FROM blob WHERE number IN (SELECT context FROM turn)");
    while (rows.executeStep()) {
      PromptContext context = context_of(database, Row(rows).text(0, "prompt"), budget);
      if (!context.tools.empty()) hashes.insert(std::move(context.tools));
      for (std::string& message : context.messages) hashes.insert(std::move(message));
    }
  } catch (const SQLite::Exception& exception) {
    if (exception.getErrorCode() != SQLITE_CORRUPT) throw;
    return std::nullopt;
  }
  return hashes;
}

std::vector<std::string> damaged_texts(const std::vector<Episode>& episodes,
                                       const DamagedBlobs& damaged) {
  std::vector<std::string> sentences;
  if (damaged.empty()) return sentences;
  for (const Episode& episode : episodes) {
    std::size_t count = 0;
    std::string first;
    for (const std::string& hash : texts_of(episode)) {
      const auto found = damaged.find(hash);
      if (found == damaged.end()) continue;
      if (count++ == 0) first = found->second;
    }
    if (count > 0)
      sentences.push_back(fmt::format("{} text{} of episode {} {} damaged: {}", count,
                                      count == 1 ? "" : "s", episode.id.substr(0, kShownOfAHash),
                                      count == 1 ? "is" : "are", first));
  }
  return sentences;
}

}  // namespace kbench
