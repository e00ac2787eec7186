// A profile from its request to its findings, on a bench that measures nothing.
#include "runner/profile/profile_session.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/profile/profile_maker.hpp"
#include "tests/unit/profile_fixture.hpp"
#include "tests/unit/run_fixture.hpp"

namespace kbench::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ProfileSessionTest : public RunTest {
 protected:
  ProfileSessionTest() {
    asked_.task = "level1/019_relu";
    asked_.device = "cpu";
    folder_.write("mine.cpp", "int nothing;\n");
    BenchProfile& taken = benches_.script.profile;
    const ProfileInput recorded = input_of({call_of(36, {kernel("relu", 1, 36)})});
    taken.recorded = recorded.recorded;
    taken.device = recorded.device;
    taken.limits = recorded.limits;
  }

  Result<Profile> profile() { return profile_task(benches_, asked_, told_); }
  Error refused() {
    auto got = profile();
    EXPECT_FALSE(got.ok());
    return got ? Error{} : got.error();
  }

  ProfileRequest asked_;
  KeptProgress told_;
};

TEST_F(ProfileSessionTest, IsOfEagerWhereNothingElseIsAsked) {
  const auto got = profile();
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_THAT(benches_.measured, ElementsAre("profile eager"));
  EXPECT_EQ(got->subject.side, "eager");
  EXPECT_EQ(got->subject.task, "level1/019_relu");
  EXPECT_EQ(got->subject.task_hash.size(), 64u) << "as its rows have it";
  EXPECT_EQ(got->subject.torch, "2.11.0");
  EXPECT_EQ(got->kernels.at(0).name, "relu");
  EXPECT_TRUE(got->facts.numbers.contains("limit_us")) << "by the work of the task";
}

TEST_F(ProfileSessionTest, IsOfTheSubmissionWhereThereIsOne) {
  asked_.submission = folder_ / "mine.cpp";
  const auto got = profile();
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_THAT(benches_.measured, ElementsAre("profile submission"));
  EXPECT_NE(got->subject.submission, "");
}

TEST_F(ProfileSessionTest, TheSameBytesHaveOneHashByWhateverName) {
  folder_.write("019_relu.cpp", "int nothing;\n");
  folder_.write("other.cpp", "int something;\n");
  const auto subject = [&](const char* file) {
    asked_.submission = folder_ / file;
    const auto got = profile();
    EXPECT_TRUE(got) << got.error().message;
    return got ? got->subject : ProfileSubject();
  };
  const ProfileSubject mine = subject("mine.cpp");
  EXPECT_EQ(mine.contents_hash.size(), 64u);
  const ProfileSubject named = subject("019_relu.cpp");
  EXPECT_NE(named.source_hash, mine.source_hash) << "names are in it";
  EXPECT_EQ(named.contents_hash, mine.contents_hash);
  EXPECT_NE(subject("other.cpp").contents_hash, mine.contents_hash);
  asked_.submission.reset();
  EXPECT_EQ(profile()->subject.contents_hash, "") << "eager's";
}

TEST_F(ProfileSessionTest, WhatTheCompilerSaysOfSpillsIsAFact) {
  asked_.submission = folder_ / "mine.cpp";
  benches_.script.profile.compiler_words =
      "ptxas info    : Compiling entry function '_Z1kv' for 'sm_90a'\n"
      "ptxas info    : Function properties for _Z1kv\n"
      "    0 bytes stack frame, 120 bytes spill stores, 160 bytes spill loads\n"
      "ptxas info    : Used 255 registers, 400 bytes cmem[0]\n";
  const auto got = profile();
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->facts.numbers.at("spill_bytes"), 280);
}

TEST_F(ProfileSessionTest, WithoutASubmissionItsSideIsRefused) {
  asked_.side = Side::kSubmission;
  EXPECT_EQ(refused().code, ErrorCode::kUsage);
}

TEST_F(ProfileSessionTest, OneTaskIsMeantAndNotSeveral) {
  asked_.task = "level1/*";
  EXPECT_THAT(refused().message, HasSubstr("one can be"));
}

TEST_F(ProfileSessionTest, WhatDoesNotCompileIsTheSubmissions) {
  asked_.submission = folder_ / "mine.cpp";
  benches_.script.build_fails["me"] = {ErrorCode::kSubmission, "it does not compile", ""};
  EXPECT_THAT(refused().message, HasSubstr("does not compile"));
}

TEST_F(ProfileSessionTest, ABusyMachineAndAnUncalibratedLimitAreSaid) {
  BenchProfile& taken = benches_.script.profile;
  taken.limits.reset();
  taken.peaks.copy_bytes_per_s = 4e12;
  taken.peaks.matmul_flops_per_s = 50e12;
  taken.waited_in_calls = 0.45;
  taken.waited_in_peaks = 0.8;
  const auto got = profile();
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_THAT(got->cautions, ElementsAre(HasSubstr("waited for a core for 45 %"),
                                         AllOf(HasSubstr("not calibrated"), HasSubstr("80 %"))));
  EXPECT_THAT(profile_text(*got), HasSubstr("measured beside it, not calibrated)"));
}

TEST_F(ProfileSessionTest, TheTaskIsKnownBeforeAnythingIsMeasured) {
  asked_.task = "level1/019*";
  EXPECT_EQ(named_request(benches_, asked_).value().task, "level1/019_relu");
  asked_.task = "level1/*";
  EXPECT_EQ(named_request(benches_, asked_).error().code, ErrorCode::kUsage);
  EXPECT_TRUE(benches_.measured.empty());
}

// Eager beside a file: only the file's name says the task, and only its ending the device.
TEST_F(ProfileSessionTest, BothSidesOfAComparisonHaveTheFilesTaskAndDevice) {
  folder_.write("019_relu.cpp", "int nothing;\n");
  asked_.task = "";
  asked_.device.reset();
  asked_.submission = folder_ / "019_relu.cpp";
  EXPECT_EQ(named_request(benches_, asked_).value().device, "cpu") << "even where there is a GPU";
  ProfileMaker maker(asked_, folder_ / "kept.sqlite", std::nullopt, benches_, told_);
  const auto pair = maker.make_pair({"eager"});
  ASSERT_TRUE(pair) << pair.error().message;
  EXPECT_THAT(benches_.measured, ElementsAre("profile submission", "profile eager"));
  EXPECT_EQ(pair->b.task, "level1/019_relu");
}

TEST_F(ProfileSessionTest, WhoeverWaitsForTheDeviceCanBeStopped) {
  Target target;
  target.device = "cpu";
  const auto held = take_measuring_lock(
      {.installation = &benches_.place, .target = &target, .what = "another run"});
  ASSERT_TRUE(held) << held.error().message;
  int asked = 0;
  asked_.stop = [&] { return ++asked > 1; };
  EXPECT_THAT(refused().message, HasSubstr("interrupted"));
  EXPECT_TRUE(benches_.measured.empty());
}

TEST_F(ProfileSessionTest, ItTakesTheLockOfTheDevice) {
  asked_.no_wait = true;
  Target target;
  target.device = "cpu";
  const auto held = take_measuring_lock(
      {.installation = &benches_.place, .target = &target, .what = "another run"});
  ASSERT_TRUE(held) << held.error().message;
  EXPECT_EQ(refused().code, ErrorCode::kInfrastructure);
  EXPECT_TRUE(benches_.measured.empty());
}

}  // namespace
}  // namespace kbench::test
