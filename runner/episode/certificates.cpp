#include "runner/episode/certificates.hpp"

#include <array>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "runner/os/clean_text.hpp"
#include "runner/os/environment.hpp"
#include "runner/os/files.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFileBytes = 2u << 20;
// Places of certificates on Debian, Fedora, openSUSE and Alpine.
constexpr std::array kPlaces = {"/etc/ssl/certs/ca-certificates.crt",
                                "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
                                "/etc/ssl/cert.pem"};

Result<fs::path> find_file() {
  if (auto named = environment_variable("SSL_CERT_FILE"); !named.empty()) return fs::path(named);
  std::error_code unknown;
  for (const char* place : kPlaces)
    if (fs::is_regular_file(place, unknown)) return fs::path(place);
  return Error{ErrorCode::kUsage, "this machine has no file of certificates that it trusts",
               "install ca-certificates, or name such a file by the variable SSL_CERT_FILE"};
}

}  // namespace

Status trust_certificates(Endpoint& endpoint) {
  if (!endpoint.tls) return Done{};
  const auto file = find_file();
  if (!file) return file.error();
  auto text = read_file(*file);
  if (text && text->size() <= kMostFileBytes && text->find("-----BEGIN ") != text->npos) {
    endpoint.certificates = std::move(*text);
    return Done{};
  }
  return Error{ErrorCode::kUsage,
               fmt::format("{} holds no certificates", clean_name(file->string(), 300)),
               "SSL_CERT_FILE names a file of certificates in PEM"};
}

}  // namespace kbench
