// A run of a model's episodes, with an agent that follows a script, on a bench that measures
// nothing.
#include "runner/episode/agent_run.hpp"

#include <atomic>
#include <mutex>

#include <gmock/gmock.h>

#include "runner/run/resumed_request.hpp"
#include "runner/serve/gate_process.hpp"
#include "tests/fakes/scripted_agent.hpp"
#include "tests/unit/judge_fixture.hpp"
#include "tests/unit/paths.hpp"

namespace kbench::test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class RunAgent : public JudgeTest {
 protected:
  RunAgent() {
    asked_.run.device = "cpu";
    asked_.run.tasks = {"level1/019_relu"};
    asked_.model = "Qwen/Qwen3-8B";
    asked_.endpoint.host = "127.0.0.1";
    asked_.endpoint.port = port_of(server_);
    asked_.parallel = 1;
    asked_.database = terms_.database;
    asked_.command_line = "kbench agent run of a test";
    asked_.reward = find_reward("milestone_sure").value();
  }

  Result<AgentRunOutcome> go(ScriptedAgents& agents) {
    AgentRunSurroundings around{.device = device_,
                                .benches = benches_,
                                .sink = kept_,
                                .quiet = quiet_,
                                .start_agent = [&] { return agents.start(); },
                                .asked_to_stop = [this](auto) { return take_signal(); },
                                .abandon = [this] { ++abandoned_; },
                                .note = [this](const std::string& text) { note(text); }};
    return run_agent(asked_, around);
  }
  Result<AgentRunOutcome> go(ScriptedAgents::Script script) {
    ScriptedAgents agents(std::move(script));
    return go(agents);
  }
  bool take_signal() {
    if (signals_ == 0) return false;
    --signals_;
    return true;
  }
  void note(const std::string& text) {
    const std::scoped_lock lock(mutex_);
    notes_ += text + "\n";
  }

  // Why each of them ended, "-" where it goes on.
  [[nodiscard]] std::vector<std::string> ends(const std::string& run) const {
    const auto store = Store::open(terms_.database, Store::Mode::kReadOnly);
    std::vector<std::string> reasons;
    for (const EpisodeSummary& one : store.value().episodes(run).value())
      reasons.emplace_back(one.head.stop_reason ? to_string(*one.head.stop_reason) : "-");
    return reasons;
  }
  [[nodiscard]] std::vector<std::string> rows() const { return lines_of(stored()); }

  UniqueFd server_ = std::move(*listen_on("127.0.0.1", 0));  // nobody reads there
  AgentRunRequest asked_;
  KeptRun quiet_;
  std::atomic<int> signals_ = 0;
  int abandoned_ = 0;
  std::mutex mutex_;
  std::string notes_;
};

TEST_F(RunAgent, BaselinesEpisodesAndRowsAreOneRun) {
  asked_.episodes = 2;
  asked_.seed = 7;
  const auto outcome = go([](AgentSide& agent) { agent.write_and_submit("int nothing;"); });
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_THAT(ends(outcome->run_id), ElementsAre("submit", "submit"));
  EXPECT_THAT(rows(), UnorderedElementsAre("level1/019_relu - no_submission",
                                           "level1/019_relu Qwen-Qwen3-8B ok",
                                           "level1/019_relu Qwen-Qwen3-8B ok"));
  const kbench::Run run = stored_run(outcome->run_id);
  EXPECT_EQ(run.command_line, "kbench agent run of a test");
  EXPECT_NE(run.finished_at, "");
  EXPECT_THAT(kept_.rows, SizeIs(1)) << "the baselines alone are told of aloud";
  EXPECT_THAT(notes_, HasSubstr("turn 1: write, submit"));
}

TEST_F(RunAgent, EachEpisodeHasASeedOfItsOwn) {
  asked_.episodes = 2;
  asked_.seed = 7;
  std::mutex mutex;
  std::vector<int> seeds;
  ASSERT_TRUE(go([&](AgentSide& agent) {
                {
                  const std::scoped_lock lock(mutex);
                  seeds.push_back(agent.hello.at("settings").at("seed"));
                }
                agent.end("answered");
              }).ok());
  EXPECT_THAT(seeds, ElementsAre(7, 8));
}

TEST_F(RunAgent, SeveralEpisodesGoOnAtOnceAndAreJudgedOneAfterTheOther) {
  asked_.episodes = 4;
  asked_.parallel = 4;
  std::atomic<int> measuring = 0;
  std::atomic<int> most = 0;
  benches_.script.while_measuring = [&](const PlannedRow&) {
    most = std::max(most.load(), ++measuring);
    --measuring;
  };
  const auto outcome = go([](AgentSide& agent) { agent.write_and_submit("int nothing;"); });
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_THAT(ends(outcome->run_id), ElementsAre("submit", "submit", "submit", "submit"));
  EXPECT_EQ(most, 1);
}

TEST_F(RunAgent, TasksThatAreNoneBeginNothing) {
  asked_.run.tasks = {"level1/404*"};
  const auto none = go([](AgentSide&) {});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(benches_.made, 0);
}

TEST_F(RunAgent, WithoutAnEndpointNothingIsMeasured) {
  server_.reset();
  const auto outcome = go([](AgentSide&) {});
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.error().message, HasSubstr("the endpoint does not answer: "));
  EXPECT_EQ(benches_.made, 0);
}

TEST_F(RunAgent, WithoutBaselinesNothingIsJudged) {
  benches_.script.left_over = Error{ErrorCode::kInfrastructure, "a program did not die", "reboot"};
  ScriptedAgents agents([](AgentSide&) {});
  const auto outcome = go(agents);
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.error().message, HasSubstr("a program did not die"));
  EXPECT_EQ(outcome.error().hint, "without baselines nothing is judged");
  EXPECT_EQ(agents.started(), 0);
}

TEST_F(RunAgent, ASignalWhileBaselinesAreMeasuredBeginsNoEpisode) {
  signals_ = 1;
  ScriptedAgents agents([](AgentSide&) {});
  const auto outcome = go(agents);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(outcome->run_id, "");
  EXPECT_EQ(agents.started(), 0);
  EXPECT_EQ(abandoned_, 0);
}

TEST_F(RunAgent, AStoppedEpisodeGoesOnWhereItWas) {
  const auto first = go([this](AgentSide& agent) {
    agent.turn({{"write", Json{{"workspace", agent.hello.at("workspace")},
                               {"path", "kernels/main.cpp"},
                               {"text", "int nothing;"}}
                              .dump()}});
    signals_ = 1;
    agent.hear();  // until nobody is there any more
  });
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_THAT(ends(first->run_id), ElementsAre("-"));
  EXPECT_THAT(notes_, HasSubstr("again to abandon it"));

  asked_.resume = "latest";
  asked_.run = RunRequest();
  Json hello;
  const auto second = go([&](AgentSide& agent) {
    hello = agent.hello;
    agent.turn({{"submit", Json{{"workspace", agent.hello.at("workspace")}}.dump()}});
  });
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_EQ(second->run_id, first->run_id);
  EXPECT_EQ(hello.at("turns"), 1);
  EXPECT_THAT(ends(first->run_id), ElementsAre("submit"));
  EXPECT_THAT(rows(), SizeIs(2)) << "of the kernel that was written before";
  const auto third = go([](AgentSide&) {});
  ASSERT_FALSE(third.ok());
  EXPECT_THAT(third.error().message, HasSubstr("every episode of run"));
}

TEST_F(RunAgent, WhatGoesOnIsJudgedByTheSuiteOfItsRun) {
  asked_.run.suite = kbench::test::kTinySuites;
  benches_.place.suites = folder_ / "none";
  const auto first = go([this](AgentSide& agent) {
    signals_ = 1;
    agent.hear();
  });
  ASSERT_TRUE(first.ok()) << first.error().message;
  asked_.resume = "latest";
  asked_.run = RunRequest();
  ASSERT_TRUE(go([](AgentSide& agent) { agent.write_and_submit("int nothing;"); }).ok());
  EXPECT_THAT(ends(first->run_id), ElementsAre("submit"));
}

TEST_F(RunAgent, TheSecondSignalAbandonsWhatIsAtHand) {
  signals_ = 0;
  ASSERT_TRUE(go([this](AgentSide& agent) {
                signals_ = 2;
                agent.hear();
              }).ok());
  EXPECT_LE(abandoned_, 1) << "the second one may come once nothing is at hand";
}

TEST_F(RunAgent, AFaultOfTheMachineEndsThemAll) {
  asked_.episodes = 3;
  AgentRunSurroundings around{.device = device_,
                              .benches = benches_,
                              .sink = kept_,
                              .quiet = quiet_,
                              .start_agent = []() -> Result<AgentProcess> {
                                return Error{ErrorCode::kInfrastructure, "no sandbox", ""};
                              },
                              .asked_to_stop = [](auto) { return false; },
                              .abandon = [] {},
                              .note = [](const std::string&) {}};
  const auto outcome = run_agent(asked_, around);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().message, "no sandbox");
  const auto store = Store::open(terms_.database, Store::Mode::kReadOnly);
  EXPECT_THAT(ends(find_run_named(store.value(), "latest").value().id), Each("-"));
}

TEST_F(RunAgent, ItsChoicesAreThoseOfItsRows) {
  asked_.run.quick = true;
  const auto outcome = go([](AgentSide& agent) { agent.end("answered"); });
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_EQ(with_choices_of({}, stored_run(outcome->run_id)).quick, true);
  EXPECT_THAT(ends(outcome->run_id), ElementsAre("answered"));
}

}  // namespace
}  // namespace kbench::test
