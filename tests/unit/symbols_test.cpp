#include "runner/activity/symbols.hpp"

#include <cstring>
#include <memory>

#include <gtest/gtest.h>

namespace kbench {
namespace {

TEST(Symbols, WhatALibraryHasIsFoundAndTheFirstThatItHasNotIsNamed) {
  const std::unique_ptr<void, int (*)(void*)> self(::dlopen(nullptr, RTLD_NOW), ::dlclose);
  std::size_t (*length)(const char*) = nullptr;
  int (*nothing)(int) = nullptr;
  Symbols symbols;
  symbols.find(self.get(), length, "strlen");
  ASSERT_NE(length, nullptr);
  EXPECT_EQ(length("four"), 4u);
  EXPECT_EQ(symbols.missing(), "");
  symbols.find(self.get(), nothing, "no_library_has_this");
  symbols.find(self.get(), nothing, "nor_this");
  EXPECT_EQ(nothing, nullptr);
  EXPECT_EQ(symbols.missing(), "no_library_has_this");
}

TEST(Symbols, ALibraryThatIsNotThereHasNone) {
  std::size_t (*length)(const char*) = nullptr;
  Symbols symbols;
  symbols.find(nullptr, length, "strlen");
  EXPECT_EQ(length, nullptr);
  EXPECT_EQ(symbols.missing(), "strlen");
}

}  // namespace
}  // namespace kbench
