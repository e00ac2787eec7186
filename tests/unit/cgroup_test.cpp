#include "runner/sandbox/cgroup.hpp"

#include <unistd.h>

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

}  // namespace
}  // namespace kbench
