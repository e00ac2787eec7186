// A scripted bench whose units are given to scripted lanes, which are real processes: what the
// script says of a unit is measured there.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/core/evaluation_json.hpp"
#include "tests/fakes/scripted_bench.hpp"
#include "tests/fakes/scripted_fleet.hpp"

namespace kbench::test {

struct LaneScript {
  std::vector<std::string> devices = {"cuda:0", "cuda:1"};
  std::map<std::string, Json> orders;  // more of a device's order
  std::map<std::string, Json> units;   // more of a unit, by agent
  std::filesystem::path folder;        // folder of what lanes leave
  std::vector<int> spare_cores;        // cores that no lane has
};

class LaneBench final : public ScriptedBench, private BenchLanes {
 public:
  LaneBench(const BenchOrder& order, const Installation& installation, BenchScript& script,
            std::vector<std::string>& measured, const LaneScript& lanes)
      : ScriptedBench(order, installation, script, measured), order_(order), lanes_(lanes) {}

  Status take_device(const std::string&, double) override {
    std::vector<LaneCommand> commands;
    for (const std::string& device : lanes_.devices) {
      const auto more = lanes_.orders.find(device);
      commands.push_back(scripted_lane(
          device, lanes_.folder, more == lanes_.orders.end() ? Json::object() : more->second));
    }
    fleet_.emplace(std::move(commands), order_.progress);
    return fleet_->take(order_.terms.gives_up);
  }
  void give_turn(double) override {}
  Result<OracleHello> start() override {
    auto facts = fleet_->start();
    if (!facts) return facts.error();
    return ScriptedBench::start();
  }
  BenchLanes* lanes() override { return this; }
  void begin_end(bool) override { fleet_->begin_end(false); }
  void wait_for_end() override { fleet_->wait_for_end(); }

 private:
  LaneFleet& fleet() override { return *fleet_; }
  Json order_of(std::size_t index) override {
    const PlannedRow& unit = order_.plan.units[index];
    Json told = {{"name", unit.submission ? unit.id.name : order_.plan.tasks[unit.task].id},
                 {"number", index},
                 {"row", evaluation_json(measure(index))}};
    if (const auto more = lanes_.units.find(unit.id.agent); more != lanes_.units.end())
      told.update(more->second);
    return told;
  }
  [[nodiscard]] std::vector<int> spare_cores() const override { return lanes_.spare_cores; }

  BenchOrder order_;
  const LaneScript& lanes_;
  std::optional<LaneFleet> fleet_;
};

class LaneBenches final : public BenchSource {
 public:
  explicit LaneBenches(const Installation& installation) : place_(installation) {}
  [[nodiscard]] const Installation& installation() const override { return place_; }
  void prepare() override {}
  Result<std::unique_ptr<RunBench>> make(const BenchOrder& order) override {
    return std::unique_ptr<RunBench>(
        std::make_unique<LaneBench>(order, place_, script, measured, lanes));
  }

  BenchScript script;
  LaneScript lanes;
  std::vector<std::string> measured;  // in the order in which units were handed out

 private:
  const Installation& place_;
};

}  // namespace kbench::test
