// What the command line asked for, as plain values. main.cpp fills these from the option table; the
// commands only read them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runner/cli/terminal.hpp"

namespace kbench {

enum class OutputFormat { kTable, kJson };

struct Reporter;  // reports/reporter.hpp

// One report that is to be written.
struct OutputRequest {
  const Reporter* reporter = nullptr;         // how
  std::optional<std::filesystem::path> file;  // where to; empty: standard output
};

// Options that every command takes.
struct CommonOptions {
  int verbosity = 0;  // -1 quiet, 0 normal, 1 and above verbose
  ColorMode color = ColorMode::kAuto;
  std::optional<std::filesystem::path> suite;  // a folder with levelN/; else the installation's
};

// `kbench run`. Where a value is empty the command chooses by what the machine has.
struct RunOptions {
  CommonOptions common;
  std::vector<int> levels;            // empty: all
  std::vector<std::string> tasks;     // patterns of select_tasks; empty: all
  std::optional<std::string> size;    // "small" or "full"
  std::optional<std::string> device;  // "cpu", "cuda" or "cuda:N"
  std::string precision = "torch-default";
  std::string profile = "kbench";  // one of verify/profile.hpp
  std::optional<std::filesystem::path> submissions;
  std::optional<std::string> agent;           // only this agent's submissions
  std::optional<std::filesystem::path> file;  // a single submission, in place of a folder
  bool baselines_only = false;
  std::optional<int> jobs;   // compilations at once; empty: by the number of cores
  bool quick = false;        // the fewest blocks that give a ratio
  int budget_seconds = 180;  // that one submission may keep the run waiting
  std::filesystem::path database = "kbench.sqlite";
  std::optional<std::string> resume;   // a run's id or a unique prefix of it, or "latest"
  std::vector<OutputRequest> outputs;  // none: for a caller that reads the database
  std::string command_line;            // as typed, for the store
};

// `kbench tasks list|show|header|prompt`.
struct TasksOptions {
  CommonOptions common;
  std::vector<int> levels;
  std::string task;                   // but list: must select exactly one
  std::optional<std::string> size;    // show: else all; header: else "small"; prompt: by the device
  std::optional<std::string> device;  // prompt: "cpu", "cuda" or "cuda:N"; else what there is
  OutputFormat format = OutputFormat::kTable;
};

// `kbench import`.
struct ImportOptions {
  CommonOptions common;
  std::vector<std::filesystem::path> paths;
  std::filesystem::path out;   // the suite; made where it is missing
  std::string mode = "train";  // "train" (batch statistics) or "eval" (running statistics)
  int level = 1;               // of sources that do not tell theirs
  int jobs = 0;                // 0: one for each processor
  int timeout_s = 120;         // processor time of one file
  int memory_gib = 12;         // address space of one file
  OutputFormat format = OutputFormat::kTable;
};

// `kbench tasks lint`. Where a value is empty the command chooses by what the machine has.
struct LintOptions {
  CommonOptions common;
  std::vector<int> levels;            // empty: all
  std::vector<std::string> tasks;     // patterns of select_tasks; empty: all
  std::optional<std::string> size;    // "small" or "full"
  std::optional<std::string> device;  // "cpu", "cuda" or "cuda:N"
  OutputFormat format = OutputFormat::kTable;
  std::filesystem::path database = "kbench.sqlite";
};

// `kbench report`.
struct ReportOptions {
  CommonOptions common;
  std::filesystem::path database = "kbench.sqlite";
  std::optional<std::string> run;  // else the newest
  std::vector<OutputRequest> outputs;
};

// `kbench doctor`.
struct DoctorOptions {
  CommonOptions common;
  OutputFormat format = OutputFormat::kTable;
};

// `kbench selftest timing`.
struct TimingSelftestRequest {
  CommonOptions common;
  std::optional<std::string> device;  // "cpu", "cuda" or "cuda:N"; else what there is
  std::optional<int> rounds;          // runs; else by the device
  OutputFormat format = OutputFormat::kTable;
};

// `kbench selftest sandbox`.
struct SelftestRequest {
  CommonOptions common;
  std::string device = "cpu";        // "cpu", "cuda" or "cuda:N"
  std::vector<std::string> without;  // layers that are not used although they work
  std::vector<std::string> only;     // names of escapes; empty: all
  OutputFormat format = OutputFormat::kTable;
};

}  // namespace kbench
