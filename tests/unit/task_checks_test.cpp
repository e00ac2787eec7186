// Which tasks of others are examined before they rank anybody, what is believed of what is stored,
// and why a task then ranks or judges nobody.
#include "runner/run/task_checks.hpp"

#include <gmock/gmock.h>

#include "runner/run/graph_against_python.hpp"
#include "runner/task/suite.hpp"
#include "tests/fakes/fake_python.hpp"
#include "tests/fakes/kept_progress.hpp"
#include "tests/unit/paths.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace kbench::test {
namespace {

namespace fs = std::filesystem;
using Weight = LintFinding::Weight;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

// Findings that the scripted parts return.
struct Findings {
  Result<LintRecord> lint = LintRecord{};
  Result<std::vector<LintFinding>> python = std::vector<LintFinding>();
  Result<std::vector<LintFinding>> costs = std::vector<LintFinding>();
  std::vector<std::string> asked;
};

class ScriptedExaminer final : public TaskExaminer {
 public:
  explicit ScriptedExaminer(Findings& findings) : findings_(findings) {}
  void begin(const std::vector<const Task*>& tasks, const std::function<bool()>&) override {
    tasks_ = tasks;
    findings_.asked.push_back("begin " + std::to_string(tasks.size()));
  }
  void end() override { findings_.asked.emplace_back("end"); }
  Result<LintRecord> lint(const Task& task, const TaskSize& size) override {
    findings_.asked.push_back("lint " + task.id);
    if (!findings_.lint) return findings_.lint;
    LintRecord record = *findings_.lint;
    record.task = task.id;
    record.task_hash = task.hash;
    record.size = size.name;
    record.device = "cpu";
    return record;
  }
  void drop_oracle() override { findings_.asked.emplace_back("drop"); }
  Result<std::vector<LintFinding>> compare(std::size_t index) override {
    findings_.asked.push_back("compare " + tasks_[index]->id);
    return findings_.python;
  }
  Result<LintFinding> cost(std::size_t index) override {
    if (!findings_.costs) return findings_.costs.error();
    return findings_.costs->at(index);
  }
  void wait_for_threads() override {}

 private:
  Findings& findings_;
  std::vector<const Task*> tasks_;
};

class TaskChecksTest : public ::testing::Test {
 protected:
  TaskChecksTest() {
    place_.suites = folder_ / "suites";
    place_.cache = folder_ / "cache";
    target_.device = "cpu";
    target_.size = "small";
    relu_ = load("019_relu");
    softmax_ = load("023_softmax");
    found_.lint->state = LintState::kPassed;
    found_.python = std::vector{agrees(relu_)};
    found_.costs = std::vector{right_cost(), right_cost()};
  }

  static Task load(const std::string& name) {
    auto task = load_task(fs::path(kTinySuites) / "level1" / (name + ".json"));
    EXPECT_TRUE(task.ok()) << task.error().message;
    return std::move(*task);
  }
  static LintFinding agrees(const Task& task) {
    return {Weight::kNote, std::string(kAgainstPython), hash_of_python(task), "they agree"};
  }
  static LintFinding right_cost() { return {Weight::kNote, std::string(kCost), "", "right"}; }
  // The record of a check of the task that found nothing.
  [[nodiscard]] LintRecord good_record(const Task& task) const {
    return {.task = task.id,
            .task_hash = task.hash,
            .size = "small",
            .device = "cpu",
            .state = LintState::kPassed,
            .findings = {agrees(task), right_cost()},
            .version = "1",
            .checked_at = "2026-11-24T12:00:00Z"};
  }
  Store open() {
    auto store = Store::open(folder_ / "kbench.sqlite", Store::Mode::kReadWrite);
    EXPECT_TRUE(store.ok()) << store.error().message;
    return std::move(*store);
  }
  void store(const LintRecord& record) { EXPECT_TRUE(open().put(record).ok()); }

  TaskChecks checks() { return {place_, target_, std::make_unique<ScriptedExaminer>(found_)}; }
  // Checked by what is stored, and by what is found where nothing is.
  TaskChecks checked(bool lints = true) {
    TaskChecks checks = this->checks();
    Store store = open();
    const Status done =
        checks.check({&relu_}, lints, store, progress_, [this] { return interrupted_; });
    EXPECT_TRUE(done.ok()) << done.error().message;
    return checks;
  }
  std::vector<LintRecord> stored() { return open().lint_records()->records; }

  const TemporaryFolder folder_;
  Installation place_;
  Target target_;
  Task relu_, softmax_;
  Findings found_;
  KeptProgress progress_;
  bool interrupted_ = false;
};

TEST_F(TaskChecksTest, AShippedTaskRanksAndNobodyExaminesIt) {
  place_.suites = kTinySuites;
  const TaskChecks checks = checked();
  EXPECT_THAT(found_.asked, IsEmpty());
  EXPECT_EQ(checks.why_unranked(relu_), "");
  EXPECT_EQ(checks.why_unjudged(relu_), "");
}

TEST_F(TaskChecksTest, WhatLiesDeeperOrBesideTheSuiteIsNotShipped) {
  place_.suites = fs::path(kTinySuites).parent_path();
  EXPECT_NE(checks().why_unranked(relu_), "");
  place_.suites = fs::path(kTinySuites) / "level1";
  EXPECT_NE(checks().why_unranked(relu_), "");
}

TEST_F(TaskChecksTest, ATaskThatNothingIsFoundOfRanks) {
  const TaskChecks checks = checked();
  EXPECT_THAT(found_.asked,
              ElementsAre("begin 1", "lint level1/019_relu", "compare level1/019_relu", "end"));
  EXPECT_EQ(checks.why_unranked(relu_), "");
  EXPECT_EQ(checks.why_unjudged(relu_), "");
  ASSERT_THAT(stored(), SizeIs(1));
  EXPECT_EQ(stored()[0].state, LintState::kPassed);
  EXPECT_FALSE(stored()[0].version.empty());
  EXPECT_FALSE(stored()[0].checked_at.empty());
  EXPECT_THAT(stored()[0].findings, SizeIs(2)) << "of the Python and of the cost";
}

TEST_F(TaskChecksTest, WhatSomebodyCheckedIsNotExaminedAgain) {
  store(good_record(relu_));
  const TaskChecks checks = checked();
  EXPECT_THAT(found_.asked, IsEmpty());
  EXPECT_EQ(checks.why_unranked(relu_), "");
}

TEST_F(TaskChecksTest, ARecordOfAnotherKeyIsOfAnotherTask) {
  for (const auto& change : std::vector<std::function<void(LintRecord&)>>{
           [](LintRecord& record) { record.task_hash = "another"; },
           [](LintRecord& record) { record.size = "full"; },
           [](LintRecord& record) { record.device = "cuda"; }}) {
    fs::remove(folder_ / "kbench.sqlite");
    LintRecord record = good_record(relu_);
    change(record);
    store(record);
    EXPECT_THAT(checked(false).why_unranked(relu_), StartsWith("nobody has checked"));
  }
}

// It may come from whoever wrote the task, or from a machine that could not.
TEST_F(TaskChecksTest, WhatCouldNotBeCheckedIsTriedAgain) {
  LintRecord record = good_record(relu_);
  record.state = LintState::kUnable;
  store(record);
  EXPECT_EQ(checked().why_unranked(relu_), "");
  EXPECT_THAT(found_.asked, SizeIs(4));
}

TEST_F(TaskChecksTest, ARecordThatNobodyVouchesForIsNotBelieved) {
  store(good_record(relu_));  // before there was a key
  TaskChecks checks = this->checks();
  Store store = open();
  store.use(chain_key_of(std::string(32, 'k')));
  ASSERT_TRUE(store.lint_records()->records.at(0).unvouched);
  ASSERT_TRUE(checks.check({&relu_}, false, store, progress_, [] { return false; }).ok());
  EXPECT_THAT(checks.why_unranked(relu_), StartsWith("nobody has checked"));
}

TEST_F(TaskChecksTest, ARecordOfAnotherPythonOrWithoutACountSaysTooLittle) {
  LintRecord record = good_record(relu_);
  record.findings[0].subject = "another";
  store(record);
  checked();
  EXPECT_THAT(found_.asked, SizeIs(4));
  found_.asked.clear();
  record = good_record(relu_);
  record.findings.pop_back();
  store(record);
  checked();
  EXPECT_THAT(found_.asked, SizeIs(4));
}

TEST_F(TaskChecksTest, WhereNothingIsLintedNobodyIsExaminedNorRanks) {
  const TaskChecks checks = checked(false);
  EXPECT_THAT(found_.asked, IsEmpty());
  EXPECT_THAT(checks.why_unranked(relu_), HasSubstr("--no-lint"));
  EXPECT_EQ(checks.why_unjudged(relu_), "") << "nothing is known against it";
}

TEST_F(TaskChecksTest, ATaskWithoutThatSizeIsNotExamined) {
  target_.size = "gigantic";
  checked();
  EXPECT_THAT(found_.asked, IsEmpty());
}

TEST_F(TaskChecksTest, ATaskThatPassesZerosRanksNobodyAndJudgesAllTheSame) {
  found_.lint->findings = {{Weight::kFlaw, "zeros", "out", "out passes when it is all zero"}};
  const TaskChecks checks = checked();
  EXPECT_THAT(checks.why_unranked(relu_), HasSubstr("computes nothing (zeros)"));
  EXPECT_EQ(checks.why_unjudged(relu_), "");
  EXPECT_EQ(stored()[0].state, LintState::kFailed);
}

TEST_F(TaskChecksTest, AGraphThatComputesSomethingElseJudgesNobody) {
  found_.python = std::vector<LintFinding>{
      {Weight::kFlaw, std::string(kAgainstPython), hash_of_python(relu_), "they differ by 3"}};
  const TaskChecks checks = checked();
  EXPECT_EQ(checks.why_unjudged(relu_), "they differ by 3");
  EXPECT_EQ(checks.why_unranked(relu_), "they differ by 3");
}

TEST_F(TaskChecksTest, AMisstatedCostRanksNobody) {
  found_.costs = std::vector<LintFinding>{{Weight::kFlaw, std::string(kCost), "", "ten times"}};
  EXPECT_EQ(checked().why_unranked(relu_), "its cost is misstated: ten times");
}

TEST_F(TaskChecksTest, ATaskThatIsSparedADrawByItsOwnFileRanksNobody) {
  relu_.hard_draws_skip = {{"wide", "it overflows"}};
  EXPECT_THAT(checked().why_unranked(relu_), HasSubstr("spared (wide)"));
}

TEST_F(TaskChecksTest, WhatCannotBeComparedHereIsSaidWithWhereItCan) {
  found_.python = Error{ErrorCode::kInfrastructure, "there is no torch", "install it"};
  const TaskChecks checks = checked();
  EXPECT_THAT(checks.why_unranked(relu_), StartsWith("it could not be checked"));
  EXPECT_THAT(checks.why_unranked(relu_), HasSubstr("there is no torch; install it; a machine"));
  EXPECT_EQ(checks.why_unjudged(relu_), "");
  EXPECT_EQ(stored()[0].state, LintState::kUnable);
  EXPECT_THAT(found_.asked, ElementsAre("begin 1", "lint level1/019_relu",
                                        "compare level1/019_relu", "drop", "end"));
}

TEST_F(TaskChecksTest, WhatCannotBeCountedHereIsSaid) {
  found_.costs = Error{ErrorCode::kInfrastructure, "no Python", ""};
  EXPECT_THAT(checked().why_unranked(relu_), HasSubstr("no Python; a machine"));
  EXPECT_EQ(stored()[0].state, LintState::kUnable);
}

TEST_F(TaskChecksTest, AnOracleThatFailedComparesNothing) {
  found_.lint->state = LintState::kUnable;
  found_.lint->findings = {{Weight::kFlaw, "unable", "", "the oracle died"}};
  const TaskChecks checks = checked();
  EXPECT_THAT(found_.asked, ElementsAre("begin 1", "lint level1/019_relu", "drop", "end"));
  EXPECT_THAT(checks.why_unranked(relu_), HasSubstr("the oracle died"));
}

TEST_F(TaskChecksTest, WhereThereIsNoOracleTheCheckFails) {
  found_.lint = Error{ErrorCode::kInfrastructure, "no oracle", ""};
  TaskChecks checks = this->checks();
  Store store = open();
  const Status done = checks.check({&relu_}, true, store, progress_, [] { return false; });
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().message, "no oracle");
}

TEST_F(TaskChecksTest, EachTaskHasTheCostThatWasCountedOfIt) {
  found_.costs = std::vector<LintFinding>{right_cost(),
                                          {Weight::kFlaw, std::string(kCost), "", "of the second"}};
  found_.python = std::vector{agrees(relu_), agrees(softmax_)};
  TaskChecks checks = this->checks();
  Store store = open();
  ASSERT_TRUE(checks.check({&relu_, &softmax_}, true, store, progress_, [] { return false; }).ok());
  EXPECT_EQ(checks.why_unranked(relu_), "");
  EXPECT_THAT(checks.why_unranked(softmax_), HasSubstr("of the second"));
}

TEST_F(TaskChecksTest, WhoIsInterruptedExaminesNoFurtherTask) {
  interrupted_ = true;
  EXPECT_THAT(checked().why_unranked(relu_), StartsWith("nobody has checked"));
  EXPECT_THAT(found_.asked, ElementsAre("begin 1", "end"));
}

// --- the examiner of this machine ---

class MachinesExaminer : public TaskChecksTest {
 protected:
  std::unique_ptr<Sandbox> sandbox_ = make_sandbox();
};

TEST_F(MachinesExaminer, WithoutAnOracleNothingIsLinted) {
  const auto examiner = make_task_examiner(place_, target_, *sandbox_);
  examiner->begin({&relu_}, [] { return false; });
  EXPECT_FALSE(examiner->lint(relu_, *relu_.find_size("small")).ok());
  examiner->drop_oracle();
  examiner->end();
}

TEST_F(MachinesExaminer, WithoutATorchNothingIsCounted) {
  place_.python_reason = "there is no python3";
  const auto examiner = make_task_examiner(place_, target_, *sandbox_);
  examiner->begin({&relu_}, [] { return false; });
  EXPECT_EQ(examiner->cost(0).error().message, "there is no python3");
  examiner->end();
  const FakePython none(folder_, false);
  place_.python = none.program();
  examiner->begin({&relu_}, [] { return false; });
  EXPECT_THAT(examiner->cost(0).error().message, HasSubstr("has no torch"));
  examiner->end();
}

TEST(HashOfPython, IsOfTheTasksTextOrEmpty) {
  const TemporaryFolder folder;
  Task task;
  task.source = folder.write("a.py", "abc");
  EXPECT_EQ(hash_of_python(task),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  task.source = folder / "gone.py";
  EXPECT_EQ(hash_of_python(task), "");
}

}  // namespace
}  // namespace kbench::test
