// The judge of an agent's episodes, on a bench that measures nothing.
#include "runner/judge/agent_judge.hpp"

#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>

#include "runner/store/chain/chain_key.hpp"
#include "tests/unit/judge_fixture.hpp"

namespace kbench::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class AgentJudge : public JudgeTest {
 protected:
  AgentJudge() {
    auto opened = Store::open(terms_.database, Store::Mode::kReadWrite);
    Store store = std::move(*opened);
    auto key = keep_chain_key(benches_.place.state);
    store.use(std::move(*key));
    kbench::Run run;
    run.id = "e0000000000000000000000000000001";
    run.configuration = run.environment = "{}";
    EXPECT_TRUE(store.begin_run(run).ok());
    store_.emplace(std::move(store));
    judge_ = make_judge();
  }
  std::unique_ptr<EpisodeJudge> make_judge() {
    return make_agent_judge({.place = place_,
                             .sink = kept_,
                             .trust = trust_,
                             .store = *store_,
                             .run_id = "e0000000000000000000000000000001",
                             .agent = "a-model",
                             .quick = quick_,
                             .allow_torch = allow_torch_,
                             .reward = find_reward("milestone_sure").value(),
                             .stop = [this] { return stopping_; }});
  }
  [[nodiscard]] std::vector<Evaluation> rows() {
    return store_->with([](const Store& store) {
      return store.evaluations("e0000000000000000000000000000001").value();
    });
  }

  const KernelTree tree_ = tree_of("int nothing;");
  Trust trust_;
  bool quick_ = false;
  std::string allow_torch_ = "data";
  std::optional<SharedStore> store_;
  std::unique_ptr<EpisodeJudge> judge_;
};

// Else a model verifies by one rule and is judged by another.
TEST_F(AgentJudge, WhatTheEpisodeWasAskedForHoldsForEveryTool) {
  quick_ = true;
  allow_torch_ = "none";
  judge_ = make_judge();
  EXPECT_EQ(judge_->verify(relu_, tree_).error, CallError::kNone);
  EXPECT_TRUE(benches_.asked.checks_only);
  EXPECT_EQ(benches_.asked.allow_torch, "none");
  EXPECT_EQ(judge_->submit(relu_, tree_, "e0-1").error, CallError::kNone);
  EXPECT_FALSE(benches_.asked.checks_only);
  EXPECT_TRUE(benches_.asked.quick);
  EXPECT_EQ(benches_.asked.allow_torch, "none");
}

TEST_F(AgentJudge, AnAnswerTrustsWhatItIsToldToTrust) {
  SQLite::Database(terms_.database.string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE run SET chain_key = ''");
  for (const bool trusts : {false, true}) {
    trust_.unchecked = trusts;
    judge_ = make_judge();
    const Json row = judge_->submit(relu_, tree_, "e0-1").result.at("row");
    EXPECT_EQ(row.at("unranked_reason").is_null(), trusts) << row.at("unranked_reason");
  }
}

TEST_F(AgentJudge, ASubmissionIsARowOfTheEpisodesRunWithItsSources) {
  const KernelVerdict verdict = judge_->submit(relu_, tree_, "e0-1");
  EXPECT_EQ(verdict.error, CallError::kNone);
  const std::vector<Evaluation> stored = rows();
  ASSERT_THAT(stored, SizeIs(1));
  EXPECT_EQ(stored[0].key, verdict.evaluation);
  EXPECT_EQ(stored[0].submission->agent, "a-model");
  EXPECT_EQ(stored[0].submission->variant, "e0-1");
  std::vector<std::string> hashes;
  for (const TreeFile& file : stored[0].sources) hashes.push_back(file.hash);
  const auto contents =
      store_->with([&](const Store& store) { return store.contents(hashes, 1 << 20); });
  ASSERT_TRUE(contents.ok()) << contents.error().message;
  EXPECT_EQ(contents->size(), hashes.size());
  EXPECT_EQ(verdict.result.at("run_id"), "e0000000000000000000000000000001");
  EXPECT_EQ(verdict.result.at("row").at("state"), "ok");
  EXPECT_EQ(verdict.result.at("row").at("reward").at("name"), "milestone_sure");
}

TEST_F(AgentJudge, WhatWasStoredBeforeIsToldAndNotMeasuredAgain) {
  const std::string key = judge_->submit(relu_, tree_, "e0-1").evaluation;
  EXPECT_EQ(judge_->submit(relu_, tree_, "e0-1").evaluation, key);
  EXPECT_EQ(make_judge()->submit(relu_, tree_, "e0-1").evaluation, key) << "of a killed program";
  EXPECT_THAT(benches_.measured, SizeIs(1));
  EXPECT_NE(judge_->submit(relu_, tree_, "e0-2").evaluation, key);
  EXPECT_THAT(rows(), SizeIs(2));
}

TEST_F(AgentJudge, ACheckIsARowThatIsNotTimed) {
  quick_ = true;
  judge_ = make_judge();
  const std::string key = judge_->check(relu_, tree_, "e0-1").evaluation;
  EXPECT_TRUE(benches_.asked.checks_only);
  ASSERT_THAT(rows(), SizeIs(1));
  EXPECT_EQ(rows()[0].key, key);
  EXPECT_FALSE(rows()[0].timed);
  EXPECT_EQ(judge_->check(relu_, tree_, "e0-1").evaluation, key);
  EXPECT_EQ(make_judge()->check(relu_, tree_, "e0-1").evaluation, key) << "of a killed program";
  EXPECT_THAT(rows(), SizeIs(1));
}

TEST_F(AgentJudge, ATimedRowAnswersACheckAndNeverTheOtherWayRound) {
  const std::string checked = judge_->check(relu_, tree_, "e0-1").evaluation;
  const std::string timed = judge_->submit(relu_, tree_, "e0-1").evaluation;
  EXPECT_NE(timed, checked);
  EXPECT_FALSE(benches_.asked.checks_only);
  for (const auto& judge : {make_judge(), make_judge()}) {
    EXPECT_EQ(judge->check(relu_, tree_, "e0-1").evaluation, timed);
    EXPECT_EQ(judge->submit(relu_, tree_, "e0-1").evaluation, timed);
  }
  EXPECT_THAT(rows(), SizeIs(2));
}

TEST_F(AgentJudge, VerifyingStoresNothing) {
  const KernelVerdict verdict = judge_->verify(relu_, tree_);
  EXPECT_EQ(verdict.error, CallError::kNone);
  EXPECT_EQ(verdict.evaluation, "");
  EXPECT_EQ(verdict.result.at("state"), "ok");
  EXPECT_THAT(rows(), IsEmpty());
}

TEST_F(AgentJudge, AProfileStoresNothing) {
  const KernelVerdict verdict = judge_->profile(relu_, tree_);
  EXPECT_EQ(verdict.error, CallError::kNone);
  EXPECT_TRUE(verdict.result.at("profile").at("to_do").is_string());
  EXPECT_EQ(verdict.evaluation, "");
}

TEST_F(AgentJudge, AComponentSaysWhatItSeesAndStoresNothing) {
  const KernelTree loops =
      tree_of("void f(int* a) {\n  for (int i = 0; i < 9; ++i) a[i] = i;\n}\n");
  const KernelVerdict verdict = judge_->report("analyzer", relu_, loops);
  EXPECT_EQ(verdict.error, CallError::kNone);
  EXPECT_EQ(verdict.evaluation, "");
  EXPECT_EQ(verdict.result.at("state"), "ok");
  EXPECT_THAT(verdict.result.at("report").at("text").get<std::string>(),
              HasSubstr("line 2: for (int i = 0; i < 9; ++i)"));
  const KernelTree cuda = tree_of("__global__ void nothing() {}", "main.cu");
  const Json refused = judge_->report("analyzer", relu_, cuda).result;
  EXPECT_EQ(refused.at("state"), "submission_error");
  EXPECT_TRUE(refused.at("report").is_null());
  EXPECT_THAT(rows(), IsEmpty());
}

TEST_F(AgentJudge, AWrongKernelIsAnAnswer) {
  benches_.script.states["a-model"] = State::kWrongResult;
  const KernelVerdict verdict = judge_->submit(relu_, tree_, "e0-1");
  EXPECT_EQ(verdict.error, CallError::kNone);
  EXPECT_EQ(verdict.result.at("row").at("state"), "wrong_result");
  EXPECT_THAT(rows(), SizeIs(1));
}

TEST_F(AgentJudge, TellsWhoseFaultItIs) {
  const KernelTree cuda = tree_of("__global__ void nothing() {}", "main.cu");
  EXPECT_EQ(judge_->verify(relu_, cuda).error, CallError::kRefused);
  EXPECT_EQ(judge_->compile(relu_, cuda).error, CallError::kNone) << "does not compile";
  benches_.script.states["a-model"] = State::kInfrastructureError;
  EXPECT_EQ(judge_->verify(relu_, tree_).error, CallError::kInfrastructure);
  benches_.script.states["a-model"] = State::kDoesNotFit;
  EXPECT_EQ(judge_->verify(relu_, tree_).error, CallError::kNone);
  benches_.script.oracle_fails = Error{ErrorCode::kInfrastructure, "no oracle", ""};
  const KernelVerdict verdict = judge_->submit(relu_, tree_, "e0-1");
  EXPECT_EQ(verdict.error, CallError::kInfrastructure);
  EXPECT_EQ(verdict.result.at("error").at("message"), "no oracle");
  EXPECT_THAT(rows(), IsEmpty());
}

TEST_F(AgentJudge, AfterAStopNothingIsJudged) {
  stopping_ = true;
  for (const KernelVerdict& verdict : {judge_->compile(relu_, tree_), judge_->verify(relu_, tree_),
                                       judge_->submit(relu_, tree_, "e0-1")}) {
    EXPECT_TRUE(verdict.interrupted);
    EXPECT_EQ(verdict.evaluation, "");
  }
  EXPECT_EQ(benches_.made, 0);
}

TEST_F(AgentJudge, WhatIsMeasuredWhenTheStopComesIsStored) {
  benches_.script.while_measuring = [this](const PlannedRow&) { stopping_ = true; };
  const KernelVerdict verdict = judge_->submit(relu_, tree_, "e0-1");
  EXPECT_FALSE(verdict.interrupted);
  EXPECT_THAT(rows(), SizeIs(1));
}

TEST_F(AgentJudge, AStopBeforeTheMeasurementIsAnInterruption) {
  benches_.script.while_preparing = [this] { stopping_ = true; };
  EXPECT_TRUE(judge_->submit(relu_, tree_, "e0-1").interrupted);
  EXPECT_THAT(rows(), IsEmpty());
}

TEST_F(AgentJudge, ADeviceThatIsLostJudgesNothing) {
  benches_.script.left_over = Error{ErrorCode::kInfrastructure, "a program did not die", "reboot"};
  const KernelVerdict verdict = judge_->submit(relu_, tree_, "e0-1");
  EXPECT_EQ(verdict.error, CallError::kInfrastructure);
  EXPECT_FALSE(verdict.interrupted);
  EXPECT_THAT(verdict.result.at("error").at("message").get<std::string>(),
              HasSubstr("nothing was judged: a program did not die"));
}

}  // namespace
}  // namespace kbench::test
