// Progress on standard error: a single line that erases itself on a terminal, plain lines
// elsewhere. The only code that writes progress or moves the cursor. Results never pass through
// here. Not safe for use from several threads at once; the commands drive it from their main loop.
#pragma once

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/progress_sink.hpp"
#include "runner/options/terminal.hpp"

namespace kbench {

class Progress final : public ProgressSink {
 public:
  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  // `verbosity`: -1 quiet, 0 normal, 1 and above verbose. `stream` is not owned and outlives this.
  Progress(
      std::FILE* stream, Terminal terminal, int verbosity,
      Clock clock = [] { return std::chrono::steady_clock::now(); });
  Progress(ColorMode color, int verbosity);  // it writes to standard error
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() override;  // erases the line

  // Shown on a terminal, and elsewhere when verbose.
  void step(std::string_view what) override;
  // Redraws the line (elapsed time, ETA); on a terminal at most ten times a second.
  void tick() override;
  // A lasting line "[3/12] OUTCOME", unless quiet.
  void item_done(std::string_view outcome) override;
  // The same for an item that failed: when it ended says nothing of those to come.
  void item_failed(std::string_view outcome);
  void begin(std::string phase, std::vector<double> expected_seconds) override;
  void item(std::size_t index, std::string_view name) override;
  // Erases the line.
  void end() override;

  // Lasting lines that leave the progress line intact. `note` is silent when quiet, `detail` unless
  // verbose; `warn` always prints.
  void note(std::string_view text) override;
  void detail(std::string_view text) override;
  void warn(std::string_view text) override;

  // Expected seconds to the end of the phase, 0 when nothing is known. It learns: how much longer
  // than expected the items took that have ended stretches those to come.
  [[nodiscard]] double remaining_seconds() const;

 private:
  void item_ended(std::string_view outcome);
  void erase();
  void draw();
  void print_line(const std::string& text);
  [[nodiscard]] std::string status_text() const;
  [[nodiscard]] double expected_of(std::size_t index) const;

  std::FILE* stream_;
  Terminal terminal_;
  int verbosity_;
  Clock clock_;

  bool active_ = false;
  bool drawn_ = false;
  std::string phase_;
  std::vector<double> expected_;
  double expected_in_all_ = 0;  // expected time of the phase, when it began
  double expected_so_far_ = 0;  // expected time of the items that have ended
  double took_so_far_ = 0;
  std::size_t ended_ = 0;
  std::size_t index_ = 0;
  bool in_item_ = false;
  std::string item_;
  std::string step_;
  std::chrono::steady_clock::time_point item_started_;
  std::chrono::steady_clock::time_point last_drawn_;
};

// Shows what tells only how many are done of all.
[[nodiscard]] std::function<void(std::size_t done, std::size_t all)> counting(
    ProgressSink& progress, std::string phase);

// "4 s", "2 min 05 s", "1 h 02 min".
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace kbench
