#include "runner/worker/mailbox.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <string>
#include <utility>

namespace kbench {
namespace {

constexpr std::size_t kPageBytes = 4096;
static_assert(sizeof(MailboxPage) <= kPageBytes);

Error system_error(const char* what) {
  return {ErrorCode::kInfrastructure, std::string("mailbox: ") + what + ": " + std::strerror(errno),
          ""};
}

long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           const timespec* timeout) {
  return ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), operation, value, timeout,
                   nullptr, 0);
}

bool spin_while_equal(std::atomic<std::uint32_t>& word, std::uint32_t old,
                      const std::function<bool()>& give_up, std::chrono::nanoseconds interval) {
  // Reading the clock costs more than reading the word: look at it now and then only. A pause takes
  // up to 140 cycles: 4,096 of them were 0.2 ms, a third of a short call.
  constexpr int kSpinsBetweenClockReads = 256;
  auto next_ask = std::chrono::steady_clock::now() + interval;
  while (true) {
    for (int i = 0; i < kSpinsBetweenClockReads; ++i) {
      if (word.load(std::memory_order_acquire) != old) return true;
      __builtin_ia32_pause();
    }
    const auto now = std::chrono::steady_clock::now();
    if (now < next_ask) continue;
    if (give_up()) return word.load(std::memory_order_acquire) != old;
    next_ask = now + interval;
  }
}

timespec until(std::chrono::steady_clock::time_point moment) {
  using std::chrono::nanoseconds;
  const nanoseconds left = std::max<nanoseconds>(moment - std::chrono::steady_clock::now(), {});
  const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
  return {seconds.count(), (left - seconds).count()};
}

// Asks by the clock and not when woken: a worker shares the page and can wake it at any time.
bool sleep_while_equal(std::atomic<std::uint32_t>& word, std::uint32_t old,
                       const std::function<bool()>& give_up, std::chrono::nanoseconds interval) {
  auto next_ask = std::chrono::steady_clock::now() + interval;
  while (word.load(std::memory_order_acquire) == old) {
    const timespec left = until(next_ask);
    futex(word, FUTEX_WAIT, old, &left);
    const auto now = std::chrono::steady_clock::now();
    if (now < next_ask) continue;
    if (give_up()) return word.load(std::memory_order_acquire) != old;
    next_ask = now + interval;
  }
  return true;
}

}  // namespace

Result<Mailbox> Mailbox::create() {
  UniqueFd fd(::memfd_create("kbench-mailbox", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid()) return system_error("memfd_create");
  if (::ftruncate(fd.get(), kPageBytes) != 0) return system_error("ftruncate");
  // A worker that shrinks the page would make the supervisor's next read a bus error.
  if (::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return system_error("sealing");
  return open(std::move(fd));
}

Result<Mailbox> Mailbox::open(UniqueFd fd) {
  void* mapped = ::mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (mapped == MAP_FAILED) return system_error("mmap");
  return Mailbox(std::move(fd), static_cast<MailboxPage*>(mapped));
}

Mailbox::Mailbox(Mailbox&& other) noexcept
    : fd_(std::move(other.fd_)), page_(std::exchange(other.page_, nullptr)) {}

Mailbox& Mailbox::operator=(Mailbox&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(page_, other.page_);
  return *this;
}

Mailbox::~Mailbox() {
  if (page_ != nullptr) ::munmap(page_, kPageBytes);
}

void Mailbox::raise(std::atomic<std::uint32_t>& word, std::uint32_t value, WaitStyle style) {
  word.store(value, std::memory_order_release);
  if (style == WaitStyle::kFutex) futex(word, FUTEX_WAKE, INT_MAX, nullptr);
}

bool Mailbox::wait_while_equal(std::atomic<std::uint32_t>& word, std::uint32_t old, WaitStyle style,
                               const std::function<bool()>& give_up,
                               std::chrono::nanoseconds interval) {
  return style == WaitStyle::kSpin ? spin_while_equal(word, old, give_up, interval)
                                   : sleep_while_equal(word, old, give_up, interval);
}

}  // namespace kbench
