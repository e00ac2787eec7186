// The judge of the requests in the queue. The one there is does it as `kbench run` does
// (judge/serve_judge.hpp); tests of the queue and of the gate have one that judges nothing.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/os/device_lock.hpp"
#include "runner/serve/order.hpp"

namespace kbench {

class Judge {
 public:
  virtual ~Judge() = default;

  // The reason why this judge may not share rows with its group, for the operator; empty if it may.
  // A judge with a reason answers nothing, and its server says so.
  [[nodiscard]] virtual std::string unfit() const { return ""; }

  // The identity of the evaluation that the order asks for.
  struct Identity {
    std::string id;  // the key of its row
    std::string task;
    std::string size;
  };
  // Errors: kNotFound, an unknown task; kUsage, kBadInput, an order that makes no sense here;
  // kSubmission, files that cannot be a submission. On the supervisor's own thread.
  virtual Result<Identity> identify(const Order& order) = 0;

  enum class Rows {
    kThatCount,  // measured in full, unchanged, no fault of ours: need not be repeated
    kAny,
  };
  // The newest stored row of that key: {id, run_id, row}, its reward included; nothing where there
  // is none. Errors: kUsage, an unknown reward; those of the store. On the supervisor's own thread.
  virtual Result<std::optional<Json>> find(const std::string& id, const std::string& reward,
                                           Rows rows) = 0;

  struct Listener {
    // An order's row is stored; or, where it is not stored, its result is there.
    std::function<void(const std::string& id, std::optional<Json> result)> told;
    // The device is waited for, told again where that changes; nothing once it is there.
    std::function<void(const std::optional<DeviceWait>&)> waits = {};
  };
  // Judges orders of one kind and size in turn, and reports each as soon as it is judged. On an
  // error, the orders not reported were not judged. Without an error, too, some may be missing:
  // after stop(), or because of something that another try may mend. Runs on a thread that does
  // nothing else.
  virtual Status judge(std::span<const QueuedOrder> orders, const Listener& listener) = 0;
  // Begins nothing any more. Called from any thread, while judge() runs.
  virtual void stop() = 0;

  // A task for an agent: {task, size, device, prompt, reference}. Errors: kNotFound. This and the
  // next one: on the supervisor's own thread. An empty name is that of any task.
  virtual Result<Json> describe(const std::string& task, const std::string& size) = 0;
  // One of an agent's tools that takes no time (serve/tools.hpp), for the holder of a token; or the
  // order that one which takes time comes to. Errors: of the arguments, as kUsage.
  virtual Result<std::variant<Json, Order>> use_tool(const std::string& tool, const Json& arguments,
                                                     const std::string& agent) = 0;
};

}  // namespace kbench
