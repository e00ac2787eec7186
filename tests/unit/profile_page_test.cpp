#include "reports/page/profile_page.hpp"

#include <regex>

#include <gmock/gmock.h>

#include "runner/profile/profile.hpp"
#include "tests/unit/golden.hpp"
#include "tests/unit/profile_fixture.hpp"

namespace kbench {
namespace {

using test::call_of;
using test::input_of;
using test::kernel;
using ::testing::HasSubstr;
using ::testing::Not;

StoredProfile stored(const std::string& submission, double us,
                     const std::string& kernel_name = "relu(float*)") {
  const ProfileSubject subject{.task = "level1/019_relu",
                               .size = "full",
                               .side = submission.empty() ? "eager" : "submission",
                               .submission = submission,
                               .source_hash = submission};
  auto made =
      to_be_stored(make_profile(subject, input_of({call_of(us, {kernel(kernel_name, 1, us)})})),
                   "2026-11-28T12:00:00Z", "1.2.3");
  EXPECT_TRUE(made.ok()) << made.error().message;
  return std::move(*made);
}

PageProfiles page(std::vector<StoredProfile> shown) { return {std::move(shown), {}}; }

int count(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  return static_cast<int>(std::distance(std::sregex_iterator(text.begin(), text.end(), regex), {}));
}

TEST(ProfilePage, MatchesItsGolden) {
  test::expect_golden("reports/profiles.html",
                      profiles_html({{stored("", 90), stored("me/relu", 36)},
                                     {"2 of another device", "1 unsound (named)"}}));
}

TEST(ProfilePage, WithoutProfilesThereIsNoSection) { EXPECT_EQ(profiles_html({}), ""); }

TEST(ProfilePage, SaysThatAProfilersWordIsNoVerdict) {
  const std::string html = profiles_html(page({stored("me/relu", 36)}));
  for (const char* part :
       {"id=\"profiles\"", "Why is it slow", "is no verdict", "memory-bound near the limit",
        "leave it", "relu(float*)", "role=\"img\"", "class=\"roof-point\""})
    EXPECT_THAT(html, HasSubstr(part));
  EXPECT_THAT(html, Not(HasSubstr("style=")));
}

TEST(ProfilePage, TheLimitSaysWhichBandwidthItTakes) {
  StoredProfile one = stored("me/relu", 45);
  EXPECT_THAT(profiles_html(page({one})),
              HasSubstr("limit by bytes at 4 TB/s, calibrated 2026-11-28T"));
  one.record.facts.erase("limit_read_gb_per_s");  // an early profile
  EXPECT_THAT(profiles_html(page({one})), HasSubstr("limit by bytes, calibrated 2026-11-28T"));
}

TEST(ProfilePage, SaysByWhichNameItWasProfiledWhereThatIsAnother) {
  StoredProfile other = stored("me/relu", 36);
  EXPECT_THAT(profiles_html(page({other})), Not(HasSubstr("profiled as")));
  other.record.profiled_as = "/home/me/<b>.cu";
  const std::string html = profiles_html(page({other}));
  EXPECT_THAT(html, HasSubstr("<td>me/relu (profiled as "));
  EXPECT_THAT(html, HasSubstr("submission me/relu (profiled as "));
  EXPECT_THAT(html, Not(HasSubstr("/home/me")));
  EXPECT_THAT(html, Not(HasSubstr("<b>.cu")));
}

TEST(ProfilePage, WithoutAVerdictTheClosestRuleIsThere) {
  const std::string html = profiles_html(page({stored("me/relu", 45)}));
  EXPECT_THAT(html, HasSubstr("<b>not judged</b>: no rule holds"));
  EXPECT_THAT(html,
              HasSubstr("<li>Closest: memory-bound near the limit: the bytes that must move "));
  EXPECT_THAT(html, HasSubstr("Its rule asks limit_share &gt;= 0.75; here it is 0.6667.</li>"));
  EXPECT_THAT(profiles_html(page({stored("me/relu", 36)})), Not(HasSubstr("Closest")));
}

// A keyboard gets to each table that scrolls, and to each profile.
TEST(ProfilePage, NeedsNoScriptAndNoMouse) {
  const std::string html = profiles_html(page({stored("", 90), stored("me/relu", 36)}));
  EXPECT_EQ(count(html, "<script|onclick|<button"), 0);
  EXPECT_EQ(count(html, "<details>"), 2);
  EXPECT_EQ(count(html, "<table>"), 3);
  EXPECT_EQ(count(html, "class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label"), 3);
}

TEST(ProfilePage, NamesWhatIsNotShownAlsoWhereNothingIs) {
  const std::string html = profiles_html({{}, {"3 of another device", "1 unsound (named)"}});
  EXPECT_THAT(html, HasSubstr("not shown: 3 of another device, 1 unsound (named)."));
  EXPECT_THAT(html, HasSubstr("id=\"profiles\""));
  EXPECT_EQ(count(html, "<table>"), 0);
}

// Was the number of those that were kept, less those that are shown.
TEST(ProfilePage, KernelsThatWereNotKeptAreCounted) {
  StoredProfile many = stored("", 90);
  many.record.kernels.resize(64, many.record.kernels.front());
  many.record.more_kernels = 2936;
  EXPECT_THAT(profiles_html(page({many})), HasSubstr("and 2992 more"));
}

// Was in the baseline's place.
TEST(ProfilePage, ASubmissionThatIsCalledEagerIsNoBaseline) {
  const std::string html = profiles_html(page({stored("", 90), stored("eager", 36)}));
  EXPECT_THAT(html, HasSubstr("1. level1/019_relu · eager: "));
  EXPECT_THAT(html, HasSubstr("2. level1/019_relu · submission eager: "));
  EXPECT_THAT(html, HasSubstr("<td>eager</td><td>–</td>"));
  EXPECT_THAT(html, HasSubstr("<td>submission</td><td>eager</td>"));
}

TEST(ProfilePage, CautionsStandWithTheirProfile) {
  StoredProfile busy = stored("", 90);
  busy.record.cautions = {"the machine was busy in /home/me"};
  busy.record.facts["limit_calibrated"] = 0;
  const std::string html = profiles_html(page({busy}));
  EXPECT_THAT(html, HasSubstr("Caution: the machine was busy"));
  EXPECT_THAT(html, HasSubstr(", not calibrated"));
  EXPECT_THAT(html, Not(HasSubstr("/home/me")));
}

TEST(ProfilePage, ForeignTextBreaksOutOfNothingAndNamesNoFolder) {
  StoredProfile hostile = stored("/home/me/secret/relu.cu", 36, "<script>alert(1)</script>");
  hostile.record.evidence = "</p><img src=x> in /home/me/secret/relu.cu";
  hostile.record.missing = {"/home/me/cuda/libcupti.so was not found"};
  hostile.record.device = "<b>H200</b>\x1b[31m";
  hostile.version = "\"><i>";
  const std::string html = profiles_html(page({hostile}));
  for (const char* part : {"<script>", "<img", "<b>H200", "<i>", "/home/me", "\x1b"})
    EXPECT_THAT(html, Not(HasSubstr(part)));
  EXPECT_THAT(html, HasSubstr("relu.cu"));
}

// A call that is as fast as its limit lies on the roof, and one of ten times that below.
TEST(ProfilePage, ACallLiesBelowTheRoofByWhatItLoses) {
  const auto height = [](double us) {
    const std::string html = profiles_html(page({stored("me/relu", us)}));
    std::smatch found;
    EXPECT_TRUE(std::regex_search(html, found, std::regex("cy=\"([0-9.]+)\"")));
    return std::stod(found[1]);
  };
  EXPECT_NEAR(height(30), height(29), 1.0);
  EXPECT_GT(height(300), height(30) + 20) << "pixels count downwards";
}

}  // namespace
}  // namespace kbench
