// The address of a model and the key that it takes, as they are typed; and what a request for such
// a model has of them.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "runner/core/result.hpp"
#include "runner/episode/certificates.hpp"
#include "runner/episode/endpoint_key.hpp"

namespace kbench {

struct EndpointWords {
  std::string address;
  std::optional<std::string> key_env;  // one of these two is set at most
  std::optional<std::filesystem::path> key_file;
  int timeout_s = 600;  // patience for one answer
};

// Reads the key. Errors: kUsage.
template <class Request>
[[nodiscard]] Status take_endpoint(const EndpointWords& words, Request& request) {
  auto endpoint = parse_endpoint(words.address);
  if (!endpoint) return endpoint.error();
  if (auto trusted = trust_certificates(*endpoint); !trusted) return trusted.error();
  auto key = read_endpoint_key(words.key_env, words.key_file);
  if (!key) return key.error();
  request.endpoint = std::move(*endpoint);
  request.key = std::move(*key);
  request.timeout = std::chrono::seconds(words.timeout_s);
  return Done{};
}

}  // namespace kbench
