// Units that lanes pull, without a run: what they are, and what their results say, is the owner's.
// Lanes are real processes that measure nothing (tests/fakes/scripted_lane.cpp).
#include "runner/lane/unit_pull.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/lane/unit_queue.hpp"
#include "tests/fakes/kept_progress.hpp"
#include "tests/fakes/scripted_fleet.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace kbench::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

TEST(UnitQueue, AUnitComesBackOnceAndBeforeAllOthers) {
  UnitQueue queue({4, 7});
  EXPECT_EQ(queue.pull(), 4U);
  EXPECT_TRUE(queue.may_repeat(4));
  EXPECT_TRUE(queue.give_back(4));
  EXPECT_EQ(queue.left(), 2U);
  EXPECT_EQ(queue.pull(), 4U);
  EXPECT_FALSE(queue.may_repeat(4));
  EXPECT_FALSE(queue.give_back(4));
  EXPECT_EQ(queue.pull(), 7U);
  EXPECT_EQ(queue.pull(), std::nullopt);
  EXPECT_TRUE(queue.empty());
}

// Answers of a number, as a unit's lane was told to give them.
class ScriptedOwner final : public UnitOwner {
 public:
  bool goes_on() override { return results.size() < stops_after; }
  Result<std::optional<LaneRequest>> begin(std::size_t, std::size_t unit) override {
    if (needs_no_lane.contains(unit)) return std::optional<LaneRequest>();
    LaneRequest request;
    request.ask = LaneAsk::kMeasure;
    Json more = {{"answer", unit * 10}};
    if (units.contains(unit)) more.update(units.at(unit));
    request.body = scripted_unit("unit" + std::to_string(unit), static_cast<int>(unit), more);
    return std::optional(std::move(request));
  }
  Result<bool> end(std::size_t lane, std::size_t unit, const LaneResult& result,
                   bool may_repeat) override {
    if (refuses) return *refuses;
    if (result.lost && may_repeat) return false;
    results[unit] = result.body;
    by_lane[lane].insert(unit);
    return true;
  }
  Status give_up(std::size_t, std::size_t unit, const Error& why) override {
    given_up[unit] = why.message;
    return Done{};
  }
  void lose(std::size_t lane, const Error&) override { lost.push_back(lane); }
  [[nodiscard]] std::string name_of(std::size_t unit) const override {
    return std::to_string(unit);
  }

  std::map<std::size_t, Json> units;  // more of each
  std::set<std::size_t> needs_no_lane;
  std::optional<Error> refuses;  // the first result
  std::size_t stops_after = 1000;
  std::map<std::size_t, Json> results;
  std::map<std::size_t, std::set<std::size_t>> by_lane;
  std::map<std::size_t, std::string> given_up;
  std::vector<std::size_t> lost;
};

class UnitPullTest : public ::testing::Test {
 protected:
  Result<std::size_t> pull(const std::vector<std::size_t>& units,
                           UnitShare share = UnitShare::kAnyLane) {
    std::vector<LaneCommand> commands;
    for (const char* device : {"cuda:0", "cuda:1"})
      commands.push_back(scripted_lane(device, folder_.path()));
    LaneFleet fleet(std::move(commands), progress_);
    EXPECT_TRUE(fleet.take({}).ok());
    EXPECT_TRUE(fleet.start().ok());
    auto left = pull_units(fleet, units, share, owner_, progress_);
    fleet.begin_end(false);
    fleet.wait_for_end();
    return left;
  }
  [[nodiscard]] std::vector<std::string> begun() const { return lane_lines(folder_ / "log"); }

  TemporaryFolder folder_;
  KeptProgress progress_;
  ScriptedOwner owner_;
};

TEST_F(UnitPullTest, ResultsAreWhatLanesAnswered) {
  owner_.needs_no_lane = {2};
  const auto left = pull({3, 2, 1});
  ASSERT_TRUE(left.ok());
  EXPECT_EQ(*left, 0U);
  EXPECT_THAT(owner_.results, ElementsAre(Pair(1, Json(10)), Pair(3, Json(30))));
  EXPECT_THAT(begun(), SizeIs(2)) << "one needed no lane";
}

// Was: nobody heard of a unit that could not be sent and was the last one.
TEST_F(UnitPullTest, AUnitThatIsLongerThanAMessageIsGivenUp) {
  owner_.units[1] = {{"more", std::string(5U << 20U, 'x')}};
  const auto left = pull({1});
  ASSERT_TRUE(left.ok());
  EXPECT_EQ(*left, 0U);
  EXPECT_THAT(owner_.given_up, ElementsAre(Pair(1, HasSubstr("what is to be measured"))));
}

TEST_F(UnitPullTest, EachLaneMeasuresAllWhereThatIsAsked) {
  const auto left = pull({3, 1}, UnitShare::kEachLane);
  ASSERT_TRUE(left.ok());
  EXPECT_EQ(*left, 0U);
  EXPECT_THAT(owner_.by_lane[0], ElementsAre(1, 3));
  EXPECT_THAT(owner_.by_lane[1], ElementsAre(1, 3));
}

TEST_F(UnitPullTest, AUnitWithoutAResultIsTriedOnceMoreAndGivenUp) {
  owner_.units[2] = {{"fails", "it cannot be read"}};
  owner_.units[3] = {{"dies", "always"}};
  const auto left = pull({1, 2, 3});
  ASSERT_TRUE(left.ok());
  EXPECT_EQ(*left, 0U);
  EXPECT_THAT(owner_.results, ElementsAre(Pair(1, Json(10))));
  ASSERT_THAT(owner_.given_up, SizeIs(2));
  EXPECT_EQ(owner_.given_up[2], "it cannot be read");
  EXPECT_THAT(owner_.given_up[3], HasSubstr("was killed by signal 9"));
  EXPECT_THAT(begun(), SizeIs(5));
}

TEST_F(UnitPullTest, ADeviceThatIsLostLeavesItsUnitToAnother) {
  owner_.units[1] = {{"loses", "cuda:0"}};
  owner_.units[2] = {{"until", folder_ / "ends"}};  // held until the first lane has left
  const auto left = pull({1, 2});
  ASSERT_TRUE(left.ok());
  EXPECT_EQ(*left, 0U);
  EXPECT_THAT(owner_.lost, ElementsAre(0));
  EXPECT_THAT(owner_.results, SizeIs(2));
  EXPECT_THAT(begun(), SizeIs(3));
}

TEST_F(UnitPullTest, NobodyMeasuresOnceTheOwnerStops) {
  owner_.stops_after = 0;
  const auto left = pull({1, 2});
  ASSERT_TRUE(left.ok());
  EXPECT_EQ(*left, 2U);
  EXPECT_THAT(begun(), IsEmpty());
}

TEST_F(UnitPullTest, AnErrorOfTheOwnerEndsIt) {
  owner_.refuses = Error{ErrorCode::kInfrastructure, "the disk is full", ""};
  const auto left = pull({1, 2});
  ASSERT_FALSE(left.ok());
  EXPECT_EQ(left.error().message, "the disk is full");
}

}  // namespace
}  // namespace kbench::test
