// Which profiles stand beside the rows of a page, and what is said of the others.
#include "reports/page/profile_choice.hpp"

#include <functional>

#include <gmock/gmock.h>

#include "runner/core/source_contents.hpp"

namespace kbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kRelu = "level1/019_relu";

// A run on one device, with one row of each submission, by its name.
ReportData run_of(const std::vector<std::string>& submissions,
                  const std::vector<std::string>& tasks = {kRelu}) {
  ReportData data;
  data.run.environment =
      R"({"device": {"kind": "cuda", "name": "NVIDIA H200"}, "torch": "2.11.0"})";
  data.device_name = "NVIDIA H200";
  for (const std::string& task : tasks) {
    for (const std::string& name : submissions) {
      Evaluation row;
      row.task = task;
      row.task_hash = "aa11";
      row.size = "full";
      row.device = "cuda";
      row.precision = "fp32";
      row.submission = SubmissionId{.agent = "me", .name = name, .source_hash = "hash of " + name};
      data.evaluations.push_back(row);
    }
  }
  return data;
}

// A profile that belongs to such a row; without a name, eager's.
StoredProfile profile_of(const std::string& submission,
                         const std::string& made_at = "2026-11-28T12:00:00Z") {
  StoredProfile profile;
  profile.device_kind = "cuda";
  profile.source_hash = submission.empty() ? "" : "hash of " + submission;
  profile.made_at = made_at;
  profile.record.task = kRelu;
  profile.record.task_hash = "aa11";
  profile.record.size = "full";
  profile.record.side = submission.empty() ? "eager" : "submission";
  profile.record.submission = submission;
  profile.record.device = "NVIDIA H200";
  profile.record.precision = "fp32";
  profile.record.torch = "2.11.0";
  return profile;
}

std::vector<std::string> subjects(const PageProfiles& page) {
  std::vector<std::string> found;
  for (const StoredProfile& profile : page.shown) found.push_back(profile.record.subject());
  return found;
}

TEST(ProfileChoice, ProfilesOfTheRowsAreShown) {
  const auto page =
      choose_profiles(run_of({"me/relu.cu"}), {{profile_of("me/relu.cu"), profile_of("")}, {}});
  EXPECT_THAT(subjects(page), ElementsAre("eager", "submission me/relu.cu"));
  EXPECT_THAT(page.left_out, IsEmpty());
}

// Were shown, as were a stranger's sources of the same name.
TEST(ProfileChoice, ProfilesOfAnythingElseAreCountedByWhy) {
  const std::vector<std::pair<std::function<void(StoredProfile&)>, std::string>> others = {
      {[](StoredProfile& one) { one.record.size = "small"; }, "1 of another size"},
      {[](StoredProfile& one) { one.device_kind = "cpu"; }, "1 of another device"},
      {[](StoredProfile& one) { one.record.device = "NVIDIA A100"; }, "1 of another device"},
      {[](StoredProfile& one) { one.record.device = ""; }, "1 of another device"},
      {[](StoredProfile& one) { one.record.task_hash = "bb22"; },
       "1 of another content of the task"},
      {[](StoredProfile& one) { one.record.task_hash = ""; }, "1 of another content of the task"},
      {[](StoredProfile& one) { one.record.precision = "tf32"; }, "1 of another precision class"},
      {[](StoredProfile& one) { one.source_hash = "of an edited file"; },
       "1 of sources that no row is of"},
  };
  for (const auto& [change, why] : others) {
    StoredProfile profile = profile_of("me/relu.cu");
    change(profile);
    const auto page = choose_profiles(run_of({"me/relu.cu"}), {{profile}, {}});
    EXPECT_THAT(page.shown, IsEmpty()) << why;
    EXPECT_THAT(page.left_out, ElementsAre(why));
  }
  StoredProfile eager = profile_of("");
  eager.record.torch = "2.10.0";
  EXPECT_THAT(choose_profiles(run_of({"me/relu.cu"}), {{eager}, {}}).left_out,
              ElementsAre("1 of baselines by another PyTorch"));
}

TEST(ProfileChoice, ARunThatDoesNotSayItsDeviceHasNone) {
  ReportData data = run_of({"me/relu.cu"});
  data.device_name = "";
  EXPECT_THAT(choose_profiles(data, {{profile_of("")}, {}}).left_out,
              ElementsAre("1 of another device"));
}

TEST(ProfileChoice, OtherTasksOfTheDatabaseAreNotOfThisPage) {
  StoredProfile other = profile_of("");
  other.record.task = "level1/020_leakyrelu";
  EXPECT_TRUE(choose_profiles(run_of({"me/relu.cu"}), {{other}, {}}).empty());
}

// Was shown in eager's place, being newer.
TEST(ProfileChoice, ASubmissionThatIsCalledEagerIsBesideEager) {
  const auto page = choose_profiles(
      run_of({"eager"}), {{profile_of(""), profile_of("eager", "2026-11-28T13:00:00Z")}, {}});
  EXPECT_THAT(subjects(page), ElementsAre("eager", "submission eager"));
}

TEST(ProfileChoice, TheSameSourceIsCalledAsItsRowCallsIt) {
  StoredProfile profile = profile_of("me/relu.cu");
  profile.record.submission = "relu.cu";
  const auto page = choose_profiles(run_of({"me/relu.cu"}), {{profile}, {}});
  EXPECT_THAT(subjects(page), ElementsAre("submission me/relu.cu"));
  EXPECT_EQ(page.shown.at(0).record.profiled_as, "") << "the end of a path is no other name";
}

// A run with the row of one file, or of a folder's.
ReportData run_with(std::vector<TreeFile> sources) {
  ReportData data = run_of({"me/level1/019_relu.cu"});
  data.evaluations.front().sources = std::move(sources);
  return data;
}

// A profile of other sources than any row's by their hash with names.
StoredProfile profile_with(const std::vector<TreeFile>& sources,
                           const std::string& submission = "my_relu.cu") {
  StoredProfile profile = profile_of(submission);
  profile.record.contents_hash = hash_contents(sources);
  return profile;
}

// Was not shown: its hash has the name of the file in it.
TEST(ProfileChoice, TheSameBytesUnderAnotherNameBelongToTheRow) {
  const auto page = choose_profiles(run_with({{"src/019_relu.cu", "aa", 7}}),
                                    {{profile_with({{"src/my_relu.cu", "aa", 7}})}, {}});
  EXPECT_THAT(subjects(page), ElementsAre("submission me/level1/019_relu.cu"));
  EXPECT_THAT(page.left_out, IsEmpty());
  ASSERT_EQ(page.shown.size(), 1u);
  EXPECT_EQ(page.shown[0].record.profiled_as, "my_relu.cu");
}

TEST(ProfileChoice, OtherBytesBelongToNoRow) {
  const std::vector<TreeFile> row = {{"include/tile.hpp", "bb", 3}, {"src/019_relu.cu", "aa", 7}};
  const auto shown = [&](const std::vector<TreeFile>& profiled) {
    return choose_profiles(run_with(row), {{profile_with(profiled)}, {}}).shown.size();
  };
  EXPECT_EQ(shown({{"include/tile.hpp", "bb", 3}, {"src/x.cu", "aa", 7}}), 1u);
  EXPECT_EQ(shown({{"include/tile.hpp", "bb", 3}, {"src/x.cu", "ab", 7}}), 0u);
  EXPECT_EQ(shown({{"include/tile.hpp", "cc", 3}, {"src/x.cu", "aa", 7}}), 0u);
  EXPECT_EQ(shown({{"include/other.hpp", "bb", 3}, {"src/x.cu", "aa", 7}}), 0u);
  EXPECT_EQ(shown({{"include/tile.hpp", "bb", 3}, {"src/x.cpp", "aa", 7}}), 0u);
  EXPECT_EQ(shown({{"src/x.cu", "aa", 7}}), 0u);
  EXPECT_EQ(shown({}), 0u);
}

TEST(ProfileChoice, FilesOfAFolderNameEachOther) {
  const auto shown = [](const std::vector<TreeFile>& profiled) {
    return choose_profiles(run_with({{"src/a.cu", "aa", 7}, {"src/b.cu", "bb", 7}}),
                           {{profile_with(profiled)}, {}})
        .shown.size();
  };
  EXPECT_EQ(shown({{"src/a.cu", "aa", 7}, {"src/b.cu", "bb", 7}}), 1u);
  EXPECT_EQ(shown({{"src/a.cu", "bb", 7}, {"src/b.cu", "aa", 7}}), 0u);
  EXPECT_EQ(shown({{"src/a.cu", "aa", 7}, {"src/c.cu", "bb", 7}}), 0u);
}

TEST(ProfileChoice, WithoutContentsTheHashWithNamesDecides) {
  const auto shown = [](std::vector<TreeFile> row, const StoredProfile& profile) {
    return choose_profiles(run_with(std::move(row)), {{profile}, {}}).shown.size();
  };
  const std::vector<TreeFile> file = {{"src/019_relu.cu", "aa", 7}};
  EXPECT_EQ(shown(file, profile_of("me/level1/019_relu.cu")), 1u) << "an earlier profile";
  EXPECT_EQ(shown(file, profile_of("my_relu.cu")), 0u) << "and one of another name";
  EXPECT_EQ(shown({}, profile_with(file, "me/level1/019_relu.cu")), 1u) << "no sources were kept";
  EXPECT_EQ(shown({}, profile_with({}, "my_relu.cu")), 0u) << "nothing is not the same as nothing";
}

// A run of several agents may have the same file twice.
TEST(ProfileChoice, OfRowsWithTheSameBytesTheOneOfItsNameHasIt) {
  ReportData data = run_of({"me/relu.cu", "you/relu.cu"});
  for (Evaluation& row : data.evaluations) row.sources = {{"src/relu.cu", "aa", 7}};
  const auto page =
      choose_profiles(data, {{profile_with({{"src/relu.cu", "aa", 7}}, "you/relu.cu")}, {}});
  EXPECT_THAT(subjects(page), ElementsAre("submission you/relu.cu"));
  EXPECT_EQ(page.shown.at(0).record.profiled_as, "");
  const auto third =
      choose_profiles(data, {{profile_with({{"src/relu.cu", "aa", 7}}, "third/relu.cu")}, {}});
  EXPECT_THAT(subjects(third), ElementsAre("submission me/relu.cu"));
  EXPECT_EQ(third.shown.at(0).record.profiled_as, "third/relu.cu") << "another agent";
}

TEST(ProfileChoice, OfTwoNamesOfTheSameBytesTheNewestIsShown) {
  StoredProfile older = profile_with({{"src/my_relu.cu", "aa", 7}});
  StoredProfile newer = profile_with({{"src/tried.cu", "aa", 7}}, "tried.cu");
  newer.made_at = "2026-11-28T13:00:00Z";
  const auto page = choose_profiles(run_with({{"src/019_relu.cu", "aa", 7}}), {{newer, older}, {}});
  ASSERT_EQ(page.shown.size(), 1u);
  EXPECT_EQ(page.shown[0].record.profiled_as, "tried.cu");
  EXPECT_THAT(page.left_out, ElementsAre("1 older than one that is there"));
}

TEST(ProfileChoice, TheNewestOfEachIsShown) {
  StoredProfile newest = profile_of("", "2026-11-28T13:00:00Z");
  newest.version = "newest";
  const auto page = choose_profiles(run_of({"me/relu.cu"}),
                                    {{newest, profile_of("", "2026-11-27T12:00:00Z")}, {}});
  ASSERT_EQ(page.shown.size(), 1u);
  EXPECT_EQ(page.shown[0].version, "newest");
  EXPECT_THAT(page.left_out, ElementsAre("1 older than one that is there"));
}

TEST(ProfileChoice, UnsoundOnesAreCounted) {
  const auto page =
      choose_profiles(run_of({"me/relu.cu"}), {{}, {"profile 1: changed", "profile 2: changed"}});
  EXPECT_THAT(page.left_out, ElementsAre(HasSubstr("2 unsound")));
}

TEST(ProfileChoice, RunsThatStandBesideItHaveTheirs) {
  ReportData data = run_of({"me/relu.cu"});
  ReportData other = run_of({"you/relu.cu"});
  other.device_name = "NVIDIA A100";
  data.beside.push_back(other);
  StoredProfile yours = profile_of("you/relu.cu");
  EXPECT_THAT(choose_profiles(data, {{yours}, {}}).shown, IsEmpty()) << "that device is another";
  yours.record.device = "NVIDIA A100";
  EXPECT_THAT(subjects(choose_profiles(data, {{yours}, {}})),
              ElementsAre("submission you/relu.cu"));
}

// Was filled by the first task alone, and nobody was told.
TEST(ProfileChoice, EachTaskHasItsTurnAndTheFarthestFromTheLimitIsFirst) {
  std::vector<std::string> names;
  std::vector<StoredProfile> profiles;
  for (int i = 0; i < 60; ++i) {
    names.push_back("me/" + std::to_string(i));
    profiles.push_back(profile_of(names.back()));
    profiles.back().record.facts["limit_percent"] = i + 1;
  }
  profiles.push_back(profile_of(""));
  profiles.back().record.task = "level1/020_leakyrelu";
  profiles.back().record.facts["limit_percent"] = 99;
  const auto page = choose_profiles(run_of(names, {kRelu, "level1/020_leakyrelu"}), {profiles, {}});
  ASSERT_EQ(page.shown.size(), kMostPageProfiles);
  EXPECT_EQ(page.shown.back().record.task, "level1/020_leakyrelu");
  double farthest = 0;
  for (std::size_t i = 0; i + 1 < page.shown.size(); ++i)
    farthest = std::max(farthest, page.shown[i].record.facts.at("limit_percent"));
  EXPECT_EQ(farthest, 39) << "the 39 that have most to win";
  EXPECT_THAT(page.left_out, ElementsAre("21 more than this page has room for"));
}

}  // namespace
}  // namespace kbench
