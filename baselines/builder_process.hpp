// One builder: a Python running aot_builder.py, spoken to in lines of JSON over a socket that is
// its stdin and stdout; its stderr is kept for error messages. It executes what a task file says,
// so it is in the sandbox, with a folder of its own, and of that folder nothing is taken but the
// one package that was ordered. Owned by a thread of builder_pool.cpp's pool.
//
// The conversation (see aot_builder.py):
//   it: {"ready": true, "torch": "2.11.0"}                          once, when it can take work
//   we: {"id": 7, "task": TEXT, "size": …, "device": …, …, "output": PATH}
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
#include "runner/os/files.hpp"
#include "runner/os/server_pool.hpp"
#include "runner/os/trusted_python.hpp"
#include "runner/sandbox/python_command.hpp"
#include "runner/sandbox/sandbox.hpp"

namespace kbench {

class BuilderProcess final : public Server {
 public:
  struct Command {
    Sandbox* sandbox = nullptr;         // null: outside of any
    bool needs_cuda = false;            // it times kernels on the GPU
    std::filesystem::path tuning_lock;  // file whose lock it holds while it times; empty: none
    PythonSetup python;
    std::filesystem::path script;
    // Inductor's precompiled headers, which are worth half a minute: each builder gets a copy.
    std::filesystem::path headers;
    bool keeps_headers = false;  // it builds our own tasks alone: what it adds to these is kept
    int compile_threads = 1;     // Inductor's threads; more than one are processes of their own
    std::map<std::string, std::string> environment;  // beside, or instead of, its own
  };

  // Returns once it can take work. Errors: kInfrastructure, kTimeout; how it ended and the last
  // lines that it wrote to stderr.
  static Result<std::unique_ptr<Server>> start(const Command& command, const Stop& stop);
  ~BuilderProcess() override;

  // The request's "task_file" is read here, and its "output" is where the package is copied to. The
  // answer has that "output", or a "reason" in words; "transient" where that says nothing about the
  // package. A request for another torch is answered here. Errors as start()'s, and kBadInput;
  // after each it has ended.
  Result<Json> ask(const Json& request, std::chrono::milliseconds limit, const Stop& stop) override;
  [[nodiscard]] bool spent() const override { return over_; }

 private:
  explicit BuilderProcess(Command command) : command_(std::move(command)) {}
  Status spawn();
  Result<std::unique_ptr<SandboxedProcess>> start_program(
      const std::vector<std::pair<int, int>>& descriptors);
  // The path at which the package of a request is to be made.
  [[nodiscard]] std::filesystem::path made_for(const Json& request) const;
  // Takes the package that was ordered: a regular file, under the name that it was given.
  Result<Json> answer_of(const Json& request, const Json& reply);
  // The next line that `wanted` takes.
  Result<Json> receive(std::chrono::milliseconds limit, const Stop& stop,
                       const std::function<bool(const Json&)>& wanted);
  std::optional<std::string> next_line();
  void read_replies();
  void read_errors();
  // Ends the process, if it has not ended, and says after `complaint` how it ended ("exited with
  // status 1", "was killed by signal 9") with the last lines it wrote to stderr.
  Error bury(ErrorCode code, std::string_view complaint);

  Command command_;
  std::optional<TrustedPython> python_;  // outside of the sandbox: owns the working directory
  ScratchFolder scratch_;                // all that it writes to; outlives the process
  std::unique_ptr<SandboxedProcess> process_;
  UniqueFd socket_;
  UniqueFd errors_;
  std::string pending_;  // bytes that arrived and are not read yet
  std::string error_tail_;
  bool closed_ = false;
  bool over_ = false;
  std::string torch_;
};

// The builder's command, with all that it sees and may do in the sandbox. It writes to `scratch`,
// in which folders are made.
[[nodiscard]] SandboxCommand confined_builder(const BuilderProcess::Command& command,
                                              const std::filesystem::path& scratch);

}  // namespace kbench
