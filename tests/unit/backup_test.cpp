#include "runner/store/care/backup.hpp"

#include <sys/types.h>

#include <algorithm>

#include <gmock/gmock.h>

#include "runner/store/care/database_check.hpp"
#include "tests/unit/damaged_source_fixture.hpp"

namespace kbench {
namespace {

using test::DatabaseTest;
using test::kPage;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class BackupTest : public DatabaseTest {
 protected:
  std::filesystem::path copy_ = folder_ / "copy.sqlite";

  // Beside the original its readers may leave an empty log.
  [[nodiscard]] std::vector<std::string> files_of_the_copy() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      if (!entry.path().filename().string().starts_with("kbench.sqlite"))
        names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
};

TEST_F(BackupTest, TheCopyIsOneFileHasTheRunsAndPassesCheck) {
  add({.id = "aa"});
  const auto bytes = back_up(file_, copy_);
  ASSERT_TRUE(bytes.ok()) << bytes.error().message;
  EXPECT_EQ(*bytes, std::filesystem::file_size(copy_));
  for (const char* suffix : {"-wal", "-shm", "-journal"})
    EXPECT_FALSE(std::filesystem::exists(copy_.string() + suffix)) << suffix;
  EXPECT_TRUE(check_database(copy_, {.key = test::test_key(), .progress = {}})->sound());
  EXPECT_EQ(chain_of(copy_, "aa"), "holds");
}

TEST_F(BackupTest, NothingIsOverwrittenAndNothingIsLeftBehind) {
  add({.id = "aa"});
  std::ofstream(copy_) << "mine";
  const auto refused = back_up(file_, copy_);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  EXPECT_THAT(refused.error().message, HasSubstr("exists already"));
  EXPECT_EQ(test::bytes_of_file(copy_), "mine");
  EXPECT_THAT(files_of_the_copy(), ElementsAre("copy.sqlite"));
}

TEST_F(BackupTest, ASideFileOfTheCopyIsNotTakenForItsOwn) {
  add({.id = "aa"});
  std::ofstream(copy_.string() + "-wal") << "of something else";
  EXPECT_FALSE(back_up(file_, copy_).ok());
}

// A run writes all the while, from another process.
TEST_F(BackupTest, WhileARunWritesTheCopyIsOfOneMoment) {
  add({.id = "aa", .rows = 1, .finished = false});
  const pid_t writer = test::start_child([&] {
    auto store = Store::open(file_, Store::Mode::kReadWrite);
    if (!store) return 1;
    store->use(test::test_key());
    for (int row = 1; row < 400; ++row)
      if (!store->add(test::make_evaluation("aa", row, 60))) return 2;
    return 0;
  });
  int copies = 0;
  for (; copies < 4; ++copies) {
    const auto to = folder_ / ("copy" + std::to_string(copies));
    const auto done = back_up(file_, to);
    ASSERT_TRUE(done.ok()) << done.error().message;
    EXPECT_TRUE(check_database(to, {.key = test::test_key(), .progress = {}})->sound());
  }
  EXPECT_EQ(test::wait_for(writer), 0) << "a copy kept the run from writing";
}

TEST_F(BackupTest, ADamagedDatabaseIsNotCopied) {
  add({.id = "aa", .samples = 300});
  checkpoint();
  test::overwrite(file_, std::filesystem::file_size(file_) - kPage, std::string(kPage, '\0'));
  const auto refused = back_up(file_, copy_);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("damaged"));
  EXPECT_THAT(refused.error().hint, HasSubstr("salvage"));
  EXPECT_FALSE(std::filesystem::exists(copy_));
}

TEST_F(BackupTest, ADamagedSourceIsNotCopied) {
  test::add_run_with_sources(file_, "aa");
  test::flip_a_bit(file_, test::source_text("aa", 0));
  const auto refused = back_up(file_, copy_);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kBadInput);
  EXPECT_THAT(refused.error().message, HasSubstr(test::kIsAnother));
  EXPECT_FALSE(std::filesystem::exists(copy_));
}

TEST_F(BackupTest, AFileCutByOneByteIsNotCopied) {
  add({.id = "aa"});
  checkpoint();
  std::filesystem::resize_file(file_, std::filesystem::file_size(file_) - 1);
  const auto refused = back_up(file_, copy_);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("its end is cut off"));
  EXPECT_THAT(refused.error().hint, HasSubstr("salvage"));
  EXPECT_FALSE(std::filesystem::exists(copy_));
}

}  // namespace
}  // namespace kbench
