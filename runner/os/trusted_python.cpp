#include "runner/os/trusted_python.hpp"

#include <utility>

#include <fmt/format.h>

#include "runner/core/defence.hpp"
#include "runner/core/lines.hpp"
#include "runner/os/environment.hpp"
#include "runner/os/run_trusted.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kAskingTimeout{60};

// find_spec instead of import: nothing of torch is executed, which takes seconds.
constexpr const char* kWhereIsTorch = R"(
from importlib.util import find_spec
spec = find_spec("torch")
print(spec.submodule_search_locations[0] if spec and spec.submodule_search_locations else "")
)";

}  // namespace

Result<TrustedPython> TrustedPython::find(const fs::path& python) {
  auto empty = ScratchFolder::make("kbench-python");
  if (!empty) return empty.error();
  TrustedPython found;
  found.python_ = fs::absolute(python).lexically_normal();
  found.empty_ = std::move(*empty);
  for (const bool isolated : {true, false}) {
    found.isolated_ = isolated;
    const auto text = found.run(kWhereIsTorch, kAskingTimeout);
    if (!text) return text.error();
    found.torch_folder_ = first_line(*text);
    if (!found.torch_folder_.empty()) return found;
  }
  return Error{ErrorCode::kInfrastructure, fmt::format("{} has no torch", python.string()),
               "point KBENCH_TORCH at a Python with torch 2.9 or newer"};
}

ChildPlan TrustedPython::plan(std::vector<std::string> arguments,
                              std::vector<std::string> environment) const {
  std::vector<std::string> argv{python_.string()};
  const bool trusted = stands(Defence::kTrustedPython);
  if (isolated_ && trusted) argv.emplace_back("-I");
  argv.insert(argv.end(), std::make_move_iterator(arguments.begin()),
              std::make_move_iterator(arguments.end()));
  if (!trusted) return {.argv = std::move(argv), .environment = std::move(environment)};
  return {.argv = std::move(argv),
          .environment = without_relative_paths(std::move(environment)),
          .working_directory = empty_.path()};
}

Result<std::string> TrustedPython::run(const std::string& text,
                                       std::chrono::milliseconds timeout) const {
  // No bytecode is written beside the modules of others.
  return run_trusted(plan({"-B", "-c", text}, inherited_environment({}, {})), timeout);
}

}  // namespace kbench
