#include "runner/device/measuring_lock.hpp"

#include <gtest/gtest.h>

#include "tests/unit/temporary_folder.hpp"

namespace kbench {
namespace {

// Was a crash of `kbench calibrate` wherever another run had the device.
TEST(MeasuringLock, WhoTellsNobodyWaitsInSilence) {
  const test::TemporaryFolder folder;
  Installation installation;
  installation.state = folder / "state";
  installation.locks = folder / "locks";
  Target target;
  target.device = "cpu";
  LockRequest request{.installation = &installation, .target = &target, .what = "a run"};
  const auto held = take_measuring_lock(request);
  ASSERT_TRUE(held) << held.error().message;
  int asked = 0;
  request.wait = true;
  request.is_needless = [&] { return ++asked > 1; };
  const auto lock = take_measuring_lock(request);
  EXPECT_TRUE(lock) << lock.error().message;
  EXPECT_GT(asked, 0);
}

}  // namespace
}  // namespace kbench
