// An errand: the evaluations that a request of any shape wants, and their outcomes. A shape (a
// trainer's wire format) is two pure functions: from a body to an errand, and from outcomes to a
// response. The desk does what lies between.
#pragma once

#include <chrono>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/gate/shapes/http_message.hpp"
#include "runner/reward/reward.hpp"
#include "runner/serve/order.hpp"

namespace kbench {

// The outcome of one order.
struct OrderOutcome {
  enum class Kind {
    kDone,     // body: {id, run_id, row}, or what else was asked for
    kPending,  // body: {id, state}; the time to wait is over
    kRefused,  // body: {error: {message, hint, fault}}
  };
  Kind kind = Kind::kRefused;
  int status = 500;
  Json body;
};

// One thing that is wanted of the supervisor (serve/gate_protocol.hpp), or nothing: an answer
// without code has its outcome from the start.
struct Wanted {
  Json ask;
  std::optional<OrderOutcome> settled;
};
[[nodiscard]] Wanted want_order(const Order& order);
[[nodiscard]] Wanted want_row(const std::string& id);
[[nodiscard]] Wanted want_task(const std::string& task, const std::string& size);
[[nodiscard]] Wanted want_metrics();
[[nodiscard]] Wanted want_tool(const std::string& tool, const Json& arguments,
                               const std::string& agent);

struct Errand {
  std::vector<Wanted> wanted;
  std::string reward{kDefaultReward};
  // How long its client holds the connection, as that says or as such clients do; it is answered
  // somewhat before (hold_within). 0: answered at once.
  std::chrono::milliseconds client_holds{0};
  // Makes the answer of the outcomes, in the order of `wanted`.
  std::function<HttpResponse(const std::vector<OrderOutcome>&)> answer;
};

// How long a request may be held whose client hangs up after that time: a twelfth less, ten seconds
// at most, so that the answer "not yet" arrives while the client still listens.
[[nodiscard]] std::chrono::milliseconds hold_within(std::chrono::milliseconds client_holds);

// A client, and the kind of server that it asks.
struct Client {
  std::string name;    // name of the token
  std::string device;  // device that the server judges on
};

// The reward of an outcome's row: nothing if the fault is kbench's, or if the row is not there yet.
// A submission that could not be judged through its author's fault is worth what a failure is.
[[nodiscard]] std::optional<double> value_of(const OrderOutcome& outcome,
                                             const std::string& reward);

// The outcome of an answer in which there is no code.
[[nodiscard]] OrderOutcome no_code();

// --- fields of a body ---

// Errors: kBadInput, with the name of the field.
[[nodiscard]] Result<std::string> text_field(const Json& body, const char* name);
[[nodiscard]] Result<std::string> text_field(const Json& body, const char* name,
                                             const std::string& otherwise);
// Seconds, 0 to kMostWait.
[[nodiscard]] Result<std::chrono::milliseconds> wait_field(const Json& body);
[[nodiscard]] Result<std::chrono::milliseconds> wait_from(const std::string& text);
// The name of a reward, which there must be. Errors: kUsage.
[[nodiscard]] Result<std::string> reward_name(const std::string& name);
// Errors: a field that is none of `known`.
[[nodiscard]] Status only_fields(const Json& body, std::initializer_list<const char*> known);

}  // namespace kbench
