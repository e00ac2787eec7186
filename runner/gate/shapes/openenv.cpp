#include "runner/gate/shapes/openenv.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <regex>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/answer/answer_code.hpp"

namespace kbench {
namespace {

using Pointer = Json::json_pointer;

constexpr std::chrono::seconds kClientHolds{60};  // its own
constexpr const char* kReward = "kernrl";
constexpr int kMostTurns = 1000;
constexpr std::size_t kMostIdBytes = 255;

Error bad(std::string message, std::string hint = "") {
  return {ErrorCode::kBadInput, std::move(message), std::move(hint)};
}

// The fields that every observation has, whatever came before.
Json observation_of(const OpenEnvEpisode& episode, const std::string& feedback) {
  const Json& task = episode.task;
  return {{"problem_id", task.value("task", "")},
          {"problem_description", task.value("prompt", "")},
          {"reference_code", task.value("reference", "")},
          {"gpu_info", task.value("device_name", "")},
          {"turn", episode.turn},
          {"max_turns", episode.max_turns},
          {"feedback", feedback},
          {"compilation_success", false},
          {"compilation_error", nullptr},
          {"correctness_pass", nullptr},
          {"max_diff", nullptr},
          {"speedup", nullptr}};
}

HttpResponse observed(const OpenEnvEpisode& episode, Json observation, const Json& reward,
                      Json metadata) {
  return json_response(200, {{"observation", std::move(observation)},
                             {"reward", reward},
                             {"done", episode.turn >= episode.max_turns},
                             {"metadata", std::move(metadata)}});
}

std::string words_of(const Json& row) {
  const std::string message = row.value("message", Json()).is_string()
                                  ? row.at("message").get<std::string>()
                                  : std::string();
  const std::string hint =
      row.value("hint", Json()).is_string() ? row.at("hint").get<std::string>() : std::string();
  const std::string state = row.value("state", "");
  if (message.empty()) return state;
  return fmt::format("{}: {}{}{}", state, message, hint.empty() ? "" : "\n", hint);
}

HttpResponse observe_row(OpenEnvEpisode& episode, const OrderOutcome& outcome) {
  const Json row = outcome.body.value("row", Json::object());
  const std::string state = row.value("state", "");
  // A fault of the machine is no turn of the agent's.
  const bool ours = row.value("fault", "") == "infrastructure";
  if (!ours) ++episode.turn;
  const bool compiled = state != "compile_error" && state != "missing_symbol" &&
                        state != "load_error" && state != "import_error" && !ours;
  const Json speedup = row.value(Pointer("/speedup/eager/estimate"), Json());
  if (state == "ok") {
    episode.solved = true;
    if (speedup.is_number())
      episode.best_speedup = std::max(episode.best_speedup, speedup.get<double>());
  }
  Json observation = observation_of(episode, words_of(row));
  observation["compilation_success"] = compiled;
  if (!compiled && !ours) observation["compilation_error"] = row.value("message", Json());
  observation["correctness_pass"] = row.value("correct", Json());
  observation["max_diff"] = row.value("max_error", Json());
  observation["speedup"] = speedup;
  return observed(episode, std::move(observation), row.value(Pointer("/reward/value"), Json()),
                  {{"id", outcome.body.value("id", Json())}, {"state", state}});
}

HttpResponse observe(OpenEnvEpisode& episode, const OrderOutcome& outcome) {
  switch (outcome.kind) {
    case OrderOutcome::Kind::kDone: return observe_row(episode, outcome);
    case OrderOutcome::Kind::kPending:
      return observed(episode,
                      observation_of(episode,
                                     "still measuring: step again with the same code, it is not "
                                     "measured twice"),
                      Json(), {{"id", outcome.body.value("id", Json())}, {"state", "pending"}});
    case OrderOutcome::Kind::kRefused: break;
  }
  const auto worth = value_of(outcome, kReward);
  if (!worth) return json_response(outcome.status, outcome.body);
  ++episode.turn;
  const std::string message = outcome.body.value(Pointer("/error/message"), "");
  Json observation = observation_of(episode, message);
  observation["compilation_error"] = message;
  return observed(episode, std::move(observation), *worth, {{"state", "refused"}});
}

Json text_schema() { return {{"type", "string"}}; }
Json nullable(const char* type) { return {{"type", {type, "null"}}}; }

Json object_schema(Json properties, Json required) {
  return {
      {"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(required)}};
}

}  // namespace

std::string task_of_problem(const std::string& problem) {
  static const std::regex kProblem("L([0-9]{1,2})_([0-9]{1,6})(_.*)?");
  std::smatch parts;
  if (problem.size() > 200 || !std::regex_match(problem, parts, kProblem)) return problem;
  return fmt::format("level{}/{:03}_*", std::stoi(parts[1]), std::stoi(parts[2]));
}

Result<Errand> openenv_reset(const Json& data, std::shared_ptr<OpenEnvEpisode> episode) {
  auto problem = text_field(data, "problem_id", "");
  if (!problem) return problem.error();
  const auto size = text_field(data, "size", "");
  if (!size) return size.error();
  const auto id = text_field(data, "episode_id", "");
  if (!id) return id.error();
  if (id->size() > kMostIdBytes) return bad("episode_id is too long");
  int turns = OpenEnvEpisode().max_turns;
  if (const auto given = data.find("max_turns"); given != data.end() && !given->is_null()) {
    if (!given->is_number_integer() || *given < 1 || *given > kMostTurns)
      return bad(fmt::format("max_turns is no number from 1 to {}", kMostTurns));
    turns = given->get<int>();
  }
  Errand errand;
  errand.wanted.push_back(want_task(task_of_problem(*problem), *size));
  errand.answer = [episode = std::move(episode), id = *id,
                   turns](const std::vector<OrderOutcome>& outcomes) {
    const OrderOutcome& outcome = outcomes.front();
    if (outcome.kind != OrderOutcome::Kind::kDone)
      return json_response(outcome.status, outcome.body);
    *episode = {.id = id, .task = outcome.body, .max_turns = turns};
    return observed(*episode, observation_of(*episode, ""), Json(),
                    {{"size", outcome.body.value("size", Json())}});
  };
  return errand;
}

Result<Errand> openenv_step(const Json& action, const Client& client,
                            std::shared_ptr<OpenEnvEpisode> episode) {
  if (!action.is_object()) return bad("an action is no object");
  const auto code = text_field(action, "code");
  if (!code) return code.error();
  if (episode->task.is_null()) return bad("there is no episode", "reset begins one");
  if (episode->turn >= episode->max_turns)
    return bad("the episode is over", "reset begins another one");
  auto files = files_of_code(*code, client.device);
  Errand errand;
  errand.reward = kReward;
  errand.client_holds = kClientHolds;
  if (files.empty()) {
    errand.wanted.push_back({nullptr, no_code()});
  } else {
    errand.wanted.push_back(want_order({.task = episode->task.value("task", ""),
                                        .size = episode->task.value("size", ""),
                                        .agent = client.name,
                                        .files = std::move(files)}));
  }
  errand.answer = [episode = std::move(episode)](const std::vector<OrderOutcome>& outcomes) {
    return observe(*episode, outcomes.front());
  };
  return errand;
}

Json openenv_state(const OpenEnvEpisode& episode) {
  return {{"episode_id", episode.id.empty() ? Json() : Json(episode.id)},
          {"step_count", episode.turn},
          {"problem_id", episode.task.is_null() ? Json() : episode.task.value("task", Json())},
          {"turn", episode.turn},
          {"max_turns", episode.max_turns},
          {"best_speedup", episode.best_speedup},
          {"solved", episode.solved}};
}

Json openenv_schema() {
  Json action = object_schema({{"code", text_schema()}}, {"code"});
  Json observation = object_schema({{"problem_id", text_schema()},
                                    {"problem_description", text_schema()},
                                    {"reference_code", text_schema()},
                                    {"gpu_info", text_schema()},
                                    {"turn", {{"type", "integer"}}},
                                    {"max_turns", {{"type", "integer"}}},
                                    {"feedback", text_schema()},
                                    {"compilation_success", {{"type", "boolean"}}},
                                    {"compilation_error", nullable("string")},
                                    {"correctness_pass", nullable("boolean")},
                                    {"max_diff", nullable("number")},
                                    {"speedup", nullable("number")}},
                                   {"problem_id", "turn", "max_turns"});
  Json state = object_schema({{"episode_id", nullable("string")},
                              {"step_count", {{"type", "integer"}}},
                              {"problem_id", nullable("string")},
                              {"turn", {{"type", "integer"}}},
                              {"max_turns", {{"type", "integer"}}},
                              {"best_speedup", {{"type", "number"}}},
                              {"solved", {{"type", "boolean"}}}},
                             {"step_count"});
  return {{"action", std::move(action)},
          {"observation", std::move(observation)},
          {"state", std::move(state)}};
}

Json openenv_metadata(const GateHello& hello) {
  return {
      {"name", "kbench"},
      {"description", fmt::format("Write kernels that are correct and faster than PyTorch, on {}",
                                  hello.device_name)},
      {"readme_content", nullptr},
      {"version", hello.version},
      {"author", nullptr},
      {"documentation_url", nullptr}};
}

Json openenv_message(const HttpResponse& response) {
  Json body = Json::parse(response.body, nullptr, /*allow_exceptions=*/false);
  if (response.status == 200) return {{"type", "observation"}, {"data", std::move(body)}};
  const bool theirs = response.status < 429;
  return openenv_error(body.is_object() ? body.value(Pointer("/error/message"), "") : "",
                       theirs ? "VALIDATION_ERROR" : "EXECUTION_ERROR");
}

Json openenv_error(const std::string& message, const char* code) {
  return {{"type", "error"}, {"data", {{"message", message}, {"code", code}}}};
}

}  // namespace kbench
