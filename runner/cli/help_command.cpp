#include <fmt/format.h>

#include "runner/cli/verbs.hpp"
#include "runner/os/files.hpp"

namespace kbench {

Result<End> call(const HelpRequest& request, const Installation& installation) {
  const auto page = installation.root / "data/docs" / (request.topic + ".md");
  const auto text = read_file(page);
  if (!text) {
    return Error{ErrorCode::kInfrastructure,
                 fmt::format("the page {} cannot be read", page.string()),
                 how_to_mend(installation)};
  }
  fmt::print("{}", *text);
  return good();
}

}  // namespace kbench
