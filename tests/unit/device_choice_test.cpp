#include "runner/plan/device_choice.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

GpuInfo gpu(int index, const std::string& uuid, const std::string& name = "H200") {
  GpuInfo info;
  info.index = index;
  info.name = name;
  info.uuid = uuid;
  info.driver = "580.1";
  info.memory_bytes = std::uint64_t{139} << 30;
  return info;
}

std::vector<int> numbers(const std::string& words, const std::vector<GpuInfo>& gpus) {
  const auto chosen = choose_devices(words, gpus);
  EXPECT_TRUE(chosen.ok()) << chosen.error().message;
  std::vector<int> indices;
  if (chosen)
    for (const GpuInfo& one : *chosen) indices.push_back(one.index);
  return indices;
}

Error refusal(const std::string& words, const std::vector<GpuInfo>& gpus) {
  const auto chosen = choose_devices(words, gpus);
  EXPECT_FALSE(chosen.ok()) << words;
  return chosen ? Error{} : chosen.error();
}

TEST(DeviceChoice, TakesAllOrThoseThatAreNamed) {
  const std::vector<GpuInfo> gpus = {gpu(0, "GPU-a"), gpu(1, "GPU-b"), gpu(2, "GPU-c")};
  EXPECT_THAT(numbers("all", gpus), ElementsAre(0, 1, 2));
  EXPECT_THAT(numbers("cuda:2,cuda:0", gpus), ElementsAre(0, 2));
  EXPECT_THAT(numbers("cuda:1", gpus), ElementsAre(1));
  EXPECT_THAT(numbers("all", {}), IsEmpty()) << "a run on the CPU";
}

TEST(DeviceChoice, AllRunsTakeThemInOneOrder) {
  EXPECT_THAT(numbers("all", {gpu(0, "GPU-b"), gpu(1, "GPU-a")}), ElementsAre(1, 0));
}

TEST(DeviceChoice, NamesWhatIsNoDevice) {
  const std::vector<GpuInfo> gpus = {gpu(0, "GPU-a"), gpu(1, "GPU-b")};
  for (const char* words : {"", "0", "cuda:", "cuda:-1", "cuda:1x", "cuda:0,", ",cuda:0", "cpu",
                            "cuda:0 ,cuda:1", "cuda:99999999999"})
    EXPECT_THAT(refusal(words, gpus).message, HasSubstr("not a list of GPUs"));
  EXPECT_THAT(refusal("cuda:0,cuda:2", gpus).message, HasSubstr("no GPU number 2 here (2 found)"));
  EXPECT_THAT(refusal("cuda:1,cuda:1", gpus).message, HasSubstr("cuda:1 is there twice"));
}

TEST(DeviceChoice, DevicesOfOneRunAreAlike) {
  const std::vector<GpuInfo> gpus = {gpu(0, "GPU-a"), gpu(1, "GPU-b", "H100"), gpu(2, "GPU-c")};
  const Error mixed = refusal("all", gpus);
  EXPECT_EQ(mixed.code, ErrorCode::kUsage);
  EXPECT_THAT(mixed.message,
              HasSubstr("unlike cuda:0 (H200, 139 GiB, driver 580.1): cuda:1 (H100"));
  EXPECT_THAT(mixed.message, Not(HasSubstr("cuda:2")));
  EXPECT_THAT(mixed.hint, HasSubstr("--devices cuda:0,cuda:2,"));
  EXPECT_THAT(numbers("cuda:0,cuda:2", gpus), ElementsAre(0, 2));
  std::vector<GpuInfo> other = {gpu(0, "GPU-a"), gpu(1, "GPU-b")};
  other[1].memory_bytes /= 2;
  EXPECT_THAT(refusal("all", other).message, HasSubstr("cuda:1 (H200, 69 GiB"));
  other[1] = gpu(1, "GPU-b");
  other[1].driver = "570.2";
  EXPECT_THAT(refusal("all", other).message, HasSubstr("driver 570.2"));
}

TEST(DeviceChoice, TakesTheFirstOfSoMany) {
  const std::vector<GpuInfo> gpus = {gpu(0, "GPU-c"), gpu(1, "GPU-b"), gpu(2, "GPU-a", "H100")};
  EXPECT_THAT(numbers("1", gpus), ElementsAre(0));
  EXPECT_THAT(numbers("2", gpus), ElementsAre(1, 0)) << "by UUID";
  EXPECT_THAT(refusal("3", gpus).message, HasSubstr("cuda:2 (H100"));
  EXPECT_THAT(refusal("4", gpus).message, HasSubstr("--devices 4: 3 GPUs are here"));
  EXPECT_THAT(refusal("1", {}).message, HasSubstr("--devices 1: 0 GPUs are here"));
}

TEST(DeviceChoice, NamesTheFirstOrLeavesItToTheMachine) {
  EXPECT_EQ(named_device("all"), std::nullopt);
  EXPECT_EQ(named_device("2"), std::nullopt);
  EXPECT_EQ(named_device("cpu"), "cpu");
  EXPECT_EQ(named_device("cuda:2,cuda:0"), "cuda:2");
}

TEST(DeviceChoice, WordsAreCheckedWithoutAMachine) {
  for (const char* words : {"all", "1", "12", "cpu", "cuda:0", "cuda:3,cuda:1"})
    EXPECT_TRUE(check_devices(words)) << words;
  for (const char* words :
       {"", "0", "-1", "every", "cuda", "cuda:0,", "cuda:0,cpu", "cuda:0 cuda:1"})
    EXPECT_THAT(check_devices(words).error().message, HasSubstr("not a list of GPUs")) << words;
  EXPECT_THAT(check_devices("cpu,cpu").error().message, HasSubstr("has one device, the CPU"));
}

Plan plan_on(const std::string& device) {
  Plan plan;
  plan.target.device = device;
  return plan;
}

TEST(DeviceChoice, APlanOnSeveralHasThemAndTheFirstAsItsTarget) {
  Plan plan = plan_on("cuda");
  ASSERT_TRUE(take_devices("all", {gpu(0, "GPU-b"), gpu(1, "GPU-a")}, plan));
  ASSERT_EQ(plan.devices.size(), 2u);
  EXPECT_EQ(plan.target.device_index, 1);
  EXPECT_EQ(plan.target.gpu->uuid, "GPU-a");
  Plan one = plan_on("cuda");
  ASSERT_TRUE(take_devices("all", {gpu(0, "GPU-b")}, one));
  EXPECT_THAT(one.devices, IsEmpty()) << "a run as without the option";
  EXPECT_FALSE(one.target.gpu);
}

TEST(DeviceChoice, ACpuIsOneDevice) {
  for (const char* words : {"all", "1"}) {
    Plan plan = plan_on("cpu");
    EXPECT_TRUE(take_devices(words, {}, plan)) << words;
    EXPECT_THAT(plan.devices, IsEmpty()) << "a run as without the option";
  }
  Plan plan = plan_on("cpu");
  EXPECT_TRUE(take_devices("cpu", {}, plan));
  EXPECT_EQ(plan.devices.size(), 1u) << "a lane";
  const auto refused = take_devices("2", {}, plan);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  EXPECT_THAT(refused.error().message, HasSubstr("has one device, the CPU"));
}

TEST(DeviceChoice, EachOfSeveralIsATargetOfItsOwn) {
  ChosenDevices chosen{.target = {.device = "cuda", .device_index = 1, .size = "full"},
                       .lanes = {gpu(1, "GPU-a"), gpu(0, "GPU-b")}};
  const auto each = chosen.each();
  ASSERT_EQ(each.size(), 2u);
  EXPECT_EQ(each[0].device_index, 1);
  EXPECT_EQ(each[1].device_index, 0);
  EXPECT_EQ(each[1].gpu->uuid, "GPU-b");
  EXPECT_EQ(each[1].size, "full");
  chosen.lanes = {GpuInfo()};
  ASSERT_EQ(chosen.each().size(), 1u) << "the lane of a CPU";
  EXPECT_EQ(chosen.each()[0].device_index, 1);
}

// A server on more GPUs than it has cores for judges on fewer, and calibrates those.
TEST(DeviceChoice, DevicesWithoutCoresForALaneAreMeasuredOnByNoRun) {
  const ChosenDevices chosen{.target = {.device = "cuda"},
                             .lanes = {gpu(0, "GPU-a"), gpu(1, "GPU-b")}};
  const auto measured = [&](const std::vector<int>& cores) {
    std::vector<int> indices;
    for (const Target& one : chosen.with_cores(cores, "/none")) indices.push_back(one.device_index);
    return indices;
  };
  EXPECT_THAT(measured({0, 1, 2, 3, 4, 5, 6, 7}), ElementsAre(0, 1));
  EXPECT_THAT(measured({0, 1, 2, 3}), ElementsAre(0));
  EXPECT_THAT(measured({0}), IsEmpty());
  const ChosenDevices one{.target = {.device = "cpu"}, .lanes = {}};
  EXPECT_EQ(one.with_cores({0}, "/none").size(), 1u);
}

TEST(DeviceChoice, ACommandIsRefusedForTheWordsThatARunIs) {
  const Installation without_cuda;
  EXPECT_THAT(choose_devices_of("cpu", {}, without_cuda)->lanes, IsEmpty());
  EXPECT_EQ(choose_devices_of({}, "cpu", without_cuda)->lanes.size(), 1u);
  EXPECT_EQ(choose_devices_of({}, "all", without_cuda)->target.device, "cpu");
  EXPECT_THAT(choose_devices_of({}, "cpu,cpu", without_cuda).error().message,
              HasSubstr("has one device, the CPU"));
  EXPECT_THAT(choose_devices_of({}, "every", without_cuda).error().message,
              HasSubstr("not a list of GPUs"));
  EXPECT_EQ(choose_devices_of({}, "cuda:1", without_cuda).error().message,
            "this kbench was built without CUDA");
}

TEST(DeviceChoice, LanesAreStartedByUuid) {
  Plan plan = plan_on("cuda");
  const auto refused = take_devices("all", {gpu(0, ""), gpu(1, "")}, plan);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("has no UUID"));
}

}  // namespace
}  // namespace kbench
