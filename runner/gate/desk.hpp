// The gate's whole mind: who may ask, which requests there are, what they come to, and who waits
// for what. It has no socket, no thread and no clock of its own, so that tests can play the
// network, the supervisor and time. Used from one thread only.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/core/json.hpp"
#include "runner/gate/errand.hpp"
#include "runner/gate/http_message.hpp"
#include "runner/gate/http_rules.hpp"
#include "runner/gate/kernelgym.hpp"
#include "runner/gate/mcp.hpp"
#include "runner/gate/openenv.hpp"
#include "runner/serve/gate_protocol.hpp"

namespace kbench {

struct Route;  // desk.cpp

class Desk {
 public:
  using Clock = std::chrono::steady_clock;

  // `send`: to the supervisor. `alarm`: asks for tick() at that time. Nobody wakes up without need:
  // on a CPU it would disturb what is measured meanwhile.
  Desk(GateHello hello, std::function<void(const Json&)> send,
       std::function<Clock::time_point()> now, std::function<void(Clock::time_point)> alarm = {});

  // The kind of a request, once its headers are there: the body of a refused one is not read. Holds
  // its place among those of its token as long as it lives.
  enum class Kind {
    kAnswered,   // by handle()
    kEvents,     // a stream of events: listen()
    kWebSocket,  // an OpenEnv session, where the client asks for an upgrade: hear_socket()
  };
  class Visit {
   public:
    [[nodiscard]] Kind kind() const { return kind_; }

   private:
    friend class Desk;
    friend struct Routes;
    Kind kind_ = Kind::kAnswered;
    const Route* route_ = nullptr;
    HttpTarget target_;
    Client client_;
    std::shared_ptr<void> place_;  // among those of its token
  };
  struct Admission {
    std::optional<HttpResponse> refused;
    Visit visit;
  };
  [[nodiscard]] Admission admit(const HttpRequest& head);

  // Answers a request that was admitted, now or later, once.
  void handle(const Visit& visit, const HttpRequest& request, const Respond& respond);

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
  // Somebody who comes by no network, and may use what the token of that name may.
  [[nodiscard]] Visit local_visit(const std::string& name) const;

  // Every request that there is: method and path. For the test of what is documented.
  [[nodiscard]] static std::vector<std::pair<std::string, std::string>> requests();

  // From now on `tell` gets each event as the text of server-sent ones, until unlisten().
  using Tell = std::function<void(const std::string& text)>;
  [[nodiscard]] std::uint64_t listen(Tell tell);
  [[nodiscard]] bool may_listen() const;  // not too many do already
  void unlisten(std::uint64_t number) { listeners_.erase(number); }

  // A message of the supervisor.
  void hear(const Json& message);
  // Answers those whose time is over.
  void tick();
  // When tick() has something to do; nothing where nobody waits.
  [[nodiscard]] std::optional<Clock::time_point> next_deadline() const;
  // The supervisor ends: everybody is answered.
  [[nodiscard]] bool told_to_end() const { return ending_; }

  [[nodiscard]] std::size_t waiting() const { return errands_.size(); }

 private:
  struct Started {
    Errand errand;
    std::vector<std::optional<OrderOutcome>> outcomes;
    std::vector<Json> waits;  // {id, state} of those that wait, else null
    std::size_t open = 0;
    Clock::time_point deadline;
    Respond respond;
    std::shared_ptr<void> place;
  };
  using Place = std::pair<std::uint64_t, std::size_t>;  // errand, which of its wants

  [[nodiscard]] std::optional<HttpResponse> check_source(const HttpRequest& head) const;
  void hear_mcp_of_socket(const Visit& visit, Socket& socket, const Json& data, const Reply& reply);
  void start(Result<Errand> errand, const Visit& visit, const Respond& respond);
  void ask(const Json& question, Place from);
  void take_answer(const Json& message);
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
  std::map<std::uint64_t, Place> asked_;                           // by number of the question
  std::multimap<std::string, Place> waiting_;                      // by id of the evaluation
  std::map<std::string, std::shared_ptr<std::size_t>> in_flight_;  // by token
  std::map<std::uint64_t, Tell> listeners_;
  KernelGymNames names_;
  std::map<std::string, std::shared_ptr<OpenEnvEpisode>> episodes_;  // over HTTP, by token
  bool draining_ = false;
  bool ending_ = false;
};

}  // namespace kbench
