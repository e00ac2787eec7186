#include "runner/judge/judge_pool.hpp"

#include <utility>

#include "runner/pool/space_terms.hpp"
#include "runner/store/rows/tag.hpp"

namespace kbench {

JudgePool::JudgePool(PoolOrder order, Exchange exchange, std::string unfit)
    : order_(std::move(order)),
      space_(exchange.space(order_.group)),
      collector_(std::move(exchange), order_.group, order_.database, order_.key),
      unfit_(std::move(unfit)) {}

Result<JudgePool> JudgePool::join(PoolOrder order) {
  if (const Status named = check_tag_name(order.group); !named) return named.error();
  if (const Status free = check_space_name(order.group); !free) return free.error();
  auto exchange = Exchange::open_with_key_of(order.state, order.exchange);
  if (!exchange) return exchange.error();
  const Status agreed = agree_on_terms(exchange->space(order.group), order.group, order.terms);
  const bool differs = !agreed && agreed.error().code == ErrorCode::kUsage;
  if (!agreed && !differs) return agreed.error();
  return JudgePool(std::move(order), std::move(*exchange), differs ? agreed.error().message : "");
}

Result<bool> JudgePool::bring(const std::string& key) {
  const auto winner = space_.keys().find(key);
  if (!winner) return false;
  const Status brought = collector_.bring(*winner);
  if (brought) return true;
  if (brought.error().code == ErrorCode::kBadInput) return false;
  return brought.error();
}

}  // namespace kbench
