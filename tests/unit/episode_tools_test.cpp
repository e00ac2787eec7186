#include "runner/judge/episode_tools.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/core/sha256.hpp"
#include "tests/unit/store_fixture.hpp"

namespace kbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ScriptedJudge final : public EpisodeJudge {
 public:
  KernelVerdict compile(const WorkspaceTask&, const KernelTree&) override {
    asked.emplace_back("compile");
    return {{{"state", "ok"}}};
  }
  KernelVerdict verify(const WorkspaceTask&, const KernelTree&) override {
    asked.emplace_back("verify");
    return verdict;
  }
  KernelVerdict profile(const WorkspaceTask&, const KernelTree&) override {
    asked.emplace_back("profile");
    return verdict;
  }
  KernelVerdict report(std::string_view component, const WorkspaceTask&,
                       const KernelTree&) override {
    asked.emplace_back(component);
    return verdict;
  }
  KernelVerdict submit(const WorkspaceTask&, const KernelTree&,
                       const std::string& variant) override {
    asked.push_back("submit " + variant);
    return {{{"run_id", "r"}}, "key"};
  }

  std::vector<std::string> asked;
  KernelVerdict verdict{{{"state", "ok"}}};
};

class EpisodeToolsTest : public ::testing::Test {
 protected:
  EpisodeToolsTest() {
    const WorkspaceTexts texts{"task", "skill", "class Model", "// header", "// abi"};
    EXPECT_TRUE(make_workspace(folder_ / "w", task_, texts).ok());
  }

  EpisodeTools tools(int evaluations = 0) {
    return EpisodeTools({.folder = folder_ / "w",
                         .task = task_,
                         .handle = "handle",
                         .evaluations = evaluations,
                         .text = [](const std::string& hash) -> std::optional<std::string> {
                           if (hash == sha256("old")) return "old";
                           return std::nullopt;
                         }},
                        judge_);
  }

  static std::string with_handle(Json arguments) {
    arguments["workspace"] = "handle";
    return arguments.dump();
  }

  const std::string write_ =
      with_handle({{"path", "kernels/main.cpp"}, {"text", "#include \"task.h\"\n"}});
  const std::string bare_ = with_handle(Json::object());
  test::TemporaryFolder folder_;
  WorkspaceTask task_{"level1/019_relu", "small", "cpu"};
  ScriptedJudge judge_;
};

TEST_F(EpisodeToolsTest, AJudgeWithoutChecksOfItsOwnSubmitsUnderThatVariant) {
  const KernelTree tree = kernel_tree_of({{"main.cpp", "#include \"task.h\"\n"}}).value();
  EXPECT_EQ(judge_.check(task_, tree, "v").evaluation, "key");
  EXPECT_THAT(judge_.asked, ElementsAre("submit v"));
}

TEST_F(EpisodeToolsTest, ATreeIsWhatWasWritten) {
  EpisodeTools tools = this->tools();
  EXPECT_EQ(tools.tree(), "");
  EXPECT_EQ(tools.use("write", write_, "v").error, CallError::kNone);
  const std::string first = tools.tree();
  EXPECT_EQ(first.size(), 64u);
  const auto edit = tools.use(
      "edit", with_handle({{"path", "kernels/main.cpp"}, {"old", "task.h"}, {"new", "kbench.h"}}),
      "v");
  EXPECT_EQ(edit.error, CallError::kNone) << edit.result;
  EXPECT_NE(tools.tree(), first);
  EXPECT_THAT(tools.use("read", with_handle({{"path", "kernels/main.cpp"}}), "v").result,
              HasSubstr("kbench.h"));
}

TEST_F(EpisodeToolsTest, WhatAModelMayNotCallIsToldAndCounted) {
  EpisodeTools tools = this->tools();
  EXPECT_EQ(tools.use("shell", "{}", "v").error, CallError::kUnknownTool);
  EXPECT_EQ(tools.use("read", "{\"path\": ", "v").error, CallError::kBadArguments);
  EXPECT_EQ(tools.use("read", with_handle(Json::object()), "v").error, CallError::kBadArguments);
  EXPECT_EQ(tools.use("read", with_handle({{"path", 3}}), "v").error, CallError::kBadArguments);
  EXPECT_EQ(tools.use("verify", "[]", "v").error, CallError::kBadArguments);
  EXPECT_EQ(tools.use("recall", "{\"hash\": \"x\"}", "v").error, CallError::kBadArguments);
  EXPECT_EQ(tools.use("verify", "", "v").error, CallError::kBadArguments) << "no handle";
  EXPECT_EQ(tools.use("read", with_handle({{"path", "../secret"}}), "v").error,
            CallError::kRefused);
  EXPECT_EQ(tools.use("write", with_handle({{"path", "TASK.md"}, {"text", ""}}), "v").error,
            CallError::kRefused);
  EXPECT_EQ(tools.use("verify", "{\"workspace\": \"another\"}", "v").error, CallError::kRefused);
  EXPECT_THAT(tools.use("shell\x1b[2J", "{}", "v").result, testing::Not(HasSubstr("\x1b")));
  EXPECT_THAT(judge_.asked, testing::IsEmpty());
}

TEST_F(EpisodeToolsTest, AJudgeIsAskedOfWhatLiesThere) {
  EpisodeTools tools = this->tools();
  const auto nothing = tools.use("verify", bare_, "v");
  EXPECT_EQ(nothing.error, CallError::kRefused) << "there is no kernel";
  (void)tools.use("write", write_, "v");
  const auto verified = tools.use("verify", bare_, "v");
  EXPECT_EQ(verified.error, CallError::kNone);
  EXPECT_THAT(verified.result, HasSubstr(tools.tree()));
  const auto submitted = tools.use("submit", bare_, "e1-1");
  EXPECT_EQ(submitted.evaluation, "key");
  EXPECT_THAT(judge_.asked, ElementsAre("verify", "submit e1-1"));
}

TEST_F(EpisodeToolsTest, EvaluationsAreGrantedAndNoMore) {
  EpisodeTools tools = this->tools(2);
  (void)tools.use("write", write_, "v");
  EXPECT_EQ(tools.use("compile", bare_, "v").error, CallError::kNone) << "that is none";
  EXPECT_EQ(tools.use("verify", bare_, "v").error, CallError::kNone);
  judge_.verdict.interrupted = true;
  EXPECT_TRUE(tools.use("verify", bare_, "v").interrupted) << "and that was none";
  judge_.verdict.interrupted = false;
  EXPECT_EQ(tools.use("verify", bare_, "v").error, CallError::kNone);
  EXPECT_EQ(tools.use("submit", bare_, "v").error, CallError::kOverBudget);
}

TEST_F(EpisodeToolsTest, AProfileTakesTheDeviceAndIsOneOfThem) {
  EpisodeTools tools = this->tools(1);
  (void)tools.use("write", write_, "v");
  EXPECT_EQ(tools.use("profile", bare_, "v").error, CallError::kNone);
  EXPECT_EQ(tools.use("profile", bare_, "v").error, CallError::kOverBudget);
  EXPECT_THAT(judge_.asked, ElementsAre("profile"));
}

TEST_F(EpisodeToolsTest, OfTheComponentsTheOneThatRunsTheKernelIsAnEvaluation) {
  EpisodeTools tools = this->tools(1);
  (void)tools.use("write", write_, "v");
  EXPECT_EQ(tools.use("debug", bare_, "v").error, CallError::kNone);
  EXPECT_EQ(tools.use("debug", bare_, "v").error, CallError::kOverBudget);
  EXPECT_EQ(tools.use("analyze", bare_, "v").error, CallError::kNone) << "that runs nothing";
  EXPECT_THAT(judge_.asked, ElementsAre("debugger", "analyzer"));
}

TEST_F(EpisodeToolsTest, WhatWasAnsweredBeforeIsDoneAgainToTheFilesAlone) {
  EpisodeTools tools = this->tools(1);
  ToolCall write;
  write.tool = "write";
  tools.repeat(write, write_);
  EXPECT_EQ(tools.tree().size(), 64u);
  ToolCall failed = write;
  failed.error = CallError::kRefused;
  tools.repeat(failed, with_handle({{"path", "kernels/other.cpp"}, {"text", "x"}}));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "w/kernels/other.cpp"));
  ToolCall verify;
  verify.tool = "verify";
  tools.repeat(verify, bare_);
  EXPECT_THAT(judge_.asked, testing::IsEmpty()) << "nothing is judged twice";
  EXPECT_EQ(tools.use("submit", bare_, "v").error, CallError::kOverBudget) << "but it counts";
}

TEST_F(EpisodeToolsTest, OldResultsAreReturnedByTheirHash) {
  EpisodeTools tools = this->tools();
  EXPECT_EQ(tools.use("recall", Json{{"hash", sha256("old")}}.dump(), "v").result, "old");
  EXPECT_EQ(tools.use("recall", Json{{"hash", sha256("none")}}.dump(), "v").error,
            CallError::kRefused);
}

TEST_F(EpisodeToolsTest, AnEpisodeIsOneTasks) {
  EpisodeTools tools = this->tools();
  EXPECT_THAT(tools.use("list_tasks", "{}", "v").result, HasSubstr("level1/019_relu"));
  EXPECT_THAT(tools.use("open_workspace", "{\"task\": \"level1/019_relu\"}", "v").result,
              HasSubstr("\"handle\""));
  EXPECT_EQ(tools.use("open_workspace", "{\"task\": \"level1/001_x\"}", "v").error,
            CallError::kRefused);
}

TEST(OfferedTools, AreTheTableAndRecall) {
  std::vector<std::string> names;
  for (const Json& tool : offered_tools())
    names.push_back(tool["function"]["name"].get<std::string>());
  EXPECT_THAT(names,
              ElementsAre("list_tasks", "open_workspace", "read", "write", "edit", "glob", "grep",
                          "compile", "verify", "profile", "debug", "analyze", "submit", "recall"));
}

}  // namespace
}  // namespace kbench
