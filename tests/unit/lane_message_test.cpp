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

TEST(LaneMessage, ResultsComeWithWhatBecameOfTheDevice) {
  LaneReply reply;
  reply.answer = LaneAnswer::kResult;
  reply.result.body = {{"task", "level1/019_relu"}};
  EXPECT_EQ(again(reply).result.body, reply.result.body);
  EXPECT_FALSE(again(reply).result.failure);
  EXPECT_FALSE(again(reply).result.lost);
  reply.result.lost = Error{ErrorCode::kTimeout, "no answer", "look"};
  EXPECT_EQ(again(reply).result.body, reply.result.body);
  ASSERT_TRUE(again(reply).result.lost);
  EXPECT_EQ(again(reply).result.lost->code, ErrorCode::kTimeout);
  EXPECT_EQ(again(reply).result.lost->hint, "look");
}

TEST(LaneMessage, AUnitWithoutAResultSaysWhy) {
  LaneReply reply;
  reply.answer = LaneAnswer::kResult;
  reply.result.failure = Error{ErrorCode::kBadInput, "it cannot be read", "write it anew"};
  ASSERT_TRUE(again(reply).result.failure);
  EXPECT_EQ(again(reply).result.failure->code, ErrorCode::kBadInput);
  EXPECT_EQ(again(reply).result.failure->message, "it cannot be read");
  EXPECT_FALSE(again(reply).failure) << "the lane itself goes on";
}

TEST(LaneMessage, NamesTheMemberThatIsWrong) {
  EXPECT_FALSE(lane_request_from_json(Json::array()).ok());
  EXPECT_THAT(lane_request_from_json({{"ask", "dance"}}).error().message, HasSubstr("ask"));
  EXPECT_FALSE(lane_reply_from_json("row").ok());
  EXPECT_THAT(lane_reply_from_json({{"answer", 3}}).error().message, HasSubstr("answer"));
  EXPECT_THAT(lane_reply_from_json({{"answer", "failed"}}).error().message, HasSubstr("error"));
  EXPECT_THAT(lane_reply_from_json({{"answer", "result"}}).error().message, HasSubstr("body"));
}

}  // namespace
}  // namespace kbench
