// Entries that are remembered, and the one that goes first.
#include "runner/serve/recent.hpp"

#include <optional>

#include <gtest/gtest.h>

namespace kbench {
namespace {

TEST(Recent, TheOldestGoesFirstWhateverItsId) {
  Recent<int> recent(2);
  recent.put("b", 1);
  recent.put("a", 2);
  recent.put("c", 3);
  EXPECT_EQ(recent.find("b"), nullptr);
  ASSERT_NE(recent.find("a"), nullptr);
  EXPECT_EQ(*recent.find("c"), 3);
}

TEST(Recent, WhatIsPutAgainIsTheNewest) {
  Recent<int> recent(2);
  recent.put("a", 1);
  recent.put("b", 2);
  recent.put("a", 3);
  recent.put("c", 4);
  EXPECT_EQ(recent.find("b"), nullptr);
  EXPECT_EQ(*recent.find("a"), 3);
}

TEST(Recent, WhatIsTakenIsGone) {
  Recent<int> recent(2);
  recent.put("a", 1);
  EXPECT_EQ(recent.take("a"), std::optional(1));
  EXPECT_EQ(recent.take("a"), std::nullopt);
  recent.erase("a");
  recent.put("b", 2);
  recent.put("c", 3);
  EXPECT_NE(recent.find("b"), nullptr);
}

}  // namespace
}  // namespace kbench
