// Builds of a run for its units, with the compilers of this machine; nothing is measured.
#include "runner/run/run_builds.hpp"

#include <gmock/gmock.h>

#include "tests/unit/run_fixture.hpp"

namespace kbench::test {
namespace {

namespace fs = std::filesystem;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::IsNull;
using ::testing::Not;
using ::testing::NotNull;
using ::testing::SizeIs;

constexpr const char* kNoCode = "#error not today\n";
constexpr const char* kKernel = "extern \"C\" int kbench_forward() { return 0; }\n";

class RunBuildsTest : public RunTest {
 protected:
  RunBuildsTest() {
    benches_.place.abi = kAbi;
    benches_.place.cache = folder_ / "cache";
    request_.tasks = {"019_relu"};
  }
  void make_plan() {
    auto plan = plan_run(request_, terms_, benches_.place);
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    plan_ = std::move(*plan);
  }
  RunBuilds& builds() {
    if (!builds_)
      builds_.emplace(BenchOrder{request_, terms_, plan_, progress_}, benches_.place, python_,
                      *sandbox_, find_toolchain());
    return *builds_;
  }

  Plan plan_;
  KeptProgress progress_;
  const std::optional<PythonParts> python_;
  std::unique_ptr<Sandbox> sandbox_ = make_sandbox();
  std::optional<RunBuilds> builds_;  // ends before what it refers to
};

TEST_F(RunBuildsTest, NobodyHasABuildBeforeAllHave) {
  folder_.write("subs/anna/level1/019_relu.cpp", kKernel);
  make_plan();
  EXPECT_THAT(builds().of(0), IsNull());
  EXPECT_THAT(builds().error_of(0), IsNull());
  EXPECT_FALSE(builds().in_vain()) << "nothing is known yet";
  builds().begin();
  EXPECT_TRUE(fs::is_regular_file(builds().finished(0).library));
  ASSERT_THAT(builds().of(0), NotNull());
  EXPECT_EQ(builds().of(0)->library, builds().finished(0).library);
  EXPECT_FALSE(builds().in_vain());
}

TEST_F(RunBuildsTest, WhereNothingCompilesAllIsInVainAndSaidOnce) {
  folder_.write("subs/anna/level1/019_relu.cpp", kNoCode);
  request_.checks_only = true;
  make_plan();
  builds().begin();
  EXPECT_TRUE(builds().in_vain());
  EXPECT_THAT(progress_.lines, HasSubstr("anna/level1/019_relu.cpp does not compile"));
  const std::string lines = progress_.lines;
  EXPECT_TRUE(builds().in_vain());
  EXPECT_EQ(progress_.lines, lines);
  ASSERT_THAT(builds().error_of(0), NotNull());
  EXPECT_EQ(builds().error_of(0)->code, ErrorCode::kSubmission);
}

// Without a submission there is still a baseline to time, unless nothing is timed.
TEST_F(RunBuildsTest, ATaskWithoutASubmissionIsMeasuredWhereThereIsAClock) {
  request_.tasks = {"019_relu", "023_softmax"};
  folder_.write("subs/anna/level1/019_relu.cpp", kNoCode);
  make_plan();
  ASSERT_THAT(plan_.units, SizeIs(2));
  builds().begin();
  EXPECT_FALSE(builds().in_vain());
  builds_.reset();
  request_.checks_only = true;
  builds().begin();
  EXPECT_TRUE(builds().in_vain());
}

TEST_F(RunBuildsTest, AUnitsPartsAreItsOwn) {
  request_.tasks = {"019_relu", "023_softmax"};
  folder_.write("subs/anna/level1/019_relu.cpp", kKernel);
  make_plan();
  ASSERT_THAT(plan_.units, SizeIs(2));
  const UnitParts early = builds().parts_of(0);
  EXPECT_THAT(early.build, IsNull());
  builds().begin();
  EXPECT_TRUE(fs::is_regular_file(early.finished_build().library)) << "the call waited for it";
  const UnitParts anna = builds().parts_of(0);
  EXPECT_EQ(anna.build, builds().of(0));
  EXPECT_EQ(anna.task, &plan_.tasks[plan_.units[0].task]);
  ASSERT_TRUE(anna.submission);
  EXPECT_EQ(anna.submission->agent, "anna");
  EXPECT_FALSE(anna.is_python);
  EXPECT_TRUE(anna.package.file.empty()) << "prepare() was not called";
  const UnitParts nobody = builds().parts_of(1);
  EXPECT_EQ(nobody.task, &plan_.tasks[plan_.units[1].task]);
  EXPECT_FALSE(nobody.submission);
  EXPECT_THAT(nobody.unranked, Eq(""));
}

// A build step of a Python submission may start kernels; nvcc starts none.
TEST_F(RunBuildsTest, ABuildStepTakesTheGpuOnlyWhereThereIsOne) {
  folder_.write("subs/anna/level1/019_relu.cpp", kNoCode);
  make_plan();
  plan_.target.device = "cuda";
  EXPECT_FALSE(builds().on_device());
  plan_.units[0].submission->needs.triton = true;
  EXPECT_TRUE(builds().on_device());
  plan_.target.device = "cpu";
  EXPECT_FALSE(builds().on_device());
}

TEST_F(RunBuildsTest, TheOracleBeginsEarlyForOneTaskOnAGpu) {
  folder_.write("subs/anna/level1/019_relu.cpp", kKernel);
  request_.checks_only = true;
  make_plan();
  const OracleHello hello;
  EXPECT_FALSE(builds().may_begin_early(hello)) << "compilers disturb a CPU";
  plan_.target.device = "cuda";
  EXPECT_TRUE(builds().may_begin_early(hello));
  plan_.units[0].submission->needs.triton = true;
  EXPECT_FALSE(builds().may_begin_early(hello)) << "the GPU builds";
  plan_.units[0].submission->needs.triton = false;
  plan_.tasks.push_back(plan_.tasks.front());
  EXPECT_FALSE(builds().may_begin_early(hello));
}

TEST(ToolchainFor, TakesTheArchitectureOfTheGpu) {
  Target target;
  EXPECT_EQ(toolchain_for(target, {}).cuda_architecture, Toolchain().cuda_architecture);
  target.gpu.emplace();
  target.gpu->compute_capability = 90;
  EXPECT_EQ(toolchain_for(target, {}).cuda_architecture, cuda_architecture(90));
  EXPECT_THAT(cuda_architecture(90), Not(Eq("")));
}

}  // namespace
}  // namespace kbench::test
