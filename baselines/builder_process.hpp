// One builder: a Python running aot_builder.py, spoken to in lines of JSON over a socket that is
// its stdin and stdout; its stderr is kept for error messages. Owned by a thread of
// builder_pool.cpp's pool. Should this process be killed, the kernel kills the builder.
//
// The conversation (see aot_builder.py):
//   it: {"ready": true, "torch": "2.11.0"}                          once, when it can take work
//   we: {"id": 7, "task_file": …, "size": …, "device": …, …, "output": PATH}
//   it: {"id": 7, "output": PATH}  or  {"id": 7, "reason": TEXT, "transient": true|false}
// Any other line on its stdout is noise from a library and is ignored.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/os/child_process.hpp"
#include "runner/os/server_pool.hpp"
#include "runner/os/trusted_python.hpp"

namespace kbench {

class BuilderProcess final : public Server {
 public:
  struct Command {
    std::filesystem::path python;
    std::filesystem::path script;
    std::filesystem::path cache_directory;  // compiler caches and temporary files go below it
    int compile_threads = 1;                // of Inductor; more than one are processes of their own
    std::map<std::string, std::string> environment;  // beside, or instead of, our own
  };

  // Returns once it can take work. Errors: kInfrastructure, kTimeout; how it ended and the last
  // lines that it wrote to stderr.
  static Result<std::unique_ptr<Server>> start(const Command& command, const Stop& stop);

  // The answer has an "output" that exists, or a "reason" in words; "transient" where that says
  // nothing about the package. A request for another torch is answered here. Errors as start()'s,
  // and kBadInput; after each it has ended.
  Result<Json> ask(const Json& request, std::chrono::milliseconds limit, const Stop& stop) override;
  [[nodiscard]] bool spent() const override { return child_.pid() < 0; }

 private:
  explicit BuilderProcess(TrustedPython python) : python_(std::move(python)) {}
  // The next line that `wanted` takes.
  Result<Json> receive(std::chrono::milliseconds limit, const Stop& stop,
                       const std::function<bool(const Json&)>& wanted);
  std::optional<std::string> next_line();
  void read_replies();
  void read_errors();
  // Ends the process, if it has not ended, and says after `complaint` how it ended ("exited with
  // status 1", "was killed by signal 9") with the last lines it wrote to stderr.
  Error bury(ErrorCode code, std::string_view complaint);

  TrustedPython python_;  // outlives the process, whose working directory it owns
  ChildProcess child_;
  UniqueFd socket_;
  UniqueFd errors_;
  std::string pending_;  // what has arrived and is not read yet
  std::string error_tail_;
  bool closed_ = false;
  std::string torch_;
};

}  // namespace kbench
