#include "runner/judge/without_places.hpp"

#include <string>

#include <gtest/gtest.h>

namespace kbench {
namespace {

TEST(WithoutPlaces, OfAFileItsNameIsLeftAndTheMessageIsWhole) {
  const auto told = [](const std::string& message) { return without_places(message, "/tmp/x.1"); };
  EXPECT_EQ(told("/tmp/x.1/ann/level1/a.cpp: parse error in a/b: no"),
            "a.cpp: parse error in a/b: no");
  EXPECT_EQ(told("cannot read /tmp/x.1/ann/a.cpp"), "cannot read a.cpp");
  EXPECT_EQ(told("/tmp/x.1/ann/a.cpp has neither a forward/backward nor a main"),
            "a.cpp has neither a forward/backward nor a main");
  EXPECT_EQ(told("\"/tmp/x.1/ann/a.cpp\" and /tmp/x.1/b.cpp, both/each: no"),
            "\"a.cpp\" and b.cpp, both/each: no");
  EXPECT_EQ(told("nothing is in /tmp/x.1"), "nothing is in x.1");
}

}  // namespace
}  // namespace kbench
