// A program of ours or of the system as a child process. Foreign programs go to runner/sandbox.
// Invariants: it leads a process group of its own, so that a signal to ours, from a terminal or
// from `timeout`, is ours to answer; it gets the descriptors it is given and no others; the
// destructor kills the group and waits for the process.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/core/result.hpp"

namespace kbench {

struct ChildPlan {
  std::vector<std::string> argv;                        // argv[0] is a path
  std::optional<std::vector<std::string>> environment;  // "NAME=value"; none: inherited_environment
  std::filesystem::path working_directory;              // empty: ours
  std::vector<std::pair<int, int>> descriptors;         // {ours, number there}
  // The kernel kills it when the thread that starts it ends, with this process or before.
  bool ends_with_us = false;
};

struct ChildEnd {
  int status = 0;          // status that waitpid reports
  bool by_itself = false;  // it had ended before it was stopped
};

class ChildProcess {
 public:
  // Returns once the program was executed. Errors: kInfrastructure, "cannot start PROGRAM: why".
  [[nodiscard]] static Result<ChildProcess> start(const ChildPlan& plan);

  ChildProcess() = default;  // none
  ChildProcess(ChildProcess&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess() { end(); }

  [[nodiscard]] pid_t pid() const { return pid_; }  // -1: none, or over
  // Whether it runs still. Its number stays its own until end().
  [[nodiscard]] bool alive() const;
  // Waits for its end. False when the deadline passed first.
  [[nodiscard]] bool wait_until(std::chrono::steady_clock::time_point deadline) const;
  // Kills what is left of its group and waits for the process.
  ChildEnd end();

 private:
  pid_t pid_ = -1;
};

}  // namespace kbench
