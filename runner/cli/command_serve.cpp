#include "runner/cli/command_serve.hpp"

#include "runner/cli/command_help.hpp"

namespace kbench {
namespace {

// What both judge by.
void add_judging(CLI::App& app, ServeOptions& options) {
  add_size(app, options.size, "Size of tasks where nobody names one");
  add_device(app, options.device);
  add_database(app, options.database);
  add_allow_torch(app, options.allow_torch);
  add_trust(app, options.common.trust);
  add_common(app, options.common, true);
}

void add_timeout(CLI::App& app, const char* name, int& seconds, const char* help) {
  app.add_option(name, seconds, help)
      ->check(CLI::Range(1, 3600).description(""))
      ->type_name("SECONDS");
}

}  // namespace

CLI::App* add_serve(CLI::App& app, ServeOptions& options) {
  auto* serve = app.add_subcommand("serve", "Judge what agents and trainers send over HTTP");
  serve->footer(help_of("serve"));
  serve
      ->add_option("--bind", options.address,
                   "Address to listen on, a loopback one (default: 127.0.0.1)")
      ->type_name("ADDRESS");
  serve->add_option("--port", options.port, "Port; 0 for one that is free (default: 8377)")
      ->check(CLI::Range(0, 65535).description(""))
      ->type_name("N");
  serve
      ->add_option("--host", options.names,
                   "A further name that clients call this host by; may be given several times")
      ->allow_extra_args(false)
      ->type_name("NAME");
  add_path(*serve, "--tokens", options.tokens,
           "Who may ask (default: a file of the state folder, made once)")
      ->type_name("FILE");
  add_timeout(*serve, "--header-timeout", options.header_timeout_s,
              "Seconds for the headers of a request (default: 10)");
  add_timeout(*serve, "--body-timeout", options.body_timeout_s,
              "Seconds for its body (default: 30)");
  add_judging(*serve, options);
  return serve;
}

CLI::App* add_mcp(CLI::App& app, McpOptions& options) {
  auto* mcp = app.add_subcommand("mcp", "Serve the agent tools over MCP (stdio)");
  mcp->footer(help_of("mcp"));
  add_word(*mcp, "--print", options.print, {"mcp", "openai"},
           "Print the tools as that lists them, and end");
  add_judging(*mcp, options.serve);
  return mcp;
}

}  // namespace kbench
