// Caches that foreign code made large do not stay so for ever.
#include "runner/os/cache_sweep.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "tests/unit/store_fixture.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFile = 64u << 10;

class CacheSweep : public ::testing::Test {
 protected:
  // A file of 64 KiB that was used so many hours ago.
  fs::path add(const std::string& name, int hours) {
    const fs::path file = cache_ / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << std::string(kFile, 'x');
    const timespec then{std::time(nullptr) - hours * 3600, 0};
    const std::array times{then, then};
    EXPECT_EQ(::utimensat(AT_FDCWD, file.c_str(), times.data(), 0), 0);
    return file;
  }

  test::TemporaryFolder root_;
  fs::path cache_ = root_ / "cache";
  CacheLimits limits_{.bytes = 2 * kFile};
};

TEST_F(CacheSweep, WhatWasUsedLongestAgoGoesUntilTheRestFits) {
  const auto oldest = add("submissions/a.so", 300);
  const auto old = add("packages/b/b.pt2", 200);
  const auto third = add("submissions/c.so", 100);
  const auto newest = add("submissions/d.so", 50);
  EXPECT_EQ(sweep_cache(cache_, limits_), 2 * kFile);
  EXPECT_FALSE(fs::exists(oldest));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(third));
  EXPECT_TRUE(fs::exists(newest));
}

TEST_F(CacheSweep, WhatFitsStays) {
  const auto one = add("a", 3000);
  const auto two = add("b", 3000);
  EXPECT_EQ(sweep_cache(cache_, limits_), 0U);
  EXPECT_TRUE(fs::exists(one) && fs::exists(two));
}

TEST_F(CacheSweep, WhatARunMayBeUsingStays) {
  for (const char* name : {"a", "b", "c", "d"}) add(name, 2);
  EXPECT_EQ(sweep_cache(cache_, limits_), 0U);
}

TEST_F(CacheSweep, NobodyLooksTwiceInAnHour) {
  EXPECT_EQ(sweep_cache(cache_, limits_), 0U) << "there is no such folder";
  add("a", 300);
  EXPECT_EQ(sweep_cache(cache_, limits_), 0U);
  for (const char* name : {"b", "c", "d"}) add(name, 300);
  EXPECT_EQ(sweep_cache(cache_, limits_), 0U) << "it has just been looked at";
  limits_.between = std::chrono::hours(0);
  EXPECT_EQ(sweep_cache(cache_, limits_), 2 * kFile);
}

TEST_F(CacheSweep, LinksAreNotFollowed) {
  const auto elsewhere = root_ / "elsewhere";
  fs::create_directory(elsewhere);
  std::ofstream(elsewhere / "file") << std::string(kFile, 'x');
  fs::create_directories(cache_);
  fs::create_directory_symlink(elsewhere, cache_ / "link");
  limits_.bytes = 0;
  EXPECT_EQ(sweep_cache(cache_, limits_), 0U);
  EXPECT_TRUE(fs::exists(elsewhere / "file"));
}

}  // namespace
}  // namespace kbench
