#include <array>
#include <charconv>

#include "runner/sandbox/enter.hpp"

namespace kbench {
namespace {

struct UseName {
  PathUse use;
  const char* option;
};
constexpr std::array<UseName, 3> kUses = {UseName{PathUse::kRead, "--read"},
                                          UseName{PathUse::kWrite, "--write"},
                                          UseName{PathUse::kDevice, "--device"}};

bool parse_number(const std::string& text, int& number) {
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  return parsed.ec == std::errc{} && parsed.ptr == end;
}

// Options with a value. False: unknown, or a bad value.
bool take(EnterPlan& plan, const std::string& option, const std::string& value) {
  for (const auto& [use, name] : kUses) {
    if (option == name) return plan.paths.push_back({value, use}), true;
  }
  if (option == "--report") return parse_number(value, plan.report_fd);
  if (option == "--landlock") return parse_number(value, plan.landlock_abi);
  if (option == "--chdir") return plan.working_directory = value, true;
  const auto equals = value.find('=');
  if (option != "--env" || equals == std::string::npos) return false;
  plan.env[value.substr(0, equals)] = value.substr(equals + 1);
  return true;
}

}  // namespace

std::vector<std::string> enter_arguments(const EnterPlan& plan) {
  std::vector<std::string> words = {"--report",   std::to_string(plan.report_fd),
                                    "--landlock", std::to_string(plan.landlock_abi),
                                    "--chdir",    plan.working_directory};
  if (plan.drop_to_nobody) words.emplace_back("--nobody");
  if (plan.system_call_filter) words.emplace_back("--filter");
  if (plan.only_own_signals) words.emplace_back("--own-signals");
  for (const PathRule& rule : plan.paths) {
    for (const auto& [use, name] : kUses) {
      if (use == rule.use) words.insert(words.end(), {name, rule.path.string()});
    }
  }
  for (const auto& [name, value] : plan.env) {
    words.insert(words.end(), {"--env", name + "=" + value});
  }
  words.emplace_back("--");
  words.insert(words.end(), plan.argv.begin(), plan.argv.end());
  return words;
}

Result<EnterPlan> parse_enter_arguments(const std::vector<std::string>& words) {
  EnterPlan plan;
  std::size_t at = 0;
  for (; at < words.size() && words[at] != "--"; ++at) {
    const std::string& option = words[at];
    if (option == "--nobody") {
      plan.drop_to_nobody = true;
    } else if (option == "--filter") {
      plan.system_call_filter = true;
    } else if (option == "--own-signals") {
      plan.only_own_signals = true;
    } else if (at + 1 == words.size() || !take(plan, option, words[++at])) {
      return Error{ErrorCode::kUsage, "kbench-enter does not know " + option, ""};
    }
  }
  if (at + 1 >= words.size()) return Error{ErrorCode::kUsage, "no program to enter with", ""};
  plan.argv.assign(words.begin() + static_cast<long>(at) + 1, words.end());
  return plan;
}

const char* describe(EnterStep step) {
  switch (step) {
    case EnterStep::kStarted: return "start";
    case EnterStep::kEnded: return "wait for the program";
    case EnterStep::kArguments: return "understand what to do";
    case EnterStep::kLandlock: return "restrict files with Landlock";
    case EnterStep::kFork: return "start a process";
    case EnterStep::kUser: return "become the user nobody";
    case EnterStep::kFilter: return "install the system call filter";
    case EnterStep::kFolder: return "enter the working directory";
    case EnterStep::kExecute: return "execute the program";
  }
  return "start";
}

}  // namespace kbench
