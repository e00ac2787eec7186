#include "reports/facts/without_folders.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

TEST(WithoutFolders, CutsPathsToTheirLastName) {
  EXPECT_EQ(without_folders("--db /home/me/a/b.sqlite"), "--db b.sqlite");
  EXPECT_EQ(without_folders("see (../up/log.txt) and ~/x/y"), "see (log.txt) and y");
  EXPECT_EQ(without_folders("/tmp/build-7/relu.cpp:3:5: error"), "relu.cpp:3:5: error");
}

TEST(WithoutFolders, KeepsAddressesAndClosingTags) {
  EXPECT_EQ(without_folders("https://example.org/a/b </b>"), "https://example.org/a/b </b>");
}

// "Permission denied: 'x'" would mean a relative path, to which other rules apply.
TEST(WithoutFolders, KeepsWhatLiesInAFolderThatEveryMachineHas) {
  EXPECT_EQ(without_folders("Permission denied: '/tmp/x'"), "Permission denied: '/tmp/x'");
  EXPECT_EQ(without_folders("/dev/shm/x, /etc/passwd"), "/dev/shm/x, /etc/passwd");
}

}  // namespace
}  // namespace kbench
