// The order in which agents take turns.
#include "runner/serve/order_queue.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbench {
namespace {

using ::testing::ElementsAre;
using Push = OrderQueue::Push;

QueuedOrder order(const std::string& id, const std::string& agent, std::uint64_t sequence,
                  const std::string& size = "small", const std::string& what = "") {
  return {.id = id,
          .order = {.what = what, .task = "t", .size = size, .agent = agent, .files = {{"a", ""}}},
          .sequence = sequence};
}

std::vector<std::string> ids(const std::vector<QueuedOrder>& orders) {
  std::vector<std::string> all;
  for (const QueuedOrder& one : orders) all.push_back(one.id);
  return all;
}

TEST(OrderQueue, AgentsTakeTurnsAndKeepTheirOwnOrder) {
  OrderQueue queue;
  for (const std::uint64_t i : {1U, 2U, 3U})
    EXPECT_EQ(queue.push(order("a" + std::to_string(i), "ann", i)), Push::kTaken);
  EXPECT_EQ(queue.push(order("b1", "bob", 100)), Push::kTaken);
  EXPECT_THAT(ids(queue.take(3)), ElementsAre("a1", "b1", "a2"));
  EXPECT_THAT(ids(queue.take(3)), ElementsAre("a3"));
  EXPECT_TRUE(queue.take(3).empty());
}

TEST(OrderQueue, ARunIsOfOneKindAndSize) {
  OrderQueue queue;
  queue.push(order("a", "ann", 1));
  queue.push(order("b", "ann", 2, "full"));
  queue.push(order("c", "ann", 3, "small", "compile"));
  queue.push(order("d", "ann", 4));
  EXPECT_THAT(ids(queue.take(9)), ElementsAre("a", "d"));
  EXPECT_THAT(ids(queue.take(9)), ElementsAre("b"));
  EXPECT_THAT(ids(queue.take(9)), ElementsAre("c"));
}

TEST(OrderQueue, TheSameOrderIsThereOnce) {
  OrderQueue queue;
  queue.push(order("a", "ann", 1));
  EXPECT_EQ(queue.push(order("a", "ann", 2)), Push::kThere);
  EXPECT_EQ(queue.state_of("a"), OrderQueue::State::kQueued);
  ASSERT_EQ(queue.take(1).size(), 1U);
  EXPECT_EQ(queue.state_of("a"), OrderQueue::State::kRunning);
  EXPECT_EQ(queue.push(order("a", "ann", 3)), Push::kThere);
  queue.finish("a");
  EXPECT_EQ(queue.state_of("a"), std::nullopt);
}

TEST(OrderQueue, NobodyTakesAllOfIt) {
  OrderQueue queue({.most = 4, .most_of_one = 2});
  EXPECT_EQ(queue.push(order("a", "ann", 1)), Push::kTaken);
  EXPECT_EQ(queue.push(order("b", "ann", 2)), Push::kTaken);
  EXPECT_EQ(queue.push(order("c", "ann", 3)), Push::kTooMany);
  ASSERT_EQ(queue.take(1).size(), 1U);
  EXPECT_EQ(queue.push(order("c", "ann", 4)), Push::kTooMany) << "what runs counts";
  EXPECT_EQ(queue.push(order("d", "bob", 5)), Push::kTaken);
  EXPECT_EQ(queue.push(order("e", "bob", 6)), Push::kTaken);
  EXPECT_EQ(queue.push(order("f", "cyd", 7)), Push::kTaken);
  EXPECT_EQ(queue.push(order("g", "cyd", 8)), Push::kFull);
  EXPECT_EQ(queue.room_for("cyd", 0), Push::kFull);
}

TEST(OrderQueue, FilesAreCountedByTheirBytes) {
  OrderQueue queue({.most_bytes = 100, .most_bytes_of_one = 60});
  const auto push = [&](const std::string& id, const std::string& agent, std::size_t bytes) {
    QueuedOrder one = order(id, agent, 1);
    one.bytes = bytes;
    return queue.push(one);
  };
  EXPECT_EQ(push("a", "ann", 60), Push::kTaken);
  EXPECT_EQ(push("b", "ann", 1), Push::kTooMany);
  EXPECT_EQ(push("c", "bob", 40), Push::kTaken);
  EXPECT_EQ(push("d", "cyd", 1), Push::kFull);
  queue.finish("c");
  EXPECT_EQ(push("d", "cyd", 1), Push::kTaken);
  EXPECT_TRUE(queue.find("a")->order.files.empty()) << "they lie on the spool";
}

TEST(OrderQueue, WhatWasTriedBeforeComesAlone) {
  OrderQueue queue;
  for (const std::uint64_t i : {1U, 2U, 3U}) queue.push(order(std::to_string(i), "ann", i));
  ASSERT_THAT(ids(queue.take(3)), ElementsAre("1", "2", "3"));
  queue.put_back("1", false);
  queue.put_back("2", true);
  queue.put_back("3", false);
  queue.push(order("4", "ann", 4));
  EXPECT_THAT(ids(queue.take(9)), ElementsAre("1", "3", "4"));
  EXPECT_THAT(ids(queue.take(9)), ElementsAre("2"));
  queue.put_back("2", true);
  queue.push(order("5", "ann", 5));
  EXPECT_THAT(ids(queue.take(9)), ElementsAre("2"));
}

TEST(OrderQueue, WhatGotNoRowWaitsAgainInItsPlace) {
  OrderQueue queue;
  queue.push(order("a", "ann", 1));
  queue.push(order("b", "ann", 2));
  ASSERT_THAT(ids(queue.take(1)), ElementsAre("a"));
  queue.put_back("a", true);
  EXPECT_EQ(queue.find("a")->tries, 1);
  queue.put_back("none", true);
  EXPECT_THAT(queue.waiting_ids(), ElementsAre("a", "b"));
  EXPECT_THAT(ids(queue.take(1)), ElementsAre("a"));
  queue.put_back("a", false);
  EXPECT_EQ(queue.find("a")->tries, 1);
}

}  // namespace
}  // namespace kbench
