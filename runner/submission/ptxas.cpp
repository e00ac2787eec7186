#include "runner/submission/ptxas.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <sstream>

namespace kbench {
namespace {

constexpr std::size_t kLongestName = 1000;

struct Free {
  void operator()(char* text) const { std::free(text); }  // NOLINT: of the C library
};

// A foreign name, cut short enough for the demangler.
std::string demangled(std::string_view name) {
  const std::string given(name.substr(0, kLongestName));
  if (name.size() > kLongestName) return given;
  int status = 0;
  const std::unique_ptr<char, Free> text(
      abi::__cxa_demangle(given.c_str(), nullptr, nullptr, &status));
  return status == 0 && text ? std::string(text.get()).substr(0, kLongestName) : given;
}

// "ptxas info    : Compiling entry function 'NAME' for 'sm_90a'".
std::optional<std::string_view> entry_name(std::string_view line) {
  constexpr std::string_view kBegin = "Compiling entry function '";
  const auto begin = line.find(kBegin);
  if (!line.starts_with("ptxas info") || begin == line.npos) return std::nullopt;
  const std::string_view rest = line.substr(begin + kBegin.size());
  const auto end = rest.find('\'');
  if (end == rest.npos || end == 0) return std::nullopt;
  return rest.substr(0, end);
}

// The number right before `what`; zero where there is none.
int number_before(std::string_view line, std::string_view what) {
  constexpr std::size_t kMostDigits = 9;
  const auto end = line.find(what);
  if (end == line.npos) return 0;
  auto begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  const std::string digits(line.substr(begin, end - begin));
  return digits.size() > kMostDigits ? 0 : std::atoi(digits.c_str());
}

}  // namespace

AssemblerReport read_ptxas(std::string_view text) {
  AssemblerReport report;
  KernelResources* kernel = nullptr;  // functions that are no kernels have lines of their own
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (const auto name = entry_name(line)) {
      report.kernels.push_back({.name = demangled(*name)});
      kernel = &report.kernels.back();
    } else if (line.find(" bytes stack frame, ") != line.npos) {
      if (kernel == nullptr) continue;
      kernel->stack_bytes = number_before(line, " bytes stack frame");
      kernel->spill_store_bytes = number_before(line, " bytes spill stores");
      kernel->spill_load_bytes = number_before(line, " bytes spill loads");
    } else if (line.starts_with("ptxas info") && line.find(": Used ") != line.npos) {
      if (kernel == nullptr) continue;
      kernel->registers = number_before(line, " registers");
      kernel->shared_bytes = number_before(line, " bytes smem");
      kernel = nullptr;
    } else if (!line.starts_with("ptxas info")) {
      report.rest += line + "\n";
    }
  }
  return report;
}

}  // namespace kbench
