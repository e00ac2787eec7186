// No test can mount a network file system, so what a folder lies on is scripted.

#include <cstdint>
#include <filesystem>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/store/file/database_path.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t kNfs = 0x6969;
constexpr std::uint32_t kExt4 = 0xef53;

TEST(NetworkDisk, IsKnownByItsNumber) {
  EXPECT_EQ(network_disk(kNfs), "NFS");
  EXPECT_EQ(network_disk(0xff534d42), "CIFS") << "its highest bit is set";
  EXPECT_EQ(network_disk(kExt4), "");
  EXPECT_EQ(network_disk(0x01021997), "") << "9p: the local disk of some virtual machines";
}

TEST(NetworkDisk, TheKernelIsAskedOfWhatIsThere) {
  EXPECT_EQ(disk_kind("/proc"), 0x9fa0U);
  EXPECT_EQ(disk_kind("/proc/self/nothing"), std::nullopt);
}

TEST(NetworkDisk, HoldsNoDatabaseThatIsWritten) {
  const test::TemporaryFolder folder;
  std::filesystem::path asked;
  const auto on = [&asked](std::optional<std::uint32_t> kind) {
    return [&asked, kind](const std::filesystem::path& path) {
      asked = path;
      return kind;
    };
  };
  const auto refused = check_database_folder(folder / "all.sqlite", on(kNfs));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  EXPECT_THAT(refused.error().message, HasSubstr("network file system (NFS)"));
  EXPECT_THAT(refused.error().hint, HasSubstr("--db"));
  EXPECT_EQ(asked, folder.path()) << "the file need not be there yet";
  EXPECT_TRUE(check_database_folder(folder / "all.sqlite", on(kExt4)).ok());
  EXPECT_TRUE(check_database_folder(folder / "all.sqlite", on(std::nullopt)).ok());
  EXPECT_TRUE(check_database_folder("all.sqlite", on(kExt4)).ok());
  EXPECT_EQ(asked, ".");
}

}  // namespace
}  // namespace kbench
