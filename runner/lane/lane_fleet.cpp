#include "runner/lane/lane_fleet.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "runner/lane/lane_server.hpp"
#include "runner/os/environment.hpp"

namespace kbench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTick{100};
constexpr std::chrono::seconds kEndPatience{10};

std::string describe(const ChildEnd& end) {
  if (WIFSIGNALED(end.status))
    return fmt::format("it was killed by signal {} ({})", WTERMSIG(end.status),
                       ::strsignal(WTERMSIG(end.status)));
  return fmt::format("it exited with status {}", WEXITSTATUS(end.status));
}

}  // namespace

LaneFleet::LaneFleet(std::vector<LaneCommand> commands, ProgressSink& progress)
    : progress_(progress) {
  for (LaneCommand& command : commands) lanes_.emplace_back().command = std::move(command);
}

Status LaneFleet::spawn(Lane& lane) {
  auto ends = Channel::make_pair();
  if (!ends) return ends.error();
  ChildPlan plan;
  plan.argv = lane.command.argv;
  plan.environment = inherited_environment({}, lane.command.environment);
  const UniqueFd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  // Only what goes wrong before there is a channel is written anywhere.
  plan.descriptors = {{nothing.get(), STDIN_FILENO},
                      {nothing.get(), STDOUT_FILENO},
                      {STDERR_FILENO, STDERR_FILENO},
                      {ends->second.get(), kLaneSocket}};
  plan.ends_with_us = true;
  auto process = ChildProcess::start(plan);
  if (!process) return process.error();
  lane.process = std::move(*process);
  lane.channel = Channel(std::move(ends->first), Channel::Descriptors::kRefused);
  lane.facts = Json();
  LaneRequest request;
  request.ask = LaneAsk::kTake;
  request.body = lane.command.order;
  (void)ask(lane, request, Stage::kTaking);
  return Done{};
}

// Sends a request. A lane that is gone is found by the reader as well.
Status LaneFleet::ask(Lane& lane, const LaneRequest& request, Stage next) {
  lane.stage = next;
  return lane.channel.send(to_json(request));
}

Status LaneFleet::take(const std::function<bool()>& gives_up) {
  for (Lane& lane : lanes_) {
    if (auto spawned = spawn(lane); !spawned) return spawned;
    if (auto taken = go_through(Stage::kTaking, gives_up); !taken) return taken;
  }
  return Done{};
}

Result<std::vector<Json>> LaneFleet::start() {
  LaneRequest request;
  request.ask = LaneAsk::kStart;
  for (Lane& lane : lanes_) (void)ask(lane, request, Stage::kStarting);
  if (auto ready = go_through(Stage::kStarting, {}); !ready) return ready.error();
  is_ready_ = true;
  std::vector<Json> facts;
  for (const Lane& lane : lanes_) facts.push_back(lane.facts);
  return facts;
}

// Returns once no lane is in that stage any more.
Status LaneFleet::go_through(Stage stage, const std::function<bool()>& gives_up) {
  const auto is_in = [stage](const Lane& lane) { return lane.stage == stage; };
  while (std::any_of(lanes_.begin(), lanes_.end(), is_in)) {
    if (gives_up && gives_up())
      return Error{ErrorCode::kInfrastructure, "interrupted while it waited for the device", ""};
    (void)wait(kTick);
    if (failed_) return *failed_;
  }
  return failed_ ? Status(*failed_) : Status(Done{});
}

std::vector<std::size_t> LaneFleet::idle() const {
  std::vector<std::size_t> idle;
  for (std::size_t i = 0; i < lanes_.size(); ++i)
    if (lanes_[i].stage == Stage::kIdle) idle.push_back(i);
  return idle;
}

bool LaneFleet::any_busy() const {
  return std::any_of(lanes_.begin(), lanes_.end(),
                     [](const Lane& lane) { return lane.stage == Stage::kBusy; });
}

bool LaneFleet::any_left() const {
  return std::any_of(lanes_.begin(), lanes_.end(),
                     [](const Lane& lane) { return lane.stage != Stage::kOut; });
}

void LaneFleet::begin(std::size_t lane, std::size_t unit, const LaneRequest& request) {
  lanes_[lane].unit = unit;
  const Status asked = ask(lanes_[lane], request, Stage::kBusy);
  if (asked) return;
  if (asked.error().code != ErrorCode::kBadInput) return bury(lane, asked.error());
  // Longer than a message may be: nothing of it was sent, and the lane is as sound as before.
  lanes_[lane].stage = Stage::kIdle;
  events_.push_back({LaneEvent::What::kReturned,
                     lane,
                     unit,
                     {},
                     longer_than_a_message("what is to be measured")});
}

std::vector<LaneEvent> LaneFleet::wait(std::chrono::milliseconds time) {
  std::vector<pollfd> polled;
  std::vector<std::size_t> owners;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    if (lanes_[i].channel.fd() < 0) continue;
    polled.push_back({lanes_[i].channel.fd(), POLLIN, 0});
    owners.push_back(i);
  }
  if (!events_.empty()) return std::exchange(events_, {});
  (void)::poll(polled.data(), polled.size(), static_cast<int>(time.count()));
  for (std::size_t i = 0; i < polled.size(); ++i) {
    const Error gone{ErrorCode::kInfrastructure, "it is gone", ""};
    if (polled[i].revents != 0)
      read(owners[i]);
    else if (!lanes_[owners[i]].process.alive())  // its end of the channel may still be held open
      bury(owners[i], gone);
  }
  return std::exchange(events_, {});
}

void LaneFleet::read(std::size_t index) {
  // A lane writes a message at once or dies, so reading one that has begun never waits long.
  auto message = lanes_[index].channel.receive();
  if (!message) return bury(index, message.error());
  auto reply = lane_reply_from_json(message->body);
  if (!reply) return bury(index, reply.error());
  heed(index, std::move(*reply));
}

void LaneFleet::heed(std::size_t index, LaneReply reply) {
  Lane& lane = lanes_[index];
  LaneRequest start;
  start.ask = LaneAsk::kStart;
  switch (reply.answer) {
    case LaneAnswer::kNote:
    case LaneAnswer::kDetail:
    case LaneAnswer::kWarning:
    case LaneAnswer::kStep: return tell(lane, reply);
    case LaneAnswer::kTaken:
      lane.stage = Stage::kTaken;
      if (lane.replaces) (void)ask(lane, start, Stage::kStarting);
      return;
    case LaneAnswer::kReady:
      lane.facts = std::move(reply.facts);
      lane.stage = Stage::kIdle;
      return;
    case LaneAnswer::kFailed:
      if (!is_ready_) failed_ = *reply.failure;
      if (lane.stage == Stage::kBusy)
        events_.push_back({LaneEvent::What::kReturned, index, lane.unit, {}, *reply.failure});
      return leave(index, *reply.failure);
    case LaneAnswer::kResult: {
      if (lane.stage != Stage::kBusy)
        return bury(index, {ErrorCode::kInfrastructure, "it answered what nobody asked", ""});
      lane.stage = Stage::kIdle;
      const auto lost = reply.result.lost;
      events_.push_back(
          {LaneEvent::What::kResult, index, lane.unit, std::move(reply.result), Error{}});
      if (lost) leave(index, *lost);
      return;
    }
  }
}

void LaneFleet::tell(const Lane& lane, const LaneReply& reply) {
  const std::string text = fmt::format("{}: {}", lane.command.name, reply.text);
  switch (reply.answer) {
    case LaneAnswer::kNote: return progress_.note(text);
    case LaneAnswer::kDetail: return progress_.detail(text);
    case LaneAnswer::kWarning: return progress_.warn(text);
    case LaneAnswer::kStep: return progress_.step(text);
    case LaneAnswer::kTaken:
    case LaneAnswer::kReady:
    case LaneAnswer::kResult:
    case LaneAnswer::kFailed: return;
  }
}

// A lane that is gone, or says what no lane does.
void LaneFleet::bury(std::size_t index, const Error& why) {
  Lane& lane = lanes_[index];
  const bool was_busy = lane.stage == Stage::kBusy;
  // The lane's end of the channel is closed a little before its process is over.
  (void)lane.process.wait_until(Clock::now() + kTick);
  lane.channel = Channel();
  const ChildEnd end = lane.process.end();
  const std::string how = end.by_itself ? describe(end) : why.message;
  Error died{ErrorCode::kInfrastructure,
             fmt::format("the process that measures on {} ended: {}", lane.command.name, how),
             "the machine's log (dmesg) may say why, of too little memory say"};
  if (was_busy) events_.push_back({LaneEvent::What::kReturned, index, lane.unit, {}, died});
  if (!is_ready_) {
    failed_ = died;
    lane.stage = Stage::kOut;
    return;
  }
  const auto now = Clock::now();
  std::erase_if(lane.deaths, [now](auto then) { return now - then > kDeathWindow; });
  lane.deaths.push_back(now);
  if (lane.deaths.size() >= kMostDeaths) {
    died.message += fmt::format("; that was the third time in {} minutes", kDeathWindow.count());
    return leave(index, died);
  }
  progress_.warn(died.message + "; it is replaced");
  lane.replaces = true;
  if (auto spawned = spawn(lane); !spawned) leave(index, spawned.error());
}

void LaneFleet::leave(std::size_t index, Error why) {
  Lane& lane = lanes_[index];
  if (lane.stage == Stage::kOut) return;
  LaneRequest request;
  request.ask = LaneAsk::kEnd;
  request.lost = true;
  if (lane.channel.fd() >= 0) (void)ask(lane, request, Stage::kOut);
  lane.stage = Stage::kOut;
  lane.channel = Channel();
  if (is_ready_) events_.push_back({LaneEvent::What::kLost, index, 0, {}, std::move(why)});
}

void LaneFleet::begin_end(bool lost) {
  LaneRequest request;
  request.ask = LaneAsk::kEnd;
  request.lost = lost;
  for (Lane& lane : lanes_)
    if (lane.stage != Stage::kOut && lane.channel.fd() >= 0) (void)ask(lane, request, Stage::kOut);
}

void LaneFleet::wait_for_end() {
  const auto deadline = Clock::now() + kEndPatience;
  for (Lane& lane : lanes_) {
    (void)lane.process.wait_until(deadline);
    (void)lane.process.end();
  }
}

}  // namespace kbench
