#include "runner/run/awaited_answers.hpp"

#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tests/fakes/await.hpp"

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

TEST(AwaitedAnswersTest, WhoeverThrowsHasAnsweredTheRest) {
  const auto answers = std::make_shared<Answers>(2, [](const Answers::Give& give) -> Error {
    give(1, std::string("before"));
    throw std::runtime_error("no memory");
  });
  EXPECT_EQ(*answers->of(1), "before");
  // By itself, since it would wait for ever where nobody answers.
  auto rest = std::make_shared<std::promise<Result<std::string>>>();
  auto told = rest->get_future();
  std::thread([answers, rest] { rest->set_value(answers->of(0)); }).detach();
  ASSERT_EQ(told.wait_for(test::kPatience), std::future_status::ready);
  const auto answer = told.get();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kInfrastructure);
  EXPECT_EQ(answer.error().message, "whoever was to answer failed: no memory");
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
