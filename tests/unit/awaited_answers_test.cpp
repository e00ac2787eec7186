#include "runner/run/awaited_answers.hpp"

#include <future>
#include <string>

#include <gtest/gtest.h>

namespace kbench {
namespace {

using Answers = AwaitedAnswers<std::string>;

const Error kRest{ErrorCode::kInfrastructure, "nobody knows", ""};

TEST(AwaitedAnswersTest, AnAnswerIsThereBeforeTheNextOneIs) {
  std::promise<void> first_was_read;
  const Answers answers(2, [&](const Answers::Give& give) {
    give(1, std::string("second"));
    first_was_read.get_future().wait();
    give(0, std::string("first"));
    return kRest;
  });
  EXPECT_EQ(*answers.of(1), "second");
  first_was_read.set_value();
  EXPECT_EQ(*answers.of(0), "first");
  EXPECT_EQ(*answers.of(0), "first") << "it can be read again";
}

TEST(AwaitedAnswersTest, WhatIsLeftOpenHasTheReason) {
  const Answers answers(3, [](const Answers::Give& give) {
    give(2, Error{ErrorCode::kBadInput, "its own", ""});
    return kRest;
  });
  answers.wait_for_all();
  EXPECT_EQ(answers.of(0).error().message, "nobody knows");
  EXPECT_EQ(answers.of(1).error().message, "nobody knows");
  EXPECT_EQ(answers.of(2).error().message, "its own");
}

}  // namespace
}  // namespace kbench
