// Judges that share an exchange, on a bench that measures nothing: each is another machine, with a
// database of its own.
#include <filesystem>

#include <gmock/gmock.h>

#include "runner/exchange/exchange.hpp"
#include "runner/judge/serve_judge.hpp"
#include "runner/pool/fingerprint.hpp"
#include "runner/pool/space_terms.hpp"
#include "tests/unit/judge_fixture.hpp"

namespace kbench::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class JudgePoolTest : public JudgeTest {
 protected:
  JudgePoolTest() {
    benches_.place.oracle = folder_.write("kbench-oracle", "");
    device_.emplace(benches_.place, SessionTurns::kOne);
    device_->prepare();
    benches_.script.compiler = device_->toolchain().host_version;
    benches_.script.nvcc = device_->toolchain().nvcc_version;
    exchange();
  }

  Exchange exchange() {
    return Exchange::make(shared_, keep_pool_key(benches_.place.state).value()).value();
  }
  // With the state folder of the test: all have one pool's key.
  std::unique_ptr<ServingJudge> judge(const std::string& machine) {
    auto made = make_serve_judge({.place = {std::nullopt, *device_, benches_},
                                  .device = "cpu",
                                  .size = std::nullopt,
                                  .database = folder_ / (machine + ".sqlite"),
                                  .exchange = shared_,
                                  .trust = {},
                                  .sink = kept_,
                                  .quiet = kept_});
    EXPECT_TRUE(made.ok()) << made.error().message;
    benches_.script.device_name = (*made)->device().name;
    return std::move(*made);
  }
  static QueuedOrder order(ServingJudge& judge, const std::string& text = "int nothing;") {
    Order asked{
        .task = "level1/019_relu", .size = "small", .agent = "anna", .files = {{"main.cpp", text}}};
    return {.id = judge.identify(asked).value().id, .order = asked};
  }
  // The orders that it was told of.
  std::vector<std::string> judged(ServingJudge& judge, const std::vector<QueuedOrder>& orders) {
    std::vector<std::string> told;
    const Status done =
        judge.judge(orders, {.told = [&](const std::string& id, auto) { told.push_back(id); }});
    EXPECT_TRUE(done.ok()) << done.error().message;
    return told;
  }
  static Json found(ServingJudge& judge, const std::string& id) {
    const auto row = judge.find(id, "", Judge::Rows::kThatCount).value();
    return row ? *row : Json();
  }

  std::filesystem::path shared_ = folder_ / "shared";
  std::optional<DeviceSession> device_;
};

TEST_F(JudgePoolTest, WhatOneHasMeasuredAnotherOneAnswers) {
  const auto first = judge("one");
  const auto second = judge("two");
  const QueuedOrder asked = order(*first);
  EXPECT_EQ(order(*second).id, asked.id);
  EXPECT_THAT(judged(*first, {asked}), ElementsAre(asked.id));
  EXPECT_THAT(judged(*second, {asked}), ElementsAre(asked.id));
  EXPECT_THAT(benches_.measured, SizeIs(1));
  EXPECT_FALSE(found(*first, asked.id).is_null());
  EXPECT_EQ(found(*second, asked.id), found(*first, asked.id));
}

TEST_F(JudgePoolTest, OfABatchOnlyWhatNobodyHasAnsweredIsMeasured) {
  const auto first = judge("one");
  const auto second = judge("two");
  const QueuedOrder known = order(*first, "int known;");
  const QueuedOrder fresh = order(*first, "int fresh;");
  judged(*first, {known});
  EXPECT_THAT(judged(*second, {known, fresh}), ElementsAre(known.id, fresh.id));
  EXPECT_THAT(benches_.measured, SizeIs(2));
}

// Both were asked at one moment: what the first one publishes is there while the second one
// measures.
TEST_F(JudgePoolTest, TheSlowerOneAnswersWithTheFastersRow) {
  namespace fs = std::filesystem;
  const auto first = judge("one");
  const auto second = judge("two");
  const QueuedOrder asked = order(*first);
  judged(*first, {asked});
  fs::rename(shared_ / "serve", folder_ / "later");
  benches_.script.while_measuring = [&](const PlannedRow&) {
    fs::copy(folder_ / "later", shared_ / "serve",
             fs::copy_options::recursive | fs::copy_options::skip_existing);
  };
  EXPECT_THAT(judged(*second, {asked}), ElementsAre(asked.id));
  EXPECT_THAT(benches_.measured, SizeIs(2));
  EXPECT_FALSE(found(*first, asked.id).is_null());
  EXPECT_EQ(found(*second, asked.id), found(*first, asked.id));
}

TEST_F(JudgePoolTest, AFaultOfTheMachineAnswersNobody) {
  const auto first = judge("one");
  const auto second = judge("two");
  const QueuedOrder asked = order(*first);
  benches_.script.states["anna"] = State::kInfrastructureError;
  EXPECT_FALSE(first->judge(std::vector{asked}, {.told = [](const auto&, auto) {}}).ok());
  benches_.script.states.clear();
  EXPECT_THAT(judged(*second, {asked}), ElementsAre(asked.id));
  EXPECT_EQ(found(*second, asked.id).at("row").at("state"), "ok");
}

TEST_F(JudgePoolTest, AMachineThatDiffersIsUnfitAndSaysWherein) {
  const auto first = judge("one");
  EXPECT_EQ(first->unfit(), "");
  benches_.place.built_with_torch = "2.10.0";
  device_.emplace(benches_.place, SessionTurns::kOne);
  device_->prepare();
  const auto second = judge("two");
  EXPECT_THAT(second->unfit(), HasSubstr("torch is nothing there and 2.10.0 here"));
}

TEST_F(JudgePoolTest, WithoutAnExchangeThereIsNoJudge) {
  std::filesystem::remove_all(shared_);
  const auto made = make_serve_judge({.place = {std::nullopt, *device_, benches_},
                                      .device = "cpu",
                                      .size = std::nullopt,
                                      .database = folder_ / "one.sqlite",
                                      .exchange = shared_,
                                      .trust = {},
                                      .sink = kept_,
                                      .quiet = kept_});
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().message, HasSubstr("is no exchange"));
}

// --- fingerprints ---

TEST(Fingerprint, TheFirstDifferenceIsNamedWithBothValues) {
  const Json ours = fingerprint_json({.torch = "2.11.0", .nvcc = "13.0", .driver = "580"});
  EXPECT_EQ(difference_of_terms(ours, ours), "");
  for (const char* name : {"kbench", "torch", "host_compiler", "nvcc", "driver", "device_name"}) {
    Json theirs = ours;
    theirs[name] = "other";
    const std::string words = std::string(name) + " is other there and ";
    EXPECT_THAT(difference_of_terms(theirs, ours), HasSubstr(words));
    EXPECT_THAT(difference_of_machines(theirs, ours), HasSubstr(words));
  }
}

TEST(Fingerprint, OfMachinesOnlyNamesThatBothHaveCount) {
  const Json ours = fingerprint_json({.driver = "580"});
  EXPECT_EQ(difference_of_machines({{"quick", true}}, ours), "");
  EXPECT_EQ(difference_of_terms({{"quick", true}}, {{"quick", false}}),
            "quick is true there and false here");
  EXPECT_EQ(difference_of_terms({{"quick", true}}, Json::object()),
            "quick is true there and nothing here");
  EXPECT_EQ(difference_of_machines("no object", ours), "");
}

}  // namespace
}  // namespace kbench::test
