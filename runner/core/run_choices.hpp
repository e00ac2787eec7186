// The choices of a run: the one table behind its configuration in the store, what `--resume` takes
// of its run, what a settings file has no say in then, and what a printed `kbench run` repeats.
// plan/run_choices.cpp ties each to its field of a request.
#pragma once

#include <array>
#include <string_view>

namespace kbench {

struct RunChoice {
  enum class Kind { kOther, kText, kNumber, kFlag };
  // Origin of the value that a printed command repeats.
  enum class Printed { kNever, kOfRow, kOfRun };

  std::string_view name;     // name in the configuration
  std::string_view option;   // long name without dashes; empty: no option has it
  std::string_view further;  // a second option, which has no meaning without the first
  Kind kind = Kind::kOther;  // kind in the configuration
  Printed printed = Printed::kNever;
  std::string_view by_default = {};  // a value that is not printed
};

// The choices in the order in which a command says them.
inline constexpr std::array kRunChoices = [] {
  using enum RunChoice::Kind;
  using enum RunChoice::Printed;
  return std::array{
      RunChoice{"file", "", "name", kText},
      RunChoice{"tasks", "task", "", kOther, kOfRow},
      RunChoice{"size", "size", "", kText, kOfRow},
      RunChoice{"device", "device", "", kText, kOfRow},
      RunChoice{"precision", "precision", "", kText, kOfRow},
      RunChoice{"profile", "profile", "", kText, kOfRow, "kbench"},
      RunChoice{"allow_torch", "allow-torch", "", kText, kOfRun},
      RunChoice{"suite", "suite", "", kText, kOfRun},
      RunChoice{"submissions", "submissions", "", kText, kOfRow},
      RunChoice{"agent", "agent", "", kText, kOfRow},
      RunChoice{"budget_seconds", "budget", "", kNumber, kOfRun, "180"},
      RunChoice{"call_limit_seconds", "call-limit", "", kNumber, kOfRun},
      RunChoice{"quick", "quick", "", kFlag, kOfRun},
      RunChoice{"checks_only", "checks-only", "", kFlag, kOfRun},
      RunChoice{"seed", "seed", "", kNumber, kOfRun},
      RunChoice{"vendor", "vendor", "", kFlag, kOfRun},
      RunChoice{"baselines_only", "baselines-only", "", kFlag, kOfRow},
      RunChoice{"layout", "layout", "", kText},
      RunChoice{"levels", "level", ""},
      RunChoice{"tags", "tag", ""},
      RunChoice{"only_submitted", "all-tasks", "", kFlag},
      RunChoice{"rerun", "rerun", "run"},
      RunChoice{"shard", "shard", "group"},
  };
}();

// Whether the option says a choice of a run, so that `--resume` takes it of its run.
[[nodiscard]] constexpr bool is_choice_of_run(std::string_view option) {
  for (const RunChoice& choice : kRunChoices)
    if (!option.empty() && (option == choice.option || option == choice.further)) return true;
  return false;
}

}  // namespace kbench
