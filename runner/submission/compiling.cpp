#include "runner/submission/compiling.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "runner/core/defence.hpp"
#include "runner/core/sha256.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/environment.hpp"
#include "runner/os/files.hpp"
#include "runner/sandbox/host.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

std::uint64_t bytes_below(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored) && !entry->is_symlink(ignored))
      bytes += fs::file_size(entry->path(), ignored);
  }
  return bytes;
}

}  // namespace

std::string processor_fingerprint() {
  static constexpr std::array kFields = {"vendor_id",       "cpu family", "model",   "flags",
                                         "CPU implementer", "CPU part",   "Features"};
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string text;
  for (std::string line; std::getline(cpuinfo, line) && !line.empty();) {
    const std::string name = line.substr(0, line.find_first_of("\t:"));
    if (std::find(kFields.begin(), kFields.end(), name) != kFields.end())
      text.append(line).append("\n");
  }
  return sha256(text);
}

fs::path toolkit_folder(const Toolchain& toolchain) {
  std::error_code error;
  const fs::path real = fs::canonical(toolchain.nvcc, error);
  return (error ? toolchain.nvcc : real).parent_path().parent_path();
}

std::vector<std::string> source_arguments(const Submission& submission) {
  const char* here = stands(Defence::kPlainFileNames) ? "./" : "";
  std::vector<std::string> sources;
  for (const fs::path& source : submission.sources) {
    const fs::path name = submission.folder.empty() ? source.filename()
                                                    : source.lexically_relative(submission.folder);
    sources.push_back(here + name.string());
  }
  return sources;
}

std::vector<std::string> toolkit_arguments(const Toolchain& toolchain,
                                           const Submission& submission) {
  std::vector<std::string> arguments;
  for (const char* folder : {"lib64", "lib"}) {
    std::error_code error;
    const fs::path path = toolkit_folder(toolchain) / folder;
    if (!fs::is_directory(path, error)) continue;
    arguments.push_back(fmt::format("-L{}", path.string()));
    if (!submission.libraries.empty())
      arguments.insert(arguments.end(), {"-Xlinker", "-rpath", "-Xlinker", path.string()});
  }
  return arguments;
}

std::vector<fs::path> compiler_folders(const Toolchain& toolchain, bool cuda) {
  std::vector<fs::path> folders = toolchain.host_folders;
  folders.push_back(toolchain.host_compiler.parent_path());
  if (cuda) {
    folders.push_back(toolchain.nvcc.parent_path());
    folders.push_back(toolkit_folder(toolchain));
  }
  if (const auto packages = unpacked_packages()) folders.push_back(*packages);
  std::erase_if(folders, [](const fs::path& folder) {
    std::error_code error;
    return lies_within(folder, "/usr") || lies_within(folder, "/bin") || !fs::exists(folder, error);
  });
  return folders;
}

void set_compiler_environment(const Toolchain& toolchain, bool cuda, const fs::path& scratch,
                              SandboxCommand& command) {
  std::string search = toolchain.host_compiler.parent_path().string();
  if (cuda) search.append(":").append(toolchain.nvcc.parent_path().string());
  command.env["PATH"] = search + ":/usr/bin:/bin";
  command.env["TMPDIR"] = scratch.string();
  command.env.insert_or_assign("LC_ALL", std::string("C"));
  command.env.insert_or_assign("CCACHE_DISABLE", std::string("1"));
  if (const auto packages = unpacked_packages()) {
    command.env["KBENCH_DEPS"] = packages->string();
    if (const auto libraries = environment_variable("LD_LIBRARY_PATH"); !libraries.empty())
      command.env["LD_LIBRARY_PATH"] = libraries;
  }
}

bool lies_within(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

std::string first_errors(const std::string& text) {
  constexpr int kMostLines = 20;
  constexpr std::size_t kMostBytes = 3000;
  static constexpr std::array kErrors = {"error:", "undefined reference", "cannot find", "fatal"};
  static constexpr std::array kMarks = {"error"};  // a warning may hold it, too
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(std::move(line));
  const auto first_with = [&](const auto& marks) {
    return std::find_if(lines.begin(), lines.end(), [&](const std::string& line) {
      return std::any_of(marks.begin(), marks.end(),
                         [&](const char* mark) { return line.find(mark) != std::string::npos; });
    });
  };
  auto first = first_with(kErrors);
  if (first == lines.end()) first = first_with(kMarks);
  if (first == lines.end()) first = lines.begin();
  std::string words;
  for (int count = 0; first != lines.end() && count < kMostLines; ++first, ++count) {
    words.append("\n").append(*first);
  }
  if (first != lines.end()) words.append("\n…");
  return clean_text(words, kMostBytes);
}

Result<std::string> read_library(const fs::path& file, const std::string& what) {
  auto library = read_foreign_file(file, kMaxLibraryBytes);
  if (library) return std::move(*library);
  std::error_code error;
  const bool too_large = fs::is_regular_file(fs::symlink_status(file, error)) &&
                         fs::file_size(file, error) > kMaxLibraryBytes;
  if (!too_large) return Error{ErrorCode::kSubmission, what + " compiled, but made no library", ""};
  return Error{ErrorCode::kSubmission,
               fmt::format("{} made a library of {} MiB, and {} are allowed", what,
                           fs::file_size(file, error) >> 20, kMaxLibraryBytes >> 20),
               "Make tables when it is loaded, or in kbench_prepare."};
}

Status check_room(const fs::path& folder) {
  std::error_code error;
  const auto space = fs::space(folder, error);
  const std::uint64_t without_it = space.available + bytes_below(folder);
  if (error || without_it >= kMaxCompilerFileBytes) return Done{};
  return Error{ErrorCode::kInfrastructure,
               fmt::format("only {} MiB are free in {}, where submissions are compiled",
                           space.available >> 20, folder.parent_path().string()),
               "Make room, or set TMPDIR to a folder on a larger disk."};
}

}  // namespace kbench
