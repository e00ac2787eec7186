// Each field that an agent's tools hand on to the judge of its episode, and a judge's refusals.
#include <gmock/gmock.h>

#include "runner/judge/episode_tools.hpp"
#include "tests/unit/judge_fixture.hpp"

namespace kbench::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ToolsJudge final : public EpisodeJudge {
 public:
  KernelVerdict compile(const WorkspaceTask&, const KernelTree&) override { return say("compile"); }
  KernelVerdict verify(const WorkspaceTask&, const KernelTree&) override { return say("verify"); }
  KernelVerdict profile(const WorkspaceTask&, const KernelTree&) override { return say("profile"); }
  KernelVerdict report(std::string_view component, const WorkspaceTask&,
                       const KernelTree&) override {
    return say(std::string(component));
  }
  KernelVerdict submit(const WorkspaceTask&, const KernelTree&, const std::string&) override {
    return say("submit");
  }
  KernelVerdict verdict{{{"state", "ok"}}};
  std::vector<std::string> asked;

 private:
  KernelVerdict say(const std::string& what) {
    asked.push_back(what);
    return verdict;
  }
};

class HandedToTools : public ::testing::Test {
 protected:
  HandedToTools() {
    const WorkspaceTexts texts{"task", "skill", "class Model", "// header", "// abi"};
    EXPECT_TRUE(make_workspace(folder_ / "w", task_, texts).ok());
    EXPECT_EQ(
        tools_.use("write", words({{"path", "kernels/main.cpp"}, {"text", "int one;"}}), "v").error,
        CallError::kNone);
  }
  static std::string words(Json arguments) {
    arguments["workspace"] = "handle";
    return arguments.dump();
  }

  TemporaryFolder folder_;
  const WorkspaceTask task_{"level1/019_relu", "small", "cpu"};
  ToolsJudge judge_;
  EpisodeTools tools_{{.folder = folder_ / "w",
                       .task = task_,
                       .handle = "handle",
                       .evaluations = 1,
                       .text = [](const std::string&) { return std::nullopt; }},
                      judge_};
};

TEST_F(HandedToTools, AnotherHandleIsNobodysKernel) {
  for (const char* tool : {"verify", "submit", "compile"})
    EXPECT_EQ(tools_.use(tool, R"({"workspace":"another"})", "v").error, CallError::kRefused);
  EXPECT_THAT(judge_.asked, IsEmpty());
}

TEST_F(HandedToTools, WhatTheJudgeSaysOfAFaultIsTheAnswers) {
  judge_.verdict.error = CallError::kInfrastructure;
  EXPECT_EQ(tools_.use("verify", words(Json::object()), "v").error, CallError::kInfrastructure);
}

TEST_F(HandedToTools, WhatFailedByOurFaultWasGrantedAsWellAfterARestart) {
  ToolCall failed;
  failed.tool = "verify";
  failed.error = CallError::kInfrastructure;
  tools_.repeat(failed, words(Json::object()));
  EXPECT_EQ(tools_.use("verify", words(Json::object()), "v").error, CallError::kOverBudget);
}

TEST_F(HandedToTools, EditsAreMadeAgainToo) {
  const std::string before = tools_.tree();
  ToolCall edit;
  edit.tool = "edit";
  tools_.repeat(edit, words({{"path", "kernels/main.cpp"}, {"old", "one"}, {"new", "two"}}));
  EXPECT_NE(tools_.tree(), before);
}

class HandedToRefusal : public JudgeTest {};

TEST_F(HandedToRefusal, ASinkThatRefusesThePlanEndsTheRun) {
  kept_.refusal = Error{ErrorCode::kUsage, "not this plan", ""};
  const StagedKernels kernels = staged(tree_of("int nothing;"), relu_);
  const auto run = run_kernels({kernels, relu_, place_}, {}, kept_);
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().message, "not this plan");
}

TEST_F(HandedToRefusal, WhatIsNoSubmissionIsItsAuthorsFault) {
  const StagedKernels kernels = staged(
      kernel_tree_of({{"submission.json", "{"}, {"main.cpp", "int nothing;"}}).value(), relu_);
  EXPECT_EQ(submission_in({kernels, relu_, place_}).error().code, ErrorCode::kSubmission);
}

}  // namespace
}  // namespace kbench::test
