// Requests at the gate, without a network.
#include "runner/gate/desk.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/serve/client_limits.hpp"
#include "tests/unit/desk_fixture.hpp"
#include "tests/unit/paths.hpp"

namespace kbench {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using DeskTest = test::DeskTest;

const std::string kId(64, '1');

Json evaluation(double wait_s = 0) {
  Json body = {{"task", "level1/019_relu"}, {"files", {{"a.cpp", "int x;"}}}, {"reward", "log"}};
  if (wait_s > 0) body["wait_s"] = wait_s;
  return body;
}

// --- who may ask ---

TEST_F(DeskTest, WithoutATokenThereIsLittle) {
  EXPECT_EQ(get("/health", "").status(), 200);
  EXPECT_EQ(get("/openapi.json", "").body().at("openapi"), "3.1.0");
  const Answer none = post("/v1/evaluations", evaluation(), "");
  EXPECT_EQ(none.status(), 401);
  EXPECT_EQ((*none.response)->headers.front().first, "WWW-Authenticate");
  EXPECT_EQ(post("/v1/evaluations", evaluation(), std::string(64, 'c')).status(), 401);
  EXPECT_EQ(post("/v1/evaluations", evaluation(), kReadOnly).status(), 403);
  EXPECT_TRUE(asked_.empty());
  (void)get("/v1/evaluations/" + kId, kReadOnly);
  EXPECT_EQ(question().at("what"), "row");
}

TEST_F(DeskTest, MetricsAreForTokensThatMayRead) {
  EXPECT_EQ(get("/metrics", "").status(), 401);
  const Answer answer_to = get("/metrics", kReadOnly);
  EXPECT_EQ(question().at("what"), "metrics");
  answer_last(200, {{"queued", 3},
                    {"waiting", 2},
                    {"running", 1},
                    {"done", 7},
                    {"failed", 2},
                    {"oldest_wait_s", 1.5},
                    {"rows", 7},
                    {"row_s", 70.25},
                    {"busy", true},
                    {"busy_s", 80.0}});
  ASSERT_EQ(answer_to.status(), 200);
  EXPECT_THAT((*answer_to.response)->type, HasSubstr("application/openmetrics-text"));
  const std::string& text = (*answer_to.response)->body;
  for (const char* line :
       {"kbench_build_info{version=\"1.2.3\",device=\"cpu\",device_name=\"a CPU\"} 1\n",
        "kbench_evaluations{state=\"queued\"} 3\n", "kbench_evaluations{state=\"waiting\"} 2\n",
        "kbench_evaluations_ended_total{state=\"failed\"} 2\n", "kbench_oldest_wait_seconds 1.5\n",
        "kbench_row_seconds_sum 70.25\n", "kbench_device_busy 1\n", "kbench_requests_waiting 0\n"})
    EXPECT_THAT(text, HasSubstr(line));
  EXPECT_TRUE(text.ends_with("\n# EOF\n"));
}

TEST_F(DeskTest, ASupervisorThatDoesNotAnswerIsNoMetrics) {
  const Answer answer_to = get("/metrics");
  pass(31s);
  EXPECT_EQ(answer_to.status(), 503);
}

TEST_F(DeskTest, ForeignHostsAndOriginsAreRefusedBeforeAnything) {
  HttpRequest rebound = request("GET", "/health");
  rebound.headers["host"] = "evil.example";
  EXPECT_EQ(send(rebound).status(), 403);
  rebound.headers.erase("host");
  EXPECT_EQ(send(rebound).status(), 403);
  HttpRequest page = request("GET", "/health");
  page.headers["origin"] = "https://evil.example";
  EXPECT_EQ(send(page).status(), 403);
  page.headers["origin"] = "";
  EXPECT_EQ(send(page).status(), 403);
  page.headers["origin"] = "http://localhost:3000";
  EXPECT_EQ(send(page).status(), 200);
  page.headers["host"] = "judge.example.org";
  EXPECT_EQ(send(page).status(), 200);
}

TEST_F(DeskTest, AddressesAndMethodsThatThereAreNoneOf) {
  EXPECT_EQ(get("/").status(), 404);
  EXPECT_EQ(get("/v1/evaluations/").status(), 404);
  EXPECT_EQ(get("/v1/evaluations/a/b").status(), 404);
  EXPECT_EQ(get("/%zz").status(), 400);
  const Answer wrong = get("/v1/batch");
  EXPECT_EQ(wrong.status(), 405);
  EXPECT_EQ((*wrong.response)->headers.front().second, "POST");
  EXPECT_EQ(send(request("DELETE", "/mcp")).status(), 405);
}

TEST_F(DeskTest, ATokenHasSoManyRequestsAtOnce) {
  std::vector<Desk::Visit> visits;
  for (std::size_t i = 0; i < limits::kMostWaitingOfOne; ++i) {
    auto admission = desk_.admit(request("POST", "/v1/evaluations"));
    ASSERT_FALSE(admission.refused);
    visits.push_back(std::move(admission.visit));
  }
  EXPECT_EQ(post("/v1/evaluations", evaluation()).status(), 429);
  EXPECT_EQ(get("/health").status(), 200);
  EXPECT_FALSE(get("/v1/evaluations/" + kId, kReadOnly).there()) << "another token's are its own";
  visits.pop_back();
  EXPECT_FALSE(post("/v1/evaluations", evaluation(5)).there());
  const Answer flood = post("/v1/evaluations", evaluation());
  EXPECT_EQ(flood.status(), 429) << "who waits counts";
  EXPECT_EQ(flood.body().at("error").at("retry_after_s"), 1) << "places are free at once";
  EXPECT_EQ(flood.header("Retry-After"), "1");
  pass(7s);
  EXPECT_EQ(post("/v1/evaluations", evaluation()).header("Retry-After"), "7");
  EXPECT_EQ(post("/v1/evaluations", evaluation()).header("Retry-After"), "14")
      << "one after another";
  answer_last(422, refusal("client"));
  EXPECT_FALSE(post("/v1/evaluations", evaluation()).there());
}

TEST_F(DeskTest, AllTokensTogetherHaveSoManyRequestsAtOnce) {
  std::vector<Desk::Visit> visits;
  const auto take = [&](std::size_t count, const std::string& token) {
    for (std::size_t i = 0; i < count; ++i) {
      auto admission = desk_.admit(request("GET", "/v1/evaluations/" + kId, token));
      ASSERT_FALSE(admission.refused);
      visits.push_back(std::move(admission.visit));
    }
  };
  take(limits::kMostWaitingOfOne, kReadOnly);
  take(limits::kMostWaiting - limits::kMostWaitingOfOne, kAll);
  EXPECT_EQ(get("/v1/evaluations/" + kId).status(), 429);
  visits.pop_back();
  EXPECT_FALSE(get("/v1/evaluations/" + kId).there());
}

TEST_F(DeskTest, WhoHangsUpLosesThePlaceAndNotTheOrder) {
  std::vector<Desk::Visit> visits;
  for (std::size_t i = 0; i < limits::kMostWaitingOfOne; ++i) {
    HttpRequest sent = request("POST", "/v1/evaluations");
    sent.body = evaluation(600).dump();
    auto admission = desk_.admit(sent);
    ASSERT_FALSE(admission.refused);
    desk_.handle(admission.visit, sent, [](const HttpResponse&) { ADD_FAILURE() << "to nobody"; });
    visits.push_back(std::move(admission.visit));
  }
  ASSERT_EQ(asked_.size(), 1U) << "one order, however many ask";
  for (Desk::Visit& visit : visits) desk_.leave(visit);  // some before the judge has answered
  visits.clear();
  const Answer again = post("/v1/evaluations", evaluation(600));
  EXPECT_FALSE(again.there()) << "there are places again";
  answer_last(202, {{"id", kId}, {"state", "queued"}});
  EXPECT_EQ(desk_.waiting(), 1U);
  event("done", kId);
  answer_last(200, row(kId));
  EXPECT_EQ(again.status(), 200);
  EXPECT_EQ(desk_.waiting(), 0U);
}

TEST_F(DeskTest, BodiesBeingReadAreBoundedAndGivenBackWithTheOrder) {
  const auto visit = [&](std::uint64_t number) {
    HttpRequest sent = request("POST", "/v1/evaluations");
    Json body = evaluation();
    body["files"]["number"] = std::to_string(number);
    sent.body = body.dump();
    auto admission = desk_.admit(sent);
    EXPECT_FALSE(admission.refused);
    return std::pair(std::move(admission.visit), sent);
  };
  constexpr std::size_t kBodies = limits::kMostBodiesOfOne / limits::kMostBodyBytes;
  std::vector<std::pair<Desk::Visit, HttpRequest>> visits;
  for (std::size_t i = 0; i < kBodies; ++i) {
    visits.push_back(visit(i));
    Desk::Visit& last = visits.back().first;
    const auto line = desk_.ask_for_room(last, limits::kMostBodyBytes,
                                         [&](auto hold) { last.body = std::move(hold); });
    ASSERT_EQ(line, 0U);
  }
  auto more = visit(kBodies);
  EXPECT_NE(desk_.ask_for_room(more.first, 1000, [&](auto hold) { more.first.body = hold; }), 0U);
  EXPECT_EQ(desk_.no_room().status, 429);
  desk_.handle(visits[0].first, visits[0].second, [](const HttpResponse&) {});
  visits[0].first.body.reset();
  EXPECT_FALSE(more.first.body) << "it is not on the spool yet";
  answer_last(202, {{"id", kId}, {"state", "queued"}});
  EXPECT_TRUE(more.first.body) << "now it is";
  more.first.body.reset();
  visits.clear();
  EXPECT_EQ(desk_.bodies().held(), 0U);
}

TEST_F(DeskTest, TheSupervisorHasAFewQuestionsAtATime) {
  std::vector<Answer> replies;
  for (int i = 0; i < 100; ++i) {
    Json one = evaluation(60);
    one["files"]["large"] = std::string(2000, 'x') + std::to_string(i);
    replies.push_back(post("/v1/evaluations", one));
  }
  EXPECT_LT(asked_.size(), 10U);
  const Answer poll = get("/v1/evaluations/" + kId);
  for (std::size_t i = 0; i < 3; ++i) answer(Json(asked_[i]), 422, refusal("client"));
  const bool is_asked = std::any_of(asked_.begin(), asked_.end(),
                                    [](const Json& one) { return one.at("what") == "row"; });
  EXPECT_TRUE(is_asked) << "a poll does not wait for a hundred orders";
  for (std::size_t i = 3; i < asked_.size(); ++i) answer(Json(asked_[i]), 422, refusal("client"));
  EXPECT_EQ(asked_.size(), 101U);
  for (const Answer& reply : replies) EXPECT_EQ(reply.status(), 422);
  EXPECT_EQ(poll.status(), 422);
}

// --- evaluations ---

TEST_F(DeskTest, RequestsForOneKeyAreOneOrderHoweverManyAsk) {
  std::vector<Answer> early;
  for (int i = 0; i < 20; ++i) early.push_back(post("/v1/evaluations", evaluation(60)));
  ASSERT_EQ(asked_.size(), 1U);
  answer_last(202, {{"id", kId}, {"state", "queued"}});
  std::vector<Answer> late;
  for (int i = 0; i < 20; ++i) late.push_back(post("/v1/evaluations", evaluation(60)));
  EXPECT_EQ(asked_.size(), 1U) << "it is known to wait";
  event("running", kId);
  const Answer poll = post("/v1/evaluations", evaluation());
  EXPECT_EQ(poll.body().at("state"), "running");
  event("done", kId);
  ASSERT_EQ(asked_.size(), 2U) << "one row for all";
  EXPECT_EQ(question().at("what"), "row");
  answer_last(200, row(kId));
  for (const auto& replies : {early, late})
    for (const Answer& reply : replies) EXPECT_EQ(reply.status(), 200);
  post("/v1/evaluations", evaluation(60));
  EXPECT_EQ(question().at("what"), "order") << "it is not queued any more";
}

TEST_F(DeskTest, AClientIsAnsweredSomewhatBeforeItHangsUp) {
  EXPECT_EQ(hold_within(180s), 170s);
  EXPECT_EQ(hold_within(60s), 55s);
  EXPECT_EQ(hold_within(600s), 590s);
  EXPECT_EQ(hold_within(0s), 0s);
  const Answer said = post("/v1/evaluations?timeout_s=24", evaluation(60));
  answer_last(202, {{"id", kId}, {"state", "queued"}});
  pass(21s);
  EXPECT_FALSE(said.there());
  pass(1s);
  EXPECT_EQ(said.status(), 202);
  EXPECT_EQ(post("/v1/evaluations?timeout_s=soon", evaluation(60)).status(), 400);
}

TEST_F(DeskTest, AStoredRowIsTheAnswer) {
  const Answer reply = post("/v1/evaluations", evaluation());
  EXPECT_EQ(question().at("what"), "order");
  EXPECT_EQ(question().at("reward"), "log");
  EXPECT_EQ(question().at("order").at("agent"), "ann") << "whatever a body says";
  answer_last(200, row(kId));
  EXPECT_EQ(reply.status(), 200);
  EXPECT_EQ(reply.body().at("row").at("state"), "ok");
}

TEST_F(DeskTest, WithoutWaitingItsIdIs) {
  const Answer reply = post("/v1/evaluations", evaluation());
  answer_last(202, {{"id", kId}, {"state", "queued"}});
  EXPECT_EQ(reply.status(), 202);
  EXPECT_EQ(reply.body(), (Json{{"id", kId}, {"state", "queued"}}));
}

TEST_F(DeskTest, WhoeverWaitsGetsTheRowWhenItIsThere) {
  const Answer first = post("/v1/evaluations", evaluation(60));
  answer_last(202, {{"id", kId}, {"state", "queued"}});
  const Answer second = get("/v1/evaluations/" + kId + "?wait_s=60&reward=kevin");
  answer_last(202, {{"id", kId}, {"state", "queued"}});
  pass(54s);
  EXPECT_FALSE(first.there());
  event("done", std::string(64, '2'));
  const std::size_t before = asked_.size();
  event("done", kId);
  ASSERT_EQ(asked_.size(), before + 2);
  const std::vector<Json> questions(asked_.end() - 2, asked_.end());
  for (const Json& one : questions) answer(one, 200, row(kId));
  EXPECT_EQ(first.status(), 200);
  EXPECT_EQ(second.status(), 200);
  EXPECT_NE(questions[0].at("reward"), questions[1].at("reward"));
  EXPECT_EQ(desk_.waiting(), 0U);
}

TEST_F(DeskTest, WhoeverWaitedLongEnoughIsToldSo) {
  const Answer reply = post("/v1/evaluations", evaluation(60));
  answer_last(202, {{"id", kId}, {"state", "queued"}});
  event("running", kId);
  pass(55s);
  EXPECT_EQ(reply.status(), 202);
  EXPECT_EQ(reply.body().at("state"), "running");
  event("done", kId);
  EXPECT_EQ(asked_.size(), 1U) << "nobody waits for it any more";
}

TEST_F(DeskTest, WhatTheDeviceIsWaitedForIsTold) {
  const Json why = {{"held_by", "run 0123456789ab"},
                    {"held_since", "2026-11-21T13:00:00Z"},
                    {"since", "2026-11-21T13:01:00Z"},
                    {"place", 2},
                    {"until", nullptr}};
  const Answer first = post("/v1/evaluations", evaluation());
  answer_last(202, {{"id", kId}, {"state", "waiting"}, {"waiting", why}});
  EXPECT_EQ(first.body(), (Json{{"id", kId}, {"state", "waiting"}, {"waiting", why}}));
  const Answer second = post("/v1/evaluations", evaluation(60));
  desk_.hear({{"event", "running"}, {"id", kId}, {"task", "t"}, {"agent", "ann"}});
  EXPECT_EQ(post("/v1/evaluations", evaluation()).body(),
            (Json{{"id", kId}, {"state", "running"}}));
  desk_.hear(
      {{"event", "waiting"}, {"id", kId}, {"task", "t"}, {"agent", "ann"}, {"waiting", why}});
  pass(55s);
  EXPECT_EQ(second.body(), first.body());
}

TEST_F(DeskTest, ASupervisorThatSaysNothingIsGivenUp) {
  const Answer reply = post("/v1/evaluations", evaluation());
  pass(29s);
  EXPECT_FALSE(reply.there());
  pass(2s);
  EXPECT_EQ(reply.status(), 503);
  answer_last(200, row(kId));
  EXPECT_EQ(reply.status(), 503);
}

TEST_F(DeskTest, NobodyIsWokenWithoutNeed) {
  std::vector<Desk::Clock::time_point> alarms;
  Desk desk(
      hello(), [](const Json&) {}, [this] { return now_; },
      [&](Desk::Clock::time_point when) { alarms.push_back(when); });
  EXPECT_EQ(desk.next_deadline(), std::nullopt);
  HttpRequest sent = request("POST", "/v1/evaluations");
  sent.body = evaluation(60).dump();
  const auto admission = desk.admit(sent);
  desk.handle(admission.visit, sent, [](const HttpResponse&) {});
  ASSERT_EQ(alarms.size(), 1U);
  EXPECT_EQ(alarms[0], now_ + 55s);
  EXPECT_EQ(desk.next_deadline(), now_ + 55s);
  now_ += 55s;
  EXPECT_EQ(desk.next_deadline(), now_ + 30s) << "the supervisor has said nothing yet";
}

TEST_F(DeskTest, RefusalsAreHandedOn) {
  for (const int status : {404, 422, 429, 500, 503}) {
    const Answer reply = post("/v1/evaluations", evaluation(60));
    answer_last(status, refusal("client"));
    EXPECT_EQ(reply.status(), status);
    EXPECT_EQ(reply.body().at("error").at("message"), "it is refused");
  }
}

TEST_F(DeskTest, MalformedOnesNeverReachTheSupervisor) {
  const std::vector<Json> bodies = {
      Json::object(),
      {{"task", "t"}},
      {{"files", {{"a", "b"}}}},
      {{"task", 3}, {"files", {{"a", "b"}}}},
      {{"task", "t"}, {"files", {{"a", 3}}}},
      {{"task", "t"}, {"files", Json::object()}},
      {{"task", "t"}, {"reference", "r"}, {"files", {{"a", "b"}}}},
      {{"task", "t"}, {"files", {{"a", "b"}}}, {"reward", "much"}},
      {{"task", "t"}, {"files", {{"a", "b"}}}, {"wait_s", -1}},
      {{"task", "t"}, {"files", {{"a", "b"}}}, {"wait_s", "5"}},
      {{"task", "t"}, {"files", {{"a", "b"}}}, {"agent", "bob"}},
      {{"task", "t"}, {"files", {{"a", "b"}}}, {"what", "compile"}},
      {{"task", "t"}, {"files", {{"a", "b"}}}, {"profile", "yes"}},
  };
  for (const Json& body : bodies) EXPECT_EQ(post("/v1/evaluations", body).status(), 400) << body;
  HttpRequest plain = request("POST", "/v1/evaluations");
  plain.headers["content-type"] = "text/plain";
  plain.body = evaluation().dump();
  EXPECT_EQ(send(plain).status(), 415);
  EXPECT_EQ(get("/v1/evaluations/" + kId + "?wait_s=x").status(), 400);
  EXPECT_TRUE(asked_.empty());
}

TEST_F(DeskTest, AProfileIsAnOrderOfAnotherKind) {
  Json body = evaluation();
  body["profile"] = true;
  const Answer reply = post("/v1/evaluations", body);
  ASSERT_EQ(asked_.size(), 1U);
  EXPECT_EQ(asked_[0].at("order").at("what"), "profile");
  body["profile"] = false;
  (void)post("/v1/evaluations", body);
  ASSERT_EQ(asked_.size(), 2U);
  EXPECT_FALSE(asked_[1].at("order").contains("what"));
}

TEST_F(DeskTest, ABatchHasAnAnswerForEach) {
  Json one = evaluation();
  one.erase("reward");
  Json bad = one;
  bad["task"] = 3;
  Json other = one;
  other["files"]["other"] = "x";
  const Answer reply = post("/v1/batch", {{"evaluations", {one, bad, other}}, {"wait_s", 60}});
  ASSERT_EQ(asked_.size(), 2U);
  answer(asked_[0], 202, {{"id", kId}, {"state", "queued"}});
  answer(asked_[1], 422, refusal("submission"));
  EXPECT_FALSE(reply.there());
  event("done", kId);
  answer_last(200, row(kId));
  const Json list = reply.body().at("evaluations");
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[0].at("status"), 200);
  EXPECT_EQ(list[0].at("row").at("state"), "ok");
  EXPECT_EQ(list[1].at("status"), 400);
  EXPECT_EQ(list[2].at("status"), 422);
  EXPECT_EQ(post("/v1/batch", {{"evaluations", Json::array()}}).status(), 400);
  EXPECT_EQ(
      post("/v1/batch", {{"evaluations", Json::array({bad})}}).body().at("evaluations").size(), 1U);
  Json many = Json::array();
  for (std::size_t i = 0; i <= limits::kMostBatch; ++i) many.push_back(one);
  EXPECT_EQ(post("/v1/batch", {{"evaluations", many}}).status(), 400);
}

// --- the end ---

TEST_F(DeskTest, WhatIsPutOffIsSaidSo) {
  const Answer reply = post("/v1/evaluations", evaluation(60));
  answer_last(202, {{"id", kId}, {"state", "running"}});
  desk_.hear({{"say", "draining"}});
  EXPECT_EQ(get("/health", "").status(), 503);
  event("put_off", kId);
  EXPECT_EQ(reply.status(), 202);
  EXPECT_EQ(reply.body().at("state"), "queued");
}

TEST_F(DeskTest, AtTheEndNobodyIsLeftWaiting) {
  const Answer asked = post("/v1/evaluations", evaluation(60));
  const Answer waits = get("/v1/evaluations/" + kId + "?wait_s=60");
  answer_last(202, {{"id", kId}, {"state", "queued"}});
  desk_.hear({{"say", "bye"}});
  EXPECT_TRUE(desk_.told_to_end());
  EXPECT_EQ(asked.status(), 503);
  EXPECT_EQ(waits.status(), 202);
  EXPECT_EQ(get("/health", "").status(), 503);
}

// --- events ---

TEST_F(DeskTest, EventsAreToldToWhoeverListens) {
  const auto ann = desk_.local_visit("ann");
  std::string heard;
  const auto number = desk_.listen(ann, [&](const std::string& text) { heard += text; });
  event("queued", kId);
  EXPECT_THAT(heard, HasSubstr("event: queued\ndata: {"));
  EXPECT_THAT(heard, HasSubstr(kId));
  EXPECT_EQ(heard.substr(heard.size() - 2), "\n\n");
  desk_.unlisten(number);
  heard.clear();
  event("done", kId);
  EXPECT_TRUE(heard.empty());
}

TEST_F(DeskTest, ATokenHasSoManyStreamsAndAllHaveSoMany) {
  std::size_t open = 0;
  for (const char* name : {"ann", "bob", "cyd", "dan"}) {
    const auto visit = desk_.local_visit(name);
    for (; !desk_.no_stream_for(visit); ++open)
      (void)desk_.listen(visit, [](const std::string&) {});
    EXPECT_EQ(open % limits::kMostStreamsOfOne, 0U);
    EXPECT_EQ(desk_.no_stream_for(visit)->status, 429);
  }
  EXPECT_EQ(open, limits::kMostStreams);
  EXPECT_EQ(desk_.no_stream_for(desk_.local_visit("eve"))->status, 503);
}

TEST_F(DeskTest, OneWhoEndsWhileHeIsToldHarmsNobody) {
  const auto ann = desk_.local_visit("ann");
  std::uint64_t number = 0;
  int heard = 0;
  number = desk_.listen(ann, [&](const std::string&) { desk_.unlisten(number); });
  (void)desk_.listen(ann, [&](const std::string&) { ++heard; });
  event("queued", kId);
  event("done", kId);
  EXPECT_EQ(heard, 2);
}

// --- what the supervisor says first ---

TEST(GateHelloTest, ArrivesAsItWasSent) {
  GateHello hello;
  hello.version = "1.2.3";
  hello.names = {"judge.example.org"};
  hello.tokens = {{"bob", {.read = true}, "hash"}};
  hello.openapi = "{}";
  hello.patience = {.headers = 5s, .body = 7s};
  const auto back = hello_from_json(hello_json(hello));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(hello_json(*back), hello_json(hello));
  EXPECT_EQ(back->patience.headers, 5s);
  EXPECT_EQ(back->patience.body, 7s);
}

TEST(GateHelloTest, ASlowClientHasTenSecondsForHeadersAndThirtyForABody) {
  EXPECT_EQ(GateHello().patience.headers, 10s);
  EXPECT_EQ(GateHello().patience.body, 30s);
}

TEST(GateHelloTest, WhatHasNoTimeLimitsIsMalformed) {
  for (const char* name : {"header_seconds", "body_seconds"}) {
    Json json = hello_json(GateHello());
    json.erase(name);
    EXPECT_FALSE(hello_from_json(json)) << name;
  }
}

// --- the document ---

TEST_F(DeskTest, EveryRequestIsDocumentedAndNoOther) {
  std::ifstream file(kbench::test::kOpenApi);
  const Json document = Json::parse(file);
  std::set<std::pair<std::string, std::string>> documented;
  for (const auto& [path, methods] : document.at("paths").items()) {
    std::string plain = path.substr(0, path.find('{'));
    for (const auto& [method, operation] : methods.items()) {
      std::string upper = method;
      for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      documented.emplace(upper, plain);
      EXPECT_TRUE(operation.contains("summary") && operation.contains("responses")) << path;
    }
  }
  std::set<std::pair<std::string, std::string>> served;
  for (auto& one : Desk::requests()) served.insert(one);
  EXPECT_EQ(documented, served);
}

}  // namespace
}  // namespace kbench
