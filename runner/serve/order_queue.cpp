#include "runner/serve/order_queue.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace kbench {

OrderQueue::Push OrderQueue::push(QueuedOrder order) {
  if (entries_.contains(order.id)) return Push::kThere;
  const Push room = room_for(order.order.agent);
  if (room == Push::kTaken) restore(std::move(order));
  return room;
}

OrderQueue::Push OrderQueue::room_for(const std::string& agent) const {
  if (waiting() >= limits_.most) return Push::kFull;
  return count_of(agent) >= limits_.most_of_one ? Push::kTooMany : Push::kTaken;
}

void OrderQueue::restore(QueuedOrder order) {
  std::string id = order.id;
  entries_.try_emplace(std::move(id), Entry{std::move(order)});
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

std::size_t OrderQueue::waiting() const {
  return static_cast<std::size_t>(std::count_if(
      entries_.begin(), entries_.end(), [](const auto& entry) { return !entry.second.running; }));
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

std::size_t OrderQueue::count_of(const std::string& agent) const {
  return static_cast<std::size_t>(
      std::count_if(entries_.begin(), entries_.end(),
                    [&](const auto& entry) { return entry.second.order.order.agent == agent; }));
}

// Whoever waited longest for a turn, and of those the order that came first.
OrderQueue::Entry* OrderQueue::next(const Order* like) {
  Entry* best = nullptr;
  const auto rank = [&](const Entry& entry) {
    const auto served = served_.find(entry.order.order.agent);
    return std::tuple(served == served_.end() ? 0 : served->second, entry.order.sequence);
  };
  for (auto& [id, entry] : entries_) {
    const Order& order = entry.order.order;
    if (entry.running) continue;
    if (like != nullptr && (order.what != like->what || order.size != like->size)) continue;
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
    like = &entry->order.order;
    served_[entry->order.order.agent] = ++turn_;
    taken.push_back(entry->order);
  }
  return taken;
}

void OrderQueue::finish(const std::string& id) { entries_.erase(id); }

void OrderQueue::put_back(const std::string& id, bool tried) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return;
  found->second.running = false;
  if (tried) ++found->second.order.tries;
}

}  // namespace kbench
