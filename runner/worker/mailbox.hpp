// The go/done page between the supervisor and one player: one shared memory page, no system call on
// the way on CUDA (both sides spin), a futex on CPU (a spinning process takes a core from the
// kernel under test). A player is a worker or the process of the baselines. The worker is not
// trusted: the supervisor copies each field once and never uses one as an index or a length.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/worker/output_place.hpp"

namespace kbench {

enum class CallKind : std::uint32_t {
  kNull = 0,     // everything but the submission: calibrates the supervisor's clock
  kForward = 1,  // kbench_forward once for each slot
  kPrepare = 2,  // kbench_prepare
  kLoad = 3,     // loads the submission once "done" is raised; only kNull may come before
  // For the process of the baselines:
  kEager = 4,
  kCompiled = 5,
  kHandOver = 6,  // copies the outputs of the call before into the arena, and forgets them
  // kForward of a Python submission, while torch's operators are counted.
  kObserved = 7,
};

// The most distinct inputs that one timed sample may visit.
constexpr std::size_t kMaxSlots = 16;

// NOLINTNEXTLINE(*Padding): each word that a side waits for has a cache line of its own
struct MailboxPage {
  // Written by the supervisor before `go` is raised.
  std::atomic<std::uint32_t> go;
  CallKind kind;
  std::uint32_t slots;
  std::uint32_t gate;  // CUDA: the inputs are there once the gate has this value; 0: they are
  std::uint64_t parameter_base;                      // byte offset into the parameter arena
  std::array<std::uint64_t, kMaxSlots> input_base;   // byte offsets into the input arena
  std::array<std::uint64_t, kMaxSlots> output_base;  // byte offsets into the output arena
  std::uint32_t
      copies_outputs;  // Python: to the arena, within the call, if its memory cannot be read

  // Written by the worker before `done` is raised to the value of `go`.
  alignas(64) std::atomic<std::uint32_t> done;
  std::int32_t status;      // return value of the submission, 0 = success
  std::int64_t claimed_ns;  // device events on CUDA, steady clock on CPU
  std::int64_t switches;    // baselines: times that the kernel took a core away in the call
  std::array<OutputPlace, kMaxPlaces> places;  // Python: of each output
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

enum class WaitStyle { kSpin, kFutex };

// A mapped mailbox. The supervisor creates it and hands fd() to the worker.
class Mailbox {
 public:
  static Result<Mailbox> create();
  static Result<Mailbox> open(UniqueFd fd);

  Mailbox(Mailbox&& other) noexcept;
  Mailbox& operator=(Mailbox&& other) noexcept;
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;
  ~Mailbox();

  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] MailboxPage& page() { return *page_; }

  // Raises the word and wakes a futex waiter.
  static void raise(std::atomic<std::uint32_t>& word, std::uint32_t value, WaitStyle style);

  // Waits until the word differs from `old`; asks `give_up` about that often and returns false when
  // it says so.
  static bool wait_while_equal(std::atomic<std::uint32_t>& word, std::uint32_t old, WaitStyle style,
                               const std::function<bool()>& give_up,
                               std::chrono::nanoseconds interval = kAskInterval);
  static constexpr std::chrono::milliseconds kAskInterval{20};

 private:
  Mailbox(UniqueFd fd, MailboxPage* page) : fd_(std::move(fd)), page_(page) {}
  UniqueFd fd_;
  MailboxPage* page_ = nullptr;
};

}  // namespace kbench
