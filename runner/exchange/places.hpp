// Names of what an exchange has in its folder, and a space in its own.
#pragma once

namespace kbench {

inline constexpr const char* kMarkerFile = "pool";    // file that the group's key signs
inline constexpr const char* kCacheFolder = "cache";  // each kind has a folder below it
inline constexpr const char* kTermsFile = "terms";    // terms of a space
inline constexpr const char* kRunsFolder = "runs";
inline constexpr const char* kKeysFolder = "keys";

}  // namespace kbench
