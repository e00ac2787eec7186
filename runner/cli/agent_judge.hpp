// The judge of `kbench agent run`: each request is a run of its own, as `kbench workspace` makes
// it, in a database of its own, all on one device session; the row of a submission is then put into
// the run of the episodes. One device, so one request at a time, however many episodes there are:
// what compiles would disturb what measures.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "runner/cli/options.hpp"
#include "runner/device/device_session.hpp"
#include "runner/judge/episode_tools.hpp"
#include "runner/reward/reward.hpp"
#include "runner/store/store.hpp"

namespace kbench {

// The database, for several threads.
class SharedStore {
 public:
  explicit SharedStore(Store store) : store_(std::move(store)) {}
  template <class Act>
  auto with(Act&& act) {
    const std::scoped_lock lock(mutex_);
    return act(store_);
  }

 private:
  std::mutex mutex_;
  Store store_;
};

struct AgentJudging {
  const CommonOptions& common;
  DeviceSession& device;
  SharedStore& store;
  std::string run_id;  // which gets the rows
  std::string agent;   // what they are submitted as
  bool quick = false;
  std::string allow_torch;  // as RunRequest has it
  RewardRule reward;
  std::function<bool()> stop;  // asked often, from any thread
};

[[nodiscard]] std::unique_ptr<EpisodeJudge> make_agent_judge(AgentJudging judging);

}  // namespace kbench
