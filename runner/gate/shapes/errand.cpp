#include "runner/gate/shapes/errand.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include <fmt/format.h>

#include "runner/core/suggest.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/serve/client_limits.hpp"
#include "runner/serve/gate_protocol.hpp"

namespace kbench {
namespace {

Error bad(std::string message, std::string hint = "") {
  return {ErrorCode::kBadInput, std::move(message), std::move(hint)};
}

Result<std::chrono::milliseconds> wait_of(double seconds) {
  if (!(seconds >= 0)) return bad("the time to wait is no number of seconds");
  const double most = static_cast<double>(limits::kMostWait.count());
  return std::chrono::milliseconds(std::llround(std::min(seconds, most) * 1000));
}

}  // namespace

std::chrono::milliseconds hold_within(std::chrono::milliseconds client_holds) {
  constexpr std::chrono::milliseconds kMostMargin{10'000};
  return client_holds - std::min(client_holds / 12, kMostMargin);
}

std::optional<double> value_of(const OrderOutcome& outcome, const std::string& reward_text) {
  switch (outcome.kind) {
    case OrderOutcome::Kind::kPending: return std::nullopt;
    case OrderOutcome::Kind::kDone: {
      const Json value = outcome.body.value(Json::json_pointer("/row/reward/value"), Json());
      return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
    }
    case OrderOutcome::Kind::kRefused: {
      if (outcome.body.value(Json::json_pointer("/error/fault"), "") != "submission")
        return std::nullopt;
      const auto rule = find_reward(reward_text);
      return rule ? reward(*rule, {.state = State::kCompileError}).value : std::nullopt;
    }
  }
  return std::nullopt;
}

Wanted want_order(const Order& order) {
  return {{{"what", "order"}, {"order", order_json(order)}}, std::nullopt};
}

Wanted want_row(const std::string& id) { return {{{"what", "row"}, {"id", id}}, std::nullopt}; }

Wanted want_task(const std::string& task, const std::string& size) {
  return {{{"what", "task"}, {"task", task}, {"size", size}}, std::nullopt};
}

Wanted want_metrics() { return {{{"what", "metrics"}}, std::nullopt}; }

Wanted want_tool(const std::string& tool, const Json& arguments, const std::string& agent) {
  return {{{"what", "tool"}, {"tool", tool}, {"arguments", arguments}, {"agent", agent}},
          std::nullopt};
}

OrderOutcome no_code() {
  return {OrderOutcome::Kind::kRefused, 422,
          refusal_json(
              "there is no code in the answer",
              "code stands in a fenced block, ```cuda, ```cpp or ```python; what was thought is no "
              "answer",
              "submission")};
}

Result<std::string> text_field(const Json& body, const char* name) {
  const auto found = body.find(name);
  if (found == body.end() || !found->is_string())
    return bad(fmt::format("\"{}\" is missing, or no text", name));
  return found->get<std::string>();
}

Result<std::string> text_field(const Json& body, const char* name, const std::string& otherwise) {
  const auto found = body.find(name);
  if (found == body.end() || found->is_null()) return otherwise;
  return text_field(body, name);
}

Result<std::chrono::milliseconds> wait_field(const Json& body) {
  const auto found = body.find("wait_s");
  if (found == body.end() || found->is_null()) return std::chrono::milliseconds(0);
  if (!found->is_number()) return bad("wait_s is no number of seconds");
  return wait_of(found->get<double>());
}

Result<std::chrono::milliseconds> wait_from(const std::string& text) {
  if (text.empty()) return std::chrono::milliseconds(0);
  double seconds = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, seconds);
  if (parsed.ec != std::errc{} || parsed.ptr != end)
    return bad("the time to wait is no number of seconds");
  return wait_of(seconds);
}

Result<std::string> reward_name(const std::string& name) {
  if (name.empty()) return std::string(kDefaultReward);
  const auto rule = find_reward(name);
  if (!rule) return bad(rule.error().message, rule.error().hint);
  return name;
}

Status only_fields(const Json& body, std::initializer_list<const char*> known) {
  for (const auto& [name, value] : body.items()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto guess = nearest(name, std::vector<std::string>(known.begin(), known.end()));
    return bad(fmt::format("nobody knows the field \"{}\"", clean_name(name, 64)),
               guess ? fmt::format("did you mean \"{}\"?", *guess) : "");
  }
  return Done{};
}

}  // namespace kbench
