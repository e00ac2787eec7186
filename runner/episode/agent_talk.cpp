#include "runner/episode/agent_talk.hpp"

#include <poll.h>

#include <cerrno>
#include <utility>

#include "runner/core/text_in.hpp"

namespace kbench {
namespace {

constexpr std::chrono::milliseconds kMessagePatience{30'000};
constexpr std::chrono::milliseconds kConnectPatience{20'000};
constexpr int kTickMs = 200;

Error out_of_turn() {
  return {ErrorCode::kInfrastructure, "kbench-agent said what makes no sense here",
          "this is a bug in kbench; please report it"};
}

Status send_connection(AgentProcess& agent, const Endpoint& endpoint) {
  const auto socket = connect_to(endpoint, kConnectPatience);
  if (!socket) return agent.channel.send({{"error", socket.error().message}, {"ok", false}});
  return agent.channel.send(Json{{"ok", true}}, {socket->get()});
}

AgentHello hello_of(const AskedModel& model, const Json& settings, const Json& messages) {
  AgentHello hello = hello_to(model.endpoint, model.key);
  hello.settings = settings;
  hello.tools = Json::array();
  hello.style = AgentStyle::kOnce;
  hello.window = model.window;
  hello.timeout_s = model.timeout.count();
  hello.prompt = messages;
  hello.opening = messages.size();
  return hello;
}

// Reads a turn or an end. Errors: those of a message that is neither.
Result<AskedOnce> answer_in(const Json& message) {
  AskedOnce answer;
  if (text_in(message, "type") == "end") {
    answer.too_large = text_in(message, "reason") == "window";
    answer.why = text_in(message, "text");
    return answer;
  }
  auto turn = turn_report_from_json(message);
  if (!turn) return turn.error();
  answer.reply = std::move(turn->reply);
  answer.tokens_in = turn->prompt_tokens;
  answer.tokens_out = turn->completion_tokens;
  return answer;
}

}  // namespace

AgentHello hello_to(const Endpoint& endpoint, const std::string& key) {
  AgentHello hello;
  hello.authority = endpoint.authority;
  hello.target = endpoint.target;
  hello.key = key;
  if (!endpoint.tls) return hello;
  hello.server = endpoint.host;
  hello.certificates = endpoint.certificates;
  return hello;
}

Result<HeardFromAgent> hear_agent(AgentProcess& agent, const Endpoint& endpoint,
                                  const std::function<bool()>& give_up,
                                  const std::function<void(const std::string& text)>& note) {
  for (;;) {
    if (give_up()) return HeardFromAgent{};
    pollfd watched{agent.channel.fd(), POLLIN, 0};
    const int ready = ::poll(&watched, 1, kTickMs);
    if (ready < 0 && errno != EINTR) return out_of_turn();
    if (ready <= 0) continue;
    auto message = agent.channel.receive(kMessagePatience);
    if (!message) return HeardFromAgent{{}, message.error().message};
    const std::string type = text_in(message->body, "type");
    if (type == "connect") {
      if (auto sent = send_connection(agent, endpoint); !sent) return sent.error();
    } else if (type == "note") {
      note(text_in(message->body, "text"));
    } else if (type == "turn" || type == "end") {
      return HeardFromAgent{std::move(message->body), ""};
    } else {
      return out_of_turn();
    }
  }
}

Result<AskedOnce> ask_once(const AskedModel& model, const Json& settings, const Json& messages) {
  auto agent = model.start_agent();
  if (!agent) return agent.error();
  if (auto sent = agent->channel.send(to_json(hello_of(model, settings, messages))); !sent)
    return sent.error();
  const auto heard = hear_agent(*agent, model.endpoint, model.stop, model.note);
  if (!heard) return heard.error();
  if (!heard->message && heard->gone.empty()) return AskedOnce{.reply = "", .stopped = true};
  if (!heard->message)
    return Error{ErrorCode::kInfrastructure, "kbench-agent ended: " + heard->gone, ""};
  auto answer = answer_in(*heard->message);
  if (answer && !answer->reply.empty())
    (void)agent->channel.send(to_json(TurnAnswer{{}, /*stop=*/true}));
  return answer;
}

}  // namespace kbench
