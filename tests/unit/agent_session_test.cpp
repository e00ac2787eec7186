// One episode on the trusted side, with an agent that follows a script and a judge that judges
// nothing: budgets, stops, what is stored, what an agent may not say.
#include "runner/episode/agent_session.hpp"

#include <atomic>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/fakes/scripted_agent.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace kbench::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const InjectionTemplate kWords = {
    .version = 1,
    .id = "1",
    .heading = "known:\n",
    .report = "{component}:\n{fence}\n{report}\n{fence}\n",
    .plan = "plan:\n{fence}\n{plan}\n{fence}\n",
    .ask_for_plan = "what next?",
    .filler = "x",
};

class FixedJudge final : public EpisodeJudge {
 public:
  KernelVerdict compile(const WorkspaceTask&, const KernelTree&) override { return verdict; }
  KernelVerdict verify(const WorkspaceTask&, const KernelTree&) override {
    ++verified;
    return verdict;
  }
  KernelVerdict profile(const WorkspaceTask&, const KernelTree&) override { return verdict; }
  KernelVerdict report(std::string_view component, const WorkspaceTask&,
                       const KernelTree& tree) override {
    reports.push_back(std::string(component) + " " + tree.hash.substr(0, 8));
    return {{{"report", {{"status", status}, {"text", "line 7 is out of bounds"}}}}};
  }
  std::vector<std::string> reports;
  std::string status = "answered";
  KernelVerdict submit(const WorkspaceTask&, const KernelTree&,
                       const std::string& variant) override {
    variants.push_back(variant);
    return submitted;
  }

  KernelVerdict verdict{{{"state", "ok"}}};
  KernelVerdict submitted{{{"state", "ok"}}, "key"};
  int verified = 0;
  std::vector<std::string> variants;
};

class AgentSession : public ::testing::Test {
 protected:
  AgentSession() {
    auto opened = Store::open(folder_ / "kbench.sqlite", Store::Mode::kReadWrite);
    kbench::Run run;
    run.id = "run";
    run.configuration = run.environment = "{}";
    EXPECT_TRUE(opened->begin_run(run).ok());
    Evaluation row;  // row of every submission
    row.run_id = run.id;
    row.key = "key";
    row.task = "level1/019_relu";
    row.state = State::kWrongResult;
    row.message = "element 7 is wrong";
    const Blob source = pack("int one;");
    row.sources = {{"src/main.cpp", source.hash, 8}};
    row.tree_hash = hash_tree(row.sources);
    EXPECT_TRUE(opened->add(row, std::span(&source, 1)).ok());
    store_.emplace(std::move(*opened));
  }

  Episode begun() {
    Episode episode;
    episode.id = "e0000000000000000000000000000001";
    episode.run_id = "run";
    episode.task = "level1/019_relu";
    episode.size = "small";
    episode.device = "cpu";
    episode.model = "scripted";
    episode.sampling = to_json(sampling_).dump();
    episode.budget = to_json(budget_).dump();
    episode.started_at = "2026-11-21T13:00:00Z";
    EXPECT_TRUE(store_->with([&](Store& store) { return store.begin_episode(episode); }).ok());
    return episode;
  }
  // The episode goes on from what is stored of it.
  Status go_on(const Episode& episode, ScriptedAgents::Script script) {
    ScriptedAgents agents(std::move(script));
    AgentSurroundings around{.store = *store_,
                             .judge = judge_,
                             .start_agent = [&] { return agents.start(); },
                             .endpoint = {},
                             .key = "",
                             .stop = [this] { return stopping_.load(); },
                             .note = [](const std::string&) {},
                             .injection = kWords};
    return EpisodeSession(around, episode, texts_).run();
  }
  // A new one, as it is stored at its end.
  Episode played(ScriptedAgents::Script script) {
    const Episode episode = begun();
    const Status done = go_on(episode, std::move(script));
    EXPECT_TRUE(done.ok()) << done.error().message;
    return stored(episode.id);
  }
  Episode stored(const std::string& id) {
    return store_->with([&](const Store& store) { return store.read_episode(id).value(); });
  }
  static ReportedCall call(const AgentSide& agent, const char* tool,
                           Json arguments = Json::object()) {
    arguments["workspace"] = agent.hello.at("workspace");
    return {tool, arguments.dump()};
  }
  static ReportedCall writing(const AgentSide& agent) {
    return call(agent, "write", {{"path", "kernels/main.cpp"}, {"text", "int nothing;"}});
  }

  TemporaryFolder folder_;
  std::optional<SharedStore> store_;
  FixedJudge judge_;
  EpisodeBudget budget_;
  EpisodeSampling sampling_;
  std::atomic<bool> stopping_ = false;
  const WorkspaceTexts texts_{"task", "skill", "class Model", "// header", "// abi"};
};

TEST_F(AgentSession, ASubmissionEndsAnEpisodeWithTools) {
  const Episode episode = played([](AgentSide& agent) {
    EXPECT_EQ(agent.hello.at("style"), "react");
    EXPECT_EQ(agent.write_and_submit("int nothing;").at("stop"), true);
  });
  EXPECT_EQ(episode.stop_reason, StopReason::kSubmit);
  ASSERT_THAT(episode.turns, SizeIs(1));
  ASSERT_THAT(episode.turns[0].calls, SizeIs(2));
  EXPECT_EQ(episode.turns[0].calls[1].evaluation, "key");
  EXPECT_NE(episode.turns[0].calls[0].tree_after, episode.turns[0].calls[0].tree_before);
  EXPECT_THAT(judge_.variants, ::testing::ElementsAre("e0000000-1"));
}

TEST_F(AgentSession, TurnsTokensAndEvaluationsAreCounted) {
  budget_.turns = 2;
  EXPECT_EQ(played([](AgentSide& agent) {
              EXPECT_EQ(agent.turn({writing(agent)}).at("stop"), false);
              EXPECT_EQ(agent.turn({call(agent, "verify")}).at("stop"), true);
            }).stop_reason,
            StopReason::kTurns);
  EXPECT_EQ(judge_.verified, 1);
}

TEST_F(AgentSession, TokensEndIt) {
  budget_.tokens = 200;  // a turn is 110
  EXPECT_EQ(played([](AgentSide& agent) {
              agent.turn({writing(agent)});
              agent.turn({call(agent, "verify")});
            }).stop_reason,
            StopReason::kTokens);
}

TEST_F(AgentSession, EvaluationsBeyondTheBudgetEndIt) {
  budget_.evaluations = 1;
  const Episode episode = played([](AgentSide& agent) {
    agent.turn({writing(agent), call(agent, "verify"), call(agent, "verify")});
  });
  EXPECT_EQ(episode.stop_reason, StopReason::kEvaluations);
  EXPECT_EQ(episode.turns.at(0).calls.at(2).error, CallError::kOverBudget);
  EXPECT_EQ(judge_.verified, 1);
}

TEST_F(AgentSession, AFaultOfTheJudgeEndsItAsNobodysFault) {
  judge_.submitted = {Json::object(), "", CallError::kInfrastructure, false};
  EXPECT_EQ(played([](AgentSide& agent) { agent.write_and_submit("int nothing;"); }).stop_reason,
            StopReason::kInfrastructure);
}

TEST_F(AgentSession, WithoutToolsItSubmitsAsOftenAsThereAreTurns) {
  sampling_.style = AgentStyle::kRefine;
  budget_.turns = 2;
  const Episode episode = played([](AgentSide& agent) {
    EXPECT_EQ(agent.hello.at("kernel_path"), "kernels/main.cpp");
    EXPECT_THAT(agent.hello.at("tools"), IsEmpty());
    EXPECT_EQ(agent.write_and_submit("int one;").at("stop"), false);
    EXPECT_EQ(agent.write_and_submit("int two;").at("stop"), true);
  });
  EXPECT_EQ(episode.stop_reason, StopReason::kSubmit);
  EXPECT_THAT(judge_.variants, ::testing::ElementsAre("e0000000-1", "e0000000-2"));
}

TEST_F(AgentSession, WhereFeedbackIsChosenTheNextMessageHasIt) {
  sampling_.style = AgentStyle::kRefine;
  sampling_.feedback = {"error"};
  budget_.turns = 2;
  (void)played([](AgentSide& agent) {
    const Json next = agent.write_and_submit("int one;").at("next");
    EXPECT_EQ(next.at("to_planner"), false);
    const std::string text = next.at("text");
    EXPECT_THAT(text, HasSubstr("known:\nerror:\n```\nwrong_result: element 7 is wrong\n```"));
    EXPECT_THAT(text, HasSubstr("Make it right"));
    EXPECT_TRUE(agent.write_and_submit("int two;").at("next").is_null());
  });
}

TEST_F(AgentSession, WhereNoneIsChosenItHasNone) {
  sampling_.style = AgentStyle::kRefine;
  sampling_.feedback.emplace();
  budget_.turns = 2;
  (void)played([](AgentSide& agent) {
    const std::string text = agent.write_and_submit("int one;").at("next").at("text");
    EXPECT_THAT(text, ::testing::Not(HasSubstr("element 7")));
    agent.write_and_submit("int two;");
  });
}

TEST_F(AgentSession, APlannersTurnsAreNoTriesAndItsReplyIsNoKernel) {
  sampling_.style = AgentStyle::kRefine;
  sampling_.feedback = {"error"};
  sampling_.plan = true;
  budget_.turns = 2;
  const Episode episode = played([](AgentSide& agent) {
    const Json question = agent.write_and_submit("int one;").at("next");
    EXPECT_EQ(question.at("to_planner"), true);
    EXPECT_THAT(question.at("text"), HasSubstr("element 7 is wrong"));
    EXPECT_THAT(question.at("text"), HasSubstr("what next?"));
    const Json answer = agent.turn({writing(agent)}, "Tile it.");
    EXPECT_EQ(answer.at("stop"), false);
    EXPECT_EQ(answer.at("next").at("to_planner"), false);
    EXPECT_THAT(answer.at("next").at("text"), HasSubstr("plan:\n```\nTile it.\n"));
    EXPECT_EQ(agent.write_and_submit("int two;").at("stop"), true);
  });
  ASSERT_THAT(episode.turns, SizeIs(3));
  EXPECT_THAT(episode.turns[1].calls, IsEmpty());
  EXPECT_EQ(episode.stop_reason, StopReason::kSubmit);
}

TEST_F(AgentSession, AComponentThatReadsTheKernelSpeaksOfEachOnce) {
  sampling_.style = AgentStyle::kRefine;
  sampling_.feedback = {"debugger"};
  sampling_.plan = true;
  budget_.turns = 3;
  (void)played([](AgentSide& agent) {
    const std::string question = agent.write_and_submit("int one;").at("next").at("text");
    EXPECT_THAT(question, HasSubstr("debugger:\n```\nline 7 is out of bounds"));
    const std::string answer = agent.turn({}, "Tile it.").at("next").at("text");
    EXPECT_THAT(answer, HasSubstr("line 7 is out of bounds"));
    EXPECT_THAT(answer, ::testing::Not(HasSubstr("element 7")));
    EXPECT_FALSE(agent.write_and_submit("int two;").at("next").is_null());
    agent.end("window");
  });
  ASSERT_THAT(judge_.reports, SizeIs(2));
  EXPECT_NE(judge_.reports[0], judge_.reports[1]);
}

TEST_F(AgentSession, AComponentIsNotAskedAgainAfterAStop) {
  sampling_.style = AgentStyle::kRefine;
  sampling_.feedback = {"debugger"};
  Json next;
  const Episode cut = played([&](AgentSide& agent) {
    next = agent.write_and_submit("int one;").at("next");
    stopping_ = true;
    agent.hear();
  });
  ASSERT_THAT(judge_.reports, SizeIs(1));
  stopping_ = false;
  ASSERT_TRUE(go_on(cut, [&](AgentSide& agent) {
                EXPECT_EQ(agent.hello.at("last").at("next"), next);
                agent.end("window");
              }).ok());
  EXPECT_THAT(judge_.reports, SizeIs(1)) << "what it said is kept";
  const auto held =
      store_->with([](const Store& store) { return store.trajectories("run").value(); });
  ASSERT_THAT(held.reports, SizeIs(1));
  EXPECT_EQ(held.reports[0].component, "debugger");
}

TEST_F(AgentSession, AComponentThatWasKilledIsAskedAgainAfterAStop) {
  sampling_.style = AgentStyle::kRefine;
  sampling_.feedback = {"debugger"};
  judge_.status = "timeout";
  const Episode cut = played([&](AgentSide& agent) {
    agent.write_and_submit("int one;");
    stopping_ = true;
    agent.hear();
  });
  stopping_ = false;
  ASSERT_TRUE(go_on(cut, [&](AgentSide& agent) { agent.end("window"); }).ok());
  EXPECT_THAT(judge_.reports, SizeIs(2));
}

TEST_F(AgentSession, BehindAPlanItGoesOnWithTheSameMessage) {
  sampling_.style = AgentStyle::kRefine;
  sampling_.feedback = {"error"};
  sampling_.plan = true;
  Json next;
  const Episode cut = played([&](AgentSide& agent) {
    agent.write_and_submit("int one;");
    next = agent.turn({}).at("next");
    stopping_ = true;
    agent.hear();
  });
  ASSERT_THAT(cut.turns, SizeIs(2));
  stopping_ = false;
  ASSERT_TRUE(go_on(cut, [&](AgentSide& agent) {
                EXPECT_EQ(agent.hello.at("last").at("next"), next);
                EXPECT_EQ(agent.hello.at("last").at("of_planner"), true);
                agent.end("window");
              }).ok());
}

TEST_F(AgentSession, AnAgentThatDiesIsAFaultOfOurs) {
  EXPECT_EQ(played([](AgentSide&) {}).stop_reason, StopReason::kInfrastructure);
}

TEST_F(AgentSession, EndsAsTheAgentSays) {
  EXPECT_EQ(played([](AgentSide& agent) { agent.end("window"); }).stop_reason, StopReason::kWindow);
}

TEST_F(AgentSession, AnUnknownReasonIsTheEndpoints) {
  EXPECT_EQ(played([](AgentSide& agent) { agent.end("whatever"); }).stop_reason,
            StopReason::kEndpoint);
}

TEST_F(AgentSession, SecondsThatPassWhileTheEndpointFailsAreNotTheModels) {
  budget_.seconds = 1;
  const auto fails = [](AgentSide& agent) {
    agent.say({{"type", "note"}, {"text", "the endpoint answers with status 429; try 2 of 6"}});
    agent.hear();
  };
  EXPECT_EQ(played(fails).stop_reason, StopReason::kEndpoint);
}

TEST_F(AgentSession, SecondsAfterAReplyAreTheModels) {
  budget_.seconds = 1;
  EXPECT_EQ(played([](AgentSide& agent) {
              agent.say({{"type", "note"}, {"text", "the endpoint answers with status 429"}});
              agent.turn({writing(agent)});
              agent.hear();
            }).stop_reason,
            StopReason::kSeconds);
}

TEST_F(AgentSession, CallsThatMakeNoSenseAreCountedAndAnswered) {
  const Episode episode = played([](AgentSide& agent) {
    agent.turn({{"rm", "{}"}, {"read", "no JSON"}});
    agent.end("answered");
  });
  ASSERT_THAT(episode.turns, SizeIs(1));
  EXPECT_EQ(episode.turns[0].invalid_calls, 2);
  EXPECT_EQ(episode.turns[0].calls.at(0).error, CallError::kUnknownTool);
  EXPECT_EQ(episode.turns[0].calls.at(1).error, CallError::kBadArguments);
}

TEST_F(AgentSession, WhatAnAgentMayNotSayIsAnErrorAndEndsNothing) {
  const Episode episode = begun();
  for (const char* said : {R"({"type": "submit"})", R"({"type": "turn"})", R"("turn")"}) {
    const Status done = go_on(episode, [&](AgentSide& agent) { agent.say(Json::parse(said)); });
    EXPECT_FALSE(done.ok()) << said;
    EXPECT_EQ(stored(episode.id).stop_reason, std::nullopt);
  }
}

TEST_F(AgentSession, AStopLeavesItOpenAndItGoesOnWhereItWas) {
  const Episode cut = played([this](AgentSide& agent) {
    agent.turn({writing(agent)});
    stopping_ = true;
    agent.hear();
  });
  EXPECT_EQ(cut.stop_reason, std::nullopt);
  ASSERT_THAT(cut.turns, SizeIs(1));
  stopping_ = false;
  const Status done = go_on(cut, [](AgentSide& agent) {
    EXPECT_EQ(agent.hello.at("turns"), 1);
    agent.turn({call(agent, "submit")});
  });
  ASSERT_TRUE(done.ok()) << done.error().message;
  const Episode whole = stored(cut.id);
  EXPECT_EQ(whole.stop_reason, StopReason::kSubmit);
  ASSERT_THAT(whole.turns, SizeIs(2));
  EXPECT_EQ(whole.turns[0], cut.turns[0]) << "nothing is said twice";
  EXPECT_EQ(whole.turns[1].calls.at(0).tree_before, cut.turns[0].calls.at(0).tree_after);
}

TEST_F(AgentSession, SecondsFromBeforeAStopCount) {
  budget_.seconds = 60;
  Episode cut = played([this](AgentSide& agent) {
    agent.turn({writing(agent)});
    stopping_ = true;
    agent.hear();
  });
  ASSERT_EQ(cut.stop_reason, std::nullopt);
  cut.turns.at(0).wall_ms = 30'000;  // the model's, and its tool's
  cut.turns.at(0).calls.at(0).wall_ms = 31'000;
  stopping_ = false;
  ASSERT_TRUE(go_on(cut, [](AgentSide& agent) { agent.end("answered"); }).ok());
  EXPECT_EQ(stored(cut.id).stop_reason, StopReason::kSeconds);
}

TEST_F(AgentSession, ACallThatWasCutOffIsAnsweredOnce) {
  judge_.submitted.interrupted = true;
  const Episode cut = played([](AgentSide& agent) { agent.write_and_submit("int nothing;"); });
  EXPECT_EQ(cut.stop_reason, std::nullopt);
  ASSERT_THAT(cut.turns.at(0).calls, SizeIs(1)) << "the write was answered";
  judge_.submitted.interrupted = false;
  ASSERT_TRUE(go_on(cut, [](AgentSide&) {}).ok());
  const Episode whole = stored(cut.id);
  EXPECT_EQ(whole.stop_reason, StopReason::kSubmit) << "the reply tells of the other one";
  EXPECT_THAT(whole.turns, SizeIs(1));
  EXPECT_THAT(whole.turns[0].calls, SizeIs(2));
}

TEST(EpisodeBudget, IsReadAsItWasWritten) {
  EpisodeBudget budget{.turns = 3, .tokens = 4, .evaluations = 5, .seconds = 6, .window = 7};
  EXPECT_EQ(to_json(budget_from_json(to_json(budget).dump())), to_json(budget));
  EXPECT_EQ(to_json(budget_from_json("no JSON")), to_json(EpisodeBudget{}));
}

TEST(EpisodeSampling, IsReadAsItWasWritten) {
  EpisodeSampling sampling{.style = AgentStyle::kRefine,
                           .temperature = 0.5,
                           .max_tokens = 9,
                           .feedback = std::vector<std::string>{"error"},
                           .plan = true};
  EXPECT_EQ(to_json(sampling_from_json(to_json(sampling).dump())), to_json(sampling));
  EXPECT_EQ(to_json(sampling_from_json("[]")), to_json(EpisodeSampling{}));
}

}  // namespace
}  // namespace kbench::test
