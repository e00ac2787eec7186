#include "runner/cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include <fmt/format.h>

namespace kbench {
namespace {

std::string environment_text(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

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

// Bytes of the well-formed UTF-8 sequence that starts `text`, 0 where there is none.
std::size_t sequence_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  std::size_t length = 0;
  if (lead < 0x80) length = 1;
  if (lead >= 0xC2 && lead <= 0xDF) length = 2;
  if (lead >= 0xE0 && lead <= 0xEF) length = 3;
  if (lead >= 0xF0 && lead <= 0xF4) length = 4;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 0;
  }
  return length;
}

// C1 controls (U+0080 to U+009F), and the marks that reorder text (U+200E, U+200F, U+202A to
// U+202E, U+2066 to U+2069).
bool is_hidden_control(std::string_view sequence) {
  if (sequence.size() == 2 && sequence[0] == '\xC2') {
    return static_cast<unsigned char>(sequence[1]) < 0xA0;
  }
  if (sequence.size() != 3 || sequence[0] != '\xE2') return false;
  const auto second = static_cast<unsigned char>(sequence[1]);
  const auto third = static_cast<unsigned char>(sequence[2]);
  if (second == 0x80) return third == 0x8E || third == 0x8F || (third >= 0xAA && third <= 0xAE);
  return second == 0x81 && third >= 0xA6 && third <= 0xA9;
}

}  // namespace

TerminalEnvironment terminal_environment() {
  TerminalEnvironment environment;
  const auto force = environment_text("FORCE_COLOR");
  environment.no_color = !environment_text("NO_COLOR").empty();
  environment.force_color = !force.empty() && force != "0";
  environment.term = environment_text("TERM");
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
  terminal.is_tty = ::isatty(descriptor) == 1;
  terminal.color = use_color(mode, terminal_environment(), terminal.is_tty);
  winsize window{};
  if (terminal.is_tty && ::ioctl(descriptor, TIOCGWINSZ, &window) == 0 && window.ws_col > 0) {
    terminal.columns = window.ws_col;
  }
  return terminal;
}

std::string printable(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const auto length = sequence_length(text);
    if (length == 0) {
      clean += '?';
      text.remove_prefix(1);
      continue;
    }
    const auto sequence = text.substr(0, length);
    const auto byte = static_cast<unsigned char>(sequence[0]);
    if (byte == '\t' || byte == '\n') {
      clean += ' ';
    } else if ((length == 1 && (byte < 0x20 || byte == 0x7f)) || is_hidden_control(sequence)) {
      clean += '?';
    } else {
      clean += sequence;
    }
    text.remove_prefix(length);
  }
  return clean;
}

}  // namespace kbench
