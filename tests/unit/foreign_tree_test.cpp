#include "runner/os/foreign_tree.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "runner/core/unique_fd.hpp"
#include "runner/os/files.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr TreeSize kPlenty{.bytes = 1u << 30, .entries = 1'000'000, .depth = 100};

class ForeignTreeTest : public testing::Test {
 protected:
  void SetUp() override {
    auto scratch = ScratchFolder::make("foreign-tree-test");
    ASSERT_TRUE(scratch.ok()) << scratch.error().message;
    scratch_ = std::move(*scratch);
    fs::create_directory(tree());
  }
  void TearDown() override { EXPECT_TRUE(empty_folder(scratch_.path()).ok()); }

  [[nodiscard]] fs::path tree() const { return scratch_.path() / "tree"; }
  void write(const fs::path& file, std::size_t bytes) const {
    std::ofstream(file) << std::string(bytes, 'x');
  }
  [[nodiscard]] TreeSize size(const TreeSize& most = kPlenty) const {
    const auto size = measure_tree(tree(), most);
    EXPECT_TRUE(size.ok()) << size.error().message;
    return size ? *size : TreeSize{};
  }
  // Nested deeper than a path may be long.
  void nest(int folders) const {
    UniqueFd at(::open(tree().c_str(), O_RDONLY | O_DIRECTORY));
    const std::string name(200, 'n');
    for (int i = 0; i < folders; ++i) {
      ASSERT_EQ(::mkdirat(at.get(), name.c_str(), 0700), 0);
      UniqueFd(::openat(at.get(), "file", O_WRONLY | O_CREAT, 0600));
      at = UniqueFd(::openat(at.get(), name.c_str(), O_RDONLY | O_DIRECTORY));
      ASSERT_TRUE(at.valid());
    }
  }

  ScratchFolder scratch_;
};

TEST_F(ForeignTreeTest, CountsBytesEntriesAndDepth) {
  EXPECT_EQ(size().entries, 0u);
  write(tree() / "a", 100'000);
  fs::create_directories(tree() / "b" / "c");
  write(tree() / "b" / "c" / "d", 50'000);
  EXPECT_EQ(size().entries, 4u);
  EXPECT_EQ(size().depth, 2u);
  EXPECT_GE(size().bytes, 150'000u);
}

TEST_F(ForeignTreeTest, AHoleTakesNoRoom) {
  write(tree() / "hole", 1);
  fs::resize_file(tree() / "hole", std::uintmax_t{1} << 40);
  EXPECT_LT(size().bytes, 1'000'000u);
}

TEST_F(ForeignTreeTest, LinksLeadNowhere) {
  write(scratch_.path() / "outside", 500'000);
  fs::create_directory(scratch_.path() / "folder");
  write(scratch_.path() / "folder" / "kept", 500'000);
  fs::create_symlink(scratch_.path() / "outside", tree() / "file");
  fs::create_directory_symlink(scratch_.path() / "folder", tree() / "link");
  EXPECT_EQ(size().entries, 2u);
  EXPECT_LT(size().bytes, 100'000u);
  ASSERT_TRUE(empty_folder(tree()).ok());
  EXPECT_TRUE(fs::is_empty(tree()));
  EXPECT_TRUE(fs::exists(scratch_.path() / "outside"));
  EXPECT_TRUE(fs::exists(scratch_.path() / "folder" / "kept"));
}

TEST_F(ForeignTreeTest, AFolderThatIsALinkIsNone) {
  fs::create_directory_symlink(tree(), scratch_.path() / "other");
  write(tree() / "kept", 1);
  EXPECT_FALSE(measure_tree(scratch_.path() / "other", kPlenty).ok());
  EXPECT_FALSE(empty_folder(scratch_.path() / "other").ok());
  EXPECT_TRUE(fs::exists(tree() / "kept"));
}

TEST_F(ForeignTreeTest, CountingEndsWhereItIsTooMuch) {
  for (int i = 0; i < 50; ++i) write(tree() / std::to_string(i), 1);
  const TreeSize few{.bytes = 1u << 30, .entries = 10, .depth = 10};
  EXPECT_EQ(size(few).entries, 11u);
  EXPECT_TRUE(size(few).exceeds(few));
}

TEST_F(ForeignTreeTest, DeepOnesAreTooMuchAndRemoved) {
  ASSERT_NO_FATAL_FAILURE(nest(500));
  const TreeSize flat{.bytes = 1u << 30, .entries = 1'000'000, .depth = 20};
  EXPECT_EQ(size(flat).depth, 21u);
  ASSERT_TRUE(empty_folder(tree()).ok());
  EXPECT_TRUE(fs::is_empty(tree()));
}

TEST_F(ForeignTreeTest, ClosedFoldersAreOpened) {
  fs::create_directories(tree() / "closed" / "inner");
  write(tree() / "closed" / "inner" / "file", 10);
  ASSERT_EQ(::chmod((tree() / "closed" / "inner").c_str(), 0), 0);
  ASSERT_EQ(::chmod((tree() / "closed").c_str(), 0), 0);
  EXPECT_EQ(size().entries, 3u);
  ASSERT_EQ(::chmod((tree() / "closed").c_str(), 0), 0);
  ASSERT_TRUE(empty_folder(tree()).ok());
  EXPECT_TRUE(fs::is_empty(tree()));
}

TEST_F(ForeignTreeTest, TheFolderItselfIsOpened) {
  write(tree() / "file", 10);
  ASSERT_EQ(::chmod(tree().c_str(), 0), 0);
  EXPECT_EQ(size().entries, 1u);
  ASSERT_EQ(::chmod(tree().c_str(), 0), 0);
  ASSERT_TRUE(empty_folder(tree()).ok());
}

TEST_F(ForeignTreeTest, NamesThatWeWouldGiveAreTakenAlready) {
  fs::create_directories(tree() / "a" / "inner");
  fs::create_directories(tree() / "moved-1" / "more");
  write(tree() / "moved-2", 1);
  ASSERT_TRUE(empty_folder(tree()).ok());
  EXPECT_TRUE(fs::is_empty(tree()));
}

}  // namespace
}  // namespace kbench
