#include "runner/serve/order_queue.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

namespace kbench {

OrderQueue::Push OrderQueue::push(QueuedOrder order) {
  if (entries_.contains(order.id)) return Push::kThere;
  const Push room = room_for(order.order.agent, order.bytes);
  if (room == Push::kTaken) restore(std::move(order));
  return room;
}

OrderQueue::Push OrderQueue::room_for(const std::string& agent, std::size_t bytes) const {
  if (waiting() >= limits_.most || bytes_ + bytes > limits_.most_bytes) return Push::kFull;
  const auto found = load_.find(agent);
  const Load own = found == load_.end() ? Load{} : found->second;
  const bool too_many =
      own.orders >= limits_.most_of_one || own.bytes + bytes > limits_.most_bytes_of_one;
  return too_many ? Push::kTooMany : Push::kTaken;
}

void OrderQueue::restore(QueuedOrder order) {
  std::string id = order.id;
  order.order.files.clear();
  const auto [entry, is_new] = entries_.try_emplace(std::move(id), Entry{std::move(order)});
  if (!is_new) return;
  const QueuedOrder& taken = entry->second.order;
  Load& own = load_[taken.order.agent];
  ++own.orders;
  own.bytes += taken.bytes;
  bytes_ += taken.bytes;
}

std::optional<OrderQueue::State> OrderQueue::state_of(const std::string& id) const {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return std::nullopt;
  return found->second.running ? State::kRunning : State::kQueued;
}

const QueuedOrder* OrderQueue::find(const std::string& id) const {
  const auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : &found->second.order;
}

std::vector<std::string> OrderQueue::waiting_ids() const {
  std::vector<const QueuedOrder*> orders;
  for (const auto& [id, entry] : entries_)
    if (!entry.running) orders.push_back(&entry.order);
  std::sort(orders.begin(), orders.end(),
            [](const QueuedOrder* a, const QueuedOrder* b) { return a->sequence < b->sequence; });
  std::vector<std::string> ids;
  for (const QueuedOrder* order : orders) ids.push_back(order->id);
  return ids;
}

std::vector<std::string> OrderQueue::running_ids() const {
  std::vector<std::string> ids;
  for (const auto& [id, entry] : entries_)
    if (entry.running) ids.push_back(id);
  return ids;
}

// The next order: of the agent that waited longest for a turn, the order that came first.
OrderQueue::Entry* OrderQueue::next(const Order* like) {
  Entry* best = nullptr;
  const auto rank = [&](const Entry& entry) {
    const auto served = served_.find(entry.order.order.agent);
    return std::tuple(served == served_.end() ? 0 : served->second, entry.order.sequence);
  };
  for (auto& [id, entry] : entries_) {
    const Order& order = entry.order.order;
    if (entry.running) continue;
    if (like != nullptr &&
        (order.what != like->what || order.size != like->size || entry.order.tries > 0))
      continue;
    if (best == nullptr || rank(entry) < rank(*best)) best = &entry;
  }
  return best;
}

std::vector<QueuedOrder> OrderQueue::take(std::size_t most) {
  std::vector<QueuedOrder> taken;
  const Order* like = nullptr;
  while (taken.size() < most) {
    Entry* entry = next(like);
    if (entry == nullptr) break;
    entry->running = true;
    ++running_;
    like = &entry->order.order;
    served_[entry->order.order.agent] = ++turn_;
    taken.push_back(entry->order);
    if (entry->order.tries > 0) break;
  }
  return taken;
}

void OrderQueue::finish(const std::string& id) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return;
  const QueuedOrder& order = found->second.order;
  Load& own = load_[order.order.agent];
  --own.orders;
  own.bytes -= order.bytes;
  bytes_ -= order.bytes;
  if (own.orders == 0) load_.erase(order.order.agent);
  if (found->second.running) --running_;
  entries_.erase(found);
}

void OrderQueue::put_back(const std::string& id, bool tried) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return;
  if (std::exchange(found->second.running, false)) --running_;
  if (tried) ++found->second.order.tries;
}

}  // namespace kbench
