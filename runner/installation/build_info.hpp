// The sources, compiler and kind of this build. The commit is looked up at every build by
// stamp_version.cmake.
#pragma once

#include <string>
#include <string_view>

namespace kbench {

struct BuildInfo {
  std::string_view version;     // "0.1.0"
  std::string_view commit;      // twelve hex digits; "unknown" outside a git checkout
  std::string_view date;        // date of the commit, "2026-11-25"; outside a checkout of its files
  bool dirty = false;           // tracked files differed from the commit
  std::string_view build_type;  // "Release"
  std::string_view compiler;    // "GNU 12.2.0"
  bool debug = false;           // assertions are on
};

[[nodiscard]] BuildInfo build_info();

// The Python that the build was configured with; empty without one.
[[nodiscard]] std::string built_with_python();

// The version of the LibTorch that the oracle was linked with; empty without one.
[[nodiscard]] std::string built_with_torch();

// The checkout that the build was configured in.
[[nodiscard]] std::string built_from();

// "kbench 0.1.0 (1bce94712345, dirty), Release, GNU 12.2.0"
[[nodiscard]] std::string version_text(const BuildInfo& info);

}  // namespace kbench
