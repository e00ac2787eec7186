#include "runner/lane/lane_server.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
      if (!message) return message.error();
      auto request = lane_request_from_json(message->body);
      if (!request) return request.error();
      if (request->ask == LaneAsk::kEnd) {
        work_->end(request->lost);
        return Done{};
      }
      if (auto answered = answer(*request); !answered) return answered;
    }
  }

 private:
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
    } else {
      reply.answer = LaneAnswer::kRow;
      reply.measured = work_->measure(request);
    }
    if (!failed) return channel_.send(to_json(reply));
    reply.answer = LaneAnswer::kFailed;
    reply.failure = failed;
    (void)channel_.send(to_json(reply));
    return *failed;
  }

  Channel channel_;
  ChannelProgress progress_;
  std::unique_ptr<LaneWork> work_;
};

}  // namespace

Status serve_lane(Channel channel, const MakeLaneWork& make) {
  return LaneServer(std::move(channel), make).serve();
}

}  // namespace kbench
