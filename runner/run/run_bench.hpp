// Everything a run asks of the machine: to take the device, to build, and to measure one unit of
// the plan after the other. Virtual because it is where the outside world begins:
// benches measure here (device_bench.hpp), on lanes (lanes_bench.hpp), and by a script in tests.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/installation/installation.hpp"
#include "runner/measure/oracle/oracle.hpp"
#include "runner/plan/run_plan.hpp"
#include "runner/run/bench_order.hpp"
#include "runner/run/bench_profile.hpp"
#include "runner/run/submission_builds.hpp"

namespace kbench {

class LaneFleet;
class Store;

// The lanes of a bench: several devices that measure at once.
class BenchLanes {
 public:
  virtual ~BenchLanes() = default;
  virtual LaneFleet& fleet() = 0;
  // The unit as its lane is told of it.
  [[nodiscard]] virtual Json order_of(std::size_t unit) = 0;
  // Cores of this process that no lane has.
  [[nodiscard]] virtual std::vector<int> spare_cores() const = 0;
};

// Units are indices into Plan::units.
class RunBench {
 public:
  virtual ~RunBench() = default;

  // Waits until no other command measures on the device, and keeps it; where nothing is timed,
  // until it is this run's turn. `what` is the name of the run for waiting commands, `seconds` its
  // probable duration; 0: unknown. Submissions are compiled meanwhile; if nothing is left to be
  // measured then, the wait ends. Errors: kInfrastructure where it is taken and the run does not
  // wait.
  virtual Status take_device(const std::string& what, double seconds) = 0;
  // Gives a turn between two units to commands that wait for one. `next_seconds`: the probable
  // duration of the next unit; 0: unknown.
  virtual void give_turn(double next_seconds) = 0;

  // Starts the oracle and the compilers, and returns once the oracle has answered. Compilers may be
  // at work after that, where they disturb nothing that is measured. Errors: kInfrastructure.
  virtual Result<OracleHello> start() = 0;
  [[nodiscard]] virtual const Toolchain& toolchain() const = 0;
  // Facts of the machine, for the store. After start().
  virtual Json describe_machine() = 0;
  // The layers of the sandbox, for the store.
  virtual std::string sandbox_level() = 0;

  // Null while the unit is being built.
  [[nodiscard]] virtual const SubmissionBuild* build_of(std::size_t unit) const = 0;
  // Waits for it.
  virtual SubmissionBuild& finished_build_of(std::size_t unit) = 0;

  // Checks the tasks that these units are judged by, and compiles their baselines. Errors: those of
  // the store.
  virtual Status prepare(const std::set<std::size_t>& units, Store& store,
                         const std::function<bool()>& interrupted) = 0;
  // Why no submission can be judged by the task; empty where one can. After prepare().
  [[nodiscard]] virtual std::string why_unjudged(const Task& task) const = 0;

  // The measured row; the session adds run, key and provenance.
  virtual Evaluation measure(std::size_t unit) = 0;

  // The lanes that measure in place of measure(), give_turn() and recover(); null: this process
  // measures, one unit after the other. Their fleet is there after start().
  [[nodiscard]] virtual BenchLanes* lanes() { return nullptr; }

  // The calls of a profile (measure/profiled_calls.hpp) of this side of the unit, in place of
  // prepare() and measure(). Errors: as of record_calls; kSubmission where it does not compile.
  virtual Result<BenchProfile> profile(std::size_t unit, Side side) = 0;

  // Whether the device may be measured on after this row. Error: it is lost.
  virtual Status recover(const Evaluation& evaluation) = 0;
  // Whether nothing is left of any sandboxed program that is over. What is left may run beside all
  // that is measured from then on. Error: the run ends.
  virtual Status check_alone() = 0;

  // Ends measuring: processes begin to end. `lost`: the device is, and nothing of it is kept.
  // wait_for_end() returns once they have ended.
  virtual void begin_end(bool lost) = 0;
  virtual void wait_for_end() = 0;
};

// Makes the bench of a run.
class BenchSource {
 public:
  virtual ~BenchSource() = default;
  [[nodiscard]] virtual const Installation& installation() const = 0;
  // Begins, in threads, with what every run takes.
  virtual void prepare() = 0;
  // Errors: kUsage, kInfrastructure.
  virtual Result<std::unique_ptr<RunBench>> make(const BenchOrder& order) = 0;
};

}  // namespace kbench
