// A lane of a synthesis that measures nothing (scripted_trials.hpp): a real process. Its order says
// its folder, its device, and what becomes of it: dies, the number of a candidate with whose first
// trial it is killed; loses, the number of a candidate whose trial its device is lost with.
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "runner/core/unique_fd.hpp"
#include "runner/lane/lane_server.hpp"
#include "runner/measure/oracle/oracle.hpp"
#include "runner/run/lane_order.hpp"
#include "tests/fakes/first_mark.hpp"
#include "tests/fakes/scripted_trials.hpp"

namespace kbench::test {
namespace {

namespace fs = std::filesystem;

class ScriptedTrialWork final : public LaneWork {
 public:
  Status take(const Json& order) override {
    order_ = order;
    return Done{};
  }
  Result<Json> start() override {
    OracleHello hello;
    hello.facts.name = "a scripted device";
    hello.torch = "2.11.0";
    return lane_facts_json({hello, "scripted"});
  }
  LaneResult measure(const LaneRequest& request) override {
    const auto order = trial_order_from_json(request.body);
    if (!order) return {.failure = order.error()};
    const int number = number_of(*order);
    if (order_.value("dies", -1) == number && is_first(number)) ::raise(SIGKILL);
    // Trials end in another order than they began.
    std::this_thread::sleep_for(std::chrono::milliseconds{number * 7 % 5});
    const Error gone{ErrorCode::kInfrastructure, "the device is lost", "restart the machine"};
    if (order_.value("loses", -1) == number) {
      const TrialAnswer doubtful{.finding = TrialFinding{CandidateFault::kEager, "no device"}};
      return {.body = trial_answer_json(doubtful), .lost = gone};
    }
    return {.body = trial_answer_json(scripted_answer(*order))};
  }
  void end(bool) override {}

 private:
  [[nodiscard]] bool is_first(int number) const {
    return makes_first(fs::path(order_.at("folder").get<std::string>()) /
                       ("died-" + std::to_string(number)));
  }

  Json order_;
};

}  // namespace
}  // namespace kbench::test

int main() {
  using namespace kbench;
  const auto served = serve_lane(Channel(UniqueFd(kLaneSocket)), [](ProgressSink&) {
    return std::make_unique<test::ScriptedTrialWork>();
  });
  return served ? 0 : 1;
}
