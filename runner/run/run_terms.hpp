// The terms of a run: where its rows go, whom it waits for, when it stops. They decide when a row
// is measured, and nothing that the row says.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "runner/os/device_lock.hpp"
#include "runner/run/unit_order.hpp"

namespace kbench {

struct RunTerms {
  std::filesystem::path database = "kbench.sqlite";
  std::optional<std::string> resume;  // a run's name, of store/run_name.hpp
  std::string id;                     // id of the new run; empty: drawn
  std::string command_line;           // words as typed, which the store keeps
  // The folder in which runs share their rows (runner/pool); empty: the run measures all of its
  // rows.
  std::optional<std::filesystem::path> exchange;
  // Devices that measure at once, in the words of plan/device_choice.hpp; empty: the request's one.
  std::optional<std::string> devices;
  // Each of these devices measures all units, in the order of one device, so that a run has a row
  // of each: a calibration. Such a run is not resumed. With one device: as without.
  bool on_each_device = false;
  // Cores that no lane has are at work while lanes measure. Refused where there is none.
  bool busy = false;
  std::optional<int> jobs;             // compilations at once; empty: by the number of cores
  bool no_wait = false;                // a device that is taken is an error
  std::optional<int> max_failures;     // failed rows after which the run stops; empty: it goes on
  UnitOrder order = UnitOrder::kTask;  // order in which the rows are measured
  // Asked together with Ctrl-C: true ends the run once the current evaluation is stored.
  std::function<bool()> stop;
  // Receives what the run waits for on the device, again whenever that changes, and nothing once
  // the wait is over.
  std::function<void(const std::optional<DeviceWait>&)> waits = {};
  // Asked while the run waits for the device: true ends the wait with an error.
  std::function<bool()> gives_up = {};
};

}  // namespace kbench
