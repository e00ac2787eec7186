#include "runner/oracle/arguments.hpp"

#include <CLI/CLI.hpp>

namespace kbench {

Result<OracleArguments> parse_oracle_arguments(int argc, char** argv) {
  OracleArguments arguments;
  CLI::App app("kbench-oracle: started by kbench, not by hand");
  app.add_option("--device", arguments.device);
  app.add_option("--threads", arguments.threads);
  app.add_option("--precision", arguments.precision);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return Error{ErrorCode::kUsage, error.what(), "kbench starts the oracle; nobody else needs to"};
  }
  return arguments;
}

}  // namespace kbench
