// A synthesis on several devices keeps what it keeps on one, in the same order, whichever lane is
// first. Lanes are real processes (tests/fakes/scripted_trial_lane.cpp); nothing is measured, and
// no Python runs.
#include "runner/synthesis/trial_lanes.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "runner/core/json.hpp"
#include "runner/synthesis/synth_batch.hpp"
#include "runner/synthesis/synthesis_manifest.hpp"
#include "tests/fakes/kept_progress.hpp"
#include "tests/fakes/scripted_lowering.hpp"
#include "tests/fakes/scripted_trials.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace kbench::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// The device of this process, on which one trial is made after the other.
class ScriptedDevice final : public TrialDevices {
 public:
  [[nodiscard]] const OracleHello& hello() const override { return hello_; }
  Result<TrialAnswers> try_all(const std::vector<TrialOrder>& orders,
                               const std::function<bool()>& stop) override {
    TrialAnswers answers(orders.size());
    for (std::size_t i = 0; i < orders.size() && !stop(); ++i)
      answers[i] = scripted_answer(orders[i]);
    return answers;
  }

 private:
  OracleHello hello_;
};

class TrialLanesTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kCandidates = 24;

  // Lanes of so many devices; `more` of the first one's order.
  std::unique_ptr<TrialLanes> lanes(std::size_t count, Json more = Json::object()) {
    std::vector<LaneCommand> commands;
    std::vector<GpuInfo> gpus(count);
    for (std::size_t i = 0; i < count; ++i) {
      Json order = {{"folder", folder_.path().string()}};
      if (i == 0) order.update(more);
      gpus[i].uuid = "GPU-" + std::to_string(i);
      commands.push_back({.name = "cuda:" + std::to_string(i),
                          .argv = {KBENCH_SCRIPTED_TRIAL_LANE},
                          .environment = {},
                          .order = order});
    }
    auto made = std::make_unique<TrialLanes>(std::move(commands), std::move(gpus), progress_);
    const auto started = made->start([] { return false; });
    EXPECT_TRUE(started.ok()) << started.error().message;
    return made;
  }
  // Trials of candidates that "pass" where 5 leaves 2.
  static std::vector<TrialOrder> judge(const std::vector<int>& numbers) {
    std::vector<TrialOrder> orders;
    for (const int number : numbers)
      orders.push_back({.kind = TrialKind::kJudge,
                        .task = "level1/" + std::to_string(number) + "_tiny",
                        .file = "/none",
                        .size = "small",
                        .seed = ""});
    return orders;
  }
  // The records of a batch on these devices, in the order in which they are written down.
  Result<std::vector<CandidateRecord>> records(std::unique_ptr<TrialDevices> devices) {
    SynthRequest request;
    request.no_packages = true;
    const Installation nowhere;
    SynthSetting setting{.options = request,
                         .installation = nowhere,
                         .sandbox = sandbox_,
                         .lowering = {.python = {}, .script = "/suites/importer.py"},
                         .held_out = {},
                         .work = folder_ / "work",
                         .target = Target{.device = "cpu"},
                         .devices = std::move(devices),
                         .fingerprints = {},
                         .progress = progress_,
                         .stop = [] { return false; }};
    std::vector<Candidate> batch(kCandidates);
    for (std::size_t i = 0; i < kCandidates; ++i) {
      Candidate& candidate = batch[i];
      candidate.record.candidate = static_cast<std::int64_t>(i);
      candidate.record.where = candidate.source.where = "candidate " + std::to_string(i);
      candidate.source.number = static_cast<int>(i);
      candidate.search.emplace(TimeBand{}, 0.5);
    }
    if (auto done = SynthBatch(setting, batch).run(); !done) return done.error();
    std::vector<CandidateRecord> all;
    for (const Candidate& candidate : batch)
      if (candidate.done) all.push_back(candidate.record);
    return all;
  }
  Json manifest(std::unique_ptr<TrialDevices> devices) {
    const auto all = records(std::move(devices));
    EXPECT_TRUE(all.ok()) << all.error().message;
    return all ? manifest_of({{"schema", "a test"}}, *all) : Json();
  }

  TemporaryFolder folder_;
  KeptProgress progress_;
  LoweringSandbox sandbox_;
};

TEST_F(TrialLanesTest, SeveralDevicesKeepWhatOneKeeps) {
  const auto alone = records(std::make_unique<ScriptedDevice>());
  ASSERT_TRUE(alone.ok()) << alone.error().message;
  ASSERT_THAT(*alone, SizeIs(kCandidates));
  // The script has every kind of end, else this says little.
  const auto faults = count_faults(*alone);
  for (const CandidateFault fault : {CandidateFault::kEager, CandidateFault::kTime,
                                     CandidateFault::kDuplicate, CandidateFault::kMutant})
    EXPECT_GT(faults.at(fault), 0U) << to_string(fault);
  int longest_search = 0;
  for (const CandidateRecord& record : *alone)
    longest_search = std::max(longest_search, record.tries);
  EXPECT_GT(longest_search, 1) << "a candidate was made at another size";
  for (const std::size_t count : {1U, 2U, 4U}) {
    const auto spread = records(lanes(count));
    ASSERT_TRUE(spread.ok()) << spread.error().message;
    ASSERT_THAT(*spread, SizeIs(alone->size()));
    for (std::size_t i = 0; i < alone->size(); ++i)
      EXPECT_EQ(to_json_line((*spread)[i]), to_json_line((*alone)[i])) << count << " lanes";
    EXPECT_EQ(manifest_of({}, *spread), manifest_of({}, *alone)) << count << " lanes";
  }
}

TEST_F(TrialLanesTest, ALaneThatDiesChangesNothing) {
  const Json alone = manifest(std::make_unique<ScriptedDevice>());
  EXPECT_EQ(manifest(lanes(2, {{"dies", 0}})), alone);
  EXPECT_THAT(progress_.lines, HasSubstr("it is replaced"));
}

TEST_F(TrialLanesTest, WhatADeviceSaysThatIsLostWithItIsSaidAgainByAnother) {
  const Json alone = manifest(std::make_unique<ScriptedDevice>());
  auto two = lanes(2, {{"loses", 0}});
  const TrialLanes& seen = *two;
  EXPECT_THAT(seen.gpus(), SizeIs(2));
  EXPECT_EQ(manifest(std::move(two)), alone);
  EXPECT_THAT(progress_.lines, HasSubstr("cuda:0 leaves the synthesis: the device is lost"));
}

TEST_F(TrialLanesTest, WithoutAnyDeviceItEndsWithItsReason) {
  const auto ended = records(lanes(1, {{"loses", 0}}));
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.error().message, "no device is left: the device is lost");
  EXPECT_EQ(ended.error().hint, "restart the machine");
}

TEST_F(TrialLanesTest, StoppedItLeavesTrialsWithoutAnAnswer) {
  auto two = lanes(2);
  int looks = 0;
  const auto answers = two->try_all(judge({1, 2, 3, 4, 5, 6, 7, 8}), [&] { return ++looks > 4; });
  ASSERT_TRUE(answers.ok()) << answers.error().message;
  ASSERT_THAT(*answers, SizeIs(8));
  EXPECT_TRUE((*answers)[0]) << "at hand when it was stopped";
  EXPECT_FALSE((*answers)[7]);
}

TEST_F(TrialLanesTest, AnswersStandInTheOrderOfTheirOrders) {
  const auto never = [] { return false; };
  auto two = lanes(2);
  EXPECT_EQ(two->hello().facts.name, "a scripted device");
  const auto answers = two->try_all(judge({7, 2, 12, 9}), never);
  ASSERT_TRUE(answers.ok()) << answers.error().message;
  std::vector<std::string> found;
  for (const auto& answer : *answers)
    found.push_back(answer && answer->finding ? answer->finding->message : "");
  EXPECT_THAT(found, ElementsAre("7 passes", "2 passes", "12 passes", ""));
  EXPECT_THAT(two->try_all({}, never).value(), SizeIs(0));
}

}  // namespace
}  // namespace kbench::test
