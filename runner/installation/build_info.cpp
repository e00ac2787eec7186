#include "runner/installation/build_info.hpp"

#include <fmt/format.h>

#include "runner/core/weakened.hpp"
#include "version_stamp.hpp"  // generated in the build folder

namespace kbench {

BuildInfo build_info() {
  BuildInfo info;
  info.version = KBENCH_VERSION;
  info.commit = stamp::kCommit;
  info.date = stamp::kDate;
  info.dirty = stamp::kDirty;
  info.build_type = KBENCH_BUILD_TYPE;
  info.compiler = KBENCH_COMPILER;
#ifndef NDEBUG
  info.debug = true;
#endif
  return info;
}

std::string built_with_python() { return KBENCH_PYTHON; }

std::string built_with_torch() { return KBENCH_TORCH_VERSION; }

std::string built_from() { return KBENCH_ROOT; }

std::string version_text(const BuildInfo& info) {
  return fmt::format("kbench {} ({}{}), {}, {}{}", info.version, info.commit,
                     info.dirty ? ", dirty" : "", info.build_type, info.compiler,
                     is_weakened() ? ", weakened: for tests" : "");
}

}  // namespace kbench
