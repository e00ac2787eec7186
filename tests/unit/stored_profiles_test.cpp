// Profiles in a database: what goes in comes out, and what somebody else put there is named.
#include "runner/store/rows/stored_profiles.hpp"

#include <SQLiteCpp/Exception.h>
#include <gmock/gmock.h>
#include <sqlite3.h>

#include "runner/core/source_contents.hpp"
#include "runner/profile/profile.hpp"
#include "runner/store/care/backup.hpp"
#include "runner/store/care/database_check.hpp"
#include "runner/store/care/merge.hpp"
#include "runner/store/care/salvage.hpp"
#include "runner/store/file/passive.hpp"
#include "runner/store/rows/blob_rows.hpp"
#include "runner/store/store.hpp"
#include "tests/unit/damaged_source_fixture.hpp"
#include "tests/unit/profile_fixture.hpp"

namespace kbench {
namespace {

using test::add_run;
using test::call_of;
using test::input_of;
using test::kernel;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kOld = "2026-01-01T00:00:00Z";

StoredProfile stored(const std::string& source_hash = "", const std::string& made_at = kOld,
                     const std::string& task = "level1/019_relu") {
  const ProfileSubject subject{.task = task,
                               .size = "small",
                               .side = source_hash.empty() ? "eager" : "submission",
                               .submission = source_hash.empty() ? "" : "me/relu",
                               .source_hash = source_hash};
  ProfileInput input = input_of({call_of(36, {kernel("relu(float*)", 1, 36)})});
  input.device.kind = DeviceKind::kCpu;
  auto made = to_be_stored(make_profile(subject, input), made_at, "1.2.3");
  EXPECT_TRUE(made.ok()) << made.error().message;
  return std::move(*made);
}

class StoredProfilesTest : public test::DatabaseTest {
 protected:
  void keep(const StoredProfile& profile) {
    const Status kept = keep_profile(file_, profile);
    ASSERT_TRUE(kept.ok()) << kept.error().message;
  }
  ProfileRows rows(const std::filesystem::path& file) {
    auto read = stored_profiles(file);
    EXPECT_TRUE(read.ok()) << read.error().message;
    return read ? std::move(*read) : ProfileRows{};
  }
  // Forges as somebody does who has SQLite and no scruples.
  void forge(const std::string& sql) {
    tamper("DROP TRIGGER profile_stays; " + sql +
           "; CREATE TRIGGER profile_stays BEFORE UPDATE ON profile\n"
           "BEGIN SELECT RAISE(ABORT, 'a profile is never changed'); END");
  }
};

TEST_F(StoredProfilesTest, WhatGoesInComesOut) {
  const StoredProfile in = stored("abcd");
  keep(in);
  const ProfileRows out = rows(file_);
  ASSERT_EQ(out.profiles.size(), 1u);
  const StoredProfile& profile = out.profiles[0];
  EXPECT_EQ(profile.id, in.id);
  EXPECT_EQ(profile.json, in.json);
  EXPECT_EQ(profile.source_hash, "abcd");
  EXPECT_EQ(profile.made_at, kOld);
  EXPECT_EQ(profile.record.task, "level1/019_relu");
  EXPECT_EQ(profile.record.subject(), "submission me/relu");
  EXPECT_EQ(profile.record.verdict, "memory_near_limit");
  EXPECT_EQ(profile.record.kernels.at(0).name, "relu(float*)");
  EXPECT_EQ(profile.record.kernels.at(0).grid[0], 4096);
  EXPECT_DOUBLE_EQ(profile.record.fact("call_us").value(), 36);
}

TEST_F(StoredProfilesTest, OneOfTheFirstVersionIsStillRead) {
  StoredProfile first = stored("abcd");
  Json json = Json::parse(first.json);
  EXPECT_EQ(json.at("schema_version"), kProfileSchemaVersion);
  json["schema_version"] = 1;
  first.json = json.dump();
  first.id = profile_id(first);
  keep(first);
  EXPECT_EQ(rows(file_).profiles.size(), 1u);
}

TEST_F(StoredProfilesTest, TheSameTwiceIsOneAndATaskHasItsOwn) {
  keep(stored());
  keep(stored());
  keep(stored("", kOld, "level1/020_leakyrelu"));
  EXPECT_EQ(rows(file_).profiles.size(), 2u);
  EXPECT_EQ(stored_profiles(file_, "level1/020_leakyrelu")->profiles.size(), 1u);
}

TEST_F(StoredProfilesTest, IsFoundByTheStartOfItsId) {
  const StoredProfile profile = stored();
  keep(profile);
  EXPECT_EQ(find_profile(file_, profile.id.substr(0, 12))->id, profile.id);
  EXPECT_EQ(find_profile(file_, "nothing").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(find_profile(file_, "").error().code, ErrorCode::kNotFound);
}

TEST_F(StoredProfilesTest, OneThatWasChangedIsNamedAndNotShown) {
  keep(stored());
  keep(stored("abcd"));
  forge(
      "UPDATE profile SET content = replace(content, 'near the limit', 'at its best') "
      "WHERE number = 1");
  const ProfileRows read = rows(file_);
  EXPECT_EQ(read.profiles.size(), 1u);
  EXPECT_THAT(read.malformed, ElementsAre(HasSubstr("profile 1: it is not what its id says")));
  const auto check = check_database(file_, {.key = test::test_key(), .progress = {}});
  ASSERT_TRUE(check.ok());
  EXPECT_EQ(check->profiles, 1u);
  EXPECT_THAT(check->wrong, ElementsAre(HasSubstr("profile 1")));
}

// A forger who makes the id anew is held by what a profile can say.
TEST_F(StoredProfilesTest, ContentThatNoProfileHasIsNamed) {
  const StoredProfile sound = stored();
  const Json json = Json::parse(sound.json);
  const auto with = [&](const std::function<void(Json&)>& change) {
    StoredProfile forged = sound;
    Json changed = json;
    change(changed);
    forged.json = changed.dump();
    forged.id = profile_id(forged);
    return forged;
  };
  const std::vector<std::pair<StoredProfile, std::string>> forged = {
      {with([](Json& one) { one["verdict"] = 7; }), "its verdict is no text"},
      {with([](Json& one) { one["facts"]["call_us"] = -1; }), "call_us is negative"},
      {with([](Json& one) { one["facts"]["call_us"] = nullptr; }), "call_us is no number"},
      {with([](Json& one) { one["kernels"][0]["us"] = 1e300; }), "longer than any call"},
      {with([](Json& one) {
         one["kernels"][0]["grid"] = {1, 2};
       }),
       "grid has not three parts"},
      {with([](Json& one) { one["kernels"] = Json::array_t(1000, one["kernels"][0]); }),
       "kernels has more entries"},
      {with([](Json& one) { one["evidence"] = std::string(5000, 'x'); }), "evidence is too long"},
      {with([](Json& one) { one.erase("missing"); }), "missing is not there"},
      {with([](Json& one) { one["schema_version"] = 9; }), "none that this kbench knows"},
      {with([](Json& one) { one["schema_version"] = 0; }), "none that this kbench knows"},
      {with([](Json& one) { one["verdict"] = "as_fast_as_can_be"; }), "verdict is none that"},
      {with([](Json& one) { one["suggestions"][0]["verdict"] = "perfect"; }),
       "verdict is none that"},
      {with([](Json& one) { one["verdict"] = "launch_bound"; }),
       "does not go with its suggestions"},
      {with([](Json& one) { one["suggestions"] = Json::array_t(4, one["suggestions"][0]); }),
       "suggestions has more entries"},
      {with([](Json& one) { one["suggestions"][0]["saves_us"] = 1e13; }), "longer than any call"},
      {with([](Json& one) { one["side"] = "library"; }), "its side is none that there is"},
      {with([](Json& one) { one["submission"] = "eager"; }), "does not go with its side"},
      {with([](Json& one) { one["side"] = "submission"; }), "does not go with its side"},
      {with([](Json& one) { one["facts"]["call_us"] = 1e13; }), "call_us is longer than any call"},
      {with([](Json& one) { one["facts"]["call_us"] = 35; }), "call_us is that of no call"},
      {with([](Json& one) { one["facts"]["dram_ratio"] = 1e13; }), "dram_ratio is larger than"},
      {with([](Json& one) { one["facts"]["dram_bytes"] = 1e16; }), "dram_bytes is larger than"},
      {with([](Json& one) { one["calls_us"][0] = 1e13; }), "longer than any call"},
      {with([](Json& one) { one["task"] = std::string(300, 'x'); }), "task is too long"},
      {with([](Json& one) { one["device"] = std::string(300, 'x'); }), "device is too long"},
      {with([](Json& one) { one["more_kernels"] = -1; }), "more_kernels is no count"},
      {with([](Json& one) { one["cautions"] = {7}; }), "cautions holds something that is no line"},
      {with([](Json& one) { one = Json::array(); }), "no object"},
      {with([](Json& one) {
         for (int depth = 0; depth < 100; ++depth) one = {{"facts", one}};
       }),
       "no profile"},
  };
  for (const auto& [profile, why] : forged) keep(profile);
  const ProfileRows read = rows(file_);
  EXPECT_THAT(read.profiles, IsEmpty());
  ASSERT_EQ(read.malformed.size(), forged.size());
  for (std::size_t i = 0; i < forged.size(); ++i)
    EXPECT_THAT(read.malformed[i], HasSubstr(forged[i].second));
}

// Was shown as it stood there.
TEST_F(StoredProfilesTest, ForgedSentencesAreThoseOfTheRule) {
  StoredProfile forged = stored("abcd");
  Json json = Json::parse(forged.json);
  json["evidence"] = "nobody was ever faster";
  for (const char* sentence : {"title", "evidence", "wrong_if", "suggestion"})
    json["suggestions"][0][sentence] = "nobody was ever faster";
  json["suggestions"][0]["saves_us"] = 1e9;
  forged.json = json.dump();
  forged.id = profile_id(forged);
  keep(forged);
  const ProfileRows read = rows(file_);
  ASSERT_EQ(read.profiles.size(), 1u);
  const ProfileRecord& record = read.profiles[0].record;
  EXPECT_EQ(record.title(), "memory-bound near the limit");
  EXPECT_THAT(record.evidence, HasSubstr("the call takes 36 us"));
  const ProfileFinding& first = record.suggestions.at(0);
  EXPECT_EQ(first.suggestion, "leave it: at most 6 us are left");
  EXPECT_THAT(first.wrong_if, HasSubstr("below 30 us"));
  EXPECT_DOUBLE_EQ(first.saves_us, 6);
}

TEST_F(StoredProfilesTest, ASourceOfABaselineAndATimeToComeAreNamed) {
  StoredProfile baseline = stored();
  baseline.source_hash = "abcd";
  StoredProfile nobodys = stored("abcd");
  nobodys.source_hash = "";
  for (StoredProfile* forged : {&baseline, &nobodys}) {
    forged->id = profile_id(*forged);
    keep(*forged);
  }
  keep(stored("", "2999-01-01T00:00:00Z"));
  EXPECT_THAT(rows(file_).malformed, ElementsAre(HasSubstr("its source does not go with its side"),
                                                 HasSubstr("its source does not go with its side"),
                                                 HasSubstr("it was made in the future")));
}

TEST_F(StoredProfilesTest, ARowOfAnotherTaskThanItsContentIsNamed) {
  keep(stored());
  forge("UPDATE profile SET task = 'level1/020_leakyrelu'");
  EXPECT_THAT(rows(file_).malformed, ElementsAre(HasSubstr("something else than its row says")));
}

TEST_F(StoredProfilesTest, AreNeverChanged) {
  keep(stored());
  EXPECT_THROW(tamper("UPDATE profile SET content = '{}'"), SQLite::Exception);
}

TEST_F(StoredProfilesTest, MergeTakesThemOnceAndNamesThoseThatAreNone) {
  const auto other = folder_ / "other.sqlite";
  keep(stored());
  keep(stored("abcd"));
  forge("UPDATE profile SET version = 'x' WHERE number = 2");
  const MergeRequest request{
      .into = other, .from = {file_}, .key = test::test_key(), .progress = {}};
  auto merged = merge_databases(request);
  ASSERT_TRUE(merged.ok()) << merged.error().message;
  EXPECT_EQ(merged->profiles, 1);
  EXPECT_EQ(merged->there_profiles, 0);
  EXPECT_EQ(merged->refused_profiles, 1);
  EXPECT_THAT(merged->notes, Contains(HasSubstr("profile 2")));
  const auto again = merge_databases(request);
  EXPECT_EQ(again->profiles, 0);
  EXPECT_EQ(again->there_profiles, 1);
  EXPECT_EQ(rows(other).profiles.size(), 1u);
}

TEST_F(StoredProfilesTest, SalvageSavesThem) {
  add_run(file_, {.id = "aa"});
  keep(stored());
  keep(stored("abcd"));
  forge("UPDATE profile SET version = 'x' WHERE number = 2");
  const auto saved = salvage(file_, folder_ / "saved.sqlite", test::test_key());
  ASSERT_TRUE(saved.ok()) << saved.error().message;
  EXPECT_THAT(saved->notes, Contains(HasSubstr("profile 2")));
  EXPECT_EQ(rows(folder_ / "saved.sqlite").profiles.size(), 1u);
}

// Was thrown away with the new file, since no run was saved.
TEST_F(StoredProfilesTest, SalvageSavesThemWithoutARun) {
  keep(stored());
  const auto saved = salvage(file_, folder_ / "saved.sqlite", test::test_key());
  ASSERT_TRUE(saved.ok()) << saved.error().message;
  EXPECT_EQ(saved->profiles, 1u);
  EXPECT_EQ(rows(folder_ / "saved.sqlite").profiles.size(), 1u);
}

TEST_F(StoredProfilesTest, APlaceThatKeepsNoneIsRefusedBeforeOneIsMade) {
  EXPECT_EQ(check_keeps_profiles(folder_ / "nowhere/kept.sqlite").error().code, ErrorCode::kUsage);
  EXPECT_TRUE(check_keeps_profiles(folder_ / "new.sqlite").ok());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "new.sqlite")) << "nothing is made of a question";
  keep(stored());
  EXPECT_TRUE(check_keeps_profiles(file_).ok());
  folder_.write("text.sqlite", "this is no database, but a text that is as long as a header");
  EXPECT_FALSE(check_keeps_profiles(folder_ / "text.sqlite").ok());
}

TEST_F(StoredProfilesTest, ABackupHasThem) {
  add_run(file_, {.id = "aa"});
  keep(stored());
  const auto copied = back_up(file_, folder_ / "copy.sqlite");
  ASSERT_TRUE(copied.ok()) << copied.error().message;
  EXPECT_EQ(rows(folder_ / "copy.sqlite").profiles.size(), 1u);
}

// The rows of the fixture's runs are of level1/019_relu at small on a CPU.
TEST_F(StoredProfilesTest, GoesWithTheLastRowThatItExplains) {
  add_run(file_, {.id = "aa"});
  keep(stored("", kOld));                          // eager: explained by any row of the task
  keep(stored("", kOld, "level1/020_leakyrelu"));  // no row of that task
  keep(stored("ffff", kOld));                      // no row of that source
  keep(stored("ffff", "2026-11-21T13:00:00Z"));    // young
  ProfilePrune prune{.made_before = "2026-08-01T00:00:00Z", .going_runs = {}, .dry_run = true};
  EXPECT_EQ(prune_profiles(file_, prune).value(), 2u);
  prune.going_runs = {"aa"};
  EXPECT_EQ(prune_profiles(file_, prune).value(), 3u);
  EXPECT_EQ(rows(file_).profiles.size(), 4u) << "a dry run removes nothing";
  prune.dry_run = false;
  EXPECT_EQ(prune_profiles(file_, prune).value(), 3u);
  const ProfileRows left = rows(file_);
  ASSERT_EQ(left.profiles.size(), 1u);
  EXPECT_EQ(left.profiles[0].made_at, "2026-11-21T13:00:00Z");
}

// Was removed with the row there, whose file has another name.
TEST_F(StoredProfilesTest, GoesWithTheLastRowOfItsBytesByWhateverName) {
  test::add_run_with_sources(file_, "aa");
  Evaluation row;
  (void)test::add_sources(row, test::source_text("aa", 0));
  const auto source = std::find_if(row.sources.begin(), row.sources.end(),
                                   [](const auto& one) { return one.path.starts_with("src/"); });
  ASSERT_NE(source, row.sources.end());
  source->path = "src/tried" + std::filesystem::path(source->path).extension().string();
  StoredProfile renamed = stored("ffff", kOld);
  Json json = Json::parse(renamed.json);
  json["contents_hash"] = hash_contents(row.sources);
  renamed.json = json.dump();
  renamed.id = profile_id(renamed);
  keep(renamed);
  ProfilePrune prune{.made_before = "2026-08-01T00:00:00Z", .going_runs = {}, .dry_run = true};
  EXPECT_EQ(prune_profiles(file_, prune).value(), 0u);
  prune.going_runs = {"aa"};
  EXPECT_EQ(prune_profiles(file_, prune).value(), 1u);
}

// Each profile read the trees of all rows of its task anew, until the sound file seemed to be one
// whose pages are read in circles.
TEST_F(StoredProfilesTest, ManyOldProfilesAndManyRowsOfOneTaskArePruned) {
  test::add_run_with_sources(file_, "aa");
  StoredProfile old = stored("ffff", kOld);
  Json json = Json::parse(old.json);
  json["contents_hash"] = std::string(64, 'f');
  old.json = json.dump();
  old.id = profile_id(old);
  keep(old);
  tamper(
      "CREATE TABLE many AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE "
      "i < 1200) SELECT i FROM n; "
      "INSERT INTO profile (id, task, size, side, device, source_hash, made_at, version, content) "
      "SELECT id || i, task, size, side, device, source_hash, made_at, version, content FROM "
      "profile, many; "
      "CREATE TABLE one AS SELECT * FROM evaluation LIMIT 1; "
      "UPDATE one SET number = NULL; "
      "CREATE TABLE copies AS SELECT one.*, i FROM one, many; "
      "UPDATE copies SET run_id = 'run' || i, number = 1000 + i; "
      "ALTER TABLE copies DROP COLUMN i; "
      "INSERT INTO evaluation SELECT * FROM copies; "
      "DROP TABLE copies; DROP TABLE one; DROP TABLE many");
  const ProfilePrune prune{
      .made_before = "2026-08-01T00:00:00Z", .going_runs = {}, .dry_run = true};
  const auto gone = prune_profiles(file_, prune);
  ASSERT_TRUE(gone.ok()) << gone.error().message;
  EXPECT_EQ(*gone, 1201u);
}

TEST(WorkBudgetTest, OneThatIsSpentIsNoDamage) {
  WorkBudget budget;
  budget.renew(0);
  try {
    budget.spend(std::uint64_t{1} << 40);
    FAIL() << "nothing was thrown";
  } catch (const SQLite::Exception& exception) {
    EXPECT_FALSE(is_damage(exception));
    EXPECT_EQ(exception.getErrorCode(), SQLITE_CORRUPT);
  }
}

TEST(ToBeStored, AProfileOfManyKernelsKeepsTheLongest) {
  std::vector<Activity> kernels;
  for (int i = 0; i < 3000; ++i)
    kernels.push_back(
        kernel(std::string(399, '"') + std::to_string(i), i * 4, i * 4 + 1 + i * 1e-3));
  const auto made = to_be_stored(
      make_profile({.task = "level1/019_relu", .size = "full", .side = "eager", .submission = {}},
                   input_of({call_of(13'000, kernels)})),
      kOld, "1.2.3");
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_LE(made->json.size(), kLongestProfileJson);
  EXPECT_EQ(made->record.kernels.size(), kMostProfiledKernels);
  EXPECT_EQ(Json::parse(made->json).at("more_kernels"), 3000 - kMostProfiledKernels);
  EXPECT_THAT(made->record.kernels.front().name, HasSubstr("2999"));
}

}  // namespace
}  // namespace kbench
