// Where a model answers: the address of an OpenAI-compatible server, as typed.
#pragma once

#include <string>
#include <string_view>

#include "runner/core/result.hpp"

namespace kbench {

struct Endpoint {
  std::string host;  // a name, or digits without brackets
  int port = 80;
  bool tls = false;          // https
  std::string certificates;  // TLS: possible signers of the endpoint's certificate, PEM
  std::string authority;     // the header Host: "localhost:8000", "[::1]:8000"
  std::string target;        // "/v1/chat/completions"
};

// "http://HOST[:PORT][/PATH]", or https; /chat/completions is put behind the path unless it ends
// so. Errors: kUsage for a user or a password, which would be a secret on the command line, and for
// anything that is no such URL.
[[nodiscard]] Result<Endpoint> parse_endpoint(std::string_view url);

}  // namespace kbench
