#include "runner/exchange/exchange.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/exchange/whole_file.hpp"
#include "tests/unit/key_race.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace kbench::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ExchangeTest : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  fs::path shared_ = folder_ / "shared";
  PoolKey pool_ = pool_key_of(std::string(32, 'p'));
};

TEST_F(ExchangeTest, ThePoolsKeyIsMadeOnceForItsOwnerAlone) {
  const fs::path state = folder_ / "state/kbench";
  EXPECT_EQ(read_pool_key(state).error().code, ErrorCode::kInfrastructure);
  EXPECT_THAT(read_pool_key(state).error().hint, HasSubstr("kbench exchange init"));
  const auto key = keep_pool_key(state);
  ASSERT_TRUE(key.ok()) << key.error().message;
  EXPECT_EQ(key->secret.size(), 32U);
  EXPECT_EQ(keep_pool_key(state)->secret, key->secret);
  EXPECT_EQ(read_pool_key(state)->name, key->name);
  EXPECT_EQ(fs::status(pool_key_file(state)).permissions(), fs::perms{0600});
  fs::permissions(pool_key_file(state), fs::perms{0640});
  EXPECT_EQ(read_pool_key(state).error().code, ErrorCode::kInfrastructure);
  EXPECT_EQ(keep_pool_key(state).error().code, ErrorCode::kInfrastructure);
}

TEST_F(ExchangeTest, AFolderIsOfOnePool) {
  EXPECT_EQ(Exchange::open(shared_, pool_).error().code, ErrorCode::kUsage);
  ASSERT_TRUE(Exchange::make(shared_, pool_).ok());
  EXPECT_TRUE(Exchange::open(shared_, pool_).ok());
  EXPECT_TRUE(Exchange::make(shared_, pool_).ok());
  const PoolKey other = pool_key_of(std::string(32, 'x'));
  EXPECT_THAT(Exchange::make(shared_, other).error().message, HasSubstr("another pool"));
  EXPECT_THAT(Exchange::open(shared_, other).error().message, HasSubstr("another pool"));
  EXPECT_TRUE(Exchange::open(shared_, pool_).ok());
}

TEST_F(ExchangeTest, RunsArePutWholeAndTakenAsTheyAre) {
  const auto space = Exchange::make(shared_, pool_)->space("group");
  EXPECT_THAT(space.runs(), IsEmpty());
  ASSERT_TRUE(space.put_run(run_number(2), folder_.write("two", "first state")).ok());
  ASSERT_TRUE(space.put_run(run_number(2), folder_.write("two", "second state")).ok());
  ASSERT_TRUE(space.put_run(run_number(1), folder_.write("one", "")).ok());
  EXPECT_THAT(space.runs(), ElementsAre(run_number(1), run_number(2)));
  ASSERT_TRUE(space.take_run(run_number(2), folder_ / "taken").ok());
  std::string text;
  std::getline(std::ifstream(folder_ / "taken"), text);
  EXPECT_EQ(text, "second state");
}

TEST_F(ExchangeTest, TheRunsOfASpaceAgreeOnTheTermsOfTheFirst) {
  const auto space = Exchange::make(shared_, pool_)->space("group");
  EXPECT_EQ(*space.agree("quick"), "quick");
  EXPECT_EQ(*space.agree("in full"), "quick");
  folder_.write("shared/group/terms", "in full");
  EXPECT_EQ(space.agree("in full").error().code, ErrorCode::kBadInput);
}

TEST_F(ExchangeTest, FilesThatAreNoRunsAreNamedAndLinksAreNotFollowed) {
  const auto space = Exchange::make(shared_, pool_)->space("group");
  folder_.write("shared/group/runs/notes.txt", "x");
  folder_.write("shared/group/runs/.draft-1", "x");
  EXPECT_THAT(space.runs(), IsEmpty());
  EXPECT_THAT(space.others(), ElementsAre("notes.txt"));
  fs::create_symlink(folder_.write("elsewhere", "x"), space.file_of(run_number(1)));
  EXPECT_EQ(space.take_run(run_number(1), folder_ / "taken").error().code, ErrorCode::kBadInput);
}

TEST_F(ExchangeTest, AFolderThatIsMissingIsNamedWithWhatToDo) {
  for (const SharedFolder& none : {SharedFolder(shared_), SharedFolder(folder_.path()) / "none"}) {
    const auto opened = none.open();
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::kNotFound);
    EXPECT_THAT(opened.error().hint, HasSubstr("--exchange, or make it: mkdir"));
  }
  EXPECT_THAT((SharedFolder(folder_.path()) / "..").open().error().hint, HasSubstr("kbench"));
}

TEST_F(ExchangeTest, AFileIsReplacedWholeOrNotAtAll) {
  folder_.write("folder/file", "before");
  const SharedFolder place = SharedFolder(folder_.path()) / "folder";
  ASSERT_TRUE(put_whole(place, "file", "after").ok());
  EXPECT_FALSE(*put_first(place, "file", "later"));
  EXPECT_TRUE(*put_first(place, "new", "later"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "folder"), fs::directory_iterator()), 2);
  EXPECT_FALSE(put_whole(place / "file", "below", "x").ok());
}

}  // namespace
}  // namespace kbench::test
