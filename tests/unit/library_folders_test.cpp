#include "runner/sandbox/library_folders.hpp"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/os/files.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(LibraryFolders, AreThoseOfTheLoadersListThatAreNotTheSystems) {
  const auto scratch = ScratchFolder::make("kbench-libraries");
  ASSERT_TRUE(scratch);
  const fs::path root = fs::canonical(scratch->path());
  fs::create_directories(root / "torch/lib");
  fs::create_directories(root / "nvidia/lib");
  fs::create_directory_symlink(root / "nvidia/lib", root / "link");
  const std::string list =
      "\tlinux-vdso.so.1 (0x00007fff)\n\tlibc10.so => " + root.string() +
      "/torch/lib/libc10.so (0x00007f01)\n\tlibcudart.so => " + root.string() +
      "/torch/lib/../../nvidia/lib/libcudart.so (0x00007f02)\n\tliba.so => " + root.string() +
      "/link/liba.so (0x00007f03)\n" +
      "\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f04)\n" +
      "\tlibm.so.6 => /usr/lib/libm.so.6 (0x00007f05)\n" +
      "\tlibnone.so => not found\n\t/lib64/ld-linux-x86-64.so.2 (0x00007f06)\n";
  EXPECT_THAT(library_folders_in(list),
              UnorderedElementsAre(root / "torch/lib", root / "nvidia/lib", root / "link"));
}

TEST(LibraryFolders, TheProgramItselfDoesNotRun) {
  const auto scratch = ScratchFolder::make("kbench-libraries");
  ASSERT_TRUE(scratch);
  // echo would print its arguments; the loader prints a list.
  const auto folders = library_folders("/bin/echo", {"PATH=/usr/bin:/bin"});
  ASSERT_TRUE(folders) << folders.error().message;
  EXPECT_THAT(*folders, IsEmpty());
  EXPECT_FALSE(library_folders("/nonexistent/program", {}));
}

}  // namespace
}  // namespace kbench
