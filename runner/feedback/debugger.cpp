#include "runner/feedback/debugger.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <future>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/feedback/probe_tools.hpp"
#include "runner/feedback/sanitizer_findings.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/write_hint.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kEnded = "kbench-probe: ended with status ";
constexpr std::size_t kShown = 300;

milliseconds left_until(Clock::time_point deadline) {
  return std::max(milliseconds{1},
                  std::chrono::duration_cast<milliseconds>(deadline - Clock::now()));
}

std::string or_nothing(std::string words) { return words.empty() ? "nothing" : std::move(words); }

// The way in which the program ended before both calls had returned; empty where they did.
CommandReport unusual_end(const ProgramOutput& output, const std::string& under) {
  if (output.timed_out)
    return {"timeout", fmt::format("It did not end in time under {}: a sanitizer slows a kernel "
                                   "down, and one that hangs is not told from that.",
                                   under)};
  if (!output.exit.exited)
    return {fmt::format("signal {}", output.exit.signal),
            fmt::format("It was ended by signal {} under {}. Its last line of output: {}",
                        output.exit.signal, under, or_nothing(last_words(output.err, kShown)))};
  const std::size_t at = output.err.rfind(kEnded);
  if (at == output.err.npos)
    return {fmt::format("exit {}", output.exit.code),
            fmt::format("The process ended with exit status {} before its calls had returned: {}",
                        output.exit.code, last_words(output.err, kShown))};
  const std::string status = output.err.substr(at + kEnded.size());
  if (!status.starts_with("0\n"))
    return {"answered", fmt::format("It returned {} and not 0.",
                                    clean_name(status.substr(0, status.find('\n')), 12))};
  return {"answered", ""};
}

// Sentences on what the program did beside its calls.
std::string notes_on(const ProgramOutput& output) {
  std::string notes;
  if (output.truncated) notes += "It prints more than is read; nothing behind that was seen.\n";
  if (output.err.find(kEnded) != output.err.rfind(kEnded))
    notes += "It starts processes of its own, which return from the call as well.\n";
  return notes;
}

// `under`: the tool. `blind`: a sentence on what it does not look for, behind a clean report's.
CommandReport report_of(const ProgramOutput& output, const std::vector<SanitizerFinding>& findings,
                        const std::string& under, const char* blind = "") {
  CommandReport report = unusual_end(output, under);
  const bool nothing = findings.empty() && report.text.empty();
  report.is_clean = nothing && !output.truncated;
  if (nothing)
    report.text = fmt::format("Nothing was found in two calls under {}.{}", under, blind);
  if (!findings.empty()) report = {"answered", findings_text(findings)};
  report.text = notes_on(output) + report.text;
  return report;
}

Result<CommandReport> on_cpu(const ProbePlace& place, const ProbeFolder& folder,
                             Clock::time_point deadline) {
  const auto output = run_probe(place, folder,
                                {.argv = {folder.program.string(), folder.stored.string()},
                                 .scratch = folder.staging.out(),
                                 .patience = left_until(deadline)});
  if (!output) return output.error();
  return report_of(*output, address_findings(output->err),
                   "the address and undefined-behaviour sanitizers",
                   " Neither looks for races between threads, nor for values read before they are "
                   "written.");
}

// An element behind an allocation belongs to the same block of the device's memory, so memcheck
// needs space around each.
constexpr std::array<std::pair<const char*, const char*>, 4> kTools = {
    {{"memcheck", "--padding=1024"},
     {"racecheck", "--racecheck-report=analysis"},
     {"initcheck", "--print-limit=20"},
     {"synccheck", "--print-limit=20"}}};

using Tool = decltype(kTools)::value_type;

Result<ProgramOutput> watched_by(const Tool& tool, const fs::path& sanitizer,
                                 const ProbePlace& place, const ProbeFolder& folder,
                                 Clock::time_point deadline) {
  const fs::path scratch = folder.staging.path() / tool.first;
  std::error_code error;
  fs::create_directory(scratch, error);
  if (error)
    return Error{ErrorCode::kInfrastructure,
                 fmt::format("{} cannot be made: {}", scratch.string(), error.message()),
                 std::string(write_hint(error.value()))};
  return run_probe(
      place, folder,
      {.argv = {sanitizer.string(), "--tool", tool.first, tool.second, "--show-backtrace", "device",
                folder.program.string(), folder.stored.string()},
       .scratch = scratch,
       .cuda = true,
       .patience = left_until(deadline)});
}

struct ToolsReport {
  std::string tools;  // "racecheck, initcheck"
  std::string text;
};

// Four at a time may want more of the device than one.
bool lacked_memory(const ProgramOutput& output) {
  return output.exit.exited && output.exit.code != 0 &&
         output.err.find("kbench-probe: no memory for ") != output.err.npos;
}

Result<CommandReport> on_cuda(const ProbePlace& place, const ProbeFolder& folder,
                              Clock::time_point deadline) {
  const auto sanitizer = find_compute_sanitizer(place.toolchain.nvcc);
  if (sanitizer.empty())
    return CommandReport{kToolMissing, "compute-sanitizer is not there: nothing was looked at."};
  const auto watch = [&](const Tool& tool) {
    return watched_by(tool, sanitizer, place, folder, deadline);
  };
  // Side by side: a tool takes seconds to start, in which the device does nothing.
  std::array<std::future<Result<ProgramOutput>>, kTools.size()> outputs;
  std::ranges::transform(kTools, outputs.begin(), [&](const Tool& tool) {
    return std::async(std::launch::async, [&] { return watch(tool); });
  });
  CommandReport all{.status = "answered", .text = "", .is_clean = true};
  std::string clean;
  std::vector<ToolsReport> told;  // tools that say the same stand together
  for (std::size_t at = 0; at < kTools.size(); ++at) {
    const char* const tool = kTools[at].first;
    auto output = outputs[at].get();
    if (output && lacked_memory(*output)) {
      for (const auto& other : outputs)
        if (other.valid()) other.wait();
      output = watch(kTools[at]);
    }
    if (!output) return output.error();
    const auto findings = device_findings(output->out + output->err);
    const CommandReport one = report_of(*output, findings, tool);
    if (one.status != "answered") all.status = one.status;
    all.is_clean = all.is_clean && one.is_clean;
    if (one.is_clean)
      clean += (clean.empty() ? "" : ", ") + std::string(tool);
    else if (!told.empty() && told.back().text == one.text)
      told.back().tools += fmt::format(", {}", tool);
    else
      told.push_back({tool, one.text});
  }
  for (const auto& [tools, text] : told)
    all.text += fmt::format("{}\n{}{}", tools, text, text.ends_with('\n') ? "" : "\n");
  if (!clean.empty()) all.text += fmt::format("Nothing was found by {}.\n", clean);
  return all;
}

}  // namespace

Result<CommandReport> debugger_report(const ProbePlace& place, const ProbedKernel& kernel,
                                      milliseconds patience) {
  if (kernel.submission.kind == SubmissionKind::kPython)
    return CommandReport{"answered", "It is written in Python, which no sanitizer runs."};
  const auto deadline = Clock::now() + patience;
  const auto folder = build_probe(place, kernel, patience);
  if (!folder && folder.error().code == ErrorCode::kTimeout)
    return CommandReport{"timeout", "It did not compile in time for the sanitizers."};
  if (!folder && folder.error().code == ErrorCode::kSubmission)
    return CommandReport{"not built",
                         "It does not compile for the sanitizers:" + folder.error().message};
  if (!folder) return folder.error();
  return kernel.submission.device == "cuda" ? on_cuda(place, *folder, deadline)
                                            : on_cpu(place, *folder, deadline);
}

}  // namespace kbench
