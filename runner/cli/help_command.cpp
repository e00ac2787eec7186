#include <unistd.h>

#include <fmt/format.h>

#include "runner/cli/commands.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/os/files.hpp"

namespace kbench {

int call(const HelpRequest& request, const Installation& installation) {
  const auto page = installation.root / "data/docs" / (request.topic + ".md");
  const auto text = read_file(page);
  if (!text) {
    return fail(
        {ErrorCode::kInfrastructure, fmt::format("the page {} cannot be read", page.string()),
         how_to_mend(installation)},
        inspect_terminal(STDERR_FILENO, ColorMode::kAuto));
  }
  fmt::print("{}", *text);
  return finish(ExitCode::kGood, "", -1);
}

}  // namespace kbench
