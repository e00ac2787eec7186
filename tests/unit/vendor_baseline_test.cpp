#include "runner/run/vendor_baseline.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/temporary_folder.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

TEST(FindLibrary, TakesAnyVersionOfTheFirstFolderThatHasIt) {
  const test::TemporaryFolder folder;
  const fs::path first = folder / "first", second = folder / "second";
  fs::create_directories(first);
  fs::create_directories(second);
  std::ofstream(first / "libcudnn_graph.so.9") << "";
  std::ofstream(second / "libcudnn.so.9") << "";
  EXPECT_EQ(find_library({folder / "nowhere", first, second}, "libcudnn"),
            second / "libcudnn.so.9");
  EXPECT_EQ(find_library({first}, "libcudnn"), fs::path());
}

}  // namespace
}  // namespace kbench
