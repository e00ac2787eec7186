// In whose code the threads of a worker stand: a statistical profile of untimed calls, taken from
// outside. The process is stopped again and again in the middle of a call, and the kernel says at
// which address each thread of it would go on. Nothing in the process takes part, so it cannot say
// otherwise; operators that it hides from torch's dispatcher, NumPy and a BLAS that it calls by
// ctypes show like any other. It may notice that it was stopped and do something else from then on:
// so the first look of each call counts for itself. It comes at a random moment, and until then
// nothing tells the call from a timed one. What a submission has copied into memory of its own is
// taken for its own. CPU only: the work of a GPU cannot be seen from outside.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/measure/watch/known_code.hpp"

namespace kbench {

struct CodeProfile {
  void add(const CodeProfile& other);

  std::int64_t looks = 0;  // looks at threads that were computing, none at those that waited
  // Looks in a computing library that is not the submission's, by its name: "torch", "numpy",
  // "libscipy_openblas64_".
  std::map<std::string, std::int64_t> libraries = {};
};

struct CodeProfiles {
  void add(const CodeProfiles& other);

  CodeProfile all = {};
  CodeProfile first = {};  // the first look of each visit alone
};

// Fewest looks that say anything.
inline constexpr std::int64_t kLeastLooks = 24;
inline constexpr std::int64_t kLeastFirstLooks = 6;

// Share of the time, 0 to 1: the lower end of a one-sided 95 % interval (Wilson) over the looks.
[[nodiscard]] double surely_at_least(std::int64_t looks_there, std::int64_t looks);

// Words such as "libscipy_openblas64_ (97 % of the time)": the libraries in which it surely is for
// more than `share`, longest first. `torch_excused`: so much of the time is torch's anyhow. Empty
// without any, and where there are fewer looks than `least`.
[[nodiscard]] std::string computing_libraries(const CodeProfile& profile, double share,
                                              double torch_excused,
                                              std::int64_t least = kLeastLooks);

// The address in the text of /proc/PID/task/TID/syscall; nothing for a thread that waits in a
// system call or is running.
[[nodiscard]] std::optional<std::uint64_t> computing_at(std::string_view text);

// Looks at processes that stand still, as often as it is asked to.
class CodeProfiler {
 public:
  // `first`: the process cannot know yet that it is looked at.
  void look(std::span<const pid_t> processes, bool first);
  // To be called after a call, while the processes still stand: which code was where. Errors:
  // kInfrastructure.
  Status resolve(std::span<const pid_t> processes, const KnownCode& known);
  // Profiles of the calls resolved since the last take().
  [[nodiscard]] CodeProfiles take() { return std::exchange(profiles_, {}); }

 private:
  struct Seen {
    std::uint64_t address = 0;
    bool at_first_look = false;
  };
  std::map<pid_t, std::vector<Seen>> seen_;  // key: the process; looks since the last resolve()
  CodeProfiles profiles_;
};

}  // namespace kbench
