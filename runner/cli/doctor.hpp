// `kbench doctor`: is everything here that kbench needs, and what to do where it is not. Each check
// is executed, not guessed: the Python is started, the sandbox probed, the cache written to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runner/cli/options.hpp"
#include "runner/installation/installation.hpp"

namespace kbench {

enum class Health {
  kPass,
  kCaution,  // works, with a limit that the text names
  kSkipped,  // does not apply to this machine
  kFail,     // kbench cannot run
};
[[nodiscard]] std::string_view to_string(Health health);  // "PASS", ...

struct Finding {
  std::string check;  // "python", "sandbox", ...
  Health health = Health::kPass;
  std::string text;    // what was found
  std::string remedy;  // what to do; empty when there is nothing to do
};

[[nodiscard]] std::vector<Finding> examine(const Installation& installation,
                                           const std::filesystem::path& suites);

// Prints the findings; exit status 0, or 3 when one of them is a failure.
int doctor_command(const DoctorOptions& options, const Installation& installation);

}  // namespace kbench
