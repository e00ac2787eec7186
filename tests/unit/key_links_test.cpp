#include "runner/exchange/key_links.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/core/sha256.hpp"
#include "tests/unit/key_race.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace kbench::test {
namespace {

using ::testing::HasSubstr;

class KeyLinksTest : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  PoolKey pool_ = pool_key_of(std::string(32, 'p'));
  KeyLinks keys_{folder_ / "keys", "group", pool_};
  std::string key_ = sha256("a key");
};

TEST_F(KeyLinksTest, TheFirstRunHasTheKeyAndKeepsIt) {
  EXPECT_EQ(keys_.find(key_), std::nullopt);
  EXPECT_EQ(*keys_.claim(key_, run_number(1)), run_number(1));
  EXPECT_EQ(*keys_.claim(key_, run_number(2)), run_number(1));
  EXPECT_EQ(keys_.find(key_), run_number(1));
}

// A network file system may have made the link and lost its answer.
TEST_F(KeyLinksTest, WhoClaimsAgainHasWonAsBefore) {
  ASSERT_TRUE(keys_.claim(key_, run_number(1)).ok());
  EXPECT_EQ(*keys_.claim(key_, run_number(1)), run_number(1));
}

TEST_F(KeyLinksTest, AKeyThatNobodySignedIsNoneAndOnlyWithholds) {
  const KeyLinks other_pool(folder_ / "keys", "group", pool_key_of(std::string(32, 'x')));
  ASSERT_TRUE(other_pool.claim(key_, run_number(9)).ok());
  EXPECT_EQ(keys_.find(key_), std::nullopt);
  const auto claimed = keys_.claim(key_, run_number(1));
  ASSERT_FALSE(claimed.ok());
  EXPECT_EQ(claimed.error().code, ErrorCode::kBadInput);
  EXPECT_THAT(claimed.error().hint, HasSubstr("kbench exchange prune"));
}

TEST_F(KeyLinksTest, AKeyOfAnotherGroupOrOfAnotherNameIsNone) {
  ASSERT_TRUE(keys_.claim(key_, run_number(1)).ok());
  EXPECT_EQ(KeyLinks(folder_ / "keys", "other", pool_).find(key_), std::nullopt);
  const std::string moved = sha256("another key");
  std::filesystem::create_directories(keys_.file_of(moved).parent_path());
  std::filesystem::copy_file(keys_.file_of(key_), keys_.file_of(moved));
  EXPECT_EQ(keys_.find(moved), std::nullopt);
}

TEST_F(KeyLinksTest, LinksAndPipesAreNotRead) {
  std::filesystem::create_directories(keys_.file_of(key_).parent_path());
  const auto elsewhere =
      folder_.write("whole", sign(pool_, "key " + key_ + " of group", run_number(3)));
  std::filesystem::create_symlink(elsewhere, keys_.file_of(key_));
  EXPECT_EQ(keys_.find(key_), std::nullopt);
}

TEST_F(KeyLinksTest, NamesThatAreNoneNameNoFile) {
  EXPECT_EQ(keys_.find("../../etc/passwd"), std::nullopt);
  EXPECT_FALSE(keys_.claim("../x", run_number(1)).ok());
  EXPECT_FALSE(keys_.claim(key_, "run").ok());
}

TEST_F(KeyLinksTest, OfSixtyFourProcessesOneWins) { expect_one_winner(folder_ / "race", 64, 5); }

}  // namespace
}  // namespace kbench::test
