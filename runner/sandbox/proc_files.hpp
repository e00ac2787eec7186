// Reads /proc about processes that may be hostile. A process or thread is gone only where the
// kernel says so (ENOENT, ESRCH); any other failure (no descriptor left, no right to look) means
// that nothing is known, and callers treat that as a failure, never as "nobody there". Allocates
// nothing and takes no lock, because the keeper (launch.cpp) calls it in a process forked from a
// program with threads.
#pragma once

#include <sys/types.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace kbench {

// The outcome of a look at something in /proc.
enum class Look {
  kSeen,
  kGone,     // the kernel says that it is no more
  kUnknown,  // the look failed; errno says why
};

// A path below /proc, put together without allocating.
class ProcPath {
 public:
  ProcPath& add(std::string_view text);
  ProcPath& add(pid_t number);
  [[nodiscard]] const char* c_str() const { return buffer_.data(); }

 private:
  std::array<char, 64> buffer_{};
  std::size_t length_ = 0;
};

// "PID (NAME) STATE PPID ..." of a stat file.
struct ProcessStat {
  pid_t parent = 0;
  char state = '?';
  int threads = 0;  // threads of its process, the dead leader of living ones included

  // A process is dead when all of its threads are: its leader may have ended before them.
  [[nodiscard]] bool process_is_dead() const;
  [[nodiscard]] bool thread_is_dead() const;
  // 't' is a stop by a tracer, which can only be a stopped process of the same sandbox.
  [[nodiscard]] bool is_still() const { return state == 'T' || state == 't' || thread_is_dead(); }
};

// Reads a small file below an open folder into `buffer`; `text` is what was read.
[[nodiscard]] Look read_small(int directory, const char* path, std::span<char> buffer,
                              std::string_view& text);

// Reads the stat file of a process below an open /proc, or of a thread below an open task folder.
[[nodiscard]] Look read_stat(int directory, pid_t number, ProcessStat& stat);

// kGone where errno says that there is no such process, else kUnknown.
[[nodiscard]] Look look_of_errno();

// Calls `visit(number)` for each entry of an open folder whose name is a number. A folder of a
// process that has ended is kGone.
template <class Visit>
[[nodiscard]] Look for_each_number(int directory, Visit visit);

namespace detail {
// Fills the buffer with directory entries; 0 at the end, negative with errno set on failure.
[[nodiscard]] long read_entries(int directory, std::span<char> buffer);
[[nodiscard]] bool rewind(int directory);

// An entry of getdents64, as documented in getdents(2).
struct DirectoryEntry {
  std::uint64_t inode;
  std::int64_t offset;
  unsigned short length;
  unsigned char type;
  char name[1];
};
}  // namespace detail

template <class Visit>
Look for_each_number(int directory, Visit visit) {
  if (!detail::rewind(directory)) return look_of_errno();
  alignas(detail::DirectoryEntry) std::array<char, 8192> buffer;
  while (true) {
    const long got = detail::read_entries(directory, buffer);
    if (got < 0) return look_of_errno();
    if (got == 0) return Look::kSeen;
    for (long at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const detail::DirectoryEntry*>(buffer.data() + at);
      at += entry->length;
      const char* name = buffer.data() + (entry->name - buffer.data());
      pid_t number = 0;
      const char* end = name + std::strlen(name);
      const auto parsed = std::from_chars(name, end, number);
      if (parsed.ec == std::errc{} && parsed.ptr == end) visit(number);
    }
  }
}

}  // namespace kbench
