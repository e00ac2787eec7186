// A mark in a folder that only one process can make, so that one of several lanes does a thing.
#pragma once

#include <fcntl.h>

#include <filesystem>

#include "runner/core/unique_fd.hpp"

namespace kbench::test {

// True for the first caller alone, also if two processes ask at the same moment.
inline bool makes_first(const std::filesystem::path& mark) {
  return UniqueFd(::open(mark.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644)).valid();
}

}  // namespace kbench::test
