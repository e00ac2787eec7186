#include "runner/print/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "reports/facts/sanitize.hpp"
#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

constexpr std::chrono::milliseconds kRedrawInterval{100};

double seconds_between(std::chrono::steady_clock::time_point from,
                       std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

// Unknown durations become the mean of the known ones.
std::vector<double> fill_unknown(std::vector<double> seconds) {
  double sum = 0;
  double known = 0;
  for (const double value : seconds) {
    if (value > 0) {
      sum += value;
      ++known;
    }
  }
  for (double& value : seconds) {
    if (!(value > 0)) value = known > 0 ? sum / known : 0;
  }
  return seconds;
}

// An item by its name and its step, in so many columns. The name gives way first: it stands in the
// item's lasting line, too.
std::string fit_item(const std::string& item, const std::string& step, std::size_t columns) {
  constexpr std::size_t kLeastOfName = 12;
  const std::string what = step.empty() ? "" : ": " + step;
  const std::size_t taken = display_width(what);
  const std::size_t left = columns > taken ? columns - taken : 0;
  return shorten(shorten(item, std::max(left, kLeastOfName)) + what, columns);
}

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<long long>(std::llround(std::max(0.0, seconds)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::function<void(std::size_t, std::size_t)> counting(ProgressSink& progress, std::string phase) {
  return [&progress, phase = std::move(phase)](std::size_t done, std::size_t all) {
    if (done == 0) progress.begin(phase, std::vector<double>(all, 1.0));
    progress.item(done, "");
    progress.tick();
  };
}

Progress::Progress(std::FILE* stream, Terminal terminal, int verbosity, Clock clock)
    : stream_(stream), terminal_(terminal), verbosity_(verbosity), clock_(std::move(clock)) {}

Progress::Progress(ColorMode color, int verbosity)
    : Progress(stderr, inspect_terminal(STDERR_FILENO, color), verbosity) {}

Progress::~Progress() { erase(); }

void Progress::begin(std::string phase, std::vector<double> expected_seconds) {
  end();
  active_ = true;
  phase_ = std::move(phase);
  expected_ = fill_unknown(std::move(expected_seconds));
  expected_in_all_ = std::accumulate(expected_.begin(), expected_.end(), 0.0);
  expected_so_far_ = took_so_far_ = 0;
  ended_ = 0;
  index_ = 0;
  in_item_ = false;
  item_started_ = clock_();
  if (!terminal_.is_tty && verbosity_ >= 0) {
    const auto eta = remaining_seconds();
    print_line(fmt::format("{}: {} {}{}", phase_, expected_.size(),
                           expected_.size() == 1 ? "item" : "items",
                           eta > 0 ? fmt::format(", about {}", duration_text(eta)) : ""));
  }
  draw();
}

void Progress::item(std::size_t index, std::string_view name) {
  index_ = index;
  in_item_ = true;
  item_ = printable(name);
  step_.clear();
  item_started_ = clock_();
  draw();
}

void Progress::step(std::string_view what) {
  step_ = printable(what);
  if (!terminal_.is_tty && verbosity_ > 0) print_line(fmt::format("  {}: {}", item_, step_));
  draw();
}

void Progress::tick() {
  if (terminal_.is_tty && clock_() - last_drawn_ >= kRedrawInterval) draw();
}

void Progress::item_done(std::string_view outcome) {
  if (in_item_ && index_ < expected_.size()) {
    expected_so_far_ += expected_[index_];
    took_so_far_ += seconds_between(item_started_, clock_());
    ++ended_;
  }
  item_ended(outcome);
}

void Progress::item_failed(std::string_view outcome) { item_ended(outcome); }

void Progress::item_ended(std::string_view outcome) {
  if (verbosity_ >= 0) print_line(fmt::format("[{}/{}] {}", index_ + 1, expected_.size(), outcome));
  ++index_;
  in_item_ = false;
  item_.clear();
  step_.clear();
  draw();
}

void Progress::end() {
  erase();
  active_ = false;
}

void Progress::note(std::string_view text) {
  if (verbosity_ >= 0) print_line(printable(text));
}

void Progress::detail(std::string_view text) {
  if (verbosity_ > 0) print_line(printable(text));
}

void Progress::warn(std::string_view text) {
  print_line(fmt::format("{} {}", terminal_.paint(Color::kYellow, "warning:"), printable(text)));
}

double Progress::expected_of(std::size_t index) const {
  // For an item of which nothing was known: as long as those before it took.
  if (!(expected_[index] > 0)) return ended_ > 0 ? took_so_far_ / static_cast<double>(ended_) : 0;
  // The estimate is as if a quarter of the phase had gone as expected, so that one odd item does
  // not decide.
  const double prior = expected_in_all_ / 4;
  return expected_[index] * (prior + took_so_far_) / (prior + expected_so_far_);
}

double Progress::remaining_seconds() const {
  double sum = 0;
  for (std::size_t i = index_; i < expected_.size(); ++i) sum += expected_of(i);
  if (!in_item_ || index_ >= expected_.size()) return sum;
  // An item that takes longer than expected does not eat into those after it.
  return sum - std::min(expected_of(index_), seconds_between(item_started_, clock_()));
}

std::string Progress::status_text() const {
  constexpr std::size_t kGap = 2;
  // One column is left free: writing the last one wraps on some terminals.
  const std::size_t columns = terminal_.columns > 1 ? terminal_.columns - 1 : 1;
  const std::string count =
      fmt::format("{} {}/{}", phase_, std::min(index_ + 1, expected_.size()), expected_.size());
  const double eta = remaining_seconds();
  const std::string rest = eta > 0 ? fmt::format("  about {} left", duration_text(eta)) : "";
  const std::size_t taken = display_width(count) + display_width(rest) + kGap;
  std::string item = columns > taken ? fit_item(item_, step_, columns - taken) : "";
  if (!item.empty()) item.insert(0, kGap, ' ');
  return shorten(count + item + rest, columns);
}

void Progress::erase() {
  if (!drawn_) return;
  std::fputs("\r\x1b[K", stream_);
  std::fflush(stream_);
  drawn_ = false;
}

void Progress::draw() {
  if (!terminal_.is_tty || verbosity_ < 0 || !active_) return;
  const std::string text = status_text();
  std::fputs(("\r\x1b[K" + text).c_str(), stream_);
  std::fflush(stream_);
  drawn_ = true;
  last_drawn_ = clock_();
}

void Progress::print_line(const std::string& text) {
  const bool redraw = drawn_;
  erase();
  std::fputs((text + "\n").c_str(), stream_);
  std::fflush(stream_);
  if (redraw) draw();
}

}  // namespace kbench
