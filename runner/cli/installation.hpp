// Where everything is, found relative to the program itself, so that a checkout can be moved or
// linked to from anywhere. Built once by main and passed down; nobody else looks at /proc/self/exe
// (but the sandbox, for kbench-enter) or at KBENCH_TORCH, KBENCH_CACHE.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "runner/core/result.hpp"

namespace kbench {

struct Installation {
  std::filesystem::path program;   // this executable, links resolved
  std::filesystem::path programs;  // its folder
  std::filesystem::path root;      // has suites/ and third_party/
  std::filesystem::path suites;
  std::filesystem::path examples;     // shipped example submissions
  std::filesystem::path selftest;     // what `kbench selftest timing` submits
  std::filesystem::path abi;          // has kbench.h
  std::filesystem::path aot_builder;  // baselines/aot_builder.py

  // Sibling programs, whether or not they were built.
  std::filesystem::path oracle;
  std::filesystem::path oracle_cuda;
  std::filesystem::path worker;

  std::filesystem::path python;  // a Python that should have torch; empty where there is none
  std::string python_reason;     // where it comes from, or why there is none
  std::filesystem::path cache;   // not created yet, see create_cache
  // What outlives results and caches: the key that runs are chained with. Empty where neither
  // XDG_STATE_HOME nor HOME is set.
  std::filesystem::path state;
};

// Reads one environment variable; empty where it is not set. Replaced by tests.
using Environment = std::function<std::optional<std::string>(const std::string&)>;
[[nodiscard]] Environment process_environment();

// What the build knew; either may be empty.
struct BuiltWith {
  std::string python;  // with torch
  std::string root;    // the checkout it was configured in
};

// The root is the nearest folder above the program with suites/ and third_party/, else (a build
// folder elsewhere) the checkout that it was built from. Errors: kInfrastructure when there is
// neither.
[[nodiscard]] Result<Installation> find_installation(const std::filesystem::path& program,
                                                     const Environment& environment,
                                                     const BuiltWith& built_with);

// The program that is running now.
[[nodiscard]] Result<std::filesystem::path> this_program();

// Makes the cache directory (mode 0700) where it is missing. Errors: kInfrastructure.
[[nodiscard]] Status create_cache(const Installation& installation);

}  // namespace kbench
