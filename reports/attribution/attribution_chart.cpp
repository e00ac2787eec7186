#include "reports/attribution/attribution_chart.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "reports/attribution/attribution_words.hpp"
#include "reports/facts/sanitize.hpp"
#include "reports/page/html_writer.hpp"
#include "runner/attribution/analysis.hpp"

namespace kbench {
namespace {

// Width in pixels. A phone of 390 has 358 for it.
constexpr double kWidth = 352;
constexpr double kMargin = 12;  // left and right of the axis
constexpr double kRowHeight = 44;
constexpr double kTextLine = 14;  // height in a row of the text's base and the whisker's middle
constexpr double kMarkLine = 29;
constexpr double kAxisHeight = 24;
constexpr double kCap = 4;  // half of a whisker's end
constexpr double kRadius = 4;
constexpr double kMarkWidth = 120;
constexpr double kMarkHeight = 20;

// Widths of letters at the chart's size in DejaVu Sans, which is wide for a font of its kind.
constexpr double kColumn = 7.7;
constexpr double kBroadLetter = 12;
constexpr double kTextGap = 8;
constexpr double kWidestValue = 190;  // beside a name and a word; wider ones go without interval
constexpr std::size_t kLongestName = 40;
constexpr std::size_t kLeastName = 8;
constexpr double kMostTicks = 5;

std::string pixels(double value) { return fmt::format("{:.1f}", value); }

// Upper bound of the width at which a text is shown.
double width_of(std::string_view text) {
  const auto broad = std::count_if(text.begin(), text.end(), [](char letter) {
    return std::string_view("mMwW@%").find(letter) != std::string_view::npos;
  });
  return kColumn * static_cast<double>(display_width(text)) +
         (kBroadLetter - kColumn) * static_cast<double>(broad);
}

// Name and word of a row beside `value`.
std::string label_of(const ChartRow& row, std::string_view value) {
  const double room = kWidth - kTextGap - width_of(value) - width_of(": " + row.word);
  std::size_t columns = kLongestName;
  while (columns > kLeastName && width_of(shorten(row.name, columns)) > room) --columns;
  return shorten(row.name, columns) + ": " + row.word;
}

class Scale {
 public:
  Scale(const EstimateAxis& axis, double start, double end)
      : axis_(axis), start_(start), end_(end) {}

  [[nodiscard]] double at(double value) const {
    return start_ + (value - axis_.low) / (axis_.high - axis_.low) * (end_ - start_);
  }

 private:
  EstimateAxis axis_;
  double start_;
  double end_;
};

void write_line(HtmlWriter& html, std::string_view kind, double x1, double y1, double x2,
                double y2) {
  html.element("line", "",
               {{"x1", pixels(x1)},
                {"y1", pixels(y1)},
                {"x2", pixels(x2)},
                {"y2", pixels(y2)},
                {"class", std::string(kind)}});
}

void write_text(HtmlWriter& html, double x, double y, std::string_view anchor,
                const std::string& text, std::string_view kind) {
  html.element("text", text,
               {{"x", pixels(x)},
                {"y", pixels(y)},
                {"text-anchor", std::string(anchor)},
                {"class", std::string(kind)}});
}

void open_chart(HtmlWriter& html, double width, double height, HtmlWriter::Attributes more) {
  more.insert(more.end(), {{"viewBox", fmt::format("0 0 {:.0f} {:.0f}", width, height)},
                           {"width", fmt::format("{:.0f}", width)},
                           {"height", fmt::format("{:.0f}", height)},
                           {"class", "chart"}});
  html.open("svg", more);
}

// The interval that the whisker spans.
std::optional<ConfidenceInterval> span_of(const Estimate& estimate) {
  if (estimate.bound) return ConfidenceInterval{-*estimate.bound, *estimate.bound};
  return estimate.interval;
}

void write_whisker(HtmlWriter& html, const Estimate& estimate, const Scale& scale, double y) {
  if (const auto span = span_of(estimate)) {
    write_line(html, "whisker", scale.at(span->low), y, scale.at(span->high), y);
    for (const double end : {span->low, span->high})
      write_line(html, "whisker", scale.at(end), y - kCap, scale.at(end), y + kCap);
  }
  if (!estimate.bound)
    html.element("circle", "",
                 {{"cx", pixels(scale.at(estimate.mean))},
                  {"cy", pixels(y)},
                  {"r", pixels(kRadius)},
                  {"class", "middle"}});
}

// The step of the axis: 1, 2 or 5 times a power of ten, so that the numbers along the axis do not
// meet.
double tick_step(const EstimateAxis& axis) {
  const double widest =
      std::max(width_of(signed_words(axis.low)), width_of(signed_words(axis.high))) + kTextGap;
  const double ticks = std::clamp((kWidth - 2 * kMargin) / widest, 1.0, kMostTicks);
  const double rough = (axis.high - axis.low) / ticks;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double times : {1.0, 2.0, 5.0})
    if (times * power >= rough) return times * power;
  return 10 * power;
}

// Writes a tick's number below its place on the axis, but within the chart.
void write_tick(HtmlWriter& html, double x, double y, const std::string& text) {
  const double half = width_of(text) / 2;
  if (x + half > kWidth)
    write_text(html, kWidth, y, "end", text, "label");
  else
    write_text(html, std::max(x, half), y, "middle", text, "label");
}

void write_axis(HtmlWriter& html, const EstimateAxis& axis, const Scale& scale, double bottom) {
  const double step = tick_step(axis);
  // 0 is on the axis, so these are small.
  const auto last = static_cast<int>(std::floor(axis.high / step));
  for (auto number = static_cast<int>(std::ceil(axis.low / step)); number <= last; ++number) {
    const double x = scale.at(number * step);
    write_line(html, number == 0 ? "one" : "grid", x, 0, x, bottom);
    write_tick(html, x, bottom + kTextLine, signed_words(number * step));
  }
}

// The effects that count as small.
void write_small_band(HtmlWriter& html, const Scale& scale, double height) {
  const double left = scale.at(-kSmallEffect);
  html.element("rect", "",
               {{"x", pixels(left)},
                {"y", "0"},
                {"width", pixels(scale.at(kSmallEffect) - left)},
                {"height", pixels(height)},
                {"class", "track"}});
}

void write_row(HtmlWriter& html, const ChartRow& row, const Scale& scale, double top) {
  std::string value = estimate_cell(row.estimate);
  if (width_of(value) > kWidestValue) value = signed_words(row.estimate.mean);
  write_text(html, 0, top + kTextLine, "start", label_of(row, value), "name halo");
  write_text(html, kWidth, top + kTextLine, "end", value, "value halo");
  write_whisker(html, row.estimate, scale, top + kMarkLine);
}

}  // namespace

EstimateAxis axis_of(const std::vector<Estimate>& estimates) {
  EstimateAxis axis{-kSmallEffect, kSmallEffect};
  const auto widen = [&](double value) {
    axis.low = std::min(axis.low, value);
    axis.high = std::max(axis.high, value);
  };
  for (const Estimate& estimate : estimates) {
    if (!estimate.bound) widen(estimate.mean);
    if (const auto span = span_of(estimate)) {
      widen(span->low);
      widen(span->high);
    }
  }
  return axis;
}

void write_estimate_chart(HtmlWriter& html, const std::string& name,
                          const std::vector<ChartRow>& rows) {
  std::vector<Estimate> estimates;
  for (const ChartRow& row : rows) estimates.push_back(row.estimate);
  const EstimateAxis axis = axis_of(estimates);
  const Scale scale(axis, kMargin, kWidth - kMargin);
  const double bottom = kRowHeight * static_cast<double>(rows.size());
  open_chart(html, kWidth, bottom + kAxisHeight, {{"role", "img"}, {"aria-label", name}});
  write_small_band(html, scale, bottom);
  write_axis(html, axis, scale, bottom);
  for (std::size_t at = 0; at < rows.size(); ++at)
    write_row(html, rows[at], scale, kRowHeight * static_cast<double>(at));
  html.close();
}

void write_estimate_mark(HtmlWriter& html, const Estimate& estimate, const EstimateAxis& axis) {
  const Scale scale(axis, kRadius + 1, kMarkWidth - kRadius - 1);
  open_chart(html, kMarkWidth, kMarkHeight, {{"aria-hidden", "true"}});
  write_line(html, "one", scale.at(0), 0, scale.at(0), kMarkHeight);
  write_whisker(html, estimate, scale, kMarkHeight / 2);
  html.close();
}

}  // namespace kbench
