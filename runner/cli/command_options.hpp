// Parts that several verbs share: how one is added, and options, a function each: a device, a
// database, tasks, a reward.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "reports/write/outputs.hpp"
#include "runner/cli/options.hpp"
#include "runner/options/shared_options.hpp"

namespace kbench {

// A verb below `app`, whose help ends with the words of data/help for its full name, or for that of
// the verb above it.
CLI::App& add_verb(CLI::App& app, const std::string& name, const std::string& about);
// A verb that is nothing without one below it.
CLI::App& add_group(CLI::App& app, const std::string& name, const std::string& about);
// One of several below a verb that fill the same options: `what` becomes `meaning` if it is typed.
template <class What>
CLI::App& add_form(CLI::App& group, const std::string& name, What& what, What meaning,
                   const std::string& about) {
  CLI::App& form = add_verb(group, name, about);
  form.callback([&what, meaning] { what = meaning; });
  return form;
}

struct WhoseSubmissions {
  CLI::Option* submissions;
  CLI::Option* agent;
};
// Options of the choice of submissions; those of the tasks are added on their own.
WhoseSubmissions add_whose(CLI::App& app, RunRequest& request);
// Options of what is measured, and how: of `run` and `nightly`.
WhoseSubmissions add_measuring(CLI::App& app, RunOptions& options);

void add_common(CLI::App& app, CommonOptions& common, bool with_suite);
// Adds --call-limit: seconds that a call may take at most.
void add_call_limit(CLI::App& app, std::optional<double>& seconds, const std::string& help);
void add_outputs(CLI::App& app, OutputWords& words);
void add_html(CLI::App& app, OutputWords& words, std::string_view database);  // as help calls it
std::vector<std::string> format_names();                                      // formats of reports
void add_wide(CLI::App& app, CommonOptions& common);
void add_variants(CLI::App& app, VariantRule& rule);
// Options of a command that ranks or pays stored rows.
void add_trust(CLI::App& app, Trust& trust);
// The name of a reward, which must be one (runner/reward).
void add_reward(CLI::App& app, std::string& reward, const std::string& help);
void add_reward(CLI::App& app, std::optional<std::string>& reward, const std::string& help);

// --keep TIME, in days; `what` says what stays within it.
CLI::Option* add_keep_time(CLI::App& app, int& days, const std::string& what);

// A row of a stored run: RUN, --db, --task; and which submission of several.
void add_row_choice(CLI::App& app, RowChoice& row);
void add_submission_choice(CLI::App& app, RowChoice& row);

}  // namespace kbench
