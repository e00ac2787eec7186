// The program that plays submissions of one kind: how its process starts, what that is told first,
// and which code is its own. One for each submission; WorkerProcess asks it for a process at every
// placement.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/measure/players/worker.hpp"
#include "runner/measure/players/worker_kind.hpp"
#include "runner/measure/watch/known_code.hpp"
#include "runner/os/written_files.hpp"
#include "runner/sandbox/sandbox.hpp"

namespace kbench {

class WorkerProgram {
 public:
  virtual ~WorkerProgram() = default;

  [[nodiscard]] virtual const WorkerKind& kind() const = 0;
  // A process that nothing foreign has run in, with these descriptors as its channel (3) and its
  // standard output and error.
  virtual Result<std::unique_ptr<SandboxedProcess>> start(const WorkerStart& start, int control,
                                                          int output) = 0;
  // The first message on its channel; mailbox, arenas and then `library` come along.
  [[nodiscard]] virtual Json request(const WorkerStart& start) const = 0;
  // Files of the process of the last start(); none if it has no folder to write to.
  [[nodiscard]] virtual std::optional<WrittenFiles> written_files() const { return std::nullopt; }
  // The compiled library; none if nothing is compiled.
  [[nodiscard]] virtual Result<UniqueFd> library(const WorkerStart& start) const = 0;
  [[nodiscard]] virtual Result<KnownCode> known_code(int library) const = 0;
};

// Surroundings of a process besides its own library.
struct NativeSurroundings {
  std::map<std::string, std::string> environment;  // over what every worker has
  std::vector<std::filesystem::path> readable;
};

// kbench-worker, which loads a compiled library. Sandbox and path outlive it.
[[nodiscard]] std::unique_ptr<WorkerProgram> make_native_program(Sandbox& sandbox,
                                                                 std::filesystem::path program,
                                                                 NativeSurroundings around = {});

}  // namespace kbench
