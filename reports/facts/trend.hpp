// Earlier runs of the same device: for each task and agent a series of speed-ups over eager, oldest
// run first and this run last, and which run brought a change. over_time/loaded_trend.hpp reads
// them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "runner/analysis/change_points.hpp"

namespace kbench {

struct TrendRun {
  std::string id;
  std::string started_at;
  std::vector<std::string> tags;
  std::string commit;  // commit of the submissions, in words; may be empty
};

// An agent's result on a task in one run, by the report's rule for variants.
struct TrendPoint {
  std::size_t run = 0;             // index into Trend::runs
  std::optional<Speedup> speedup;  // over eager; empty where the row is not correct or not timed
  std::string state;               // "ok", "wrong_result"
  std::string task_hash;
};

struct TrendChange {
  std::size_t point = 0;  // the first one of the new level
  double before = 0;      // levels, as in change_points.hpp
  double after = 0;
};

struct TrendSeries {
  std::string task;
  std::string agent;
  std::string device;  // this and the next four: the board that it is of
  std::string precision;
  std::string profile;
  std::string size;
  std::string allow_torch;  // choice for Python submissions; empty for others
  int protocol = 1;
  std::vector<TrendPoint> points;
  std::vector<TrendChange> changes;
};

struct Trend {
  std::vector<TrendRun> runs;       // oldest first; the last one is the report's
  std::vector<TrendSeries> series;  // series of two runs or more
  std::size_t older = 0;            // runs that the bounds left out
};

}  // namespace kbench
