// Waiting in tests: for a state, until a deadline that a busy machine keeps as well. Never for
// seconds.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

namespace kbench::test {

constexpr std::chrono::seconds kPatience{30};

// Looks every millisecond until `condition` holds. After kPatience the test has failed, and says
// that it waited for `what`.
template <class Condition>
[[nodiscard]] bool await(Condition&& condition, const std::string& what) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) {
      ADD_FAILURE() << "not within " << kPatience.count() << " s: " << what;
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
  }
  return true;
}

// Calls `attempt` with limits that double, beginning with `first`, until it is true. For a program
// that a limit of time ends: on a busy machine the first limit may pass before it has come to its
// point.
template <class Attempt>
[[nodiscard]] bool with_longer_limits(std::chrono::milliseconds first, Attempt&& attempt) {
  for (auto limit = first; limit <= kPatience; limit *= 2)
    if (attempt(limit)) return true;
  ADD_FAILURE() << "not within any limit up to " << kPatience.count() << " s";
  return false;
}

// The state of a process or thread in /proc, such as 'R', 'T' or 'Z'; '\0' once it is gone.
inline char state_in_proc(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  const auto end_of_name = text.rfind(')');
  return end_of_name == std::string::npos ? '\0' : text.at(end_of_name + 2);
}

// True for a process that still runs or could: a zombie only waits to be reaped.
inline bool lives(pid_t pid) {
  const char state = state_in_proc(pid);
  return state != '\0' && state != 'Z' && state != 'X';
}

}  // namespace kbench::test
