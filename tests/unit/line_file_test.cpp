// A file of lines that is there once it is whole.
#include "runner/os/line_file.hpp"

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "tests/unit/temporary_folder.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(LineFile, IsThereOnceItIsWhole) {
  const TemporaryFolder folder;
  folder.write("out", "before\n");
  auto lines = LineFile::open(folder / "out");
  ASSERT_TRUE(lines.ok()) << lines.error().message;
  ASSERT_TRUE(lines->write("one").ok());
  ASSERT_TRUE(lines->write("two").ok());
  EXPECT_EQ(text_of(folder / "out"), "before\n");
  ASSERT_TRUE(lines->close().ok());
  EXPECT_EQ(text_of(folder / "out"), "one\ntwo\n");
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(LineFile, LeavesNothingWhereItNeverBecameWhole) {
  const TemporaryFolder folder;
  {
    auto lines = LineFile::open(folder / "out");
    ASSERT_TRUE(lines.ok());
    ASSERT_TRUE(lines->write("one").ok());
  }
  EXPECT_EQ(files_in(folder.path()), 0u);
}

TEST(LineFile, SaysWhichFileCannotBeWritten) {
  const TemporaryFolder folder;
  const auto none = LineFile::open(folder / "no/such/folder");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::kInfrastructure);
  auto full = LineFile::open("/dev/full");
  ASSERT_TRUE(full.ok()) << "a device is written to as it is";
  ASSERT_TRUE(full->write("one").ok());
  EXPECT_FALSE(full->close().ok());
}

}  // namespace
}  // namespace kbench
