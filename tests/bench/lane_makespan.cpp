// The time that lanes and their coordinator take by themselves. Scripted lanes, which are real
// processes, sleep for as long as each unit says; a lane that is free pulls the next unit.
//
//     lane_makespan LANES < MILLISECONDS   (a line for each unit, in the order of pulling)
//
// Prints JSON: seconds from the first unit to the last row, and the coordinator's own milliseconds
// a row, between its waits.
#include <charconv>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "runner/lane/unit_queue.hpp"
#include "runner/os/files.hpp"
#include "tests/fakes/kept_progress.hpp"
#include "tests/fakes/scripted_fleet.hpp"

namespace kbench::test {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

struct Made {
  double seconds = 0;
  double coordinator_seconds = 0;
};

// Hands out all units; the fleet is ready. False where one was not measured.
bool measure_all(LaneFleet& fleet, const std::vector<int>& milliseconds, Made& made) {
  std::vector<std::size_t> units(milliseconds.size());
  for (std::size_t i = 0; i < units.size(); ++i) units[i] = i;
  UnitQueue queue(units);
  std::size_t rows = 0;
  const auto start = Clock::now();
  Seconds waited{0};
  while (rows < units.size()) {
    for (const std::size_t lane : fleet.idle()) {
      const auto unit = queue.pull();
      if (!unit) break;
      LaneRequest request;
      request.ask = LaneAsk::kMeasure;
      request.body =
          scripted_unit("task", static_cast<int>(*unit), {{"milliseconds", milliseconds[*unit]}});
      fleet.begin(lane, *unit, request);
    }
    const auto waiting = Clock::now();
    const auto events = fleet.wait(std::chrono::milliseconds{100});
    waited += Clock::now() - waiting;
    for (const LaneEvent& event : events) {
      if (event.what != LaneEvent::What::kResult) return false;
      ++rows;
    }
  }
  made.seconds = Seconds(Clock::now() - start).count();
  made.coordinator_seconds = made.seconds - waited.count();
  return true;
}

int run(std::size_t lanes, const std::vector<int>& milliseconds) {
  const auto folder = ScratchFolder::make("kbench-lanes");
  if (!folder) return 3;
  KeptProgress progress;
  std::vector<LaneCommand> commands;
  for (std::size_t i = 0; i < lanes; ++i)
    commands.push_back(scripted_lane(fmt::format("cuda:{}", i), folder->path()));
  LaneFleet fleet(std::move(commands), progress);
  Made made;
  if (!fleet.take({}) || !fleet.start() || !measure_all(fleet, milliseconds, made)) return 3;
  fleet.begin_end(false);
  fleet.wait_for_end();
  const double rows = static_cast<double>(milliseconds.size());
  fmt::print("{}\n", Json{{"seconds", made.seconds},
                          {"coordinator_ms_a_row", 1e3 * made.coordinator_seconds / rows}}
                         .dump());
  return 0;
}

}  // namespace
}  // namespace kbench::test

int main(int count, char** words) {
  std::size_t lanes = 0;
  const std::string_view word = count == 2 ? words[1] : "";
  const auto read = std::from_chars(word.data(), word.data() + word.size(), lanes);
  std::vector<int> milliseconds;
  for (int each = 0; std::cin >> each;) milliseconds.push_back(each);
  if (read.ec != std::errc() || lanes == 0 || milliseconds.empty()) {
    std::fputs("usage: lane_makespan LANES < MILLISECONDS\n", stderr);
    return 2;
  }
  return kbench::test::run(lanes, milliseconds);
}
