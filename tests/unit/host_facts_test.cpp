#include "runner/machine/host_facts.hpp"

#include <fstream>

#include <gtest/gtest.h>

#include "tests/unit/store_fixture.hpp"

namespace kbench::cpu {
namespace {

void add_cache(const std::filesystem::path& folder, const std::string& name,
               const std::string& level, const std::string& size) {
  std::filesystem::create_directories(folder / name);
  std::ofstream(folder / name / "level") << level << "\n";
  std::ofstream(folder / name / "size") << size << "\n";
}

TEST(HostFacts, TheLastLevelIsTheOneThatTheseCoresShare) {
  const test::TemporaryFolder folder;
  add_cache(folder / "cache", "index0", "1", "32K");
  add_cache(folder / "cache", "index3", "3", "32768K");
  add_cache(folder / "cache", "index2", "2", "1024K");
  std::filesystem::create_directories(folder / "cache" / "power");
  EXPECT_EQ(last_level_bytes(folder / "cache"), 32u << 20);
}

TEST(HostFacts, WhatIsNoListOfCachesTellsNothing) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(last_level_bytes(folder / "nowhere"), 0u);
  add_cache(folder / "cache", "index0", "three", "big");
  EXPECT_EQ(last_level_bytes(folder / "cache"), 0u);
}

TEST(HostFacts, ThisMachineHasACacheOfAPlausibleSize) {
  if (cache_bytes() == 0) GTEST_SKIP() << "this machine does not tell";
  EXPECT_GE(cache_bytes(), 64u << 10);
  EXPECT_LE(cache_bytes(), 4ull << 30);
}

}  // namespace
}  // namespace kbench::cpu
