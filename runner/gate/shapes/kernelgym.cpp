#include "runner/gate/shapes/kernelgym.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include <fmt/format.h>

#include "runner/answer/answer_code.hpp"
#include "runner/serve/client_limits.hpp"
#include "runner/serve/gate_protocol.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMostNameBytes = 100;
constexpr double kUsualTimeout = 300;  // seconds; its own
constexpr const char* kReward = "kernelgym";

using Pointer = Json::json_pointer;

Error bad(std::string message, std::string hint = "") {
  return {ErrorCode::kBadInput, std::move(message), std::move(hint)};
}

struct NamedOrder {
  std::string name;
  Wanted wanted;
  double timeout = kUsualTimeout;
};

Result<NamedOrder> order_in(const Json& body, const Client& client) {
  if (!body.is_object()) return bad("a task is no object");
  auto name = text_field(body, "task_id");
  if (!name) return name.error();
  if (name->empty() || name->size() > kMostNameBytes)
    return bad(fmt::format("task_id is no text of 1 to {} bytes", kMostNameBytes));
  auto reference = text_field(body, "reference_code");
  if (!reference) return reference.error();
  const auto code = text_field(body, "kernel_code");
  if (!code) return code.error();
  NamedOrder order{std::move(*name), {nullptr, no_code()}};
  if (const auto timeout = body.find("timeout"); timeout != body.end() && timeout->is_number())
    order.timeout = timeout->get<double>();
  auto files = files_of_code(*code, client.device);
  if (!files.empty())
    order.wanted = want_order(
        {.reference = std::move(*reference), .agent = client.name, .files = std::move(files)});
  return order;
}

std::chrono::milliseconds wait_of(double timeout) {
  const auto most = static_cast<double>(limits::kMostWait.count());
  return std::chrono::milliseconds(
      static_cast<std::int64_t>(std::clamp(timeout, 0.0, most) * 1000));
}

// The refusal that a polling client has to hear at once, and not as a result.
std::optional<HttpResponse> refused_as_a_whole(const OrderOutcome& outcome) {
  if (outcome.kind != OrderOutcome::Kind::kRefused) return std::nullopt;
  if (outcome.body.value(Pointer("/error/fault"), "") == "submission") return std::nullopt;
  return json_response(outcome.status, outcome.body);
}

bool is_over(const std::string& status) { return status == "completed" || status == "failed"; }

Json milliseconds_at(const Json& row, const char* pointer) {
  const Json ns = row.value(Pointer(pointer), Json());
  return ns.is_number() ? Json(ns.get<double>() / 1e6) : Json();
}

bool was_compiled(const std::string& state) {
  return state != "compile_error" && state != "missing_symbol" && state != "load_error" &&
         state != "import_error" && state != "refused";
}

Json result_of_row(const std::string& name, const Json& row, const Json& id) {
  const std::string state = row.value("state", "");
  const bool ours = row.value("fault", "") == "infrastructure" || state == "skipped";
  const bool correct = row.value("correct", Json()) == true && state == "ok";
  return {{"task_id", name},
          {"status", ours ? "failed" : "completed"},
          {"compiled", was_compiled(state)},
          {"correctness", correct},
          {"decoy_kernel", false},
          {"reference_runtime", milliseconds_at(row, "/time_ns/eager")},
          {"kernel_runtime", milliseconds_at(row, "/time_ns/submission")},
          {"speedup", row.value(Pointer("/speedup/eager/estimate"), Json())},
          {"metadata",
           {{"id", id},
            {"state", state},
            {"device", row.value("device_name", Json())},
            {"reward", row.value("reward", Json())}}},
          {"error_message", row.value("message", Json())},
          {"error_code", nullptr}};
}

}  // namespace

void KernelGymNames::put(const std::string& client, const std::string& name,
                         const OrderOutcome& outcome) {
  Named named;
  if (outcome.body.contains("id")) {
    named.id = outcome.body.at("id").get<std::string>();
  } else {
    named.without_id = outcome;
  }
  const Key key{client, name};
  const bool is_new = names_.insert_or_assign(key, std::move(named)).second;
  if (is_new) order_.push_back(key);
  if (order_.size() <= kMostNames) return;
  names_.erase(order_.front());
  order_.pop_front();
}

void KernelGymNames::expect(const std::string& client, const std::string& name) {
  if (find(client, name) == nullptr)
    put(client, name, {OrderOutcome::Kind::kPending, 202, Json::object()});
}

void KernelGymNames::forget_expected(const std::string& client, const std::string& name) {
  const Named* named = find(client, name);
  const bool expected = named != nullptr && named->without_id &&
                        named->without_id->kind == OrderOutcome::Kind::kPending;
  if (!expected) return;
  const Key key{client, name};
  names_.erase(key);
  std::erase(order_, key);
}

const KernelGymNames::Named* KernelGymNames::find(const std::string& client,
                                                  const std::string& name) const {
  const auto found = names_.find({client, name});
  return found == names_.end() ? nullptr : &found->second;
}

Json kernelgym_result(const std::string& name, const OrderOutcome& outcome) {
  const Json id = outcome.body.value("id", Json());
  switch (outcome.kind) {
    case OrderOutcome::Kind::kDone:
      return result_of_row(name, outcome.body.value("row", Json::object()), id);
    case OrderOutcome::Kind::kPending:
      return {{"task_id", name},
              {"status", outcome.body.value("state", "") == "running" ? "processing" : "pending"},
              {"metadata", {{"id", id}}}};
    case OrderOutcome::Kind::kRefused: break;
  }
  const bool theirs = outcome.body.value(Pointer("/error/fault"), "") == "submission";
  return {{"task_id", name},
          {"status", theirs ? "completed" : "failed"},
          {"compiled", false},
          {"correctness", false},
          {"decoy_kernel", false},
          {"speedup", nullptr},
          {"error_message", outcome.body.value(Pointer("/error/message"), "")},
          {"error_code", nullptr}};
}

Result<Errand> kernelgym_errand(const Json& body, const Client& client, KernelGymNames& names) {
  auto order = order_in(body, client);
  if (!order) return order.error();
  Errand errand;
  errand.reward = kReward;
  errand.client_holds = wait_of(order->timeout);
  errand.wanted.push_back(std::move(order->wanted));
  names.expect(client.name, order->name);
  errand.answer = [&names, name = order->name,
                   who = client.name](const std::vector<OrderOutcome>& outcomes) {
    if (auto refused = refused_as_a_whole(outcomes.front())) {
      names.forget_expected(who, name);
      return std::move(*refused);
    }
    names.put(who, name, outcomes.front());
    return json_response(200, kernelgym_result(name, outcomes.front()));
  };
  return errand;
}

Result<Errand> kernelgym_batch_errand(const Json& body, const Client& client,
                                      KernelGymNames& names) {
  const auto batch = text_field(body, "batch_id");
  if (!batch) return batch.error();
  const auto list = body.find("tasks");
  if (list == body.end() || !list->is_array() || list->empty() || list->size() > limits::kMostBatch)
    return bad(fmt::format("\"tasks\" is no list of 1 to {}", limits::kMostBatch));
  Errand errand;
  errand.reward = kReward;
  std::vector<std::string> called;
  for (const Json& one : *list) {
    auto order = order_in(one, client);
    if (!order) return order.error();
    errand.client_holds = std::max(errand.client_holds, wait_of(order->timeout));
    errand.wanted.push_back(std::move(order->wanted));
    called.push_back(std::move(order->name));
  }
  for (const std::string& name : called) names.expect(client.name, name);
  errand.answer = [&names, called, batch = *batch,
                   who = client.name](const std::vector<OrderOutcome>& outcomes) {
    Json results = Json::array();
    int completed = 0;
    int failed = 0;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      names.put(who, called[i], outcomes[i]);
      Json result = kernelgym_result(called[i], outcomes[i]);
      const std::string status = result.at("status").get<std::string>();
      completed += status == "completed" ? 1 : 0;
      failed += status == "failed" ? 1 : 0;
      results.push_back(std::move(result));
    }
    const bool over = completed + failed == static_cast<int>(outcomes.size());
    return json_response(200, {{"batch_id", batch},
                               {"total_tasks", outcomes.size()},
                               {"completed_tasks", completed},
                               {"failed_tasks", failed},
                               {"results", std::move(results)},
                               {"batch_status", over ? "completed" : "processing"}});
  };
  return errand;
}

namespace {

Result<Errand> look_up(const std::string& name, const Client& client, const KernelGymNames& names) {
  const KernelGymNames::Named* named = names.find(client.name, name);
  if (named == nullptr)
    return Error{ErrorCode::kNotFound, "nothing was sent under this task_id", "POST /evaluate"};
  Errand errand;
  errand.reward = kReward;
  if (named->without_id) {
    errand.wanted.push_back({nullptr, named->without_id});
  } else {
    errand.wanted.push_back(want_row(named->id));
  }
  return errand;
}

}  // namespace

Result<Errand> kernelgym_status_errand(const std::string& name, const Client& client,
                                       const KernelGymNames& names) {
  auto errand = look_up(name, client, names);
  if (!errand) return errand;
  errand->answer = [name](const std::vector<OrderOutcome>& outcomes) {
    const Json result = kernelgym_result(name, outcomes.front());
    const std::string status = result.at("status").get<std::string>();
    return json_response(200, {{"task_id", name},
                               {"status", status},
                               {"progress", is_over(status) ? Json(100) : Json()},
                               {"error_message", result.value("error_message", Json())}});
  };
  return errand;
}

Result<Errand> kernelgym_results_errand(const std::string& name, const Client& client,
                                        const KernelGymNames& names) {
  auto errand = look_up(name, client, names);
  if (!errand) return errand;
  errand->answer = [name](const std::vector<OrderOutcome>& outcomes) {
    Json result = kernelgym_result(name, outcomes.front());
    if (is_over(result.at("status").get<std::string>())) return json_response(200, result);
    return refuse(404, "there is no result yet", "GET /status/ID says when there is one");
  };
  return errand;
}

}  // namespace kbench
