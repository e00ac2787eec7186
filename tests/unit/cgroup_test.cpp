#include "runner/sandbox/cgroup.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace kbench {
namespace {

namespace fs = std::filesystem;

// The folder of a group in its first hierarchy.
fs::path folder_of(const Cgroup& group) {
  const int entrance = group.entrances().front().get();
  return fs::read_symlink("/proc/self/fd/" + std::to_string(entrance)).parent_path();
}

TEST(Cgroup, NamesThatAKilledProcessLeftBehindArePassedOver) {
  const CgroupHome home = CgroupHome::find();
  if (home.version().empty()) GTEST_SKIP() << home.reason();
  fs::path taken;
  {
    const auto first = home.make({}, true, false);
    ASSERT_TRUE(first);
    taken = folder_of(*first);
  }
  EXPECT_FALSE(fs::exists(taken)) << "a group is removed at its end";
  const std::string name = taken.filename();
  const auto dash = name.rfind('-');
  const int number = std::stoi(name.substr(dash + 1));
  // The next names, as if another process with our id had been killed.
  std::vector<fs::path> left_behind;
  for (int i = 1; i <= 4; ++i) {
    left_behind.push_back(taken.parent_path() /
                          (name.substr(0, dash + 1) + std::to_string(number + i)));
  }
  for (const fs::path& folder : left_behind) fs::create_directory(folder);
  EXPECT_TRUE(home.make({}, true, false));
  for (const fs::path& folder : left_behind) EXPECT_EQ(::rmdir(folder.c_str()), 0) << folder;
}

// Ordinary folders do: what tells a group from them is the kernel's own refusal to remove it.
TEST(Cgroup, WhatDeadRunsLeftIsRemovedAndNothingElse) {
  std::string pattern = (fs::temp_directory_path() / "kbench_cgroup_XXXXXX").string();
  const fs::path parent = ::mkdtemp(pattern.data());
  const pid_t dead = ::fork();
  if (dead == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(dead, nullptr, 0), dead);
  const auto folder = [&](const std::string& name) {
    fs::create_directory(parent / name);
    return parent / name;
  };
  const std::string of_dead = "kbench-" + std::to_string(dead);
  const fs::path left = folder(of_dead + "-0");
  const fs::path left_too = folder(of_dead + "-17");
  const fs::path in_use = folder(of_dead + "-1");
  fs::create_directory(in_use / "child");
  const fs::path ours = folder("kbench-" + std::to_string(::getpid()) + "-0");
  const fs::path others[] = {folder(of_dead), folder(of_dead + "-x"), folder("kbench-x-0"),
                             folder("user-" + std::to_string(dead) + "-0")};
  EXPECT_EQ(remove_dead_groups(parent), 2);
  EXPECT_FALSE(fs::exists(left));
  EXPECT_FALSE(fs::exists(left_too));
  EXPECT_TRUE(fs::exists(in_use));
  EXPECT_TRUE(fs::exists(ours));
  for (const fs::path& other : others) EXPECT_TRUE(fs::exists(other)) << other;
  EXPECT_EQ(remove_dead_groups(parent / "nowhere"), 0);
  fs::remove_all(parent);
}

}  // namespace
}  // namespace kbench
