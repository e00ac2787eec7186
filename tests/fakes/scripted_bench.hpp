// A bench that measures nothing: what becomes of a unit stands in a script, by the submission's
// agent. It keeps the device's lock as the real one does.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runner/device/measuring_lock.hpp"
#include "runner/run/device_bench.hpp"
#include "runner/submission/source_files.hpp"

namespace kbench::test {

struct BenchScript {
  std::map<std::string, State> states;     // by agent; else kOk
  std::map<std::string, double> times_ns;  // by agent: of a call, where eager takes 4 ms
  // Time of the compiled baseline by agent; none where it is not listed.
  std::map<std::string, double> compiled_ns;
  std::set<std::string> busy;  // agents beside whose calls other programs run; with times alone
  std::map<std::string, double> seconds;        // by task: of an evaluation
  std::map<std::string, Error> build_fails;     // by agent
  std::map<std::string, double> build_seconds;  // by agent
  std::set<std::string> loses_device;           // after units of these agents
  std::optional<Error> oracle_fails;
  std::optional<Error> left_over;                 // found by check_alone
  std::string unjudged;                           // reason for every task
  bool builds_late = false;                       // known with the first row
  std::function<void()> while_preparing = [] {};  // tasks and packages
  std::function<void(const PlannedRow&)> while_measuring = [](auto&) {};
  std::string compiler = "g++ 12";
  std::string nvcc;
  std::string device_name = "a scripted device";
  BenchProfile profile;  // profile of every side

  // Requests of the last run.
  std::set<std::size_t> prepared;  // units that were to be timed
  double run_seconds = -1;         // seconds told to those who wait for the device
  std::vector<double> turns;       // seconds of the unit that follows each
  std::optional<bool> ended_lost;  // argument of begin_end
  int awaited_ends = 0;
};

class ScriptedBench : public RunBench {
 public:
  ScriptedBench(const BenchOrder& order, const Installation& installation, BenchScript& script,
                std::vector<std::string>& measured)
      : order_(order), installation_(installation), script_(script), measured_(measured) {
    toolchain_.host_version = script.compiler;
    toolchain_.nvcc_version = script.nvcc;
  }

  Status take_device(const std::string& what, double seconds) override {
    script_.run_seconds = seconds;
    script_.turns.clear();
    lock_request_ = lock_request_of(order_, installation_, what, seconds);
    auto lock = take_measuring_lock(lock_request_);
    if (!lock) return lock.error();
    if (order_.terms.gives_up && order_.terms.gives_up())
      return Error{ErrorCode::kInfrastructure, "interrupted while it waited for the device", ""};
    lock_.emplace(std::move(*lock));
    return Done{};
  }

  void give_turn(double next_seconds) override {
    script_.turns.push_back(next_seconds);
    if (lock_) kbench::give_turn(lock_request_, *lock_, next_seconds);
  }

  Result<OracleHello> start() override {
    if (script_.oracle_fails) return *script_.oracle_fails;
    for (const PlannedRow& unit : order_.plan.units) builds_.push_back(build(unit));
    built_ = !script_.builds_late;
    OracleHello hello;
    hello.facts.name = script_.device_name;
    hello.torch = "2.11.0";
    return hello;
  }
  [[nodiscard]] const Toolchain& toolchain() const override { return toolchain_; }
  Json describe_machine() override {
    return {{"device", DeviceFacts{.name = script_.device_name}}};
  }
  std::string sandbox_level() override { return "scripted"; }

  [[nodiscard]] const SubmissionBuild* build_of(std::size_t unit) const override {
    return built_ ? &builds_[unit] : nullptr;
  }
  SubmissionBuild& finished_build_of(std::size_t unit) override {
    built_ = true;
    return builds_[unit];
  }

  Status prepare(const std::set<std::size_t>& units, Store&,
                 const std::function<bool()>&) override {
    script_.prepared = units;
    script_.while_preparing();
    return Done{};
  }
  [[nodiscard]] std::string why_unjudged(const Task&) const override { return script_.unjudged; }

  Evaluation measure(std::size_t index) override {
    const PlannedRow& unit = order_.plan.units[index];
    const Task& task = order_.plan.tasks[unit.task];
    measured_.push_back(unit.submission ? unit.id.name : task.id);
    script_.while_measuring(unit);
    built_ = true;
    Evaluation row;
    row.task = task.id;
    row.level = task.level;
    row.task_hash = task.hash;
    row.size = order_.plan.target.size;
    row.device = order_.plan.target.device;
    if (unit.submission) row.submission = unit.id;
    const auto state = script_.states.find(unit.id.agent);
    row.state = state != script_.states.end() ? state->second
                : unit.submission             ? State::kOk
                                              : State::kNoSubmission;
    if (row.state == State::kOk) row.correct = true;
    if (const auto time = script_.times_ns.find(unit.id.agent); time != script_.times_ns.end())
      row.samples = samples_of(unit.id.agent, time->second);
    if (script_.busy.contains(unit.id.agent))
      for (const Sample& sample : row.samples)
        if (sample.side == Side::kEager)
          row.blocks.push_back({.block = sample.block, .strangers = 100});
    if (const auto seconds = script_.seconds.find(task.id); seconds != script_.seconds.end())
      row.wall_seconds = seconds->second;
    return row;
  }

  Result<BenchProfile> profile(std::size_t, Side side) override {
    measured_.push_back("profile " + std::string(to_string(side)));
    built_ = true;
    for (const SubmissionBuild& made : builds_)
      if (made.error) return *made.error;
    return script_.profile;
  }

  Status recover(const Evaluation& row) override {
    const std::string agent = row.submission ? row.submission->agent : "";
    if (!script_.loses_device.contains(agent)) return Done{};
    return Error{ErrorCode::kInfrastructure, "the device is lost", "restart the machine"};
  }
  Status check_alone() override {
    return script_.left_over ? Status(*script_.left_over) : Status(Done{});
  }
  void begin_end(bool lost) override {
    script_.ended_lost = lost;
    lock_.reset();
  }
  void wait_for_end() override { ++script_.awaited_ends; }

 private:
  [[nodiscard]] std::vector<Sample> samples_of(const std::string& agent,
                                               double submission_ns) const {
    constexpr int kBlocks = 6;  // the fewest that give an interval of 95 %
    std::vector<std::pair<Side, double>> sides = {{Side::kEager, 4e6},
                                                  {Side::kSubmission, submission_ns}};
    if (const auto found = script_.compiled_ns.find(agent); found != script_.compiled_ns.end())
      sides.emplace_back(Side::kCompiled, found->second);
    std::vector<Sample> samples;
    for (int block = 0; block < kBlocks; ++block)
      for (const auto& [side, ns] : sides)
        samples.push_back({.placement = block,
                           .block = block,
                           .side = side,
                           .time_ns = static_cast<std::int64_t>(ns)});
    return samples;
  }
  [[nodiscard]] SubmissionBuild build(const PlannedRow& unit) const {
    SubmissionBuild made;
    if (!unit.submission) return made;
    if (const auto files = read_source_files(*unit.submission)) made.sources = keep_sources(*files);
    if (const auto fails = script_.build_fails.find(unit.id.agent);
        fails != script_.build_fails.end())
      made.error = fails->second;
    if (const auto seconds = script_.build_seconds.find(unit.id.agent);
        seconds != script_.build_seconds.end())
      made.seconds = seconds->second;
    return made;
  }

  BenchOrder order_;
  const Installation& installation_;
  BenchScript& script_;
  std::vector<std::string>& measured_;
  LockRequest lock_request_;
  std::optional<MeasuringLock> lock_;
  Toolchain toolchain_;
  std::vector<SubmissionBuild> builds_;
  bool built_ = false;
};

class ScriptedBenches final : public BenchSource {
 public:
  [[nodiscard]] const Installation& installation() const override { return place; }
  void prepare() override {}
  Result<std::unique_ptr<RunBench>> make(const BenchOrder& order) override {
    ++made;
    asked = order.request;
    return std::unique_ptr<RunBench>(
        std::make_unique<ScriptedBench>(order, place, script, measured));
  }

  Installation place;
  BenchScript script;
  int made = 0;
  RunRequest asked;                   // with the last bench
  std::vector<std::string> measured;  // names of submissions, or ids of tasks without one
};

}  // namespace kbench::test
