#include "runner/options/completions.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/core/lines.hpp"

namespace kbench {
namespace {

// The first line, or what of it stands before a remark in brackets: there is little room.
std::string short_help(const std::string& help) {
  std::string line = first_line(help);
  if (const std::size_t bracket = line.find(" ("); bracket != line.npos && bracket > 0)
    line = line.substr(0, bracket);
  return line;
}

std::string replaced(std::string_view text, char what, std::string_view with) {
  std::string made;
  for (const char c : text) {
    if (c == what)
      made += with;
    else
      made += c;
  }
  return made;
}

// The text in single quotes of a POSIX shell.
std::string quoted(const std::string& text) {
  return fmt::format("'{}'", replaced(text, '\'', "'\\''"));
}

// "tasks list" → "tasks", "list" → "list".
std::string last_word(const std::string& name) {
  const std::size_t blank = name.rfind(' ');
  return blank == name.npos ? name : name.substr(blank + 1);
}

std::vector<std::string> names_of(const CommandEntry& command) {
  std::vector<std::string> names;
  for (const CommandEntry& sub : command.commands) names.push_back(last_word(sub.name));
  return names;
}

std::vector<const OptionEntry*> places_of(const CommandEntry& command) {
  std::vector<const OptionEntry*> places;
  for (const OptionEntry& option : command.options)
    if (!option.place.empty()) places.push_back(&option);
  return places;
}

std::string command_names(const CommandEntry& top) {
  std::vector<std::string> names;
  for (const CommandEntry* command : all_commands(top))
    if (!command->name.empty()) names.push_back(command->name);
  return fmt::format("'{}'", fmt::join(names, "' '"));
}

// --- bash ---

// The shell statement that completes a value.
std::string bash_action(const OptionEntry& option) {
  if (!option.choices.empty())
    return fmt::format("_kbench_words {}",
                       quoted(fmt::format("{}", fmt::join(option.choices, " "))));
  if (const auto names = option.names_of_value(); !names.empty())
    return fmt::format("_kbench_names {}", names);
  if (option.takes_folder()) return "_kbench_paths -d";
  if (option.takes_file()) return "_kbench_paths -f";
  return "COMPREPLY=()";
}

// "run --device|run --size) …": options that complete alike share a branch.
std::string bash_values(const CommandEntry& top) {
  std::map<std::string, std::vector<std::string>> branches;
  for (const CommandEntry* command : all_commands(top))
    for (const OptionEntry& option : command->options)
      if (option.takes_value() && !option.optional_value)
        for (const std::string& name : option.names)
          branches[bash_action(option)].push_back(quoted(command->name + " " + name));
  std::string text;
  for (const auto& [action, patterns] : branches)
    text += fmt::format("    {})\n      {}\n      return ;;\n", fmt::join(patterns, "|\\\n    "),
                        action);
  return text;
}

std::string bash_command(const CommandEntry& command) {
  std::vector<std::string> options;
  for (const OptionEntry& option : command.options)
    options.insert(options.end(), option.names.begin(), option.names.end());
  std::vector<std::string> words = names_of(command);
  bool files = false;
  std::string_view names;
  for (const OptionEntry* place : places_of(command)) {
    words.insert(words.end(), place->choices.begin(), place->choices.end());
    files |= place->takes_file();
    if (names.empty()) names = place->names_of_value();
  }
  return fmt::format(
      "    {})\n      options={}\n      words={}\n      files={}\n      names={} ;;\n",
      quoted(command.name), quoted(fmt::format("{}", fmt::join(options, " "))),
      quoted(fmt::format("{}", fmt::join(words, " "))), files ? "yes" : "", names);
}

constexpr const char* kBash = R"sh(# bash completion for kbench, made by `kbench completions bash`:
#   source <(kbench completions bash)

_kbench_words() {{
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current")
}}

_kbench_paths() {{
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen "$1" -- "$current")
}}

# Of the suite or the database that the line names, or that is usual here.
_kbench_names() {{
  _kbench_words "$("${{COMP_WORDS[0]}}" names "$1" -- "${{COMP_WORDS[@]:1:COMP_CWORD-1}}" 2>/dev/null)"
}}

_kbench() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local command='' word next known options words files names
  COMPREPLY=()
  # "--size=small" is three words to bash.
  if [[ $current == = ]]; then
    current=''
  elif [[ $previous == = ]] && (( COMP_CWORD > 1 )); then
    previous=${{COMP_WORDS[COMP_CWORD-2]}}
  fi
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    next="${{command:+$command }}$word"
    for known in {commands}; do
      [[ $next == "$known" ]] && command=$known
    done
  done
  case "$command $previous" in
{values}  esac
  case "$command" in
{cases}  esac
  if [[ $current == -* ]]; then
    _kbench_words "$options"
  elif [[ $files ]]; then
    _kbench_paths -f
  elif [[ $names ]]; then
    _kbench_names "$names"
  else
    _kbench_words "$words"
  fi
}}

complete -F _kbench kbench
)sh";

// --- zsh ---

// Text that stands inside of brackets, and before a colon, of an _arguments specification.
std::string zsh_text(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe;
}

// The function that offers names. No command's function has this name: words of a command have one
// underscore.
constexpr const char* kZshNames = "_kbench__names";

std::string zsh_action(const OptionEntry& option) {
  if (!option.choices.empty()) return fmt::format("({})", fmt::join(option.choices, " "));
  if (const auto names = option.names_of_value(); !names.empty())
    return fmt::format(" {} {}", kZshNames, names);
  if (option.takes_folder()) return "_files -/";
  if (option.takes_file()) return "_files";
  return "";
}

std::string zsh_value(const OptionEntry& option) {
  if (!option.takes_value()) return "";
  const std::string& message = option.choices.empty() ? option.value : option.names.front();
  return fmt::format("{}{}:{}", option.optional_value ? "::" : ":", zsh_text(message),
                     zsh_action(option));
}

std::string zsh_option(const OptionEntry& option) {
  std::string lines;
  for (const std::string& name : option.names)
    lines += fmt::format(" \\\n    {}",
                         quoted(fmt::format("*{}[{}]{}", name, zsh_text(short_help(option.help)),
                                            zsh_value(option))));
  return lines;
}

std::string zsh_places(const CommandEntry& command) {
  std::string lines;
  int number = 1;
  for (const OptionEntry* place : places_of(command))
    lines += fmt::format(
        " \\\n    {}",
        quoted(fmt::format("{}::{}:{}", number++, zsh_text(place->place), zsh_action(*place))));
  return lines;
}

std::string zsh_function_name(const CommandEntry& command) {
  return fmt::format("_kbench{}{}", command.name.empty() ? "" : "_",
                     replaced(command.name, ' ', "_"));
}

// A command that has commands shows them, then hands the rest of the line to the one chosen.
std::string zsh_commands(const CommandEntry& command) {
  std::string described;
  std::string branches;
  for (const CommandEntry& sub : command.commands) {
    const std::string name = last_word(sub.name);
    described += fmt::format("\n        {}", quoted(zsh_text(name) + ":" + short_help(sub.help)));
    branches += fmt::format("\n        {}) {} ;;", name, zsh_function_name(sub));
  }
  return fmt::format(
      " \\\n    '1: :->command' '*:: :->rest'\n"
      "  case $state in\n"
      "    command)\n"
      "      local -a commands=({}\n      )\n"
      "      _describe -t commands command commands ;;\n"
      "    rest)\n"
      "      case $line[1] in{}\n      esac ;;\n"
      "  esac\n",
      described, branches);
}

std::string zsh_function(const CommandEntry& command) {
  std::string text = fmt::format(
      "{}() {{\n  local curcontext=$curcontext state line\n  typeset -A opt_args\n  _arguments -C",
      zsh_function_name(command));
  for (const OptionEntry& option : command.options)
    if (option.place.empty()) text += zsh_option(option);
  text += command.commands.empty() ? zsh_places(command) + "\n" : zsh_commands(command);
  return text + "}\n\n";
}

// --- fish ---

std::string fish_quoted(const std::string& text) {
  return fmt::format("'{}'", replaced(replaced(text, '\\', "\\\\"), '\'', "\\'"));
}

std::string fish_value(const OptionEntry& option) {
  if (!option.choices.empty())
    return fmt::format(" -x -a {}", fish_quoted(fmt::format("{}", fmt::join(option.choices, " "))));
  if (const auto names = option.names_of_value(); !names.empty())
    return fmt::format(" -x -a '(__kbench_names {})'", names);
  if (option.takes_folder()) return " -x -a '(__fish_complete_directories)'";
  if (option.takes_file()) return " -r -F";
  return option.takes_value() && !option.optional_value ? " -x" : "";
}

std::string fish_option(const CommandEntry& command, const OptionEntry& option) {
  std::string line = fmt::format("complete -c kbench -n \"__kbench_at '{}'\"", command.name);
  if (option.names.empty()) {
    if (option.takes_file()) return line + " -F\n";
    if (const auto names = option.names_of_value(); !names.empty())
      return line + fmt::format(" -a '(__kbench_names {})'\n", names);
    if (option.choices.empty()) return "";
    return line +
           fmt::format(" -a {}\n", fish_quoted(fmt::format("{}", fmt::join(option.choices, " "))));
  }
  for (const std::string& name : option.names)
    line += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2))
                                   : fmt::format(" -s {}", name.substr(1));
  return line + fish_value(option) + " -d " + fish_quoted(short_help(option.help)) + "\n";
}

std::string fish_command(const CommandEntry& command) {
  std::string lines;
  for (const CommandEntry& sub : command.commands)
    lines += fmt::format("complete -c kbench -n \"__kbench_at '{}'\" -a {} -d {}\n", command.name,
                         last_word(sub.name), fish_quoted(short_help(sub.help)));
  for (const OptionEntry& option : command.options) lines += fish_option(command, option);
  return lines;
}

constexpr const char* kFish = R"sh(# fish completion for kbench, made by `kbench completions fish`:
#   kbench completions fish > ~/.config/fish/completions/kbench.fish

set -g __kbench_commands {commands}

# Whether the words before the cursor lead to this command.
function __kbench_at
    set -l command ''
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        set -l next (string trim -- "$command $word")
        contains -- $next $__kbench_commands
        and set command $next
    end
    test "$command" = "$argv[1]"
end

# Of the suite or the database that the line names, or that is usual here.
function __kbench_names
    set -l words (commandline -opc)
    set -e words[1]
    kbench names $argv[1] -- $words 2>/dev/null
end

complete -c kbench -f
{lines})sh";

}  // namespace

std::string bash_completions(const CommandEntry& top) {
  std::string cases;
  for (const CommandEntry* command : all_commands(top)) cases += bash_command(*command);
  return fmt::format(fmt::runtime(kBash), fmt::arg("commands", command_names(top)),
                     fmt::arg("values", bash_values(top)), fmt::arg("cases", cases));
}

std::string zsh_completions(const CommandEntry& top) {
  std::string text =
      "#compdef kbench\n"
      "# zsh completion for kbench, made by `kbench completions zsh`, for a folder of $fpath:\n"
      "#   kbench completions zsh > ~/.zfunc/_kbench\n\n";
  text += kZshNames;
  text +=
      "() {\n"
      "  local -a found=(${(f)\"$(kbench names $1 -- $words 2>/dev/null)\"})\n"
      "  compadd -a found\n"
      "}\n\n";
  for (const CommandEntry* command : all_commands(top)) text += zsh_function(*command);
  // Loaded by compinit it is called at once; sourced, it is registered.
  return text +
         "if [[ $funcstack[1] == _kbench ]]; then\n"
         "  _kbench \"$@\"\n"
         "else\n"
         "  compdef _kbench kbench\n"
         "fi\n";
}

std::string fish_completions(const CommandEntry& top) {
  std::string lines;
  for (const CommandEntry* command : all_commands(top)) lines += fish_command(*command);
  return fmt::format(fmt::runtime(kFish), fmt::arg("commands", command_names(top)),
                     fmt::arg("lines", lines));
}

bool is_plain_word(std::string_view word) {
  constexpr std::string_view kPlain = "_./@+-~";
  return !word.empty() && word.front() != '-' && word.size() <= 200 &&
         std::all_of(word.begin(), word.end(), [&](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  kPlain.find(c) != kPlain.npos;
         });
}

std::optional<std::string> value_on_line(const std::vector<std::string>& line,
                                         const std::string& option) {
  for (std::size_t i = line.size(); i-- > 0;) {
    if (line[i].starts_with(option + "=") && line[i].size() > option.size() + 1)
      return line[i].substr(option.size() + 1);
    if (line[i] != option) continue;
    std::size_t value = i + 1;
    if (value < line.size() && line[value] == "=") ++value;
    if (value < line.size() && !line[value].empty()) return line[value];
  }
  return std::nullopt;
}

std::string completions_of(const CommandEntry& top, std::string_view shell) {
  if (shell == "zsh") return zsh_completions(top);
  return shell == "fish" ? fish_completions(top) : bash_completions(top);
}

}  // namespace kbench
