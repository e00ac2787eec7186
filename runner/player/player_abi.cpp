#include "runner/player/player_abi.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "runner/core/channel.hpp"
#include "runner/core/defence.hpp"
#include "runner/core/json.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/player/observation.hpp"
#include "runner/player/operator_watch.hpp"
#include "runner/player/tensor_handle.hpp"
#include "runner/player/words.hpp"
#include "runner/sandbox/landlock.hpp"
#include "runner/sandbox/lockdown.hpp"
#include "runner/worker/mailbox.hpp"

namespace {

using kbench::Mailbox;
using kbench::MailboxPage;
using kbench::WaitStyle;
using kbench::write_words;

static_assert(kbench::kMaxSlots == std::tuple_size_v<decltype(kb_player_call::input_base)>);

class HostClock final : public kbench::OperatorClock {
 public:
  std::int64_t now() override {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  std::int64_t between(std::int64_t from, std::int64_t to) override { return to - from; }
};

WaitStyle wait_style(int spins) { return spins != 0 ? WaitStyle::kSpin : WaitStyle::kFutex; }

}  // namespace

void kb_know_operators() { kbench::know_torchs_operators(); }

void kb_keep_freed_memory() {
  ::mallopt(M_MMAP_MAX, 0);
  ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  ::mallopt(M_TOP_PAD, 64 << 20);
}

int kb_set_open_to_others(int open) { return ::prctl(PR_SET_DUMPABLE, open, 0, 0, 0); }

void* kb_map_arena(int fd, std::uint64_t bytes, int writable, char* words, std::size_t size) {
  const kbench::UniqueFd own(fd);
  const int protection = writable != 0 ? PROT_READ | PROT_WRITE : PROT_READ;
  // The arena is populated now, so that no timed call pays for page faults.
  void* mapped = ::mmap(nullptr, bytes, protection, MAP_SHARED | MAP_POPULATE, fd, 0);
  if (mapped != MAP_FAILED) return mapped;
  write_words(std::string("cannot map an arena: ") + std::strerror(errno), words, size);
  return nullptr;
}

void* kb_open_mailbox(int fd) {
  auto mailbox = Mailbox::open(kbench::UniqueFd(fd));
  return mailbox ? std::make_unique<Mailbox>(std::move(*mailbox)).release() : nullptr;
}

void kb_await_call(void* mailbox, std::uint32_t served, int spins, kb_player_call* call) {
  MailboxPage& page = static_cast<Mailbox*>(mailbox)->page();
  Mailbox::wait_while_equal(page.go, served, wait_style(spins), [] { return false; });
  call->number = page.go.load(std::memory_order_acquire);
  const kbench::CallKind kind = page.kind;
  const bool observed = kind == kbench::CallKind::kObserved;
  call->kind = static_cast<std::uint32_t>(observed ? kbench::CallKind::kForward : kind);
  call->slots = page.slots;
  kbench::observation() = {.asked = observed, .slots = call->slots};
  if (observed) kbench::forget_operators();
  call->gate = page.gate;
  call->parameter_base = page.parameter_base;
  call->input_base = page.input_base;
  call->output_base = page.output_base;
  call->copies_outputs = page.copies_outputs;
}

void kb_answer_call(void* mailbox, std::uint32_t number, int spins,
                    const kb_player_answer* answer) {
  MailboxPage& page = static_cast<Mailbox*>(mailbox)->page();
  page.status = answer->status;
  page.claimed_ns = answer->claimed_ns;
  page.places = answer->places;
  Mailbox::raise(page.done, number, wait_style(spins));
}

void* kb_tensor(void* data, int on_cuda, std::uint8_t type_code, std::uint8_t type_bits, int ndim,
                const std::int64_t* shape, const std::int64_t* strides) {
  const auto count = static_cast<std::size_t>(ndim);
  return kbench::make_tensor_handle(
      data, on_cuda != 0, {type_code, type_bits}, std::span(shape, count),
      strides == nullptr ? std::span<const std::int64_t>() : std::span(strides, count));
}

int kb_write_only_below(const char* folder, char* words, std::size_t size) {
  if (!kbench::stands(kbench::Defence::kPrivateFiles)) return 0;
  const auto confined = kbench::write_only_below(folder);
  if (confined) return 0;
  write_words(confined.error().message, words, size);
  return 1;
}

int kb_lock_down(char* words, std::size_t size) {
  const auto locked = kbench::lock_down();
  if (locked) return 0;
  write_words(locked.error().message, words, size);
  return 1;
}

void kb_watch_operators() {
  if (!kbench::observation().begin()) return;
  static HostClock of_the_host;
  kbench::watch_operators(of_the_host);
}

void kb_stop_watching() {
  if (kbench::observation().end()) kbench::stop_watching_operators();
}

void kb_tell_operators(int channel) {
  const kbench::Observation observed = kbench::observation();
  if (!observed.asked) return;
  const kbench::WatchedOperators watched = kbench::watched_operators();
  kbench::Json json = {{"type", "operators"},
                       {"operators", watched.counts},
                       {"ns", watched.ns},
                       {"all_ns", watched.all_ns},
                       {"hooks", watched.hooks_stand && observed.undisturbed()}};
  // The reader waits until the call is answered, and a socket holds more than that.
  constexpr std::size_t kMostBytes = 1 << 16;
  if (json.dump(-1, ' ', false, kbench::Json::error_handler_t::replace).size() >= kMostBytes)
    json = {{"type", "operators"}};
  (void)kbench::Channel(kbench::UniqueFd(::dup(channel))).send(json);
}
