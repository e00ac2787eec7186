// Stands in for kbench-worker and means harm: takes what the supervisor sends, then speaks garbage
// on the control channel and in the mailbox, drawn from the seed that lies in the "library". Never
// a part of kbench; started by hostile_soak only.
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <random>
#include <string>
#include <thread>

#include "runner/core/channel.hpp"
#include "runner/worker/mailbox.hpp"
#include "tests/fuzz/hostile_seed.hpp"

namespace kbench {
namespace {

constexpr int kControl = 3;
using Random = std::mt19937_64;

std::string random_bytes(Random& random, std::size_t most) {
  std::string bytes(random() % (most + 1), '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

void send_raw(const std::string& bytes) {
  (void)::send(kControl, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void send_framed(const std::string& text) {
  const auto length = static_cast<std::uint32_t>(text.size());
  send_raw(std::string(reinterpret_cast<const char*>(&length), sizeof length) + text);
}

// As kbench-worker is before it loads a submission. hostile_soak counts on it.
void be_our_own_until_it_loads(MailboxPage& page) {
  send_framed(R"({"type":"ready"})");
  Mailbox::wait_while_equal(page.go, 0, WaitStyle::kFutex, [] { return false; });
  Mailbox::raise(page.done, page.go.load(), WaitStyle::kFutex);
}

// Replies with the right words in the wrong places.
std::string odd_reply(Random& random) {
  static const char* const kReplies[] = {
      R"({"type":5})",
      R"({"type":null,"has_prepare":3})",
      R"({"type":"loaded","has_prepare":"yes","workspace_bytes":-1})",
      R"({"type":"loaded","has_prepare":[]})",
      R"({"type":"error","state":{},"message":[1],"hint":2})",
      R"({"type":"error","state":"ok","message":"all is well","hint":""})",
      R"({"type":"error","state":"infrastructure_error","message":"it was you"})",
      R"({"type":"error","state":"interrupted"})",
      R"({"type":"ready"})",
      R"([])",
      R"("loaded")",
      R"(18446744073709551616)",
      R"({"type":"loaded","type":"error"})",
  };
  return kReplies[random() % std::size(kReplies)];
}

void speak(Random& random) {
  switch (random() % 9) {
    case 0: send_raw(random_bytes(random, 64)); break;
    case 1: send_framed(random_bytes(random, 256)); break;
    case 2: send_raw(std::string("\xff\xff\xff\xff", 4)); break;  // a length of 4 GiB
    case 3: send_framed(std::string(200, '[')); break;
    case 4: send_raw(std::string("\x10\0\0\0{\"ty", 8)); break;  // and never the rest
    case 5: ::close(kControl); break;
    case 6: ::_exit(static_cast<int>(random() % 200)); break;
    case 7: send_framed(R"({"type":"loaded","has_prepare":true,"workspace_bytes":0})"); break;
    default: send_framed(odd_reply(random));
  }
}

// Scribbles over the page, sometimes with a plausible answer in it.
[[noreturn]] void play(MailboxPage& page, Random& random) {
  auto* bytes = reinterpret_cast<unsigned char*>(&page);
  while (true) {
    const std::uint32_t go = page.go.load();
    switch (random() % 8) {
      case 0: bytes[random() % sizeof page] = static_cast<unsigned char>(random()); break;
      case 1: page.done.store(static_cast<std::uint32_t>(random())); break;
      case 2:
        page.status = static_cast<std::int32_t>(random());
        page.claimed_ns = static_cast<std::int64_t>(random());
        Mailbox::raise(page.done, go, WaitStyle::kFutex);
        break;
      case 3:
        page.status = 0;
        page.claimed_ns = INT64_MIN;
        Mailbox::raise(page.done, go, WaitStyle::kFutex);
        break;
      case 4: std::memset(bytes, static_cast<int>(random()), sizeof page); break;
      case 5: speak(random); break;
      case 6: std::this_thread::sleep_for(std::chrono::microseconds(random() % 2000)); break;
      default:
        if (random() % 16 == 0) ::raise(random() % 2 == 0 ? SIGSEGV : SIGSTOP);
    }
  }
}

int be_hostile() {
  Channel channel{UniqueFd(::fcntl(kControl, F_DUPFD_CLOEXEC, 10))};
  auto request = channel.receive(std::chrono::milliseconds(5000));
  if (!request || request->descriptors.size() != 5) return 1;
  std::uint64_t seed = 0;
  if (::pread(request->descriptors[4].get(), &seed, sizeof seed, 0) != sizeof seed) return 1;
  Random random(seed);
  for (int i = 1; i < 4; ++i) {
    // Sealed arenas refuse it, which is as good an answer as any.
    if (::ftruncate(request->descriptors[static_cast<std::size_t>(i)].get(), 0) == 0) continue;
  }
  auto mailbox = Mailbox::open(std::move(request->descriptors[0]));
  if (!mailbox) return 1;
  if (fuzz::behaves_until_it_loads(seed)) be_our_own_until_it_loads(mailbox->page());
  if (random() % 4 != 0) {
    send_framed(R"({"type":"loaded","has_prepare":true,"workspace_bytes":0})");
  } else {
    speak(random);
  }
  play(mailbox->page(), random);
}

}  // namespace
}  // namespace kbench

int main() { return kbench::be_hostile(); }
