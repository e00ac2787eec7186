#include "runner/agent/endpoint.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <utility>

namespace kbench {
namespace {

constexpr std::string_view kPlain = "http://";
constexpr std::string_view kSecure = "https://";
constexpr int kSecurePort = 443;
constexpr std::string_view kTarget = "/chat/completions";
constexpr std::size_t kLongest = 500;
constexpr int kMostPort = 65535;

Error usage(std::string message, std::string hint) {
  return {ErrorCode::kUsage, std::move(message), std::move(hint)};
}

// True for a text that can neither end a line of the request nor begin another part of it.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < 127 && c != '"' && c != '<' && c != '>' && c != '\\' && c != '#';
  });
}

}  // namespace

Result<Endpoint> parse_endpoint(std::string_view url) {
  constexpr const char* kForm =
      "http://HOST:PORT/v1 or https://HOST/v1, as http://127.0.0.1:8000/v1";
  const bool tls = url.starts_with(kSecure);
  if ((!tls && !url.starts_with(kPlain)) || url.size() > kLongest || !is_plain(url))
    return usage("the endpoint is no address of a server", kForm);
  url.remove_prefix(tls ? kSecure.size() : kPlain.size());
  const std::size_t slash = std::min(url.find('/'), url.size());
  const std::string_view authority = url.substr(0, slash);
  if (authority.find('@') != authority.npos)
    return usage("the endpoint's address has a user or a password in it",
                 "a key is read from a variable (--key-env) or a file (--key-file)");
  Endpoint endpoint;
  endpoint.tls = tls;
  if (tls) endpoint.port = kSecurePort;
  endpoint.authority = authority;
  // The colons of an IPv6 address stand in brackets.
  const std::size_t end = authority.starts_with('[') ? authority.find(']') : 0;
  if (end == authority.npos) return usage("the endpoint's address has no closing bracket", kForm);
  const std::size_t colon = authority.find(':', end);
  std::string_view host = authority.substr(0, colon);
  if (colon != authority.npos) {
    const std::string_view digits = authority.substr(colon + 1);
    const auto [last, failed] =
        std::from_chars(digits.data(), digits.data() + digits.size(), endpoint.port);
    if (failed != std::errc() || last != digits.data() + digits.size() || endpoint.port < 1 ||
        endpoint.port > kMostPort)
      return usage("the endpoint's port is none", kForm);
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.empty()) return usage("the endpoint's address names no host", kForm);
  endpoint.host = host;
  std::string path(url.substr(slash));
  while (path.ends_with('/')) path.pop_back();
  if (!path.ends_with(kTarget)) path += kTarget;
  endpoint.target = std::move(path);
  return endpoint;
}

}  // namespace kbench
