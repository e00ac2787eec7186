#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "runner/core/defence.hpp"
#include "runner/measure/players/player_environment.hpp"
#include "runner/measure/players/worker_program.hpp"
#include "runner/sandbox/host.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr int kControlDescriptor = 3;

class NativeProgram final : public WorkerProgram {
 public:
  NativeProgram(Sandbox& sandbox, fs::path program, NativeSurroundings around)
      : sandbox_(sandbox), program_(std::move(program)), around_(std::move(around)) {}

  [[nodiscard]] const WorkerKind& kind() const override { return native_worker(); }

  Result<std::unique_ptr<SandboxedProcess>> start(const WorkerStart& start, int control,
                                                  int output) override {
    SandboxCommand command;
    command.argv = {program_.string()};
    command.env = openmp_environment(start.device, start.threads);
    command.env["PATH"] = "/usr/bin:/bin";
    // The library comes as a descriptor, and is opened once more through it.
    command.readable = {program_, start.library};
    if (!start.cupti.empty()) command.readable.push_back(start.cupti);
    command.max_resident_bytes = physical_memory_bytes() / 2;
    if (const auto packages = unpacked_packages()) {
      command.readable.push_back(*packages);
      if (const char* path = std::getenv("LD_LIBRARY_PATH")) command.env["LD_LIBRARY_PATH"] = path;
    }
    command.needs_cuda = start.device == "cuda";
    if (command.needs_cuda) command.env.merge(one_gpu_environment(start.device_index));
    command.env.merge(weakened_environment());
    for (const auto& [name, value] : around_.environment) command.env[name] = value;
    command.readable.insert(command.readable.end(), around_.readable.begin(),
                            around_.readable.end());
    command.descriptors = {
        {control, kControlDescriptor}, {output, STDOUT_FILENO}, {output, STDERR_FILENO}};
    return sandbox_.start(command);
  }

  [[nodiscard]] Json request(const WorkerStart& start) const override {
    Json request = {{"device", start.device},
                    {"threads", start.threads},
                    {"arena_bytes", start.arenas->geometry.arena_bytes},
                    {"input_offsets", pack(start.size->inputs).offsets},
                    {"param_offsets", pack(start.size->parameters).offsets},
                    {"output_offsets", pack(start.size->outputs).offsets}};
    if (start.activity >= 0) request["cupti"] = start.cupti.string();
    return request;
  }

  [[nodiscard]] Result<UniqueFd> library(const WorkerStart& start) const override {
    UniqueFd library(::open(start.library.c_str(), O_RDONLY | O_CLOEXEC));
    if (library.valid()) return library;
    return Error{ErrorCode::kInfrastructure, "cannot open " + start.library.string(), ""};
  }

  [[nodiscard]] Result<KnownCode> known_code(int library) const override {
    return KnownCode::make(library, program_);
  }

 private:
  Sandbox& sandbox_;
  fs::path program_;
  NativeSurroundings around_;
};

}  // namespace

std::unique_ptr<WorkerProgram> make_native_program(Sandbox& sandbox, fs::path program,
                                                   NativeSurroundings around) {
  return std::make_unique<NativeProgram>(sandbox, std::move(program), std::move(around));
}

}  // namespace kbench
