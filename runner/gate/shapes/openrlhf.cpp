#include "runner/gate/shapes/openrlhf.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/answer/answer_code.hpp"
#include "runner/serve/client_limits.hpp"

namespace kbench {
namespace {

// Time limit of OpenRLHF's client; a client with another one says so: ?timeout_s=120.
constexpr std::chrono::seconds kClientHolds{180};

Error bad(std::string message, std::string hint = "") {
  return {ErrorCode::kBadInput, std::move(message), std::move(hint)};
}

// A list of texts; empty where it is missing.
Result<std::vector<std::string>> texts_in(const Json& body, const char* name) {
  std::vector<std::string> texts;
  const auto found = body.find(name);
  if (found == body.end() || found->is_null()) return texts;
  if (!found->is_array()) return bad(fmt::format("\"{}\" is no list", name));
  for (const Json& text : *found) {
    if (!text.is_string()) return bad(fmt::format("\"{}\" is no list of texts", name));
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

double number_at(const OrderOutcome& outcome, const char* pointer) {
  if (outcome.kind != OrderOutcome::Kind::kDone) return 0;
  const Json value = outcome.body.value(Json::json_pointer(pointer), Json());
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  return value.is_number() ? value.get<double>() : 0;
}

// Why there is no number.
HttpResponse no_reward(const OrderOutcome& outcome) {
  switch (outcome.kind) {
    case OrderOutcome::Kind::kPending:
      return refuse(503, "it is not judged yet",
                    "ask again with the same body: the row will be there", kAtOnce);
    case OrderOutcome::Kind::kRefused: return json_response(outcome.status, outcome.body);
    case OrderOutcome::Kind::kDone: break;
  }
  const Json& body = outcome.body;
  if (body.value(Json::json_pointer("/row/fault"), "") == "infrastructure")
    return refuse(503, body.value(Json::json_pointer("/row/message"), "the machine failed"),
                  "asked again, it is measured again");
  const Json reason = body.value(Json::json_pointer("/row/reward/reason"), Json());
  return refuse(422, reason.is_string() ? reason.get<std::string>() : "it has no reward",
                "choose another reward or another task");
}

HttpResponse rewards_of(const std::vector<OrderOutcome>& outcomes, const std::string& reward) {
  Json rewards = Json::array();
  Json logs = {{"correct", Json::array()},
               {"speedup_eager", Json::array()},
               {"speedup_compiled", Json::array()}};
  for (const OrderOutcome& outcome : outcomes) {
    const auto value = value_of(outcome, reward);
    if (!value) return no_reward(outcome);
    rewards.push_back(*value);
    logs["correct"].push_back(number_at(outcome, "/row/correct"));
    logs["speedup_eager"].push_back(number_at(outcome, "/row/speedup/eager/estimate"));
    logs["speedup_compiled"].push_back(number_at(outcome, "/row/speedup/compiled/estimate"));
  }
  return json_response(
      200, {{"rewards", rewards}, {"scores", rewards}, {"extra_logs", std::move(logs)}});
}

// A tokenizer may have put its own marks before the prompt.
std::string_view behind_prompt(std::string_view query, std::string_view prompt) {
  const std::size_t at = prompt.empty() ? 0 : query.find(prompt);
  return at == std::string_view::npos ? query : query.substr(at + prompt.size());
}

Wanted wanted_of(const std::string& query, const std::string& prompt, const std::string& label,
                 const std::string& size, const Client& client) {
  auto files = files_in_answer(behind_prompt(query, prompt), client.device);
  if (files.empty()) return {nullptr, no_code()};
  return want_order({.task = label, .size = size, .agent = client.name, .files = std::move(files)});
}

}  // namespace

Result<Errand> openrlhf_errand(const Json& body, const HttpTarget& target, const Client& client) {
  const auto asked = [&](const char* name) {
    const auto found = target.query.find(name);
    return found == target.query.end() ? std::string() : found->second;
  };
  auto reward = reward_name(asked("reward"));
  if (!reward) return reward.error();
  const auto queries = texts_in(body, "query");
  if (!queries) return queries.error();
  const auto prompts = texts_in(body, "prompts");
  if (!prompts) return prompts.error();
  const auto labels = texts_in(body, "labels");
  if (!labels) return labels.error();
  if (queries->empty() || queries->size() > limits::kMostBatch)
    return bad(fmt::format("\"query\" is no list of 1 to {} texts", limits::kMostBatch));
  if (labels->size() != queries->size())
    return bad("there is not one label for each query", "a label is a task: level1/019_relu");
  if (!prompts->empty() && prompts->size() != queries->size())
    return bad("there is not one prompt for each query");
  Errand errand;
  errand.reward = *reward;
  errand.client_holds = kClientHolds;
  for (std::size_t i = 0; i < queries->size(); ++i)
    errand.wanted.push_back(wanted_of((*queries)[i], prompts->empty() ? "" : (*prompts)[i],
                                      (*labels)[i], asked("size"), client));
  errand.answer = [reward = *reward](const std::vector<OrderOutcome>& outcomes) {
    return rewards_of(outcomes, reward);
  };
  return errand;
}

}  // namespace kbench
