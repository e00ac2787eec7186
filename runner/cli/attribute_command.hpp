// `kbench attribute analyze`: what a file of cells says about each component of feedback. Options,
// the option table, and the command; no database, no device.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runner/cli/options.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace kbench {

struct AttributeOptions {
  CommonOptions common;
  std::filesystem::path file;                 // lines of data/schema/cell.schema.json
  std::optional<std::string> outcome;         // primary; else "correct", or the first by name
  std::optional<std::string> arm;             // primary; else the first of direct, plan, both
  std::vector<std::string> by;                // groups that are held against each other
  std::optional<std::filesystem::path> html;  // page to write
  OutputFormat format = OutputFormat::kTable;
};

// The command `attribute analyze`.
CLI::App* add_attribute(CLI::App& app, AttributeOptions& options);

// Returns the exit status.
int attribute_command(const AttributeOptions& options);

}  // namespace kbench
