// Every field of what a row is measured by is held against the request, the unit and the device
// that it comes from. Both lists of fields are complete: a new field does not compile until it is
// here.
#include "runner/run/row_order.hpp"

#include <tuple>
#include <vector>

#include <gmock/gmock.h>

#include "runner/core/usable_cores.hpp"
#include "runner/measure/players/python_program.hpp"
#include "runner/measure/secret.hpp"
#include "tests/unit/paths.hpp"

namespace kbench::test {
namespace {

using ::testing::ElementsAre;

auto all_of(const StopRule& rule) {
  const auto& [blocks, placements, seconds, enough, width, most, longest, a_placement, looks,
               narrow] = rule;
  return std::tuple(blocks, placements, seconds, enough, width, most, longest, a_placement, looks,
                    narrow);
}

class RowOrderTest : public ::testing::Test {
 protected:
  RowOrderTest() {
    const std::string suite = kTinySuites;
    for (const char* task : {"/level1/023_softmax.json", "/level1/019_relu.json"})
      tasks_.push_back(load_task(suite + task).value());
    target_ = {.device = "cpu", .device_index = 3, .cores = {2, 5}, .size = "small"};
    unit_.task = &tasks_[1];
    unit_.submission = {.agent = "anna", .name = "anna/level1/019_relu.cpp"};
    unit_.package = {.key = "relu's", .file = "relu.so", .reason = "why"};
    device_.cache_bytes = 77;
    device_.name = "a device";
  }

  [[nodiscard]] RowOrder order() const {
    return {run_, profile_, target_, unit_, device_, calibration_, limits_};
  }
  [[nodiscard]] EvaluationRequest request() const { return evaluation_request(order()); }
  [[nodiscard]] EvaluationSettings settings() const { return evaluation_settings(order()); }
  void is_python() { unit_.is_python = true; }

  RunRequest run_;
  JudgingProfile profile_ = find_profile("kbench").value();
  std::vector<Task> tasks_;
  Target target_;
  UnitParts unit_;
  DeviceFacts device_;
  std::optional<Calibration> calibration_;
  std::optional<DeviceLimits> limits_;
};

TEST_F(RowOrderTest, TheEvaluatorIsAskedForTheUnitOnThePlansTarget) {
  run_.precision = "tf32";
  run_.seed = 7;
  const EvaluationRequest asked = request();
  const auto& [task, size, device, index, threads, cores, cache, precision, name, package, reason,
               key, submission, parameters, eager_is_a_worker, heap, compiled, library, seed,
               vendor] = asked;
  EXPECT_EQ(task, &tasks_[1]);
  EXPECT_EQ(size, tasks_[1].find_size("small"));
  EXPECT_EQ(device, "cpu");
  EXPECT_EQ(index, 3);
  EXPECT_EQ(threads, usable_threads());
  EXPECT_THAT(cores, ElementsAre(2, 5));
  EXPECT_EQ(cache, 77U);
  EXPECT_EQ(precision, "tf32");
  EXPECT_EQ(name, "a device");
  EXPECT_EQ(package, "relu.so");
  EXPECT_EQ(reason, "why");
  EXPECT_EQ(key, "relu's");
  ASSERT_TRUE(submission);
  EXPECT_EQ(submission->name, "anna/level1/019_relu.cpp");
  EXPECT_FALSE(parameters);
  EXPECT_FALSE(eager_is_a_worker);
  EXPECT_EQ(heap, 0U);
  EXPECT_FALSE(compiled);
  EXPECT_FALSE(library) << "the bench's";
  EXPECT_EQ(seed, known_seed(7, "level1/019_relu small"));
  EXPECT_FALSE(vendor);
}

TEST_F(RowOrderTest, WithoutASeedEachRowHasOneThatNobodyKnows) {
  EXPECT_NE(request().seed, request().seed);
}

TEST_F(RowOrderTest, ChecksSayThatNothingWasTimed) {
  run_.checks_only = true;
  EXPECT_EQ(request().package_reason, kNotTimed);
  EXPECT_EQ(settings().times, Times::kNone);
}

TEST_F(RowOrderTest, WithoutAPackageThereIsNone) {
  unit_.package = {};
  EXPECT_EQ(request().package, "");
  EXPECT_EQ(request().package_reason, "");
}

TEST_F(RowOrderTest, ABaselineAloneHasNoSubmission) {
  unit_.submission.reset();
  EXPECT_FALSE(request().submission);
}

TEST_F(RowOrderTest, EagerIsAWorkerBesideTimedPythonOnACpu) {
  is_python();
  EXPECT_TRUE(request().eager_is_a_worker);
  EXPECT_EQ(request().heap_bytes, 0U);
  run_.checks_only = true;
  EXPECT_FALSE(request().eager_is_a_worker);
  run_.checks_only = false;
  target_.device = "cuda";
  EXPECT_FALSE(request().eager_is_a_worker);
  EXPECT_EQ(request().heap_bytes, python_heap_bytes(*request().size));
  unit_.is_python = false;
  EXPECT_EQ(request().heap_bytes, 0U) << "a worker of ours knows what it takes";
}

TEST_F(RowOrderTest, TheTermsAreThoseOfTheRequestAndTheProfile) {
  profile_ = find_profile("kernelbench").value();
  run_.repeat_busy = true;
  run_.allow_torch = "none";
  run_.budget_seconds = 17;
  run_.call_limit_seconds = 2.5;
  calibration_ = Calibration{.between_sessions = 0.01, .between_runs = 0.02, .measured_at = "then"};
  limits_.emplace().measured_at = "before";
  const EvaluationSettings terms = settings();
  const auto& [profile, acceptance, original_draws, times, draws, null_calls, null_calls_again,
               stop, budget, call_limit, repeat_busy, allow_torch, calibration, limits,
               surroundings, bury] = terms;
  EXPECT_EQ(profile, "kernelbench");
  EXPECT_EQ(acceptance.allclose, profile_.acceptance.allclose);
  EXPECT_TRUE(original_draws);
  EXPECT_EQ(times, Times::kJudged);
  EXPECT_EQ(draws, EvaluationSettings().correctness_draws);
  EXPECT_EQ(null_calls, EvaluationSettings().null_calls);
  EXPECT_EQ(null_calls_again, EvaluationSettings().null_calls_again);
  EXPECT_EQ(all_of(stop), all_of(stop_rule_for("cpu", Ranked::kYes)));
  EXPECT_EQ(budget, std::chrono::seconds(17));
  EXPECT_EQ(call_limit, std::chrono::milliseconds(2500));
  EXPECT_TRUE(repeat_busy);
  EXPECT_EQ(allow_torch, AllowTorch::kNone);
  ASSERT_TRUE(calibration);
  EXPECT_EQ(calibration->measured_at, "then");
  ASSERT_TRUE(limits);
  EXPECT_EQ(limits->measured_at, "before");
  EXPECT_EQ(surroundings.clock_limits(), 0U);
  EXPECT_FALSE(bury) << "the bench's";
}

TEST_F(RowOrderTest, WithoutALimitEagersTimeIsTheMeasureOfACall) {
  EXPECT_FALSE(settings().call_limit);
}

TEST_F(RowOrderTest, TimingStopsByTheDeviceAndByWhatIsRanked) {
  target_.device = "cuda";
  EXPECT_EQ(settings().null_calls, 25) << "a GPU's own noise is to be small beside its claims";
  EXPECT_EQ(all_of(settings().stop), all_of(stop_rule_for("cuda", Ranked::kYes)));
  unit_.submission.reset();
  EXPECT_EQ(all_of(settings().stop), all_of(stop_rule_for("cuda", Ranked::kNo)));
  run_.quick = true;
  EXPECT_EQ(all_of(settings().stop), all_of(quick_stop_rule("cuda")));
}

}  // namespace
}  // namespace kbench::test
