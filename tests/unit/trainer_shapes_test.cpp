// Requests of trainers in their own formats, and the answers to them.
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/gate/shapes/kernelgym.hpp"
#include "runner/gate/shapes/openenv.hpp"
#include "runner/gate/shapes/openrlhf.hpp"
#include "tests/unit/answers_fixture.hpp"
#include "tests/unit/desk_fixture.hpp"

namespace kbench {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

const std::string kId(64, '1');
const std::string kOther(64, '2');

// --- OpenRLHF ---

class OpenRlhfTest : public test::DeskTest {
 protected:
  Answer ask(const std::string& answer, const std::string& query = "") {
    return post("/get_reward" + query, {{"query", {"Write it. " + answer}},
                                        {"prompts", {"Write it. "}},
                                        {"labels", {"level1/019_relu"}}});
  }
  static inline const std::string kCode = "```cpp\nint x;\n```\n";
};

TEST_F(OpenRlhfTest, ARewardForEachAnswer) {
  const Answer reply = post("/get_reward?reward=log&size=small",
                            {{"query", {"p" + kCode, "q" + kCode + "```cpp\nint y;\n```\n"}},
                             {"prompts", {"p", "q"}},
                             {"labels", {"level1/019_relu", "level2/001_x"}}});
  ASSERT_EQ(asked_.size(), 2U);
  EXPECT_EQ(asked_[0].at("reward"), "log");
  EXPECT_EQ(asked_[0].at("order").at("size"), "small");
  EXPECT_EQ(asked_[0].at("order").at("files"), (Json{{"kernel.cpp", "int x;\n"}}));
  EXPECT_EQ(asked_[1].at("order").at("files"), (Json{{"kernel.cpp", "int y;\n"}}));
  EXPECT_EQ(asked_[1].at("order").at("task"), "level2/001_x");
  answer(asked_[1], 200, row(kOther, -1, "wrong_result"));
  answer(asked_[0], 200, row(kId, 0.25));
  EXPECT_EQ(reply.status(), 200);
  EXPECT_EQ(reply.body().at("rewards"), (Json{0.25, -1.0}));
  EXPECT_EQ(reply.body().at("scores"), reply.body().at("rewards"));
  EXPECT_EQ(reply.body().at("extra_logs").at("correct"), (Json{1.0, 0.0}));
  EXPECT_EQ(reply.body().at("extra_logs").at("speedup_eager"), (Json{1.5, 1.5}));
}

TEST_F(OpenRlhfTest, AClientWithAnotherTimeOutSaysSo) {
  const Answer reply = ask(kCode, "?timeout_s=120");
  answer_last(202, {{"id", kId}, {"state", "queued"}});
  pass(109s);
  EXPECT_FALSE(reply.there());
  pass(1s);
  EXPECT_EQ(reply.status(), 503);
}

TEST_F(OpenRlhfTest, APromptWithCodeIsNoAnswer) {
  const Answer reply = post(
      "/get_reward",
      {{"query", {kCode + "I cannot."}}, {"prompts", {kCode}}, {"labels", {"level1/019_relu"}}});
  EXPECT_EQ(reply.body().at("rewards"), Json::array({-1.0}));
  EXPECT_TRUE(asked_.empty());
}

TEST_F(OpenRlhfTest, After170SecondsTheClientIsToComeAgain) {
  const Answer reply = ask(kCode);
  answer_last(202, {{"id", kId}, {"state", "queued"}});
  pass(169s);
  EXPECT_FALSE(reply.there());
  pass(1s);
  EXPECT_EQ(reply.status(), 503);
  EXPECT_EQ(reply.header("Retry-After"), "1") << "its order waits, and so may the client";
  const Answer again = ask(kCode);
  event("done", kId);
  answer_last(200, row(kId));
  EXPECT_EQ(again.body().at("rewards"), Json::array({2.0}));
}

TEST_F(OpenRlhfTest, OurFaultIsNoNumberAndItsAuthorsIs) {
  Answer reply = ask(kCode);
  answer_last(200, row(kId, 0, "infrastructure_error"));
  EXPECT_EQ(reply.status(), 503);
  reply = ask(kCode);
  answer_last(422, refusal("submission"));
  EXPECT_EQ(reply.body().at("rewards"), Json::array({-1.0}));
  reply = ask(kCode, "?reward=kernrl");
  answer_last(422, refusal("submission"));
  EXPECT_EQ(reply.body().at("rewards"), Json::array({-0.5}));
  reply = ask(kCode);
  answer_last(422, refusal("client"));
  EXPECT_EQ(reply.status(), 422) << "an unknown task is the trainer's fault";
  reply = ask(kCode);
  answer_last(429, refusal("client"));
  EXPECT_EQ(reply.status(), 429);
}

TEST_F(OpenRlhfTest, WhatIsMalformedIsSaidSo) {
  for (const Json& body :
       {Json::object(), Json{{"query", {"a"}}}, Json{{"query", "a"}, {"labels", {"t"}}},
        Json{{"query", {"a", "b"}}, {"labels", {"t"}}}, Json{{"query", {1}}, {"labels", {"t"}}},
        Json{{"query", {"a"}}, {"prompts", {"p", "q"}}, {"labels", {"t"}}}})
    EXPECT_EQ(post("/get_reward", body).status(), 400) << body;
  EXPECT_EQ(ask(kCode, "?reward=much").status(), 400);
}

TEST_F(OpenRlhfTest, EachAnswerOfTheTableHandsInItsFiles) {
  for (const test::SampleAnswer& sample : test::sample_answers()) {
    if (sample.device != "cpu") continue;
    asked_.clear();
    const Answer reply = ask(sample.answer);
    if (sample.files.empty()) {
      EXPECT_EQ(reply.body().at("rewards"), Json::array({-1.0})) << sample.name;
    } else {
      ASSERT_EQ(asked_.size(), 1U) << sample.name;
      EXPECT_EQ(asked_[0].at("order").at("files"), Json(sample.files)) << sample.name;
      answer_last(200, row(kId));
    }
  }
}

TEST_F(OpenRlhfTest, MarksBeforeThePromptAreNoAnswer) {
  post("/get_reward", {{"query", {"<s>" + kCode + "```cpp\nint y;\n```\n"}},
                       {"prompts", {kCode}},
                       {"labels", {"level1/019_relu"}}});
  EXPECT_EQ(question().at("order").at("files"), (Json{{"kernel.cpp", "int y;\n"}}));
}

TEST_F(OpenRlhfTest, ALoneSurrogateIsACharacter) {
  for (const std::string half : {"\\ud83d", "\\ude80", "\xed\xa0\xbd"}) {
    asked_.clear();
    HttpRequest made = request("POST", "/get_reward");
    made.body = std::string(R"({"labels": ["level1/019_relu"], "query": [")") + half +
                R"(\n```cpp\nint x; // \ud83d\ude80 )" + half + R"(\n```\n"]})";
    (void)send(made);
    ASSERT_EQ(asked_.size(), 1U);
    answer_last(422, refusal("client"));
    EXPECT_EQ(asked_[0].at("order").at("files"),
              (Json{{"kernel.cpp", "int x; // \U0001f680 \ufffd\n"}}));
  }
}

// --- KernelGYM ---

class KernelGymTest : public test::DeskTest {
 protected:
  static Json task(const std::string& name, double timeout = 60) {
    return {{"task_id", name},         {"reference_code", "class Model: pass"},
            {"kernel_code", "int x;"}, {"timeout", timeout},
            {"num_perf_trials", 100},  {"backend", "cuda"}};
  }
};

TEST_F(KernelGymTest, AnEvaluationHasItsClientsName) {
  const Answer reply = post("/evaluate", task("mine"));
  EXPECT_EQ(question().at("order").at("reference"), "class Model: pass");
  EXPECT_FALSE(question().at("order").contains("task"));
  EXPECT_EQ(get("/status/mine").body().at("status"), "pending") << "while it is on its way";
  EXPECT_EQ(get("/results/mine").status(), 404);
  answer_last(202, {{"id", kId}, {"state", "queued"}});
  event("done", kId);
  answer_last(200, row(kId));
  const Json result = reply.body();
  EXPECT_EQ(result.at("task_id"), "mine");
  EXPECT_EQ(result.at("status"), "completed");
  EXPECT_EQ(result.at("compiled"), true);
  EXPECT_EQ(result.at("correctness"), true);
  EXPECT_EQ(result.at("reference_runtime"), 3.0);
  EXPECT_EQ(result.at("kernel_runtime"), 2.0);
  EXPECT_EQ(result.at("speedup"), 1.5);

  const Answer status = get("/status/mine");
  EXPECT_EQ(
      question(),
      (Json{{"what", "row"}, {"id", kId}, {"ask", question().at("ask")}, {"reward", "kernelgym"}}));
  answer_last(200, row(kId));
  EXPECT_EQ(status.body().at("status"), "completed");
  const Answer results = get("/results/mine");
  answer_last(200, row(kId));
  EXPECT_EQ(results.body(), result);
  EXPECT_EQ(get("/status/mine", kReadOnly).status(), 404) << "another token's names are its own";
  EXPECT_EQ(get("/results/none").status(), 404);
}

TEST_F(KernelGymTest, AClientThatPollsIsToldHowFarItIs) {
  const Answer reply = post("/evaluate", task("mine", 10));
  answer_last(202, {{"id", kId}, {"state", "queued"}});
  pass(10s);
  EXPECT_EQ(reply.status(), 200);
  EXPECT_EQ(reply.body().at("status"), "pending");
  const Answer status = get("/status/mine");
  answer_last(202, {{"id", kId}, {"state", "running"}});
  EXPECT_EQ(status.body().at("status"), "processing");
  const Answer results = get("/results/mine");
  answer_last(202, {{"id", kId}, {"state", "running"}});
  EXPECT_EQ(results.status(), 404);
}

TEST_F(KernelGymTest, FailuresAreTheirsOrOurs) {
  const auto judged = [&](const std::string& state) {
    const Answer reply = post("/evaluate", task("t"));
    answer_last(200, row(kId, -1, state));
    return reply.body();
  };
  EXPECT_EQ(judged("compile_error").at("compiled"), false);
  EXPECT_EQ(judged("compile_error").at("status"), "completed");
  EXPECT_EQ(judged("wrong_result").at("compiled"), true);
  EXPECT_EQ(judged("wrong_result").at("correctness"), false);
  EXPECT_EQ(judged("infrastructure_error").at("status"), "failed");
  const Answer theirs = post("/evaluate", task("theirs"));
  answer_last(422, refusal("submission"));
  EXPECT_EQ(theirs.status(), 200);
  EXPECT_EQ(theirs.body().at("compiled"), false);
  const Answer kept = get("/results/theirs");
  EXPECT_EQ(kept.body().at("error_message"), "it is refused");
  const Answer unknown = post("/evaluate", task("unknown"));
  answer_last(422, refusal("client"));
  EXPECT_EQ(unknown.status(), 422) << "no task of ours has that reference";
  EXPECT_EQ(get("/status/unknown").status(), 404);
}

TEST_F(KernelGymTest, ANameIsKnownThoughItsClientHungUp) {
  HttpRequest sent = request("POST", "/evaluate");
  sent.body = task("mine").dump();
  auto admission = desk_.admit(sent);
  desk_.handle(admission.visit, sent, [](const HttpResponse&) { ADD_FAILURE() << "to nobody"; });
  desk_.leave(admission.visit);
  answer_last(202, {{"id", kId}, {"state", "queued"}});
  const Answer status = get("/status/mine");
  EXPECT_EQ(question().at("id"), kId);
  answer_last(202, {{"id", kId}, {"state", "running"}});
  EXPECT_EQ(status.body().at("status"), "processing");
}

TEST_F(KernelGymTest, ABatchIsAnsweredAsAWhole) {
  Json other = task("2");
  other["kernel_code"] = "int y;";
  const Answer reply = post("/evaluate/batch", {{"batch_id", "b"}, {"tasks", {task("1"), other}}});
  answer(asked_[0], 200, row(kId));
  answer(asked_[1], 500, refusal("infrastructure"));
  const Json body = reply.body();
  EXPECT_EQ(body.at("total_tasks"), 2);
  EXPECT_EQ(body.at("completed_tasks"), 1);
  EXPECT_EQ(body.at("failed_tasks"), 1);
  EXPECT_EQ(body.at("batch_status"), "completed");
  EXPECT_EQ(body.at("results")[1].at("task_id"), "2");
  EXPECT_EQ(post("/evaluate/batch", {{"batch_id", "b"}}).status(), 400);
  EXPECT_EQ(post("/evaluate", {{"task_id", "x"}}).status(), 400);
}

TEST(KernelGymNames, TheOldestAreForgotten) {
  KernelGymNames names;
  for (std::size_t i = 0; i <= KernelGymNames::kMostNames; ++i)
    names.put("ann", std::to_string(i), {OrderOutcome::Kind::kPending, 202, {{"id", kId}}});
  EXPECT_EQ(names.find("ann", "0"), nullptr);
  ASSERT_NE(names.find("ann", "1"), nullptr);
  names.put("ann", "1", {OrderOutcome::Kind::kPending, 202, {{"id", kOther}}});
  EXPECT_EQ(names.find("ann", "1")->id, kOther);
}

// --- OpenEnv ---

class OpenEnvTest : public test::DeskTest {
 protected:
  static Json task() {
    return {{"task", "level1/019_relu"}, {"size", "small"},      {"device", "cpu"},
            {"device_name", "a CPU"},    {"prompt", "write it"}, {"reference", "class Model"}};
  }
  // A message over the socket; the reply is there once what it asks is answered.
  void say(const Json& message) { say_text(message.dump()); }
  void say_text(const std::string& text) {
    replied_.reset();
    closed_ = false;
    desk_.hear_socket(visit_, socket_, text, [this](std::optional<std::string> reply) {
      closed_ = !reply;
      if (reply) replied_ = Json::parse(*reply);
    });
  }
  void begin(int max_turns = 3) {
    say({{"type", "reset"}, {"data", {{"problem_id", "L1_19_relu"}, {"max_turns", max_turns}}}});
    answer_last(200, task());
  }
  void step(const std::string& code = "int x;") {
    say({{"type", "step"}, {"data", {{"code", code}}}});
  }
  [[nodiscard]] const Json& data() const { return replied_->at("data"); }

  Desk::Visit visit_ = desk_.admit(request("GET", "/ws")).visit;
  Desk::Socket socket_;
  std::optional<Json> replied_;
  bool closed_ = false;
};

TEST_F(OpenEnvTest, EachAnswerOfTheTableHandsInItsFiles) {
  begin(1000);
  for (const test::SampleAnswer& sample : test::sample_answers()) {
    // An answer without a code block is code itself, to a client that sends code.
    if (sample.device != "cpu" || sample.files.empty()) continue;
    step(sample.answer);
    EXPECT_EQ(question().at("order").at("files"), Json(sample.files)) << sample.name;
    answer_last(200, row(kId));
  }
}

TEST_F(OpenEnvTest, AResetNeedsNoBody) {
  HttpRequest made = request("POST", "/reset");
  made.headers.erase("content-type");
  const Answer reply = send(made);
  EXPECT_EQ(question().at("what"), "task");
  answer_last(200, task());
  EXPECT_EQ(reply.status(), 200);
  say({{"type", "reset"}, {"data", {{"problem_id", nullptr}, {"max_turns", nullptr}}}});
  EXPECT_EQ(question().at("what"), "task");
}

TEST_F(OpenEnvTest, AnEpisodeIsATaskAndSomeTurns) {
  begin();
  EXPECT_EQ(question().at("task"), "level1/019_*");
  EXPECT_EQ(replied_->at("type"), "observation");
  EXPECT_EQ(data().at("observation").at("problem_id"), "level1/019_relu");
  EXPECT_EQ(data().at("observation").at("turn"), 0);
  EXPECT_EQ(data().at("done"), false);
  EXPECT_TRUE(data().at("reward").is_null());

  step();
  EXPECT_EQ(question().at("reward"), "kernrl");
  EXPECT_EQ(question().at("order").at("task"), "level1/019_relu");
  answer_last(200, row(kId, 0.5));
  EXPECT_EQ(data().at("reward"), 0.5);
  EXPECT_EQ(data().at("observation").at("speedup"), 1.5);
  EXPECT_EQ(data().at("observation").at("compilation_success"), true);
  EXPECT_EQ(data().at("observation").at("turn"), 1);

  step("int y;");
  answer_last(200, row(kOther, -0.5, "compile_error"));
  EXPECT_EQ(data().at("observation").at("compilation_success"), false);
  EXPECT_EQ(data().at("observation").at("compilation_error"), "it says why");
  step("");
  EXPECT_EQ(data().at("reward"), -0.5) << "no code is a turn, and costs";
  EXPECT_EQ(data().at("done"), true);
  step();
  EXPECT_EQ(replied_->at("type"), "error");

  say({{"type", "state"}});
  EXPECT_EQ(replied_->at("type"), "state");
  EXPECT_EQ(data().at("step_count"), 3);
  EXPECT_EQ(data().at("best_speedup"), 1.5);
  EXPECT_EQ(data().at("solved"), true);
  say({{"type", "close"}});
  EXPECT_TRUE(closed_);
}

TEST_F(OpenEnvTest, AfterMostOfAMinuteItIsStillMeasuring) {
  begin();
  step();
  answer_last(202, {{"id", kId}, {"state", "queued"}});
  pass(54s);
  EXPECT_FALSE(replied_);
  pass(1s);
  EXPECT_THAT(data().at("observation").at("feedback").get<std::string>(),
              HasSubstr("still measuring"));
  EXPECT_EQ(data().at("observation").at("turn"), 0);
  EXPECT_EQ(data().at("done"), false);
  step();
  event("done", kId);
  answer_last(200, row(kId));
  EXPECT_EQ(data().at("observation").at("turn"), 1);
}

TEST_F(OpenEnvTest, TheMachinesFaultIsNoTurn) {
  begin();
  step();
  answer_last(200, row(kId, 0, "infrastructure_error"));
  EXPECT_TRUE(data().at("reward").is_null());
  EXPECT_EQ(data().at("observation").at("turn"), 0);
}

TEST_F(OpenEnvTest, WhatIsNoMessageIsSaidSo) {
  const auto code = [&] { return data().at("code").get<std::string>(); };
  step();
  EXPECT_EQ(code(), "VALIDATION_ERROR") << "no episode yet";
  say_text("{");
  EXPECT_EQ(code(), "INVALID_JSON");
  say_text(std::string(100'000, '['));
  EXPECT_EQ(code(), "INVALID_JSON");
  say(Json::array());
  EXPECT_EQ(code(), "INVALID_JSON");
  say({{"type", "jump"}});
  EXPECT_EQ(code(), "UNKNOWN_TYPE");
  say({{"data", Json::object()}});
  EXPECT_EQ(code(), "UNKNOWN_TYPE");
  say({{"type", "step"}, {"data", 3}});
  EXPECT_EQ(code(), "VALIDATION_ERROR");
  say({{"type", "reset"}, {"data", {{"max_turns", 0}}}});
  EXPECT_EQ(code(), "VALIDATION_ERROR");
  say({{"type", "reset"}, {"data", {{"problem_id", "none"}}}});
  answer_last(404, refusal("client"));
  EXPECT_EQ(code(), "VALIDATION_ERROR");
}

TEST_F(OpenEnvTest, TheSameOverHttp) {
  EXPECT_EQ(post("/step", {{"action", {{"code", "x"}}}}).status(), 400);
  const Answer reset = post("/reset", {{"problem_id", "level1/019_relu"}, {"seed", 3}});
  answer_last(200, task());
  EXPECT_EQ(reset.body().at("observation").at("problem_description"), "write it");
  const Answer step = post("/step", {{"action", {{"code", "int x;"}}}});
  answer_last(200, row(kId));
  EXPECT_EQ(step.body().at("reward"), 2.0);
  EXPECT_EQ(get("/state").body().at("step_count"), 1);
  EXPECT_EQ(get("/state", kReadOnly).body().at("step_count"), 0);
  EXPECT_EQ(get("/schema", "").body().at("action").at("required"), Json::array({"code"}));
  EXPECT_EQ(get("/metadata", "").body().at("name"), "kbench");
  EXPECT_EQ(get("/ws").status(), 426);
}

TEST_F(OpenEnvTest, ToolsAreThereAsWell) {
  say({{"type", "mcp"},
       {"data",
        {{"jsonrpc", "2.0"}, {"id", 1}, {"method", "tools/list"}, {"params", Json::object()}}}});
  EXPECT_EQ(replied_->at("type"), "mcp");
  EXPECT_GT(data().at("result").at("tools").size(), 5U);
}

TEST(OpenEnv, KernrlsProblemsAreTasksOfOurs) {
  EXPECT_EQ(task_of_problem("L1_23_Softmax"), "level1/023_*");
  EXPECT_EQ(task_of_problem("L10_1"), "level10/001_*");
  EXPECT_EQ(task_of_problem("level1/019_relu"), "level1/019_relu");
  EXPECT_EQ(task_of_problem("L_1"), "L_1");
}

}  // namespace
}  // namespace kbench
