#include "runner/options/man_page.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace kbench {
namespace {

// The code point that begins at `at`, which is moved behind it. Help is UTF-8 of ours.
std::uint32_t next_code_point(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at++);
  if (first < 0x80) return first;
  std::uint32_t code = first >= 0xf0   ? first & 0x07u
                       : first >= 0xe0 ? first & 0x0fu
                                       : first & 0x1fu;
  while (at < text.size() && (byte(at) & 0xc0u) == 0x80) code = code << 6 | (byte(at++) & 0x3fu);
  return code;
}

// Text of which nothing is a request, an escape or a hyphen that would not paste.
std::string escaped(std::string_view text) {
  std::string safe;
  for (std::size_t at = 0; at < text.size();) {
    const std::uint32_t code = next_code_point(text, at);
    if (code == '\\')
      safe += "\\e";
    else if (code == '-')
      safe += "\\-";
    else if (code == '\'')
      safe += "\\(aq";
    else if (code == '`')
      safe += "\\(ga";
    else if (code == '^')
      safe += "\\(ha";
    else if (code == '~')
      safe += "\\(ti";
    else if (code == '"')
      safe += "\\(dq";
    else if (code >= 0x80)
      safe += fmt::format("\\[u{:04X}]", code);
    else
      safe += static_cast<char>(code);
  }
  return safe.starts_with('.') ? "\\&" + safe : safe;
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return line;
}

// Lines that are indented, or in columns, stay as they are; others flow, with a paragraph for each
// blank line between them.
class Prose {
 public:
  std::string take(std::string_view text) {
    while (!text.empty()) add(take_line(text));
    as_is(false);
    return std::move(out_);
  }

 private:
  void add(std::string_view line) {
    if (line.empty()) {
      as_is(false);
      gap_ = true;
      return;
    }
    const bool indented = line.starts_with("  ");
    // A synopsis of options: "--fail-on fails      exit code 4 …".
    const bool table = line.starts_with("--");
    if (gap_ && !indented && !as_is_) out_ += ".PP\n";
    as_is(indented || table);
    gap_ = false;
    out_ += escaped(indented ? line.substr(2) : line) + "\n";
  }

  void as_is(bool wanted) {
    if (wanted == as_is_) return;
    if (wanted && !out_.empty() && !out_.ends_with(".PP\n")) out_ += ".PP\n";
    out_ += wanted ? ".in +4n\n.nf\n" : ".fi\n.in\n";
    gap_ = !wanted;
    as_is_ = wanted;
  }

  std::string out_;
  bool as_is_ = false;
  bool gap_ = false;
};

std::string prose(std::string_view text) { return Prose().take(text); }

// Lines that are continued under others, as one paragraph.
std::string flowing(std::string_view text) {
  std::string made;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    made += escaped(line) + "\n";
  }
  return made;
}

// The footer without the lines with which every command ends.
std::string_view own_footer(const CommandEntry& command, std::string_view exit_codes) {
  std::string_view footer = command.footer;
  if (const std::size_t at = footer.find(exit_codes); at != footer.npos)
    footer = footer.substr(0, at);
  while (footer.ends_with('\n')) footer.remove_suffix(1);
  return footer;
}

std::string tag_of(const OptionEntry& option) {
  if (option.names.empty()) return fmt::format("\\fI{}\\fR", escaped(option.place));
  std::string tag;
  for (const std::string& name : option.names)
    tag += fmt::format("{}\\fB{}\\fR", tag.empty() ? "" : ", ", escaped(name));
  if (option.takes_value()) tag += fmt::format(" \\fI{}\\fR", escaped(option.value));
  return tag;
}

// "kbench tag [RUN] [NAME] [options]".
std::string usage_of(const CommandEntry& command) {
  std::string line = fmt::format("\\fBkbench {}\\fR", escaped(command.name));
  for (const OptionEntry& option : command.options)
    if (!option.place.empty()) line += fmt::format(" [\\fI{}\\fR]", escaped(option.place));
  if (!command.commands.empty()) line += " \\fICOMMAND\\fR";
  return line + " [\\fIoptions\\fR]\n";
}

std::string options_of(const CommandEntry& command) {
  std::string text;
  for (const OptionEntry& option : command.options)
    text += fmt::format(".TP\n{}\n{}\n", tag_of(option), escaped(option.help));
  return text;
}

std::string section_of(const CommandEntry& command, std::string_view exit_codes) {
  std::string text = fmt::format(".SS kbench {}\n{}.\n.PP\n{}", escaped(command.name),
                                 escaped(command.help), usage_of(command));
  if (!command.commands.empty()) return text;  // its commands have sections of their own
  text += options_of(command);
  if (const std::string_view footer = own_footer(command, exit_codes); !footer.empty())
    text += ".PP\n" + prose(footer);
  return text;
}

}  // namespace

std::string man_page(const CommandEntry& top, const ManPageFacts& facts) {
  std::string page = fmt::format(
      ".\\\" Made by `kbench man`.\n"
      ".TH KBENCH 1 {} \"kbench {}\" \"User Commands\"\n"
      ".SH NAME\n"
      "kbench \\- check kernels and measure how much faster they are than PyTorch\n"
      ".SH SYNOPSIS\n"
      "\\fBkbench\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n"
      ".SH DESCRIPTION\n{}",
      facts.date, facts.version, prose(top.help));
  page += ".SH OPTIONS\n" + options_of(top);
  page += ".SH COMMANDS\n";
  for (const CommandEntry* command : all_commands(top))
    if (command != &top) page += section_of(*command, facts.exit_codes);
  page += ".SH EXIT STATUS\n" + flowing(facts.exit_codes);
  page += ".SH EXAMPLES\n";
  std::string_view examples = own_footer(top, facts.exit_codes);
  take_line(examples);  // "Examples:"
  page += prose(examples);
  return page;
}

}  // namespace kbench
