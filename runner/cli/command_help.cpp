#include "runner/cli/command_help.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "reports/write/reporter.hpp"
#include "runner/reward/reward.hpp"
#include "runner/serve/tools.hpp"

namespace kbench {
namespace {

constexpr const char* kExitCodes =
    "Exit codes (not every command has each): 0 good, 1 a submission or a file failed, 2 usage,\n"
    "            3 kbench's or the machine's fault, 4 regression, 5 nothing selected,\n"
    "            130 interrupted.\n"
    "Results go to standard output, everything else to standard error.";

// E, C and V are what a kernel's speed-ups over the baselines are called there.
std::string rewards_help() {
  std::string text =
      "Rewards; E, C and V are the speed-ups over eager, compiled and the vendor's library:\n";
  constexpr const char* kLine = "  {:20}  {:54}  {}\n";
  text += fmt::format(kLine, "NAME", "OF A CORRECT ROW", "OF A FAILED ROW");
  for (const RewardKind& kind : reward_kinds())
    text += fmt::format(kLine, kind.name, kind.correct, kind.fails);
  return text + "\n";
}

// The table of formats, from the reporters themselves.
std::string formats_help() {
  std::string text = "Formats:\n";
  for (const Reporter& one : reporters())
    text += fmt::format("  {:16}  {:7} {}\n", one.name, one.suffix, one.help);
  return text + "\n";
}

}  // namespace

std::string exit_codes() { return kExitCodes; }

std::string help_of(std::string_view command) {
  std::string text = command == "report" ? formats_help() + rewards_help() : "";
  if (command == "mcp") text = "Tools, with their arguments:\n" + tools_help() + "\n";
  const auto texts = help_texts();
  const auto find = [&] { return std::ranges::find(texts, command, &HelpText::command); };
  while (find() == texts.end() && command.find(' ') != command.npos)
    command = command.substr(0, command.rfind(' '));
  if (const auto own = find(); own != texts.end()) text += fmt::format("{}\n", own->text);
  return text + kExitCodes;
}

}  // namespace kbench
