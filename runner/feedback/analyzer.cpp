#include "runner/feedback/analyzer.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runner/feedback/probe_tools.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/submission/compiling.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMostNestBytes = 24u << 10;
constexpr std::size_t kMostTidyFindings = 20;
constexpr std::size_t kLongestFinding = 300;
constexpr std::size_t kMostPrinted = 1u << 20;
constexpr std::uint64_t kTidyBytes = 4ull << 30;
// Checks of what goes wrong or costs time, none of style.
constexpr const char* kChecks =
    "-*,bugprone-*,clang-analyzer-*,performance-*,-bugprone-easily-swappable-parameters,"
    "-bugprone-narrowing-conversions,-bugprone-implicit-widening-of-multiplication-result,"
    "-bugprone-reserved-identifier";

bool is_source(const std::string& name) {
  for (const char* ending : {".cpp", ".cu", ".cuh", ".hpp", ".h", ".cc"})
    if (name.ends_with(ending)) return true;
  return false;
}

std::string own_name(std::string name) {
  if (name.starts_with("src/")) name.erase(0, 4);
  return name;
}

std::string loop_text(const Loop& loop) {
  std::string text =
      fmt::format("{:{}}line {}: {} ({})", "", 2 * loop.depth, loop.line, loop.kind, loop.head);
  if (!loop.subscripts.empty())
    text += fmt::format("; reads or writes {}", fmt::join(loop.subscripts, ", "));
  if (!loop.calls.empty()) text += fmt::format("; calls {}", fmt::join(loop.calls, ", "));
  return text + "\n";
}

std::string file_text(const SourceFile& file) {
  const LoopReading reading = read_loops(file.bytes);
  std::string text;
  const std::string* function = nullptr;
  for (const Loop& loop : reading.loops) {
    if (loop.parent < 0 && (function == nullptr || *function != loop.function))
      text += fmt::format("{}: {}\n", own_name(file.name),
                          loop.function.empty() ? "no function" : loop.function);
    function = &loop.function;
    text += loop_text(loop);
  }
  for (const Omission& one : reading.left_out)
    text +=
        fmt::format("{}:{}: a '{}' seems to be missing\n", own_name(file.name), one.line, one.sign);
  return text;
}

std::string_view next_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

// "/x/src/relu.cpp:12:5: warning: words [check]".
std::string finding_of(std::string_view line) {
  constexpr std::string_view kWarning = ": warning: ";
  constexpr std::string_view kSources = "/src/";
  const std::size_t at = line.find(kWarning);
  if (at == line.npos || !line.ends_with(']') || line.find("[clang-diagnostic-error") != line.npos)
    return "";
  std::string_view place = line.substr(0, at);
  const std::size_t column = place.rfind(':');
  if (column == place.npos) return "";
  place = place.substr(0, column);
  if (const std::size_t own = place.rfind(kSources); own != place.npos)
    place.remove_prefix(own + kSources.size());
  if (place.starts_with("./")) place.remove_prefix(2);
  if (place.starts_with('/') || place.starts_with("..")) return "";
  return clean_name(fmt::format("{}: {}", place, line.substr(at + kWarning.size())),
                    kLongestFinding);
}

std::vector<std::string> tidy_arguments(const ProbePlace& place, const ProbedKernel& kernel,
                                        const std::filesystem::path& tidy) {
  std::vector<std::string> arguments = {tidy.string(), "--quiet",
                                        fmt::format("--checks={}", kChecks), "--config={}",
                                        "--header-filter=^$"};
  for (const auto& source : kernel.submission.sources) {
    const auto name = kernel.submission.folder.empty()
                          ? source.filename()
                          : source.lexically_relative(kernel.submission.folder);
    arguments.push_back("./" + name.string());
  }
  arguments.insert(arguments.end(), {"--", "-I../abi", "-I../task", "-I../include"});
  const std::string toolkit = toolkit_folder(place.toolchain).string();
  // Headers of the toolkit include others that nvcc finds by itself: CCCL's. If clang does not know
  // the toolkit's version, it takes <<<>>> as that of CUDA 9, and stops there.
  if (kernel.submission.device == "cuda")
    arguments.insert(
        arguments.end(),
        {"-x", "cuda", "-std=c++17", "--cuda-gpu-arch=sm_90", "--cuda-device-only", "-nocudalib",
         "-Wno-unknown-cuda-version", "--cuda-path=" + toolkit, "-isystem",
         toolkit + "/include/cccl", "-Xclang", "-target-sdk-version=13.0"});
  else
    arguments.insert(arguments.end(), {"-std=c++20", "-march=native", "-fopenmp"});
  return arguments;
}

Result<CommandReport> tidy_report(const ProbePlace& place, const ProbedKernel& kernel,
                                  const std::filesystem::path& tidy,
                                  std::chrono::milliseconds patience) {
  const bool cuda = kernel.submission.device == "cuda";
  const auto staging = stage_probe(place, kernel);
  if (!staging) return staging.error();
  SandboxCommand command;
  command.argv = tidy_arguments(place, kernel, tidy);
  command.readable = compiler_folders(place.toolchain, cuda && !place.toolchain.nvcc.empty());
  command.readable.push_back(staging->path());
  command.readable.push_back(tidy.parent_path().parent_path());
  command.working_directory = staging->path() / "src";
  set_compiler_environment(place.toolchain, false, staging->out(), command);
  command.max_resident_bytes = kTidyBytes;
  command.max_processes = 64;
  const auto output = run_to_end(place.sandbox, std::move(command), patience, kMostPrinted);
  if (!output) return output.error();
  if (output->timed_out) return CommandReport{"timeout", "clang-tidy did not end in time.\n"};
  if (!output->exit.exited)
    return CommandReport{fmt::format("signal {}", output->exit.signal),
                         fmt::format("clang-tidy was ended by signal {}.\n", output->exit.signal)};
  const auto findings = tidy_findings(output->out);
  if (findings.empty()) return CommandReport{"answered", "clang-tidy: nothing was found.\n"};
  return CommandReport{"answered", fmt::format("clang-tidy:\n  {}\n", fmt::join(findings, "\n  "))};
}

}  // namespace

std::string nests_text(const std::vector<SourceFile>& files) {
  std::string text;
  for (const SourceFile& file : files)
    if (is_source(file.name)) text += file_text(file);
  if (text.empty()) return "No loops were found.\n";
  const bool cut = text.size() > kMostNestBytes;
  return clean_text(text, kMostNestBytes) + (cut ? "\n[cut]\n" : "");
}

std::vector<std::string> tidy_findings(std::string_view printed) {
  std::vector<std::string> findings;
  while (!printed.empty() && findings.size() < kMostTidyFindings) {
    std::string finding = finding_of(next_line(printed));
    if (!finding.empty() && std::find(findings.begin(), findings.end(), finding) == findings.end())
      findings.push_back(std::move(finding));
  }
  return findings;
}

Result<CommandReport> analyzer_report(const ProbePlace& place, const ProbedKernel& kernel,
                                      std::chrono::milliseconds patience) {
  CommandReport report{"answered", nests_text(kernel.files)};
  if (kernel.submission.kind == SubmissionKind::kPython)
    return CommandReport{"answered", "It is written in Python: loops of C++ and CUDA are read."};
  const auto tidy = find_clang_tidy();
  if (tidy.empty()) return report;
  const auto said = tidy_report(place, kernel, tidy, patience);
  if (!said) return said.error();
  report.status = said->status;
  report.text += said->text;
  return report;
}

}  // namespace kbench
