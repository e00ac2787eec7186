#include "runner/gate/shapes/http_rules.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "runner/core/lone_surrogates.hpp"
#include "runner/core/strict_json.hpp"
#include "runner/serve/client_limits.hpp"

namespace kbench {
namespace {

std::string lower(std::string_view text) {
  std::string copy(text);
  std::transform(copy.begin(), copy.end(), copy.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return copy;
}

bool is_port(std::string_view text) {
  return !text.empty() && text.size() <= 5 &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "name" or "name:port", and nothing else.
bool names_us(std::string_view host, std::span<const std::string> names) {
  std::string_view name = host;
  const std::size_t end = host.starts_with('[') ? host.find(']') : host.find(':');
  if (end != std::string_view::npos) {
    const std::size_t colon = host.starts_with('[') ? end + 1 : end;
    name = host.substr(0, colon);
    const std::string_view rest = host.substr(std::min(colon, host.size()));
    if (!rest.empty() && !(rest.front() == ':' && is_port(rest.substr(1)))) return false;
  }
  const std::string plain = lower(name);
  constexpr std::array<std::string_view, 3> kLoopback{"127.0.0.1", "localhost", "[::1]"};
  if (std::find(kLoopback.begin(), kLoopback.end(), plain) != kLoopback.end()) return true;
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& known) { return plain == lower(known); });
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> decode(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      plain += ' ';
    } else if (text[i] != '%') {
      plain += text[i];
    } else {
      const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      plain += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return plain;
}

Error bad_target() {
  return {ErrorCode::kBadInput, "the address of the request is none", "/openapi.json has them all"};
}

}  // namespace

bool is_own_host(std::string_view host, std::span<const std::string> names) {
  return names_us(host, names);
}

bool is_own_origin(std::string_view origin, std::span<const std::string> names) {
  for (const std::string_view scheme : {"http://", "https://"})
    if (origin.starts_with(scheme)) return names_us(origin.substr(scheme.size()), names);
  return false;  // "null", an extension's, a file's
}

Result<HttpTarget> split_target(std::string_view target) {
  if (!target.starts_with('/')) return bad_target();
  const std::size_t mark = std::min(target.find('?'), target.size());
  HttpTarget split;
  const auto path = decode(target.substr(0, mark));
  if (!path) return bad_target();
  split.path = *path;
  std::string_view rest = target.substr(std::min(mark + 1, target.size()));
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view pair = rest.substr(0, end);
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const auto name = decode(pair.substr(0, equals));
    const auto value = decode(pair.substr(std::min(equals + 1, pair.size())));
    if (!name || !value) return bad_target();
    split.query[*name] = *value;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return split;
}

Result<Json> read_json_body(const HttpRequest& request) {
  const std::string type = lower(header_of(request, "content-type"));
  if (type.substr(0, type.find(';')) != "application/json")
    return Error{ErrorCode::kUsage, "the body's Content-Type is not application/json",
                 "send the header Content-Type: application/json"};
  auto json =
      parse_strict_json(without_lone_surrogates(request.body), "the body",
                        {.max_bytes = limits::kMostBodyBytes, .max_depth = limits::kMostJsonDepth});
  if (!json) return Error{ErrorCode::kBadInput, json.error().message, json.error().hint};
  if (!json->is_object())
    return Error{ErrorCode::kBadInput, "the body is no object", "send a JSON object"};
  return json;
}

}  // namespace kbench
