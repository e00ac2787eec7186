// kbench-gate: speaks with clients, so that kbench itself need not. Not trusted. It is started by
// `kbench serve` in the sandbox, with a channel and a listening socket and nothing else, and gives
// up here what the sandbox leaves it: no program can be started, no socket made.
#include <chrono>
#include <exception>
#include <utility>

#include "runner/core/channel.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/gate/server.hpp"
#include "runner/sandbox/lockdown.hpp"
#include "runner/serve/gate_process.hpp"
#include "runner/serve/gate_protocol.hpp"

namespace {

constexpr std::chrono::seconds kHelloPatience{10};

// The exit status: 1, it could not begin; 2, an exception.
int run() {
  kbench::UniqueFd listener(kbench::kGateListener);
  kbench::Channel channel(kbench::UniqueFd(kbench::kGateChannel),
                          kbench::Channel::Descriptors::kRefused);
  const auto message = channel.receive(kHelloPatience);
  if (!message) return 1;
  auto hello = kbench::hello_from_json(message->body);
  if (!hello) return 1;
  if (!kbench::lock_down()) return 1;
  kbench::run_gate(std::move(listener), channel, std::move(*hello));
  return 0;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::exception&) {
    return 2;
  }
}
