#include "reports/formats/profile_list.hpp"

#include <gmock/gmock.h>

#include "runner/profile/profile.hpp"
#include "tests/unit/profile_fixture.hpp"

namespace kbench {
namespace {

using test::call_of;
using test::input_of;
using test::kernel;
using ::testing::HasSubstr;
using ::testing::Not;

StoredProfile listed(const std::string& submission, const std::string& made_at) {
  const ProfileSubject subject{.task = "level1/019_relu",
                               .task_hash = "aa11",
                               .size = "full",
                               .side = submission.empty() ? "eager" : "submission",
                               .submission = submission,
                               .source_hash = submission,
                               .torch = "2.11.0"};
  auto made = to_be_stored(make_profile(subject, input_of({call_of(36, {kernel("k", 1, 36)})})),
                           made_at, "1.2.3");
  EXPECT_TRUE(made.ok()) << made.error().message;
  return std::move(*made);
}

ProfileRows two() {
  return {{listed("", "2026-11-27T12:00:00Z"), listed("eager\x1b[2J", "2026-11-28T12:00:00Z")},
          {"profile 3: it is not what its id says\x1b[2J"}};
}

TEST(ProfileList, HasALineForEachTheNewestFirst) {
  const std::string text = render_profile_list(two(), {});
  for (const char* part : {"level1/019_relu", "2026-11-28 12:00", "memory-bound near the limit",
                           "a recorded device", "36", "83.33", "UNSOUND: profile 3"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_LT(text.find("submission eager"), text.find("2026-11-27"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(ProfileList, WithoutAnyThereIsNoTable) { EXPECT_EQ(render_profile_list({}, {}), ""); }

TEST(ProfileList, TheJsonNamesSideAndSubmissionApart) {
  const Json json = profile_list_json(two());
  ASSERT_EQ(json.at("profiles").size(), 2u);
  const Json& newest = json.at("profiles")[0];
  EXPECT_EQ(newest.at("side"), "submission");
  EXPECT_EQ(newest.at("submission"), "eager\x1b[2J");
  EXPECT_EQ(newest.at("verdict"), "memory_near_limit");
  EXPECT_EQ(newest.at("call_us"), 36.0);
  EXPECT_TRUE(json.at("profiles")[1].at("submission").is_null());
  EXPECT_EQ(json.at("unsound").size(), 1u);
}

}  // namespace
}  // namespace kbench
