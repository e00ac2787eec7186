#include "runner/lane/lane_message.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbench {
namespace {

using ::testing::HasSubstr;

LaneRequest again(const LaneRequest& request) {
  auto read = lane_request_from_json(Json::parse(to_json(request).dump()));
  EXPECT_TRUE(read.ok());
  return read ? *read : LaneRequest();
}

LaneReply again(const LaneReply& reply) {
  auto read = lane_reply_from_json(Json::parse(to_json(reply).dump()));
  EXPECT_TRUE(read.ok());
  return read ? *read : LaneReply();
}

TEST(LaneMessage, RequestsComeAsTheyWereSent) {
  LaneRequest request{LaneAsk::kMeasure, {{"unit", 3}}, 1.5, false, false};
  EXPECT_EQ(again(request).ask, LaneAsk::kMeasure);
  EXPECT_EQ(again(request).body, request.body);
  EXPECT_EQ(again(request).seconds, 1.5);
  EXPECT_FALSE(again(request).gives_turn);
  request = {LaneAsk::kEnd, {}, 0, true, true};
  EXPECT_EQ(again(request).ask, LaneAsk::kEnd);
  EXPECT_TRUE(again(request).lost);
  request = {LaneAsk::kTake, {{"device", "cuda:1"}}, 0, true, false};
  EXPECT_EQ(again(request).body, request.body);
}

TEST(LaneMessage, RowsComeWithWhatBecameOfTheDevice) {
  LaneReply reply;
  reply.answer = LaneAnswer::kRow;
  reply.measured.row.task = "level1/019_relu";
  reply.measured.row.samples.resize(2);
  EXPECT_EQ(again(reply).measured.row.task, "level1/019_relu");
  EXPECT_EQ(again(reply).measured.row.samples.size(), 2U);
  EXPECT_EQ(again(reply).measured.lost, std::nullopt);
  reply.measured.lost = Error{ErrorCode::kTimeout, "no answer", "look"};
  ASSERT_TRUE(again(reply).measured.lost);
  EXPECT_EQ(again(reply).measured.lost->code, ErrorCode::kTimeout);
  EXPECT_EQ(again(reply).measured.lost->hint, "look");
}

TEST(LaneMessage, NamesTheMemberThatIsWrong) {
  EXPECT_FALSE(lane_request_from_json(Json::array()).ok());
  EXPECT_THAT(lane_request_from_json({{"ask", "dance"}}).error().message, HasSubstr("ask"));
  EXPECT_FALSE(lane_reply_from_json("row").ok());
  EXPECT_THAT(lane_reply_from_json({{"answer", 3}}).error().message, HasSubstr("answer"));
  EXPECT_THAT(lane_reply_from_json({{"answer", "failed"}}).error().message, HasSubstr("error"));
  EXPECT_THAT(lane_reply_from_json({{"answer", "row"}, {"row", {{"task", 1}}}}).error().message,
              HasSubstr("not an evaluation"));
}

}  // namespace
}  // namespace kbench
