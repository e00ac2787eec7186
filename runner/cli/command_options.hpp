// Parts that several verbs share: how one is added, and options, a function each: a device, a
// database, tasks, a reward.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "reports/write/outputs.hpp"
#include "runner/cli/options.hpp"
#include "runner/options/option_kinds.hpp"

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
// Options of what is measured, and how: of `run` and `nightly`.
WhoseSubmissions add_measuring(CLI::App& app, RunOptions& options);

inline constexpr const char* kDeviceHelp = "Device (default: cuda where there is a GPU, else cpu)";

template <class Text>  // a string, or an optional one
void add_device(CLI::App& app, Text& device, const std::string& help = kDeviceHelp) {
  app.add_option("--device", device, help)->check(device_name())->type_name("");
}

void add_format(CLI::App& app, OutputFormat& format, const std::string& what = "Format");
// Adds --format and --json.
void add_json(CLI::App& app, OutputFormat& format, const std::string& what = "Format");
void add_suite(CLI::App& app, std::optional<std::filesystem::path>& suite);
void add_common(CLI::App& app, CommonOptions& common, bool with_suite);
void add_database(CLI::App& app, std::filesystem::path& database,
                  const std::string& help = "SQLite database (default: kbench.sqlite)");
// Adds --call-limit: seconds that a call may take at most.
void add_call_limit(CLI::App& app, std::optional<double>& seconds, const std::string& help);
void add_size(CLI::App& app, std::optional<std::string>& size,
              const std::string& help = "Size of the tasks (default: full on CUDA, small on CPU)");
// The precision class of a run, or of what is shown of a task.
void add_precision(CLI::App& app, std::string& precision);
void add_task_globs(CLI::App& app, std::vector<std::string>& tasks);
// --tag, may be repeated; a word that is no tag is an error of the command line.
void add_tags(CLI::App& app, std::vector<std::string>& tags);
void add_levels(CLI::App& app, std::vector<int>& levels);
void add_part_of_device(CLI::App& app, std::optional<std::string>& device,
                        const std::string& otherwise);
void add_outputs(CLI::App& app, OutputWords& words);
void add_html(CLI::App& app, OutputWords& words, std::string_view database);  // as help calls it
std::vector<std::string> format_names();                                      // of reports
void add_wide(CLI::App& app, CommonOptions& common);
void add_one_task(CLI::App& app, std::string& task);
void add_variants(CLI::App& app, VariantRule& rule);
// Adds --allow-torch: the use of torch by Python submissions.
void add_allow_torch(CLI::App& app, std::string& policy);
// Options of a command that ranks or pays stored rows.
void add_trust(CLI::App& app, Trust& trust);
// The name of a reward, which must be one (runner/reward).
void add_reward(CLI::App& app, std::string& reward, const std::string& help);
void add_reward(CLI::App& app, std::optional<std::string>& reward, const std::string& help);
CLI::Option* add_pairs(CLI::App& app, int& pairs, int most, const std::string& help);
void add_vendor(CLI::App& app, bool& vendor);
void add_baseline(CLI::App& app, Side& baseline);

// A row of a stored run: RUN, --db, --task; and which submission of several.
void add_row_choice(CLI::App& app, RowChoice& row);
void add_submission_choice(CLI::App& app, RowChoice& row);

}  // namespace kbench
