#include "reports/page/page_samples.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

constexpr std::array kSides{Side::kEager, Side::kCompiled, Side::kSubmission};

std::int64_t call_ns(const Sample& sample) {
  return std::llround(static_cast<double>(sample.time_ns) / std::max(1, sample.calls));
}

// A block is one of an attempt: numbers may begin anew in the next.
using BlockKey = std::pair<int, int>;

class Writer {
 public:
  explicit Writer(const std::vector<Sample>& samples) {
    for (const Sample& sample : samples)
      blocks_.try_emplace(key(sample), Place{0, sample.placement});
    std::size_t position = 0;
    for (auto& [block, place] : blocks_) place.position = position++;
    for (const Sample& sample : samples) add(sample);
  }

  [[nodiscard]] Json take() {
    Json sessions = Json::array();
    Json numbers = Json::array();
    bool counted = true;
    for (const auto& [block, place] : blocks_) {
      counted = counted && block.second == static_cast<int>(place.position);
      sessions.push_back(place.session);
      numbers.push_back(block.second);
    }
    Json made = {{"session", std::move(sessions)}};
    if (!counted) made["block"] = std::move(numbers);
    for (const auto& [side, times] : times_) made[std::string(to_string(side))] = shortened(times);
    if (dropped_.empty()) return made;
    made["dropped"] = std::move(dropped_);
    made["reasons"] = reasons_;
    return made;
  }

 private:
  struct Place {
    std::size_t position = 0;
    int session = 0;
  };
  using Visits = std::vector<std::int64_t>;

  static BlockKey key(const Sample& sample) { return {sample.attempt, sample.block}; }

  void add(const Sample& sample) {
    const std::size_t position = blocks_.at(key(sample)).position;
    std::vector<Visits>& times = times_[sample.side];
    times.resize(blocks_.size());
    times[position].push_back(call_ns(sample));
    if (!sample.dropped) return;
    dropped_.push_back(
        {to_string(sample.side), position, times[position].size() - 1, reason(sample.drop_reason)});
  }

  std::size_t reason(const std::string& text) {
    const std::string clean = sanitize_line(text);
    const auto found = std::find(reasons_.begin(), reasons_.end(), clean);
    if (found != reasons_.end()) return static_cast<std::size_t>(found - reasons_.begin());
    reasons_.push_back(clean);
    return reasons_.size() - 1;
  }

  static Json shortened(const std::vector<Visits>& times) {
    Json list = Json::array();
    for (const Visits& visits : times)
      list.push_back(visits.empty() ? Json() : visits.size() == 1 ? Json(visits[0]) : Json(visits));
    return list;
  }

  std::map<BlockKey, Place> blocks_;
  std::map<Side, std::vector<Visits>> times_;
  std::vector<std::string> reasons_;
  Json dropped_ = Json::array();
};

Json alone_json(const std::vector<Sample>& samples) {
  Json alone = Json::object();
  for (const Side side : kSides) {
    for (const Sample& sample : samples)
      if (sample.side == side && !sample.dropped)
        alone[std::string(to_string(side))].push_back(call_ns(sample));
  }
  return alone;
}

}  // namespace

Json samples_json(const Evaluation& evaluation) {
  if (evaluation.samples.empty()) return {};
  Json made = Writer(evaluation.samples).take();
  if (Json alone = alone_json(evaluation.alone); !alone.empty()) made["alone"] = std::move(alone);
  return made;
}

}  // namespace kbench
