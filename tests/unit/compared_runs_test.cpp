// Which two stored runs a comparison is of.
#include "runner/again/compared_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/database_fixture.hpp"

namespace kbench {
namespace {

using test::DatabaseTest;
using ::testing::HasSubstr;

class ComparedRunsTest : public DatabaseTest {
 protected:
  Result<ComparedRuns> find(const std::optional<std::string>& before = {},
                            const std::string& after = "latest") {
    store_.emplace(Store::open(file_, Store::Mode::kReadOnly));
    return find_compared(**store_, before, after);
  }
  void add_at(const std::string& id, int hour, const std::string& configuration) {
    add({.id = id,
         .started_at = "2026-11-21T1" + std::to_string(hour) + ":00:00Z",
         .rows = 1,
         .samples = 2,
         .configuration = configuration});
  }
  std::string error_of(const std::optional<std::string>& before = {},
                       const std::string& after = "latest") {
    const auto found = find(before, after);
    return found ? "found" : found.error().message;
  }

  std::optional<Result<Store>> store_;
};

constexpr const char* kTimed = R"({"device":"cpu"})";
constexpr const char* kChecked = R"({"device":"cpu","checks_only":true})";

TEST_F(ComparedRunsTest, TheNewestIsHeldAgainstTheOneBeforeIt) {
  add_at("aa", 1, kTimed);
  add_at("bb", 2, kTimed);
  add_at("cc", 3, kTimed);
  const auto found = find();
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->before.run.id, "bb");
  EXPECT_EQ(found->after.run.id, "cc");
  EXPECT_EQ(find("aa")->before.run.id, "aa");
  EXPECT_EQ(find("latest~2")->before.run.id, "aa");
}

TEST_F(ComparedRunsTest, RunsOfAnotherDeviceAreLeftOut) {
  add_at("aa", 1, kTimed);
  add_at("bb", 2, R"({"device":"cuda"})");
  add_at("cc", 3, kTimed);
  EXPECT_EQ(find()->before.run.id, "aa");
}

TEST_F(ComparedRunsTest, OneThatTimedNothingIsNoneOfThem) {
  add_at("aa", 1, kTimed);
  add_at("bb", 2, kChecked);
  add_at("cc", 3, kTimed);
  EXPECT_EQ(find()->before.run.id, "aa");
  EXPECT_THAT(error_of("bb"), HasSubstr("nothing was timed in run bb"));
}

TEST_F(ComparedRunsTest, AloneOrTwiceTheSameIsRefused) {
  add_at("aa", 1, kTimed);
  EXPECT_THAT(error_of(), HasSubstr("there is no run before aa on its device"));
  EXPECT_THAT(error_of("aa"), HasSubstr("both names are the run aa"));
}

}  // namespace
}  // namespace kbench
