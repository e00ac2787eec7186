// The list of escapes that `kbench selftest sandbox` tries. Each is executed by kbench-escape
// inside the real sandbox, with bait laid out by the selftest outside; the list says as whom and
// under which set-up. Shared by selftest.cpp (supervisor) and kbench-escape.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kbench {

// Program as which an escape is tried.
enum class EscapeAs {
  kWorker,   // locked down, as a submission's code is
  kTool,     // may start processes, as compilers do
  kOracle,   // locked down, among what the program sees that executes tasks' graphs
  kBuilder,  // may start processes, among what the Python sees that compiles them
};

// The setting of an escape: what it needs around it, or who decides whether it succeeded.
enum class EscapeSetting {
  kPlain,     // the probe itself knows
  kVictim,    // a process outside must still live afterwards
  kMarker,    // a file must not have appeared outside
  kSmall,     // bombs: little memory, few processes, small files
  kDeadline,  // must be stopped by the supervisor
  kDaemon,    // nothing may hold a pipe open afterwards
  kGpu,       // needs a CUDA device
};

struct Escape {
  std::string_view name;
  std::string_view group;
  EscapeAs as = EscapeAs::kWorker;
  EscapeSetting setting = EscapeSetting::kPlain;
  std::string_view what;  // the attempt in words
};

// A name stands once for each as whom it is tried.
[[nodiscard]] const std::vector<Escape>& all_escapes();
// Whether it gives up rights before it tries, as a worker does before it loads a submission.
[[nodiscard]] bool is_locked(EscapeAs as);

// Targets of the escapes. Laid out by the selftest, passed as "name=value" arguments.
struct Bait {
  std::string secret;         // a file that all users may read and write, in a folder not given
  std::string submission;     // another agent's compiled submission
  std::string database;       // the results
  std::string library;        // a file given for reading only
  std::string marker;         // name of a file to leave in shared folders
  std::string scratch;        // a folder given for writing; empty for workers
  std::string home;           // home of the user who runs kbench
  std::string unix_path;      // a listening socket in a folder that was not given
  std::string unix_abstract;  // another, in the abstract namespace
  int tcp4 = 0;               // listening ports on the loopback interface; 0: none
  int tcp6 = 0;
  int shared_memory_key = 0;  // a System V segment
  int victim = 0;             // a process of kbench's user, by its number outside
  int other_worker = 0;       // a process in another sandbox, likewise
  int supervisor = 0;
  std::uint64_t address = 0;      // address of a readable word in the victim
  std::uint64_t gpu_address = 0;  // address in another process's CUDA context
  int device = -1;                // CUDA device, -1: the CPU
};

[[nodiscard]] std::vector<std::string> bait_arguments(const Bait& bait);
[[nodiscard]] Bait parse_bait(const std::vector<std::string>& words);

// Exit codes of kbench-escape; its standard output says why.
inline constexpr int kEscapeOpen = 10;
inline constexpr int kEscapeBlocked = 11;
inline constexpr int kEscapeNotApplicable = 12;

// Descriptors that every escape gets, as a worker gets its arenas.
inline constexpr int kSealedDescriptor = 5;  // shared inputs, sealed against new writable mappings
inline constexpr int kDaemonDescriptor = 6;  // writing end of a pipe

}  // namespace kbench
