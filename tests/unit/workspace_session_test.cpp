// One request in a workspace, from the folder to the line that answers it, on a bench that measures
// nothing.
#include "runner/judge/workspace_session.hpp"

#include <gmock/gmock.h>

#include "runner/profile/profile.hpp"
#include "tests/unit/judge_fixture.hpp"
#include "tests/unit/profile_fixture.hpp"

namespace kbench::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class WorkspaceSession : public JudgeTest {
 protected:
  WorkspaceSession() {
    judging_.folder = folder_ / "work";
    judging_.database = folder_ / "kept.sqlite";
    const WorkspaceTexts texts{"task", "skill", "reference", "header", "abi"};
    EXPECT_TRUE(make_workspace(judging_.folder, relu_, texts).ok());
    EXPECT_TRUE(WorkspaceRecords(benches_.place.state).keep(judging_.folder, relu_).ok());
    folder_.write("work/kernels/main.cpp", "int nothing;\n");
  }
  WorkspaceAnswer answer(WorkspaceAsk ask) {
    judging_.ask = ask;
    return answer_in_workspace(judging_, place_, kept_);
  }
  static Json line_of(const WorkspaceAnswer& answer) { return Json::parse(answer.line); }

  WorkspaceJudging judging_;
};

TEST_F(WorkspaceSession, VerifyingSaysWhatTheChecksSaidAndKeepsNothing) {
  const WorkspaceAnswer verified = answer(WorkspaceAsk::kVerify);
  EXPECT_EQ(verified.state, State::kOk);
  EXPECT_FALSE(verified.error);
  const Json line = line_of(verified);
  EXPECT_EQ(line.at("request"), "verify");
  EXPECT_EQ(line.at("task"), "level1/019_relu");
  EXPECT_TRUE(line.at("tree").is_string());
  EXPECT_FALSE(fs::exists(judging_.database));
}

TEST_F(WorkspaceSession, ASubmissionIsStoredForTheFoldersName) {
  EXPECT_EQ(answer(WorkspaceAsk::kSubmit).state, State::kOk);
  terms_.database = judging_.database;
  ASSERT_EQ(stored().size(), 1u);
  EXPECT_EQ(stored()[0].submission->agent, "work");
  judging_.agent = "anna";
  EXPECT_EQ(answer(WorkspaceAsk::kSubmit).state, State::kOk);
  EXPECT_EQ(stored()[0].submission->agent, "anna");
}

// Where no key can be kept, no row is chained.
TEST_F(WorkspaceSession, AnAnswerTrustsWhatItIsToldToTrust) {
  fs::create_directories(benches_.place.state / "chain.key");
  for (const bool trusts : {false, true}) {
    judging_.trust.unchecked = trusts;
    const Json row = line_of(answer(WorkspaceAsk::kSubmit)).at("row");
    EXPECT_EQ(row.at("unranked_reason").is_null(), trusts) << row.at("unranked_reason");
  }
}

TEST_F(WorkspaceSession, TheDatabaseLiesOutsideOfTheFolderThatTheAgentWritesTo) {
  judging_.database = judging_.folder / "mine.sqlite";
  const WorkspaceAnswer refused = answer(WorkspaceAsk::kSubmit);
  ASSERT_TRUE(refused.error);
  EXPECT_EQ(refused.error->code, ErrorCode::kUsage);
  EXPECT_THAT(line_of(refused).at("error").at("message").get<std::string>(),
              HasSubstr("lies in the workspace"));
  EXPECT_EQ(benches_.made, 0);
  EXPECT_FALSE(answer(WorkspaceAsk::kVerify).error) << "which keeps nothing there";
}

TEST_F(WorkspaceSession, ALinkHidesNoDatabaseInTheFolder) {
  fs::create_directory_symlink(judging_.folder, folder_ / "elsewhere");
  judging_.database = folder_ / "elsewhere/mine.sqlite";
  const WorkspaceAnswer refused = answer(WorkspaceAsk::kSubmit);
  ASSERT_TRUE(refused.error);
  EXPECT_THAT(refused.error->message, HasSubstr("lies in the workspace"));
  EXPECT_EQ(benches_.made, 0);
}

TEST_F(WorkspaceSession, AFolderThatNobodyOpenedIsNone) {
  judging_.folder = folder_.path();
  const WorkspaceAnswer refused = answer(WorkspaceAsk::kVerify);
  ASSERT_TRUE(refused.error);
  EXPECT_FALSE(refused.state);
  EXPECT_TRUE(line_of(refused).contains("error"));
}

TEST_F(WorkspaceSession, ARunThatJudgedNothingIsNoStateOfTheKernels) {
  benches_.script.oracle_fails = Error{ErrorCode::kInfrastructure, "no oracle", ""};
  const WorkspaceAnswer failed = answer(WorkspaceAsk::kVerify);
  EXPECT_FALSE(failed.state);
  ASSERT_TRUE(failed.error);
  EXPECT_EQ(failed.error->message, "no oracle");
}

TEST_F(WorkspaceSession, AProfileNamesOneThingToDoAndKeepsNothing) {
  const ProfileInput recorded = input_of({call_of(36, {kernel("relu", 1, 36)})});
  benches_.script.profile.recorded = recorded.recorded;
  benches_.script.profile.device = recorded.device;
  benches_.script.profile.limits = recorded.limits;
  const WorkspaceAnswer profiled = answer(WorkspaceAsk::kProfile);
  ASSERT_FALSE(profiled.error) << profiled.error->message;
  EXPECT_EQ(profiled.state, State::kOk);
  const Json line = line_of(profiled);
  EXPECT_EQ(line.at("request"), "profile");
  EXPECT_TRUE(line.at("tree").is_string());
  EXPECT_FALSE(line.at("profile").at("to_do").get<std::string>().empty());
  EXPECT_LE(line.at("profile").dump().size(), kLongestProfileText);
  EXPECT_THAT(benches_.measured, ::testing::ElementsAre("profile submission"));
  EXPECT_FALSE(fs::exists(judging_.database));
}

TEST_F(WorkspaceSession, AProfileThatFailsCostsThatProfileOnly) {
  benches_.script.build_fails["workspace"] = {ErrorCode::kSubmission, "it does not compile", "x"};
  const WorkspaceAnswer failed = answer(WorkspaceAsk::kProfile);
  EXPECT_FALSE(failed.error);
  EXPECT_EQ(failed.state, State::kSubmissionError);
  EXPECT_TRUE(line_of(failed).at("profile").is_null());
  EXPECT_EQ(line_of(failed).at("message"), "no profile: it does not compile");
  benches_.script.build_fails.clear();
  EXPECT_EQ(answer(WorkspaceAsk::kVerify).state, State::kOk) << "what comes next is judged";
}

TEST_F(WorkspaceSession, WithoutAnOracleThereIsNoProfileAndThatIsNotTheSubmissions) {
  benches_.script.oracle_fails = Error{ErrorCode::kInfrastructure, "no oracle", ""};
  const WorkspaceAnswer failed = answer(WorkspaceAsk::kProfile);
  EXPECT_EQ(failed.state, State::kInfrastructureError);
  EXPECT_EQ(line_of(failed).at("message"), "no profile: no oracle");
}

}  // namespace
}  // namespace kbench::test
