#include "runner/submission/layouts.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "runner/submission/source_files.hpp"
#include "tests/fakes/submission_fixture.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kTasks = {"level1/019_relu", "level1/020_tanh",
                                         "level2/019_conv_relu", "level1/190_odd"};
constexpr const char* kModel = "class ModelNew: pass\n";

// A run called "my_model".
class KernelBenchRun : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text = kModel) {
    folder_.write("my_model/" + name, text);
  }
  SubmissionSet find(const AgentLimits& limits = {}) {
    auto set = find_kernelbench_run(folder_.path() / "my_model", kTasks, limits);
    if (!set) {
      ADD_FAILURE() << set.error().message;
      return {};
    }
    return std::move(*set);
  }

  SubmissionFolder folder_;
};

TEST(Layout, EachHasItsName) {
  for (const FolderLayout layout :
       {FolderLayout::kKbench, FolderLayout::kKernelBench, FolderLayout::kCudaAgent})
    EXPECT_EQ(layout_from_string(to_string(layout)), layout);
  EXPECT_EQ(to_string(FolderLayout::kCudaAgent), "cuda-agent");
  EXPECT_EQ(layout_from_string("kernel-bench"), std::nullopt);
}

TEST_F(KernelBenchRun, SamplesAreVariantsOfTheTaskWithThatNumber) {
  write("level_1_problem_19_sample_0_kernel.py");
  write("level_1_problem_19_sample_12_kernel.py", "import triton\n");
  write("level_2_problem_19_sample_0_kernel.py");
  const auto set = find();
  EXPECT_TRUE(set.problems.empty());
  EXPECT_TRUE(set.others.empty());
  ASSERT_EQ(set.submissions.size(), 3u);
  const Submission& first = set.submissions.front();
  EXPECT_EQ(first.task, "level1/019_relu");
  EXPECT_EQ(first.id.agent, "my_model");
  EXPECT_EQ(first.id.variant, "sample_0");
  EXPECT_EQ(first.id.name, "my_model/level1/019_relu@sample_0.py");
  EXPECT_EQ(first.kind, SubmissionKind::kPython);
  EXPECT_TRUE(first.is_for("cpu") && first.is_for("cuda"));
  EXPECT_TRUE(set.submissions[1].needs.triton);
  EXPECT_EQ(set.submissions[2].task, "level2/019_conv_relu");
}

// A run keeps such a file in our own layout, where it is the same submission.
TEST_F(KernelBenchRun, IsTheSameSubmissionInAFolderOfOurs) {
  write("level_1_problem_19_sample_3_kernel.py");
  const auto set = find();
  ASSERT_EQ(set.submissions.size(), 1u);
  const auto files = read_source_files(set.submissions.front());
  ASSERT_TRUE(files.ok());
  ASSERT_EQ(files->size(), 1u);
  EXPECT_EQ(files->front().name, "src/019_relu@sample_3.py");
  const SubmissionFolder ours;
  ours.write("my_model/level1/019_relu@sample_3.py", kModel);
  const auto again = find_submissions(ours.path());
  ASSERT_TRUE(again.ok());
  ASSERT_EQ(again->submissions.size(), 1u);
  EXPECT_EQ(again->submissions.front().id.name, set.submissions.front().id.name);
  EXPECT_EQ(again->submissions.front().id.source_hash, set.submissions.front().id.source_hash);
}

TEST_F(KernelBenchRun, EveryOtherFileIsNamed) {
  write("generation_config.yaml");
  write("eval_results.json");
  write("level_1_problem_19_sample_0_prompt.txt");
  write("level_1_problem_77_sample_0_kernel.py");
  write("level_1_problem_19_kernel.py");
  write("level_1_problem_19_sample_99999999999999_kernel.py");
  write("inner/level_1_problem_19_sample_0_kernel.py");
  const auto set = find();
  EXPECT_TRUE(set.submissions.empty());
  std::vector<std::string> named;
  for (const OtherFile& file : set.others) named.push_back(file.path + (file.mistaken ? "!" : ""));
  EXPECT_EQ(named, (std::vector<std::string>{"eval_results.json", "generation_config.yaml", "inner",
                                             "level_1_problem_19_kernel.py!",
                                             "level_1_problem_19_sample_0_prompt.txt",
                                             "level_1_problem_19_sample_99999999999999_kernel.py!",
                                             "level_1_problem_77_sample_0_kernel.py!"}));
  EXPECT_NE(set.others.back().why.find("no task of level 1 has the number 77"), std::string::npos);
}

TEST_F(KernelBenchRun, TheLimitsOfOneAgentHold) {
  for (int i = 0; i < 3; ++i)
    write("level_1_problem_19_sample_" + std::to_string(i) + "_kernel.py");
  write("level_1_problem_20_sample_0_kernel.py");
  const auto crowded = find({.submissions_a_task = 2});
  ASSERT_EQ(crowded.submissions.size(), 1u);
  EXPECT_EQ(crowded.submissions.front().task, "level1/020_tanh");
  ASSERT_EQ(crowded.problems.size(), 1u);
  EXPECT_TRUE(crowded.problems.front().refused);
  EXPECT_EQ(crowded.problems.front().task, "level1/019_relu");
  const auto many = find({.entries = 3});
  EXPECT_TRUE(many.submissions.empty());
  ASSERT_EQ(many.problems.size(), 1u);
  EXPECT_TRUE(many.problems.front().refused);
}

TEST_F(KernelBenchRun, LinksThatLeaveAreProblems) {
  folder_.write("secret.py", "s");
  fs::create_directories(folder_.path() / "my_model");
  fs::create_symlink(folder_.path() / "secret.py",
                     folder_.path() / "my_model/level_1_problem_19_sample_0_kernel.py");
  const auto set = find();
  EXPECT_TRUE(set.submissions.empty());
  ASSERT_EQ(set.problems.size(), 1u);
  EXPECT_NE(set.problems.front().error.message.find("leaves"), std::string::npos);
}

TEST_F(KernelBenchRun, AFolderThatCannotNameAnAgentIsAUsageError) {
  folder_.write("my model/x.py", "x");
  const auto set = find_kernelbench_run(folder_.path() / "my model", kTasks);
  ASSERT_FALSE(set.ok());
  EXPECT_EQ(set.error().code, ErrorCode::kUsage);
  EXPECT_FALSE(find_kernelbench_run(folder_.path() / "none", kTasks).ok());
}

// A folder of CUDA Agent's, with all that its agent leaves there.
void fill_cuda_agent(const SubmissionFolder& folder, const std::string& at) {
  for (const char* name :
       {"model_new.py", "model.py", "binding.cpp", "binding_registry.h", "kernels/relu.cu",
        "kernels/relu_binding.cpp", "utils/compile.py", "build/forced_compile/relu.o",
        "cuda_extension.so", "SKILL.md", "kernels/__pycache__/x.pyc"})
    folder.write(at + "/" + name, kModel);
}

TEST(CudaAgentFolder, IsOneSubmissionForTheTaskThatIsNamed) {
  const SubmissionFolder folder;
  fill_cuda_agent(folder, "work");
  const auto set = find_cuda_agent_folder(folder.path() / "work", "level1/019_relu");
  ASSERT_TRUE(set.ok()) << set.error().message;
  ASSERT_EQ(set->submissions.size(), 1u);
  const Submission& found = set->submissions.front();
  EXPECT_EQ(found.id.agent, "work");
  EXPECT_EQ(found.id.name, "work/level1/019_relu");
  EXPECT_EQ(found.device, "cuda");
  EXPECT_TRUE(found.is_built_as_python());
  EXPECT_EQ(found.sources.front().filename(), "model_new.py");
}

TEST(CudaAgentFolder, InAFolderOfOursItIsKnownByWhatIsInIt) {
  const SubmissionFolder folder;
  fill_cuda_agent(folder, "ann/level1/019_relu@x");
  fs::remove(folder.path() / "ann/level1/019_relu@x/kernels/relu.cu");
  const auto set = find_submissions(folder.path());
  ASSERT_TRUE(set.ok());
  ASSERT_EQ(set->submissions.size(), 1u) << set->problems.front().error.message;
  const Submission& found = set->submissions.front();
  EXPECT_TRUE(found.cuda_agent);
  EXPECT_EQ(found.id.variant, "x");
  EXPECT_EQ(found.device, "");  // without CUDA's sources, either
  const auto files = read_source_files(found);
  ASSERT_TRUE(files.ok());
  std::vector<std::string> names;
  for (const SourceFile& file : *files) names.push_back(file.name);
  // The agent's tools, their products and the reference are left out.
  EXPECT_EQ(names,
            (std::vector<std::string>{"src/SKILL.md", "src/binding.cpp", "src/binding_registry.h",
                                      "src/kernels/relu_binding.cpp", "src/model_new.py"}));
}

TEST(CudaAgentFolder, AManifestSaysWhatAFolderIs) {
  const SubmissionFolder folder;
  fill_cuda_agent(folder, "ann/level1/019_relu");
  folder.write("ann/level1/019_relu/submission.json",
               R"({"schema": "kbench-submission/1", "kind": "python", "entry": "model_new.py"})");
  const auto set = find_submissions(folder.path());
  ASSERT_TRUE(set.ok());
  ASSERT_EQ(set->submissions.size(), 1u);
  EXPECT_FALSE(set->submissions.front().cuda_agent);
  EXPECT_FALSE(
      find_cuda_agent_folder(folder.path() / "ann/level1/019_relu", "level1/019_relu").ok());
}

TEST(OtherLayouts, AreNamedAndNotTakenForOurs) {
  const SubmissionFolder run;
  run.write("level_1_problem_19_sample_0_kernel.py", kModel);
  const auto of_run = find_submissions(run.path());
  ASSERT_TRUE(of_run.ok());
  EXPECT_TRUE(of_run->submissions.empty());
  ASSERT_EQ(of_run->problems.size(), 1u);
  EXPECT_NE(of_run->problems.front().error.hint.find("--layout kernelbench"), std::string::npos);

  const SubmissionFolder above;
  above.write("run/level_1_problem_19_sample_0_kernel.py", kModel);
  const auto of_above = find_submissions(above.path());
  ASSERT_TRUE(of_above.ok());
  ASSERT_EQ(of_above->others.size(), 1u);
  EXPECT_TRUE(of_above->others.front().mistaken);
  EXPECT_NE(of_above->others.front().why.find("--layout kernelbench"), std::string::npos);

  const SubmissionFolder work;
  fill_cuda_agent(work, ".");
  const auto of_work = find_submissions(work.path());
  ASSERT_TRUE(of_work.ok());
  EXPECT_TRUE(of_work->submissions.empty());
  EXPECT_TRUE(std::any_of(of_work->problems.begin(), of_work->problems.end(), [](const auto& one) {
    return one.error.hint.find("--layout cuda-agent") != std::string::npos;
  }));
}

}  // namespace
}  // namespace kbench
