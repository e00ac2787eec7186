// Which two stored runs a comparison is of, and what is measured of them again.
#include "runner/again/compared_runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/again/remeasure.hpp"
#include "runner/store/chain/chain_key.hpp"
#include "tests/unit/database_fixture.hpp"
#include "tests/unit/run_fixture.hpp"

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
  void add_at(const std::string& id, int hour, const std::string& configuration, int rows = 1) {
    add({.id = id,
         .started_at = "2026-11-21T1" + std::to_string(hour) + ":00:00Z",
         .rows = rows,
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
  EXPECT_EQ(find("bb").error().code, ErrorCode::kUsage);
}

// Was: all submissions of the run before were GONE.
TEST_F(ComparedRunsTest, OneThatWasEndedBeforeItsFirstRowIsNoneOfThem) {
  add_at("aa", 1, kTimed);
  add_at("bb", 2, kTimed, 0);
  add_at("cc", 3, kTimed);
  add_at("dd", 4, kTimed, 0);
  const auto found = find();
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->before.run.id, "aa");
  EXPECT_EQ(found->after.run.id, "cc");
  EXPECT_EQ(find("latest~1")->before.run.id, "aa");
}

TEST_F(ComparedRunsTest, AMistypedNameHasNothingToDoWithRunsThatWereOnlyChecked) {
  add_at("aa", 1, kChecked);
  add_at("bb", 2, kTimed);
  EXPECT_THAT(error_of("nothere"), ::testing::Not(HasSubstr("--checks-only")));
}

TEST_F(ComparedRunsTest, ThatTheOthersWereOnlyCheckedIsSaid) {
  add_at("aa", 1, kChecked);
  add_at("bb", 2, kChecked);
  EXPECT_EQ(error_of(),
            "there is no run \"latest\" with times; 2 runs there have no times because "
            "of --checks-only");
  EXPECT_EQ(find().error().code, ErrorCode::kNotFound);
  EXPECT_THAT(find().error().hint, HasSubstr("`kbench run FILE` without --checks-only"));
  add_at("cc", 3, kTimed);
  EXPECT_EQ(error_of(),
            "there is no run before cc on its device, cpu; 2 runs there have no times "
            "because of --checks-only");
  EXPECT_THAT(error_of("latest~1"), HasSubstr("1 is stored of its device; 2 runs there have no"));
}

TEST_F(ComparedRunsTest, AloneOrTwiceTheSameIsRefused) {
  add_at("aa", 1, kTimed);
  EXPECT_THAT(error_of(), HasSubstr("there is no run before aa on its device"));
  EXPECT_THAT(error_of("aa"), HasSubstr("both names are the run aa"));
}

// Two runs of one agent, whose source has changed in between.
class RemeasuredRunsTest : public test::RunTest {
 protected:
  RemeasuredRunsTest() {
    submit("anna/level1/019_relu.cpp");
    request_.precision = "fp32";
    measured_as(1e6);
    for (const std::string place : {"000-1-", "000-2-"}) {
      benches_.script.times_ns[place + "before"] = 1e6;
      benches_.script.times_ns[place + "after"] = 1.27e6;
      benches_.script.compiled_ns[place + "before"] = 1e6;
      benches_.script.compiled_ns[place + "after"] = 1e6;
    }
    how_.database = terms_.database;
  }

  void measured_as(double ns) {
    benches_.script.times_ns["anna"] = ns;
    benches_.script.compiled_ns["anna"] = 1e6;
    good_run();
  }
  void change_source() const { folder_.write("subs/anna/level1/019_relu.cpp", "int slower;\n"); }

  Comparison remeasured(Side baseline = Side::kEager) {
    auto store = Store::open(terms_.database, Store::Mode::kReadOnly);
    store->use(read_chain_key(benches_.place.state).value());
    const auto runs = find_compared(*store, {}, "latest");
    EXPECT_TRUE(runs.ok()) << runs.error().message;
    Comparison comparison = compare(runs->before, runs->after, baseline);
    const Status done = remeasure(comparison, how_, benches_, again_,
                                  [this](const std::string& text) { notes_ += text + "\n"; });
    EXPECT_TRUE(done.ok()) << done.error().message;
    return comparison;
  }

  PairedMeasuring how_;
  test::KeptRun again_;
  std::string notes_;
};

TEST_F(RemeasuredRunsTest, BothSidesAreMeasuredInSoManyPairs) {
  change_source();
  measured_as(1.1e6);
  how_.pairs = 4;
  const Comparison comparison = remeasured();
  EXPECT_THAT(again_.rows, ::testing::SizeIs(8));
  EXPECT_THAT(notes_, HasSubstr("pair 4 of 4: 1 submission, each side once"));
  ASSERT_THAT(comparison.rows, ::testing::SizeIs(1));
  EXPECT_EQ(comparison.rows[0].pairs, 4);
  EXPECT_NEAR(comparison.rows[0].longer_by().value_or(0), 0.27, 0.01) << "the runs say 0.1";
  EXPECT_TRUE(comparison.cautions.empty());
  EXPECT_THAT(stored(), ::testing::SizeIs(1)) << "nobody takes a pair for a run";
  terms_.database = remeasured_database(terms_.database);
  ASSERT_THAT(stored(), ::testing::SizeIs(2));
  EXPECT_THAT(stored_run(stored()[0].run_id).configuration, HasSubstr("fp32"))
      << "as the runs were asked for";
}

// Runs that differ in how they measured are compared where it is forced.
TEST_F(RemeasuredRunsTest, PairsAreMeasuredAsTheRunAfterWas) {
  change_source();
  request_.precision = "tf32";
  request_.quick = true;
  measured_as(1.1e6);
  remeasured();
  terms_.database = remeasured_database(terms_.database);
  ASSERT_FALSE(stored().empty());
  const Json pairs = Json::parse(stored_run(stored()[0].run_id).configuration);
  EXPECT_EQ(pairs.at("precision"), "tf32");
  EXPECT_EQ(pairs.at("quick"), true);
}

TEST_F(RemeasuredRunsTest, PairsAreComparedOverTheBaselineThatIsAskedFor) {
  change_source();
  measured_as(1.1e6);
  for (const std::string place : {"000-1-", "000-2-"})
    benches_.script.compiled_ns[place + "after"] = 1.27e6;
  const Comparison comparison = remeasured(Side::kCompiled);
  ASSERT_THAT(comparison.rows, ::testing::SizeIs(1));
  EXPECT_NEAR(comparison.rows[0].longer_by().value_or(1), 0, 0.01);
}

TEST_F(RemeasuredRunsTest, OneSourceIsNotHeldAgainstItself) {
  measured_as(1.1e6);
  const Comparison comparison = remeasured();
  EXPECT_TRUE(again_.rows.empty());
  ASSERT_THAT(comparison.cautions, ::testing::SizeIs(1));
  EXPECT_THAT(comparison.cautions[0], HasSubstr("nothing was measured again"));
}

TEST_F(RemeasuredRunsTest, SourcesAreLookedForWhereItIsSaid) {
  change_source();
  measured_as(1.1e6);
  const auto then = folder_ / "then";
  folder_.write("then/nobody", "");
  how_.submissions_before = then;
  for (int side = 0; side < 2; ++side) {
    const Comparison comparison = remeasured();
    EXPECT_TRUE(again_.rows.empty());
    ASSERT_THAT(comparison.cautions, ::testing::SizeIs(2));
    EXPECT_THAT(comparison.cautions[0], HasSubstr("1 row was not measured again"));
    EXPECT_THAT(comparison.cautions[0], HasSubstr("looked in " + then.string()));
    how_ = {.database = terms_.database, .submissions_after = then};
  }
}

TEST_F(RemeasuredRunsTest, ARowThatFailedIsNotMeasuredAgain) {
  change_source();
  benches_.script.states["anna"] = State::kWrongResult;
  measured_as(1.1e6);
  remeasured();
  EXPECT_TRUE(again_.rows.empty());
}

// Shards of one group are one run in parts.
TEST_F(RemeasuredRunsTest, ShardsOfAGroupAreComparedWithNobodyOfTheirOwn) {
  submit("anna/level1/023_softmax.cpp");
  std::filesystem::remove(terms_.database);
  request_.group = "night";
  std::vector<std::string> shards;
  for (const int index : {1, 2}) {
    request_.shard = ShardChoice{index, 2};
    shards.push_back(good_run().run.id);
  }
  const auto store = Store::open(terms_.database, Store::Mode::kReadOnly);
  ASSERT_TRUE(store.ok());
  EXPECT_THAT(find_compared(*store, shards[0], shards[1]).error().message,
              HasSubstr("both names are shards of \"night\""));
  EXPECT_THAT(find_compared(*store, {}, shards[1]).error().message,
              HasSubstr("there is no run before"));
}

// Was: only tasks of the first shard's share were measured.
TEST_F(RemeasuredRunsTest, RowsOfAllShardsAreMeasuredAgain) {
  submit("anna/level1/023_softmax.cpp");
  std::filesystem::remove(terms_.database);
  how_.submissions_before = folder_ / "then";
  for (const char* task : {"019_relu", "023_softmax"}) {
    const std::string file = std::string("anna/level1/") + task + ".cpp";
    folder_.write("then/" + file, "// " + file + "\nint nothing;\n");
  }
  how_.submissions_after = folder_ / "subs";
  for (const char* group : {"monday", "tuesday"}) {
    request_.group = group;
    for (const int index : {1, 2}) {
      request_.shard = ShardChoice{index, 2};
      good_run();
    }
    for (const char* task : {"019_relu", "023_softmax"})
      folder_.write(std::string("subs/anna/level1/") + task + ".cpp", "int slower;\n");
  }
  for (const std::string pair : {"001-1-", "001-2-"})
    for (const char* side : {"before", "after"}) benches_.script.times_ns[pair + side] = 1e6;
  how_.pairs = 2;
  const Comparison comparison = remeasured();
  EXPECT_THAT(comparison.cautions, ::testing::IsEmpty());
  EXPECT_THAT(again_.rows, ::testing::SizeIs(8)) << "two tasks, two sides, two pairs";
  for (const ComparedRow& row : comparison.rows) EXPECT_EQ(row.pairs, 2) << row.task;
}

// Between the tries of one file there was another one.
TEST_F(RemeasuredRunsTest, TriesOfAFileAreComparedWithEachOther) {
  request_.submissions.reset();
  const auto try_one = [this](const char* name, const char* agent) {
    request_.file = folder_.write(name, std::string("// ") + name + "\nint nothing;\n");
    request_.tasks = {"019_relu"};
    request_.name = agent;
    return good_run().run.id;
  };
  const std::string first = try_one("first.cpp", "anna");
  try_one("another.cpp", "bert");
  try_one("second.cpp", "anna");
  const auto store = Store::open(terms_.database, Store::Mode::kReadOnly);
  ASSERT_TRUE(store.ok());
  const auto found = find_compared(*store, {}, "latest");
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->before.run.id, first);
}

// Was compared with the failed try: "NOW PASSES", and no word of how much faster it is.
TEST_F(RemeasuredRunsTest, ATryIsComparedWithTheLastCorrectOne) {
  std::filesystem::remove(terms_.database);
  request_.submissions.reset();
  request_.tasks = {"019_relu"};
  request_.name = "anna";
  const auto try_one = [this](const char* name, State state) {
    request_.file = folder_.write(name, std::string("// ") + name + "\nint nothing;\n");
    benches_.script.states["anna"] = state;
    return good_run().run.id;
  };
  try_one("first.cpp", State::kWrongResult);
  const std::string wrong = try_one("v0.cpp", State::kWrongResult);
  const std::string correct = try_one("v1.cpp", State::kOk);
  const std::string failed = try_one("v2.cpp", State::kWrongResult);
  const std::string last = try_one("v3.cpp", State::kOk);
  const auto store = Store::open(terms_.database, Store::Mode::kReadOnly);
  ASSERT_TRUE(store.ok());
  const auto before = [&](const std::string& after) {
    const auto found = find_compared(*store, {}, after);
    return found.ok() ? found->before.run.id : found.error().message;
  };
  EXPECT_EQ(before(last), correct);
  EXPECT_EQ(before(failed), correct) << "and not the wrong one";
  EXPECT_EQ(before(correct), wrong) << "the last one, where none is correct";
}

// Pairs of this machine say nothing about rows that were made on another one.
TEST_F(RemeasuredRunsTest, AnotherDeviceIsNoPlaceToMeasureAgain) {
  change_source();
  measured_as(1.1e6);
  auto store = Store::open(terms_.database, Store::Mode::kReadOnly);
  store->use(read_chain_key(benches_.place.state).value());
  const auto runs = find_compared(*store, {}, "latest");
  ASSERT_TRUE(runs.ok()) << runs.error().message;
  Comparison comparison = compare(runs->before, runs->after, Side::kEager);
  benches_.script.device_name = "another device";
  const Status done = remeasure(comparison, how_, benches_, again_, [](const std::string&) {});
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().code, ErrorCode::kUsage);
  EXPECT_THAT(done.error().message, HasSubstr("this machine has another device"));
}

}  // namespace
}  // namespace kbench
