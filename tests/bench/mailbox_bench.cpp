// Cost of one go/done round trip, by the way of waiting.
#include <unistd.h>

#include <thread>

#include <benchmark/benchmark.h>

#include "runner/worker/mailbox.hpp"

namespace kbench {
namespace {

constexpr std::uint32_t kStop = 0;

void round_trip(benchmark::State& state, WaitStyle style) {
  auto mine = Mailbox::create();
  auto theirs = Mailbox::open(UniqueFd(::dup(mine->fd())));
  const auto never = [] { return false; };
  std::thread peer([&] {
    auto& page = theirs->page();
    std::uint32_t seen = 0;
    do {
      Mailbox::wait_while_equal(page.go, seen, style, never);
      seen = page.go.load();
      Mailbox::raise(page.done, seen, style);
    } while (seen != kStop);
  });
  std::uint32_t call = 0;
  for (auto _ : state) {
    const std::uint32_t before = call++;
    Mailbox::raise(mine->page().go, call, style);
    Mailbox::wait_while_equal(mine->page().done, before, style, never);
  }
  Mailbox::raise(mine->page().go, kStop, style);
  peer.join();
}

BENCHMARK_CAPTURE(round_trip, spin, WaitStyle::kSpin)->UseRealTime();
BENCHMARK_CAPTURE(round_trip, futex, WaitStyle::kFutex)->UseRealTime();

}  // namespace
}  // namespace kbench
