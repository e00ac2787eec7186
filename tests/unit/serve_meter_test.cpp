#include "runner/serve/serve_meter.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace kbench {
namespace {

using namespace std::chrono_literals;

class ServeMeterTest : public ::testing::Test {
 protected:
  Json read(const std::vector<std::string>& waiting = {}, std::size_t running = 0) const {
    return meter_.read(waiting, running);
  }
  ServeMeter::Clock::time_point now_{};
  ServeMeter meter_{[this] { return now_; }};
};

TEST_F(ServeMeterTest, TheOldestOfThoseThatWaitCounts) {
  EXPECT_EQ(read().at("oldest_wait_s"), 0.0);
  meter_.arrived("a");
  now_ += 5s;
  meter_.arrived("b");
  now_ += 2s;
  EXPECT_EQ(read({"a", "b"}).at("oldest_wait_s"), 7.0);
  EXPECT_EQ(read({"b"}, 1).at("oldest_wait_s"), 2.0) << "a is being judged";
  EXPECT_EQ(read({"b"}, 1).at("running"), 1);
  EXPECT_EQ(read({"a", "b"}).at("queued"), 2);
  meter_.arrived("a");  // put back: it has waited since it came
  EXPECT_EQ(read({"a"}).at("oldest_wait_s"), 7.0);
}

TEST_F(ServeMeterTest, RowsAndTheDevicesTimeAddUp) {
  meter_.judge_begins();
  now_ += 3s;
  meter_.row();
  EXPECT_EQ(read().at("busy"), true);
  now_ += 1s;
  EXPECT_EQ(read().at("busy_s"), 4.0) << "what is in hand counts";
  meter_.row();
  now_ += 1s;
  meter_.judge_ends();
  now_ += 100s;
  meter_.judge_begins();
  now_ += 2s;
  meter_.row();
  meter_.judge_ends();
  const Json numbers = read();
  EXPECT_EQ(numbers.at("busy"), false);
  EXPECT_EQ(numbers.at("busy_s"), 7.0);
  EXPECT_EQ(numbers.at("rows"), 3);
  EXPECT_EQ(numbers.at("row_s"), 6.0);
}

TEST_F(ServeMeterTest, WhatLeftIsCountedByHowItEnded) {
  for (const char* id : {"a", "b", "c"}) meter_.arrived(id);
  meter_.left("a", true);
  meter_.left("b", true);
  meter_.left("c", false);
  EXPECT_EQ(read().at("done"), 2);
  EXPECT_EQ(read().at("failed"), 1);
  now_ += 9s;
  EXPECT_EQ(read({"a"}).at("oldest_wait_s"), 0.0) << "it is forgotten";
}

}  // namespace
}  // namespace kbench
