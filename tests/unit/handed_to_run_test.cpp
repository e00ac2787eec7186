// Each field that a judge hands on: from an order or a workspace to the run of its kernels,
// its profile, its prompt. On a bench that measures nothing.
#include <fstream>

#include <gmock/gmock.h>

#include "runner/judge/agent_judge.hpp"
#include "runner/judge/kernel_words.hpp"
#include "runner/judge/serve_judge.hpp"
#include "runner/judge/workspace_session.hpp"
#include "runner/serve/client_limits.hpp"
#include "tests/unit/judge_fixture.hpp"

namespace kbench::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const DeviceWait kHeld{{"4711", "run 0123456789ab", "2026-11-21T13:00:00Z", ""}, 3, 60.0};
struct Heard {};  // thrown in place of a long wait

// Keeps what benches are asked for, and has each run wait for the device once.
class WatchedBenches final : public BenchSource {
 public:
  explicit WatchedBenches(ScriptedBenches& benches) : benches_(benches) {}
  [[nodiscard]] const Installation& installation() const override { return benches_.place; }
  void prepare() override {}
  Result<std::unique_ptr<RunBench>> make(const BenchOrder& order) override {
    asked = order.request;
    command_line = order.terms.command_line;
    if (order.terms.waits) order.terms.waits(kHeld);
    return benches_.make(order);
  }

  RunRequest asked;  // with the last bench
  std::string command_line;

 private:
  ScriptedBenches& benches_;
};

// The tasks come from the suite that is asked for, and no others are there.
class HandedToRun : public JudgeTest {
 protected:
  HandedToRun() {
    benches_.place.suites = folder_ / "none";
    benches_.place.oracle = folder_.write("kbench-oracle", "");
    device_.emplace(benches_.place, SessionTurns::kOne);
    device_->prepare();
    benches_.script.compiler = device_->toolchain().host_version;
    benches_.script.nvcc = device_->toolchain().nvcc_version;
  }
  std::function<void(const std::optional<DeviceWait>&)> waits() {
    return [this](const std::optional<DeviceWait>& wait) { waits_ += wait == kHeld ? 1 : 0; };
  }
  // A suite of tests/tiny's tasks, with another task of which nothing may be learnt.
  fs::path suite_with_unranked() const {
    const fs::path suite = folder_ / "suite";
    fs::create_directories(suite / "level1");
    for (const std::string name : {"019_relu", "023_softmax"})
      for (const char* end : {".py", ".json"})
        fs::copy(fs::path(kTinySuites) / "level1" / (name + end), suite / "level1" / (name + end));
    const fs::path file = suite / "level1/023_softmax.json";
    Json task = Json::parse(std::ifstream(file));
    task["lint_accepts"] = {{"zeros", "a test says so"}};
    std::ofstream(file) << task.dump();
    return suite;
  }

  std::optional<DeviceSession> device_;
  WatchedBenches watched_{benches_};
  SuiteFolder suite_ = fs::path(kTinySuites);
  int waits_ = 0;
};

// --- a server's orders ---

class HandedByServer : public HandedToRun {
 protected:
  std::unique_ptr<ServingJudge> judge() {
    auto made = make_serve_judge({.place = {suite_, *device_, watched_},
                                  .device = device_word_,
                                  .size = size_,
                                  .allow_torch = allow_torch_,
                                  .precision = precision_,
                                  .vendor = vendor_,
                                  .database = terms_.database,
                                  .trust = {},
                                  .sink = kept_,
                                  .quiet = quiet_});
    EXPECT_TRUE(made.ok()) << (made ? "" : made.error().message);
    if (!made) return nullptr;
    benches_.script.device_name = (*made)->device().name;
    return std::move(*made);
  }
  static Order order(const std::string& what = "") {
    return {.what = what,
            .task = "level1/019_relu",
            .size = "full",
            .agent = "anna",
            .files = what == "profile" ? std::map<std::string, std::string>{{"main.cpp", "int x;"}}
                                       : std::map<std::string, std::string>{
                                             {"main.py", "class ModelNew: pass\n"}}};
  }
  static std::string id_of(ServingJudge& judge, const Order& order) {
    const auto known = judge.identify(order);
    EXPECT_TRUE(known.ok()) << (known ? "" : known.error().message);
    return known ? known->id : "";
  }

  std::string device_word_ = "cpu";
  std::optional<std::string> size_;
  std::string allow_torch_ = "data";
  std::string precision_ = "torch-default";
  bool vendor_ = false;
  KeptRun quiet_;
};

TEST_F(HandedByServer, ARunIsWhatTheServerAndTheOrderSay) {
  allow_torch_ = "all";
  precision_ = "bf16";
  vendor_ = true;
  const auto serving = judge();
  ASSERT_TRUE(serving);
  for (const std::string what : {"", "verify", "profile"}) {
    const QueuedOrder one{.id = id_of(*serving, order(what)), .order = order(what)};
    waits_ = 0;
    std::vector<std::string> told;
    ASSERT_TRUE(
        serving
            ->judge({&one, 1}, {.told = [&](const std::string& id, auto) { told.push_back(id); },
                                .waits = waits()})
            .ok())
        << what;
    EXPECT_THAT(told, ElementsAre(one.id)) << "by the name that the order has, " << what;
    EXPECT_EQ(waits_, 1) << "whoever waits is told for whom, " << what;
    const RunRequest& asked = watched_.asked;
    EXPECT_EQ(asked.suite, suite_) << what;
    EXPECT_THAT(asked.tasks, ElementsAre("level1/019_relu")) << what;
    EXPECT_EQ(asked.size, "full") << what;
    EXPECT_EQ(asked.device, "cpu") << what;
    EXPECT_EQ(asked.precision, "bf16") << what;
    if (what == "profile") continue;
    EXPECT_EQ(watched_.command_line, "kbench serve") << what;
    EXPECT_EQ(asked.allow_torch, "all") << what;
    EXPECT_TRUE(asked.repeat_busy) << what;
    EXPECT_EQ(asked.vendor, what.empty()) << what << ": what is not timed has no baseline";
    EXPECT_EQ(asked.checks_only, what == "verify");
  }
  EXPECT_THAT(kept_.rows, SizeIs(1));
  EXPECT_EQ(kept_.rows.at(0).submission->agent, "anna");
  EXPECT_THAT(quiet_.rows, SizeIs(1)) << "nobody keeps what is verified";
  EXPECT_TRUE(serving->find(id_of(*serving, order()), "", Judge::Rows::kThatCount).value());
}

TEST_F(HandedByServer, AStopReachesWhatIsVerifiedBeforeItIsMeasured) {
  const auto serving = judge();
  benches_.script.while_preparing = [&] { serving->stop(); };
  const QueuedOrder one{.id = id_of(*serving, order("verify")), .order = order("verify")};
  ASSERT_TRUE(serving->judge({&one, 1}, {.told = [](auto&, auto) {}}).ok());
  EXPECT_THAT(quiet_.rows, SizeIs(0));
}

TEST_F(HandedByServer, WhatDecidesARowOrAnAnswerDecidesItsName) {
  for (const std::string what : {"", "verify"}) {
    const std::string usual = id_of(*judge(), order(what));
    EXPECT_EQ(id_of(*judge(), order(what)), usual);
    Order other = order(what);
    other.agent = "bert";
    EXPECT_NE(id_of(*judge(), other), usual) << what;
    other = order(what);
    other.size = "small";
    EXPECT_NE(id_of(*judge(), other), usual) << what;
    precision_ = "bf16";
    EXPECT_NE(id_of(*judge(), order(what)), usual) << what;
    precision_ = "torch-default";
  }
  const std::string usual = id_of(*judge(), order());
  allow_torch_ = "all";
  EXPECT_NE(id_of(*judge(), order()), usual);
}

TEST_F(HandedByServer, AnOrderWithoutASizeHasTheServers) {
  Order asked = order();
  asked.size.clear();
  EXPECT_EQ(judge()->identify(asked).value().size, "small");
  size_ = "full";
  EXPECT_EQ(judge()->identify(asked).value().size, "full");
}

TEST_F(HandedByServer, TheDeviceThatIsAskedForIsTheOneOrNone) {
  device_word_ = "cuda:77";
  EXPECT_FALSE(make_serve_judge({.place = {suite_, *device_, watched_},
                                 .device = device_word_,
                                 .database = terms_.database,
                                 .trust = {},
                                 .sink = kept_,
                                 .quiet = quiet_})
                   .ok());
}

TEST_F(HandedByServer, ARewardIsTheOneThatIsAskedFor) {
  const auto serving = judge();
  const QueuedOrder one{.id = id_of(*serving, order()), .order = order()};
  ASSERT_TRUE(serving->judge({&one, 1}, {.told = [](auto&, auto) {}}).ok());
  const auto found = serving->find(one.id, "log", Judge::Rows::kThatCount);
  ASSERT_TRUE(found.ok()) << found.error().message << " " << found.error().hint;
  EXPECT_EQ((**found).at("row").at("reward").at("name"), "log");
  EXPECT_FALSE(serving->find(one.id, "none such", Judge::Rows::kThatCount).ok());
}

TEST_F(HandedByServer, AQuickRowOfTheSameNameIsMeasuredAgainInFull) {
  const auto serving = judge();
  const KernelTree tree = kernel_tree_of(order().files).value();
  ASSERT_TRUE(
      add_submission(folder_ / "subs", tree, "level1/019_relu", "anna", tree.hash.substr(0, 16))
          .ok());
  request_.suite = suite_;
  request_.size = "full";
  request_.quick = true;
  good_run();
  const std::string id = id_of(*serving, order());
  EXPECT_TRUE(serving->find(id, "", Judge::Rows::kAny).value()) << "it has the same name";
  EXPECT_FALSE(serving->find(id, "", Judge::Rows::kThatCount).value());
}

TEST_F(HandedByServer, ADescriptionIsOfTheServersSuiteSizeAndPrecision) {
  precision_ = "bf16";
  const auto serving = judge();
  const auto told = serving->describe("level1/019_relu", "full");
  ASSERT_TRUE(told.ok()) << told.error().message;
  EXPECT_EQ(told->at("size"), "full");
  EXPECT_EQ(told->at("device"), "cpu");
  EXPECT_EQ(told->at("device_name"), serving->device().name);
  PromptRequest request;
  request.size = "full";
  request.device = "cpu";
  request.precision = "bf16";
  EXPECT_EQ(told->at("prompt"),
            prompt_of_task(suite_, {}, "level1/019_relu", request, benches_.place).value().text);
}

TEST_F(HandedByServer, AnyTaskIsOneThatCounts) {
  suite_ = suite_with_unranked();
  const auto serving = judge();
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(serving->describe("", "").value().at("task"), "level1/019_relu");
}

TEST_F(HandedByServer, AWorkspaceIsOfTheServersPrecisionAndTheSizeThatIsAskedFor) {
  precision_ = "bf16";
  const auto serving = judge();
  const auto use = [&](const char* tool, const Json& arguments) {
    auto used = serving->use_tool(tool, arguments, "anna");
    EXPECT_TRUE(used.ok()) << (used ? "" : used.error().message);
    return std::move(*used);
  };
  const Json opened =
      std::get<Json>(use("open_workspace", {{"task", "level1/019_relu"}, {"size", "full"}}));
  const std::string handle = opened.at("workspace");
  EXPECT_EQ(opened.at("size"), "full");
  const fs::path folder = benches_.place.state / "workspaces" / ("anna-" + handle);
  const WorkspaceTask task = read_workspace(folder).value();
  EXPECT_EQ(task.precision, "bf16");
  EXPECT_EQ(task.size, "full");
  EXPECT_EQ(fs::status(folder.parent_path()).permissions(), fs::perms::owner_all)
      << "other users read nobody's kernels";
  (void)use("write",
            {{"workspace", handle}, {"path", "kernels/main.cpp"}, {"text", "int nothing;"}});
  for (const std::string tool : {"submit", "verify"}) {
    const Order made = std::get<Order>(use(tool.c_str(), {{"workspace", handle}}));
    EXPECT_EQ(made.what, tool == "submit" ? "" : tool);
    EXPECT_EQ(made.task, "level1/019_relu");
    EXPECT_EQ(made.size, "full");
    EXPECT_EQ(made.device, "cpu");
    EXPECT_EQ(made.agent, "anna");
  }
}

TEST_F(HandedByServer, OnlyWhatWasOpenedIsAWorkspace) {
  const auto serving = judge();
  const fs::path folder = benches_.place.state / "workspaces";
  const WorkspaceTexts texts{"task", "skill", "class Model", "// header", "// abi"};
  fs::create_directories(folder);
  ASSERT_TRUE(make_workspace(folder / "anna-mine", relu_, texts).ok());
  const auto read = [&](const std::string& handle, const std::string& agent) {
    return serving->use_tool("read", {{"workspace", handle}, {"path", "TASK.md"}}, agent);
  };
  EXPECT_EQ(read("mine", "anna").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(read(std::string(32, 'a'), "../anna").error().message, "nobody is called so");
}

// An agent that works in a newer one goes on.
TEST_F(HandedByServer, OfTooManyWorkspacesTheOldestGoes) {
  const auto serving = judge();
  const fs::path folder = benches_.place.state / "workspaces";
  const auto now = fs::file_time_type::clock::now();
  const auto of_age = [&](std::size_t hours) { return folder / ("anna-" + std::to_string(hours)); };
  for (std::size_t hours = 1; hours <= limits::kMostWorkspaces; ++hours) {
    fs::create_directories(of_age(hours) / "kernels");
    fs::last_write_time(of_age(hours) / "kernels", now - std::chrono::hours(hours));
  }
  ASSERT_TRUE(serving->use_tool("open_workspace", {{"task", "level1/019_relu"}}, "bert").ok());
  EXPECT_FALSE(fs::exists(of_age(limits::kMostWorkspaces)));
  EXPECT_TRUE(fs::exists(of_age(limits::kMostWorkspaces - 1)));
  EXPECT_TRUE(fs::exists(of_age(1)));
}

// --- an agent's tools and a workspace's requests ---

class HandedByWorkspace : public HandedToRun {
 protected:
  KernelRequest request(const StagedKernels& kernels) { return {kernels, task_, place_}; }

  WorkspaceTask task_{"level1/019_relu", "full", "cpu", "bf16"};
  JudgingPlace place_{suite_, *device_, watched_};
  const KernelTree tree_ = tree_of("class ModelNew: pass\n", "main.py");
};

TEST_F(HandedByWorkspace, ARunIsWhatTheWorkspaceIsOf) {
  const StagedKernels kernels = staged(tree_, task_);
  for (const bool timed : {false, true}) {
    waits_ = 0;
    ASSERT_TRUE(run_kernels(request(kernels),
                            {.timed = timed,
                             .command_line = "asked by a test",
                             .quick = timed,
                             .allow_torch = "all",
                             .waits = waits()},
                            kept_)
                    .ok());
    EXPECT_EQ(watched_.asked.suite, suite_);
    EXPECT_THAT(watched_.asked.tasks, ElementsAre("level1/019_relu"));
    EXPECT_EQ(watched_.asked.size, "full");
    EXPECT_EQ(watched_.asked.device, "cpu");
    EXPECT_EQ(watched_.asked.precision, "bf16");
    EXPECT_EQ(watched_.asked.allow_torch, "all");
    EXPECT_EQ(watched_.asked.checks_only, !timed);
    EXPECT_EQ(watched_.asked.quick, timed);
    EXPECT_TRUE(watched_.asked.repeat_busy);
    EXPECT_EQ(watched_.command_line, "asked by a test");
    EXPECT_EQ(waits_, 1);
  }
}

// A task, size or class that does not exist is not replaced by another one.
TEST_F(HandedByWorkspace, CompilingIsForTheTaskSizeAndPrecisionThatAreAskedFor) {
  const StagedKernels kernels = staged(tree_of("#include \"task.h\"\n"
                                               "static_assert(kb::x_elements == 1610612736);\n"
                                               "static_assert(sizeof *kb_inputs{}.x == 2);\n"
                                               "extern \"C\" int kbench_forward(\n"
                                               "    const kb_inputs*, const kb_params*,\n"
                                               "    const kb_outputs*, kb_context*) {\n"
                                               "  return 0;\n"
                                               "}\n"),
                                       task_);
  const auto state_of = [&] {
    const CompileAnswer answer = compile_kernels(request(kernels));
    EXPECT_EQ(answer.state == State::kOk, task_.size == "full") << answer.result;
    return answer.state;
  };
  EXPECT_EQ(state_of(), State::kOk);
  task_.size = "huge";
  EXPECT_EQ(state_of(), State::kInfrastructureError);
}

TEST_F(HandedByWorkspace, AComponentLooksAtTheTaskSizeAndPrecisionThatAreAskedFor) {
  const StagedKernels kernels = staged(tree_of("void f(int* a) { a[0] = 1; }\n"), task_);
  const auto state_of = [&] { return spoken_kernels("analyzer", request(kernels)).state; };
  EXPECT_EQ(state_of(), State::kOk) << spoken_kernels("analyzer", request(kernels)).result;
  task_.size = "huge";
  EXPECT_EQ(state_of(), State::kInfrastructureError);
}

// Nothing is debugged here: whoever waits throws.
TEST_F(HandedByWorkspace, TheDebuggerWaitsForTheDeviceAndSaysForWhom) {
  const Target cpu;
  LockRequest holds{.installation = &benches_.place, .target = &cpu, .what = "run 0123456789ab"};
  const auto held = take_measuring_lock(holds);
  ASSERT_TRUE(held.ok()) << held.error().message;
  const StagedKernels kernels = staged(tree_of("int nothing;"), task_);
  std::string holder;
  const auto throws = [&](const std::optional<DeviceWait>& wait) {
    holder = wait ? wait->holder.what : "";
    throw Heard();
  };
  EXPECT_THROW(spoken_kernels("debugger", request(kernels), throws), Heard);
  EXPECT_EQ(holder, "run 0123456789ab");
  EXPECT_EQ(spoken_kernels("analyzer", request(kernels), throws).state, State::kOk)
      << "what only reads a kernel waits for nobody";
}

TEST_F(HandedByWorkspace, FilesOfANewWorkspaceAreWhatTheyAreCalled) {
  PromptRequest asked;
  asked.device = "cpu";
  asked.size = "full";
  asked.precision = "bf16";
  const auto prompt = prompt_of_task(suite_, {}, "019", asked, benches_.place);
  ASSERT_TRUE(prompt.ok()) << prompt.error().message;
  const auto read = [](const fs::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  };
  ASSERT_TRUE(make_workspace_for(folder_ / "work", *prompt, benches_.place).ok());
  EXPECT_EQ(read(folder_ / "work/reference.py"),
            read(fs::path(kTinySuites) / "level1/019_relu.py"));
  EXPECT_EQ(read(folder_ / "work/kbench.h"), read(benches_.place.abi / "kbench.h"));
  EXPECT_THAT(read(folder_ / "work/SKILL.md"),
              ::testing::AllOf(HasSubstr("kernels/main.cpp"), ::testing::Not(HasSubstr("<!--")),
                               ::testing::Not(HasSubstr("warp"))));
  EXPECT_EQ(read(folder_ / "work/TASK.md"), prompt->text);
  const auto kept = read_workspace(folder_ / "work", WorkspaceRecords(benches_.place.state));
  ASSERT_TRUE(kept.ok()) << kept.error().message;
  EXPECT_EQ(kept->task, "level1/019_relu");
  EXPECT_EQ(kept->size, "full");
  EXPECT_EQ(kept->device, "cpu");
  EXPECT_EQ(kept->precision, "bf16");
}

TEST_F(HandedByWorkspace, ALineSaysWhatWasAskedOfWhatAndTheStateIsItsOwn) {
  const WorkspaceTexts texts{"task", "skill", "reference", "header", "abi"};
  WorkspaceJudging judging;
  judging.folder = folder_ / "work";
  judging.database = folder_ / "kept.sqlite";
  judging.reward = find_reward("log").value();
  ASSERT_TRUE(make_workspace(judging.folder, task_, texts).ok());
  ASSERT_TRUE(WorkspaceRecords(benches_.place.state).keep(judging.folder, task_).ok());
  folder_.write("work/kernels/main.cpp", "int nothing;\n");
  for (const char* agent : {"workspace", "work"})
    benches_.script.states[agent] = State::kWrongResult;
  for (const WorkspaceAsk ask : {WorkspaceAsk::kVerify, WorkspaceAsk::kSubmit}) {
    judging.ask = ask;
    const WorkspaceAnswer answer = answer_in_workspace(judging, place_, kept_);
    EXPECT_EQ(answer.state, State::kWrongResult);
    const Json line = Json::parse(answer.line);
    EXPECT_EQ(line.at("size"), "full");
    EXPECT_EQ(line.at("device"), "cpu");
    EXPECT_EQ(watched_.command_line,
              "kbench workspace " + std::string(to_string(ask)) + " " + judging.folder.string());
    EXPECT_EQ(watched_.asked.checks_only, ask == WorkspaceAsk::kVerify);
    EXPECT_EQ(watched_.asked.precision, "bf16");
    if (ask == WorkspaceAsk::kSubmit) {
      EXPECT_EQ(line.at("row").at("reward").at("name"), "log");
    }
  }
  fs::remove(judging.folder / "kernels/main.cpp");
  folder_.write("work/kernels/main.cu", "__global__ void nothing() {}\n");
  for (const WorkspaceAsk ask : {WorkspaceAsk::kAnalyze, WorkspaceAsk::kCompile}) {
    judging.ask = ask;
    const WorkspaceAnswer answer = answer_in_workspace(judging, place_, kept_);
    ASSERT_TRUE(answer.state) << answer.line;
    EXPECT_EQ(fault_of(*answer.state), Fault::kSubmission) << "it is for another device";
  }
}

}  // namespace
}  // namespace kbench::test
