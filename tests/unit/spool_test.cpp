// Orders on the disk.
#include "runner/serve/spool.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/task_fixture.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;

QueuedOrder order(char digit, std::uint64_t sequence) {
  return {.id = std::string(64, digit),
          .order = {.task = "level1/019_relu",
                    .size = "small",
                    .agent = "ann",
                    .files = {{"main.cpp", "int x; // ü \x01 \"\n"}, {"a/b.hpp", ""}}},
          .sequence = sequence};
}

// Everything that lies there, by arrival.
struct Kept {
  std::vector<QueuedOrder> orders;
  std::size_t damaged = 0;
};
Kept all_in(const Spool& spool) {
  Kept kept;
  const auto damaged = spool.each([&](QueuedOrder one) { kept.orders.push_back(std::move(one)); });
  EXPECT_TRUE(damaged.ok());
  kept.damaged = damaged.ok() ? *damaged : 0;
  std::sort(kept.orders.begin(), kept.orders.end(),
            [](const QueuedOrder& a, const QueuedOrder& b) { return a.sequence < b.sequence; });
  return kept;
}

TEST(Spool, WhatIsKeptComesBack) {
  const test::TemporaryFolder folder;
  {
    const auto spool = Spool::open(folder.path() / "state/spool");
    ASSERT_TRUE(spool.ok()) << spool.error().message;
    ASSERT_TRUE(spool->keep(order('b', 1)).ok());
    ASSERT_TRUE(spool->keep(order('a', 2)).ok());
    ASSERT_TRUE(spool->keep(order('c', 3)).ok());
    spool->forget(order('c', 3).id);
  }
  const auto spool = Spool::open(folder.path() / "state/spool");
  const Kept kept = all_in(*spool);
  ASSERT_EQ(kept.orders.size(), 2U);
  EXPECT_EQ(kept.orders[0].id, order('b', 1).id);
  EXPECT_EQ(kept.orders[1].order, order('a', 2).order);
  EXPECT_EQ(kept.orders[1].sequence, 2U);
  EXPECT_EQ(kept.orders[1].tries, 0);
  EXPECT_EQ(kept.orders[1].bytes, size_of_files(order('a', 2).order));
  EXPECT_EQ(kept.damaged, 0U);
}

TEST(Spool, WhatIsDamagedIsCountedAndStays) {
  const test::TemporaryFolder folder;
  const auto spool = Spool::open(folder.path() / "spool");
  ASSERT_TRUE(spool->keep(order('a', 1)).ok());
  const std::string damaged = "spool/" + std::string(64, 'd') + ".json";
  folder.write(damaged, "{\"schema\": \"kbench-order/1\", \"sequence\": 1");
  folder.write("spool/" + std::string(64, 'e') + ".json",
               "{\"schema\": \"kbench-order/1\", \"sequence\": 2, \"order\": {\"task\": 3}}");
  folder.write("spool/notes.txt", "mine");
  folder.write("spool/" + std::string(64, 'f') + ".json.abc123", "half");
  const Kept kept = all_in(*spool);
  EXPECT_EQ(kept.orders.size(), 1U);
  EXPECT_EQ(kept.damaged, 2U);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / damaged));
}

TEST(Spool, ATryStandsInTheFileBeforeItIsBegun) {
  const test::TemporaryFolder folder;
  const auto spool = Spool::open(folder.path() / "spool");
  ASSERT_TRUE(spool->keep(order('a', 7)).ok());
  const auto begun = spool->begin_try(order('a', 7).id);
  ASSERT_TRUE(begun.ok()) << begun.error().message;
  EXPECT_EQ(begun->order, order('a', 7).order);
  EXPECT_EQ(begun->sequence, 7U);
  EXPECT_EQ(all_in(*spool).orders[0].tries, 1);
  ASSERT_TRUE(spool->begin_try(order('a', 7).id).ok());
  EXPECT_EQ(all_in(*spool).orders[0].tries, 2);
  spool->undo_try(order('a', 7).id);
  EXPECT_EQ(all_in(*spool).orders[0].tries, 1);
  spool->forget(order('a', 7).id);
  EXPECT_FALSE(spool->begin_try(order('a', 7).id).ok());
  spool->undo_try(order('a', 7).id);
  EXPECT_TRUE(all_in(*spool).orders.empty());
}

TEST(Spool, AFileOfAnEarlierVersionWasNeverTried) {
  const test::TemporaryFolder folder;
  const auto spool = Spool::open(folder.path() / "spool");
  folder.write("spool/" + std::string(64, 'e') + ".json",
               "{\"schema\": \"kbench-order/1\", \"sequence\": 2, \"order\": "
               "{\"task\": \"t\", \"files\": {\"a.cpp\": \"x\"}}}");
  ASSERT_EQ(all_in(*spool).orders.size(), 1U);
  EXPECT_EQ(all_in(*spool).orders[0].tries, 0);
}

TEST(Spool, OneServerAtATimeHasIt) {
  const test::TemporaryFolder folder;
  const auto spool = Spool::open(folder.path() / "spool");
  ASSERT_TRUE(spool.ok());
  const auto other = Spool::open(folder.path() / "spool");
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, ErrorCode::kUsage);
  EXPECT_THAT(other.error().message, HasSubstr("already"));
}

TEST(Order, IsReadAsItWasWritten) {
  const Order whole{.what = "verify",
                    .task = "t",
                    .reference = "",
                    .size = "small",
                    .device = "cpu",
                    .agent = "ann",
                    .files = {{"a", "b"}}};
  const auto read = order_from_json(order_json(whole));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, whole);
}

TEST(Order, WhatIsNoneIsRefused) {
  const Json good = {{"task", "t"}, {"files", {{"a", "b"}}}};
  ASSERT_TRUE(order_from_json(good).ok());
  const std::vector<std::pair<const char*, Json>> wrong = {{"task", 3},
                                                           {"task", ""},
                                                           {"task", std::string(201, 'x')},
                                                           {"reference", "both"},
                                                           {"files", Json::object()},
                                                           {"files", Json::array({"a"})},
                                                           {"files", {{"a", 3}}},
                                                           {"what", "anything"},
                                                           {"more", "x"}};
  for (const auto& [name, value] : wrong) {
    Json json = good;
    json[name] = value;
    const auto order = order_from_json(json);
    EXPECT_FALSE(order.ok()) << name << " " << value;
  }
  EXPECT_FALSE(order_from_json(Json::array()).ok());
  EXPECT_FALSE(order_from_json(Json()).ok());
}

}  // namespace
}  // namespace kbench
