#include "runner/measure/python_program.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "runner/core/defence.hpp"
#include "runner/measure/openmp_environment.hpp"
#include "runner/measure/zygote.hpp"
#include "runner/sandbox/host.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// With offsets as native workers get them.
Json describe(const std::vector<TensorSpec>& tensors) {
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

// As runner/player/kbench_extensions.py reads it; null where nothing was built.
Json describe(const std::optional<PythonBuild>& built) {
  if (!built) return {};
  return {{"compilers", built->compilers},
          {"extensions", built->extensions},
          {"modules", built->modules},
          {"triton", built->triton},
          {"note", built->note}};
}

// What Python and torch consist of, and what was built.
Result<KnownCode> known_code_of(const PythonPlayer& player, const PythonModel& model) {
  std::vector<fs::path> folders = player.python.readable;
  folders.insert(folders.end(), player.python.python_path.begin(), player.python.python_path.end());
  KnownCode known = KnownCode::of_runtime(std::move(folders));
  if (!model.built) return known;
  for (const BuiltLibrary& library : model.built->libraries)
    if (auto accepted = known.accept(library.file, library.sha256); !accepted)
      return accepted.error();
  return known;
}

class PythonProgram final : public WorkerProgram {
 public:
  PythonProgram(Sandbox& sandbox, PythonPlayer player, PythonModel model)
      : sandbox_(sandbox),
        player_(std::move(player)),
        model_(std::move(model)),
        known_code_(known_code_of(player_, model_)) {}

  [[nodiscard]] const WorkerKind& kind() const override { return python_worker(); }

  Result<std::unique_ptr<SandboxedProcess>> start(const WorkerStart& start, int control,
                                                  int output) override {
    if (zygote_) {
      if (auto forked = zygote_->fork(control, output)) return forked;
      zygote_.reset();  // killed for want of memory, say: the next one may live
    }
    auto zygote = Zygote::start(sandbox_, command(start));
    if (!zygote) return zygote.error();
    zygote_ = std::move(*zygote);
    return zygote_->fork(control, output);
  }

  [[nodiscard]] Json request(const WorkerStart& start) const override {
    // As much as the graph and its outputs can take, twice: so the baselines' process has it.
    const std::uint64_t heap = start.size->peak_bytes_fp32 + 2 * pack(start.size->outputs).bytes;
    return {{"folder", start.library.string()},
            {"entry", model_.entry},
            {"init", model_.init},
            {"mode", model_.mode},
            {"known", model_.parameters ? Json(*model_.parameters) : Json()},
            {"prebuilt", describe(model_.built)},
            {"arena_bytes", start.arenas->geometry.arena_bytes},
            {"parameter_base", start.parameter_base},
            {"heap_bytes", heap},
            {"inputs", describe(start.size->inputs)},
            {"parameters", describe(start.size->parameters)},
            {"outputs", describe(start.size->outputs)}};
  }

  [[nodiscard]] Result<UniqueFd> library(const WorkerStart&) const override { return UniqueFd(); }

  [[nodiscard]] Result<KnownCode> known_code(int) const override {
    return known_code_;
  }

 private:
  [[nodiscard]] SandboxCommand command(const WorkerStart& start) const {
    SandboxCommand command = python_command(player_.python, player_.script);
    command.argv.push_back(player_.library.string());
    // Places and number of threads as for everybody. OpenBLAS, which comes with numpy, starts its
    // own when it is loaded; threads do not live through a fork.
    for (auto& [name, value] : openmp_environment(start.device, start.threads))
      command.env[name] = value;
    command.env.insert_or_assign("OPENBLAS_NUM_THREADS", std::string("1"));
    command.env.merge(weakened_environment());
    if (model_.built && !model_.built->triton.empty()) {
      for (const auto& [name, value] : triton_environment()) command.env[name] = value;
      command.env["KBENCH_TRITON"] = std::to_string(model_.compute_capability);
    }
    // The script has others beside it.
    for (const fs::path& path : {player_.script.parent_path(), player_.library, start.library})
      command.readable.push_back(path);
    if (const auto packages = unpacked_packages()) command.readable.push_back(*packages);
    command.max_resident_bytes = physical_memory_bytes() / 2;
    command.working_directory = "/";
    return command;
  }

  Sandbox& sandbox_;
  PythonPlayer player_;
  PythonModel model_;
  Result<KnownCode> known_code_;  // looked at once, before anything foreign runs
  std::shared_ptr<Zygote> zygote_;
};

}  // namespace

std::unique_ptr<WorkerProgram> make_python_program(Sandbox& sandbox, PythonPlayer player,
                                                   PythonModel model) {
  return std::make_unique<PythonProgram>(sandbox, std::move(player), std::move(model));
}

}  // namespace kbench
