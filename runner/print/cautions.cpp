#include "runner/print/cautions.hpp"

#include <fmt/format.h>

#include "runner/os/clean_text.hpp"

namespace kbench {

std::string debug_caution(const BuildInfo& info) {
  if (!info.debug) return "";
  return fmt::format(
      "this is a debug build ({}): its times mean nothing; third_party/setup makes a Release build",
      info.build_type.empty() ? "no build type" : info.build_type);
}

void print_labelled(std::FILE* stream, const std::string& label, std::string_view text) {
  bool first = true;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto line = text.substr(0, end);
    fmt::print(stream, "{} {}\n", first ? label : "      ", printable(line));
    first = false;
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
}

}  // namespace kbench
