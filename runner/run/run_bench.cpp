#include "runner/run/run_bench.hpp"

namespace kbench {

LockRequest lock_request_of(const BenchOrder& order, const Installation& installation,
                            const std::string& what, double seconds) {
  return {.installation = &installation,
          .target = &order.plan.target,
          .what = what,
          .wait = !order.terms.no_wait,
          .turn_only = order.request.checks_only,
          .seconds = seconds,
          .progress = &order.progress,
          .waits = order.terms.waits,
          .is_needless = order.terms.gives_up};
}

}  // namespace kbench
