#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdlib>
#include <future>
#include <optional>
#include <sstream>
#include <system_error>

#include <fmt/format.h>

#include "runner/core/lines.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/environment.hpp"
#include "runner/os/run_trusted.hpp"
#include "runner/submission/compiler.hpp"
#include "runner/submission/cuda_tools.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kPatience{60};  // a compiler that says its version

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

// An absolute path, or a name looked up along PATH.
std::optional<fs::path> find_program(const std::string& name) {
  if (name.empty()) return std::nullopt;
  if (name.find('/') != std::string::npos) {
    const fs::path path = fs::absolute(name).lexically_normal();
    return is_program(path) ? std::optional(path) : std::nullopt;
  }
  const char* search = std::getenv("PATH");
  std::istringstream folders(search != nullptr ? search : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path path = fs::path(folder) / name;
    if (path.is_absolute() && is_program(path)) return path;
  }
  return std::nullopt;
}

fs::path find_host_compiler() {
  for (const std::string& name : {environment_variable("CXX"), std::string("c++"),
                                  std::string("g++"), std::string("clang++")}) {
    if (const auto found = find_program(name)) return *found;
  }
  return {};
}

// Python environments in which the CUDA compiler may have been installed from its packages.
std::vector<fs::path> virtual_environments() {
  std::vector<fs::path> found;
  if (const auto active = environment_variable("VIRTUAL_ENV"); !active.empty())
    found.emplace_back(active);
  for (const char* name : {"KBENCH_TORCH", "KBENCH_WHEEL_PYTHON"}) {
    const fs::path python = environment_variable(name);
    if (python.parent_path().filename() == "bin") {
      found.push_back(python.parent_path().parent_path());
    }
  }
  // An installation's own, or the checkout's: some folders above this program.
  std::error_code error;
  fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  found.push_back(folder.parent_path() / "share/kbench/torch");
  for (int levels = 0; levels < 4 && folder.has_relative_path(); ++levels) {
    found.push_back(folder / ".venv");
    folder = folder.parent_path();
  }
  return found;
}

fs::path find_nvcc() {
  for (const std::string& name : {environment_variable("CUDACXX"), std::string("nvcc"),
                                  std::string("/usr/local/cuda/bin/nvcc")}) {
    if (const auto found = find_program(name)) return *found;
  }
  return find_in_packages("nvidia/cu13/bin/nvcc");
}

fs::path find_ninja() {
  if (const auto found = find_program("ninja")) return *found;
  for (const fs::path& venv : virtual_environments())
    if (is_program(venv / "bin/ninja")) return venv / "bin/ninja";
  return {};
}

// The library of CUDA 13, which the profiler is written for.
fs::path find_cupti(const fs::path& nvcc) {
  constexpr const char* kName = "libcupti.so.13";
  std::vector<fs::path> folders;
  std::error_code error;
  if (const fs::path toolkit = fs::canonical(nvcc, error).parent_path().parent_path(); !error)
    for (const char* folder : {"extras/CUPTI/lib64", "lib64", "lib"})
      folders.push_back(toolkit / folder);
  for (const fs::path& venv : virtual_environments())
    for (const auto& python : fs::directory_iterator(venv / "lib", error))
      folders.push_back(python.path() / "site-packages/nvidia/cu13/lib");
  for (const fs::path& folder : folders)
    if (fs::is_regular_file(folder / kName, error)) return fs::canonical(folder / kName, error);
  return {};
}

// The program's answer to one option. It is the user's own compiler, so it runs as the user.
std::string ask(const fs::path& program, const std::string& option) {
  if (program.empty()) return "";
  auto text = run_trusted({program.string(), option}, kPatience, Errors::kDropped);
  return text ? std::move(*text) : "";
}

std::string clean_first_line(const std::string& text) { return clean_name(first_line(text)); }

// nvcc's first line is its name; the version stands in the line with "release".
std::string nvcc_version_line(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("release") != std::string::npos) return clean_name(line);
  }
  return clean_first_line(text);
}

// A compiler with a prefix of its own (/opt/gcc) finds its headers and passes below that prefix,
// and the sandbox shows only what it is told to.
std::vector<fs::path> find_host_folders(const fs::path& compiler) {
  const std::string answer = ask(compiler, "-print-file-name=include");
  const fs::path headers = fs::path(first_line(answer)).lexically_normal();
  const std::string text = headers.string();
  const auto marker = text.find("/lib/gcc/");
  if (!headers.is_absolute() || text.starts_with("/usr/")) return {};
  if (marker == std::string::npos) return {headers.parent_path()};
  const fs::path prefix = text.substr(0, marker);
  std::vector<fs::path> folders;
  for (const char* name : {"bin", "include", "lib", "lib64", "libexec"}) {
    std::error_code error;
    if (fs::is_directory(prefix / name, error)) folders.push_back(prefix / name);
  }
  return folders;
}

}  // namespace

std::string cuda_architecture(int compute_capability) {
  if (compute_capability <= 0) return "";
  // From Hopper on, the architecture's own instructions (wgmma, TMA) need the "a" variant.
  return std::to_string(compute_capability) + (compute_capability >= 90 ? "a" : "");
}

Result<int> compute_capability_of(const std::string& architecture) {
  int number = 0;
  const char* const begin = architecture.data();
  const char* const end = begin + architecture.size();
  const auto [rest, error] = std::from_chars(begin, end, number);
  const std::string expected = error == std::errc() ? cuda_architecture(number) : "";
  if (!expected.empty() && expected == architecture) return number;
  const bool is_near = !expected.empty() && architecture == std::to_string(number);
  return Error{ErrorCode::kUsage,
               fmt::format("--arch {} is no architecture that kbench compiles for",
                           clean_name(architecture, 40)),
               is_near ? fmt::format("did you mean \"{}\"?", expected)
                       : "It is called by the compute capability: 90a for 9.0 (H100, H200), 80 for "
                         "8.0 (A100)."};
}

std::string cuda_target_flag(const std::string& architecture) {
  return fmt::format("-gencode=arch=compute_{0},code=sm_{0}", architecture);
}

std::string torch_architecture(const std::string& architecture) {
  const auto digits = architecture.find_first_not_of("0123456789");
  const std::size_t end = digits == std::string::npos ? architecture.size() : digits;
  if (end < 2) return "";
  return fmt::format("{}.{}", architecture.substr(0, end - 1), architecture.substr(end - 1));
}

fs::path find_cuobjdump(const fs::path& nvcc) {
  if (const fs::path beside = nvcc.parent_path() / "cuobjdump"; is_program(beside)) return beside;
  return find_in_packages("triton/backends/nvidia/bin/cuobjdump");
}

fs::path find_in_packages(const fs::path& place) {
  for (const fs::path& venv : virtual_environments()) {
    std::error_code error;
    for (const auto& python : fs::directory_iterator(venv / "lib", error)) {
      const fs::path tool = python.path() / "site-packages" / place;
      if (is_program(tool)) return tool;
    }
  }
  return {};
}

Toolchain find_toolchain() {
  Toolchain toolchain;
  toolchain.host_compiler = find_host_compiler();
  toolchain.nvcc = find_nvcc();
  toolchain.ninja = find_ninja();
  toolchain.cupti = find_cupti(toolchain.nvcc);
  // Each answer takes a process; all are waited for at once.
  auto host_version = std::async(std::launch::async, ask, toolchain.host_compiler, "--version");
  auto nvcc_version = std::async(std::launch::async, ask, toolchain.nvcc, "--version");
  toolchain.host_folders = find_host_folders(toolchain.host_compiler);
  toolchain.host_version = clean_first_line(host_version.get());
  toolchain.nvcc_version = nvcc_version_line(nvcc_version.get());
  return toolchain;
}

}  // namespace kbench
