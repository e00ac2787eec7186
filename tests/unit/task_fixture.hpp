// A small valid task in a temporary suite, for the tests of runner/task to break in one place each.
#pragma once

#include "runner/core/json.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace kbench::test {

inline Json valid_size() {
  return {
      {"inputs",
       {{{"name", "x"},
         {"dtype", "float32"},
         {"shape", {8, 16}},
         {"draw", {{"kind", "uniform"}, {"a", -1.0}, {"b", 1.0}}}}}},
      {"parameters",
       {{{"name", "weight"},
         {"dtype", "float32"},
         {"shape", {4, 16}},
         {"draw", {{"kind", "normal"}, {"a", 0.0}, {"b", 0.5}}}},
        {{"name", "steps"},
         {"dtype", "int64"},
         {"shape", Json::array()},
         {"draw", {{"kind", "data"}, {"data", {7}}}}}}},
      {"nodes",
       {{{"op", "aten::linear"},
         {"overload", ""},
         {"args", {{{"v", "x"}}, {{"v", "weight"}}, nullptr}},
         {"outs", {"linear"}}}}},
      {"outputs", {{{"name", "y"}, {"value", "linear"}, {"dtype", "float32"}, {"shape", {8, 4}}}}},
      {"peak_bytes_fp32", 128},
      {"peak_bytes_fp64", 256},
      {"flops", 1024}};
}

// Belongs at level1/007_line.json.
inline Json valid_task() {
  return {{"schema", "kbench-task/1"},
          {"level", 1},
          {"number", 7},
          {"name", "line"},
          {"title", "A line."},
          {"mode", "batch-stats"},
          {"entry", "forward"},
          {"source", "007_line.py"},
          {"source_sha256", std::string(64, '0')},
          {"torch", "2.11.0"},
          {"sizes", {{"small", valid_size()}}}};
}

}  // namespace kbench::test
