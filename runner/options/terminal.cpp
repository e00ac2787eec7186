#include "runner/options/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "runner/os/environment.hpp"

namespace kbench {
namespace {

int escape_number(Color color) {
  switch (color) {
    case Color::kRed: return 31;
    case Color::kGreen: return 32;
    case Color::kYellow: return 33;
    case Color::kCyan: return 36;
    case Color::kBold: return 1;
    case Color::kDim: return 2;
  }
  return 0;
}

}  // namespace

TerminalEnvironment terminal_environment() {
  TerminalEnvironment environment;
  const auto force = environment_variable("FORCE_COLOR");
  environment.no_color = !environment_variable("NO_COLOR").empty();
  environment.force_color = !force.empty() && force != "0";
  environment.term = environment_variable("TERM");
  return environment;
}

bool use_color(ColorMode mode, const TerminalEnvironment& environment, bool is_tty) {
  if (mode == ColorMode::kAlways) return true;
  if (mode == ColorMode::kNever || environment.no_color) return false;
  if (environment.force_color) return true;
  return is_tty && environment.term != "dumb" && !environment.term.empty();
}

std::string Terminal::paint(Color color_name, std::string_view text) const {
  if (!color) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", escape_number(color_name), text);
}

Terminal inspect_terminal(int descriptor, ColorMode mode) {
  Terminal terminal;
  const TerminalEnvironment environment = terminal_environment();
  // A terminal that calls itself dumb gets plain lines: it would show the escapes that erase a
  // line.
  terminal.is_tty = ::isatty(descriptor) == 1 && environment.term != "dumb";
  terminal.color = use_color(mode, environment, terminal.is_tty);
  winsize window{};
  if (terminal.is_tty && ::ioctl(descriptor, TIOCGWINSZ, &window) == 0 && window.ws_col > 0) {
    terminal.columns = window.ws_col;
  }
  return terminal;
}

}  // namespace kbench
