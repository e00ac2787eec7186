// The lanes of one coordinator: a process a device, each behind a channel of its own. It starts
// them, hands them units, and replaces one that dies, which says nothing of its device; three
// deaths within ten minutes do. The order of units, and how often one is tried, are the caller's.
//
// One thread uses it, and nothing of it waits but take(), start(), wait() and wait_for_end(). The
// kernel kills a lane when that thread ends, however it does.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/channel.hpp"
#include "runner/core/json.hpp"
#include "runner/core/progress_sink.hpp"
#include "runner/core/result.hpp"
#include "runner/lane/lane_message.hpp"
#include "runner/os/child_process.hpp"

namespace kbench {

struct LaneCommand {
  std::string name;                                // name of its device, for people: "cuda:1"
  std::vector<std::string> argv;                   // argv[0] is a path
  std::map<std::string, std::string> environment;  // beside what every child inherits
  Json order;                                      // the order that the lane takes
};

// A change that the caller is to know of.
struct LaneEvent {
  enum class What {
    kResult,    // the unit has its result
    kReturned,  // the lane died with this unit, for that reason; no lane has it now
    kLost,      // the lane is out, for that reason: its device is lost, or it died too often
  };
  What what = What::kResult;
  std::size_t lane = 0;
  std::size_t unit = 0;
  LaneResult result = {};  // with what is lost: kLost follows
  Error error = {};
};

class LaneFleet {
 public:
  // Deaths within kDeathWindow after which a device is lost.
  static constexpr std::size_t kMostDeaths = 3;
  static constexpr std::chrono::minutes kDeathWindow{10};

  // `progress` outlives it, and has what lanes tell, by the name of the device.
  LaneFleet(std::vector<LaneCommand> commands, ProgressSink& progress);
  LaneFleet(const LaneFleet&) = delete;
  LaneFleet& operator=(const LaneFleet&) = delete;
  ~LaneFleet() = default;  // kills what has not ended

  // Starts the processes, which take their devices one after the other in the order of the
  // commands: of two fleets that want the same devices in the same order neither waits for the
  // other for ever. Errors: of a lane's take(); kInfrastructure where it cannot be started, dies,
  // or `gives_up` (asked often) says so.
  Status take(const std::function<bool()>& gives_up);
  // Starts all lanes at once; returns the facts of each. Errors: those of take() and of start().
  Result<std::vector<Json>> start();

  [[nodiscard]] std::size_t size() const { return lanes_.size(); }
  [[nodiscard]] const std::string& name_of(std::size_t lane) const {
    return lanes_[lane].command.name;
  }
  [[nodiscard]] std::vector<std::size_t> idle() const;
  [[nodiscard]] bool any_busy() const;
  // Whether there is a lane that measures, or will: one that is being replaced is.
  [[nodiscard]] bool any_left() const;

  // Gives the unit, whose number events have, to an idle lane. `request` asks for a measurement.
  void begin(std::size_t lane, std::size_t unit, const LaneRequest& request);
  // Changes of lanes, once there are any; none where nothing came in time.
  [[nodiscard]] std::vector<LaneEvent> wait(std::chrono::milliseconds time);

  // Asks all lanes to end. wait_for_end() returns once they have; one that takes longer than ten
  // seconds is killed.
  void begin_end(bool lost);
  void wait_for_end();

 private:
  enum class Stage { kNone, kTaking, kTaken, kStarting, kIdle, kBusy, kOut };
  struct Lane {
    LaneCommand command;
    ChildProcess process;
    Channel channel;
    Stage stage = Stage::kNone;
    bool replaces = false;  // goes on from taken to ready by itself
    std::size_t unit = 0;   // the unit in work; kBusy only
    std::vector<std::chrono::steady_clock::time_point> deaths;
    Json facts;
  };

  Status spawn(Lane& lane);
  Status ask(Lane& lane, const LaneRequest& request, Stage next);
  void read(std::size_t index);
  void heed(std::size_t index, LaneReply reply);
  void tell(const Lane& lane, const LaneReply& reply);
  void bury(std::size_t index, const Error& why);
  void leave(std::size_t index, Error why);
  [[nodiscard]] Status go_through(Stage stage, const std::function<bool()>& gives_up);

  std::vector<Lane> lanes_;
  ProgressSink& progress_;
  std::vector<LaneEvent> events_;
  bool is_ready_ = false;        // all were, once: from then on lanes are replaced
  std::optional<Error> failed_;  // before that
};

}  // namespace kbench
