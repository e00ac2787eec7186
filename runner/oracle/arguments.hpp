// The command line that the supervisor starts an oracle with
// (runner/measure/oracle_fork_server.cpp).
#pragma once

#include <string>

#include "runner/core/result.hpp"

namespace kbench {

struct OracleArguments {
  std::string device = "cpu";  // or "cuda"
  int threads = 1;
  std::string precision = "torch-default";
};

// Errors: kUsage with the parser's words.
[[nodiscard]] Result<OracleArguments> parse_oracle_arguments(int argc, char** argv);

}  // namespace kbench
