// Messages of a coordinator and its lane arrive as they were sent.
#include "runner/run/lane_order.hpp"

#include <string>
#include <tuple>

#include <gmock/gmock.h>

#include "tests/unit/paths.hpp"

namespace kbench::test {
namespace {

using ::testing::HasSubstr;

Result<LaneOrder> sent(const LaneOrder& order) {
  return lane_order_from_json(Json::parse(lane_order_json(order).dump()));
}

// All that a row is measured by (row_order.cpp).
auto measured_by(const RunRequest& run) {
  return std::tuple(run.precision, run.profile, run.allow_torch, run.budget_seconds,
                    run.call_limit_seconds, run.quick, run.checks_only, run.seed, run.vendor,
                    run.repeat_busy);
}

TEST(LaneOrder, ArrivesAsItWasSent) {
  LaneOrder order;
  order.request.precision = "bf16";
  order.request.profile = "kernelbench";
  order.request.allow_torch = "none";
  order.request.budget_seconds = 7;
  order.request.call_limit_seconds = 2.5;
  order.request.quick = order.request.checks_only = order.request.vendor = true;
  order.request.repeat_busy = true;
  order.request.seed = 12;
  order.size = "full";
  order.cores = {2, 3, 8};
  order.gpu.emplace();
  order.gpu->name = "H200";
  order.gpu->uuid = "GPU-a";
  order.gpu->driver = "580.1";
  order.gpu->compute_capability = 90;
  order.gpu->memory_bytes = std::uint64_t{139} << 30;
  order.gpu->nvml_index = 5;
  order.gpu->clock_limits = {"power"};
  order.what = "run 0123";
  order.seconds = 1.5;
  order.waits = false;
  order.python = 90;
  order.first_agent = "anna";
  const auto got = sent(order);
  ASSERT_TRUE(got.ok()) << got.error().message;
  EXPECT_EQ(measured_by(got->request), measured_by(order.request));
  EXPECT_EQ(std::tie(got->size, got->cores, got->what, got->seconds, got->waits, got->python,
                     got->first_agent),
            std::tie(order.size, order.cores, order.what, order.seconds, order.waits, order.python,
                     order.first_agent));
  ASSERT_TRUE(got->gpu);
  EXPECT_EQ(std::tie(got->gpu->name, got->gpu->uuid, got->gpu->driver, got->gpu->nvml_index),
            std::tie(order.gpu->name, order.gpu->uuid, order.gpu->driver, order.gpu->nvml_index));
  EXPECT_EQ(got->gpu->compute_capability, 90);
  EXPECT_EQ(got->gpu->memory_bytes, order.gpu->memory_bytes);
  EXPECT_EQ(got->gpu->clock_limits, order.gpu->clock_limits);
  EXPECT_EQ(got->gpu->index, 0) << "the only one that the lane is shown";
}

TEST(LaneOrder, AtItsDefaultsToo) {
  const auto got = sent(LaneOrder());
  ASSERT_TRUE(got.ok()) << got.error().message;
  EXPECT_EQ(measured_by(got->request), measured_by(RunRequest()));
  EXPECT_FALSE(got->gpu);
  EXPECT_FALSE(got->python);
}

TEST(LaneOrder, OfAnotherFormIsRefused) {
  for (const char* text : {"{}", "[]", "null", R"({"choices": {}, "repeat_busy": 3})"})
    EXPECT_EQ(lane_order_from_json(Json::parse(text)).error().code, ErrorCode::kBadInput) << text;
  EXPECT_FALSE(lane_facts_from_json(Json::parse(R"({"device": {}})")).ok());
}

class ToldUnitTest : public ::testing::Test {
 protected:
  ToldUnitTest() {
    parts_.task = &task_;
    parts_.submission = SubmissionId{.agent = "anna", .name = "anna/level1/019_relu.py"};
    parts_.is_python = true;
    parts_.package = {.key = "k", .file = "/p/relu.so", .reason = ""};
    parts_.finished_build = [this]() -> const SubmissionBuild& { return build_; };
    parts_.unranked = "its judge accepts zeros";
  }
  [[nodiscard]] Result<std::unique_ptr<ToldUnit>> told(const std::string& precision) const {
    return unit_from_json(Json::parse(unit_json(parts_).dump()), precision);
  }

  Task task_ = load_task(std::string(kTinySuites) + "/level1/019_relu.json").value();
  SubmissionBuild build_;
  UnitParts parts_;
};

TEST_F(ToldUnitTest, HasAllThatItIsMeasuredWith) {
  build_.library = "/stage/src";
  build_.labels = "fallback";
  build_.draws_alike = true;
  build_.reference.emplace();
  build_.reference->folder = "/stage/reference";
  build_.reference->entry = "model.py";
  PythonModel& model = build_.python.emplace();
  model.entry = "relu.py";
  model.init = "([64], {}, [])";
  model.mode = "train";
  model.state = Json::parse(R"([["weight", [2]]])");
  model.seed = 42;
  PythonBuild& built = model.built.emplace();
  built.compilers = built.torch_compiled = true;
  built.extensions.push_back({"key", "name", "path", "it does not compile"});
  built.modules["cuda_extension"] = "built/cuda_extension.so";
  built.triton = "built/triton";
  built.libraries.push_back({"/stage/src/a.so", "12ab"});
  built.note = "ValueError";
  const auto got = told("torch-default");
  ASSERT_TRUE(got.ok()) << got.error().message;
  const UnitParts& parts = (*got)->parts;
  EXPECT_EQ(parts.task->id, task_.id);
  EXPECT_EQ(parts.task->hash, task_.hash);
  EXPECT_EQ(parts.submission->name, "anna/level1/019_relu.py");
  EXPECT_TRUE(parts.is_python);
  EXPECT_EQ(parts.package.file, "/p/relu.so");
  EXPECT_EQ(parts.package.key, "k");
  EXPECT_EQ(parts.unranked, "its judge accepts zeros");
  const SubmissionBuild& build = parts.finished_build();
  EXPECT_EQ(parts.build, &build);
  EXPECT_EQ(build.library, "/stage/src");
  EXPECT_EQ(build.labels, "fallback");
  EXPECT_TRUE(build.draws_alike);
  EXPECT_EQ(build.reference->folder, "/stage/reference");
  EXPECT_EQ(build.reference->entry, "model.py");
  EXPECT_EQ(std::tie(build.python->entry, build.python->init, build.python->mode,
                     build.python->state, build.python->seed),
            std::tie(model.entry, model.init, model.mode, model.state, model.seed));
  EXPECT_TRUE(build.python->kernelbench.is_null());
  const PythonBuild& made = *build.python->built;
  EXPECT_TRUE(made.compilers && made.torch_compiled);
  EXPECT_EQ(made.first_failure(), "it does not compile");
  EXPECT_EQ(std::tie(made.modules, made.triton, made.note),
            std::tie(built.modules, built.triton, built.note));
  EXPECT_EQ(made.libraries.at(0).sha256, "12ab");
}

TEST_F(ToldUnitTest, ABaselineHasNoSubmission) {
  parts_.submission.reset();
  parts_.is_python = false;
  const auto got = told("torch-default");
  ASSERT_TRUE(got.ok()) << got.error().message;
  EXPECT_FALSE((*got)->parts.submission);
  EXPECT_FALSE((*got)->parts.finished_build().python);
}

TEST_F(ToldUnitTest, IsInThePrecisionClassOfTheRun) {
  const auto got = told("bf16");
  ASSERT_TRUE(got.ok()) << got.error().message;
  EXPECT_EQ((*got)->task.find_size("small")->inputs.at(0).dtype, DType::kBFloat16);
}

TEST_F(ToldUnitTest, OfATaskThatWasChangedIsRefused) {
  task_.hash = "another";
  const auto got = told("torch-default");
  ASSERT_FALSE(got.ok());
  EXPECT_THAT(got.error().message, HasSubstr("019_relu.json was changed while the run went on"));
  EXPECT_EQ(unit_from_json(Json::object(), "torch-default").error().code, ErrorCode::kBadInput);
}

}  // namespace
}  // namespace kbench::test
