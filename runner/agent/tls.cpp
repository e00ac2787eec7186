#include "runner/agent/tls.hpp"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <array>
#include <memory>

#include <fmt/format.h>

#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

constexpr std::size_t kLongestName = 200;

bool is_address(const std::string& server) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return ::inet_pton(AF_INET, server.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, server.c_str(), bytes.data()) == 1;
}

// Words for X509_V_ERR_…; empty: nothing is wrong with the certificate.
std::string certificate_words(long verdict, const std::string& server) {
  switch (verdict) {
    case X509_V_OK: return "";
    case X509_V_ERR_CERT_HAS_EXPIRED: return "it has expired";
    case X509_V_ERR_CERT_NOT_YET_VALID: return "it is not valid yet";
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH: return fmt::format("it is not for {}", server);
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      return "it is signed by itself, and this machine does not trust it";
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      return "it is signed by nobody whom this machine trusts";
    default: return ::X509_verify_cert_error_string(verdict);
  }
}

}  // namespace

Status believe(SSL_CTX& context, const std::string& certificates) {
  const Error none{ErrorCode::kBadInput, "no certificate is there to believe the endpoint by", ""};
  const std::unique_ptr<BIO, int (*)(BIO*)> text(
      ::BIO_new_mem_buf(certificates.data(), static_cast<int>(certificates.size())), ::BIO_free);
  X509_STORE* store = ::SSL_CTX_get_cert_store(&context);
  if (!text || store == nullptr) return none;
  int count = 0;
  for (;;) {
    const std::unique_ptr<X509, void (*)(X509*)> one(
        ::PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr), ::X509_free);
    if (!one) break;
    count += ::X509_STORE_add_cert(store, one.get());
  }
  ::ERR_clear_error();  // the end of the text counts as an error
  if (count == 0) return none;
  ::SSL_CTX_set_verify(&context, SSL_VERIFY_PEER, nullptr);
  ::SSL_CTX_set_min_proto_version(&context, TLS1_2_VERSION);
  return Done{};
}

Status demand(SSL& stream, const std::string& server) {
  // Names are matched as browsers do: a name stands among the certificate's alternative names, and
  // a star for a whole label.
  ::X509_VERIFY_PARAM_set_hostflags(
      ::SSL_get0_param(&stream),
      X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  // The server is told beforehand which of a machine's names is meant; an address is no such name.
  const bool set = is_address(server) ? ::X509_VERIFY_PARAM_set1_ip_asc(::SSL_get0_param(&stream),
                                                                        server.c_str()) == 1
                                      : ::SSL_set1_host(&stream, server.c_str()) == 1 &&
                                            SSL_set_tlsext_host_name(&stream, server.c_str()) == 1;
  if (set) return Done{};
  return Error{ErrorCode::kBadInput,
               fmt::format("{} is no name of a server", clean_name(server, kLongestName)), ""};
}

bool ended_early(const SSL& stream, unsigned long failed) {
  if (::SSL_get_verify_result(&stream) != X509_V_OK) return false;
  bool at_end = failed == 0;
#ifdef SSL_R_UNEXPECTED_EOF_WHILE_READING
  at_end = at_end || (ERR_GET_LIB(failed) == ERR_LIB_SSL &&
                      ERR_GET_REASON(failed) == SSL_R_UNEXPECTED_EOF_WHILE_READING);
#endif
  return at_end;
}

std::string refusal_words(const SSL& stream, unsigned long failed, const std::string& server) {
  const std::string name = clean_name(server, kLongestName);
  const std::string wrong = certificate_words(::SSL_get_verify_result(&stream), name);
  if (!wrong.empty()) return fmt::format("the endpoint's certificate is refused: {}", wrong);
  // An answer of plain HTTP begins like a record of a version that does not exist.
  if (ERR_GET_LIB(failed) == ERR_LIB_SSL && (ERR_GET_REASON(failed) == SSL_R_WRONG_VERSION_NUMBER ||
                                             ERR_GET_REASON(failed) == SSL_R_HTTP_REQUEST))
    return "the endpoint speaks no TLS: is its address http:// and not https://?";
  const char* reason = ended_early(stream, failed) ? nullptr : ::ERR_reason_error_string(failed);
  return fmt::format("no TLS with the endpoint: {}",
                     reason == nullptr ? "it ended the connection" : reason);
}

}  // namespace kbench
