#include "runner/pool/publish_pace.hpp"

#include <algorithm>
#include <utility>

namespace kbench {
namespace {

constexpr int kShare = 20;  // one part of so many, of the time and of the rows
constexpr std::chrono::seconds kLongest{60};
constexpr std::size_t kMostWaiting = 256;  // rows with their sources, in memory

}  // namespace

void PublishPace::put(Time begun, Time ended) {
  there_ += std::exchange(waiting_, 0);
  next_ = ended + std::min<Time::duration>(kShare * (ended - begun), kLongest);
}

bool PublishPace::is_due(Time now) const {
  const bool are_enough = waiting_ >= kMostWaiting || waiting_ * kShare >= there_;
  return waiting_ > 0 && (are_enough || now >= next_);
}

}  // namespace kbench
