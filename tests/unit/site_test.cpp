#include "reports/page/site.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/formats_fixture.hpp"

namespace kbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Site, ATaskKeepsItsName) {
  EXPECT_EQ(site_path("level1/019_relu"), "tasks/level1/019_relu.html");
}

TEST(Site, NoNameLeadsOutOfTheFolder) {
  std::set<std::string> paths;
  const std::string names[] = {"../../etc/passwd",
                               "..",
                               "/etc/passwd",
                               "a/../b",
                               "a/.hidden",
                               "",
                               "a/",
                               "a//b",
                               "<img>",
                               "a b",
                               "a\nb",
                               "ä",
                               std::string(5000, 'w'),
                               std::string("a\0b", 3),
                               "a/b/c",
                               "a_b"};
  for (const std::string& name : names) {
    const std::string path = site_path(name);
    EXPECT_THAT(path, StartsWith("tasks/"));
    EXPECT_THAT(path, Not(HasSubstr("/.")));
    EXPECT_THAT(path, Not(HasSubstr("..")));
    EXPECT_LT(path.size(), 160U);
    EXPECT_EQ(
        path.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "._-/"),
        path.npos)
        << path;
    EXPECT_TRUE(paths.insert(path).second) << "two tasks in one file: " << path;
  }
}

TEST(Site, AManifestListsWhatMayBeRemoved) {
  const std::vector<SiteFile> files = {{"tasks/level1/019_relu.html", ""},
                                       {site_path("<img>"), ""},
                                       {"kbench.css", ""},
                                       {"index.html", ""}};
  const auto listed = task_files_of(site_manifest(files));
  ASSERT_TRUE(listed.has_value());
  EXPECT_THAT(*listed, ElementsAre("tasks/level1/019_relu.html", site_path("<img>")));
}

TEST(Site, WhatIsNoManifestIsNone) {
  for (const char* text : {"", "{", "[]", "{}", R"({"made_by": "me", "files": []})",
                           R"({"made_by": "kbench report html --site"})",
                           R"({"made_by": "kbench report html --site", "files": 3})"})
    EXPECT_FALSE(task_files_of(text).has_value()) << text;
}

TEST(Site, AForeignManifestNamesNothingElse) {
  const auto listed = task_files_of(
      R"({"made_by": "kbench report html --site", "files": ["../x.html", "tasks/../../x.html",
          "/x.html", "x.html", "tasks/a/b/c.html", 3, "tasks/.html", "tasks/a/.html"]})");
  ASSERT_TRUE(listed.has_value());
  EXPECT_THAT(*listed, ElementsAre());
}

TEST(Site, EachTaskHasItsRowsAndNoOther) {
  const ReportData data = test::make_formats_data();
  const auto files = render_site(data);
  std::set<std::string> tasks;
  for (const Evaluation& evaluation : data.evaluations) tasks.insert(site_path(evaluation.task));
  std::set<std::string> written;
  for (const SiteFile& file : files)
    if (file.path.starts_with("tasks/")) written.insert(file.path);
  EXPECT_EQ(written, tasks);
  EXPECT_EQ(files.back().path, "index.html");
}

TEST(Site, TwoFilesOfAnAgentAreToldApart) {
  ReportData data = test::make_formats_data();
  Evaluation second = data.evaluations.front();
  ASSERT_TRUE(second.submission.has_value());
  data.evaluations.front().submission->name = "alice/level1/019_relu.cpp";
  second.submission->name = "alice/level1/019_relu.py";
  second.state = State::kWrongResult;
  second.correct = false;
  data.evaluations.push_back(std::move(second));
  for (const SiteFile& file : render_site(data)) {
    if (file.path == site_path("level1/019_relu")) {
      EXPECT_THAT(file.text, HasSubstr(">alice (.cpp)</th>"));
      EXPECT_THAT(file.text, HasSubstr(">alice (.py)</th>"));
      EXPECT_THAT(file.text, HasSubstr(R"("file":".py")"));
    } else if (file.path == "index.html") {
      EXPECT_THAT(file.text, HasSubstr("<td>alice (.py)</td>")) << "of what failed";
    }
  }
}

TEST(Site, AProfileStandsOnThePageOfItsTaskAndOnTheIndex) {
  ReportData data = test::make_formats_data();
  data.device_name = "NVIDIA H200";
  data.run.environment = R"({"device": {"kind": "cuda", "name": "NVIDIA H200"}})";
  const auto row = std::find_if(data.evaluations.begin(), data.evaluations.end(),
                                [](const Evaluation& one) { return one.submission.has_value(); });
  ASSERT_NE(row, data.evaluations.end());
  row->task_hash = "aa11";
  row->device = "cuda";
  row->submission->source_hash = "hash";
  StoredProfile profile{.device_kind = "cuda", .source_hash = "hash"};
  profile.made_at = "2026-11-28T12:00:00Z";
  profile.record.task = row->task;
  profile.record.task_hash = row->task_hash;
  profile.record.size = row->size;
  profile.record.side = "submission";
  profile.record.submission = "mine";
  profile.record.device = data.device_name;
  profile.record.precision = row->precision;
  std::set<std::string> with;
  for (const SiteFile& file : render_site(data, {{profile}, {}}))
    if (file.text.find("what bounds each call") != file.text.npos) with.insert(file.path);
  EXPECT_THAT(with, ElementsAre("index.html", site_path(row->task)));
}

}  // namespace
}  // namespace kbench
