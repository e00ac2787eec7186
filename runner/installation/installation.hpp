// Where everything is, found relative to the program itself, so that an installation or a checkout
// can be moved or linked to from anywhere. Built once by main and passed down; no other code looks
// at /proc/self/exe (but the sandbox, for kbench-enter) or at KBENCH_CACHE, and only this and
// torch_search at KBENCH_TORCH.
//
//   a checkout                            installed (third_party/cmake/Install.cmake)
//   build/release/bin/kbench              PREFIX/bin/kbench
//   build/release/bin/kbench-worker …     PREFIX/libexec/kbench/kbench-worker …
//   suites, data, baselines, runner/abi   PREFIX/share/kbench/{suites,data,baselines,abi}
#pragma once

#include <filesystem>
#include <string>

#include "runner/core/result.hpp"
#include "runner/os/environment.hpp"

namespace kbench {

struct Installation {
  bool installed = false;          // `cmake --install`, package or wheel; no: a checkout
  std::filesystem::path program;   // this executable, links resolved
  std::filesystem::path programs;  // the folder of its siblings, below
  std::filesystem::path root;      // has suites/: the checkout, or share/kbench
  std::filesystem::path suites;
  std::filesystem::path examples;     // shipped example submissions
  std::filesystem::path selftest;     // submissions of `kbench selftest timing`
  std::filesystem::path abi;          // has kbench.h
  std::filesystem::path aot_builder;  // baselines/aot_builder.py

  // Sibling programs, whether or not they were built.
  std::filesystem::path oracle;
  std::filesystem::path oracle_cuda;
  std::filesystem::path worker;
  std::filesystem::path vendor_library;  // the worker plays it as the side of a vendor's library
  std::filesystem::path gate;
  std::filesystem::path agent;
  // The player of Python submissions: a script of ours, and the library that it loads.
  std::filesystem::path player;
  std::filesystem::path player_library;

  std::filesystem::path python;  // a Python that should have torch; empty where there is none
  std::string python_reason;     // origin of that Python, or why there is none
  // The folder of LibTorch for the oracle. Empty in a checkout, whose oracle has it in its run
  // path, and in an installation until with_torch (torch_search.hpp) has looked.
  std::filesystem::path torch_libraries;
  std::string built_with_torch;  // "2.11.0"; empty without an oracle
  // Not created yet, see create_cache. Empty in an installation where neither KBENCH_CACHE,
  // XDG_CACHE_HOME nor HOME is set.
  std::filesystem::path cache;
  // The folder that outlives results and caches: it has the key that runs are chained with. Empty
  // where neither XDG_STATE_HOME nor HOME is set.
  std::filesystem::path state;
  // The folder with the locks of devices (measuring_lock.hpp), one folder for all users of the
  // machine: KBENCH_LOCKS, else /tmp, whatever TMPDIR says.
  std::filesystem::path locks;
};

// The user's folder of what must outlive a run: keys, calibrations, records. Empty without a home.
[[nodiscard]] std::filesystem::path find_state(const Environment& environment);

// Facts known at build time; each may be empty.
struct BuiltWith {
  std::string python;  // a Python with torch
  std::string root;    // the checkout it was configured in
  std::string torch;   // version of the LibTorch that the oracle was linked with
};

// Installed where ../share/kbench/suites exists. Else the root is the nearest folder above the
// program with suites/ and third_party/, else (a build folder elsewhere) the checkout that it was
// built from. Errors: kInfrastructure when there is none.
[[nodiscard]] Result<Installation> find_installation(const std::filesystem::path& program,
                                                     const Environment& environment,
                                                     const BuiltWith& built_with);

// The program that is running now.
[[nodiscard]] Result<std::filesystem::path> this_program();

// The remedy when a part of it is missing: set it up or install it again.
[[nodiscard]] std::string how_to_mend(const Installation& installation);

// Makes the cache directory (mode 0700) where it is missing, and takes out of it what is too much
// (os/cache_sweep). Errors: kInfrastructure.
[[nodiscard]] Status create_cache(const Installation& installation);

}  // namespace kbench
