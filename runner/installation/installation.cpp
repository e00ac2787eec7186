#include "runner/installation/installation.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "runner/os/cache_sweep.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool is_checkout(const fs::path& folder) {
  return is_folder(folder / "suites") && is_folder(folder / "third_party");
}

std::optional<fs::path> find_checkout(const fs::path& program, const std::string& built_from) {
  for (auto folder = program.parent_path();; folder = folder.parent_path()) {
    if (is_checkout(folder)) return folder;
    if (folder == folder.parent_path()) break;
  }
  if (!built_from.empty() && is_checkout(built_from)) return built_from;
  return std::nullopt;
}

void find_python(Installation& installation, const Environment& environment,
                 const std::string& built_with_python) {
  const auto from_environment = environment("KBENCH_TORCH").value_or("");
  if (!from_environment.empty() && fs::is_directory(from_environment)) {
    installation.python_reason =
        "no Python: KBENCH_TORCH is an unpacked libtorch, which cannot build packages";
    return;
  }
  if (!from_environment.empty() && is_file(from_environment)) {
    installation.python = from_environment;
    installation.python_reason = "from KBENCH_TORCH";
    return;
  }
  if (!built_with_python.empty() && is_file(built_with_python)) {
    installation.python = built_with_python;
    installation.python_reason = "from the build";
    return;
  }
  const auto own = installation.root / ".venv/bin/python3";
  if (is_file(own)) {
    installation.python = own;
    installation.python_reason = "the installation's own virtual environment";
    return;
  }
  installation.python_reason =
      "no Python with torch: KBENCH_TORCH names none and " + own.string() + " does not exist";
}

fs::path find_cache(const Environment& environment, const fs::path& root, bool installed) {
  const auto own = environment("KBENCH_CACHE").value_or("");
  if (!own.empty()) return fs::absolute(own);
  const auto xdg = environment("XDG_CACHE_HOME").value_or("");
  // The XDG specification: a relative path is to be ignored.
  if (fs::path(xdg).is_absolute()) return fs::path(xdg) / "kbench";
  const auto home = environment("HOME").value_or("");
  if (fs::path(home).is_absolute()) return fs::path(home) / ".cache/kbench";
  // A checkout is somebody's own; what is installed may be everybody's, and stays as it is.
  return installed ? fs::path() : root / ".cache/kbench";
}

void take_checkout(Installation& installation, const fs::path& root) {
  installation.root = root;
  installation.programs = installation.program.parent_path();
  installation.abi = root / "runner/abi";
  installation.player = root / "runner/player/player.py";
}

void take_installed(Installation& installation, const fs::path& prefix) {
  installation.installed = true;
  installation.root = prefix / "share/kbench";
  installation.programs = prefix / "libexec/kbench";
  installation.abi = installation.root / "abi";
  installation.player = installation.root / "player/player.py";
  installation.python_reason = "no Python was looked for";
}

fs::path find_locks(const Environment& environment) {
  const auto own = environment("KBENCH_LOCKS").value_or("");
  return fs::path(own).is_absolute() ? own : "/tmp";
}

}  // namespace

fs::path find_state(const Environment& environment) {
  const auto xdg = environment("XDG_STATE_HOME").value_or("");
  if (fs::path(xdg).is_absolute()) return fs::path(xdg) / "kbench";
  const auto home = environment("HOME").value_or("");
  return fs::path(home).is_absolute() ? fs::path(home) / ".local/state/kbench" : fs::path();
}

Result<fs::path> this_program() {
  std::error_code failure;
  auto program = fs::read_symlink("/proc/self/exe", failure);
  if (failure) {
    return Error{ErrorCode::kInfrastructure,
                 fmt::format("/proc/self/exe cannot be read: {}", failure.message()),
                 "kbench needs /proc to be mounted"};
  }
  return program;
}

Result<Installation> find_installation(const fs::path& program, const Environment& environment,
                                       const BuiltWith& built_with) {
  Installation installation;
  installation.program = program;
  installation.built_with_torch = built_with.torch;
  const auto prefix = program.parent_path().parent_path();
  // Installations come first: what is installed into a folder of a checkout is on its own
  // nevertheless.
  if (is_folder(prefix / "share/kbench/suites")) {
    take_installed(installation, prefix);
  } else if (const auto checkout = find_checkout(program, built_with.root)) {
    take_checkout(installation, *checkout);
  } else {
    return Error{ErrorCode::kInfrastructure,
                 fmt::format("the tasks that belong to {0} are missing: there is no {1}, and no "
                             "folder above {0} has suites/ and third_party/",
                             program.string(), (prefix / "share/kbench/suites").string()),
                 "move or link to all that was installed, or to the whole checkout, instead of "
                 "copying the program out of it"};
  }
  installation.suites = installation.root / "suites";
  installation.examples = installation.root / "data/submissions";
  installation.selftest = installation.root / "data/selftest";
  installation.aot_builder = installation.root / "baselines/aot_builder.py";
  installation.oracle = installation.programs / "kbench-oracle";
  installation.oracle_cuda = installation.programs / "kbench-oracle-cuda";
  installation.worker = installation.programs / "kbench-worker";
  installation.vendor_library = installation.programs / "kbench-vendor.so";
  installation.gate = installation.programs / "kbench-gate";
  installation.agent = installation.programs / "kbench-agent";
  installation.player_library = installation.programs / "kbench-player.so";
  installation.cache = find_cache(environment, installation.root, installation.installed);
  installation.state = find_state(environment);
  installation.locks = find_locks(environment);
  if (!installation.installed) find_python(installation, environment, built_with.python);
  return installation;
}

std::string how_to_mend(const Installation& installation) {
  return installation.installed ? "install kbench again" : "run third_party/setup";
}

Status create_cache(const Installation& installation) {
  if (installation.cache.empty()) {
    return Error{ErrorCode::kInfrastructure,
                 "no place for the cache: neither KBENCH_CACHE, XDG_CACHE_HOME nor HOME names an "
                 "absolute path",
                 "set KBENCH_CACHE to a folder that you may write to"};
  }
  std::error_code failure;
  const auto parent = installation.cache.parent_path();
  if (!parent.empty()) fs::create_directories(parent, failure);
  // mkdir rather than create_directory: the mode must be right from the first moment on.
  if (!failure && ::mkdir(installation.cache.c_str(), 0700) != 0 && errno != EEXIST) {
    failure = std::error_code(errno, std::generic_category());
  }
  if (!failure && !is_folder(installation.cache)) {
    failure = std::make_error_code(std::errc::not_a_directory);
  }
  if (failure) {
    return Error{ErrorCode::kInfrastructure,
                 fmt::format("cache folder {}: {}", installation.cache.string(), failure.message()),
                 "make it writable, or set KBENCH_CACHE to a folder that is"};
  }
  sweep_cache(installation.cache);
  return Done{};
}

}  // namespace kbench
