#include "runner/print/build_caution.hpp"

#include <fmt/format.h>

namespace kbench {

std::string debug_caution(const BuildInfo& info) {
  if (!info.debug) return "";
  return fmt::format(
      "this is a debug build ({}): its times mean nothing; third_party/setup makes a Release build",
      info.build_type.empty() ? "no build type" : info.build_type);
}

}  // namespace kbench
