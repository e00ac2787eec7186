#include "runner/gate/shapes/v1.hpp"

#include <utility>

#include <fmt/format.h>

#include "runner/serve/client_limits.hpp"
#include "runner/serve/gate_protocol.hpp"

namespace kbench {
namespace {

HttpResponse only_one(const std::vector<OrderOutcome>& outcomes) {
  return json_response(outcomes.front().status, outcomes.front().body);
}

HttpResponse all_of_them(const std::vector<OrderOutcome>& outcomes) {
  Json list = Json::array();
  for (const OrderOutcome& outcome : outcomes) {
    Json one = outcome.body;
    one["status"] = outcome.status;
    list.push_back(std::move(one));
  }
  return json_response(200, {{"evaluations", std::move(list)}});
}

// The order in a body: its other fields are not looked at.
Result<Order> order_in(const Json& body, const Client& client) {
  Json fields = Json::object();
  for (const char* name : {"task", "reference", "size", "device", "files"})
    if (const auto found = body.find(name); found != body.end() && !found->is_null())
      fields[name] = *found;
  auto order = order_from_json(fields);
  if (!order) return Error{ErrorCode::kBadInput, order.error().message, order.error().hint};
  order->agent = client.name;
  return order;
}

Status read_conditions(const Json& body, Errand& errand) {
  const auto name = text_field(body, "reward", "");
  if (!name) return name.error();
  auto reward = reward_name(*name);
  if (!reward) return reward.error();
  const auto wait = wait_field(body);
  if (!wait) return wait.error();
  errand.reward = std::move(*reward);
  errand.client_holds = *wait;
  return Done{};
}

Wanted wanted_in(const Json& body, const Client& client) {
  Result<Order> order =
      Error{ErrorCode::kBadInput, "an evaluation is no object", "GET /openapi.json describes one"};
  if (body.is_object()) {
    const auto fields = only_fields(body, {"task", "reference", "size", "device", "files"});
    order = fields ? order_in(body, client) : Result<Order>(fields.error());
  }
  if (order) return want_order(*order);
  return {nullptr, OrderOutcome{OrderOutcome::Kind::kRefused, 400,
                                refusal_json(order.error().message, order.error().hint)}};
}

}  // namespace

Result<Errand> evaluation_errand(const Json& body, const Client& client) {
  if (auto fields = only_fields(
          body, {"task", "reference", "size", "device", "files", "reward", "wait_s", "profile"});
      !fields)
    return fields.error();
  const auto profile = body.find("profile");
  if (profile != body.end() && !profile->is_boolean())
    return Error{ErrorCode::kBadInput, "\"profile\" is neither true nor false",
                 "leave it out, or send true"};
  Errand errand;
  if (auto read = read_conditions(body, errand); !read) return read.error();
  auto order = order_in(body, client);
  if (!order) return order.error();
  if (profile != body.end() && profile->get<bool>()) order->what = "profile";
  errand.wanted.push_back(want_order(*order));
  errand.answer = only_one;
  return errand;
}

Result<Errand> batch_errand(const Json& body, const Client& client) {
  if (auto fields = only_fields(body, {"evaluations", "reward", "wait_s"}); !fields)
    return fields.error();
  Errand errand;
  if (auto read = read_conditions(body, errand); !read) return read.error();
  const auto list = body.find("evaluations");
  if (list == body.end() || !list->is_array() || list->empty() || list->size() > limits::kMostBatch)
    return Error{ErrorCode::kBadInput,
                 fmt::format("\"evaluations\" is no list of 1 to {}", limits::kMostBatch),
                 "GET /openapi.json describes the request; send a longer list in parts"};
  for (const Json& one : *list) errand.wanted.push_back(wanted_in(one, client));
  errand.answer = all_of_them;
  return errand;
}

Result<Errand> lookup_errand(const std::string& id, const HttpTarget& target) {
  const auto query = [&](const char* name) {
    const auto found = target.query.find(name);
    return found == target.query.end() ? std::string() : found->second;
  };
  Errand errand;
  const auto wait = wait_from(query("wait_s"));
  if (!wait) return wait.error();
  auto reward = reward_name(query("reward"));
  if (!reward) return reward.error();
  errand.client_holds = *wait;
  errand.reward = std::move(*reward);
  errand.wanted.push_back(want_row(id));
  errand.answer = only_one;
  return errand;
}

}  // namespace kbench
