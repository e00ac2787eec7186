// Lanes as real processes that measure nothing (tests/fakes/scripted_lane.cpp).
#include "runner/lane/lane_fleet.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/os/device_lock.hpp"
#include "tests/fakes/await.hpp"
#include "tests/fakes/kept_progress.hpp"
#include "tests/fakes/scripted_fleet.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace kbench::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class LaneFleetTest : public ::testing::Test {
 protected:
  // "cuda:0", "cuda:1", with these orders.
  LaneFleet& start(const std::vector<Json>& orders) {
    std::vector<LaneCommand> commands;
    for (std::size_t i = 0; i < orders.size(); ++i)
      commands.push_back(scripted_lane("cuda:" + std::to_string(i), folder_.path(), orders[i]));
    fleet_.emplace(std::move(commands), progress_);
    return *fleet_;
  }
  LaneFleet& ready(std::size_t lanes) {
    LaneFleet& fleet = start(std::vector<Json>(lanes, Json::object()));
    EXPECT_TRUE(fleet.take({}).ok());
    EXPECT_TRUE(fleet.start().ok());
    return fleet;
  }
  void begin(std::size_t lane, std::size_t unit, const Json& more = Json::object()) {
    LaneRequest request;
    request.ask = LaneAsk::kMeasure;
    request.body = scripted_unit("task" + std::to_string(unit), static_cast<int>(unit), more);
    fleet_->begin(lane, unit, request);
  }
  // The next events.
  std::vector<LaneEvent> events(std::size_t count) {
    std::vector<LaneEvent> all;
    EXPECT_TRUE(await(
        [&] {
          for (LaneEvent& event : fleet_->wait(std::chrono::milliseconds{10}))
            all.push_back(std::move(event));
          return all.size() >= count;
        },
        "events of lanes"));
    return all;
  }
  static Evaluation row_of(const LaneEvent& event) {
    auto row = evaluation_from_json(event.result.body);
    EXPECT_TRUE(row.ok());
    return row ? std::move(*row) : Evaluation();
  }
  void until_idle(std::size_t lanes) {
    EXPECT_TRUE(await(
        [&] {
          EXPECT_THAT(fleet_->wait(std::chrono::milliseconds{10}), IsEmpty());
          return fleet_->idle().size() == lanes;
        },
        "lanes that are idle"));
  }
  [[nodiscard]] bool locks_are_left() const {
    for (const auto& entry : fs::directory_iterator(folder_ / "locks"))
      if (entry.path().extension() == ".lock") return true;
    return false;
  }

  TemporaryFolder folder_;
  KeptProgress progress_;
  std::optional<LaneFleet> fleet_;
};

TEST_F(LaneFleetTest, EachLaneMeasuresBesideTheOthers) {
  LaneFleet& fleet = ready(2);
  EXPECT_THAT(fleet.idle(), ElementsAre(0, 1));
  // Neither ends before both have begun.
  begin(0, 7, {{"until", folder_ / "go"}});
  begin(1, 8, {{"until", folder_ / "go"}, {"notes", "warm"}});
  EXPECT_TRUE(fleet.any_busy());
  EXPECT_TRUE(await([&] { return lane_lines(folder_ / "log").size() == 2; }, "both at work"));
  EXPECT_THAT(fleet.idle(), IsEmpty());
  folder_.write("go", "");
  const auto rows = events(2);
  EXPECT_THAT(lane_lines(folder_ / "log"), UnorderedElementsAre("cuda:0 task7", "cuda:1 task8"));
  for (const LaneEvent& event : rows) {
    EXPECT_EQ(event.what, LaneEvent::What::kResult);
    EXPECT_EQ(event.unit, event.lane + 7);
    EXPECT_EQ(row_of(event).task, "task" + std::to_string(event.unit));
    EXPECT_EQ(row_of(event).state, State::kOk);
  }
  EXPECT_THAT(progress_.lines, HasSubstr("cuda:1: warm"));
  EXPECT_FALSE(fleet.any_busy());
  fleet.begin_end(false);
  fleet.wait_for_end();
  EXPECT_THAT(lane_lines(folder_ / "ends"), UnorderedElementsAre("cuda:0 false", "cuda:1 false"));
  EXPECT_FALSE(locks_are_left());
}

TEST_F(LaneFleetTest, WhatEachIsComesWithItsStart) {
  LaneFleet& fleet = start({{{"facts", "H200"}}, {{"facts", "H100"}}});
  ASSERT_TRUE(fleet.take({}).ok());
  const auto facts = fleet.start();
  ASSERT_TRUE(facts.ok());
  EXPECT_EQ(facts->at(0).at("device"), "H200");
  EXPECT_EQ(facts->at(1).at("device"), "H100");
}

TEST_F(LaneFleetTest, OneThatCannotBeginRefusesAll) {
  EXPECT_EQ(start({Json::object(), {{"fails", "take"}}}).take({}).error().message,
            "the lock is nobody's");
  LaneFleet& second = start({Json::object(), {{"fails", "start"}}});
  ASSERT_TRUE(second.take({}).ok());
  EXPECT_EQ(second.start().error().message, "there is no device");
  LaneFleet& third = start({Json::object(), {{"dies", "start"}}});
  ASSERT_TRUE(third.take({}).ok());
  EXPECT_THAT(third.start().error().message,
              HasSubstr("the process that measures on cuda:1 ended: it was killed by signal 9"));
}

TEST_F(LaneFleetTest, ALaneWaitsForItsDeviceUntilNobodyWantsIt) {
  auto held = DeviceLock::take(folder_ / "locks", "cuda:1", {"1", "somebody"},
                               [](const auto&) { return true; });
  ASSERT_TRUE(held.ok());
  LaneFleet& fleet = start({Json::object(), Json::object()});
  const auto given_up =
      fleet.take([this] { return progress_.lines.find("cuda:1: waits") != std::string::npos; });
  ASSERT_FALSE(given_up.ok());
  EXPECT_THAT(given_up.error().message, HasSubstr("interrupted while it waited"));
}

// Two fleets that want the same devices: if each had one of them, they would wait for ever.
TEST_F(LaneFleetTest, NoLaneWantsItsDeviceBeforeTheOneBeforeHasItsOwn) {
  auto held = DeviceLock::take(folder_ / "locks", "cuda:0", {"1", "somebody"},
                               [](const auto&) { return true; });
  ASSERT_TRUE(held.ok());
  std::vector<LaneCommand> commands{scripted_lane("cuda:0", folder_.path()),
                                    scripted_lane("cuda:1", folder_.path())};
  commands[1].argv = {(folder_ / "no program").string()};
  LaneFleet fleet(std::move(commands), progress_);
  EXPECT_EQ(fleet.take([this] { return progress_.lines.find("waits") != std::string::npos; })
                .error()
                .message,
            "interrupted while it waited for the device")
      << "nobody has tried to start the second one";
}

TEST_F(LaneFleetTest, ALaneThatDiesGivesItsUnitBackAndIsReplaced) {
  LaneFleet& fleet = ready(2);
  begin(1, 4, {{"dies", "once"}});
  const auto died = events(1);
  ASSERT_EQ(died.size(), 1U);
  EXPECT_EQ(died[0].what, LaneEvent::What::kReturned);
  EXPECT_EQ(died[0].lane, 1U);
  EXPECT_EQ(died[0].unit, 4U);
  EXPECT_THAT(died[0].error.message, HasSubstr("cuda:1 ended: it was killed by signal 9"));
  EXPECT_THAT(progress_.lines, HasSubstr("it is replaced"));
  EXPECT_TRUE(fleet.any_left());
  until_idle(2);
  begin(1, 4, {{"dies", "once"}});
  EXPECT_EQ(events(1).at(0).what, LaneEvent::What::kResult);
}

// Was: the lane was busy for ever, with what nobody had told it.
TEST_F(LaneFleetTest, AUnitThatNoMessageHoldsComesBack) {
  LaneFleet& fleet = ready(1);
  begin(0, 4, {{"init", std::string(5U << 20, 'x')}});
  const auto returned = events(1);
  ASSERT_EQ(returned.size(), 1U);
  EXPECT_EQ(returned[0].what, LaneEvent::What::kReturned);
  EXPECT_EQ(returned[0].unit, 4U);
  EXPECT_TRUE(fleet.any_left());
  until_idle(1);
}

TEST_F(LaneFleetTest, OneThatDiesThriceHasLostItsDevice) {
  LaneFleet& fleet = ready(2);
  for (int death = 1; death < 3; ++death) {
    begin(0, 1, {{"dies", "always"}});
    EXPECT_EQ(events(1).at(0).what, LaneEvent::What::kReturned);
    until_idle(2);
  }
  begin(0, 1, {{"dies", "always"}});
  const auto last = events(2);
  ASSERT_EQ(last.size(), 2U);
  EXPECT_EQ(last[0].what, LaneEvent::What::kReturned);
  EXPECT_EQ(last[1].what, LaneEvent::What::kLost);
  EXPECT_THAT(last[1].error.message, HasSubstr("the third time in 10 minutes"));
  EXPECT_THAT(fleet.idle(), ElementsAre(1)) << "the others go on";
  begin(1, 1);
  EXPECT_EQ(events(1).at(0).what, LaneEvent::What::kResult);
}

// A unit that nobody can read, send or tell of: its lane goes on with the next one.
class SoundLaneTest : public LaneFleetTest {
 protected:
  void expect_that_it_goes_on() {
    begin(0, 2);
    const auto next = events(1);
    EXPECT_EQ(next.at(0).what, LaneEvent::What::kResult);
    EXPECT_EQ(row_of(next.at(0)).task, "task2");
    EXPECT_THAT(lane_lines(folder_ / "pids"), SizeIs(1)) << "another process was started";
    EXPECT_THAT(progress_.lines, Not(HasSubstr("replaced")));
  }
  // It becomes an answer without a result.
  std::string no_result() {
    const auto told = events(1);
    EXPECT_EQ(told.at(0).what, LaneEvent::What::kResult);
    EXPECT_EQ(told.at(0).unit, 1U);
    EXPECT_TRUE(told.at(0).result.failure);
    return told.at(0).result.failure.value_or(Error{}).message;
  }
};

TEST_F(SoundLaneTest, AnOrderThatNoLaneCanReadCostsItsUnitOnly) {
  ready(1);
  Json deep = 1;
  for (int i = 0; i < 2000; ++i) deep = Json::array({std::move(deep)});
  begin(0, 1, {{"deep", std::move(deep)}});
  EXPECT_THAT(no_result(), HasSubstr("the lane cannot read what it is to measure: "));
  expect_that_it_goes_on();
}

TEST_F(SoundLaneTest, AnOrderThatIsTooLargeCostsItsUnitOnly) {
  ready(1);
  begin(0, 1, {{"notes", std::string(5u << 20, 'x')}});
  const auto told = events(1);
  EXPECT_EQ(told.at(0).what, LaneEvent::What::kReturned);
  EXPECT_EQ(told.at(0).error.message,
            "what is to be measured takes more than the 4 MiB of a message of a lane");
  expect_that_it_goes_on();
}

TEST_F(SoundLaneTest, AResultThatIsTooLargeCostsItsUnitOnly) {
  ready(1);
  begin(0, 1, {{"swells", 5u << 20}});
  EXPECT_EQ(no_result(), "the result takes more than the 4 MiB of a message of a lane");
  expect_that_it_goes_on();
}

TEST_F(LaneFleetTest, ADeviceThatIsLostLeavesWithItsRow) {
  LaneFleet& fleet = ready(2);
  begin(0, 1, {{"loses", "cuda:0"}});
  const auto last = events(2);
  ASSERT_EQ(last.size(), 2U);
  EXPECT_EQ(last[0].what, LaneEvent::What::kResult);
  EXPECT_EQ(last[1].what, LaneEvent::What::kLost);
  EXPECT_EQ(last[1].error.message, "the device is lost");
  EXPECT_THAT(fleet.idle(), ElementsAre(1));
  fleet.begin_end(false);
  fleet.wait_for_end();
  EXPECT_THAT(lane_lines(folder_ / "ends"), UnorderedElementsAre("cuda:0 true", "cuda:1 false"));
}

TEST_F(LaneFleetTest, ADeviceThatIsLostLeavesThoughItsRowIsTooLarge) {
  LaneFleet& fleet = ready(2);
  begin(0, 1, {{"loses", "cuda:0"}, {"swells", 5u << 20}});
  EXPECT_TRUE(events(1).at(0).result.failure);
  EXPECT_THAT(fleet.idle(), ElementsAre(1)) << "nothing else is measured there";
}

}  // namespace
}  // namespace kbench::test
