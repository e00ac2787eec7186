#include <unistd.h>

#include <string>

#include <fmt/format.h>

#include "runner/cli/command_help.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/commands.hpp"
#include "runner/cli/outcome.hpp"
#include "runner/cli/serve_surroundings.hpp"
#include "runner/cli/verbs.hpp"
#include "runner/core/json.hpp"
#include "runner/serve/tools.hpp"

namespace kbench {
namespace {

int print_tools(const std::string& how) {
  Json list = Json::array();
  for (const Tool& tool : tools())
    list.push_back(how == "openai" ? openai_function(tool) : mcp_tool(tool));
  fmt::print("{}\n", list.dump(2));
  return finish(ExitCode::kGood, "", -1);
}

}  // namespace

CLI::App* add_mcp(CLI::App& app, McpOptions& options) {
  auto* mcp = app.add_subcommand("mcp", "Serve the agent tools over MCP (stdio)");
  mcp->footer(help_of("mcp"));
  add_word(*mcp, "--print", options.print, {"mcp", "openai"},
           "Print the tools as that lists them, and end");
  add_judging(*mcp, options.serve);
  return mcp;
}

int call(const McpOptions& options, const Installation& installation) {
  if (!options.print.empty()) return print_tools(options.print);
  const CommonOptions& common = options.serve.common;
  ServeSurroundings around(options.serve, installation);
  const auto end = serve_standard_streams(around.judging(), around.note());
  if (!end) return fail(end.error(), inspect_terminal(STDERR_FILENO, common.color));
  return finish(ExitCode::kGood, fmt::format("{} judged", end->judged), common.verbosity);
}

}  // namespace kbench
