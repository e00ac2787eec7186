#include "runner/core/text_in.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

// Two of the functions of this name threw where a member was no text, the others did not.
TEST(TextIn, WhatIsNoTextIsEmpty) {
  const Json object = {{"text", "a"}, {"number", 1}, {"null", nullptr}, {"list", {"a"}}};
  EXPECT_EQ(text_in(object, "text"), "a");
  for (const char* name : {"number", "null", "list", "none"}) EXPECT_EQ(text_in(object, name), "");
}

TEST(TextIn, WhatIsNoObjectHasNoText) {
  for (const Json& json : {Json(), Json("text"), Json::array({"text"}), Json(3)})
    EXPECT_EQ(text_in(json, "text"), "");
}

}  // namespace
}  // namespace kbench
