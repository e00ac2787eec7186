// The option table: turns the words of the command line into one of the option structs, with the
// help of command_options (what several commands share) and command_help (what stands below the
// options). Nothing is executed here.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "runner/cli/options.hpp"
#include "runner/core/result.hpp"
#include "runner/options/settings.hpp"

namespace kbench {

// Help, the version, completions or the manual was asked for: print the text to standard output,
// exit with 0.
struct PrintText {
  std::string text;
};

using Request = std::variant<
    PrintText, HelpRequest, RunOptions, BuildOptions, TasksOptions, LintOptions, ImportOptions,
    SynthOptions, ReportOptions, SourcesOptions, ReproduceOptions, RunsOptions, TagOptions,
    ExplainOptions, NamesOptions, CompareOptions, HistoryOptions, NightlyOptions, WorkspaceOptions,
    ServeOptions, McpOptions, EpisodesOptions, ExportOptions, AgentRunOptions, AttributeOptions,
    StudyOptions, ConfigOptions, DbOptions, DoctorOptions, SelftestRequest, TimingSelftestRequest,
    TrajectoryOptions, CalibrateRequest, ProfileOptions, DebugOptions, ExchangeOptions>;

// `words` is argv, the program's name included; options that are not typed may be set by what is
// around. Errors: kUsage, with the nearest known name where one was misspelt.
[[nodiscard]] Result<Request> parse_command_line(const std::vector<std::string>& words,
                                                 const SetElsewhere& around = {});

}  // namespace kbench
