// How a run waits for its device, field by field; a new field does not compile until it is here.
#include <gtest/gtest.h>

#include "runner/run/device_bench.hpp"
#include "tests/unit/run_fixture.hpp"

namespace kbench::test {
namespace {

TEST(LockRequest, WaitsForItsDeviceAsTheRunIsAsked) {
  const Installation here;
  RunRequest request;
  RunTerms terms;
  Plan plan;
  KeptProgress progress;
  const BenchOrder order{request, terms, plan, progress};
  const auto asked = [&] { return lock_request_of(order, here, "run 7", 12); };
  int told = 0;
  terms.waits = [&](const auto&) { ++told; };
  terms.gives_up = [] { return true; };
  const LockRequest made = asked();
  const auto& [installation, target, what, wait, turn_only, seconds, sink, waits, is_needless] =
      made;
  EXPECT_EQ(installation, &here);
  EXPECT_EQ(target, &plan.target);
  EXPECT_EQ(what, "run 7");
  EXPECT_TRUE(wait);
  EXPECT_FALSE(turn_only);
  EXPECT_EQ(seconds, 12);
  EXPECT_EQ(sink, &progress);
  waits(std::nullopt);
  EXPECT_EQ(told, 1);
  EXPECT_TRUE(is_needless());
  terms.no_wait = true;
  EXPECT_FALSE(asked().wait);
  request.checks_only = true;
  EXPECT_TRUE(asked().turn_only);
}

}  // namespace
}  // namespace kbench::test
