// Answers to a list of questions, which a thread of its own gives one by one, in any order, while
// the asking thread does work that needs none of them yet.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "runner/core/result.hpp"

namespace kbench {

template <typename Answer>
class AwaitedAnswers {
 public:
  using Give = std::function<void(std::size_t index, Result<Answer> answer)>;
  // Answers the questions by calling Give, each once. What it returns is the answer to those that
  // it left open; where it throws, that they failed.
  using Ask = std::function<Error(const Give& give)>;

  AwaitedAnswers(std::size_t questions, Ask ask) : promises_(questions), given_(questions, false) {
    for (auto& promise : promises_) answers_.push_back(promise.get_future().share());
    asking_ = std::async(std::launch::async, [this, ask = std::move(ask)] {
      const Error rest = answer_some(ask);
      for (std::size_t i = 0; i < promises_.size(); ++i)
        if (!given_[i]) promises_[i].set_value(rest);
    });
  }

  // Waits for it.
  [[nodiscard]] const Result<Answer>& of(std::size_t index) const { return answers_[index].get(); }

  // Waits until all answers are there, so that the machine is quiet again.
  void wait_for_all() const { asking_.wait(); }

 private:
  // Each question gets an answer: the asking thread waits for it.
  Error answer_some(const Ask& ask) {
    const auto failed = [](const char* why) {
      return Error{ErrorCode::kInfrastructure, std::string("whoever was to answer failed: ") + why,
                   "free memory or processes, and run it again"};
    };
    try {
      return ask([this](std::size_t i, Result<Answer> answer) {
        promises_[i].set_value(std::move(answer));
        given_[i] = true;
      });
    } catch (const std::exception& error) {
      return failed(error.what());
    } catch (...) {
      return failed("with what nobody knows");
    }
  }

  std::vector<std::promise<Result<Answer>>> promises_;
  std::vector<bool> given_;  // the thread's own
  std::vector<std::shared_future<Result<Answer>>> answers_;
  std::future<void> asking_;  // last: it uses the others
};

}  // namespace kbench
