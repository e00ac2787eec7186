// Options of a model's endpoint, of `agent run` and `attribute run`.
#pragma once

#include <chrono>
#include <utility>

#include <CLI/CLI.hpp>

#include "runner/cli/command_options.hpp"
#include "runner/episode/endpoint_key.hpp"

namespace kbench {

inline void add_endpoint(CLI::App& app, EndpointWords& words) {
  add_value(app, "--endpoint", words.address, "URL",
            "Address of an OpenAI-compatible server, as http://127.0.0.1:8000/v1")
      ->required();
  auto* variable = add_value(app, "--key-env", words.key_env, "VARIABLE",
                             "Variable with the endpoint's key (default: no key is sent)");
  add_path(app, "--key-file", words.key_file, "FILE", "File with the key, of mode 0600")
      ->excludes(variable);
  add_number(app, "--timeout", words.timeout_s, 1, 86'400,
             "Seconds that one answer may take (default: 600)");
}

// Reads the key. Errors: kUsage.
template <class Request>
[[nodiscard]] Status take_endpoint(const EndpointWords& words, Request& request) {
  auto endpoint = parse_endpoint(words.address);
  if (!endpoint) return endpoint.error();
  auto key = read_endpoint_key(words.key_env, words.key_file);
  if (!key) return key.error();
  request.endpoint = std::move(*endpoint);
  request.key = std::move(*key);
  request.timeout = std::chrono::seconds(words.timeout_s);
  return Done{};
}

}  // namespace kbench
