#include "runner/serve/supervisor.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "runner/core/channel.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/core/utc_now.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/serve/gate_process.hpp"
#include "runner/serve/pace.hpp"
#include "runner/serve/recent.hpp"
#include "runner/serve/serve_meter.hpp"

namespace kbench {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int kMostTries = 2;   // tries of an order that gets no row
constexpr int kMostDeaths = 3;  // tries that were begun and not ended, by servers that were killed
constexpr std::size_t kMostFailed = 1024;   // failed orders that are remembered
constexpr std::size_t kMostResults = 1024;  // results that were not fetched yet
// Time from one row to the next, until one was judged.
constexpr std::chrono::seconds kUsualRow{10};
constexpr int kMostGates = 5;  // within kGatesWithin
constexpr std::chrono::seconds kGatesWithin{60};
// A message of the gate comes at once or not at all.
constexpr milliseconds kMessagePatience{10'000};
constexpr milliseconds kFarewellPatience{3'000};

// Why an order in hand waits: {held_by, held_since, since, place, until}. `before`: the same of
// the wait so far, which this one goes on with.
Json waiting_json(const DeviceWait& wait, const std::optional<Json>& before) {
  const auto left = wait.seconds_left();
  return {{"held_by", wait.holder.what},
          {"held_since", wait.holder.since},
          {"since", before ? before->at("since") : Json(utc_now())},
          {"place", wait.place},
          {"until", left ? Json(utc_in(*left)) : Json()}};
}

// A message of the judge's thread to the other one.
struct News {
  std::string id;
  bool judged = false;           // else it has no row
  std::optional<Json> result{};  // result of an order that is not stored
  std::optional<Error> why_not{};
};

// The judge's thread and what it shares.
class Work {
 public:
  Work(Judge& judge, const Spool& spool, ServeMeter& meter, OrderQueue::Limits limits,
       std::size_t batch)
      : judge_(judge),
        meter_(meter),
        spool_(spool),
        batch_(batch),
        queue_(limits),
        wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~Work() { end(); }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  [[nodiscard]] int wake_fd() const { return wake_.get(); }

  void begin() {
    thread_ = std::thread([this] { run(); });
  }
  // Begins nothing any more; what runs goes on.
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    judge_.stop();
    changed_.notify_all();
  }
  [[nodiscard]] bool idle() const {
    const std::lock_guard lock(mutex_);
    return over_;
  }
  void end() {
    if (!thread_.joinable()) return;
    stop();
    thread_.join();
  }

  // Asks or changes the queue.
  template <class Ask>
  auto with_queue(Ask&& ask) {
    const std::lock_guard lock(mutex_);
    return ask(queue_);
  }
  void notify() { changed_.notify_all(); }

  std::deque<News> take_news() {
    std::uint64_t ignored = 0;
    [[maybe_unused]] const ssize_t got = ::read(wake_.get(), &ignored, sizeof ignored);
    const std::lock_guard lock(mutex_);
    return std::exchange(news_, {});
  }
  // The device wait of the orders in hand, if it has changed.
  std::optional<std::optional<Json>> take_changed_wait() {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(wait_changed_, false)) return std::nullopt;
    return wait_;
  }
  // The device that the orders in hand wait for; none while they are judged.
  [[nodiscard]] std::optional<Json> wait() const {
    const std::lock_guard lock(mutex_);
    return wait_;
  }
  // Orders that just began.
  std::vector<std::string> take_begun() {
    const std::lock_guard lock(mutex_);
    return std::exchange(begun_, {});
  }

 private:
  void run() {
    for (;;) {
      std::vector<QueuedOrder> orders;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return stopping_ || queue_.waiting() > 0; });
        if (stopping_) break;
        orders = queue_.take(batch_);
        for (const QueuedOrder& order : orders) begun_.push_back(order.id);
      }
      wake();
      judge_some(with_files(orders));
    }
    const std::lock_guard lock(mutex_);
    over_ = true;
    wake();
  }

  // The orders with their files, as they lie on the spool, which counts the try before it is begun.
  // An order that cannot be read is told of.
  std::vector<QueuedOrder> with_files(const std::vector<QueuedOrder>& orders) {
    std::vector<QueuedOrder> whole;
    for (const QueuedOrder& order : orders) {
      auto read = spool_.begin_try(order.id);
      if (read) {
        whole.push_back(std::move(*read));
      } else {
        tell({.id = order.id, .why_not = read.error()});
      }
    }
    return whole;
  }

  void judge_some(const std::vector<QueuedOrder>& orders) {
    if (orders.empty()) return;
    std::map<std::string, bool> open;
    for (const QueuedOrder& order : orders) open[order.id] = true;
    const auto told = [&](const std::string& id, std::optional<Json> result) {
      const auto found = open.find(id);
      if (found == open.end() || !found->second) return;
      found->second = false;
      meter_.row();
      tell({.id = id, .judged = true, .result = std::move(result)});
    };
    meter_.judge_begins();
    const Status judged =
        judge_.judge(orders, {.told = told, .waits = [&](const auto& wait) { tell_wait(wait); }});
    tell_wait(std::nullopt);
    meter_.judge_ends();
    for (const auto& [id, still_open] : open) {
      if (!still_open) continue;
      News news{.id = id};
      if (!judged) news.why_not = judged.error();
      tell(std::move(news));
    }
  }

  void tell(News news) {
    {
      const std::lock_guard lock(mutex_);
      news_.push_back(std::move(news));
    }
    wake();
  }

  void tell_wait(const std::optional<DeviceWait>& wait) {
    {
      const std::lock_guard lock(mutex_);
      if (!wait && !wait_) return;
      wait_ = wait ? waiting_json(*wait, wait_) : std::optional<Json>();
      wait_changed_ = true;
    }
    wake();
  }

  void wake() const {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof one);
  }

  Judge& judge_;
  ServeMeter& meter_;
  const Spool& spool_;
  const std::size_t batch_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  OrderQueue queue_;
  std::deque<News> news_;
  std::vector<std::string> begun_;
  std::optional<Json> wait_;  // the last waiting_json()
  bool wait_changed_ = false;
  bool stopping_ = false;
  bool over_ = false;
  UniqueFd wake_;
  std::thread thread_;
};

class Service {
 public:
  Service(const ServeSettings& settings, Judge& judge, Spool& spool)
      : settings_(settings),
        judge_(judge),
        spool_(spool),
        work_(judge, spool, meter_, settings.limits, settings.batch) {}

  Result<ServeEnd> run() {
    if (auto restored = restore(); !restored) return restored.error();
    if (auto open = open_gate(); !open) return open.error();
    work_.begin();
    while (!over()) {
      if (auto turned = turn(); !turned) return turned.error();
    }
    work_.end();
    tell_news();
    say_goodbye();
    return ServeEnd{judged_, work_.with_queue([](OrderQueue& queue) { return queue.size(); })};
  }

 private:
  void note(const std::string& text) const {
    if (settings_.note) settings_.note(text);
  }

  // --- what an earlier server left ---

  Status restore() {
    std::size_t foreign = 0;
    const auto damaged = spool_.each([&](QueuedOrder order) {
      sequence_ = std::max(sequence_, order.sequence);
      // An order that is not stored has no client left that waits for its result.
      if (!order.order.is_stored()) return spool_.forget(order.id);
      const auto same = judge_.identify(order.order);
      if (!same || same->id != order.id) {
        ++foreign;
        return spool_.forget(order.id);
      }
      // The server may have been killed between storing the row and removing this file.
      const auto row = judge_.find(order.id, "", Judge::Rows::kThatCount);
      if (row && *row) return spool_.forget(order.id);
      if (order.tries >= kMostDeaths) return give_up(order);
      meter_.arrived(order.id);
      work_.with_queue([&](OrderQueue& queue) { queue.restore(std::move(order)); });
    });
    if (!damaged) return damaged.error();
    if (*damaged > 0)
      note(fmt::format("{} files of the queue are damaged and stay where they are", *damaged));
    if (foreign > 0)
      note(
          fmt::format("{} orders were for another task file, compiler, device or kbench, and are "
                      "dropped: send them again",
                      foreign));
    const auto left = work_.with_queue([](OrderQueue& queue) { return queue.size(); });
    if (left > 0) note(fmt::format("{} orders of before go on", left));
    return Done{};
  }

  // The order's file stays, so that no later server tries it either.
  void give_up(const QueuedOrder& order) {
    note(fmt::format(
        "an order of {} is not tried again, since {} servers ended while it was judged; "
        "without its file in the queue's folder, {}.json, it would be",
        clean_name(order.order.agent, 64), order.tries, order.id));
    given_up_.insert(order.id);
  }
  static Refusal was_given_up() {
    return {500,
            refusal_json("each time that this was judged the server was killed, so that it is "
                         "not tried again",
                         "whoever runs the server finds its file in the log", "infrastructure")};
  }

  // --- the gate ---

  Status open_gate() {
    auto gate = settings_.open_gate();
    if (!gate) return gate.error();
    gate_ = std::move(*gate);
    send(hello_json(settings_.hello));  // to one that is gone already: another one is opened
    if (draining_) send({{"say", "draining"}});
    if (const std::string why = judge_.unfit(); !why.empty())
      send({{"say", "unfit"}, {"why", why}});
    return Done{};
  }

  // A client that could end the gate once can end it again, so restarts are counted.
  Status reopen_gate(const std::string& why) {
    const auto now = steady_clock::now();
    std::erase_if(gates_, [&](auto when) { return now - when > kGatesWithin; });
    gates_.push_back(now);
    gate_.process.reset();
    if (gates_.size() > kMostGates)
      return Error{ErrorCode::kInfrastructure,
                   fmt::format("kbench-gate ended {} times within a minute, last: {}",
                               gates_.size(), clean_name(why, 200)),
                   "what waits is kept; please report it with what clients had sent"};
    note(fmt::format("kbench-gate ended ({}); another one is started", clean_name(why, 200)));
    return open_gate();
  }

  void send(const Json& message) {
    if (gate_.channel.send(message)) return;
    gate_lost_ = true;
  }

  // --- the loop ---

  [[nodiscard]] bool over() const { return draining_ && work_.idle(); }

  Status turn() {
    std::array<pollfd, 4> watched{{{gate_.channel.fd(), POLLIN, 0},
                                   {gate_.process ? gate_.process->exit_fd() : -1, POLLIN, 0},
                                   {work_.wake_fd(), POLLIN, 0},
                                   {settings_.end_fd, POLLIN, 0}}};
    const int patience = gate_lost_ ? 0 : -1;
    if (::poll(watched.data(), watched.size(), patience) < 0) return Done{};  // a signal
    if (watched[2].revents != 0) tell_news();
    if (watched[3].revents != 0) end_asked();
    if (watched[0].revents != 0) hear();
    if (watched[1].revents != 0) gate_lost_ = true;
    if (!std::exchange(gate_lost_, false)) return Done{};
    return reopen_gate(std::exchange(why_lost_, "it died"));
  }

  void end_asked() {
    std::array<char, 128> ignored;  // a signalfd_siginfo, or less
    [[maybe_unused]] const ssize_t got = ::read(settings_.end_fd, ignored.data(), ignored.size());
    if (!draining_) return drain();
    if (settings_.abandon) settings_.abandon();
  }

  void drain() {
    draining_ = true;
    note("ending: what is judged is finished and stored, what waits is kept");
    work_.stop();
    send({{"say", "draining"}});
    for (const std::string& id :
         work_.with_queue([](OrderQueue& queue) { return queue.waiting_ids(); }))
      send(event("put_off", id));
  }

  void say_goodbye() {
    for (const std::string& id :
         work_.with_queue([](OrderQueue& queue) { return queue.waiting_ids(); }))
      send(event("put_off", id));
    send({{"say", "bye"}});
    if (!gate_.process) return;
    (void)gate_.process->wait(kFarewellPatience);
    gate_.process->kill();
  }

  // --- what the judge's thread did ---

  Json event(const char* what, const std::string& id) {
    return work_.with_queue([&](OrderQueue& queue) {
      const QueuedOrder* order = queue.find(id);
      return Json{{"event", what},
                  {"id", id},
                  {"task", order == nullptr ? "" : order->order.task},
                  {"agent", order == nullptr ? "" : order->order.agent}};
    });
  }

  void tell_news() {
    auto news = work_.take_news();
    for (const std::string& id : work_.take_begun()) send(event("running", id));
    if (const auto wait = work_.take_changed_wait()) tell_wait(*wait);
    for (News& one : news) {
      if (one.judged) {
        if (one.result) results_.put(one.id, std::move(*one.result));
        leave(one.id, "done");
        ++judged_;
      } else {
        try_again(one);
      }
    }
  }

  // Tells the clients of the orders in hand that these wait for the device, or run.
  void tell_wait(const std::optional<Json>& wait) {
    if (!wait && !std::exchange(waits_, false)) return;  // it was over before the gate was told
    waits_ = wait.has_value();
    const auto ids = work_.with_queue([](OrderQueue& queue) { return queue.running_ids(); });
    for (const std::string& id : ids) {
      Json message = event(wait ? "waiting" : "running", id);
      if (wait) message["waiting"] = *wait;
      send(message);
    }
    note(wait ? waiting_words(*wait, ids.size()) : "the device is there");
  }

  static std::string waiting_words(const Json& wait, std::size_t orders) {
    const Json& until = wait.at("until");
    return fmt::format(
        "{} evaluation{} for the device, which {} has had since {}: place {} in its queue{}",
        orders, orders == 1 ? " waits" : "s wait", wait.at("held_by").get<std::string>(),
        wait.at("held_since").get<std::string>(), wait.at("place").get<int>(),
        until.is_null() ? "" : fmt::format(", probably until {}", until.get<std::string>()));
  }

  // An order leaves: its row is stored, or it failed for good. First the disk forgets it, then the
  // queue.
  void leave(const std::string& id, const char* what) {
    const Json message = event(what, id);
    spool_.forget(id);
    meter_.left(id, std::string_view(what) == "done");
    const std::size_t left = work_.with_queue([&](OrderQueue& queue) {
      queue.finish(id);
      return queue.size();
    });
    const auto now = steady_clock::now();
    for (const auto& whose : {message.at("agent").get<std::string>(), std::string()})
      if (const auto found = paces_.find(whose); found != paces_.end()) found->second.freed(now);
    if (left == 0)
      for (auto& [whose, pace] : paces_) pace.rest();
    send(message);
  }

  // Takes a result once: if it is asked for again, it is made again.
  std::optional<Refusal> take_result(const std::string& id) {
    auto result = results_.take(id);
    if (!result) return std::nullopt;
    return Refusal{200, {{"id", id}, {"result", std::move(*result)}}};
  }

  void try_again(const News& news) {
    // An end that we asked for is no try of its own.
    const bool tried = !draining_ || news.why_not;
    const int tries = work_.with_queue([&](OrderQueue& queue) {
      const QueuedOrder* order = queue.find(news.id);
      return order == nullptr ? kMostTries : order->tries + (tried ? 1 : 0);
    });
    if (tries < kMostTries) {
      if (!tried) spool_.undo_try(news.id);
      work_.with_queue([&](OrderQueue& queue) { queue.put_back(news.id, tried); });
      work_.notify();
      return;
    }
    const Error why = news.why_not.value_or(
        Error{ErrorCode::kInfrastructure, "it was not judged, and nobody knows why",
              "send it again; where that fails as well, the server's log says what its device and "
              "its disk did"});
    note(fmt::format("an order failed: {}", clean_name(why.message, 300)));
    failed_.put(news.id, why);
    leave(news.id, "failed");
  }

  // --- what the gate asks ---

  void hear() {
    auto message = gate_.channel.receive(kMessagePatience);
    if (!message) {
      gate_lost_ = true;
      why_lost_ = message.error().message;
      return;
    }
    const Json& asked = message->body;
    const auto number = asked.is_object() ? asked.find("ask") : asked.end();
    if (number == asked.end() || !number->is_number_unsigned()) {
      gate_lost_ = true;
      why_lost_ = "it sent what no gate sends";
      return;
    }
    const Refusal reply = answer(asked);
    send({{"answer", *number}, {"status", reply.status}, {"body", reply.body}});
  }

  static std::string text_of(const Json& asked, const char* name) {
    const auto found = asked.find(name);
    return found != asked.end() && found->is_string() ? found->get<std::string>() : "";
  }

  Refusal answer(const Json& asked) {
    const std::string what = text_of(asked, "what");
    if (what == "order" && asked.contains("order")) {
      auto order = order_from_json(asked.at("order"));
      if (!order) return refusal_of(order.error());
      return take(std::move(*order), text_of(asked, "reward"));
    }
    if (what == "row") return look_up(text_of(asked, "id"), text_of(asked, "reward"));
    if (what == "task") {
      auto described = judge_.describe(text_of(asked, "task"), text_of(asked, "size"));
      if (!described) return refusal_of(described.error());
      return {200, std::move(*described)};
    }
    if (what == "metrics") return {200, metrics()};
    if (what == "tool" && asked.contains("arguments")) return use_tool(asked);
    return {400, refusal_json("the gate asked for what nobody knows", "")};
  }

  Json metrics() {
    const bool waits = work_.wait().has_value();
    return work_.with_queue([&](OrderQueue& queue) {
      const std::size_t in_hand = queue.size() - queue.waiting();
      Json numbers = meter_.read(queue.waiting_ids(), waits ? 0 : in_hand);
      numbers["waiting"] = waits ? in_hand : 0;
      return numbers;
    });
  }

  Refusal waits(const std::string& id, OrderQueue::State state) {
    if (state == OrderQueue::State::kQueued) return {202, {{"id", id}, {"state", "queued"}}};
    if (auto wait = work_.wait())
      return {202, {{"id", id}, {"state", "waiting"}, {"waiting", std::move(*wait)}}};
    return {202, {{"id", id}, {"state", "running"}}};
  }

  [[nodiscard]] std::optional<OrderQueue::State> state_of(const std::string& id) {
    return work_.with_queue([&](OrderQueue& queue) { return queue.state_of(id); });
  }

  // True where a token of that name allows it.
  [[nodiscard]] bool may(const std::string& agent, bool Scopes::*scope) const {
    return std::any_of(
        settings_.hello.tokens.begin(), settings_.hello.tokens.end(),
        [&](const KnownToken& token) { return token.name == agent && token.scopes.*scope; });
  }

  Refusal use_tool(const Json& asked) {
    const std::string agent = text_of(asked, "agent");
    if (!may(agent, &Scopes::workspace)) return not_allowed();
    auto used = judge_.use_tool(text_of(asked, "tool"), asked.at("arguments"), agent);
    if (!used) return refusal_of(used.error());
    if (auto* result = std::get_if<0>(&*used)) return {200, {{"result", std::move(*result)}}};
    return take(std::move(std::get<1>(*used)), text_of(asked, "reward"));
  }

  static Refusal not_allowed() {
    return {403, refusal_json("the token does not allow this", "name one that does")};
  }

  Refusal take(Order order, const std::string& reward) {
    if (const std::string why = judge_.unfit(); !why.empty())
      return {503, refusal_json(why, "ask another server", "infrastructure")};
    if (!may(order.agent, &Scopes::evaluate) && !may(order.agent, &Scopes::workspace))
      return not_allowed();
    const auto identity = judge_.identify(order);
    if (!identity) {
      Refusal refusal = refusal_of(identity.error());
      if (refusal.status == 404) refusal.status = 422;  // the task, not the request's address
      return refusal;
    }
    order.task = identity->task;
    order.reference.clear();
    order.size = identity->size;
    // An older row does not count for an order that is being judged.
    if (const auto state = state_of(identity->id)) return waits(identity->id, *state);
    if (order.is_stored()) {
      auto row = judge_.find(identity->id, reward, Judge::Rows::kThatCount);
      if (!row) return refusal_of(row.error());
      if (*row) return {200, std::move(**row)};
    } else if (auto result = take_result(identity->id)) {
      return std::move(*result);
    }
    if (given_up_.contains(identity->id)) return was_given_up();
    if (draining_)
      return {503,
              refusal_json("this server is ending", "send it again in a minute", "infrastructure")};
    const std::size_t bytes = size_of_files(order);
    return queue_up({.id = identity->id,
                     .order = std::move(order),
                     .sequence = ++sequence_,
                     .tries = 0,
                     .bytes = bytes});
  }

  // The pace at which orders of that token leave; without a name, that of all.
  Pace& pace_of(const std::string& agent) {
    Pace& pace = paces_.try_emplace(agent, kUsualRow).first->second;
    pace.begin(steady_clock::now());
    return pace;
  }

  // The refusal in a flood: why, and when there will be a place.
  Refusal flooded(const std::string& agent, const std::string& why) {
    Refusal refusal{429, refusal_json(why, "wait until some are judged")};
    refusal.body["error"]["retry_after_s"] = pace_of(agent).refused(steady_clock::now()).count();
    return refusal;
  }

  // The refusal if there are too many orders; nothing where there is room.
  std::optional<Refusal> too_many(const QueuedOrder& order) {
    const std::string& agent = order.order.agent;
    const OrderQueue::Limits& most = settings_.limits;
    const auto room =
        work_.with_queue([&](OrderQueue& queue) { return queue.room_for(agent, order.bytes); });
    switch (room) {
      case OrderQueue::Push::kTaken:
      case OrderQueue::Push::kThere: return std::nullopt;
      case OrderQueue::Push::kFull:
        return flooded("", fmt::format("{} orders wait already, or {} MiB of them", most.most,
                                       most.most_bytes >> 20));
      case OrderQueue::Push::kTooMany:
        return flooded(agent,
                       fmt::format("{} orders of this token are not judged yet, or {} MiB of them",
                                   most.most_of_one, most.most_bytes_of_one >> 20));
    }
    return std::nullopt;
  }

  Refusal queue_up(QueuedOrder order) {
    if (auto full = too_many(order)) return std::move(*full);
    const std::string id = order.id;
    // The order is on the disk before anybody is told, and before anybody can begin it.
    if (auto kept = spool_.keep(order); !kept) return refusal_of(kept.error());
    failed_.erase(id);
    for (const auto& whose : {order.order.agent, std::string()}) (void)pace_of(whose);
    meter_.arrived(id);
    work_.with_queue([&](OrderQueue& queue) { return queue.push(std::move(order)); });
    send(event("queued", id));
    work_.notify();
    return waits(id, OrderQueue::State::kQueued);
  }

  Refusal look_up(const std::string& id, const std::string& reward) {
    if (!is_order_id(id)) return {404, refusal_json("this is no id of an evaluation", "")};
    if (const auto state = state_of(id)) return waits(id, *state);
    if (auto result = take_result(id)) return std::move(*result);
    if (given_up_.contains(id)) return was_given_up();
    if (const Error* failed = failed_.find(id)) {
      Error why = *failed;
      why.code = ErrorCode::kInfrastructure;
      return refusal_of(why);
    }
    auto row = judge_.find(id, reward, Judge::Rows::kAny);
    if (!row) return refusal_of(row.error());
    if (*row) return {200, std::move(**row)};
    return {404, refusal_json("no evaluation has this id", "")};
  }

  const ServeSettings& settings_;
  Judge& judge_;
  Spool& spool_;
  ServeMeter meter_;
  Work work_;
  Gate gate_;
  bool draining_ = false;
  bool gate_lost_ = false;
  bool waits_ = false;  // the gate was told last that orders wait for the device
  std::string why_lost_ = "it died";
  std::vector<steady_clock::time_point> gates_;  // when one was started anew
  Recent<Error> failed_{kMostFailed};            // errors of orders without a row
  Recent<Json> results_{kMostResults};           // results of orders that are not stored
  std::set<std::string> given_up_;               // ids that no server tries any more
  std::map<std::string, Pace> paces_;            // by token, and of all under an empty name
  std::uint64_t sequence_ = 0;
  std::size_t judged_ = 0;
};

}  // namespace

Result<ServeEnd> serve(const ServeSettings& settings, Judge& judge, Spool& spool) {
  return Service(settings, judge, spool).run();
}

}  // namespace kbench
