// All decisions of the gate: who may ask, which requests there are, how each is answered, and who
// waits for what. It has no socket, no thread and no clock of its own, so that tests can play the
// network, the supervisor and time. Used by one thread.
//
// A request that waits is an errand: who is to be answered, by when, and the ids of what it waits
// for. An errand's request to the supervisor is a question, and errands that want the same share
// one. A question's body is let go with its answer; then the order lies on the spool.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/gate/byte_budget.hpp"
#include "runner/gate/shapes/errand.hpp"
#include "runner/gate/shapes/http_message.hpp"
#include "runner/gate/shapes/http_rules.hpp"
#include "runner/gate/shapes/kernelgym.hpp"
#include "runner/gate/shapes/mcp.hpp"
#include "runner/gate/shapes/openenv.hpp"
#include "runner/serve/gate_protocol.hpp"
#include "runner/serve/pace.hpp"

namespace kbench {

struct Route;  // desk.cpp

class Desk {
 public:
  using Clock = std::chrono::steady_clock;

  // `send`: to the supervisor. `alarm`: asks for tick() at that time. The gate never wakes up
  // without need: on a CPU that would disturb a measurement.
  Desk(GateHello hello, std::function<void(const Json&)> send,
       std::function<Clock::time_point()> now, std::function<void(Clock::time_point)> alarm = {});
  ~Desk() { bodies_->close(); }
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  // The kind of a request, once its headers are there: the body of a refused one is not read. Holds
  // its place among those of its token as long as it lives.
  enum class Kind {
    kAnswered,   // handle() answered it
    kEvents,     // a stream of events: listen()
    kWebSocket,  // an OpenEnv session, where the client asks for an upgrade: hear_socket()
  };
  class Visit {
   public:
    [[nodiscard]] Kind kind() const { return kind_; }
    // A token came with it.
    [[nodiscard]] bool is_known() const { return !client_.name.empty(); }
    [[nodiscard]] const Client& client() const { return client_; }
    [[nodiscard]] const HttpTarget& target() const { return target_; }
    // The end of a path that names something: /status/ID.
    [[nodiscard]] std::string id() const;
    // The budget that its body holds: given back when its order lies on the spool.
    std::shared_ptr<ByteBudget::Hold> body;

   private:
    friend class Desk;
    Kind kind_ = Kind::kAnswered;
    const Route* route_ = nullptr;
    HttpTarget target_;
    Client client_;
    std::shared_ptr<void> place_;                           // place among those of its token
    std::shared_ptr<std::optional<std::uint64_t>> errand_;  // errand that the request came to
  };
  struct Admission {
    std::optional<HttpResponse> refused;
    Visit visit;
  };
  [[nodiscard]] Admission admit(const HttpRequest& head);

  // Room for the body of a visit that was admitted, as ByteBudget::ask().
  std::uint64_t ask_for_room(const Visit& visit, std::size_t bytes, ByteBudget::Granted granted);
  // None as yet, which may be resized.
  [[nodiscard]] std::shared_ptr<ByteBudget::Hold> empty_room(const Visit& visit);
  [[nodiscard]] ByteBudget& bodies() { return *bodies_; }
  // The answer to a visit for whose body there was no room for too long.
  [[nodiscard]] HttpResponse no_room() const;

  // Answers a request that was admitted, now or later, once.
  void handle(const Visit& visit, const HttpRequest& request, const Respond& respond);
  // The visit's client hung up: it has no place any more, and is not answered. Its orders are
  // judged.
  void leave(const Visit& visit);

  // State that lasts as long as a WebSocket.
  struct Socket {
    std::shared_ptr<OpenEnvEpisode> episode = std::make_shared<OpenEnvEpisode>();
    McpPeer peer{.over_http = true};
  };
  // A message of one. `reply` gets what is sent back, or nothing where the client says goodbye.
  using Reply = std::function<void(std::optional<std::string> text)>;
  void hear_socket(const Visit& visit, Socket& socket, const std::string& text, const Reply& reply);

  // A message of the Model Context Protocol. `headers`: of its HTTP request, else none. An answer
  // without a body is none.
  void hear_mcp(const Visit& visit, const std::string& text, const HttpRequest* headers,
                McpPeer& peer, const Respond& respond);
  // A visit without a network, by a client that may use what the token of that name may.
  [[nodiscard]] Visit local_visit(const std::string& name) const;

  // Every request that there is: method and path. For the test of what is documented.
  [[nodiscard]] static std::vector<std::pair<std::string, std::string>> requests();

  // Subscribes: `tell` gets each event as the text of server-sent ones, until unlisten().
  using Tell = std::function<void(const std::string& text)>;
  [[nodiscard]] std::uint64_t listen(const Visit& visit, Tell tell);
  // The refusal where too many streams are open already.
  [[nodiscard]] std::optional<HttpResponse> no_stream_for(const Visit& visit) const;
  void unlisten(std::uint64_t number) { listeners_.erase(number); }

  // A message of the supervisor.
  void hear(const Json& message);
  // Answers those whose time is over.
  void tick();
  // The time at which tick() has something to do; nothing where no request waits.
  [[nodiscard]] std::optional<Clock::time_point> next_deadline() const;
  // The supervisor ends: every request is answered.
  [[nodiscard]] bool told_to_end() const { return ending_; }

  [[nodiscard]] std::size_t waiting() const { return errands_.size(); }

 private:
  struct Started {
    Errand errand;
    std::vector<std::optional<OrderOutcome>> outcomes;
    std::vector<std::string> waits;  // ids of those that wait, else empty
    std::size_t open = 0;
    Clock::time_point deadline;
    Respond respond;
    std::shared_ptr<void> place;
  };
  using Place = std::pair<std::uint64_t, std::size_t>;  // errand, which of its wants

  // A question to the supervisor; sent once, however many want the answer.
  struct Question {
    Json message;       // null once it is sent
    std::string key;    // key by which others join; empty where none may
    std::string order;  // hash of the ordered work
    std::size_t bytes = 0;
    std::shared_ptr<ByteBudget::Hold> body;
    std::vector<Place> places;
  };
  // An evaluation that is queued or running, as far as a client here ordered or awaits it.
  struct Awaited {
    // The supervisor's last word: the state, and the reason for the wait.
    Json state = {{"state", "queued"}};
    std::set<Place> places;
    std::vector<std::string> orders;  // hashes of orders that came to it
  };
  // Requests that are being answered, of a token or of all.
  struct Places {
    std::size_t taken = 0;
    Pace pace{std::chrono::seconds(1)};
    std::function<Clock::time_point()> now;
    void take();
    void free();
  };
  struct Listener {
    std::string owner;
    Tell tell;
  };

  [[nodiscard]] std::optional<HttpResponse> check_source(const HttpRequest& head) const;
  void hear_mcp_of_socket(const Visit& visit, Socket& socket, const Json& data, const Reply& reply);
  void start(Result<Errand> errand, const Visit& visit, const Respond& respond);
  [[nodiscard]] std::optional<HttpResponse> take_place(Visit& visit);
  void ask(const Json& asked, Place from, const std::shared_ptr<ByteBudget::Hold>& body);
  void queue_up(Question question);
  void send_some();
  void take_answer(const Json& message);
  void await_id(Place place, const std::string& id, const Json& state);
  void forget_id(const std::string& id);
  [[nodiscard]] Json state_of(const std::string& id) const;  // {id, state}
  void end_of_time(std::uint64_t number);
  void take_event(const Json& message);
  void settle(Place place, OrderOutcome outcome);
  void finish(std::uint64_t number);
  [[nodiscard]] Clock::time_point due_at(const Started& started) const;

  friend struct Routes;

  const GateHello hello_;
  std::function<void(const Json&)> send_;
  std::function<Clock::time_point()> now_;
  std::function<void(Clock::time_point)> alarm_;
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, Started> errands_;
  std::map<std::uint64_t, Question> questions_;
  std::map<std::string, std::uint64_t> open_;          // questions by key
  std::array<std::deque<std::uint64_t>, 2> unsent_;    // short questions, and those with a body
  std::size_t sent_ = 0;                               // questions without an answer
  std::size_t sent_bytes_ = 0;                         // bytes of these questions
  std::size_t turn_ = 0;                               // line that the next question is taken from
  std::map<std::string, Awaited> awaited_;             // key: the id
  std::map<std::string, std::string> ids_;             // ids of awaited work, by hash of the order
  std::map<std::string, std::shared_ptr<Places>> of_;  // key: the token
  std::shared_ptr<Places> all_;
  std::shared_ptr<ByteBudget> bodies_;
  std::map<std::uint64_t, Listener> listeners_;
  KernelGymNames names_;
  std::map<std::string, std::shared_ptr<OpenEnvEpisode>> episodes_;  // over HTTP, by token
  bool draining_ = false;
  std::string unfit_;  // why this server answers nothing; empty where it does
  bool ending_ = false;
};

}  // namespace kbench
