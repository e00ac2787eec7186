// Compares a text with a file of tests/golden byte for byte. KBENCH_UPDATE_GOLDEN=1 writes the file
// instead; look at the difference before committing it.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "tests/unit/paths.hpp"

namespace kbench::test {

inline std::filesystem::path golden_file(const std::string& name) {
  return std::filesystem::path(kGolden) / name;
}

inline void expect_golden(const std::string& name, const std::string& actual) {
  const std::filesystem::path file = golden_file(name);
  if (std::getenv("KBENCH_UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << actual;
    return;
  }
  std::ifstream stream(file, std::ios::binary);
  ASSERT_TRUE(stream) << file << " is missing; KBENCH_UPDATE_GOLDEN=1 writes it";
  const std::string expected{std::istreambuf_iterator<char>(stream), {}};
  if (actual == expected) return;
  const auto [a, e] = std::mismatch(actual.begin(), actual.end(), expected.begin(), expected.end());
  const auto at = static_cast<std::size_t>(a - actual.begin());
  const std::size_t from = at < 60 ? 0 : at - 60;
  ADD_FAILURE() << name << " differs at byte " << at << "\n  expected: …"
                << expected.substr(from, 160) << "…\n  actual:   …" << actual.substr(from, 160)
                << "…\nKBENCH_UPDATE_GOLDEN=1 rewrites it.";
}

}  // namespace kbench::test
