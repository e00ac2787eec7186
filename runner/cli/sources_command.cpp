#include <filesystem>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "runner/again/stored_row.hpp"
#include "runner/cli/command_options.hpp"
#include "runner/cli/printing.hpp"
#include "runner/cli/verbs.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Refuses a folder that is not empty: nothing there is written over, and nothing there (a link, for
// example) leads elsewhere.
Status check_empty(const fs::path& folder) {
  std::error_code error;
  if (fs::symlink_status(folder, error).type() == fs::file_type::not_found) return Done{};
  const bool empty = fs::is_directory(folder, error) && fs::is_empty(folder, error);
  if (empty && !error) return Done{};
  return Error{ErrorCode::kUsage, fmt::format("--out {} is no empty folder", folder.string()),
               "Name one that is empty, or that does not exist yet."};
}

Result<std::string> write_sources(const SourcesOptions& options, const Installation& installation) {
  const auto row = find_stored_row(options.row, installation);
  if (!row) return row.error();
  if (auto empty = check_empty(options.out); !empty) return empty.error();
  const auto submission = write_stored_sources(*row, options.out);
  if (!submission) return submission.error();
  return fmt::format("{} written; {}", counted(row->evaluation.sources.size(), "file"),
                     evaluating_command(*row, options.out, *submission));
}

}  // namespace

CLI::App* add_sources(CLI::App& app, SourcesOptions& options) {
  auto& sources = add_verb(app, "sources", "Write the files that a stored row was made from");
  add_row_choice(sources, options.row);
  add_value(sources, "--agent", options.row.agent, "NAME",
            "Who submitted (default: the only agent of the task)");
  add_submission_choice(sources, options.row);
  add_value(sources, "--out", options.out, "DIR", "Folder: an empty one, or a new one")->required();
  add_common(sources, options.common, false);
  return &sources;
}

Result<End> call(const SourcesOptions& options, const Installation& installation) {
  const auto written = write_sources(options, installation);
  if (!written) return written.error();
  return good(*written);
}

}  // namespace kbench
