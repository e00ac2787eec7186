#include "runner/sandbox/proc_files.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "runner/core/defence.hpp"
#include "runner/core/unique_fd.hpp"

namespace kbench {
namespace {

// Fields of a stat file, counted from the state, which follows the name. The name may contain
// anything, so what counts begins after the last parenthesis.
constexpr int kParent = 1;
constexpr int kThreads = 17;

bool parse_stat(std::string_view text, ProcessStat& stat) {
  const std::size_t close = text.rfind(')');
  if (close == std::string_view::npos || close + 2 >= text.size()) return false;
  text.remove_prefix(close + 2);
  stat.state = text.front();
  bool complete = false;
  for (int field = 0; field <= kThreads && !text.empty(); ++field) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (field == kParent) std::from_chars(text.data(), text.data() + end, stat.parent);
    if (field == kThreads)
      complete = std::from_chars(text.data(), text.data() + end, stat.threads).ec == std::errc{};
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return complete;
}

}  // namespace

ProcPath& ProcPath::add(std::string_view text) {
  const std::size_t fits = std::min(text.size(), buffer_.size() - 1 - length_);
  std::memcpy(buffer_.data() + length_, text.data(), fits);
  length_ += fits;
  return *this;
}

ProcPath& ProcPath::add(pid_t number) {
  std::array<char, 16> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  return add(std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())));
}

bool ProcessStat::process_is_dead() const {
  return thread_is_dead() && (threads <= 1 || !stands(Defence::kWholeProcesses));
}

bool ProcessStat::thread_is_dead() const { return state == 'Z' || state == 'X' || state == 'x'; }

Look look_of_errno() {
  if (errno == ENOENT || errno == ESRCH) return Look::kGone;
  return stands(Defence::kFailsClosed) ? Look::kUnknown : Look::kGone;
}

Look read_small(int directory, const char* path, std::span<char> buffer, std::string_view& text) {
  const UniqueFd file(::openat(directory, path, O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return look_of_errno();
  ssize_t got = 0;
  do {
    got = ::read(file.get(), buffer.data(), buffer.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) return look_of_errno();
  text = {buffer.data(), static_cast<std::size_t>(got)};
  return Look::kSeen;
}

Look read_stat(int directory, pid_t number, ProcessStat& stat) {
  std::array<char, 1024> buffer;
  std::string_view text;
  const Look look =
      read_small(directory, ProcPath().add(number).add("/stat").c_str(), buffer, text);
  if (look != Look::kSeen) return look;
  if (parse_stat(text, stat)) return Look::kSeen;
  errno = EBADMSG;
  return look_of_errno();
}

namespace detail {

long read_entries(int directory, std::span<char> buffer) {
  return ::syscall(SYS_getdents64, directory, buffer.data(), buffer.size());
}

bool rewind(int directory) { return ::lseek(directory, 0, SEEK_SET) >= 0; }

}  // namespace detail
}  // namespace kbench
