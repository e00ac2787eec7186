// The states of submissions that `kbench build` tells: their words and counts.
#include "runner/print/build_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/print/cautions.hpp"

namespace kbench::test {
namespace {

using Built = BuiltRow::State;

BuiltRow row(const std::string& agent, Built state, const std::string& why = "") {
  return {.task = "level1/019_relu",
          .submission = {.agent = agent, .name = agent + "/level1/019_relu.cu"},
          .state = state,
          .seconds = state == Built::kBuilt ? 1.25 : 0,
          .why = why};
}

TEST(BuildText, EachSubmissionHasALineAndWhatFailedItsFirstWords) {
  BuiltPlan built{.target = "cuda, architecture 90a"};
  built.rows = {row("a", Built::kBuilt), row("b", Built::kThere),
                row("c", Built::kFailed, "it does not\x1b compile\n\none\ntwo\nthree\nfour\n"),
                row("d", Built::kLeft, "Python")};
  EXPECT_EQ(build_text(built, {}),
            "built    level1/019_relu  a/level1/019_relu.cu  1.2 s\n"
            "there    level1/019_relu  b/level1/019_relu.cu\n"
            "failed   level1/019_relu  c/level1/019_relu.cu\n"
            "         it does not? compile\n"
            "         one\n"
            "         two\n"
            "         three\n"
            "left     level1/019_relu  d/level1/019_relu.cu\n"
            "         Python\n");
  EXPECT_EQ(build_words(built),
            "1 submission built for cuda, architecture 90a, 1 was there, 1 left to the run, 1 does "
            "not compile or load (a run tells that in its row)");
}

TEST(BuildText, JsonHasTheSameAndNoTimeOfWhatWasNotBuilt) {
  BuiltPlan built{.target = "cpu", .interrupted = true};
  built.rows = {row("a", Built::kBuilt), row("b", Built::kUnable, "no room")};
  const Json json = build_json(built);
  EXPECT_EQ(json["target"], "cpu");
  EXPECT_EQ(json["interrupted"], true);
  ASSERT_EQ(json["submissions"].size(), 2U);
  EXPECT_EQ(json["submissions"][0]["seconds"], 1.25);
  EXPECT_TRUE(json["submissions"][0]["why"].is_null());
  EXPECT_EQ(json["submissions"][1]["state"], "unable");
  EXPECT_EQ(json["submissions"][1]["why"], "no room");
  EXPECT_TRUE(json["submissions"][1]["seconds"].is_null());
  EXPECT_EQ(build_words(built),
            "1 submission built for cpu, 1 could not be tried; interrupted, the same command goes "
            "on from there");
}

// A test of a debug build cannot count on there being one.
TEST(BuildInfo, ADebugBuildWarnsOfItsTimes) {
  BuildInfo info{.build_type = "Debug", .debug = true};
  EXPECT_EQ(debug_caution(info),
            "this is a debug build (Debug): its times mean nothing; third_party/setup makes a "
            "Release build");
  info.build_type = "";
  EXPECT_THAT(debug_caution(info), ::testing::HasSubstr("(no build type)"));
  info.debug = false;
  EXPECT_EQ(debug_caution(info), "");
#ifdef NDEBUG
  EXPECT_EQ(debug_caution(build_info()), "");
#else
  EXPECT_NE(debug_caution(build_info()), "");
#endif
}

}  // namespace
}  // namespace kbench::test
