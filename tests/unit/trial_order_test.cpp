#include "runner/synthesis/trial_order.hpp"

#include <gmock/gmock.h>

namespace kbench {
namespace {

using ::testing::HasSubstr;

TEST(TrialOrder, ComesAsItWasSent) {
  for (const TrialKind kind : {TrialKind::kTime, TrialKind::kJudge, TrialKind::kCompare}) {
    const TrialOrder sent{.kind = kind,
                          .task = "level1/012_relu",
                          .file = "/suite/level1/012_relu.json",
                          .size = "full",
                          .seed = "ab",
                          .package = "/cache/x.pt2"};
    const auto read = trial_order_from_json(Json::parse(trial_order_json(sent).dump()));
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->kind, sent.kind);
    EXPECT_EQ(read->task, sent.task);
    EXPECT_EQ(read->file, sent.file);
    EXPECT_EQ(read->size, sent.size);
    EXPECT_EQ(read->seed, sent.seed);
    EXPECT_EQ(read->package, sent.package);
    EXPECT_NE(describe(kind), "");
  }
}

TEST(TrialOrder, AnAnswerComesBackToTheBit) {
  const auto again = [](const TrialAnswer& answer) {
    return trial_answer_from_json(Json::parse(trial_answer_json(answer).dump())).value();
  };
  EXPECT_EQ(again({.eager_ms = 0.1 + 0.2, .finding = {}}).eager_ms, 0.1 + 0.2);
  EXPECT_FALSE(again({.eager_ms = 1, .finding = {}}).finding);
  for (const CandidateFault fault : all_candidate_faults()) {
    const auto found = again({.finding = TrialFinding{fault, "why"}}).finding;
    ASSERT_TRUE(found);
    EXPECT_EQ(found->fault, fault);
    EXPECT_EQ(found->message, "why");
  }
}

TEST(TrialOrder, AnOracleThatFailedIsNotAskedAgain) {
  const auto spoils = [](CandidateFault fault) {
    return TrialAnswer{.finding = TrialFinding{fault, ""}}.spoils_oracle();
  };
  EXPECT_FALSE(TrialAnswer{}.spoils_oracle());
  EXPECT_TRUE(spoils(CandidateFault::kEager));
  EXPECT_TRUE(spoils(CandidateFault::kPackage));
  for (const CandidateFault fault : {CandidateFault::kTime, CandidateFault::kUnequalRuns,
                                     CandidateFault::kMutant, CandidateFault::kDisagrees})
    EXPECT_FALSE(spoils(fault)) << to_string(fault);
}

TEST(TrialOrder, NonsenseIsRefused) {
  EXPECT_THAT(trial_order_from_json(Json::array()).error().message, HasSubstr("order of a trial"));
  Json order = trial_order_json({});
  order["kind"] = "dance";
  EXPECT_EQ(trial_order_from_json(order).error().code, ErrorCode::kBadInput);
  EXPECT_THAT(trial_answer_from_json(Json()).error().message, HasSubstr("answer of a trial"));
  Json answer = trial_answer_json({});
  answer["finding"] = {{"fault", "boredom"}, {"message", ""}};
  EXPECT_EQ(trial_answer_from_json(answer).error().code, ErrorCode::kBadInput);
}

}  // namespace
}  // namespace kbench
