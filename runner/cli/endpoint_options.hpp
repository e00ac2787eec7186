// Options of a model's endpoint, of `agent run` and `attribute run`.
#pragma once

#include <CLI/CLI.hpp>

#include "runner/cli/command_options.hpp"

namespace kbench {

template <class Options>
void add_endpoint(CLI::App& app, Options& options) {
  add_value(app, "--endpoint", options.endpoint, "URL",
            "Address of an OpenAI-compatible server, as http://127.0.0.1:8000/v1")
      ->required();
  auto* variable = add_value(app, "--key-env", options.key_env, "VARIABLE",
                             "Variable with the endpoint's key (default: no key is sent)");
  add_path(app, "--key-file", options.key_file, "FILE", "File with the key, of mode 0600")
      ->excludes(variable);
  add_number(app, "--timeout", options.timeout_s, 1, 86'400,
             "Seconds that one answer may take (default: 600)");
}

}  // namespace kbench
