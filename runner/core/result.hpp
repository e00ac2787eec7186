// Result<T>: the value of an operation that may fail in an expected way, or the Error that says
// what happened, where, whose fault it is and what to do next. Exceptions are left to third-party
// adapters and main.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace kbench {

enum class ErrorCode {
  kUsage,           // the person at the keyboard asked for something impossible
  kBadInput,        // a file handed to us is malformed
  kNotFound,        // a name that does not exist
  kSubmission,      // the submission's fault
  kDoesNotFit,      // more memory than the device has
  kTimeout,         // a deadline passed
  kInterrupted,     // the user ended it, by Ctrl-C
  kInfrastructure,  // our own fault or the machine's
};

// The analyser loses sight of which alternative a Result holds.
// NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign)
struct Error {
  ErrorCode code = ErrorCode::kInfrastructure;
  std::string message;  // the event and its place, one line
  std::string hint;     // the next thing to do; may be empty
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] T& value() { return std::get<0>(state_); }
  [[nodiscard]] const T& value() const { return std::get<0>(state_); }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  [[nodiscard]] const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

// Success without a value.
struct Done {};
using Status = Result<Done>;

}  // namespace kbench
