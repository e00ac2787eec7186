// Receives the progress of long work: for a terminal, for a log, or to drop it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

class ProgressSink {
 public:
  virtual ~ProgressSink() = default;

  // Starts a phase of items with an expected duration each, in seconds (0 or less: unknown, taken
  // as the mean of the known ones). Ends the phase before it.
  virtual void begin(std::string phase, std::vector<double> expected_seconds) = 0;
  // Item `index` (in order of the expected durations) is being worked on.
  virtual void item(std::size_t index, std::string_view name) = 0;
  // Names the current step of the item.
  virtual void step(std::string_view what) = 0;
  // Time passes. Call often.
  virtual void tick() = 0;
  // The current item ended.
  virtual void item_done(std::string_view outcome) = 0;
  // Ends the phase.
  virtual void end() = 0;

  // Lasting lines: `note` unless quiet, `detail` if verbose, `warn` always.
  virtual void note(std::string_view text) = 0;
  virtual void detail(std::string_view text) = 0;
  virtual void warn(std::string_view text) = 0;
};

}  // namespace kbench
