// Turns what SQLite throws into an Error a person can act on. Invariant: no exception of SQLite
// leaves runner/store.
#pragma once

#include <filesystem>
#include <string_view>

#include "runner/core/result.hpp"

namespace SQLite {
class Exception;
}

namespace kbench {

// How long one writer waits for another before giving up.
inline constexpr int kBusyTimeoutMs = 5000;

// How what failed goes on once there is room again.
enum class GoesOn {
  kAnew,      // the same command, once more
  kByResume,  // a run, from where it was
};

// `doing` completes "While …": "adding an evaluation".
[[nodiscard]] Error explain(const SQLite::Exception& exception, const std::filesystem::path& file,
                            std::string_view doing, GoesOn goes_on = GoesOn::kAnew);

}  // namespace kbench
