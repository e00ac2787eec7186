#include "runner/lane/lane_message.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "runner/core/channel.hpp"

namespace kbench {
namespace {

constexpr std::array<std::pair<LaneAsk, std::string_view>, 4> kAsks{{
    {LaneAsk::kTake, "take"},
    {LaneAsk::kStart, "start"},
    {LaneAsk::kMeasure, "measure"},
    {LaneAsk::kEnd, "end"},
}};

constexpr std::array<std::pair<LaneAnswer, std::string_view>, 8> kAnswers{{
    {LaneAnswer::kNote, "note"},
    {LaneAnswer::kDetail, "detail"},
    {LaneAnswer::kWarning, "warning"},
    {LaneAnswer::kStep, "step"},
    {LaneAnswer::kTaken, "taken"},
    {LaneAnswer::kReady, "ready"},
    {LaneAnswer::kResult, "result"},
    {LaneAnswer::kFailed, "failed"},
}};

constexpr std::array<std::pair<ErrorCode, std::string_view>, 8> kCodes{{
    {ErrorCode::kUsage, "usage"},
    {ErrorCode::kBadInput, "bad_input"},
    {ErrorCode::kNotFound, "not_found"},
    {ErrorCode::kSubmission, "submission"},
    {ErrorCode::kDoesNotFit, "does_not_fit"},
    {ErrorCode::kTimeout, "timeout"},
    {ErrorCode::kInterrupted, "interrupted"},
    {ErrorCode::kInfrastructure, "infrastructure"},
}};

template <class Table, class Value>
std::string_view word_of(const Table& table, Value value) {
  for (const auto& [known, word] : table)
    if (known == value) return word;
  return "";
}

// Null where the member is no word of the table.
template <class Table>
const typename Table::value_type::first_type* value_in(const Table& table, const Json& json,
                                                       const char* member) {
  const auto found = json.find(member);
  if (found == json.end() || !found->is_string()) return nullptr;
  for (const auto& entry : table)
    if (entry.second == found->template get_ref<const std::string&>()) return &entry.first;
  return nullptr;
}

Error malformed(const char* what) {
  return {ErrorCode::kBadInput, std::string("malformed message of a lane: ") + what, ""};
}

std::string text_in(const Json& json, const char* member) {
  const auto found = json.find(member);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool flag_in(const Json& json, const char* member) {
  const auto found = json.find(member);
  return found != json.end() && found->is_boolean() && found->get<bool>();
}

Json error_json(const Error& error) {
  return {{"code", word_of(kCodes, error.code)}, {"message", error.message}, {"hint", error.hint}};
}

std::optional<Error> error_in(const Json& json, const char* member) {
  const auto found = json.find(member);
  if (found == json.end() || !found->is_object()) return std::nullopt;
  const ErrorCode* code = value_in(kCodes, *found, "code");
  return Error{code != nullptr ? *code : ErrorCode::kInfrastructure, text_in(*found, "message"),
               text_in(*found, "hint")};
}

}  // namespace

Error longer_than_a_message(std::string_view what) {
  return {ErrorCode::kInfrastructure,
          fmt::format("{} takes more than the {} MiB of a message of a lane", what,
                      Channel::kMaxMessageBytes >> 20),
          "measure it without --devices"};
}

Json to_json(const LaneRequest& request) {
  Json json = {{"ask", word_of(kAsks, request.ask)}};
  switch (request.ask) {
    case LaneAsk::kTake: json["body"] = request.body; break;
    case LaneAsk::kStart: break;
    case LaneAsk::kMeasure:
      json["body"] = request.body;
      json["seconds"] = request.seconds;
      json["gives_turn"] = request.gives_turn;
      break;
    case LaneAsk::kEnd: json["lost"] = request.lost; break;
  }
  return json;
}

Result<LaneRequest> lane_request_from_json(const Json& json) {
  if (!json.is_object()) return malformed("no object");
  const LaneAsk* ask = value_in(kAsks, json, "ask");
  if (ask == nullptr) return malformed("ask");
  LaneRequest request;
  request.ask = *ask;
  if (const auto body = json.find("body"); body != json.end()) request.body = *body;
  if (const auto seconds = json.find("seconds"); seconds != json.end() && seconds->is_number())
    request.seconds = seconds->get<double>();
  request.gives_turn = flag_in(json, "gives_turn");
  request.lost = flag_in(json, "lost");
  return request;
}

Json to_json(const LaneReply& reply) {
  Json json = {{"answer", word_of(kAnswers, reply.answer)}};
  switch (reply.answer) {
    case LaneAnswer::kNote:
    case LaneAnswer::kDetail:
    case LaneAnswer::kWarning:
    case LaneAnswer::kStep: json["text"] = reply.text; break;
    case LaneAnswer::kTaken: break;
    case LaneAnswer::kReady: json["facts"] = reply.facts; break;
    case LaneAnswer::kResult:
      if (reply.result.failure)
        json["error"] = error_json(*reply.result.failure);
      else
        json["body"] = reply.result.body;
      if (reply.result.lost) json["lost"] = error_json(*reply.result.lost);
      break;
    case LaneAnswer::kFailed: json["error"] = error_json(reply.failure.value_or(Error{})); break;
  }
  return json;
}

Result<LaneReply> lane_reply_from_json(const Json& json) {
  if (!json.is_object()) return malformed("no object");
  const LaneAnswer* answer = value_in(kAnswers, json, "answer");
  if (answer == nullptr) return malformed("answer");
  LaneReply reply;
  reply.answer = *answer;
  reply.text = text_in(json, "text");
  if (const auto facts = json.find("facts"); facts != json.end()) reply.facts = *facts;
  const auto error = error_in(json, "error");
  if (reply.answer == LaneAnswer::kFailed) {
    if (!error) return malformed("error");
    reply.failure = error;
  }
  if (reply.answer != LaneAnswer::kResult) return reply;
  const auto body = json.find("body");
  if (body == json.end() && !error) return malformed("body");
  if (body != json.end()) reply.result.body = *body;
  reply.result.failure = error;
  reply.result.lost = error_in(json, "lost");
  return reply;
}

}  // namespace kbench
