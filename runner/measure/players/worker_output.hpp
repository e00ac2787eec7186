// A submission's output: the end of its standard output and error, for its author. A pipe that is
// not read before the end: a submission that prints more than the pipe holds gets an error from
// write(), and waits for nothing. Nothing is decided by it.
#pragma once

#include <string>

#include "runner/core/result.hpp"
#include "runner/os/pipe.hpp"

namespace kbench {

class WorkerOutput {
 public:
  // Errors: kInfrastructure.
  [[nodiscard]] static Result<WorkerOutput> make();
  // The end for the worker's process, which is closed here once the process has started.
  [[nodiscard]] int write_end() const { return pipe_.write.get(); }
  void close_write_end() { pipe_.write.reset(); }
  // The last lines of what it printed since the last time it was asked, safe to show; empty without
  // any. At most kMostLines of them.
  [[nodiscard]] std::string last_lines();

  static constexpr int kMostLines = 20;

 private:
  explicit WorkerOutput(Pipe pipe) : pipe_(std::move(pipe)) {}

  Pipe pipe_;
};

}  // namespace kbench
