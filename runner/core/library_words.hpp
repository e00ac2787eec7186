// How a submission's compiled library fails to load, in words: those of the worker, which loads it,
// and of whoever looks at its symbols before any device is waited for.
#pragma once

namespace kbench {

inline constexpr const char* kForwardName = "kbench_forward";
inline constexpr const char* kNoForward = "the library has no kbench_forward";
inline constexpr const char* kNoForwardHint =
    "define it as extern \"C\" with the signature in task.h";

// Stands before the loader's own words, such as "undefined symbol: f".
inline constexpr const char* kDoesNotLoad = "the library does not load: ";
inline constexpr const char* kDoesNotLoadHint =
    "every symbol it uses must be in it, in libc or in what the manifest asks for";

}  // namespace kbench
