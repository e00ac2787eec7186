// One sandboxed Python that lowers foreign task files, running suites/importer.py. The
// conversation, over a Channel that is its standard input:
//   it: {"ready": "warm"}                                         once, when it can take work
//   we: {"level": 1, "file": "001_name.py", "source": TEXT, "mode": …, "cpu_seconds": 120}
//   it: {"task": TEXT}  or  {"error": {"line", "what", "fault", "hint"}},  each with "last": true
//       where it ends after that answer
// Nothing it says is trusted. Owned and used by one thread of the pool of lower_files.cpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "runner/core/channel.hpp"
#include "runner/os/files.hpp"
#include "runner/os/server_pool.hpp"
#include "runner/sandbox/python_command.hpp"
#include "runner/sandbox/sandbox.hpp"

namespace kbench {

// The program to start, and its limits. All paths are absolute.
struct LoweringSetup {
  PythonSetup python;
  std::filesystem::path script;                          // suites/importer.py
  std::uint64_t memory_bytes = std::uint64_t{12} << 30;  // address space of each process
};

// One of our scripts with that Python and these limits.
[[nodiscard]] SandboxCommand lowering_command(const LoweringSetup& setup,
                                              const std::filesystem::path& script,
                                              const std::filesystem::path& scratch = {});

class LoweringProcess final : public Server {
 public:
  // Returns once it can take work. Errors: kInfrastructure, with its last words; kTimeout.
  static Result<std::unique_ptr<Server>> start(Sandbox& sandbox, const LoweringSetup& setup,
                                               const Stop& stop);

  // Errors: kTimeout (no answer, or given up), kInfrastructure (it ended), kBadInput (it sent
  // nonsense).
  Result<Json> ask(const Json& request, std::chrono::milliseconds limit, const Stop& stop) override;
  [[nodiscard]] bool spent() const override { return spent_; }

 private:
  LoweringProcess() = default;
  Result<Json> receive(std::chrono::milliseconds limit, const Stop& stop);
  [[nodiscard]] std::string last_words() const;

  ScratchFolder scratch_;  // /tmp of a sandbox without one; outlives the process
  Channel channel_;
  UniqueFd errors_;
  std::unique_ptr<SandboxedProcess> process_;
  bool spent_ = false;
};

}  // namespace kbench
