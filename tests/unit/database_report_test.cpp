// Findings about whole databases as text and JSON, without a database.
#include "reports/formats/database_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/store_fixture.hpp"

namespace kbench {
namespace {

using test::make_run;
using ::testing::HasSubstr;
using ::testing::Not;

CheckedRun checked(const std::string& id, ChainFinding::State chain,
                   std::vector<std::string> wrong = {}) {
  CheckedRun run;
  run.run = make_run(id);
  run.rows = 3;
  run.chain.state = chain;
  run.wrong = std::move(wrong);
  return run;
}

TEST(DatabaseReport, SizesAreInPowersOfAThousand) {
  EXPECT_EQ(size_words(999), "999 bytes");
  EXPECT_EQ(size_words(1000), "1.0 kB");
  EXPECT_EQ(size_words(12'345'678), "12 MB");
  EXPECT_EQ(size_words(5'000'000'000'000'000), "5000 TB");
}

TEST(DatabaseReport, ASoundOneSaysWhatNobodyCanTell) {
  DatabaseCheck check;
  check.runs = {checked("aa", ChainFinding::State::kHolds)};
  EXPECT_EQ(check_words(check, "x.sqlite"), "x.sqlite is sound, with 1 run");
  check.runs.push_back(checked("bb", ChainFinding::State::kUnchained));
  EXPECT_EQ(check_words(check, "x.sqlite"),
            "x.sqlite is sound, with 2 runs; nobody can tell here whether the rows of 1 run were "
            "changed");
}

TEST(DatabaseReport, WhatIsWrongIsCountedAndEachSentenceStands) {
  DatabaseCheck check;
  check.wrong = {"page 7 is \x1b[31mnone"};
  check.runs = {checked("aa", ChainFinding::State::kChanged, {"row 2 was changed"}),
                checked("bb", ChainFinding::State::kHolds)};
  EXPECT_EQ(check_words(check, "x.sqlite"),
            "x.sqlite is not sound: 1 finding in the file, 1 of 2 runs");
  const std::string text = render_check(check, "x.sqlite", {});
  EXPECT_THAT(text, HasSubstr("aa: row 2 was changed\n"));
  EXPECT_THAT(text, HasSubstr("WRONG: 1 finding"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b"))) << "names in a database are anybody's";
  const Json json = check_json(check, "x.sqlite");
  EXPECT_EQ(json.at("sound"), false);
  EXPECT_EQ(json.at("runs").at(0).at("chain"), "changed");
}

TEST(DatabaseReport, PruningSaysWhyOfEachRun) {
  PruneVerdict goes;
  goes.run = make_run("aa");
  goes.goes = true;
  goes.why = "old";
  goes.bytes = 2048;
  PruneVerdict stays;
  stays.run = make_run("bb");
  stays.why = "tagged release";
  const std::string text = render_prune({goes, stays}, {});
  EXPECT_THAT(text, HasSubstr("2.0 kB"));
  EXPECT_THAT(text, HasSubstr("tagged release"));
  const Json json = prune_json({goes, stays}, 2, true);
  EXPECT_EQ(json.at("dry_run"), true);
  EXPECT_EQ(json.at("runs").at(0).at("bytes"), 2048);
  EXPECT_TRUE(json.at("runs").at(1).at("bytes").is_null());
}

TEST(DatabaseReport, LossesStandBesideWhatWasSaved) {
  Salvaged salvaged;
  SavedRun saved;
  saved.run = make_run("aa");
  saved.rows = 1;
  salvaged.saved = {saved};
  salvaged.lost = {{"bb", "2026-11-21T13:00:00Z", "a row is missing"}};
  salvaged.notes = {"a source of aa"};
  const std::string text = render_salvaged(salvaged);
  EXPECT_THAT(text, HasSubstr("saved   aa"));
  EXPECT_THAT(text, HasSubstr("1 row, "));
  EXPECT_THAT(text, HasSubstr("lost    bb  2026-11-21 13:00  a row is missing\n"));
  EXPECT_THAT(text, HasSubstr("lost: a source of aa\n"));
  EXPECT_EQ(salvage_words(salvaged, "old.sqlite", "new.sqlite"),
            "1 run saved in new.sqlite, 1 lost");
  salvaged.profiles = 2;
  EXPECT_EQ(salvage_words(salvaged, "old.sqlite", "new.sqlite"),
            "1 run and 2 profiles saved in new.sqlite, 1 lost");
}

TEST(DatabaseReport, AMergeNamesWhatIsToBeLookedAt) {
  MergedRun added;
  added.state = MergedRun::State::kAdded;
  added.run = make_run("aa");
  Merged merged;
  merged.runs = {added};
  EXPECT_EQ(merge_faults(merged), "");
  EXPECT_EQ(merge_words(merged, "all.sqlite"), "1 run added to all.sqlite, 0 there already");
  MergedRun refused = added;
  refused.state = MergedRun::State::kRefused;
  refused.why = "another one is there";
  MergedRun changed = added;
  changed.chain.state = ChainFinding::State::kChanged;
  changed.damaged = {"a source"};
  merged.runs = {added, refused, changed};
  EXPECT_EQ(merge_faults(merged),
            ", 1 refused, 1 changed since they were measured, 1 source damaged");
  merged.profiles = 1;
  EXPECT_EQ(merge_words(merged, "all.sqlite"),
            "2 runs and 1 profile added to all.sqlite, 0 runs and 0 profiles there already" +
                merge_faults(merged));
  EXPECT_THAT(render_merged(refused), HasSubstr("REFUSED  aa"));
  EXPECT_THAT(render_merged(changed), HasSubstr("damaged: a source\n"));
}

}  // namespace
}  // namespace kbench
