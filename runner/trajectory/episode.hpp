// The record of one episode: an agent's tries at one task, from the first prompt to what ended it.
// Texts (messages, arguments, results) are named by the SHA-256 of what they hold and lie in the
// store as blobs, each once. Written by the driver, kept by runner/store, shown by reports,
// exported for trainers.
//
// Invariant: what is in here happened. A turn is complete before its tools run, and a call before
// the next turn, so that an episode that was cut off anywhere can go on without saying or judging
// anything twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

// The reason why a call of a tool was not answered.
enum class CallError {
  kNone,            // it was answered; what that says of the kernel is its result
  kUnknownTool,     // the model named a tool that was not offered
  kBadArguments,    // no JSON, or not what the tool takes
  kRefused,         // the tool said why it could not: no such file, nothing to judge
  kOverBudget,      // no more evaluations were granted
  kInfrastructure,  // kbench's own fault or the machine's
};

// Why there were no more turns.
enum class StopReason {
  kSubmit,    // the submission was judged
  kAnswered,  // the model asked for nothing any more
  kTurns,     // this and the next three: that budget was used up
  kTokens,
  kEvaluations,
  kSeconds,
  kWindow,          // the prompt does not fit the model's window, however short it is made
  kEndpoint,        // the endpoint gave no answer, or none that can be read
  kInfrastructure,  // kbench's own fault or the machine's
};

[[nodiscard]] std::string_view to_string(CallError error);  // "unknown_tool"; "" for kNone
[[nodiscard]] std::string_view to_string(StopReason reason);
[[nodiscard]] std::optional<CallError> call_error_from_string(std::string_view text);
[[nodiscard]] std::optional<StopReason> stop_reason_from_string(std::string_view text);

// Whether the model called what it was never offered, or not as it was told.
[[nodiscard]] bool is_invalid(CallError error);
// Whether the model is not to blame that the episode ended there.
[[nodiscard]] bool is_infrastructure(StopReason reason);

struct ToolCall {
  std::string tool;       // the model's word for it
  std::string arguments;  // hash of what it wrote, which need not be JSON
  std::string result;     // hash of what it was told
  CallError error = CallError::kNone;
  std::string tree_before;  // hash of the kernels before and after; empty without any
  std::string tree_after;
  std::string evaluation;  // key of the row in the episode's run that it brought; empty: none
  std::int64_t wall_ms = 0;

  friend bool operator==(const ToolCall&, const ToolCall&) = default;
};

struct Turn {
  // The messages of its prompt, by their hashes. Where it `continues`, those of the turn before,
  // its reply, and then these; else these alone.
  bool continues = false;
  std::vector<std::string> messages;
  std::string tools;          // hash of the list of tools that was offered; empty: none was
  std::string reply;          // hash of the assistant's message
  std::string finish_reason;  // the endpoint's word
  std::optional<std::int64_t> prompt_tokens;  // the endpoint's count; empty: it does not count
  std::optional<std::int64_t> completion_tokens;
  int invalid_calls = 0;
  int compacted = 0;         // messages of the prompt that stand there shortened
  std::int64_t wall_ms = 0;  // time of the request
  std::vector<ToolCall> calls;

  friend bool operator==(const Turn&, const Turn&) = default;
};

struct Episode {
  std::string id;                         // 128 random bits, hex
  std::string run_id;                     // run that has the rows of its submissions
  std::string task;                       // "level1/019_relu"
  std::string size;                       // "small" or "full"
  std::string device;                     // "cpu" or "cuda"
  std::string model;                      // the endpoint's name of it
  std::string sampling;                   // JSON: temperature, style, ...
  std::int64_t seed = 0;                  // seed that the endpoint was given
  std::string budget;                     // JSON: turns, tokens, evaluations, seconds, window
  std::string started_at;                 // UTC, RFC 3339
  std::string finished_at;                // empty while it goes on, and for ever after a kill
  std::optional<StopReason> stop_reason;  // empty like it
  std::vector<Turn> turns;

  friend bool operator==(const Episode&, const Episode&) = default;
};

// Texts by their hashes.
using Contents = std::map<std::string, std::string>;

// An episode with what was said in it, as far as that is to be had.
struct StoredEpisode {
  Episode episode;
  Contents contents;
};

// An episode of one list: without its turns, which are counted.
struct EpisodeSummary {
  Episode head;
  int turns = 0;
  int calls = 0;
  int invalid_calls = 0;
  std::int64_t tokens = 0;  // tokens of prompts and replies, as far as the endpoint counted
  std::string evaluation;   // key of the last row that it brought; empty: none
};

// Hashes of the messages of a turn's prompt, in order. `turn` is one of the episode's.
[[nodiscard]] std::vector<std::string> prompt_of(const Episode& episode, std::size_t turn);

// Everything that was said, each message as it was when it was said first: prompts that were
// shortened later do not count. Ends with the last reply.
struct Conversation {
  std::vector<std::string> messages;  // hashes
  std::vector<std::size_t> replies;   // place of each turn's reply in `messages`
};
[[nodiscard]] Conversation conversation_of(const Episode& episode);

// Hashes of all texts that the episode is made of.
[[nodiscard]] std::set<std::string> texts_of(const Episode& episode);

// The key of the last row that it brought; empty without any.
[[nodiscard]] std::string last_evaluation(const Episode& episode);

}  // namespace kbench
