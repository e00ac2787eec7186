#include "runner/lane/unit_pull.hpp"

#include <chrono>
#include <map>
#include <utility>

#include "runner/lane/unit_queue.hpp"

namespace kbench {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{100};

class UnitPull {
 public:
  UnitPull(LaneFleet& lanes, const std::vector<std::size_t>& units, UnitShare share,
           UnitOwner& owner, ProgressSink& progress)
      : lanes_(lanes),
        queues_(share == UnitShare::kEachLane ? lanes.size() : 1, UnitQueue(units)),
        owner_(owner),
        progress_(progress) {}

  Result<std::size_t> run() {
    while (true) {
      const bool goes_on = owner_.goes_on() && lanes_.any_left();
      if (goes_on)
        if (auto given = hand_out(); !given) return given.error();
      // A unit at hand of a lane that is not busy comes back: its request could not be sent.
      if (!lanes_.any_busy() && at_hand_.empty() && (!goes_on || left() == given_up_))
        return left();
      for (const LaneEvent& event : lanes_.wait(kBetweenLooks))
        if (auto heeded = heed(event); !heeded) return heeded.error();
      if (auto ticked = owner_.tick(); !ticked) return ticked.error();
      progress_.tick();
    }
  }

 private:
  // A unit for each lane that has none. What needs no lane is done at once.
  Status hand_out() {
    for (const std::size_t lane : lanes_.idle()) {
      while (owner_.goes_on()) {
        const auto unit = queue_of(lane).pull();
        if (!unit) break;
        tell();
        auto request = owner_.begin(lane, *unit);
        if (!request) return request.error();
        if (!*request) {
          ++done_;
          continue;
        }
        at_hand_[lane] = *unit;
        lanes_.begin(lane, *unit, **request);
        tell();
        break;
      }
    }
    return Done{};
  }

  Status heed(const LaneEvent& event) {
    switch (event.what) {
      case LaneEvent::What::kResult:
        at_hand_.erase(event.lane);
        return event.result.failure ? give_back(event, *event.result.failure) : take(event);
      case LaneEvent::What::kReturned:
        at_hand_.erase(event.lane);
        return give_back(event, event.error);
      case LaneEvent::What::kLost:
        leave(event.lane);
        owner_.lose(event.lane, event.error);
        return Done{};
    }
    return Done{};
  }

  Status take(const LaneEvent& event) {
    UnitQueue& queue = queue_of(event.lane);
    const auto taken =
        owner_.end(event.lane, event.unit, event.result, queue.may_repeat(event.unit));
    if (!taken) return taken.error();
    if (!*taken && queue.give_back(event.unit)) return Done{};
    end_unit();
    return Done{};
  }

  Status give_back(const LaneEvent& event, const Error& why) {
    if (queue_of(event.lane).give_back(event.unit)) return Done{};
    if (auto given_up = owner_.give_up(event.lane, event.unit, why); !given_up) return given_up;
    end_unit();
    return Done{};
  }

  // The units of a lane that is out: no other lane takes them if each measures all.
  void leave(std::size_t lane) {
    if (queues_.size() == 1) return;
    given_up_ += queues_[lane].left();
    queues_[lane] = UnitQueue({});
  }

  void end_unit() {
    ++done_;
    if (!at_hand_.empty()) tell();
  }

  // Units are counted as they end, whichever lane they come from.
  void tell() const {
    std::string names;
    for (const auto& [lane, unit] : at_hand_)
      names += (names.empty() ? "" : ", ") + owner_.name_of(unit);
    progress_.item(done_, names);
  }

  [[nodiscard]] UnitQueue& queue_of(std::size_t lane) {
    return queues_.size() == 1 ? queues_.front() : queues_[lane];
  }
  [[nodiscard]] std::size_t left() const {
    std::size_t left = given_up_;
    for (const UnitQueue& queue : queues_) left += queue.left();
    return left;
  }

  LaneFleet& lanes_;
  std::vector<UnitQueue> queues_;  // one for all lanes, or one a lane
  UnitOwner& owner_;
  ProgressSink& progress_;
  std::map<std::size_t, std::size_t> at_hand_ = {};  // units, by lane
  std::size_t done_ = 0;
  std::size_t given_up_ = 0;  // units of lanes that are out
};

}  // namespace

Result<std::size_t> pull_units(LaneFleet& lanes, const std::vector<std::size_t>& units,
                               UnitShare share, UnitOwner& owner, ProgressSink& progress) {
  return UnitPull(lanes, units, share, owner, progress).run();
}

}  // namespace kbench
