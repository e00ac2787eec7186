// Commands of scripted lanes (scripted_lane.cpp), and what they left in their folder.
//
// An order: device, its lock's name; locks and folder; fails ("take" or "start"); dies ("start");
// facts (else the device). A unit: row, or answer in its place; fails, why it has neither; name and
// number; milliseconds that it takes; until, a file that it waits for; creates, a file; dies
// ("once" or "always"); loses, the device that is lost with it; notes; swells, the bytes of its
// row's message. A file slower-DEVICE in the folder: the
// factor on the times of that device's kernels.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "runner/core/evaluation_json.hpp"
#include "runner/lane/lane_fleet.hpp"

namespace kbench::test {

inline LaneCommand scripted_lane(const std::string& device, const std::filesystem::path& folder,
                                 Json more = Json::object()) {
  Json order = {{"device", device}, {"locks", folder / "locks"}, {"folder", folder}};
  order.update(more);
  return {.name = device, .argv = {KBENCH_SCRIPTED_LANE}, .environment = {}, .order = order};
}

inline Json scripted_unit(const std::string& task, int number, Json more = Json::object()) {
  Evaluation row;
  row.task = task;
  row.state = State::kOk;
  Json unit = {{"name", task}, {"number", number}, {"row", evaluation_json(row)}};
  unit.update(more);
  return unit;
}

// "cuda:0 level1/019_relu", as lanes began them; of `ends`: "cuda:0 false".
inline std::vector<std::string> lane_lines(const std::filesystem::path& file) {
  std::vector<std::string> lines;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace kbench::test
