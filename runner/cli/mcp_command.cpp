#include <string>

#include <fmt/format.h>

#include "runner/cli/command_options.hpp"
#include "runner/cli/serve_surroundings.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/core/json.hpp"
#include "runner/serve/tools.hpp"

namespace kbench {
namespace {

End print_tools(const std::string& how) {
  Json list = Json::array();
  for (const Tool& tool : tools())
    list.push_back(how == "openai" ? openai_function(tool) : mcp_tool(tool));
  fmt::print("{}\n", list.dump(2));
  return good();
}

}  // namespace

CLI::App* add_mcp(CLI::App& app, McpOptions& options) {
  auto& mcp = add_verb(app, "mcp", "Serve the agent tools over MCP (stdio)");
  add_word(mcp, "--print", options.print, {"mcp", "openai"},
           "Print the list of tools in this form, and end");
  add_judging(mcp, options);
  return &mcp;
}

Result<End> call(const McpOptions& options, const Installation& installation) {
  if (!options.print.empty()) return print_tools(options.print);
  ServeSurroundings around(options, installation);
  const auto end = serve_standard_streams(around.judging(), around.note());
  if (!end) return end.error();
  return good(fmt::format("{} judged", end->judged));
}

}  // namespace kbench
