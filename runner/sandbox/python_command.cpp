#include "runner/sandbox/python_command.hpp"

#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/sha256.hpp"
#include "runner/os/environment.hpp"

namespace kbench {

std::string hash_of_file(const std::filesystem::path& file) {
  const auto text = read_file(file);
  return text ? sha256(*text) : "";
}

std::string hash_of_torch(const PythonSetup& setup) {
  for (const auto& folder : setup.python_path)
    if (auto hash = hash_of_file(folder / "torch/version.py"); !hash.empty()) return hash;
  return "";
}

SandboxCommand python_command(const PythonSetup& setup, const std::filesystem::path& script,
                              const std::filesystem::path& scratch) {
  const std::filesystem::path home = scratch.empty() ? "/tmp" : scratch;
  std::vector<std::string> modules;
  for (const auto& folder : setup.python_path) modules.push_back(folder.string());
  SandboxCommand command;
  // The Python is started through env: the path of a virtual environment's Python is a link that
  // must stay one.
  command.argv = {"/usr/bin/env", setup.python.string(), "-s", "-B", script.string()};
  command.env = {
      {"PATH", "/usr/bin:/bin"}, {"HOME", home.string()},
      {"TMPDIR", home.string()}, {"USER", "nobody"},
      {"LC_ALL", "C.UTF-8"},     {"PYTHONPATH", fmt::format("{}", fmt::join(modules, ":"))},
      {"PYTHONHASHSEED", "0"},   {"CUDA_VISIBLE_DEVICES", ""}};
  // LD_LIBRARY_PATH is handed on: unpacked system packages (a set-up without root) are found by it
  // alone.
  if (const auto libraries = environment_variable("LD_LIBRARY_PATH");
      !environment_variable("KBENCH_DEPS").empty())
    command.env["LD_LIBRARY_PATH"] = libraries;
  command.readable = setup.readable;
  command.working_directory = home;
  if (!scratch.empty()) command.writable = {scratch};
  return command;
}

Result<ScratchFolder> make_python_scratch(const Sandbox& sandbox, const std::string& name) {
  if (sandbox.level(false).bubblewrap) return ScratchFolder();
  return ScratchFolder::make(name);
}

}  // namespace kbench
