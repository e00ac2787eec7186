// Answers about an agent's kernels, on a bench that measures nothing.
#include "runner/judge/workspace_requests.hpp"

#include <gmock/gmock.h>

#include "tests/unit/judge_fixture.hpp"

namespace kbench::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RunKernels : public JudgeTest {
 protected:
  Result<KernelRun> run_of(const KernelTree& tree, const KernelRunOptions& options = {}) {
    const StagedKernels kernels = staged(tree, relu_);
    return run_kernels({kernels, relu_, place_}, options, kept_);
  }
};

TEST_F(RunKernels, ChecksAreTheRowInMemoryAndNothingElse) {
  const auto run = run_of(tree_of("int nothing;"));
  ASSERT_TRUE(run.ok()) << run.error().message;
  ASSERT_TRUE(run->row);
  EXPECT_EQ(run->row->task, "level1/019_relu");
  EXPECT_EQ(run->row->submission->agent, "anna");
  EXPECT_FALSE(run->row->timed);
  EXPECT_FALSE(run->report);
  EXPECT_FALSE(fs::exists(run->terms.database));
  EXPECT_THAT(kept_.rows, SizeIs(1)) << "the sink is told of it, too";
  EXPECT_EQ(kept_.ended, 1);
}

TEST_F(RunKernels, ARowHasTheContentsOfItsSources) {
  const auto run = run_of(tree_of("int nothing;"), {.timed = true});
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_TRUE(run->row->timed);
  EXPECT_TRUE(benches_.asked.repeat_busy) << "what others disturb is measured again";
  std::set<std::string> hashes{run->row->task_source};
  for (const TreeFile& file : run->row->sources) hashes.insert(file.hash);
  std::set<std::string> kept;
  for (const Blob& blob : run->sources) kept.insert(blob.hash);
  EXPECT_EQ(kept, hashes);
  EXPECT_THAT(kept, SizeIs(3)) << "main.cpp, submission.json, the task";
}

TEST_F(RunKernels, ADatabaseKeepsTheRunAndGivesItsReport) {
  const fs::path database = folder_ / "kept.sqlite";
  const auto run = run_of(tree_of("int nothing;"),
                          {.timed = true, .database = database, .command_line = "asked by a test"});
  ASSERT_TRUE(run.ok()) << run.error().message;
  ASSERT_TRUE(run->report);
  EXPECT_EQ(run->report->run.id, run->outcome.run.id);
  EXPECT_NE(run->report->run.finished_at, "") << "as whoever reads it later";
  EXPECT_EQ(run->report->chain.state, ChainFinding::State::kHolds);
  ASSERT_THAT(run->report->evaluations, SizeIs(1));
  EXPECT_EQ(run->report->evaluations[0].key, run->row->key);
  terms_.database = database;
  EXPECT_EQ(stored_run(run->outcome.run.id).command_line, "asked by a test");
  EXPECT_EQ(lines_of(stored()), lines_of({*run->row}));
}

TEST_F(RunKernels, KernelsForAnotherDeviceAreNotRun) {
  const auto run = run_of(tree_of("__global__ void nothing() {}", "main.cu"));
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().code, ErrorCode::kSubmission);
  EXPECT_EQ(run.error().message, "kernels/ has a .cu file, and this workspace is for cpu");
  EXPECT_EQ(benches_.made, 0);
}

TEST_F(RunKernels, WhereItWasStoppedNothingIsJudged) {
  const auto run = run_of(tree_of("int nothing;"), {.stop = [] { return true; }});
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_FALSE(run->row);
  EXPECT_TRUE(run->outcome.interrupted);
  EXPECT_THAT(run->summary(), HasSubstr("interrupted; run "));
}

TEST_F(RunKernels, AnOracleThatCannotStartIsTheRunsError) {
  benches_.script.oracle_fails = Error{ErrorCode::kInfrastructure, "no oracle", ""};
  const auto run = run_of(tree_of("int nothing;"));
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().message, "no oracle");
}

TEST_F(RunKernels, ASinkThatRefusesOrCannotReportEndsIt) {
  kept_.report_fails = Error{ErrorCode::kInfrastructure, "the disk is full", ""};
  const auto run = run_of(tree_of("int nothing;"));
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().message, "the disk is full");
}

TEST_F(RunKernels, ChoicesReachTheRun) {
  const auto run = run_of(tree_of("class ModelNew: pass\n", "main.py"),
                          {.timed = true, .quick = true, .allow_torch = "all"});
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run->row->allow_torch, "all");
  EXPECT_EQ(Json::parse(run->outcome.run.configuration).at("quick"), true);
}

using CompileKernels = JudgeTest;

TEST_F(CompileKernels, ThoseForAnotherDeviceAreNotCompiled) {
  const KernelTree tree = tree_of("__global__ void nothing() {}", "main.cu");
  const StagedKernels kernels = staged(tree, relu_);
  const CompileAnswer answer = compile_kernels({kernels, relu_, place_});
  EXPECT_NE(answer.state, State::kOk);
  EXPECT_EQ(fault_of(answer.state), Fault::kSubmission);
  EXPECT_THAT(answer.result.at("message").get<std::string>(), HasSubstr("a .cu file"));
}

TEST_F(CompileKernels, ATaskThatIsGoneIsNotTheirFault) {
  const WorkspaceTask gone{"level1/404_none", "small", "cpu"};
  const StagedKernels kernels = staged(tree_of("int nothing;"), gone);
  const CompileAnswer answer = compile_kernels({kernels, gone, place_});
  EXPECT_EQ(fault_of(answer.state), Fault::kInfrastructure);
}

using PromptOfATask = JudgeTest;

TEST_F(PromptOfATask, IsOfThePrecisionClassThatWasAskedFor) {
  PromptRequest request;
  request.device = "cpu";
  const std::map<std::string, DType> types = {
      {"torch-default", DType::kFloat32}, {"bf16", DType::kBFloat16}, {"fp16", DType::kFloat16}};
  for (const auto& [precision, type] : types) {
    request.precision = precision;
    const auto prompt = prompt_of_task(std::nullopt, {}, "019", request, installation());
    ASSERT_TRUE(prompt.ok()) << prompt.error().message;
    EXPECT_EQ(prompt->precision, precision);
    EXPECT_EQ(prompt->task.sizes.front().inputs.front().dtype, type) << precision;
  }
}

TEST_F(PromptOfATask, IsWhatAWorkspaceBeginsWith) {
  PromptRequest request;
  request.device = "cpu";
  const auto prompt = prompt_of_task(std::nullopt, {}, "019", request, benches_.place);
  ASSERT_TRUE(prompt.ok()) << prompt.error().message;
  EXPECT_EQ(prompt->task.id, "level1/019_relu");
  const auto texts = workspace_texts(*prompt, benches_.place);
  ASSERT_TRUE(texts.ok()) << texts.error().message;
  EXPECT_EQ(texts->task_md, prompt->text);
  EXPECT_THAT(texts->reference, HasSubstr("class Model"));
  EXPECT_THAT(texts->task_header, HasSubstr("relu"));
}

TEST_F(PromptOfATask, IsOneTasks) {
  EXPECT_EQ(prompt_of_task(std::nullopt, {}, "level1/*", {}, benches_.place).error().code,
            ErrorCode::kUsage);
  EXPECT_EQ(prompt_of_task(std::nullopt, {2}, "019", {}, benches_.place).error().code,
            ErrorCode::kNotFound);
}

}  // namespace
}  // namespace kbench::test
