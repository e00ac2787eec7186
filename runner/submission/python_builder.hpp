// The build step of a Python submission: runs it in the sandbox as a session would, up to its first
// call (runner/player/build_extensions.py), has compiled what it asks for meanwhile, and keeps what
// was asked, so that the next run need not ask. The process runs foreign code: it only says what is
// to be compiled, and every word of it is checked.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <semaphore>
#include <string>
#include <vector>

#include "runner/core/channel.hpp"
#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/os/written_files.hpp"
#include "runner/submission/extension_compiler.hpp"
#include "runner/submission/python_build.hpp"
#include "runner/submission/source_files.hpp"
#include "runner/submission/staging.hpp"
#include "runner/submission/submission.hpp"

namespace kbench {

// A build of one submission: its places, and its target.
struct PythonBuildRequest {
  const Submission& submission;
  const std::vector<SourceFile>& files;
  const Staging& staging;        // its files are in src/, where what is built goes as well
  std::string entry;             // path below src/
  std::string init;              // a literal of Python: how the task's Model is made
  std::string mode;              // Task::mode
  Json inputs;                   // arguments of forward: [{"dtype", "shape"}]
  std::string real = "float32";  // the type in the place of float32
};

struct PythonBuildLimits {
  std::chrono::seconds start{180};   // time until torch is imported, on a busy machine
  std::chrono::seconds own{60};      // its own time, without that of compilers
  std::chrono::seconds triton{600};  // the same where Triton compiles and tunes
};

// Autotuning measures, so one step at a time has the device. A step that compiles within its call
// leaves it to others and keeps what it has allocated there: the more calls, the less memory for
// each (see HELD_WITHOUT_TURN of build_extensions.py, which grants all of them together half of
// it).
struct DeviceTurns {
  static constexpr std::ptrdiff_t kCalls = 8;
  std::counting_semaphore<kCalls> calls{kCalls};
  std::mutex device;
};

class PythonBuilder {
 public:
  // `device`: "cpu" or "cuda". `environment`: what a process reads to see the device that the run
  // is on.
  PythonBuilder(Sandbox& sandbox, ExtensionCompiler compiler, std::string device,
                std::map<std::string, std::string> environment, PythonBuildLimits limits = {});

  // Errors: kSubmission (it does not compile and its file does not catch that, it exceeds a limit,
  // or asks for what is refused), kNotFound (it takes what this run does not have),
  // kInfrastructure. What it raises by itself is no error: a session meets it again, and has a
  // state for it. Safe to call from several threads at once.
  [[nodiscard]] Result<PythonBuild> build(const PythonBuildRequest& request) const;

 private:
  struct Record;
  struct Process;
  class Step;
  class Turn;

  [[nodiscard]] std::string key_of(const PythonBuildRequest& request) const;
  [[nodiscard]] Result<Record> run(const PythonBuildRequest& request, Step& step) const;
  [[nodiscard]] Result<Process> start(const PythonBuildRequest& request) const;
  [[nodiscard]] Result<Record> serve(const PythonBuildRequest& request, Step& step,
                                     Process& process) const;
  [[nodiscard]] static Status await_word(Process& process, WrittenFiles& files,
                                         std::chrono::nanoseconds left);
  [[nodiscard]] Json describe(const PythonBuildRequest& request, const Step& step,
                              const std::filesystem::path& scratch) const;
  [[nodiscard]] Status judge(const PythonBuildRequest& request, const Record& record,
                             const Step& step) const;
  [[nodiscard]] Status compile_cuda_agent(const PythonBuildRequest& request, Step& step) const;
  [[nodiscard]] SandboxCommand command(const PythonBuildRequest& request) const;

  Sandbox& sandbox_;
  ExtensionCompiler compiler_;
  std::string device_;
  std::map<std::string, std::string> environment_;
  PythonBuildLimits limits_;
  std::shared_ptr<DeviceTurns> turns_ = std::make_shared<DeviceTurns>();
};

}  // namespace kbench
