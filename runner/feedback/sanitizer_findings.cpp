#include "runner/feedback/sanitizer_findings.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMostFrames = 4;
constexpr std::size_t kLongestLine = 300;
constexpr std::string_view kProbe = "kbench-probe: ";

struct Kind {
  std::string_view mark;
  std::string_view kind;
};

// Words of the address sanitizer behind its name.
constexpr std::array<Kind, 11> kAddress = {{{"use-after-free", "use after free"},
                                            {"use-after-poison", "use after free"},
                                            {"use-after-return", "use after return"},
                                            {"use-after-scope", "use after scope"},
                                            {"buffer-overflow", "out of bounds"},
                                            {"buffer-underflow", "out of bounds"},
                                            {"container-overflow", "out of bounds"},
                                            {"SEGV", "out of bounds"},
                                            {"param-overlap", "overlap"},
                                            {"double-free", "double free"},
                                            {"stack-overflow", "stack overflow"}}};

constexpr std::array<Kind, 8> kUndefined = {{{"integer overflow", "overflow"},
                                             {"shift", "overflow"},
                                             {"negation of", "overflow"},
                                             {"pointer index expression", "out of bounds"},
                                             {"out of bounds", "out of bounds"},
                                             {"insufficient space", "out of bounds"},
                                             {"null pointer", "null pointer"},
                                             {"division by zero", "division by zero"}}};

constexpr std::array<Kind, 8> kDevice = {{{"Race reported", "race"},
                                          {"hazard", "race"},
                                          {"Uninitialized", "uninitialised memory"},
                                          {"Barrier error", "barrier"},
                                          {"Invalid __", "out of bounds"},
                                          {"misaligned", "misaligned"},
                                          {"out of bounds", "out of bounds"},
                                          {"Program hit", "error of the API"}}};

template <std::size_t N>
std::string kind_of(std::string_view line, const std::array<Kind, N>& kinds,
                    std::string_view otherwise) {
  for (const Kind& one : kinds)
    if (line.find(one.mark) != line.npos) return std::string(one.kind);
  return std::string(otherwise);
}

std::string_view next_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.remove_suffix(1);
  return line;
}

// Digits and the colons between them: "12", "12:5".
bool is_place(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789:") == text.npos;
}

// "./relu.cpp:12:5" as "relu.cpp:12"; nothing where the file is none of the kernel's.
std::optional<std::string> own_place(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == text.npos || !is_place(text.substr(colon + 1))) return std::nullopt;
  std::string_view file = text.substr(0, colon);
  if (file.starts_with("./")) file.remove_prefix(2);
  const bool of_agent = file.starts_with("../include/");
  if (of_agent) file.remove_prefix(3);
  if (file.empty() || file.starts_with('/') || file.starts_with("..")) return std::nullopt;
  const std::string_view numbers = text.substr(colon + 1);
  return fmt::format("{}:{}", file, numbers.substr(0, numbers.find(':')));
}

// "#0 0x55 in kbench_forward relu.cpp:12" as "relu.cpp:12 in kbench_forward".
std::optional<std::string> own_frame(std::string_view line) {
  if (!line.starts_with('#')) return std::nullopt;
  const std::size_t in = line.find(" in ");
  const std::size_t blank = line.rfind(' ');
  if (in == line.npos || blank <= in + 4) return std::nullopt;
  const auto place = own_place(line.substr(blank + 1));
  if (!place) return std::nullopt;
  return fmt::format("{} in {}", *place, line.substr(in + 4, blank - in - 4));
}

void add_frame(SanitizerFinding& finding, std::string frame) {
  if (finding.at.size() < kMostFrames) finding.at.push_back(clean_name(frame, kLongestLine));
}

// Lines of one report of the address sanitizer, up to its summary.
SanitizerFinding address_finding(std::string_view first, std::string_view& rest,
                                 std::string_view near) {
  constexpr std::string_view kName = "AddressSanitizer: ";
  const std::string_view name = first.substr(first.find(kName) + kName.size());
  SanitizerFinding finding{kind_of(name, kAddress, name.substr(0, name.find(' '))), "", {}};
  std::string access;
  std::string region;
  bool first_stack = true;
  while (!rest.empty()) {
    const std::string_view line = trimmed(next_line(rest));
    if (line.starts_with("SUMMARY:")) break;
    if (line.starts_with("READ of size") || line.starts_with("WRITE of size"))
      access = line.substr(0, line.find(" at "));
    if (line.find("is caused by a READ") != line.npos) access = "READ";
    if (line.find("is caused by a WRITE") != line.npos) access = "WRITE";
    if (const std::size_t at = line.find(" is located "); at != line.npos)
      region = line.substr(at + 12, line.find(" region [") - at - 12);
    if (line.find("<== Memory access at offset") != line.npos)
      region = "a local variable: " + std::string(line.substr(0, line.find(" <==")));
    if (line.empty() && !finding.at.empty()) first_stack = false;
    if (auto frame = own_frame(line); frame && first_stack) add_frame(finding, std::move(*frame));
  }
  std::string what(name.substr(0, name.find(" on ")));
  if (!access.empty()) what += ", " + access;
  if (!near.empty())
    what += fmt::format(", {}", near);
  else if (!region.empty())
    what += fmt::format(", {}", region);
  finding.what = clean_name(what, kLongestLine);
  return finding;
}

void add_finding(std::vector<SanitizerFinding>& findings, SanitizerFinding finding) {
  if (findings.size() >= kMostFindings) return;
  if (std::find(findings.begin(), findings.end(), finding) == findings.end())
    findings.push_back(std::move(finding));
}

// "at void f<int>(float*)+0x70 in relu.cu:12" and older "at 0x70 in /x/relu.cu:12:f(float*)".
std::optional<std::string> device_place(std::string_view line) {
  constexpr std::string_view kAt = "at ";
  if (!line.starts_with(kAt)) return std::nullopt;
  line.remove_prefix(kAt.size());
  const std::size_t in = line.rfind(" in ");
  if (in == line.npos) return std::string(line.substr(0, line.rfind('+')));
  std::string_view file = line.substr(in + 4);
  file = file.substr(0, file.find(" ["));  // the number of hazards differs from call to call
  if (const std::size_t slash = file.rfind('/'); slash != file.npos) file.remove_prefix(slash + 1);
  const std::string_view function = line.substr(0, line.rfind('+', in));
  return fmt::format("{} in {}", file, function);
}

bool opens_device_finding(std::string_view line) {
  constexpr std::array<std::string_view, 9> kOpens = {
      "Invalid ", "Uninitialized ", "Barrier error", "Error: ",   "Warning: Race",
      "Race ",    "Program hit",    "Malloc/Free",   "Address 0x"};
  return std::any_of(kOpens.begin(), kOpens.end(),
                     [&](std::string_view open) { return line.starts_with(open); });
}

// Both accesses of a race are in its first lines: "Error: Race reported between Write access at
// f(float*)+0x70 in relu.cu:12".
void add_race_place(std::string_view line, SanitizerFinding& finding) {
  const std::size_t at = line.find("access at ");
  if (at == line.npos) return;
  if (auto place = device_place(line.substr(at + 7))) add_frame(finding, std::move(*place));
}

}  // namespace

std::vector<SanitizerFinding> address_findings(std::string_view printed) {
  std::vector<SanitizerFinding> findings;
  std::string_view near;
  while (!printed.empty()) {
    const std::string_view line = trimmed(next_line(printed));
    if (line.starts_with(kProbe) && line.find(" bytes ") != line.npos)
      near = line.substr(kProbe.size());
    if (line.find("ERROR: AddressSanitizer: ") != line.npos) {
      add_finding(findings, address_finding(line, printed, near));
      near = {};
      continue;
    }
    const std::size_t error = line.find(": runtime error: ");
    if (error == line.npos) continue;
    const std::string_view said = line.substr(error + 17);
    auto place = own_place(line.substr(0, error));
    if (!place) continue;
    add_finding(findings, {kind_of(said, kUndefined, "undefined behaviour"),
                           clean_name(said, kLongestLine),
                           {clean_name(*place, kLongestLine)}});
  }
  return findings;
}

std::vector<SanitizerFinding> device_findings(std::string_view printed) {
  std::vector<SanitizerFinding> findings;
  std::optional<SanitizerFinding> open;
  const auto close = [&] {
    if (open) add_finding(findings, std::move(*open));
    open.reset();
  };
  while (!printed.empty()) {
    constexpr std::string_view kMark = "=========";
    std::string_view line = next_line(printed);
    if (!line.starts_with(kMark)) continue;
    line = trimmed(line.substr(kMark.size()));
    if (line.empty()) close();
    if (!open && opens_device_finding(line)) {
      open = SanitizerFinding{kind_of(line, kDevice, "fault"), clean_name(line, kLongestLine), {}};
      add_race_place(line, *open);
    } else if (open) {
      if (line.starts_with("Host Frame") || line.starts_with("Saved host backtrace")) continue;
      if (auto place = device_place(line)) add_frame(*open, std::move(*place));
      add_race_place(line, *open);
    }
  }
  close();
  return findings;
}

std::string findings_text(const std::vector<SanitizerFinding>& findings) {
  std::string text;
  for (const SanitizerFinding& finding : findings) {
    text += fmt::format("{}: {}\n", finding.kind, finding.what);
    for (const std::string& at : finding.at) text += fmt::format("  at {}\n", at);
  }
  return text;
}

}  // namespace kbench
