#include "runner/player/player_abi.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "runner/core/json.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/player/operator_watch.hpp"
#include "runner/sandbox/lockdown.hpp"
#include "runner/worker/mailbox.hpp"

namespace {

using kbench::Mailbox;
using kbench::MailboxPage;
using kbench::WaitStyle;

static_assert(kbench::kMaxSlots == std::tuple_size_v<decltype(kb_player_call::input_base)>);

// Cut off where it does not fit; always ends in a zero.
void write_words(const std::string& text, char* words, std::size_t size) {
  if (size == 0) return;
  const std::size_t length = std::min(text.size(), size - 1);
  std::memcpy(words, text.data(), length);
  words[length] = '\0';
}

}  // namespace

void kb_keep_freed_memory() {
  ::mallopt(M_MMAP_MAX, 0);
  ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  ::mallopt(M_TOP_PAD, 64 << 20);
}

int kb_set_open_to_others(int open) { return ::prctl(PR_SET_DUMPABLE, open, 0, 0, 0); }

void* kb_map_arena(int fd, std::uint64_t bytes, int writable) {
  const int protection = writable != 0 ? PROT_READ | PROT_WRITE : PROT_READ;
  // Populated now, so that no timed call pays for page faults.
  void* mapped = ::mmap(nullptr, bytes, protection, MAP_SHARED | MAP_POPULATE, fd, 0);
  return mapped == MAP_FAILED ? nullptr : mapped;
}

void* kb_open_mailbox(int fd) {
  auto mailbox = Mailbox::open(kbench::UniqueFd(fd));
  return mailbox ? std::make_unique<Mailbox>(std::move(*mailbox)).release() : nullptr;
}

void kb_await_call(void* mailbox, std::uint32_t served, kb_player_call* call) {
  MailboxPage& page = static_cast<Mailbox*>(mailbox)->page();
  Mailbox::wait_while_equal(page.go, served, WaitStyle::kFutex, [] { return false; });
  call->number = page.go.load(std::memory_order_acquire);
  call->kind = static_cast<std::uint32_t>(page.kind);
  call->slots = page.slots;
  call->parameter_base = page.parameter_base;
  call->input_base = page.input_base;
  call->output_base = page.output_base;
}

void kb_answer_call(void* mailbox, std::uint32_t number, std::int32_t status,
                    std::int64_t claimed_ns) {
  MailboxPage& page = static_cast<Mailbox*>(mailbox)->page();
  page.status = status;
  page.claimed_ns = claimed_ns;
  Mailbox::raise(page.done, number, WaitStyle::kFutex);
}

int kb_lock_down(char* words, std::size_t size) {
  const auto locked = kbench::lock_down();
  if (locked) return 0;
  write_words(locked.error().message, words, size);
  return 1;
}

void kb_watch_operators() { kbench::watch_operators(); }

std::size_t kb_watched_operators(char* words, std::size_t size) {
  const kbench::WatchedOperators watched = kbench::watched_operators();
  const kbench::Json json = {{"operators", watched.counts}, {"hooks", watched.hooks_stand}};
  const std::string text = json.dump(-1, ' ', false, kbench::Json::error_handler_t::replace);
  if (text.size() >= size) return 0;
  write_words(text, words, size);
  return text.size();
}
