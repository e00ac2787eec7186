// The findings of data/attribution/example.jsonl, and of lines that a test wrote.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "runner/attribution/analysis.hpp"
#include "tests/unit/paths.hpp"

namespace kbench::test {

inline Attribution findings_of(const std::string& lines, const AnalysisRequest& request = {}) {
  const auto cells = parse_cells(lines, "x");
  EXPECT_TRUE(cells) << cells.error().message;
  const auto found = analyze(*cells, request);
  EXPECT_TRUE(found) << found.error().message;
  return *found;
}

inline Attribution example_study(const AnalysisRequest& request = {}) {
  std::ifstream stream(std::string(kData) + "/attribution/example.jsonl");
  return findings_of({std::istreambuf_iterator<char>(stream), {}}, request);
}

}  // namespace kbench::test
