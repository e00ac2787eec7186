#include "runner/measure/players/python_program.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "runner/core/defence.hpp"
#include "runner/measure/players/player_environment.hpp"
#include "runner/sandbox/host.hpp"
#include "runner/task/working_type.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// The build in the form that runner/player/kbench_extensions.py reads; null if nothing was built.
Json describe(const std::optional<PythonBuild>& built) {
  if (!built) return {};
  Json extensions = Json::array();
  for (const BuiltExtension& one : built->extensions)
    extensions.push_back(
        {{"key", one.key}, {"name", one.name}, {"path", one.path}, {"failure", one.failure}});
  return {{"compilers", built->compilers},
          {"extensions", std::move(extensions)},
          {"modules", built->modules},
          {"triton", built->triton},
          {"torch_compiled", built->torch_compiled},
          {"note", built->note}};
}

// The code of Python and torch, and the libraries that were built.
Result<KnownCode> known_code_of(const PythonPlayer& player, const PythonModel& model) {
  std::vector<fs::path> folders = player.python.readable;
  folders.insert(folders.end(), player.python.python_path.begin(), player.python.python_path.end());
  KnownCode known = KnownCode::of_runtime(folders);
  if (!model.built) return known;
  for (const BuiltLibrary& library : model.built->libraries)
    if (auto accepted = known.accept(library.file, library.sha256); !accepted)
      return accepted.error();
  return known;
}

class PythonProgram final : public WorkerProgram {
 public:
  PythonProgram(ZygotePool& pool, PythonPlayer player, PythonModel model, std::string agent)
      : pool_(pool),
        player_(std::move(player)),
        model_(std::move(model)),
        agent_(std::move(agent)),
        known_code_(known_code_of(player_, model_)) {}

  [[nodiscard]] const WorkerKind& kind() const override { return python_worker(); }

  Result<std::unique_ptr<SandboxedProcess>> start(const WorkerStart& start, int control,
                                                  int output) override {
    const ZygoteRequest request{
        .agent = agent_,
        .folder = start.library,
        .command = zygote_command(player_, start.device, start.device_index, start.threads)};
    auto session = pool_.fork(request, control, output);
    if (!session) return session.error();
    folder_ = std::move(session->folder);
    files_.emplace(std::move(session->writable));
    return std::move(session->process);
  }

  [[nodiscard]] Json request(const WorkerStart& start) const override {
    Json request = {{"device", start.device},
                    {"precision", start.precision},
                    {"real", to_string(working_type(start.precision))},
                    {"folder", folder_.string()},
                    {"entry", model_.entry},
                    {"init", model_.init},
                    {"mode", model_.mode},
                    {"state", model_.state},
                    {"kernelbench", model_.kernelbench},
                    {"seed", model_.seed ? Json(*model_.seed) : Json()},
                    {"prebuilt", describe(model_.built)},
                    {"arena_bytes", start.arenas->geometry.arena_bytes},
                    {"parameter_base", start.parameter_base},
                    {"heap_bytes", start.device == "cuda" ? start.arenas->geometry.heap_bytes
                                                          : warm_bytes(*start.size)},
                    {"inputs", describe_tensors(start.size->inputs)},
                    {"parameters", describe_tensors(start.size->parameters)},
                    {"outputs", describe_tensors(start.size->outputs)}};
    // LibTorch has CUPTI loaded already.
    if (start.activity >= 0) request["cupti"] = "";
    return request;
  }

  [[nodiscard]] std::optional<WrittenFiles> written_files() const override { return files_; }

  [[nodiscard]] Result<UniqueFd> library(const WorkerStart&) const override { return UniqueFd(); }

  [[nodiscard]] Result<KnownCode> known_code(int) const override { return known_code_; }

 private:
  // CPU: as much as the graph and its outputs can take, twice: so the baselines' process has it.
  [[nodiscard]] static std::uint64_t warm_bytes(const TaskSize& size) {
    return size.peak_bytes_fp32 + 2 * pack(size.outputs).bytes;
  }

  ZygotePool& pool_;
  PythonPlayer player_;
  PythonModel model_;
  std::string agent_;
  Result<KnownCode> known_code_;  // looked at once, before anything foreign runs
  // The session of the last start(): where it sees its files, and what it writes.
  fs::path folder_;
  std::optional<WrittenFiles> files_;
};

}  // namespace

Json describe_tensors(const std::vector<TensorSpec>& tensors) {
  const Layout layout = pack(tensors);
  Json list = Json::array();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const TensorSpec& tensor = tensors[i];
    list.push_back({{"name", tensor.name},
                    {"fqn", tensor.fqn},
                    {"dtype", to_string(tensor.dtype)},
                    {"shape", tensor.shape},
                    {"bytes", tensor.bytes()},
                    {"offset", layout.offsets[i]}});
  }
  return list;
}

ZygoteCommand zygote_command(PythonPlayer player, std::string device, int device_index,
                             int threads) {
  return [=](const fs::path& stage) {
    SandboxCommand command = python_command(player.python, player.script);
    command.argv.push_back(player.library.string());
    command.argv.push_back(device);
    // Places and number of threads as for everybody. OpenBLAS, which comes with numpy, starts its
    // own when it is loaded; threads do not live through a fork.
    for (auto& [name, value] : openmp_environment(device, threads)) command.env[name] = value;
    command.env.insert_or_assign("OPENBLAS_NUM_THREADS", std::string("1"));
    command.needs_cuda = device == "cuda";
    if (command.needs_cuda) {
      // This library lies beside the player's: with it, cudaMalloc gives memory of the oracle's.
      const fs::path heap = player.library.parent_path() / "kbench-heap.so";
      if (fs::exists(heap)) {
        command.env.insert_or_assign("LD_PRELOAD", heap.string());
        command.readable.push_back(heap);
      }
      for (auto& [name, value] : one_gpu_environment(device_index)) command.env[name] = value;
      // A program that asks torch whether there is a GPU, while torch is imported for example,
      // starts no CUDA by that. CUDA does not live through a fork.
      command.env.insert_or_assign("PYTORCH_NVML_BASED_CUDA_CHECK", std::string("1"));
    }
    command.env.merge(weakened_environment());
    if (player.triton_architecture > 0) {
      for (const auto& [name, value] : triton_environment()) command.env[name] = value;
      command.env["KBENCH_TRITON"] = std::to_string(player.triton_architecture);
    }
    // The script has others beside it.
    for (const fs::path& path : {player.script.parent_path(), player.library, stage})
      command.readable.push_back(path);
    if (const auto packages = unpacked_packages()) command.readable.push_back(*packages);
    command.max_resident_bytes = physical_memory_bytes() / 2;
    command.working_directory = "/";
    return command;
  };
}

std::uint64_t python_heap_bytes(const TaskSize& size) {
  constexpr std::uint64_t kLeast = std::uint64_t{512} << 20;
  return kLeast + 2 * (size.peak_bytes_fp32 + pack(size.outputs).bytes) +
         pack(size.parameters).bytes;
}

std::unique_ptr<WorkerProgram> make_python_program(ZygotePool& pool, PythonPlayer player,
                                                   PythonModel model, std::string agent) {
  return std::make_unique<PythonProgram>(pool, std::move(player), std::move(model),
                                         std::move(agent));
}

}  // namespace kbench
