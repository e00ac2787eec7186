// Signers of the certificate of a model's endpoint: those whom this machine trusts. kbench-agent,
// which speaks with the endpoint, has no files, so it is handed them.
#pragma once

#include "runner/agent/endpoint.hpp"
#include "runner/core/result.hpp"

namespace kbench {

// Reads the file that SSL_CERT_FILE names, or else the machine's, into an endpoint with TLS.
// Errors: kUsage: there is none, or what lies there are no certificates.
[[nodiscard]] Status trust_certificates(Endpoint& endpoint);

}  // namespace kbench
