// Options of a model's endpoint, of `agent run` and `attribute run`.
#pragma once

#include <CLI/CLI.hpp>

#include "runner/cli/command_options.hpp"

namespace kbench {

template <class Number>
void add_number(CLI::App& app, const char* name, Number& value, double least, double most,
                const char* help) {
  app.add_option(name, value, help)->check(CLI::Range(least, most).description(""))->type_name("N");
}

template <class Options>
void add_endpoint(CLI::App& app, Options& options) {
  app.add_option("--endpoint", options.endpoint,
                 "Address of an OpenAI-compatible server, as http://127.0.0.1:8000/v1")
      ->required()
      ->type_name("URL");
  auto* variable = app.add_option("--key-env", options.key_env,
                                  "Variable with the endpoint's key (default: no key is sent)")
                       ->type_name("VARIABLE");
  add_path(app, "--key-file", options.key_file, "File with the key, of mode 0600")
      ->type_name("FILE")
      ->excludes(variable);
  add_number(app, "--timeout", options.timeout_s, 1, 86'400,
             "Seconds that one answer may take (default: 600)");
}

}  // namespace kbench
