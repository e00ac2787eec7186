// Options that several verbs have, a function each: a device, a database, tasks, a format. They
// know no verb and no struct of options.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "runner/core/evaluation.hpp"
#include "runner/options/option_kinds.hpp"

namespace kbench {

enum class OutputFormat { kTable, kJson };

inline constexpr const char* kDeviceHelp = "Device (default: cuda where there is a GPU, else cpu)";

template <class Text>  // a string, or an optional one
void add_device(CLI::App& app, Text& device, const std::string& help = kDeviceHelp) {
  app.add_option("--device", device, help)->check(device_name())->type_name("");
}

// Adds --devices, in the place of --device.
void add_devices(CLI::App& app, std::optional<std::string>& devices);

// Adds --format and --json.
void add_json(CLI::App& app, OutputFormat& format, const std::string& what = "Format");
void add_suite(CLI::App& app, std::optional<std::filesystem::path>& suite);
void add_database(CLI::App& app, std::filesystem::path& database,
                  const std::string& help = "SQLite database (default: kbench.sqlite)");
void add_size(CLI::App& app, std::optional<std::string>& size,
              const std::string& help = "Size of the tasks (default: full on CUDA, small on CPU)");
// The precision class of a run, or of what is shown of a task.
void add_precision(CLI::App& app, std::string& precision);
void add_task_globs(CLI::App& app, std::vector<std::string>& tasks);
// The one task of `tasks show` and of similar commands.
void add_one_task(CLI::App& app, std::string& task);
// --tag, may be repeated; a word that is no tag is an error of the command line.
void add_tags(CLI::App& app, std::vector<std::string>& tags);
void add_levels(CLI::App& app, std::vector<int>& levels,
                const std::string& help = "Level, or several: 1,2 (default: all)");
// Adds --columns: names of columns of a table; `known`: all that it has.
CLI::Option* add_columns(CLI::App& app, std::vector<std::string>& columns, const std::string& help);
void add_columns(CLI::App& app, std::vector<std::string>& columns,
                 const std::vector<std::string>& known);
void add_part_of_device(CLI::App& app, std::optional<std::string>& device,
                        const std::string& otherwise);
// Adds --allow-torch: the use of torch by Python submissions.
void add_allow_torch(CLI::App& app, std::string& policy);
CLI::Option* add_pairs(CLI::App& app, int& pairs, int most, const std::string& help);
void add_vendor(CLI::App& app, bool& vendor);
void add_baseline(CLI::App& app, Side& baseline);

}  // namespace kbench
