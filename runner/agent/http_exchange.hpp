// One request of HTTP, or HTTPS, over a socket that is connected already, and its answer. In this
// room only http_exchange.cpp includes Boost.Beast.
#pragma once

#include <chrono>
#include <string>

#include "runner/agent/driver.hpp"
#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"

namespace kbench {

struct HttpPost {
  std::string authority;  // value of the header Host
  std::string target;
  std::string key;  // sent as a bearer token; empty: none is
  std::string body;
  std::string server = {};        // https: whose certificate the other side has to have; else empty
  std::string certificates = {};  // https: its possible signers, as PEM
};

// Errors: kTimeout, where no whole answer came in time; kInfrastructure, where the connection
// broke, or what came is no HTTP; kBadInput, where it is larger than an answer may be, or where the
// other side did not prove that it is `server`: then nothing was sent.
[[nodiscard]] Result<HttpAnswer> exchange(UniqueFd socket, const HttpPost& post,
                                          std::chrono::seconds patience);

}  // namespace kbench
