// kbench-agent: holds an agent's messages and speaks with the endpoint, so that kbench itself reads
// nothing that a stranger's server sends. Not trusted. It is started by `kbench agent run` in the
// sandbox with a channel and nothing else: no files, no network of its own. The sockets that it
// speaks over are connected for it, to the one endpoint that the user named.
#include <chrono>
#include <exception>
#include <string>
#include <thread>
#include <utility>

#include "runner/agent/agent_process.hpp"
#include "runner/agent/agent_protocol.hpp"
#include "runner/agent/driver.hpp"
#include "runner/agent/http_exchange.hpp"
#include "runner/core/channel.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/sandbox/lockdown.hpp"

namespace kbench {
namespace {

constexpr std::chrono::seconds kHelloPatience{10};

// A connection to the endpoint, made by kbench.
Result<UniqueFd> connect(Channel& channel) {
  if (auto asked = channel.send({{"type", "connect"}}); !asked) return asked.error();
  auto answer = channel.receive();
  if (!answer) return answer.error();
  if (answer->descriptors.size() == 1) return std::move(answer->descriptors.front());
  return Error{ErrorCode::kInfrastructure, answer->body.value("error", "no connection came"), ""};
}

AgentOutside outside_of(Channel& channel, const AgentHello& hello) {
  AgentOutside outside;
  HttpPost post{hello.authority, hello.target, hello.key, "", hello.server, hello.certificates};
  outside.post = [&channel, post, patience = std::chrono::seconds(hello.timeout_s)](
                     const std::string& body) mutable -> Result<HttpAnswer> {
    auto socket = connect(channel);
    if (!socket) return socket.error();
    post.body = body;
    return exchange(std::move(*socket), post, patience);
  };
  outside.hand_over = [&channel](const TurnReport& report) -> Result<TurnAnswer> {
    if (auto sent = channel.send(to_json(report)); !sent) return sent.error();
    auto answer = channel.receive();
    if (!answer) return answer.error();
    return turn_answer_from_json(answer->body);
  };
  outside.note = [&channel](const std::string& text) {
    (void)channel.send({{"type", "note"}, {"text", text}});
  };
  outside.wait = [](std::chrono::milliseconds time) { std::this_thread::sleep_for(time); };
  return outside;
}

// The exit status: 1, it could not begin; 2, an exception.
int run() {
  Channel channel{UniqueFd(kAgentChannel)};
  const auto message = channel.receive(kHelloPatience);
  if (!message) return 1;
  auto hello = agent_hello_from_json(message->body);
  if (!hello) return 1;
  if (!lock_down()) return 1;
  AgentOutside outside = outside_of(channel, *hello);
  const AgentEnd end = AgentDriver(std::move(*hello), std::move(outside)).run();
  if (!end.reason.empty())
    (void)channel.send({{"type", "end"}, {"reason", end.reason}, {"text", end.text}});
  return 0;
}

}  // namespace
}  // namespace kbench

int main() {
  try {
    return kbench::run();
  } catch (const std::exception&) {
    return 2;
  }
}
