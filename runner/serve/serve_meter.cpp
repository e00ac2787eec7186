#include "runner/serve/serve_meter.hpp"

#include <algorithm>

namespace kbench {
namespace {

double seconds(ServeMeter::Clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

void ServeMeter::arrived(const std::string& id) {
  const std::lock_guard lock(mutex_);
  arrived_.try_emplace(id, now_());
}

void ServeMeter::left(const std::string& id, bool judged) {
  const std::lock_guard lock(mutex_);
  arrived_.erase(id);
  ++(judged ? done_ : failed_);
}

void ServeMeter::judge_begins() {
  const std::lock_guard lock(mutex_);
  began_ = last_row_ = now_();
}

void ServeMeter::judge_ends() {
  const std::lock_guard lock(mutex_);
  if (began_) busy_ += now_() - *began_;
  began_.reset();
}

void ServeMeter::row() {
  const std::lock_guard lock(mutex_);
  const auto now = now_();
  rows_time_ += now - last_row_;
  last_row_ = now;
  ++rows_;
}

Json ServeMeter::read(std::span<const std::string> waiting, std::size_t running) const {
  const std::lock_guard lock(mutex_);
  const auto now = now_();
  Clock::duration oldest{};
  for (const std::string& id : waiting)
    if (const auto found = arrived_.find(id); found != arrived_.end())
      oldest = std::max(oldest, now - found->second);
  const auto busy = began_ ? busy_ + (now - *began_) : busy_;
  return {{"queued", waiting.size()},
          {"running", running},
          {"done", done_},
          {"failed", failed_},
          {"oldest_wait_s", seconds(oldest)},
          {"rows", rows_},
          {"row_s", seconds(rows_time_)},
          {"busy", began_.has_value()},
          {"busy_s", seconds(busy)}};
}

}  // namespace kbench
