#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/core/sha256.hpp"
#include "runner/exchange/examination.hpp"
#include "runner/exchange/exchange.hpp"
#include "tests/unit/key_race.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace kbench::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class ExaminationTest : public ::testing::Test {
 protected:
  ExaminationTest() { EXPECT_TRUE(space_.keys().claim(sha256("key"), run_number(1)).ok()); }

  std::vector<std::string> findings() {
    const auto examined = examine_exchange(shared_, pool_, calls_);
    if (!examined) return {examined.error().message};
    std::vector<std::string> words;
    for (const ExchangeFinding& finding : examined->findings) {
      words.push_back(finding.what);
      EXPECT_THAT(finding.then, Not(IsEmpty())) << finding.what;
    }
    return words;
  }

  static void age(const fs::path& file, std::chrono::seconds by) {
    struct stat facts {};
    ASSERT_EQ(::lstat(file.c_str(), &facts), 0);
    facts.st_mtim.tv_sec -= by.count();
    const timespec times[2] = {facts.st_mtim, facts.st_mtim};
    ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, AT_SYMLINK_NOFOLLOW), 0);
  }

  // Everything below, and the folder itself.
  static void age_all(const fs::path& folder, std::chrono::seconds by) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) age(entry.path(), by);
    age(folder, by);
  }

  TemporaryFolder folder_;
  fs::path shared_ = folder_ / "shared";
  PoolKey pool_ = pool_key_of(std::string(32, 'p'));
  PoolKey other_ = pool_key_of(std::string(32, 'x'));
  Exchange exchange_ = Exchange::make(shared_, pool_).value();
  ExchangeSpace space_ = exchange_.space("group");
  FolderCalls calls_ = system_calls();
};

TEST_F(ExaminationTest, NothingIsWrongWithASoundOne) {
  ASSERT_TRUE(exchange_.cache(kCachedPackages).put(sha256("p"), {{"a", "b"}}).ok());
  ASSERT_TRUE(space_.put_run(run_number(1), folder_.write("run", "x")).ok());
  EXPECT_THAT(findings(), IsEmpty());
  const auto examined = examine_exchange(shared_, pool_, calls_);
  EXPECT_EQ(examined->spaces, 1U);
  EXPECT_EQ(examined->runs, 1U);
  EXPECT_EQ(examined->keys, 1U);
  EXPECT_EQ(examined->entries, 1U);
  for (const auto& entry : fs::directory_iterator(shared_))
    EXPECT_THAT(entry.path().string(), Not(HasSubstr("draft")));
}

TEST_F(ExaminationTest, AnotherPoolsKeyIsFound) {
  pool_ = other_;
  EXPECT_THAT(findings(), ElementsAre(HasSubstr("is an exchange of another pool")));
}

TEST_F(ExaminationTest, AFolderThatIsNoExchangeIsFound) {
  fs::remove(shared_ / "pool");
  EXPECT_THAT(findings(), ElementsAre(HasSubstr("is no exchange")));
  fs::remove_all(shared_);
  EXPECT_THAT(findings(), ElementsAre(HasSubstr("is no folder")));
}

TEST_F(ExaminationTest, ACacheThatIsNotOursIsFound) {
  const CacheEntries theirs(shared_ / "cache", kCachedPackages, other_);
  ASSERT_TRUE(theirs.put(sha256("p"), {{"a", "b"}}).ok());
  folder_.write("shared/cache/submissions/notes", "x");
  EXPECT_THAT(findings(),
              ElementsAre(AllOf(HasSubstr("cache/submissions/notes"), HasSubstr("nobody of this")),
                          AllOf(HasSubstr(sha256("p")), HasSubstr("nobody of this pool signed"))));
}

TEST_F(ExaminationTest, AKeyThatIsNotOursIsFound) {
  const KeyLinks theirs(shared_ / "group/keys", "group", other_);
  ASSERT_TRUE(theirs.claim(sha256("other"), run_number(2)).ok());
  EXPECT_THAT(findings(), ElementsAre(HasSubstr("it withholds that key")));
}

TEST_F(ExaminationTest, HalfWrittenFilesAreFoundOnceTheyAreOld) {
  const std::vector<fs::path> drafts = {folder_.write("shared/.draft-a", "x"),
                                        folder_.write("shared/cache/packages/.draft-b", "x"),
                                        folder_.write("shared/group/runs/.draft-c", "x"),
                                        folder_.write("shared/group/keys/ab/.draft-d", "x")};
  EXPECT_THAT(findings(), IsEmpty()) << "their writers may be at work";
  for (const fs::path& draft : drafts) age(draft, std::chrono::minutes{5});
  EXPECT_THAT(findings(), SizeIs(4));
  EXPECT_THAT(findings().front(), HasSubstr("half written"));
}

TEST_F(ExaminationTest, AClockThatIsAnHourOffIsFound) {
  for (const std::chrono::hours off : {std::chrono::hours{1}, std::chrono::hours{-1}}) {
    calls_.now = [off] { return std::chrono::system_clock::now() + off; };
    EXPECT_THAT(findings(), ElementsAre(HasSubstr("differ by 3")));
  }
}

TEST_F(ExaminationTest, AFileSystemWithoutLinksIsFound) {
  calls_.link = [](const char*, const char*) { return errno = EPERM, -1; };
  EXPECT_THAT(findings(), ElementsAre(HasSubstr("makes no links")));
}

TEST_F(ExaminationTest, AFileSystemWithoutLocksIsFound) {
  calls_.lock = [](int, int) { return errno = ENOLCK, -1; };
  EXPECT_THAT(findings(), ElementsAre(HasSubstr("takes no locks")));
}

TEST_F(ExaminationTest, PruneRemovesWhatNobodySignedAndOldDrafts) {
  const CacheEntries theirs(shared_ / "cache", kCachedPackages, other_);
  ASSERT_TRUE(theirs.put(sha256("p"), {{"a", "b"}}).ok());
  ASSERT_TRUE(exchange_.cache(kCachedPackages).put(sha256("q"), {{"a", "b"}}).ok());
  const KeyLinks their_keys(shared_ / "group/keys", "group", other_);
  ASSERT_TRUE(their_keys.claim(sha256("other"), run_number(2)).ok());
  age(folder_.write("shared/group/runs/.draft-c", "xyz"), std::chrono::hours{2});
  age(folder_.write("shared/group/runs/.draft-d", "x"), std::chrono::minutes{30});
  EXPECT_THAT(prune_exchange(shared_, pool_, {.dry_run = true})->removed, SizeIs(3));
  const auto pruned = prune_exchange(shared_, pool_, {});
  ASSERT_TRUE(pruned.ok());
  EXPECT_THAT(pruned->removed, SizeIs(3));
  EXPECT_GT(pruned->bytes, 3U);
  EXPECT_THAT(prune_exchange(shared_, pool_, {})->removed, IsEmpty());
  EXPECT_TRUE(fs::exists(shared_ / "group/runs/.draft-d"));
  EXPECT_TRUE(exchange_.cache(kCachedPackages).find(sha256("q")));
  EXPECT_EQ(space_.keys().find(sha256("key")), run_number(1));
  EXPECT_EQ(*space_.keys().claim(sha256("other"), run_number(3)), run_number(3));
}

TEST_F(ExaminationTest, PruneRemovesWholeSpacesByAge) {
  const auto later = exchange_.space("later");
  ASSERT_TRUE(later.keys().claim(sha256("key"), run_number(2)).ok());
  age_all(shared_ / "group", std::chrono::hours{50});
  EXPECT_THAT(prune_exchange(shared_, pool_, {.keep_days = 3})->removed, IsEmpty());
  EXPECT_THAT(prune_exchange(shared_, pool_, {.keep_days = 2})->removed, SizeIs(1));
  EXPECT_FALSE(fs::exists(shared_ / "group"));
  EXPECT_EQ(later.keys().find(sha256("key")), run_number(2));
  EXPECT_TRUE(Exchange::open(shared_, pool_).ok());
}

TEST_F(ExaminationTest, PruneRemovesCompiledSubmissionsByAge) {
  const CacheEntries compiled = exchange_.cache(kCachedSubmissions);
  ASSERT_TRUE(compiled.put(sha256("old"), {{"a", "b"}}).ok());
  ASSERT_TRUE(compiled.put(sha256("new"), {{"a", "b"}}).ok());
  age(compiled.file_of(sha256("old")), std::chrono::hours{50});
  EXPECT_THAT(prune_exchange(shared_, pool_, {})->removed, IsEmpty());
  EXPECT_THAT(prune_exchange(shared_, pool_, {.keep_days = 3})->removed, IsEmpty());
  EXPECT_THAT(prune_exchange(shared_, pool_, {.keep_days = 2})->removed, SizeIs(1));
  EXPECT_FALSE(compiled.find(sha256("old")));
  EXPECT_TRUE(compiled.find(sha256("new")));
}

TEST_F(ExaminationTest, AnotherPoolPrunesNothing) {
  EXPECT_EQ(prune_exchange(shared_, other_, {}).error().code, ErrorCode::kUsage);
}

// A neighbour who may write here, and has no key of the pool, points each folder on the way at one
// of the victim's.
class LinkedFolderTest : public ExaminationTest {
 protected:
  LinkedFolderTest() {
    folder_.write("victim/precious.txt", "x");
    folder_.write("victim/packages/old", "x");
    folder_.write("victim/runs/.draft-x", "x");
    folder_.write("victim/keys/ab/key", "x");
    age_all(victim_, std::chrono::hours{24 * 365});
    before_ = files_of_victim();
  }

  // `place` below the exchange becomes a link to the victim's folder.
  fs::path link(const std::string& place) {
    const fs::path there = shared_ / place;
    fs::remove_all(there);
    fs::create_directories(there.parent_path());
    fs::create_directory_symlink(victim_, there);
    return there;
  }
  std::vector<std::string> files_of_victim() const {
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(victim_))
      files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    return files;
  }

  fs::path victim_ = folder_ / "victim";
  std::vector<std::string> before_;
};

TEST_F(LinkedFolderTest, CheckNamesTheLinkAndPruneRemovesNothingButIt) {
  for (const char* place :
       {"cache", "cache/packages", "group", "group/runs", "group/keys", "group/keys/zz", "other"}) {
    const fs::path there = link(place);
    EXPECT_THAT(findings(), Contains(AllOf(HasSubstr(there.string()), HasSubstr("is a link"))))
        << place;
    EXPECT_TRUE(prune_exchange(shared_, pool_, {.keep_days = 1, .dry_run = true}).ok());
    EXPECT_TRUE(fs::is_symlink(there)) << place;
    EXPECT_THAT(prune_exchange(shared_, pool_, {.keep_days = 1})->removed,
                Contains(AllOf(HasSubstr(there.string()), HasSubstr("a link"))))
        << place;
    EXPECT_EQ(files_of_victim(), before_) << place;
    EXPECT_FALSE(fs::is_symlink(there)) << place;
    EXPECT_THAT(findings(), IsEmpty()) << place;
  }
}

// The link comes with the whole old group that prune removes.
TEST_F(LinkedFolderTest, AnOldGroupGoesWithItsLinksAndNotWithWhatTheyPointTo) {
  for (const char* place : {"gone/runs", "gone/keys", "gone/deep/er"}) {
    link(place);
    age(shared_ / place, std::chrono::hours{50});
  }
  age_all(shared_ / "gone", std::chrono::hours{50});
  EXPECT_TRUE(prune_exchange(shared_, pool_, {.keep_days = 2}).ok());
  EXPECT_FALSE(fs::exists(shared_ / "gone"));
  EXPECT_EQ(files_of_victim(), before_);
}

TEST_F(LinkedFolderTest, NothingIsWrittenOrReadThroughALink) {
  const fs::path run = folder_.write("run", "x");
  for (const char* place : {"group", "group/runs"}) {
    link(place);
    const Status put = space_.put_run(run_number(1), run);
    ASSERT_FALSE(put.ok()) << place;
    EXPECT_EQ(put.error().code, ErrorCode::kBadInput);
    EXPECT_THAT(put.error().message, HasSubstr((shared_ / place).string() + " is a link"));
    EXPECT_THAT(put.error().hint, HasSubstr("kbench exchange prune"));
    EXPECT_FALSE(space_.agree("terms").ok()) << place;
    EXPECT_THAT(space_.runs(), IsEmpty());
    EXPECT_EQ(files_of_victim(), before_) << place;
    fs::remove(shared_ / place);
  }
  const std::string keys = "group/keys";
  for (const std::string& place : {keys, keys + "/" + sha256("k").substr(0, 2)}) {
    link(place);
    EXPECT_EQ(space_.keys().claim(sha256("k"), run_number(1)).error().code, ErrorCode::kBadInput);
    EXPECT_EQ(files_of_victim(), before_) << place;
    fs::remove(shared_ / place);
  }
  for (const char* place : {"cache", "cache/packages"}) {
    link(place);
    EXPECT_EQ(exchange_.cache(kCachedPackages).put(sha256("p"), {{"a", "b"}}).error().code,
              ErrorCode::kBadInput);
    EXPECT_EQ(files_of_victim(), before_) << place;
    fs::remove(shared_ / place);
  }
  EXPECT_TRUE(space_.put_run(run_number(1), run).ok());
}

}  // namespace
}  // namespace kbench::test
