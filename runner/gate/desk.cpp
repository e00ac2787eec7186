#include "runner/gate/desk.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "runner/core/lone_surrogates.hpp"
#include "runner/core/sha256.hpp"
#include "runner/core/strict_json.hpp"
#include "runner/gate/credentials.hpp"
#include "runner/gate/shapes/open_metrics.hpp"
#include "runner/gate/shapes/openrlhf.hpp"
#include "runner/gate/shapes/v1.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/serve/client_limits.hpp"

namespace kbench {
namespace {

// The supervisor answers at once, but for what it reads from a slow disk.
constexpr std::chrono::seconds kAnswerPatience{30};
// Clients of tools wait a minute, some of them no longer.
constexpr std::chrono::seconds kToolClientHolds{60};

// Most messages, and bytes, that wait for the supervisor's answer at a time: enough that it always
// has work, and no more than its channel takes without holding the gate up.
constexpr std::size_t kMostSent = 8;
constexpr std::size_t kMostSentBytes = 128u << 10;
constexpr std::size_t kShortQuestion = 1u << 10;

}  // namespace

// One kind of request. A path that ends with a slash is followed by an id.
struct Route {
  std::string_view method;
  std::string_view path;
  bool Scopes::*scope;  // null: anybody's
  Desk::Kind kind;
  void (*answer)(Desk&, const Desk::Visit&, const HttpRequest&, const Respond&);

  [[nodiscard]] bool is_for(std::string_view asked) const {
    if (!path.ends_with('/')) return asked == path;
    return asked.starts_with(path) && asked.size() > path.size() &&
           asked.find('/', path.size()) == std::string_view::npos;
  }
};

std::string Desk::Visit::id() const { return target_.path.substr(route_->path.size()); }

// A function for each route of the server.
struct Routes {
  using Visit = Desk::Visit;

  // Makes an errand of a request with a body.
  template <class Make>
  static void errand_of_body(Desk& desk, const Visit& visit, const HttpRequest& request,
                             const Respond& respond, Make&& make) {
    const auto body = read_json_body(request);
    if (!body) {
      const int status = body.error().code == ErrorCode::kUsage ? 415 : 400;
      return respond(refuse(status, body.error().message, body.error().hint));
    }
    desk.start(make(*body), visit, respond);
  }

  static void health(Desk& desk, const Visit& /*visit*/, const HttpRequest& /*request*/,
                     const Respond& respond) {
    if (!desk.unfit_.empty())
      return respond(json_response(503, {{"status", "unfit"}, {"reason", desk.unfit_}}));
    respond(json_response(desk.draining_ ? 503 : 200,
                          {{"status", desk.draining_ ? "degraded" : "healthy"}}));
  }

  // A request for metrics is no client that waits.
  static void metrics(Desk& desk, const Visit& visit, const HttpRequest& /*request*/,
                      const Respond& respond) {
    desk.start(metrics_errand([&desk] { return desk.errands_.size(); }, desk.hello_), visit,
               respond);
  }

  static void openapi(Desk& desk, const Visit& /*visit*/, const HttpRequest& /*request*/,
                      const Respond& respond) {
    respond({.status = 200, .body = desk.hello_.openapi});
  }

  static void evaluation(Desk& desk, const Visit& visit, const HttpRequest& request,
                         const Respond& respond) {
    errand_of_body(desk, visit, request, respond,
                   [&](const Json& body) { return evaluation_errand(body, visit.client()); });
  }

  static void batch(Desk& desk, const Visit& visit, const HttpRequest& request,
                    const Respond& respond) {
    errand_of_body(desk, visit, request, respond,
                   [&](const Json& body) { return batch_errand(body, visit.client()); });
  }

  static void lookup(Desk& desk, const Visit& visit, const HttpRequest& /*request*/,
                     const Respond& respond) {
    desk.start(lookup_errand(visit.id(), visit.target()), visit, respond);
  }

  // Events are delivered by a stream instead (listen()).
  static void events(Desk& /*desk*/, const Visit& /*visit*/, const HttpRequest& /*request*/,
                     const Respond& respond) {
    respond(refuse(406, "events come as a stream only"));
  }

  // Takes every body, notifications and malformed ones included: the protocol says what it is.
  static void mcp(Desk& desk, const Visit& visit, const HttpRequest& request,
                  const Respond& respond) {
    if (const auto type = header_of(request, "content-type"); !type.starts_with("application/json"))
      return respond(refuse(415, "the body's Content-Type is not application/json"));
    McpPeer peer{.over_http = true};
    desk.hear_mcp(visit, request.body, &request, peer, respond);
  }

  static void kernelgym(Desk& desk, const Visit& visit, const HttpRequest& request,
                        const Respond& respond) {
    errand_of_body(desk, visit, request, respond, [&](const Json& body) {
      return kernelgym_errand(body, visit.client(), desk.names_);
    });
  }

  static void kernelgym_batch(Desk& desk, const Visit& visit, const HttpRequest& request,
                              const Respond& respond) {
    errand_of_body(desk, visit, request, respond, [&](const Json& body) {
      return kernelgym_batch_errand(body, visit.client(), desk.names_);
    });
  }

  static void kernelgym_status(Desk& desk, const Visit& visit, const HttpRequest& /*request*/,
                               const Respond& respond) {
    desk.start(kernelgym_status_errand(visit.id(), visit.client(), desk.names_), visit, respond);
  }

  static void kernelgym_results(Desk& desk, const Visit& visit, const HttpRequest& /*request*/,
                                const Respond& respond) {
    desk.start(kernelgym_results_errand(visit.id(), visit.client(), desk.names_), visit, respond);
  }

  static std::shared_ptr<OpenEnvEpisode> episode_of(Desk& desk, const Visit& visit) {
    auto& episode = desk.episodes_[visit.client().name];
    if (!episode) episode = std::make_shared<OpenEnvEpisode>();
    return episode;
  }

  static void reset(Desk& desk, const Visit& visit, const HttpRequest& request,
                    const Respond& respond) {
    HttpRequest with_body = request;
    if (with_body.body.empty()) {  // its own server takes that as well
      with_body.body = "{}";
      with_body.headers["content-type"] = "application/json";
    }
    errand_of_body(desk, visit, with_body, respond,
                   [&](const Json& body) { return openenv_reset(body, episode_of(desk, visit)); });
  }

  static void step(Desk& desk, const Visit& visit, const HttpRequest& request,
                   const Respond& respond) {
    errand_of_body(desk, visit, request, respond, [&](const Json& body) {
      return openenv_step(body.value("action", Json()), visit.client(), episode_of(desk, visit));
    });
  }

  static void state(Desk& desk, const Visit& visit, const HttpRequest& /*request*/,
                    const Respond& respond) {
    respond(json_response(200, openenv_state(*episode_of(desk, visit))));
  }

  static void schema(Desk& /*desk*/, const Visit& /*visit*/, const HttpRequest& /*request*/,
                     const Respond& respond) {
    respond(json_response(200, openenv_schema()));
  }

  static void metadata(Desk& desk, const Visit& /*visit*/, const HttpRequest& /*request*/,
                       const Respond& respond) {
    respond(json_response(200, openenv_metadata(desk.hello_)));
  }

  // Requests for an upgrade go to hear_socket() instead.
  static void socket(Desk& /*desk*/, const Visit& /*visit*/, const HttpRequest& /*request*/,
                     const Respond& respond) {
    HttpResponse response = refuse(426, "this address speaks WebSocket");
    response.headers.emplace_back("Upgrade", "websocket");
    respond(std::move(response));
  }

  static void openrlhf(Desk& desk, const Visit& visit, const HttpRequest& request,
                       const Respond& respond) {
    errand_of_body(desk, visit, request, respond, [&](const Json& body) {
      return openrlhf_errand(body, visit.target(), visit.client());
    });
  }
};

namespace {

using Kind = Desk::Kind;

constexpr std::array kRoutes{
    Route{"GET", "/health", nullptr, Kind::kAnswered, Routes::health},
    Route{"GET", "/openapi.json", nullptr, Kind::kAnswered, Routes::openapi},
    Route{"GET", "/metrics", &Scopes::read, Kind::kAnswered, Routes::metrics},
    Route{"POST", "/v1/evaluations", &Scopes::evaluate, Kind::kAnswered, Routes::evaluation},
    Route{"GET", "/v1/evaluations/", &Scopes::read, Kind::kAnswered, Routes::lookup},
    Route{"POST", "/v1/batch", &Scopes::evaluate, Kind::kAnswered, Routes::batch},
    Route{"GET", "/v1/events", &Scopes::read, Kind::kEvents, Routes::events},
    Route{"POST", "/get_reward", &Scopes::evaluate, Kind::kAnswered, Routes::openrlhf},
    Route{"POST", "/evaluate", &Scopes::evaluate, Kind::kAnswered, Routes::kernelgym},
    Route{"POST", "/evaluate/batch", &Scopes::evaluate, Kind::kAnswered, Routes::kernelgym_batch},
    Route{"GET", "/status/", &Scopes::read, Kind::kAnswered, Routes::kernelgym_status},
    Route{"GET", "/results/", &Scopes::read, Kind::kAnswered, Routes::kernelgym_results},
    Route{"POST", "/reset", &Scopes::evaluate, Kind::kAnswered, Routes::reset},
    Route{"POST", "/step", &Scopes::evaluate, Kind::kAnswered, Routes::step},
    Route{"GET", "/state", &Scopes::read, Kind::kAnswered, Routes::state},
    Route{"GET", "/schema", nullptr, Kind::kAnswered, Routes::schema},
    Route{"GET", "/metadata", nullptr, Kind::kAnswered, Routes::metadata},
    Route{"GET", "/ws", &Scopes::evaluate, Kind::kWebSocket, Routes::socket},
    Route{"POST", "/mcp", &Scopes::workspace, Kind::kAnswered, Routes::mcp},
};

// The route, or what is wrong with method or path.
struct Found {
  const Route* route = nullptr;
  std::string allowed;  // methods that the path has
};

Found find_route(std::string_view method, std::string_view path) {
  Found found;
  for (const Route& route : kRoutes) {
    if (!route.is_for(path)) continue;
    if (route.method == method) found.route = &route;
    found.allowed += (found.allowed.empty() ? "" : ", ") + std::string(route.method);
  }
  return found;
}

Json queued_state() { return {{"state", "queued"}}; }

// The state in an answer 202: {state}, and {waiting} where the order waits for the device.
Json state_in(const Json& body) {
  Json state = {{"state", body.value("state", "queued")}};
  if (body.contains("waiting")) state["waiting"] = body.at("waiting");
  return state;
}

std::string event_text(const Json& message) {
  Json data = message;
  data.erase("event");
  return fmt::format("event: {}\ndata: {}\n\n", message.at("event").get<std::string>(),
                     data.dump(-1, ' ', true, Json::error_handler_t::replace));
}

}  // namespace

Desk::Desk(GateHello hello, std::function<void(const Json&)> send,
           std::function<Clock::time_point()> now, std::function<void(Clock::time_point)> alarm)
    : hello_(std::move(hello)),
      send_(std::move(send)),
      now_(std::move(now)),
      alarm_(std::move(alarm)),
      all_(std::make_shared<Places>(Places{.now = now_})),
      bodies_(
          ByteBudget::make({.of_one = limits::kMostBodiesOfOne, .of_all = limits::kMostBodies})) {}

// Checks the origin of a request, as far as a browser tells it, before anything of it is believed.
std::optional<HttpResponse> Desk::check_source(const HttpRequest& head) const {
  if (!is_own_host(header_of(head, "host"), hello_.names))
    return refuse(403, "the Host header names another machine",
                  "a name that clients call this one by is given to the server as --host NAME");
  if (head.headers.contains("origin") && !is_own_origin(header_of(head, "origin"), hello_.names))
    return refuse(403, "pages of other origins may not ask");
  return std::nullopt;
}

Desk::Admission Desk::admit(const HttpRequest& head) {
  Admission admission;
  const auto refused = [&](HttpResponse response) {
    admission.refused = std::move(response);
    return std::move(admission);
  };
  if (auto foreign = check_source(head)) return refused(std::move(*foreign));
  auto target = split_target(head.target);
  if (!target) return refused(refuse(400, target.error().message, target.error().hint));
  const Found found = find_route(head.method, target->path);
  if (found.route == nullptr && !found.allowed.empty()) {
    HttpResponse response = refuse(405, fmt::format("method not allowed; use {}", found.allowed));
    response.headers.emplace_back("Allow", found.allowed);
    return refused(std::move(response));
  }
  if (found.route == nullptr)
    return refused(
        refuse(404, "there is nothing at this address", "/openapi.json has all there is"));
  Visit& visit = admission.visit;
  visit.route_ = found.route;
  visit.kind_ = found.route->kind;
  visit.target_ = std::move(*target);
  visit.client_.device = hello_.device;
  if (found.route->scope == nullptr) return admission;
  const auto presented = presented_token(header_of(head, "authorization"));
  const KnownToken* token = presented ? find_token(hello_.tokens, *presented) : nullptr;
  if (token == nullptr) {
    HttpResponse response = refuse(401, presented ? "nobody has this token" : "there is no token",
                                   "send Authorization: Bearer TOKEN");
    response.headers.emplace_back("WWW-Authenticate", "Bearer");
    return refused(std::move(response));
  }
  if (!(token->scopes.*(found.route->scope)))
    return refused(refuse(403, fmt::format("this token allows {} only", to_string(token->scopes))));
  visit.client_.name = token->name;
  if (auto full = take_place(visit)) return refused(std::move(*full));
  return admission;
}

void Desk::Places::take() {
  ++taken;
  pace.begin(now());
}

void Desk::Places::free() {
  --taken;
  pace.freed(now());
  if (taken == 0) pace.rest();
}

// Takes a place for the request, or answers that there is none, and when there will be.
std::optional<HttpResponse> Desk::take_place(Visit& visit) {
  auto& own = of_[visit.client_.name];
  if (!own) own = std::make_shared<Places>(Places{.now = now_});
  if (own->taken >= limits::kMostWaitingOfOne)
    return refuse(429,
                  fmt::format("{} requests of this token are being answered already",
                              limits::kMostWaitingOfOne),
                  "wait until some are", own->pace.refused(now_()));
  if (all_->taken >= limits::kMostWaiting)
    return refuse(429, fmt::format("{} requests are being answered already", limits::kMostWaiting),
                  "wait until some are", all_->pace.refused(now_()));
  own->take();
  all_->take();
  // The place may be given back when there is no desk any more.
  visit.place_ = std::shared_ptr<void>(nullptr, [own, all = all_](void*) {
    own->free();
    all->free();
  });
  visit.errand_ = std::make_shared<std::optional<std::uint64_t>>();
  return std::nullopt;
}

std::uint64_t Desk::ask_for_room(const Visit& visit, std::size_t bytes,
                                 ByteBudget::Granted granted) {
  return bodies_->ask(visit.client_.name, bytes, std::move(granted));
}

std::shared_ptr<ByteBudget::Hold> Desk::empty_room(const Visit& visit) {
  return std::make_shared<ByteBudget::Hold>(bodies_, visit.client_.name, 0);
}

HttpResponse Desk::no_room() const {
  return refuse(429, "too many bodies are being read already", "send fewer or smaller ones at once",
                hello_.patience.body);
}

void Desk::handle(const Visit& visit, const HttpRequest& request, const Respond& respond) {
  if (ending_) return respond(refuse(503, "this server is ending", "try again in a minute"));
  visit.route_->answer(*this, visit, request, respond);
}

std::vector<std::pair<std::string, std::string>> Desk::requests() {
  std::vector<std::pair<std::string, std::string>> all;
  for (const Route& route : kRoutes) all.emplace_back(route.method, route.path);
  return all;
}

Desk::Visit Desk::local_visit(const std::string& name) const {
  Visit visit;
  visit.client_ = {name, hello_.device};
  return visit;
}

// --- the Model Context Protocol, and OpenEnv's socket ---

void Desk::hear_mcp(const Visit& visit, const std::string& text, const HttpRequest* headers,
                    McpPeer& peer, const Respond& respond) {
  const auto response_of = [](const McpReply& reply) {
    HttpResponse response = json_response(reply.status, reply.body);
    if (reply.body.is_null()) response.body.clear();
    return response;
  };
  const auto taken = take_mcp(text, headers, peer, hello_.version);
  if (const auto* reply = std::get_if<McpReply>(&taken)) return respond(response_of(*reply));
  const McpCall& call = std::get<McpCall>(taken);
  Errand errand;
  errand.client_holds = kToolClientHolds;
  if (const Json reward = call.arguments.value("reward", Json()); reward.is_string())
    errand.reward = reward.get<std::string>();
  errand.wanted.push_back(want_tool(call.tool, call.arguments, visit.client_.name));
  errand.answer = [call, response_of,
                   version = hello_.version](const std::vector<OrderOutcome>& outcomes) {
    return response_of(answer_mcp(call, outcomes.front(), version));
  };
  start(std::move(errand), visit, respond);
}

void Desk::hear_socket(const Visit& visit, Socket& socket, const std::string& text,
                       const Reply& reply) {
  const auto say = [&](const Json& message) {
    reply(message.dump(-1, ' ', true, Json::error_handler_t::replace));
  };
  const auto message =
      parse_strict_json(without_lone_surrogates(text), "the message",
                        {.max_bytes = limits::kMostBodyBytes, .max_depth = limits::kMostJsonDepth});
  if (!message || !message->is_object())
    return say(openenv_error(message ? "the message is no object" : message.error().message,
                             "INVALID_JSON"));
  const Json type = message->value("type", Json());
  const Json data = message->value("data", Json::object());
  if (type == "close") return reply(std::nullopt);
  if (!data.is_object()) return say(openenv_error("\"data\" is no object", "VALIDATION_ERROR"));
  if (type == "state") return say({{"type", "state"}, {"data", openenv_state(*socket.episode)}});
  if (type == "mcp") return hear_mcp_of_socket(visit, socket, data, reply);
  if (type != "reset" && type != "step")
    return say(openenv_error("there is no such type of message", "UNKNOWN_TYPE"));
  auto errand = type == "reset" ? openenv_reset(data, socket.episode)
                                : openenv_step(data, visit.client_, socket.episode);
  start(std::move(errand), visit, [reply](const HttpResponse& response) {
    reply(openenv_message(response).dump(-1, ' ', true, Json::error_handler_t::replace));
  });
}

void Desk::hear_mcp_of_socket(const Visit& visit, Socket& socket, const Json& data,
                              const Reply& reply) {
  // A token that may evaluate need not be one for tools.
  const auto allowed =
      std::any_of(hello_.tokens.begin(), hello_.tokens.end(), [&](const KnownToken& token) {
        return token.name == visit.client_.name && token.scopes.workspace;
      });
  if (!allowed)
    return reply(openenv_error("this token allows no tools", "VALIDATION_ERROR").dump());
  hear_mcp(visit, data.dump(-1, ' ', true, Json::error_handler_t::replace), nullptr, socket.peer,
           [reply](const HttpResponse& response) {
             const Json answer = Json::parse(response.body, nullptr, /*allow_exceptions=*/false);
             reply(Json{{"type", "mcp"}, {"data", answer.is_discarded() ? Json() : answer}}.dump());
           });
}

// --- errands ---

void Desk::start(Result<Errand> errand, const Visit& visit, const Respond& respond) {
  if (!errand) {
    const int status = errand.error().code == ErrorCode::kNotFound ? 404 : 400;
    return respond(refuse(status, errand.error().message, errand.error().hint));
  }
  const auto announced = visit.target_.query.find("timeout_s");
  if (announced != visit.target_.query.end() && errand->client_holds.count() > 0) {
    const auto holds = wait_from(announced->second);
    if (!holds) return respond(refuse(400, "timeout_s: " + holds.error().message));
    errand->client_holds = *holds;
  }
  const std::uint64_t number = next_++;
  Started& started = errands_[number];
  started.errand = std::move(*errand);
  started.deadline = now_() + hold_within(started.errand.client_holds);
  if (visit.errand_) *visit.errand_ = number;
  started.respond = respond;
  started.place = visit.place_;
  const std::size_t count = started.errand.wanted.size();
  started.outcomes.resize(count);
  started.waits.resize(count);
  started.open = count;
  if (alarm_) alarm_(due_at(started));
  auto wanted = std::move(started.errand.wanted);
  for (std::size_t i = 0; i < count; ++i) {
    // Settling the last outcome ends the errand.
    if (wanted[i].settled) {
      settle({number, i}, std::move(*wanted[i].settled));
    } else {
      ask(wanted[i].ask, {number, i}, visit.body);
    }
    wanted[i] = {};
  }
}

// Sends a question to the supervisor, unless the same one is open or its order is known to wait.
void Desk::ask(const Json& asked, Place from, const std::shared_ptr<ByteBudget::Hold>& body) {
  Question question{.message = asked, .bytes = kShortQuestion, .places = {from}};
  const std::string reward = errands_.at(from.first).errand.reward;
  question.message["reward"] = reward;
  const std::string what = asked.value("what", "");
  if (what == "row") {
    question.key = fmt::format("row {} {}", asked.at("id").get<std::string>(), reward);
  } else if (what == "order") {
    const std::string text = asked.at("order").dump(-1, ' ', false, Json::error_handler_t::replace);
    question.order = sha256(text);
    question.key = fmt::format("order {} {}", question.order, reward);
    question.bytes = text.size();
    question.body = body;
  } else if (body) {
    question.bytes = std::max(question.bytes, body->bytes());
    question.body = body;
  }
  if (const auto known = ids_.find(question.order); known != ids_.end())
    return await_id(from, known->second, awaited_.at(known->second).state);
  if (const auto open = open_.find(question.key); open != open_.end()) {
    questions_.at(open->second).places.push_back(from);
    return;
  }
  queue_up(std::move(question));
}

void Desk::queue_up(Question question) {
  const std::uint64_t number = next_++;
  question.message["ask"] = number;
  if (!question.key.empty()) open_.emplace(question.key, number);
  unsent_[question.bytes > kShortQuestion ? 1 : 0].push_back(number);
  questions_.emplace(number, std::move(question));
  send_some();
}

// Short questions and those with a body take turns, so that polls are not held up by a flood of
// orders, nor orders by one of polls.
void Desk::send_some() {
  while (sent_ < kMostSent) {
    if (unsent_[turn_].empty()) turn_ = 1 - turn_;
    if (unsent_[turn_].empty()) return;
    const std::uint64_t number = unsent_[turn_].front();
    Question& question = questions_.at(number);
    if (sent_ > 0 && sent_bytes_ + question.bytes > kMostSentBytes) return;
    unsent_[turn_].pop_front();
    turn_ = 1 - turn_;
    ++sent_;
    sent_bytes_ += question.bytes;
    const Json message = std::exchange(question.message, Json());
    send_(message);
  }
}

void Desk::hear(const Json& message) {
  if (message.contains("answer")) return take_answer(message);
  if (message.contains("event")) return take_event(message);
  const std::string say = message.value("say", "");
  if (say == "draining") draining_ = true;
  if (say == "unfit") unfit_ = message.value("why", "");
  if (say != "bye") return;
  ending_ = true;
  for (auto& [number, started] : errands_) started.deadline = now_() - kAnswerPatience;
  tick();
}

void Desk::take_answer(const Json& message) {
  const auto found = questions_.find(message.at("answer").get<std::uint64_t>());
  if (found == questions_.end()) return;
  const Question question = std::move(found->second);
  questions_.erase(found);
  if (!question.key.empty()) open_.erase(question.key);
  --sent_;
  sent_bytes_ -= question.bytes;
  const int status = message.at("status").get<int>();
  const Json& body = message.at("body");
  if (status == 202) {
    const std::string id = body.at("id").get<std::string>();
    const Json state = state_in(body);
    if (!question.order.empty() && ids_.size() < limits::kMostWaiting) {
      awaited_[id].state = state;
      awaited_[id].orders.push_back(question.order);
      ids_.emplace(question.order, id);
    }
    for (const Place& place : question.places) await_id(place, id, state);
  } else {
    const auto kind = status == 200 ? OrderOutcome::Kind::kDone : OrderOutcome::Kind::kRefused;
    for (const Place& place : question.places) settle(place, {kind, status, body});
  }
  send_some();
}

// The request waits for the evaluation, or is told that it is not there yet where its time is over.
void Desk::await_id(Place place, const std::string& id, const Json& state) {
  const auto found = errands_.find(place.first);
  if (found == errands_.end()) return;
  Started& started = found->second;
  Awaited& awaited = awaited_[id];
  awaited.state = state;
  awaited.places.insert(place);
  started.waits[place.second] = id;
  if (started.deadline <= now_()) end_of_time(place.first);
}

Json Desk::state_of(const std::string& id) const {
  const auto found = awaited_.find(id);
  Json state = found != awaited_.end() ? found->second.state : queued_state();
  state["id"] = id;
  return state;
}

// The order is queued no longer.
void Desk::forget_id(const std::string& id) {
  const auto found = awaited_.find(id);
  if (found == awaited_.end()) return;
  for (const std::string& order : found->second.orders) ids_.erase(order);
  awaited_.erase(found);
}

void Desk::take_event(const Json& message) {
  const std::string text = event_text(message);
  const auto listeners = listeners_;  // one of them may end
  for (const auto& [number, listener] : listeners) listener.tell(text);
  const std::string what = message.at("event").get<std::string>();
  const std::string id = message.at("id").get<std::string>();
  const auto found = awaited_.find(id);
  if (found == awaited_.end()) return;
  if (what == "running") found->second.state = {{"state", what}};
  if (what == "waiting")
    found->second.state = {{"state", what}, {"waiting", message.value("waiting", Json())}};
  if (what == "put_off") found->second.state = queued_state();
  if (what != "put_off" && what != "done" && what != "failed") return;
  const Json waits = state_of(id);
  const std::set<Place> places = std::move(found->second.places);
  forget_id(id);
  for (const Place& place : places) {
    if (!errands_.contains(place.first)) continue;
    if (what == "put_off") {
      settle(place, {OrderOutcome::Kind::kPending, 202, waits});
    } else {
      ask({{"what", "row"}, {"id", id}}, place, nullptr);
    }
  }
}

void Desk::settle(Place place, OrderOutcome outcome) {
  const auto found = errands_.find(place.first);
  if (found == errands_.end()) return;
  Started& started = found->second;
  auto& slot = started.outcomes[place.second];
  if (slot) return;
  slot = std::move(outcome);
  if (--started.open == 0) finish(place.first);
}

void Desk::finish(std::uint64_t number) {
  const auto found = errands_.find(number);
  const Started started = std::move(found->second);
  errands_.erase(found);
  for (std::size_t i = 0; i < started.waits.size(); ++i) {
    const auto awaited = awaited_.find(started.waits[i]);
    if (awaited == awaited_.end()) continue;
    awaited->second.places.erase({number, i});
    // No client here awaits the order; other facts about it stay as long as it is queued.
    if (awaited->second.places.empty() && awaited->second.orders.empty()) awaited_.erase(awaited);
  }
  std::vector<OrderOutcome> outcomes;
  outcomes.reserve(started.outcomes.size());
  for (const auto& outcome : started.outcomes) outcomes.push_back(*outcome);
  started.respond(started.errand.answer(outcomes));
}

// The time at which the errand is looked at next. A client that waits is answered at the deadline;
// one whom the supervisor has not even answered, some time later.
Desk::Clock::time_point Desk::due_at(const Started& started) const {
  return started.deadline > now_() ? started.deadline : started.deadline + kAnswerPatience;
}

std::optional<Desk::Clock::time_point> Desk::next_deadline() const {
  std::optional<Clock::time_point> next;
  for (const auto& [number, started] : errands_) {
    const auto due = due_at(started);
    if (!next || due < *next) next = due;
  }
  return next;
}

void Desk::tick() {
  const auto now = now_();
  std::vector<std::uint64_t> due;
  for (const auto& [number, started] : errands_)
    if (started.deadline <= now) due.push_back(number);
  for (const std::uint64_t number : due) end_of_time(number);
}

// Clients that wait are told so. Those whom the supervisor has not even answered wait
// kAnswerPatience longer.
void Desk::end_of_time(std::uint64_t number) {
  const auto found = errands_.find(number);
  if (found == errands_.end()) return;
  Started& started = found->second;
  const bool given_up = started.deadline + kAnswerPatience <= now_();
  for (std::size_t i = 0; i < started.outcomes.size(); ++i) {
    if (started.outcomes[i]) continue;
    const bool last = started.open == 1;  // `started` is gone then
    if (!started.waits[i].empty()) {
      settle({number, i}, {OrderOutcome::Kind::kPending, 202, state_of(started.waits[i])});
    } else if (given_up) {
      settle({number, i}, {OrderOutcome::Kind::kRefused, 503,
                           refusal_json("the judge does not answer", "try again in a minute",
                                        "infrastructure")});
    } else {
      continue;
    }
    if (last) break;
  }
}

void Desk::leave(const Visit& visit) {
  if (!visit.errand_ || !*visit.errand_) return;
  const auto found = errands_.find(**visit.errand_);
  if (found == errands_.end()) return;
  // The answer's traces (a name of KernelGYM's, for example) must exist although the client has
  // left.
  found->second.respond = [](const HttpResponse&) {};
  found->second.place.reset();
  found->second.deadline = now_();
  end_of_time(found->first);
}

// --- events ---

std::uint64_t Desk::listen(const Visit& visit, Tell tell) {
  const std::uint64_t number = next_++;
  listeners_.emplace(number, Listener{visit.client_.name, std::move(tell)});
  return number;
}

std::optional<HttpResponse> Desk::no_stream_for(const Visit& visit) const {
  constexpr std::chrono::seconds kLater{60};
  const auto own = static_cast<std::size_t>(
      std::count_if(listeners_.begin(), listeners_.end(),
                    [&](const auto& one) { return one.second.owner == visit.client_.name; }));
  if (own >= limits::kMostStreamsOfOne)
    return refuse(429, "too many with this token read the events already",
                  "ask for evaluations instead", kLater);
  if (listeners_.size() >= limits::kMostStreams)
    return refuse(503, "too many read the events already", "ask for evaluations instead", kLater);
  return std::nullopt;
}

}  // namespace kbench
