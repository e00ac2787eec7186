#include "runner/measure/oracle/baseline_player.hpp"

#include <chrono>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/measure/oracle/oracle_reply.hpp"
#include "runner/measure/players/mailbox_call.hpp"

namespace kbench {
namespace {

constexpr auto kLongCall = std::chrono::milliseconds{300};

}  // namespace

Result<std::unique_ptr<Player>> BaselinePlayer::start(OracleForkServer& server,
                                                      const std::filesystem::path& log,
                                                      const Json& request, const SeatArenas& arenas,
                                                      const std::vector<int>& files) {
  auto mailbox = Mailbox::create();
  if (!mailbox) return mailbox.error();
  const int page = mailbox->fd();
  std::unique_ptr<BaselinePlayer> player(new BaselinePlayer(server, log, std::move(*mailbox)));
  if (auto asked = player->child_.request(server, log); !asked) return asked.error();
  std::vector<int> descriptors{page, arenas.inputs.get(), arenas.params.get(),
                               arenas.outputs.get()};
  descriptors.insert(descriptors.end(), files.begin(), files.end());
  auto sent = player->child_.channel().send(request, descriptors);
  if (!sent) return sent.error();
  return std::unique_ptr<Player>(std::move(player));
}

Status BaselinePlayer::await_loaded(std::chrono::milliseconds timeout) {
  if (auto met = child_.meet(); !met) return met;
  auto reply = child_.channel().receive(timeout);
  if (!reply) return reply.error();
  if (auto error = error_in(reply->body, "play")) return *error;
  return server_.freeze();
}

std::optional<EarlyEnd> BaselinePlayer::await_ready(std::chrono::milliseconds timeout) {
  const auto loaded = await_loaded(timeout);
  if (loaded) return std::nullopt;
  const Error& error = loaded.error();
  if (error.code == ErrorCode::kDoesNotFit)
    return EarlyEnd{State::kDoesNotFit, error.message, error.hint};
  return failed("cannot play: " + error.message);
}

std::vector<pid_t> BaselinePlayer::processes() const { return {child_.pid()}; }

bool BaselinePlayer::has_stalled(StallWatch& watch, std::chrono::nanoseconds into_call) {
  if (into_call <= kLongCall) return false;
  const auto times = run_times(processes());
  return times && watch.stalled(into_call, times->total_ns);
}

EarlyEnd BaselinePlayer::failed(const std::string& what) const {
  return {State::kInfrastructureError, "the baselines' process " + what,
          "its log is " + log_.string()};
}

PlayerAnswer BaselinePlayer::call(const PlayerCall& call) {
  PlayerAnswer answer;
  const auto own = processes();
  const auto before = run_times(own);
  StallWatch watch;
  Status continued = Done{};
  Status stopped = Done{};
  const MailboxCall made =
      go_and_wait(mailbox_, call, ++calls_, WaitStyle::kFutex,
                  {.is_over = [&] { return child_.has_ended(); },
                   .has_stalled = [&](auto into_call) { return has_stalled(watch, into_call); },
                   .move_threads = [&] { server_.move_threads(); },
                   .let_run =
                       [&] {
                         continued = server_.thaw();
                         return continued.operator bool();
                       },
                   .stop = [&] { stopped = server_.freeze(); }});
  answer.wall_ns = made.wall_ns;
  answer.done_at_ns = made.done_at_ns;
  if (!continued) {
    answer.failure = failed(continued.error().message);
    return answer;
  }
  if (!made.answered) {
    answer.failure = failed(child_.has_ended() ? "ended in a call" : "did not finish a call");
    return answer;
  }
  answer.claimed_ns = mailbox_.page().claimed_ns;
  answer.switches = mailbox_.page().switches;
  if (const std::int32_t status = mailbox_.page().status; status != 0)
    answer.failure = failed(fmt::format("could not compute (status {})", status));
  if (!stopped) answer.failure = failed(stopped.error().message);
  const auto after = run_times(own);
  if (!before || !after) {
    answer.failure = failed((before ? after : before).error().message);
    return answer;
  }
  answer.waited_ns = waited_ns(*before, *after);
  return answer;
}

}  // namespace kbench
