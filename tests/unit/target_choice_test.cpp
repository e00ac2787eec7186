// The device and the one task that a command's words mean, and what is said where they mean none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/plan/device_choice.hpp"
#include "runner/plan/task_choice.hpp"
#include "tests/unit/paths.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace kbench::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class TargetChoice : public ::testing::Test {
 protected:
  TargetChoice() { place_.suites = kTinySuites; }

  Error refusal(const std::string& device) {
    request_.device = device;
    const auto target = choose_target(request_, place_);
    EXPECT_FALSE(target.ok()) << device;
    return target ? Error{} : target.error();
  }
  Error no_task(const std::string& pattern) {
    const auto task = find_task({}, {}, pattern, place_, "fp32");
    EXPECT_FALSE(task.ok()) << pattern;
    return task ? Error{} : task.error();
  }

  const TemporaryFolder folder_;
  Installation place_;
  RunRequest request_;
};

TEST_F(TargetChoice, ACpuIsTakenAtSmallUnlessAnotherSizeIsSaid) {
  request_.device = "cpu";
  EXPECT_EQ(choose_target(request_, place_)->device, "cpu");
  EXPECT_EQ(choose_target(request_, place_)->size, "small");
  EXPECT_FALSE(choose_target(request_, place_)->gpu);
  request_.size = "full";
  EXPECT_EQ(choose_target(request_, place_)->size, "full");
  request_.device.reset();
  EXPECT_EQ(choose_target(request_, place_)->device, "cpu") << "without an oracle for CUDA";
}

TEST_F(TargetChoice, WordsThatNameNoDeviceAreRefused) {
  for (const char* word : {"gpu", "", "cud", "cuda:", "cuda:x", "cuda:1x", "cuda:-1", "cuda1"})
    EXPECT_EQ(refusal(word).code, ErrorCode::kUsage) << word;
}

TEST_F(TargetChoice, WithoutCudaNoGpuIsLookedFor) {
  EXPECT_EQ(refusal("cuda").message, "this kbench was built without CUDA");
  EXPECT_THAT(refusal("cuda").hint, HasSubstr("third_party/setup"));
  place_.installed = true;
  EXPECT_THAT(refusal("cuda").hint, StartsWith("install one that was built with it"));
}

TEST_F(TargetChoice, AGpuThatIsNotThereIsNamedByItsNumber) {
  place_.oracle_cuda = folder_.write("kbench-oracle-cuda", "");
  EXPECT_THAT(refusal("cuda:97").message, StartsWith("there is no GPU number 97 here ("));
}

TEST_F(TargetChoice, OneTaskIsFoundByNameNumberOrId) {
  for (const char* pattern : {"level1/019_relu", "019_relu", "19"}) {
    const auto task = find_task({}, {1}, pattern, place_, "fp32");
    ASSERT_TRUE(task.ok()) << pattern << ": " << task.error().message;
    EXPECT_EQ(task->id, "level1/019_relu");
  }
}

TEST_F(TargetChoice, SeveralTasksAreNamedAndNoneIsSaid) {
  EXPECT_EQ(no_task("level1/*").code, ErrorCode::kUsage);
  EXPECT_EQ(no_task("level1/*").message, "\"level1/*\" matches 3 tasks, expected one");
  EXPECT_EQ(no_task("level1/*").hint,
            "choose one of level1/001_square_matrix_multiplication, level1/019_relu, "
            "level1/023_softmax");
  EXPECT_EQ(no_task("nothing_like_it").code, ErrorCode::kNotFound);
  place_.suites = folder_.path();
  EXPECT_EQ(no_task("019_relu").code, ErrorCode::kBadInput);
  place_.suites = kSuites;
  EXPECT_THAT(no_task("level1/*").hint, HasSubstr(" and 95 more: `kbench tasks list`"));
}

}  // namespace
}  // namespace kbench::test
