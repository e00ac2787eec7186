// A desk without a network: the test sends requests, plays the supervisor and moves the clock.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "runner/core/sha256.hpp"
#include "runner/gate/desk.hpp"

namespace kbench::test {

class DeskTest : public ::testing::Test {
 protected:
  static inline const std::string kAll = std::string(64, 'a');
  static inline const std::string kReadOnly = std::string(64, 'b');

  // An answer that may be there already.
  struct Answer {
    std::shared_ptr<std::optional<HttpResponse>> response =
        std::make_shared<std::optional<HttpResponse>>();
    [[nodiscard]] bool there() const { return response->has_value(); }
    [[nodiscard]] int status() const { return there() ? (*response)->status : 0; }
    [[nodiscard]] std::string header(const std::string& name) const {
      for (const auto& [key, value] : (*response)->headers)
        if (key == name) return value;
      return "";
    }
    [[nodiscard]] Json body() const {
      return there() ? Json::parse((*response)->body, nullptr, false) : Json();
    }
  };

  static HttpRequest request(const std::string& method, const std::string& target,
                             const std::string& token = kAll) {
    HttpRequest made{.method = method,
                     .target = target,
                     .headers = {{"host", "127.0.0.1:8377"}, {"content-type", "application/json"}}};
    if (!token.empty()) made.headers["authorization"] = "Bearer " + token;
    return made;
  }

  Answer send(const HttpRequest& request) {
    Answer answer;
    auto admission = desk_.admit(request);
    if (admission.refused) {
      *answer.response = std::move(*admission.refused);
      return answer;
    }
    desk_.handle(admission.visit, request, [to = answer.response](HttpResponse response) {
      EXPECT_FALSE(to->has_value()) << "answered twice";
      *to = std::move(response);
    });
    return answer;
  }
  Answer get(const std::string& target, const std::string& token = kAll) {
    return send(request("GET", target, token));
  }
  Answer post(const std::string& target, const Json& body, const std::string& token = kAll) {
    HttpRequest made = request("POST", target, token);
    made.body = body.dump();
    return send(made);
  }

  // --- the supervisor ---

  // The question that was asked last.
  [[nodiscard]] const Json& question() const { return asked_.back(); }
  void answer(const Json& question, int status, const Json& body) {
    desk_.hear({{"answer", question.at("ask")}, {"status", status}, {"body", body}});
  }
  void answer_last(int status, const Json& body) { answer(Json(question()), status, body); }
  void event(const std::string& what, const std::string& id) {
    desk_.hear({{"event", what}, {"id", id}, {"task", "t"}, {"agent", "ann"}});
  }
  static Json row(const std::string& id, double reward = 2, const std::string& state = "ok") {
    return {{"id", id},
            {"run_id", "r"},
            {"row",
             {{"state", state},
              {"fault", state == "ok"                     ? "none"
                        : state == "infrastructure_error" ? "infrastructure"
                                                          : "submission"},
              {"correct", state == "ok"},
              {"message", state == "ok" ? Json() : Json("it says why")},
              {"hint", nullptr},
              {"max_error", 0.5},
              {"device_name", "a CPU"},
              {"time_ns", {{"eager", 3e6}, {"submission", 2e6}}},
              {"speedup", {{"eager", {{"estimate", 1.5}}}, {"compiled", nullptr}}},
              {"reward",
               {{"name", "log"},
                {"value", state == "infrastructure_error" ? Json() : Json(reward)},
                {"reason", nullptr}}}}}};
  }
  static Json refusal(const std::string& fault) {
    return {{"error", {{"message", "it is refused"}, {"hint", ""}, {"fault", fault}}}};
  }
  void pass(std::chrono::milliseconds time) {
    now_ += time;
    desk_.tick();
  }

  static GateHello hello() {
    return {.version = "1.2.3",
            .device = "cpu",
            .device_name = "a CPU",
            .names = {"judge.example.org"},
            .tokens = {{"ann", {true, true, true}, sha256(kAll)},
                       {"bob", {.read = true}, sha256(kReadOnly)}},
            .openapi = "{\"openapi\": \"3.1.0\"}"};
  }

  Desk::Clock::time_point now_{};
  std::vector<Json> asked_;
  Desk desk_{hello(), [this](const Json& message) { asked_.push_back(message); },
             [this] { return now_; }};
};

}  // namespace kbench::test
