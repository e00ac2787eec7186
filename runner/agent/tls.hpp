// TLS towards an endpoint: whom kbench-agent believes, and why it refuses an endpoint. The stream
// itself is http_exchange.cpp's; this knows OpenSSL alone.
#pragma once

#include <openssl/ssl.h>

#include <string>

#include "runner/core/result.hpp"

namespace kbench {

// Believes only those whose certificates (PEM) are given; reads no file. Errors: kBadInput, there
// is no certificate among them.
[[nodiscard]] Status believe(SSL_CTX& context, const std::string& certificates);

// Requires a certificate for `server`, a host name or an address. Errors: kBadInput if `server` is
// neither.
[[nodiscard]] Status demand(SSL& stream, const std::string& server);

// Whether the connection ended before either side refused the other, as it may at any time: another
// try may go well. `failed`: OpenSSL's error, 0 where it had none.
[[nodiscard]] bool ended_early(const SSL& stream, unsigned long failed);

// Why the handshake failed, as a sentence. `failed` as above.
[[nodiscard]] std::string refusal_words(const SSL& stream, unsigned long failed,
                                        const std::string& server);

}  // namespace kbench
