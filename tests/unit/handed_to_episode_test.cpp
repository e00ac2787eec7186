// Each field that an episode hands on: its request to the agent, the judge and the store; the
// agent's words to the store; the stored episode to whoever goes on with it.
#include <atomic>
#include <mutex>
#include <thread>

#include <gmock/gmock.h>

#include "runner/episode/agent_run.hpp"
#include "runner/episode/agent_session.hpp"
#include "runner/episode/agent_talk.hpp"
#include "runner/serve/gate_process.hpp"
#include "tests/fakes/await.hpp"
#include "tests/fakes/scripted_agent.hpp"
#include "tests/unit/judge_fixture.hpp"

namespace kbench::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const Endpoint kEndpoint{.host = "models.example",
                         .port = 8443,
                         .tls = true,
                         .certificates = "a certificate",
                         .authority = "models.example:8443",
                         .target = "/v1/chat/completions"};

AgentHello hello_of(const AgentSide& agent) { return agent_hello_from_json(agent.hello).value(); }

// --- one episode ---

class PatientJudge final : public EpisodeJudge {
 public:
  KernelVerdict compile(const WorkspaceTask&, const KernelTree&) override { return {}; }
  KernelVerdict verify(const WorkspaceTask& task, const KernelTree&) override {
    asked = task;
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
    return {{{"state", "ok"}, {"said", "verified"}}};
  }
  KernelVerdict profile(const WorkspaceTask&, const KernelTree&) override { return {}; }
  KernelVerdict report(std::string_view, const WorkspaceTask&, const KernelTree&) override {
    return {};
  }
  KernelVerdict submit(const WorkspaceTask&, const KernelTree&,
                       const std::string& variant) override {
    variants.push_back(variant);
    return {{{"state", "ok"}}, "key"};
  }
  std::optional<WorkspaceTask> asked;
  std::vector<std::string> variants;
};

class HandedToEpisode : public ::testing::Test {
 protected:
  HandedToEpisode() {
    auto opened = Store::open(folder_ / "kbench.sqlite", Store::Mode::kReadWrite);
    for (const std::string id : {"another", "run"}) {
      kbench::Run run;
      run.id = id;
      run.configuration = run.environment = "{}";
      EXPECT_TRUE(opened->begin_run(run).ok());
      Evaluation row;
      row.run_id = id;
      row.key = "key";
      row.task = "level1/019_relu";
      row.state = State::kWrongResult;
      row.message = "as " + id + " has it";
      EXPECT_TRUE(opened->add(row).ok());
    }
    store_.emplace(std::move(*opened));
  }
  Episode begun() {
    Episode episode;
    episode.id = "e0000000000000000000000000000001";
    episode.run_id = "run";
    episode.task = "level1/019_relu";
    episode.size = "full";
    episode.device = "cpu";
    episode.model = "a model";
    episode.seed = 77;
    episode.sampling = to_json(sampling_).dump();
    episode.budget = to_json(budget_).dump();
    episode.started_at = "2026-11-21T13:00:00Z";
    EXPECT_TRUE(store_->with([&](Store& store) { return store.begin_episode(episode); }).ok());
    return episode;
  }
  Status go_on(const Episode& episode, ScriptedAgents::Script script) {
    ScriptedAgents agents(std::move(script));
    AgentSurroundings around{.store = *store_,
                             .judge = judge_,
                             .precision = "bf16",
                             .start_agent = [&] { return agents.start(); },
                             .endpoint = kEndpoint,
                             .key = "secret",
                             .timeout = std::chrono::seconds{78},
                             .stop = [this] { return stopping_.load(); },
                             .note = [this](const std::string& text) { notes_ += text + "\n"; },
                             .injection = InjectionTemplate{.version = 1,
                                                            .id = "1",
                                                            .heading = "known:\n",
                                                            .report = "{report}\n",
                                                            .plan = "{plan}",
                                                            .ask_for_plan = "what next?",
                                                            .filler = "x"}};
    return EpisodeSession(around, episode, texts_).run();
  }
  Episode played(ScriptedAgents::Script script) {
    const Episode episode = begun();
    const Status done = go_on(episode, std::move(script));
    EXPECT_TRUE(done.ok()) << done.error().message;
    return stored();
  }
  Episode stored() {
    return store_->with([](const Store& store) {
      return store.read_episode("e0000000000000000000000000000001").value();
    });
  }
  std::string text_of(const std::string& hash) {
    const auto texts = store_->with([&](const Store& store) {
      return store.contents({&hash, 1}, 1 << 20);
    });
    return texts && texts->contains(hash) ? texts->at(hash) : "(nothing of that hash)";
  }
  static ReportedCall call(const AgentSide& agent, const char* tool,
                           Json arguments = Json::object()) {
    arguments["workspace"] = agent.hello.at("workspace");
    return {tool, arguments.dump()};
  }
  static ReportedCall writing(const AgentSide& agent, const std::string& text = "int nothing;") {
    return call(agent, "write", {{"path", "kernels/main.cpp"}, {"text", text}});
  }

  TemporaryFolder folder_;
  std::optional<SharedStore> store_;
  PatientJudge judge_;
  EpisodeBudget budget_;
  EpisodeSampling sampling_;
  std::atomic<bool> stopping_ = false;
  std::string notes_;
  const WorkspaceTexts texts_{"the task", "skill", "class Model", "// header", "// abi"};
};

TEST_F(HandedToEpisode, TheAgentIsToldAllThatTheModelIsAskedBy) {
  budget_.window = 4096;
  sampling_.temperature = 0.25;
  sampling_.max_tokens = 9;
  AgentHello hello;
  (void)played([&](AgentSide& agent) {
    hello = hello_of(agent);
    agent.end("answered");
  });
  EXPECT_EQ(hello.authority, "models.example:8443");
  EXPECT_EQ(hello.target, "/v1/chat/completions");
  EXPECT_EQ(hello.server, "models.example");
  EXPECT_EQ(hello.certificates, "a certificate");
  EXPECT_EQ(hello.key, "secret");
  EXPECT_EQ(hello.settings, (Json{{"model", "a model"},
                                  {"seed", 77},
                                  {"stream", false},
                                  {"temperature", 0.25},
                                  {"max_tokens", 9}}));
  EXPECT_EQ(hello.window, 4096);
  EXPECT_EQ(hello.timeout_s, 78);
  EXPECT_EQ(hello.workspace, "e0000000000000000000000000000001");
  EXPECT_EQ(hello.kernel_path, "kernels/main.cpp");
  ASSERT_THAT(hello.prompt, SizeIs(2));
  EXPECT_EQ(hello.opening, 2U) << "no compaction touches what it begins with";
  EXPECT_THAT(hello.prompt.at(1).dump(), HasSubstr("the task"));
  EXPECT_THAT(notes_, HasSubstr("ended by answered: that is all"));
}

TEST_F(HandedToEpisode, ATurnIsStoredAsItWasReportedAndItsCallsAsTheyWereAnswered) {
  TurnReport said;
  said.messages = {R"({"role":"system","content":"one"})", R"({"role":"user","content":"two"})"};
  said.reply = R"({"role":"assistant","content":"three"})";
  said.finish_reason = "stop";
  said.prompt_tokens = 100;
  said.completion_tokens = 10;
  said.compacted = 3;
  said.wall_ms = 1234;
  Json answer;
  const Episode episode = played([&](AgentSide& agent) {
    agent.say({{"type", "note"}, {"text", "the endpoint is slow"}});
    said.calls = {writing(agent), call(agent, "verify")};
    agent.say(to_json(said));
    answer = agent.hear();
    agent.end("answered");
  });
  ASSERT_THAT(episode.turns, SizeIs(1));
  const Turn& turn = episode.turns[0];
  ASSERT_THAT(turn.messages, SizeIs(2));
  EXPECT_EQ(text_of(turn.messages[0]), said.messages[0]);
  EXPECT_EQ(text_of(turn.messages[1]), said.messages[1]);
  EXPECT_EQ(text_of(turn.reply), said.reply);
  EXPECT_THAT(text_of(turn.tools), HasSubstr("open_workspace"));
  EXPECT_EQ(turn.finish_reason, "stop");
  EXPECT_EQ(turn.prompt_tokens, 100);
  EXPECT_EQ(turn.completion_tokens, 10);
  EXPECT_EQ(turn.compacted, 3);
  EXPECT_EQ(turn.wall_ms, 1234);
  ASSERT_THAT(turn.calls, SizeIs(2));
  const ToolCall& verified = turn.calls[1];
  EXPECT_EQ(text_of(verified.arguments), said.calls[1].arguments);
  EXPECT_THAT(text_of(verified.result), HasSubstr("verified"));
  EXPECT_GE(verified.wall_ms, 5) << "a resumed episode counts the time of its tools";
  EXPECT_EQ(turn.calls[0].tree_before, "");
  EXPECT_EQ(turn.calls[0].tree_after, verified.tree_before);
  EXPECT_EQ(verified.tree_after, verified.tree_before);
  EXPECT_EQ(answer.at("results").at(1), text_of(verified.result)) << "the model is told the same";
  ASSERT_TRUE(judge_.asked);
  EXPECT_EQ(judge_.asked->precision, "bf16");
  EXPECT_EQ(judge_.asked->size, "full");
  EXPECT_EQ(judge_.asked->device, "cpu");
  EXPECT_THAT(notes_, HasSubstr("the endpoint is slow"));
  EXPECT_THAT(notes_, HasSubstr("turn 1: write, verify"));
}

TEST_F(HandedToEpisode, WhoGoesOnKnowsWhatWasSaidAndCountsSubmissionsOn) {
  sampling_.style = AgentStyle::kRefine;
  const Episode cut = played([&](AgentSide& agent) {
    agent.write_and_submit("int one;");
    stopping_ = true;
    agent.hear();
  });
  ASSERT_THAT(cut.turns, SizeIs(1));
  EXPECT_EQ(cut.stop_reason, std::nullopt);
  stopping_ = false;
  AgentHello hello;
  ASSERT_TRUE(go_on(cut, [&](AgentSide& agent) {
                hello = hello_of(agent);
                agent.write_and_submit("int two;");
                agent.end("answered");
              }).ok());
  EXPECT_EQ(hello.turns, 1);
  EXPECT_EQ(hello.opening, cut.turns[0].messages.size());
  ASSERT_THAT(hello.prompt, SizeIs(1));
  EXPECT_EQ(hello.prompt.at(0), Json::parse(text_of(cut.turns[0].messages[0])));
  EXPECT_EQ(hello.tokens, 110);
  ASSERT_TRUE(hello.last);
  EXPECT_EQ(hello.last->reply, Json::parse(text_of(cut.turns[0].reply)));
  ASSERT_THAT(hello.last->results, SizeIs(2));
  EXPECT_EQ(hello.last->results[1], text_of(cut.turns[0].calls[1].result));
  EXPECT_EQ(hello.key, "secret");
  EXPECT_THAT(judge_.variants, ElementsAre("e0000000-1", "e0000000-2"))
      << "the second is not taken for the first";
}

TEST_F(HandedToEpisode, AReplyWithoutCallsWasTheLastOne) {
  const Episode cut = played([&](AgentSide& agent) {
    agent.turn({}, "I am done.");
    stopping_ = true;
    agent.hear();
  });
  ASSERT_EQ(cut.stop_reason, std::nullopt);
  stopping_ = false;
  ASSERT_TRUE(go_on(cut, [](AgentSide& agent) { agent.end("window"); }).ok());
  EXPECT_EQ(stored().stop_reason, StopReason::kAnswered);
}

TEST_F(HandedToEpisode, KernelsThatCannotBeMadeAgainAreNotJudgedInPlaceOfTheirs) {
  Episode cut = played([this](AgentSide& agent) {
    agent.turn({writing(agent)});
    stopping_ = true;
    agent.hear();
  });
  stopping_ = false;
  cut.turns.at(0).calls.at(0).tree_after = std::string(64, 'a');
  const Status done = go_on(cut, [](AgentSide&) {});
  ASSERT_FALSE(done.ok());
  EXPECT_THAT(done.error().message, HasSubstr("e0000000 cannot be made again"));
  EXPECT_EQ(stored().stop_reason, std::nullopt);
}

TEST_F(HandedToEpisode, TheFirstTurnContinuesNone) {
  const Status done = go_on(begun(), [](AgentSide& agent) {
    TurnReport said;
    said.continues = true;
    said.reply = "{}";
    agent.say(to_json(said));
  });
  ASSERT_FALSE(done.ok());
  EXPECT_THAT(done.error().message, HasSubstr("makes no sense"));
}

TEST_F(HandedToEpisode, FeedbackIsOfTheRowOfItsOwnRun) {
  sampling_.style = AgentStyle::kRefine;
  sampling_.feedback = {"error"};
  (void)played([](AgentSide& agent) {
    const std::string text = agent.write_and_submit("int one;").at("next").at("text");
    EXPECT_THAT(text, HasSubstr("as run has it"));
    agent.end("answered");
  });
}

TEST_F(HandedToEpisode, SecondsThatTheEndpointTookAreToldWithItsFailure) {
  budget_.seconds = 1;
  EXPECT_EQ(played([](AgentSide& agent) {
              agent.say({{"type", "note"}, {"text", "status 429"}});
              agent.hear();
            }).stop_reason,
            StopReason::kEndpoint);
  EXPECT_THAT(notes_, HasSubstr("no seconds are left; status 429"));
}

TEST_F(HandedToEpisode, WhoeverAsksOnceIsHeardByTheSameEndpoint) {
  AgentHello hello;
  ScriptedAgents agents([&](AgentSide& agent) {
    hello = hello_of(agent);
    agent.turn({}, "x");
  });
  const auto answer = ask_once({.start_agent = [&] { return agents.start(); },
                                .endpoint = kEndpoint,
                                .key = "secret",
                                .timeout = std::chrono::seconds{7},
                                .window = 4096,
                                .stop = [] { return false; },
                                .note = [](const std::string&) {}},
                               {{"model", "m"}}, Json::array({{{"role", "user"}}}));
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(hello.timeout_s, 7);
  EXPECT_EQ(hello.opening, 1U);
  EXPECT_EQ(hello.style, AgentStyle::kOnce);
  EXPECT_EQ(hello.certificates, "a certificate");
  EXPECT_EQ(hello.server, "models.example");
  EXPECT_EQ(hello.authority, "models.example:8443");
}

// --- a run of episodes ---

class HandedToEpisodes : public JudgeTest {
 protected:
  // Keeps what each run was asked for.
  class Benches final : public BenchSource {
   public:
    explicit Benches(ScriptedBenches& benches) : benches_(benches) {}
    [[nodiscard]] const Installation& installation() const override { return benches_.place; }
    void prepare() override {}
    Result<std::unique_ptr<RunBench>> make(const BenchOrder& order) override {
      asked.push_back(order.request);
      return benches_.make(order);
    }
    std::vector<RunRequest> asked;

   private:
    ScriptedBenches& benches_;
  };

  HandedToEpisodes() {
    asked_.run.device = "cpu";
    asked_.run.tasks = {"level1/019_relu"};
    asked_.run.size = "full";
    asked_.run.precision = "bf16";
    asked_.run.allow_torch = "all";
    asked_.run.quick = true;
    asked_.model = "a/model";
    asked_.parallel = 1;
    asked_.budget.window = 4096;
    asked_.sampling.temperature = 0.25;
    asked_.seed = 7;
    asked_.endpoint = kEndpoint;
    asked_.endpoint.host = "127.0.0.1";
    asked_.endpoint.port = port_of(server_);
    asked_.key = "secret";
    asked_.timeout = std::chrono::seconds{78};
    asked_.database = terms_.database;
    asked_.reward = find_reward("log").value();
  }
  Result<AgentRunOutcome> go(ScriptedAgents::Script script) {
    ScriptedAgents agents(std::move(script));
    AgentRunSurroundings around{.device = device_,
                                .benches = watched_,
                                .sink = kept_,
                                .quiet = quiet_,
                                .start_agent = [&] { return agents.start(); },
                                .asked_to_stop = [this](auto) { return take_signal(); },
                                .abandon = [this] { ++abandoned_; },
                                .note = [this](const std::string& text) { note(text); }};
    return run_agent(asked_, around);
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
  bool noted(const std::string& text) {
    const std::scoped_lock lock(mutex_);
    return notes_.find(text) != std::string::npos;
  }
  static ReportedCall submitting(const AgentSide& agent) {
    return {"submit", Json{{"workspace", agent.hello.at("workspace")}}.dump()};
  }
  static ReportedCall writing(const AgentSide& agent) {
    return {"write", Json{{"workspace", agent.hello.at("workspace")},
                          {"path", "kernels/main.cpp"},
                          {"text", "int nothing;"}}
                         .dump()};
  }
  std::vector<EpisodeSummary> episodes() const {
    const auto store = Store::open(terms_.database, Store::Mode::kReadOnly);
    return store.value().episodes(std::nullopt).value();
  }

  Benches watched_{benches_};
  UniqueFd server_ = std::move(*listen_on("127.0.0.1", 0));  // it is looked for, and nobody reads
  AgentRunRequest asked_;
  KeptRun quiet_;
  std::atomic<int> signals_ = 0;
  std::atomic<int> abandoned_ = 0;
  std::mutex mutex_;
  std::string notes_;
};

TEST_F(HandedToEpisodes, WhatIsAskedForReachesTheBaselinesTheEpisodesAndTheRows) {
  Json hello, read, told;
  const auto outcome = go([&](AgentSide& agent) {
    hello = agent.hello;
    const Json turn = agent.turn(
        {{"read", Json{{"workspace", hello.at("workspace")}, {"path", "TASK.md"}}.dump()},
         writing(agent),
         submitting(agent)});
    told = Json::parse(turn.at("results").at(2).get<std::string>());
  });
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  ASSERT_THAT(watched_.asked, SizeIs(2)) << told;
  EXPECT_TRUE(watched_.asked[0].baselines_only);
  EXPECT_FALSE(watched_.asked[1].baselines_only);
  for (const RunRequest& one : watched_.asked) {
    EXPECT_EQ(one.size, "full");
    EXPECT_EQ(one.precision, "bf16");
    EXPECT_EQ(one.allow_torch, "all");
    EXPECT_TRUE(one.quick);
    EXPECT_EQ(one.device, "cpu");
    EXPECT_THAT(one.tasks, ElementsAre("level1/019_relu"));
  }
  EXPECT_EQ(hello.at("key"), "secret");
  EXPECT_EQ(hello.at("authority"), "models.example:8443");
  EXPECT_EQ(agent_hello_from_json(hello).value().timeout_s, 78);
  EXPECT_EQ(agent_hello_from_json(hello).value().window, 4096);
  EXPECT_EQ(hello.at("settings").at("temperature"), 0.25);
  EXPECT_EQ(hello.at("settings").at("model"), "a/model");
  EXPECT_EQ(hello.at("settings").at("seed"), 7);
  EXPECT_EQ(told.at("row").at("reward").at("name"), "log");
  PromptRequest request;
  request.size = "full";
  request.device = "cpu";
  request.precision = "bf16";
  const auto prompt = prompt_of_task(std::nullopt, {}, "level1/019_relu", request, benches_.place);
  ASSERT_TRUE(prompt.ok());
  EXPECT_EQ(hello.at("prompt").at(1).at("content"), prompt->text);
  ASSERT_THAT(episodes(), SizeIs(1));
  const Episode head = episodes()[0].head;
  EXPECT_EQ(head.size, "full");
  EXPECT_EQ(head.device, "cpu");
  EXPECT_EQ(head.model, "a/model");
  EXPECT_EQ(budget_from_json(head.budget).window, 4096);
  EXPECT_EQ(sampling_from_json(head.sampling).temperature, 0.25);
  EXPECT_THAT(quiet_.rows, SizeIs(1)) << "a judgement is not told aloud";
  EXPECT_THAT(kept_.rows, SizeIs(1));
}

TEST_F(HandedToEpisodes, OnlyEpisodesThatHaveNotEndedGoOnByTheirOwnRunsChoices) {
  asked_.episodes = 2;
  std::atomic<int> begun = 0;
  ASSERT_TRUE(go([&](AgentSide& agent) {
                if (begun++ == 0) return agent.end("answered");
                agent.turn({writing(agent)});
                signals_ = 1;
                agent.hear();
                return;
              }).ok());
  watched_.asked.clear();
  asked_.resume = "latest";
  asked_.run = RunRequest();
  asked_.seed = 99;
  std::vector<Json> seeds;
  ASSERT_TRUE(go([&](AgentSide& agent) {
                seeds.push_back(agent.hello.at("settings").at("seed"));
                agent.turn({submitting(agent)});
              }).ok());
  EXPECT_THAT(seeds, ElementsAre(8)) << "the first one had ended";
  ASSERT_THAT(watched_.asked, SizeIs(1)) << "baselines are not measured again";
  EXPECT_EQ(watched_.asked[0].size, "full");
  EXPECT_EQ(watched_.asked[0].precision, "bf16");
  EXPECT_EQ(watched_.asked[0].allow_torch, "all");
  EXPECT_TRUE(watched_.asked[0].quick);
}

TEST_F(HandedToEpisodes, ChosenFeedbackHasItsTemplateAlsoOnResume) {
  asked_.sampling.style = AgentStyle::kRefine;
  asked_.sampling.feedback = {"error"};
  benches_.script.states["a-model"] = State::kWrongResult;
  const auto first = go([this](AgentSide& agent) {
    EXPECT_TRUE(agent.turn({writing(agent), submitting(agent)}).at("next").is_object());
    signals_ = 1;
    agent.hear();
  });
  ASSERT_TRUE(first.ok()) << first.error().message;
  asked_.resume = "latest";
  const auto second = go([](AgentSide& agent) {
    EXPECT_TRUE(agent.hello.at("last").at("next").is_object());
    agent.end("answered");
  });
  ASSERT_TRUE(second.ok()) << second.error().message;
}

TEST_F(HandedToEpisodes, SoManyTalkAtOnceAsAreAskedFor) {
  asked_.episodes = 2;
  asked_.parallel = 2;
  std::atomic<int> talking = 0;
  ASSERT_TRUE(go([&](AgentSide& agent) {
                ++talking;
                EXPECT_TRUE(await([&] { return talking == 2; }, "the other episode"));
                agent.end("answered");
              }).ok());
}

TEST_F(HandedToEpisodes, AStopReachesTheJudgeBeforeItMeasures) {
  std::atomic<bool> begun = false;
  benches_.script.while_preparing = [&] {
    if (!begun) return;
    signals_ = 1;
    EXPECT_TRUE(await([this] { return noted("finishing what is at hand"); }, "the stop"));
  };
  const auto outcome = go([&](AgentSide& agent) {
    begun = true;
    agent.turn({writing(agent), submitting(agent)});
  });
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_THAT(quiet_.rows, SizeIs(0));
}

// Where no key can be kept, no row is chained.
TEST_F(HandedToEpisodes, AnAnswerTrustsWhatTheRunIsToldToTrust) {
  std::filesystem::create_directories(benches_.place.state / "chain.key");
  asked_.run.quick = false;
  for (const bool trusts : {false, true}) {
    asked_.trust.unchecked = trusts;
    Json told;
    const auto outcome = go([&](AgentSide& agent) {
      const Json turn = agent.turn({writing(agent), submitting(agent)});
      told = Json::parse(turn.at("results").at(1).get<std::string>());
    });
    ASSERT_TRUE(outcome.ok()) << outcome.error().message;
    const Json why = told.at("row").at("unranked_reason");
    EXPECT_EQ(why.dump().find("--trust-unchecked") != std::string::npos, !trusts) << why;
  }
}

TEST_F(HandedToEpisodes, TheSecondSignalAbandonsWhatIsMeasured) {
  benches_.script.while_measuring = [this](const PlannedRow& unit) {
    if (!unit.submission) return;
    signals_ = 2;
    EXPECT_TRUE(await([this] { return abandoned_ == 1; }, "the end at once"));
  };
  const auto outcome = go([](AgentSide& agent) {
    agent.turn({writing(agent), submitting(agent)});
  });
  ASSERT_TRUE(outcome.ok()) << outcome.error().message;
  EXPECT_THAT(notes_, HasSubstr("finishing what is at hand; again to abandon it"));
}

}  // namespace
}  // namespace kbench::test
