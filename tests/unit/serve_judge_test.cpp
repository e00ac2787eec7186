// The judge behind a server's queue, on a bench that measures nothing.
#include "runner/judge/serve_judge.hpp"

#include <fstream>

#include <gmock/gmock.h>

#include "tests/unit/judge_fixture.hpp"

namespace kbench::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

using Told = std::vector<std::pair<std::string, std::optional<Json>>>;

class ServeJudge : public JudgeTest {
 protected:
  ServeJudge() {
    benches_.place.oracle = folder_.write("kbench-oracle", "");
    device_.emplace(benches_.place, SessionTurns::kOne);
    device_->prepare();
    benches_.script.compiler = device_->toolchain().host_version;
    benches_.script.nvcc = device_->toolchain().nvcc_version;
    remake();
    benches_.script.device_name = judge_->device().name;
  }
  Result<std::unique_ptr<ServingJudge>> make() {
    return make_serve_judge({.place = {std::nullopt, *device_, benches_},
                             .device = "cpu",
                             .size = std::nullopt,
                             .allow_torch = allow_torch_,
                             .precision = precision_,
                             .database = terms_.database,
                             .trust = trust_,
                             .sink = kept_,
                             .quiet = quiet_});
  }
  void remake() {
    auto made = make();
    judge_ = std::move(*made);
  }
  static Order order(const std::string& text = "int nothing;", const std::string& what = "") {
    return {.what = what,
            .task = "level1/019_relu",
            .size = "small",
            .agent = "anna",
            .files = {{"main.cpp", text}}};
  }
  QueuedOrder queued(const Order& order) {
    return {.id = judge_->identify(order).value().id, .order = order};
  }
  Status judge(const std::vector<QueuedOrder>& orders) {
    told_.clear();
    const auto told = [&](const std::string& id, std::optional<Json> result) {
      told_.emplace_back(id, std::move(result));
    };
    return judge_->judge(orders, {.told = told});
  }
  [[nodiscard]] Error refusal(const Order& order) {
    const auto known = judge_->identify(order);
    EXPECT_FALSE(known.ok());
    return known ? Error{} : known.error();
  }
  [[nodiscard]] std::optional<Json> found(const std::string& id,
                                          Judge::Rows rows = Judge::Rows::kThatCount) {
    return judge_->find(id, "", rows).value();
  }

  std::optional<DeviceSession> device_;
  std::string allow_torch_ = RunRequest().allow_torch;
  std::string precision_ = RunRequest().precision;
  Trust trust_;
  KeptRun quiet_;
  std::unique_ptr<ServingJudge> judge_;
  Told told_;
};

TEST_F(ServeJudge, TheIdOfAnOrderIsTheKeyOfItsRow) {
  const QueuedOrder one = queued(order());
  EXPECT_EQ(found(one.id), std::nullopt);
  const Status judged = judge({one});
  ASSERT_TRUE(judged.ok()) << judged.error().message;
  EXPECT_THAT(told_, ElementsAre(std::pair{one.id, std::optional<Json>()}));
  const auto row = found(one.id);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->at("id"), one.id);
  EXPECT_EQ(row->at("row").at("state"), "ok");
  EXPECT_EQ(row->at("row").at("reward").at("name"), "milestone_sure");
  EXPECT_EQ(row->at("run_id"), stored_run(row->at("run_id")).id);
}

TEST_F(ServeJudge, SeveralOrdersAreOneRun) {
  const QueuedOrder one = queued(order("int one;"));
  const QueuedOrder two = queued(order("int two;"));
  EXPECT_NE(one.id, two.id);
  ASSERT_TRUE(judge({one, two}).ok());
  EXPECT_THAT(told_, SizeIs(2));
  EXPECT_EQ(found(one.id)->at("run_id"), found(two.id)->at("run_id"));
  EXPECT_EQ(benches_.made, 1);
  EXPECT_TRUE(benches_.asked.repeat_busy) << "what others disturb is measured again";
  EXPECT_THAT(kept_.rows, SizeIs(2));
  EXPECT_THAT(quiet_.rows, IsEmpty());
}

TEST_F(ServeJudge, ARowThatFailedByOurFaultDoesNotCount) {
  benches_.script.states["anna"] = State::kInfrastructureError;
  const QueuedOrder one = queued(order());
  EXPECT_FALSE(judge({one}).ok()) << "nobody is to think that this was a verdict";
  EXPECT_EQ(found(one.id), std::nullopt);
  EXPECT_TRUE(found(one.id, Judge::Rows::kAny));
}

TEST_F(ServeJudge, OfSeveralRowsOfAnOrderTheNewestIsTold) {
  const QueuedOrder one = queued(order());
  benches_.script.states["anna"] = State::kInfrastructureError;
  EXPECT_FALSE(judge({one}).ok());
  benches_.script.states["anna"] = State::kOk;
  ASSERT_TRUE(judge({one}).ok());
  EXPECT_EQ(found(one.id, Judge::Rows::kAny)->at("row").at("state"), "ok");
}

TEST_F(ServeJudge, AWrongKernelIsARowThatCounts) {
  benches_.script.states["anna"] = State::kWrongResult;
  const QueuedOrder one = queued(order());
  ASSERT_TRUE(judge({one}).ok());
  EXPECT_EQ(found(one.id)->at("row").at("state"), "wrong_result");
}

TEST_F(ServeJudge, ADeviceThatIsLostIsTheErrorOfTheRun) {
  benches_.script.left_over = Error{ErrorCode::kInfrastructure, "a program did not die", "reboot"};
  const Status judged = judge({queued(order())});
  ASSERT_FALSE(judged.ok());
  EXPECT_THAT(judged.error().message, HasSubstr("a program did not die (reboot); 1 left pending"));
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(ServeJudge, AfterAStopTheRestIsLeftAndNobodysFault) {
  benches_.script.while_measuring = [this](const PlannedRow&) { judge_->stop(); };
  EXPECT_TRUE(judge({queued(order("int one;")), queued(order("int two;"))}).ok());
  EXPECT_THAT(told_, SizeIs(1));
}

TEST_F(ServeJudge, VerifyingIsToldAndKeptNowhere) {
  const QueuedOrder one = queued(order("int nothing;", "verify"));
  ASSERT_TRUE(judge({one}).ok());
  ASSERT_THAT(told_, SizeIs(1));
  EXPECT_EQ(told_[0].first, one.id);
  EXPECT_EQ(told_[0].second->at("state"), "ok");
  EXPECT_EQ(told_[0].second->at("tree"), kernel_tree_of(one.order.files).value().hash);
  EXPECT_EQ(found(one.id, Judge::Rows::kAny), std::nullopt);
  EXPECT_THAT(kept_.rows, IsEmpty());
  EXPECT_THAT(quiet_.rows, SizeIs(1));
}

// Else an agent verifies by one rule and is judged by another.
TEST_F(ServeJudge, WhatTheServerWasAskedForHoldsForEveryOrder) {
  allow_torch_ = "none";
  precision_ = "fp32";
  remake();
  for (const std::string what : {"", "verify", "profile"}) {
    ASSERT_TRUE(judge({queued(order("int nothing;", what))}).ok()) << what;
    EXPECT_EQ(benches_.asked.precision, "fp32") << what;
    EXPECT_EQ(benches_.asked.size, "small") << what;
    if (what != "profile") {
      EXPECT_EQ(benches_.asked.allow_torch, "none") << what;
    }
  }
}

// Where no key can be kept, no row is chained.
TEST_F(ServeJudge, AnAnswerTrustsWhatTheServerIsToldToTrust) {
  std::filesystem::remove(benches_.place.state / "chain.key");
  std::filesystem::create_directories(benches_.place.state / "chain.key");
  for (const bool trusts : {false, true}) {
    trust_.unchecked = trusts;
    remake();
    const QueuedOrder one = queued(order());
    ASSERT_TRUE(judge({one}).ok());
    const Json row = found(one.id)->at("row");
    EXPECT_EQ(row.at("unranked_reason").is_null(), trusts) << row.at("unranked_reason");
  }
}

TEST_F(ServeJudge, AProfileIsToldAndKeptNowhere) {
  const QueuedOrder one = queued(order("int nothing;", "profile"));
  const QueuedOrder checked = queued(order("int nothing;", "verify"));
  EXPECT_NE(one.id, checked.id) << "the same files, asked for something else";
  ASSERT_TRUE(judge({one}).ok());
  ASSERT_EQ(told_.size(), 1U);
  ASSERT_TRUE(told_[0].second);
  EXPECT_EQ(told_[0].second->at("state"), "ok");
  EXPECT_TRUE(told_[0].second->at("profile").at("to_do").is_string());
  EXPECT_THAT(benches_.measured, ElementsAre("profile submission"));
  EXPECT_EQ(found(one.id), std::nullopt);
}

// The order behind it is judged all the same.
TEST_F(ServeJudge, AProfileThatFailsCostsThatProfileOnly) {
  benches_.script.build_fails["workspace"] = {ErrorCode::kSubmission, "it crashed", ""};
  ASSERT_TRUE(judge({queued(order("int nothing;", "profile"))}).ok());
  EXPECT_EQ(told_[0].second->at("state"), "submission_error");
  EXPECT_EQ(told_[0].second->at("message"), "no profile: it crashed");
  benches_.script.build_fails.clear();
  const QueuedOrder next = queued(order());
  ASSERT_TRUE(judge({next}).ok());
  EXPECT_TRUE(found(next.id));
}

TEST_F(ServeJudge, WhatCannotBeVerifiedIsSaid) {
  benches_.script.oracle_fails = Error{ErrorCode::kInfrastructure, "no oracle", ""};
  ASSERT_TRUE(judge({queued(order("int nothing;", "verify"))}).ok());
  EXPECT_EQ(told_.at(0).second->at("error").at("message"), "no oracle");
}

TEST_F(ServeJudge, RefusesOrdersThatMakeNoSenseHere) {
  Order asked = order();
  asked.device = "cuda";
  EXPECT_EQ(refusal(asked).message, "this server judges on cpu");
  asked = order();
  asked.task = "level1/019_rely";
  EXPECT_EQ(refusal(asked).code, ErrorCode::kNotFound);
  EXPECT_EQ(refusal(asked).hint, "did you mean level1/019_relu?");
  asked = order();
  asked.size = "huge";
  EXPECT_EQ(refusal(asked).code, ErrorCode::kUsage);
  asked = order();
  asked.files = {{"main.cu", "__global__ void nothing() {}"}};
  EXPECT_EQ(refusal(asked).code, ErrorCode::kSubmission);
  EXPECT_EQ(refusal(asked).message, "the files are for cuda, and this server judges on cpu");
  asked.files = {{"submission.json", "{"}, {"main.cpp", "int nothing;"}};
  EXPECT_EQ(refusal(asked).code, ErrorCode::kSubmission);
  EXPECT_THAT(refusal(asked).message, StartsWith("submission.json: parse error"))
      << "where the files lie is nobody's business";
}

TEST_F(ServeJudge, KnowsATaskByTheTextOfItsModule) {
  const Json task = judge_->describe("level1/019_relu", "").value();
  Order asked = order();
  asked.task.clear();
  asked.reference = "\n" + task.at("reference").get<std::string>() + "\n\n";
  EXPECT_EQ(judge_->identify(asked).value().task, "level1/019_relu");
  asked.reference += "x";
  EXPECT_EQ(refusal(asked).code, ErrorCode::kNotFound);
}

TEST_F(ServeJudge, DescribesATaskOrAny) {
  const Json relu = judge_->describe("level1/019_relu", "small").value();
  EXPECT_EQ(relu.at("device"), "cpu");
  EXPECT_THAT(relu.at("prompt").get<std::string>(), HasSubstr("relu"));
  EXPECT_TRUE(judge_->describe("", "").ok());
  EXPECT_EQ(judge_->describe("level1/404_none", "").error().code, ErrorCode::kNotFound);
}

TEST_F(ServeJudge, AnAgentsToolsEndInAnOrder) {
  const auto use = [&](const char* tool, const Json& arguments) {
    return judge_->use_tool(tool, arguments, "anna");
  };
  const auto list = use("list_tasks", {{"pattern", "level2/*"}});
  ASSERT_TRUE(list.ok()) << list.error().message;
  EXPECT_THAT(std::get<Json>(*list).at("tasks"), SizeIs(1));
  const auto opened = use("open_workspace", {{"task", "level1/019_relu"}});
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  const Json handle = std::get<Json>(*opened).at("workspace");
  ASSERT_TRUE(
      use("write", {{"workspace", handle}, {"path", "kernels/main.cpp"}, {"text", "int nothing;"}})
          .ok());
  const auto submitted = use("submit", {{"workspace", handle}});
  ASSERT_TRUE(submitted.ok()) << submitted.error().message;
  const Order asked = std::get<Order>(*submitted);
  EXPECT_TRUE(asked.is_stored());
  EXPECT_EQ(asked.agent, "anna");
  EXPECT_TRUE(judge({queued(asked)}).ok());
  EXPECT_FALSE(judge_->use_tool("read", {{"workspace", handle}, {"path", "TASK.md"}}, "bert").ok())
      << "the workspace is anna's";
  EXPECT_EQ(use("open_workspace", {{"task", "none"}}).error().code, ErrorCode::kNotFound);
}

TEST_F(ServeJudge, IsNotMadeWithoutAnOracleOrAPlaceForItsState) {
  benches_.place.oracle = folder_ / "none";
  device_.emplace(benches_.place, SessionTurns::kOne);
  EXPECT_THAT(make().error().message, HasSubstr("there is no none to measure with"));
  benches_.place.state.clear();
  device_.emplace(benches_.place, SessionTurns::kOne);
  EXPECT_EQ(make().error().message, "there is no place for the queue");
}

}  // namespace
}  // namespace kbench::test
