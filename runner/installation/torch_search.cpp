#include "runner/installation/torch_search.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <regex>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/os/trusted_python.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

struct Candidate {
  fs::path path;       // a Python, or the folder of a libtorch
  std::string origin;  // "KBENCH_TORCH"
};

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_program(const fs::path& path) { return is_file(path) && ::access(path.c_str(), X_OK) == 0; }

// A name is looked up along the PATH, as a shell does. Links stay: that of a virtual environment
// tells Python where it is.
std::optional<fs::path> find_program(const std::string& name, const Environment& environment) {
  if (name.find('/') != std::string::npos) return fs::absolute(name).lexically_normal();
  const std::string search = environment("PATH").value_or("/usr/local/bin:/usr/bin:/bin");
  for (std::size_t begin = 0; begin <= search.size();) {
    const std::size_t end = std::min(search.find(':', begin), search.size());
    const fs::path program = fs::path(search.substr(begin, end - begin)) / name;
    if (program.is_absolute() && is_program(program)) return program;
    begin = end + 1;
  }
  return std::nullopt;
}

std::string read_start(const fs::path& file) {
  std::ifstream stream(file);
  std::string text(4096, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

// Version of a Python's torch or of an unpacked libtorch, by its folder; empty where neither says.
std::string version_in(const fs::path& folder) {
  std::smatch match;
  const std::regex number(R"(([0-9]+\.[0-9]+\.[0-9]+))");
  const std::regex in_python(R"(__version__[^=\n]*= *['"]([0-9]+\.[0-9]+\.[0-9]+))");
  if (const auto text = read_start(folder / "version.py");
      std::regex_search(text, match, in_python))
    return match[1];
  if (const auto text = read_start(folder / "build-version");
      std::regex_search(text, match, number))
    return match[1];
  return "";
}

// Puts what the candidate has into the installation. Errors: one clause for a list.
Status take(Installation& installation, const Candidate& candidate, const AskForTorch& ask) {
  fs::path folder = candidate.path;
  const bool unpacked = is_folder(candidate.path);
  if (!unpacked) {
    if (!is_program(candidate.path)) {
      return Error{ErrorCode::kInfrastructure,
                   fmt::format("{} is neither a program nor a folder", candidate.path.string()),
                   ""};
    }
    auto asked = ask(candidate.path);
    if (!asked) return asked.error();
    folder = std::move(*asked);
  }
  if (!is_file(folder / "lib/libtorch_cpu.so")) {
    return Error{ErrorCode::kInfrastructure,
                 fmt::format("{} has no lib/libtorch_cpu.so", folder.string()), ""};
  }
  // The folder becomes a part of LD_LIBRARY_PATH, which these characters would cut in two.
  if (folder.string().find_first_of(":;$") != std::string::npos) {
    return Error{ErrorCode::kInfrastructure,
                 fmt::format("{} has one of :;$ in its path, which the loader cannot be told",
                             folder.string()),
                 ""};
  }
  const std::string version = version_in(folder);
  if (minor_version(version) != minor_version(installation.built_with_torch)) {
    return Error{ErrorCode::kInfrastructure,
                 fmt::format("{} is torch {}", folder.string(),
                             version.empty() ? "of an unknown version" : version),
                 ""};
  }
  installation.torch_libraries = folder / "lib";
  if (unpacked) {
    installation.python.clear();
    installation.python_reason = fmt::format(
        "no Python: {} is an unpacked libtorch, which cannot build packages", candidate.origin);
  } else {
    installation.python = candidate.path;
    installation.python_reason = "from " + candidate.origin;
  }
  return Done{};
}

std::vector<Candidate> candidates(const Installation& installation,
                                  const Environment& environment) {
  if (const auto named = environment("KBENCH_TORCH").value_or(""); !named.empty()) {
    const auto program = find_program(named, environment);
    return {{program.value_or(fs::absolute(named)), "KBENCH_TORCH"}};
  }
  std::vector<Candidate> found;
  if (const auto python = environment("KBENCH_WHEEL_PYTHON").value_or(""); !python.empty())
    found.push_back({python, "the environment that kbench is installed in"});
  if (auto python = find_program("python3", environment);
      python && (found.empty() || found.front().path != *python))
    found.push_back({std::move(*python), "the PATH"});
  const fs::path own = installation.root / "torch";
  if (is_folder(own)) {
    const fs::path python = own / "bin/python3";
    found.push_back({is_program(python) ? python : own, own.string()});
  }
  return found;
}

Error none_fits(const Installation& installation, const std::vector<std::string>& seen) {
  const std::string_view minor = minor_version(installation.built_with_torch);
  return {
      ErrorCode::kInfrastructure,
      fmt::format("no torch {} was found, which this kbench was built with ({}): {}", minor,
                  installation.built_with_torch,
                  seen.empty() ? "there is no python3 on the PATH"
                               : fmt::format("{}", fmt::join(seen, "; "))),
      fmt::format("set KBENCH_TORCH to a Python that has torch {0}, or make one: python3 -m venv "
                  "DIR && DIR/bin/pip install 'torch=={0}.*'; or install a kbench that was "
                  "built with your torch",
                  minor)};
}

}  // namespace

std::string_view minor_version(std::string_view version) {
  const auto first = version.find('.');
  if (first == std::string_view::npos) return version;
  return version.substr(0, version.find_first_not_of("0123456789", first + 1));
}

Result<fs::path> ask_for_torch(const fs::path& python) {
  const auto trusted = TrustedPython::find(python);
  if (!trusted) return trusted.error();
  return trusted->torch_folder();
}

Result<Installation> with_torch(Installation installation, const Environment& environment,
                                const AskForTorch& ask) {
  // Without an oracle there is nothing that a LibTorch would have to fit.
  if (!installation.installed || installation.built_with_torch.empty()) return installation;
  std::vector<std::string> seen;
  for (const Candidate& candidate : candidates(installation, environment)) {
    const auto taken = take(installation, candidate, ask);
    if (taken) return installation;
    seen.push_back(fmt::format("{} (from {})", taken.error().message, candidate.origin));
  }
  return none_fits(installation, seen);
}

}  // namespace kbench
