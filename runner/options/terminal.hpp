// The kinds of the standard streams and their colours: decided here and nowhere else. Built once by
// main and passed down.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace kbench {

enum class ColorMode { kAuto, kAlways, kNever };

// The environment variables that count, read once, so that the decision is a pure function.
struct TerminalEnvironment {
  bool no_color = false;     // NO_COLOR set and not empty (no-color.org)
  bool force_color = false;  // FORCE_COLOR set, not empty and not "0"
  std::string term;          // TERM
};
[[nodiscard]] TerminalEnvironment terminal_environment();

// --color wins, then NO_COLOR, then FORCE_COLOR, then whether the stream is a terminal that can.
[[nodiscard]] bool use_color(ColorMode mode, const TerminalEnvironment& environment, bool is_tty);

enum class Color { kRed, kGreen, kYellow, kCyan, kBold, kDim };

// One output stream's abilities.
struct Terminal {
  bool is_tty = false;  // a terminal that can move its cursor
  bool color = false;
  std::size_t columns = 80;

  [[nodiscard]] std::string paint(Color color_name, std::string_view text) const;
};

// Abilities of the stream behind a descriptor (1 or 2).
[[nodiscard]] Terminal inspect_terminal(int descriptor, ColorMode mode);

}  // namespace kbench
