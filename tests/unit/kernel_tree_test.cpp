// The judge's copy of a folder that somebody else is writing to.
#include "runner/workspace/kernel_tree.hpp"

#include <sys/stat.h>

#include <atomic>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/core/sha256.hpp"
#include "tests/unit/task_fixture.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr const char* kSecret = "the judge's key";

class KernelTreeTest : public ::testing::Test {
 protected:
  KernelTreeTest() { folder_.write("secret", kSecret); }

  fs::path write(const std::string& name, const std::string& text = "int x;\n") {
    return folder_.write("work/kernels/" + name, text);
  }
  Result<KernelTree> copy() const { return copy_kernels(folder_.path() / "work"); }
  void expect_refused(const std::string& why) const {
    const auto tree = copy();
    ASSERT_FALSE(tree) << why;
    EXPECT_EQ(tree.error().code, ErrorCode::kSubmission);
    EXPECT_THAT(tree.error().message, HasSubstr(why));
  }
  static std::set<std::string> names(const KernelTree& tree) {
    std::set<std::string> names;
    for (const SourceFile& file : tree.files) names.insert(file.name);
    return names;
  }

  test::TemporaryFolder folder_;
};

TEST_F(KernelTreeTest, FilesAreNamedAsTheyAreStagedAndGetAManifest) {
  write("main.cu");
  write("tiles/tile.cuh");
  write(".main.cu.swp");
  const auto tree = copy();
  ASSERT_TRUE(tree) << tree.error().message;
  EXPECT_EQ(names(*tree),
            (std::set<std::string>{"src/main.cu", "src/submission.json", "src/tiles/tile.cuh"}));
  EXPECT_THAT(tree->files[1].bytes, HasSubstr("main.cu"));
}

TEST_F(KernelTreeTest, AManifestOfItsAuthorStays) {
  write("main.cpp");
  write("submission.json", "{}");
  EXPECT_EQ(copy().value().files.back().bytes, "{}");
}

TEST_F(KernelTreeTest, TheHashIsOfSortedPathsAndContents) {
  write("b.cpp", "two");
  write("a.cpp", "one");
  write("submission.json", "{}");
  const std::string first = copy().value().hash;
  const auto line = [](const std::string& name, const std::string& bytes) {
    return std::to_string(name.size()) + ":" + name + "64:" + sha256(bytes) + "\n";
  };
  EXPECT_EQ(first, sha256("kbench-tree/1\n" + line("src/a.cpp", "one") + line("src/b.cpp", "two") +
                          line("src/submission.json", "{}")));
  EXPECT_EQ(copy().value().hash, first);
  write("a.cpp", "eno");
  EXPECT_NE(copy().value().hash, first);
}

TEST_F(KernelTreeTest, LinksAreNotFollowed) {
  write("main.cpp");
  const fs::path kernels = folder_.path() / "work/kernels";
  fs::create_symlink(folder_.path() / "secret", kernels / "secret.h");
  expect_refused("kernels/secret.h is a link");
  fs::remove(kernels / "secret.h");
  fs::create_symlink("main.cpp", kernels / "other.cpp");  // nor those that stay inside
  expect_refused("kernels/other.cpp is a link");
  fs::remove(kernels / "other.cpp");
  fs::create_directory_symlink(folder_.path(), kernels / "outside");
  expect_refused("kernels/outside is a link");
  fs::remove(kernels / "outside");
  fs::create_hard_link(folder_.path() / "secret", kernels / "secret.h");
  expect_refused("kernels/secret.h is a hard link");
}

TEST_F(KernelTreeTest, KernelsItselfIsNoLink) {
  folder_.write("elsewhere/main.cpp", "int x;");
  fs::create_directories(folder_.path() / "work");
  fs::create_directory_symlink(folder_.path() / "elsewhere", folder_.path() / "work/kernels");
  const auto tree = copy();
  ASSERT_FALSE(tree);
  EXPECT_EQ(tree.error().code, ErrorCode::kUsage);
}

TEST_F(KernelTreeTest, PipesAreNotWaitedFor) {
  write("main.cpp");
  ASSERT_EQ(::mkfifo((folder_.path() / "work/kernels/pipe.h").c_str(), 0600), 0);
  expect_refused("kernels/pipe.h is no file");
}

TEST_F(KernelTreeTest, NamesThatACompilerObeysAreRefused) {
  write("main.cpp");
  for (const std::string name : {"-o.cpp", "@flags.cpp", "a b.cpp", "x\n.cpp"}) {
    const fs::path file = write(name);
    expect_refused("is not allowed");
    fs::remove(file);
  }
  EXPECT_TRUE(copy());
}

TEST_F(KernelTreeTest, SixtyFourFilesAreTakenAndNoMore) {
  for (int i = 0; i < 64; ++i) write("f" + std::to_string(i) + ".cpp");
  EXPECT_EQ(copy().value().files.size(), 65u) << "and the manifest";
  write("one_more.cpp");
  expect_refused("more than 64 files in kernels");
}

TEST_F(KernelTreeTest, OneMebibyteIsTakenAndNoMore) {
  write("a.cpp", std::string(1u << 19, ' '));
  write("b.cpp", std::string(1u << 19, ' '));
  EXPECT_TRUE(copy());
  write("c.cpp", " ");
  expect_refused("more than 1024 KiB in kernels");
}

TEST_F(KernelTreeTest, FoldersAndHiddenFilesAreCountedToo) {
  write("main.cpp");
  std::string deep = "d";
  for (int i = 0; i < 10; ++i) deep += "/d";
  fs::create_directories(folder_.path() / "work/kernels" / deep);
  expect_refused("nested too deeply");
  fs::remove_all(folder_.path() / "work/kernels/d");
  for (int i = 0; i < 300; ++i) write(".h" + std::to_string(i));
  expect_refused("files and folders");
}

TEST_F(KernelTreeTest, NothingToCompileIsSaidSo) {
  write("README", "soon");
  expect_refused("no .cu and no .cpp file");
}

// Somebody puts a link in the place of a file and back, as fast as they can, while it is copied.
// Whatever the judge gets is what was theirs.
TEST_F(KernelTreeTest, ALinkThatComesAndGoesIsNeverRead) {
  write("main.cpp", "theirs");
  const fs::path kernels = folder_.path() / "work/kernels";
  const fs::path file = kernels / "swap.h";
  const fs::path inner = kernels / "inner";
  folder_.write("outside/swap.h", kSecret);
  std::atomic<bool> over = false;
  std::thread swapping([&] {
    std::error_code ignored;
    while (!over) {
      fs::create_symlink(folder_.path() / "secret", kernels / ".link", ignored);
      fs::rename(kernels / ".link", file, ignored);
      fs::remove(file, ignored);
      write("swap.h", "theirs");
      fs::create_directory_symlink(folder_.path() / "outside", inner, ignored);
      fs::remove(inner, ignored);
      write("inner/swap.h", "theirs");
      fs::remove_all(inner, ignored);
    }
  });
  int copied = 0;
  int refused = 0;
  for (int i = 0; i < 20'000 && (i < 2'000 || copied == 0 || refused == 0); ++i) {
    const auto tree = copy();
    if (!tree) {
      ++refused;
      continue;
    }
    ++copied;
    for (const SourceFile& one : tree->files)
      if (one.name != "src/submission.json") {
        EXPECT_TRUE(one.bytes == "theirs" || one.bytes.empty()) << one.name << ": " << one.bytes;
      }
  }
  over = true;
  swapping.join();
  EXPECT_GT(copied, 0);
  EXPECT_GT(refused, 0) << "no link was ever met: this tried nothing";
}

// --- of files that lie in no folder ---

TEST(KernelTreeOf, IsThatOfAFolderWithTheSameFiles) {
  const test::TemporaryFolder folder;
  folder.write("work/kernels/main.cu", "int x;\n");
  folder.write("work/kernels/tiles/tile.cuh", "int y;\n");
  const auto copied = copy_kernels(folder.path() / "work");
  const auto made = kernel_tree_of({{"main.cu", "int x;\n"}, {"tiles/tile.cuh", "int y;\n"}});
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(made->hash, copied.value().hash);
}

TEST(KernelTreeOf, ASinglePythonFileIsASubmission) {
  const auto tree = kernel_tree_of({{"model.py", "class ModelNew: pass\n"}});
  ASSERT_TRUE(tree.ok()) << tree.error().message;
  EXPECT_THAT(tree->files.back().bytes, HasSubstr("\"entry\": \"model.py\""));
  EXPECT_THAT(tree->files.back().bytes, HasSubstr("\"kind\": \"python\""));
  EXPECT_FALSE(kernel_tree_of({{"a.py", ""}, {"b.py", ""}}).ok());
  EXPECT_TRUE(kernel_tree_of({{"a.py", ""}, {"b.py", ""}, {"submission.json", "{}"}}).ok());
}

TEST(KernelTreeOf, WhatNoFolderMayHaveIsRefused) {
  const auto refused = [](const std::map<std::string, std::string>& files) {
    const auto tree = kernel_tree_of(files);
    return !tree.ok() && tree.error().code == ErrorCode::kSubmission;
  };
  for (const char* name :
       {"../a.cpp", "/a.cpp", "a//b.cpp", "-a.cpp", "@a.cpp", ".a.cpp", "a b.cpp", "a\nb.cpp", ""})
    EXPECT_TRUE(refused({{name, "int x;"}})) << name;
  EXPECT_TRUE(refused({}));
  EXPECT_TRUE(refused({{"notes.txt", "x"}}));
  EXPECT_TRUE(refused({{"a.cpp", std::string(kMostKernelBytes + 1, ' ')}}));
  std::map<std::string, std::string> many;
  for (std::size_t i = 0; i <= kMostKernelFiles; ++i) many["f" + std::to_string(i) + ".cpp"] = "";
  EXPECT_TRUE(refused(many));
}

}  // namespace
}  // namespace kbench
