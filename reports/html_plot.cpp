#include "reports/html_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "reports/fields.hpp"
#include "runner/analysis/speedup.hpp"

namespace kbench {
namespace {

constexpr double kWidth = 720;
constexpr double kLeft = 116;  // room for the names of the sides
constexpr double kRight = 16;
constexpr double kLineHeight = 9;
constexpr double kLaneGap = 14;
constexpr double kAxisHeight = 24;
constexpr std::array kSides{Side::kEager, Side::kCompiled, Side::kSubmission};

double time_of(const Sample& sample) {
  return static_cast<double>(sample.time_ns) / std::max(1, sample.calls);
}

// Logarithmic in time, so that equal ratios are equal distances.
struct Axis {
  double low = 1;
  double high = 2;

  explicit Axis(std::span<const Sample> samples) {
    std::vector<double> times;
    for (const Sample& sample : samples)
      if (sample.time_ns > 0) times.push_back(time_of(sample));
    if (times.empty()) return;
    const auto [least, most] = std::minmax_element(times.begin(), times.end());
    low = *least / 1.03;
    high = *most * 1.03;
  }
  [[nodiscard]] double x(double time) const {
    const double share = std::log(time / low) / std::log(high / low);
    return kLeft + std::clamp(share, 0.0, 1.0) * (kWidth - kLeft - kRight);
  }
};

// Times at 1, 2 and 5 in every decade; where those are fewer than three, six even steps.
std::vector<double> ticks(const Axis& axis) {
  std::vector<double> values;
  for (double decade = std::pow(10, std::floor(std::log10(axis.low))); decade <= axis.high;
       decade *= 10) {
    for (const double step : {1.0, 2.0, 5.0})
      if (decade * step >= axis.low && decade * step <= axis.high) values.push_back(decade * step);
  }
  if (values.size() >= 3) return values;
  values.clear();
  for (int i = 0; i < 6; ++i) values.push_back(axis.low * std::pow(axis.high / axis.low, i / 5.0));
  return values;
}

std::string number(double value) { return fmt::format("{:.1f}", value); }

struct Lane {
  Side side;
  double top = 0;
  double height = 0;
};

class StripPlot {
 public:
  explicit StripPlot(std::span<const Sample> samples) : samples_(samples), axis_(samples) {
    std::set<int> placements;
    for (const Sample& sample : samples) placements.insert(sample.placement);
    for (const int placement : placements)
      line_of_.emplace(placement, static_cast<int>(line_of_.size()));
    for (const Side side : kSides) {
      if (std::none_of(samples.begin(), samples.end(),
                       [side](const Sample& sample) { return sample.side == side; }))
        continue;
      const double height = kLineHeight * static_cast<double>(line_of_.size()) + 6;
      lanes_.push_back({side, bottom_, height});
      bottom_ += height + kLaneGap;
    }
  }

  void write(HtmlWriter& html) const {
    html.open("svg", {{"class", "plot"},
                      {"viewBox", fmt::format("0 0 {} {}", kWidth, number(bottom_ + kAxisHeight))},
                      {"role", "img"},
                      {"aria-label", "Time of every sample by side and placement"}});
    write_axis(html);
    for (const Lane& lane : lanes_) write_lane(html, lane);
    html.close();
  }

 private:
  void write_axis(HtmlWriter& html) const {
    double last_label = -1000;
    for (const double tick : ticks(axis_)) {
      const double x = axis_.x(tick);
      html.open("path",
                {{"class", "grid"}, {"d", fmt::format("M{} 2V{}", number(x), number(bottom_))}})
          .close();
      if (x - last_label < 92 || x > kWidth - 2 * kRight) continue;
      html.element("text", show_ms(tick) + " ms",
                   {{"x", number(x)}, {"y", number(bottom_ + 16)}, {"text-anchor", "middle"}});
      last_label = x;
    }
  }

  // One path for all kept marks of a lane: thousands of samples stay small.
  void write_lane(HtmlWriter& html, const Lane& lane) const {
    std::string kept;
    std::string dropped;
    for (const Sample& sample : samples_) {
      if (sample.side != lane.side || sample.time_ns <= 0) continue;
      const double y = lane.top + 3 + kLineHeight * (line_of_.at(sample.placement) + 0.5);
      std::string& path = sample.dropped ? dropped : kept;
      path += fmt::format("M{} {}h0", number(axis_.x(time_of(sample))), number(y));
    }
    html.open("rect", {{"class", "lane"},
                       {"x", number(kLeft)},
                       {"y", number(lane.top)},
                       {"width", number(kWidth - kLeft - kRight)},
                       {"height", number(lane.height)}})
        .close();
    html.element("text", to_string(lane.side),
                 {{"x", number(kLeft - 8)},
                  {"y", number(lane.top + lane.height / 2 + 4)},
                  {"text-anchor", "end"}});
    html.open("path", {{"class", fmt::format("marks {}", to_string(lane.side))}, {"d", kept}})
        .close();
    if (!dropped.empty()) html.open("path", {{"class", "marks dropped"}, {"d", dropped}}).close();
    if (const std::optional<double> median = median_time_ns(samples_, lane.side)) {
      html.open("path", {{"class", "median"},
                         {"d", fmt::format("M{} {}v{}", number(axis_.x(*median)),
                                           number(lane.top - 3), number(lane.height + 6))}})
          .close();
    }
  }

  std::span<const Sample> samples_;
  Axis axis_;
  std::map<int, int> line_of_;  // by placement
  std::vector<Lane> lanes_;
  double bottom_ = 6;
};

}  // namespace

void write_strip_plot(HtmlWriter& html, std::span<const Sample> samples) {
  if (!samples.empty()) StripPlot(samples).write(html);
}

}  // namespace kbench
