#include "runner/measure/watch/code_profile.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "runner/core/sha256.hpp"
#include "runner/measure/watch/known_code.hpp"
#include "tests/fakes/await.hpp"

namespace kbench {
namespace {

TEST(CodeProfile, AThreadThatComputesHasAnAddressAndOneThatWaitsHasNone) {
  EXPECT_EQ(computing_at("-1 0x7ffc38b4e528 0x7f997ae4a346"), 0x7f997ae4a346u);
  for (const char* waits :
       {"202 0x55f5350904a4 0x80 0x20 0x0 0xca 0x55f53d0e21c0 0x7f98bfc26e98 0x7f997ac1de8e",
        "0 0x3 0x7f1a 0x20000 0x0 0x0 0x0 0x7ffc6da9e908 0x7f1a9f8452ad", "running", "", "-1",
        "-1 0x7ffc38b4e528"})
    EXPECT_EQ(computing_at(waits), std::nullopt) << waits;
}

TEST(CodeProfile, AShareIsSureOnlyOfManyLooks) {
  EXPECT_EQ(surely_at_least(0, 0), 0);
  EXPECT_NEAR(surely_at_least(0, 100), 0, 1e-12);
  // Wilson's one-sided interval of 95 % by hand: n = 100, p = 0.1.
  EXPECT_NEAR(surely_at_least(10, 100), 0.0608, 5e-4);
  EXPECT_LT(surely_at_least(2, 24), 0.05);
  EXPECT_GT(surely_at_least(5, 24), 0.05);
  EXPECT_GT(surely_at_least(97, 100), 0.92);
}

TEST(CodeProfile, LibrariesAreNamedByTheirShareWhereItIsSurelyTooLarge) {
  const CodeProfile numpy{100, {{"numpy", 60}, {"libscipy_openblas64_", 30}}};
  EXPECT_EQ(computing_libraries(numpy, 0.05, 0),
            "numpy (60 % of the time), libscipy_openblas64_ (30 % of the time)");
  EXPECT_EQ(computing_libraries({100, {{"numpy", 6}}}, 0.05, 0), "") << "not surely above 5 %";
  EXPECT_EQ(computing_libraries({kLeastLooks - 1, {{"numpy", kLeastLooks - 1}}}, 0.05, 0), "")
      << "too few looks say nothing";
  EXPECT_EQ(computing_libraries({}, 0.05, 0), "");
}

TEST(CodeProfile, WhatTorchMayDoAnyhowIsNotHeldAgainstIt) {
  const CodeProfile copies{100, {{"torch", 40}}};
  EXPECT_EQ(computing_libraries(copies, 0.05, 0), "torch (40 % of the time)");
  EXPECT_EQ(computing_libraries(copies, 0.05, 0.38), "");
  EXPECT_EQ(computing_libraries(copies, 0.05, 0.2), "torch (20 % of the time)");
  EXPECT_EQ(computing_libraries({100, {{"numpy", 40}}}, 0.05, 0.9), "numpy (40 % of the time)")
      << "nothing but torch's time is excused";
}

// A child that computes in this very program, and one that waits.
class CodeProfilerTest : public ::testing::Test {
 protected:
  ~CodeProfilerTest() override {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  void start(bool computes) {
    child_ = ::fork();
    if (child_ != 0) return;
    volatile unsigned spins = 0;
    while (computes) spins = spins + 1;
    while (true) ::pause();
  }
  void stop() const {
    ASSERT_EQ(::kill(child_, SIGSTOP), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child_, &status, WUNTRACED), child_);
    ASSERT_TRUE(WIFSTOPPED(status));
  }
  // Waits until the child computes: it may still be on its way out of fork().
  void await_computing() {
    ASSERT_TRUE(test::await(
        [&] {
          CodeProfiler profiler;
          stop();
          profiler.look({&child_, 1}, false);
          const bool there = profiler.resolve({&child_, 1}, KnownCode::of_runtime({})).ok();
          ::kill(child_, SIGCONT);
          return there && profiler.take().all.libraries.contains("measure_tests");
        },
        "it computes"));
  }
  // Eight looks, with some running in between; the first comes unawares. Each waits until
  // `is_there`.
  CodeProfiles profile(
      const KnownCode& known, const std::function<bool()>& is_there = [] { return true; }) {
    CodeProfiler profiler;
    for (int i = 0; i < 8; ++i) {
      EXPECT_TRUE(test::await(is_there, "it is where it is looked for"));
      stop();
      profiler.look({&child_, 1}, i == 0);
      if (i < 7) ::kill(child_, SIGCONT);
    }
    EXPECT_TRUE(profiler.resolve({&child_, 1}, known).ok());
    return profiler.take();
  }
  // State of the child as /proc has it: R runs, S sleeps, T is stopped.
  [[nodiscard]] char state_of_child() const {
    std::ifstream stat("/proc/" + std::to_string(child_) + "/stat");
    std::string pid, name, state;
    stat >> pid >> name >> state;
    return state.empty() ? '?' : state.front();
  }
  pid_t child_ = 0;
};

TEST_F(CodeProfilerTest, WhereItComputesIsSeenFromOutside) {
  start(true);
  ASSERT_NO_FATAL_FAILURE(await_computing());
  const CodeProfiles profiles = profile(KnownCode::of_runtime({}));
  const CodeProfile& unknown = profiles.all;
  EXPECT_EQ(unknown.looks, 8);
  EXPECT_EQ(profiles.first.looks, 1);
  EXPECT_EQ(profiles.first.libraries.count("measure_tests"), 1u);
  ASSERT_EQ(unknown.libraries.size(), 1u);
  EXPECT_EQ(unknown.libraries.begin()->first, "measure_tests");
  EXPECT_EQ(unknown.libraries.begin()->second, 8);
}

TEST_F(CodeProfilerTest, WhatItBroughtItselfIsNoLibrary) {
  start(true);
  ASSERT_NO_FATAL_FAILURE(await_computing());
  KnownCode known = KnownCode::of_runtime({});
  char self[4096] = {};
  ASSERT_GT(::readlink("/proc/self/exe", self, sizeof self - 1), 0);
  const auto hash = sha256_file(self);
  ASSERT_TRUE(hash.ok());
  ASSERT_TRUE(known.accept(self, *hash).ok());
  const CodeProfile own = profile(known).all;
  EXPECT_GE(own.looks, 1);
  EXPECT_TRUE(own.libraries.empty());
}

TEST_F(CodeProfilerTest, WhatWasMadeAtRunTimeIsNotItsOwn) {
  constexpr std::array<unsigned char, 2> kJumpToItself{0xEB, 0xFE};
  void* const code =
      ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(code, MAP_FAILED);
  std::memcpy(code, kJumpToItself.data(), kJumpToItself.size());
  child_ = ::fork();
  if (child_ == 0) {
    reinterpret_cast<void (*)()>(code)();
  }
  ::munmap(code, 4096);
  CodeProfile seen;
  ASSERT_TRUE(test::await(
      [&] {
        CodeProfiler profiler;
        stop();
        profiler.look({&child_, 1}, false);
        const bool there = profiler.resolve({&child_, 1}, KnownCode::of_runtime({})).ok();
        ::kill(child_, SIGCONT);
        seen = profiler.take().all;
        return there && seen.libraries.contains("code made at run time");
      },
      "it computes there"));
  EXPECT_EQ(seen.looks, 1);
}

TEST_F(CodeProfilerTest, WhoWaitsIsNotCounted) {
  start(false);
  ASSERT_TRUE(test::await(
      [&] {
        CodeProfiler profiler;
        stop();
        profiler.look({&child_, 1}, false);
        (void)profiler.resolve({&child_, 1}, KnownCode::of_runtime({}));
        ::kill(child_, SIGCONT);
        return profiler.take().all.looks == 0;
      },
      "it waits"));
  // Continued, it is met on its way back into pause() unless it had the time for that.
  const auto waits = [&] { return state_of_child() == 'S'; };
  EXPECT_LT(profile(KnownCode::of_runtime({}), waits).all.looks, 4) << "of eight";
}

}  // namespace
}  // namespace kbench
