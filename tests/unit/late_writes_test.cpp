#include "runner/measure/players/late_writes.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include <gtest/gtest.h>

namespace kbench {
namespace {

// Two outputs, a large one and a number, some bytes into an arena of shared memory.
class LateWritesTest : public testing::Test {
 protected:
  static constexpr std::uint64_t kBase = 512;
  static constexpr std::uint64_t kBytes = 1 << 20;

  LateWritesTest() {
    EXPECT_EQ(::ftruncate(fd_, kBytes), 0);
    EXPECT_EQ(::fcntl(fd_, F_ADD_SEALS, F_SEAL_SHRINK), 0);
    memory_ =
        static_cast<float*>(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0));
  }
  ~LateWritesTest() override {
    ::munmap(memory_, kBytes);
    ::close(fd_);
  }
  float* output(std::size_t i) {
    return memory_ + (kBase + pack(outputs_).offsets[i]) / sizeof(float);
  }

  // How often a call is found to be late that writes so many elements of the large output after
  // done.
  int found_of_100(std::int64_t late) {
    auto watch = LateWrites::watch(fd_, kBytes, outputs_);
    EXPECT_TRUE(watch);
    int found = 0;
    for (int call = 1; call <= 100; ++call) {
      watch->choose(kBase);
      watch->remember();
      for (std::int64_t i = 0; i < late; ++i) output(0)[100'000 - 1 - i] = static_cast<float>(call);
      found += watch->found() ? 1 : 0;
    }
    return found;
  }

  const std::vector<TensorSpec> outputs_{{.name = "y", .shape = {100'000}},
                                         {.name = "z", .shape = {}}};
  int fd_ = ::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  float* memory_ = nullptr;
};

TEST_F(LateWritesTest, OutputsThatStayAreNoneAndWhatIsLateIsFound) {
  EXPECT_EQ(found_of_100(0), 0);
  EXPECT_EQ(found_of_100(100'000), 100);
  EXPECT_GE(found_of_100(20'000), 95);
  EXPECT_GE(found_of_100(1'000), 20) << "a hundredth: every second call";
}

TEST_F(LateWritesTest, AnArenaThatCouldBeCutOffIsRefused) {
  const int open = ::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  ASSERT_EQ(::ftruncate(open, kBytes), 0);
  EXPECT_FALSE(LateWrites::watch(open, kBytes, outputs_));
  ::close(open);
}

TEST_F(LateWritesTest, OfFewBytesAllAreLookedAt) {
  auto watch = LateWrites::watch(fd_, kBytes, {outputs_[1]});
  ASSERT_TRUE(watch);
  const std::uint64_t base = kBytes - 512;
  watch->choose(base);
  watch->remember();
  EXPECT_FALSE(watch->found());
  memory_[base / sizeof(float)] = 1;
  EXPECT_TRUE(watch->found());
}

}  // namespace
}  // namespace kbench
