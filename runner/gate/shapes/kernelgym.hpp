// The interface of KernelGYM's server, for trainers that speak it:
//
//   POST /evaluate {task_id, reference_code, kernel_code, timeout?, …} → its result
//   POST /evaluate/batch {batch_id, tasks: []}
//   GET /status/ID, GET /results/ID
//
// `task_id` is the client's own name for its kernel. `reference_code`, the text of the module, says
// which of our tasks it is, else 422. Fields on how to measure (trials, warm-up, backends) are read
// and not obeyed: all clients are measured alike. Names are remembered per token, the newest
// kMostNames of them, as long as the gate lives; sending the same again finds the same row.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/gate/shapes/errand.hpp"

namespace kbench {

// Clients' names for their evaluations, and the evaluations behind them.
class KernelGymNames {
 public:
  static constexpr std::size_t kMostNames = 16384;

  // Notes a name that was sent and not answered yet; a name that is known already stays what it is.
  void expect(const std::string& client, const std::string& name);
  // A refused request has no evaluation: its answer is kept instead.
  void put(const std::string& client, const std::string& name, const OrderOutcome& outcome);
  // Forgets a name that was expected: its request was no order, and never had the name.
  void forget_expected(const std::string& client, const std::string& name);
  // The id of the evaluation, or the outcome without one; nothing for an unknown name.
  struct Named {
    std::string id;
    std::optional<OrderOutcome> without_id;
  };
  [[nodiscard]] const Named* find(const std::string& client, const std::string& name) const;

 private:
  using Key = std::pair<std::string, std::string>;
  std::map<Key, Named> names_;
  std::deque<Key> order_;  // oldest first
};

// `names` outlives the errand. Errors: kBadInput.
[[nodiscard]] Result<Errand> kernelgym_errand(const Json& body, const Client& client,
                                              KernelGymNames& names);
[[nodiscard]] Result<Errand> kernelgym_batch_errand(const Json& body, const Client& client,
                                                    KernelGymNames& names);
// Errors: kNotFound for an unknown name.
[[nodiscard]] Result<Errand> kernelgym_status_errand(const std::string& name, const Client& client,
                                                     const KernelGymNames& names);
[[nodiscard]] Result<Errand> kernelgym_results_errand(const std::string& name, const Client& client,
                                                      const KernelGymNames& names);

// One result, as its clients read it: {task_id, status, compiled, correctness, decoy_kernel,
// reference_runtime, kernel_runtime, speedup, metadata, error_message, …}. Runtimes in
// milliseconds. "completed" was judged; "failed" was not, by a fault of ours.
[[nodiscard]] Json kernelgym_result(const std::string& name, const OrderOutcome& outcome);

}  // namespace kbench
