#include "runner/machine/cuda_probe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/machine/nvml.hpp"

namespace kbench {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

TEST(CudaProbe, SelectsTheDevicesThatCudaWouldShow) {
  EXPECT_THAT(visible_devices("0", 4), Optional(ElementsAre(0)));
  EXPECT_THAT(visible_devices(" 2 , 0", 4), Optional(ElementsAre(2, 0)));
  EXPECT_THAT(visible_devices("", 4), Optional(IsEmpty()));
  EXPECT_THAT(visible_devices("-1", 4), Optional(IsEmpty()));
}

TEST(CudaProbe, StopsAtTheFirstEntryThatNamesNoDevice) {
  EXPECT_THAT(visible_devices("1,7,0", 4), Optional(ElementsAre(1)));
  EXPECT_THAT(visible_devices("1,-1,0", 4), Optional(ElementsAre(1)));
  EXPECT_THAT(visible_devices("1,,0", 4), Optional(ElementsAre(1)));
}

TEST(CudaProbe, LeavesNamesOfDevicesToTheDriver) {
  EXPECT_EQ(visible_devices("GPU-8932f937-d72c-4106-c12f-20bd9faed9f6", 4), std::nullopt);
  EXPECT_EQ(visible_devices("0,MIG-1", 4), std::nullopt);
  EXPECT_EQ(visible_devices("99999999999999999999", 4), std::nullopt);
}

TEST(CudaProbe, NumbersWhatItFindsAsCudaDoes) {
  const std::vector<GpuInfo> gpus = probe_gpus();
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    EXPECT_EQ(gpus[i].index, static_cast<int>(i));
    EXPECT_FALSE(gpus[i].name.empty());
    EXPECT_GE(gpus[i].compute_capability, 50);
    EXPECT_GT(gpus[i].memory_bytes, 0u);
  }
}

TEST(Nvml, NamesTheReasonsOfALowClock) {
  EXPECT_THAT(clock_limit_names(0), IsEmpty());
  EXPECT_THAT(clock_limit_names(0x4), ElementsAre("power cap"));
  EXPECT_THAT(clock_limit_names(0x21), ElementsAre("idle", "software thermal slowdown"));
  EXPECT_THAT(clock_limit_names(0x1000), ElementsAre("unknown 0x1000"));
}

}  // namespace
}  // namespace kbench
