// The words that were typed, as CLI11 took them: which command they reached, which options are
// among them, and what is wrong with them. Knows no verb.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "runner/core/result.hpp"

namespace kbench {

// The innermost subcommand that the words reached.
[[nodiscard]] const CLI::App& reached(const CLI::App& app);

// "kbench tasks lint".
[[nodiscard]] std::string full_name(const CLI::App& app);

// Long names of the options of a command, with dashes; or the names of its commands.
[[nodiscard]] std::vector<std::string> known_words(const CLI::App& app, bool options);

// Takes a page of the manual. A misspelt command is put right as well, since its name may stand
// there. `app` outlives it.
[[nodiscard]] CLI::Validator topic_name(const CLI::App& app);

// Long names of the options of a command that stand among its words.
[[nodiscard]] std::set<std::string> given_options(const CLI::App& command);

// Whether a word stands where a command is expected, and is none.
[[nodiscard]] bool names_no_command(const CLI::App& app);

// kUsage: CLI11's words where they are good, ours where a name is misspelt.
[[nodiscard]] Error explain(const CLI::App& app, const CLI::ParseError& problem,
                            const std::vector<std::string>& words);

// Whether the words ask for JSON on standard output: --json, --format json, or `report json` and
// `report jsonl`.
[[nodiscard]] bool asks_for_json(const std::vector<std::string>& words);

// kUsage for an option that is given an empty value, of which CLI11 would take the next word, or
// what it does without one.
[[nodiscard]] std::optional<Error> value_missing(const std::vector<std::string>& words);

}  // namespace kbench
