#include "runner/lane/lane_server.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace kbench {
namespace {

// Lasting lines and steps go to the coordinator, which alone has a terminal. That it is gone is
// found by whoever waits for its next request.
class ChannelProgress final : public ProgressSink {
 public:
  explicit ChannelProgress(Channel& channel) : channel_(channel) {}

  void begin(std::string, std::vector<double>) override {}
  void item(std::size_t, std::string_view) override {}
  void step(std::string_view what) override { tell(LaneAnswer::kStep, what); }
  void tick() override {}
  void item_done(std::string_view) override {}
  void end() override {}
  void note(std::string_view text) override { tell(LaneAnswer::kNote, text); }
  void detail(std::string_view text) override { tell(LaneAnswer::kDetail, text); }
  void warn(std::string_view text) override { tell(LaneAnswer::kWarning, text); }

 private:
  void tell(LaneAnswer how, std::string_view text) {
    LaneReply reply;
    reply.answer = how;
    reply.text = text;
    (void)channel_.send(to_json(reply));
  }

  Channel& channel_;
};

class LaneServer {
 public:
  LaneServer(Channel channel, const MakeLaneWork& make)
      : channel_(std::move(channel)), progress_(channel_), work_(make(progress_)) {}

  Status serve() {
    while (true) {
      auto message = channel_.receive();
      auto request = message ? lane_request_from_json(message->body) : message.error();
      if (!request) {
        if (auto told = tell_unreadable(request.error()); !told) return told;
        continue;
      }
      if (request->ask == LaneAsk::kEnd) {
        work_->end(request->lost);
        return Done{};
      }
      if (auto answered = answer(*request); !answered) return answered;
    }
  }

 private:
  // A lane that has its device is asked for results alone: what it cannot read costs that unit.
  Status tell_unreadable(const Error& why) {
    if (!ready_ || why.code != ErrorCode::kBadInput) return why;
    return channel_.send(to_json(
        no_result(fmt::format("the lane cannot read what it is to measure: {}", why.message))));
  }

  static LaneReply no_result(std::string why) {
    LaneReply reply;
    reply.answer = LaneAnswer::kResult;
    reply.result.failure = Error{ErrorCode::kInfrastructure, std::move(why),
                                 "measure it without --devices; please report it"};
    return reply;
  }

  Status send_result(const LaneReply& reply) {
    const Status sent = channel_.send(to_json(reply));
    if (sent || sent.error().code != ErrorCode::kBadInput) return sent;
    LaneReply instead = no_result(longer_than_a_message("the result").message);
    instead.result.lost = reply.result.lost;
    return channel_.send(to_json(instead));
  }

  Status answer(const LaneRequest& request) {
    LaneReply reply;
    std::optional<Error> failed;
    if (request.ask == LaneAsk::kTake) {
      auto taken = work_->take(request.body);
      reply.answer = LaneAnswer::kTaken;
      if (!taken) failed = taken.error();
    } else if (request.ask == LaneAsk::kStart) {
      auto facts = work_->start();
      reply.answer = LaneAnswer::kReady;
      if (facts)
        reply.facts = std::move(*facts);
      else
        failed = facts.error();
      ready_ = !failed;
    } else {
      reply.answer = LaneAnswer::kResult;
      reply.result = work_->measure(request);
      return send_result(reply);
    }
    if (!failed) return channel_.send(to_json(reply));
    reply.answer = LaneAnswer::kFailed;
    reply.failure = failed;
    (void)channel_.send(to_json(reply));
    return *failed;
  }

  Channel channel_;
  bool ready_ = false;  // it has its device
  ChannelProgress progress_;
  std::unique_ptr<LaneWork> work_;
};

}  // namespace

Status serve_lane(Channel channel, const MakeLaneWork& make) {
  return LaneServer(std::move(channel), make).serve();
}

}  // namespace kbench
