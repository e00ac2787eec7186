// Builds of each submission of a plan before anything is measured, with the compilers of this
// machine.
#include "runner/run/submission_builds.hpp"

#include <gmock/gmock.h>

#include "runner/run/run_session.hpp"
#include "tests/unit/run_fixture.hpp"

namespace kbench::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kRelu =
    "#include \"task.h\"\n"
    "extern \"C\" int kbench_forward(const kb_inputs*, const kb_params*, const kb_outputs*, "
    "kb_context*) { return 0; }\n";

class SubmissionBuilds : public RunTest {
 protected:
  void hand_in(const std::string& path, const std::string& text) {
    folder_.write("subs/" + path, text);
  }
  void make_plan() {
    auto plan = plan_run(request_, terms_, benches_.place);
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    plan_ = std::move(*plan);
  }
  std::vector<SubmissionBuild> build(const ArgumentsByTask& arguments = {}, bool given_up = false) {
    const Compiler compiler(*sandbox_, find_toolchain(), folder_ / "cache", kAbi);
    const std::atomic<bool> over = given_up;
    return build_submissions(plan_, {.compiler = compiler}, arguments, 2, over);
  }
  static ModelArguments arguments() {
    ModelArguments made;
    made.init = "([64], {}, [])";
    made.state = Json::array({"w"});
    made.kernelbench = Json::array({"v"});
    made.draws_alike = false;
    made.reference.entry = "reference.py";
    return made;
  }

  std::unique_ptr<Sandbox> sandbox_ = make_sandbox();
  Plan plan_;
};

TEST_F(SubmissionBuilds, EachUnitHasWhatItsFilesBecame) {
  request_.tasks = {"019_relu", "023_softmax"};
  hand_in("anna/level1/019_relu.cpp", kRelu);
  hand_in("bert/level1/019_relu.cpp", std::string("#error not today\n") + kRelu);
  make_plan();
  ASSERT_THAT(plan_.units, SizeIs(3));
  const auto builds = build();
  ASSERT_THAT(builds, SizeIs(3));
  ASSERT_FALSE(builds[0].error) << builds[0].error->message;
  EXPECT_TRUE(fs::is_regular_file(builds[0].library));
  EXPECT_GT(builds[0].seconds.value_or(0), 0);
  ASSERT_THAT(builds[0].sources.files, SizeIs(1));
  EXPECT_EQ(builds[0].sources.files[0].path, "src/019_relu.cpp");
  ASSERT_TRUE(builds[1].error);
  EXPECT_EQ(builds[1].error->code, ErrorCode::kSubmission);
  EXPECT_THAT(builds[1].error->message, HasSubstr("not today"));
  EXPECT_TRUE(builds[1].library.empty());
  EXPECT_THAT(builds[1].sources.files, SizeIs(1)) << "what does not compile is kept as well";
  EXPECT_TRUE(builds[2].library.empty()) << "nobody submitted anything";
  EXPECT_FALSE(builds[2].error);
}

// Was: known to the worker alone, once a device was there.
TEST_F(SubmissionBuilds, WhatCannotBeLoadedIsKnownOnceItIsCompiled) {
  hand_in("anna/level1/019_relu.cpp", "extern \"C\" int kbench_foward() { return 0; }\n");
  hand_in("bert/level1/019_relu.cpp",
          std::string("int nowhere();\nint call() { return nowhere(); }\n") + kRelu);
  hand_in("carl/level1/019_relu.cpp", "#error not today\n");
  make_plan();
  const auto builds = build();
  ASSERT_THAT(builds, SizeIs(3));
  ASSERT_TRUE(builds[0].error);
  EXPECT_EQ(state_of_failed(builds[0]), State::kMissingSymbol);
  EXPECT_EQ(builds[0].error->message, "the library has no kbench_forward");
  EXPECT_TRUE(builds[0].library.empty());
  ASSERT_TRUE(builds[1].error);
  EXPECT_EQ(state_of_failed(builds[1]), State::kLoadError);
  EXPECT_THAT(builds[1].error->message, HasSubstr("undefined symbol: _Z7nowherev"));
  EXPECT_EQ(state_of_failed(builds[2]), State::kCompileError);
  EXPECT_TRUE(build()[0].from_cache);
  EXPECT_EQ(state_of_failed(build()[0]), State::kMissingSymbol) << "of a library in the cache, too";
}

TEST_F(SubmissionBuilds, WarningsAndLabelsAreTold) {
  hand_in("anna/level1/019_relu.cpp", std::string("#warning look here\n#include <thread>\n"
                                                  "std::thread* nobody;\n") +
                                          kRelu);
  make_plan();
  const auto builds = build();
  ASSERT_FALSE(builds[0].error) << builds[0].error->message;
  EXPECT_THAT(builds[0].words, HasSubstr("look here"));
  EXPECT_EQ(builds[0].labels, "thread");
  Evaluation row;
  row.labels = "slow";
  tell_of_build(builds[0], row);
  EXPECT_EQ(row.labels, "thread slow");
  EXPECT_EQ(row.message, "");
}

TEST_F(SubmissionBuilds, WhatEndsAnywayIsKeptAndNotCompiled) {
  hand_in("anna/level1/019_relu.cpp", kRelu);
  make_plan();
  plan_.units[0].ends_as = State::kSkipped;
  const auto builds = build();
  EXPECT_TRUE(builds[0].library.empty());
  EXPECT_FALSE(builds[0].error);
  EXPECT_THAT(builds[0].sources.files, SizeIs(1));
}

TEST_F(SubmissionBuilds, AFileThatChangedSinceThePlanIsNotTheOneThatWasAskedFor) {
  hand_in("anna/level1/019_relu.cpp", kRelu);
  make_plan();
  hand_in("anna/level1/019_relu.cpp", std::string("\n") + kRelu);
  const auto changed = build();
  ASSERT_TRUE(changed[0].error);
  EXPECT_EQ(changed[0].error->code, ErrorCode::kSubmission);
  EXPECT_THAT(changed[0].error->message, HasSubstr("was changed while the run began"));
  EXPECT_TRUE(changed[0].library.empty());
  fs::remove(folder_ / "subs/anna/level1/019_relu.cpp");
  const auto gone = build();
  ASSERT_TRUE(gone[0].error);
  EXPECT_EQ(gone[0].error->code, ErrorCode::kSubmission);
}

TEST_F(SubmissionBuilds, NothingIsBegunOnceItIsGivenUp) {
  hand_in("anna/level1/019_relu.cpp", kRelu);
  make_plan();
  const auto builds = build({}, true);
  ASSERT_THAT(builds, SizeIs(1));
  EXPECT_TRUE(builds[0].library.empty());
  EXPECT_THAT(builds[0].sources.files, SizeIs(0));
}

TEST_F(SubmissionBuilds, APythonSubmissionIsStagedWithItsTasksArguments) {
  hand_in("anna/level1/019_relu.py", "import torch\nclass ModelNew: pass\n");
  make_plan();
  ArgumentsByTask known;
  known.emplace(plan_.units[0].task, arguments());
  const auto builds = build(known);
  ASSERT_FALSE(builds[0].error) << builds[0].error->message;
  ASSERT_TRUE(builds[0].python);
  EXPECT_EQ(builds[0].python->entry, "019_relu.py");
  EXPECT_EQ(builds[0].python->init, "([64], {}, [])");
  EXPECT_EQ(builds[0].python->mode, plan_.tasks[plan_.units[0].task].mode);
  EXPECT_EQ(builds[0].python->state, Json::array({"w"}));
  EXPECT_EQ(builds[0].python->kernelbench, Json::array({"v"}));
  EXPECT_FALSE(builds[0].python->built) << "it asks nobody to compile";
  EXPECT_TRUE(fs::is_regular_file(builds[0].library / "019_relu.py"));
  ASSERT_TRUE(builds[0].reference);
  EXPECT_EQ(builds[0].reference->entry, "reference.py");
  EXPECT_FALSE(builds[0].draws_alike);
}

TEST_F(SubmissionBuilds, WithoutTheTasksArgumentsNoPythonIsPlayed) {
  hand_in("anna/level1/019_relu.py", "import torch\nclass ModelNew: pass\n");
  make_plan();
  ASSERT_TRUE(build()[0].error);
  EXPECT_EQ(build()[0].error->code, ErrorCode::kInfrastructure);
  ArgumentsByTask unknown;
  unknown.emplace(plan_.units[0].task, Error{ErrorCode::kInfrastructure, "not known", ""});
  EXPECT_EQ(build(unknown)[0].error->message, "not known");
}

TEST_F(SubmissionBuilds, ABuildStepWithoutABuilderIsOurFault) {
  hand_in(
      "anna/level1/019_relu.py",
      "import torch\nfrom torch.utils.cpp_extension import load_inline\nclass ModelNew: pass\n");
  make_plan();
  ArgumentsByTask known;
  known.emplace(plan_.units[0].task, arguments());
  const auto builds = build(known);
  ASSERT_TRUE(builds[0].error);
  EXPECT_EQ(builds[0].error->code, ErrorCode::kInfrastructure);
  EXPECT_THAT(builds[0].error->message, HasSubstr("nobody builds Python submissions"));
}

TEST_F(SubmissionBuilds, APartThatDoesNotCompileIsToldBesideWhatWasMeasured) {
  SubmissionBuild build;
  build.labels = "fallback";
  build.python.emplace();
  build.python->built.emplace();
  build.python->built->extensions = {{.key = "k", .name = "e", .path = "e.so", .failure = ""}};
  Evaluation row;
  tell_of_build(build, row);
  EXPECT_EQ(row.message, "");
  EXPECT_EQ(row.hint, "");
  build.python->built->extensions.push_back(
      {.key = "l", .name = "f", .path = "", .failure = "f.cu:1: error"});
  tell_of_build(build, row);
  EXPECT_THAT(row.message, HasSubstr("f.cu:1: error"));
  EXPECT_THAT(row.hint, HasSubstr("without that extension"));
  Evaluation slow;
  slow.message = "it is slow";
  slow.hint = "make it faster";
  tell_of_build(build, slow);
  EXPECT_THAT(slow.message, ::testing::StartsWith("it is slow\n"));
  EXPECT_EQ(slow.hint, "make it faster");
}

}  // namespace
}  // namespace kbench::test
