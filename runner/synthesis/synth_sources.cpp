#include "runner/synthesis/synth_sources.hpp"

#include <chrono>
#include <sstream>

#include <fmt/format.h>

#include "runner/core/json.hpp"
#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

constexpr std::chrono::minutes kLimit{5};
constexpr std::size_t kMaxBytes = std::size_t{64} << 20;

Error not_composed(const std::string& why) {
  return {ErrorCode::kInfrastructure, "the grammar gives no candidates: " + why,
          "`kbench doctor` says which Python is used"};
}

ComposedModule module_of(const Json& line) {
  return {line.at("name").get<std::string>(), line.at("level").get<int>(),
          line.at("operators").get<std::vector<std::string>>(),
          line.at("source").get<std::string>()};
}

Result<Composition> parse(const std::string& text) {
  Composition composition;
  std::istringstream lines(text);
  try {
    std::string line;
    std::getline(lines, line);
    composition.grammar = Json::parse(line).at("grammar").get<int>();
    while (std::getline(lines, line)) composition.modules.push_back(module_of(Json::parse(line)));
  } catch (const Json::exception& error) {
    return not_composed(error.what());
  }
  return composition;
}

}  // namespace

Result<Composition> compose_modules(Sandbox& sandbox, const LoweringSetup& setup,
                                    const CompositionRequest& request) {
  SandboxCommand command =
      lowering_command(setup, setup.script.parent_path() / "synthesis/compose.py");
  const Json asked = {{"seed", request.seed},
                      {"least", request.least},
                      {"most", request.most},
                      {"candidates", request.candidates}};
  command.argv.push_back(asked.dump());
  const auto output = run_to_end(sandbox, command, kLimit, kMaxBytes);
  if (!output) return output.error();
  if (!output->exit.exited || output->exit.code != 0 || output->timed_out || output->truncated)
    return not_composed(last_words(output->err));
  auto composition = parse(output->out);
  if (composition && composition->modules.size() != request.candidates.size())
    return not_composed("another number than was asked for");
  return composition;
}

}  // namespace kbench
