#include "runner/import/lowering_setup.hpp"

#include <fcntl.h>

#include <chrono>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

#include "runner/core/unique_fd.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr int kExitWithoutPyarrow = 4;  // exit code of parquet_rows.py
constexpr std::chrono::minutes kTableLimit{5};
constexpr std::size_t kMaxTableBytes = std::size_t{256} << 20;

}  // namespace

LoweringSetup lowering_setup(const Installation& installation, const PythonFacts& facts,
                             int memory_gib) {
  LoweringSetup setup;
  setup.python = {installation.python, facts.module_folders, facts.folders};
  // The whole folder: Python lists it to find its neighbours, which Landlock allows for a folder
  // only.
  setup.python.readable.push_back(fs::absolute(installation.root / "suites"));
  setup.script = fs::absolute(installation.root / "suites/importer.py");
  setup.memory_bytes = static_cast<std::uint64_t>(memory_gib) << 30;
  return setup;
}

Result<std::string> read_parquet(Sandbox& sandbox, const LoweringSetup& setup,
                                 const fs::path& file) {
  const UniqueFd table(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!table.valid())
    return Error{ErrorCode::kUsage, fmt::format("{}: cannot be read", file.string()),
                 "check the path, and that you may read it"};
  SandboxCommand command = lowering_command(setup, setup.script.parent_path() / "parquet_rows.py");
  command.descriptors = {{table.get(), 0}};
  const auto output = run_to_end(sandbox, command, kTableLimit, kMaxTableBytes);
  if (!output) return output.error();
  if (output->exit.exited && output->exit.code == kExitWithoutPyarrow) {
    return Error{ErrorCode::kInfrastructure,
                 fmt::format("{}: reading Parquet needs pyarrow, which {} does not have",
                             file.string(), setup.python.python.string()),
                 fmt::format("{} -m pip install pyarrow, or convert the table to .jsonl",
                             setup.python.python.string())};
  }
  if (!output->exit.exited || output->exit.code != 0 || output->timed_out || output->truncated) {
    return Error{ErrorCode::kBadInput,
                 fmt::format("{}: no Parquet table that can be read", file.string()),
                 "convert it to .jsonl, one row with a column code a line"};
  }
  return output->out;
}

}  // namespace kbench
