#include "runner/gate/server.hpp"

#include <sys/socket.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>  // before Asio of Boost 1.74, which forgets it
#include <vector>

#include "runner/gate/desk.hpp"
#include "runner/serve/client_limits.hpp"

namespace kbench {
namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;
using tcp = net::ip::tcp;
using ErrorOf = beast::error_code;

constexpr std::chrono::milliseconds kPause{50};
constexpr std::chrono::seconds kWritePatience{30};
constexpr std::chrono::seconds kLinger{2};
constexpr std::chrono::seconds kHeartbeat{15};
constexpr std::chrono::milliseconds kFarewell{300};
constexpr std::size_t kDrained = 4096;    // bytes at a time
constexpr std::size_t kMostUnsent = 256;  // events of a reader who does not read

template <class View>
std::string text_of(const View& view) {
  return {view.data(), view.size()};
}

// The desk refuses a header that other parsers would read differently: an empty Host belongs to
// nobody, and an empty token is none.
void add_header(std::map<std::string, std::string>& headers, std::string name, std::string value) {
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const bool twice = headers.contains(name);
  if (twice && (name == "host" || name == "authorization" || name == "origin")) value.clear();
  headers[std::move(name)] = std::move(value);
}

template <class Message>
HttpRequest request_of(const Message& message) {
  HttpRequest request;
  request.method = text_of(message.method_string());
  request.target = text_of(message.target());
  for (const auto& field : message)
    add_header(request.headers, text_of(field.name_string()), text_of(field.value()));
  return request;
}

// Counts itself as long as it lives.
class Counted {
 public:
  explicit Counted(std::shared_ptr<std::size_t> count) : count_(std::move(count)) { ++*count_; }
  ~Counted() { --*count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  std::shared_ptr<std::size_t> count_;
};

// --- server-sent events ---

class EventStream : public std::enable_shared_from_this<EventStream> {
 public:
  EventStream(beast::tcp_stream stream, Desk& desk, Desk::Visit visit,
              std::shared_ptr<Counted> counted)
      : stream_(std::move(stream)),
        timer_(stream_.get_executor()),
        desk_(desk),
        visit_(std::move(visit)),
        counted_(std::move(counted)) {}
  ~EventStream() { end(); }
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  void begin() {
    number_ = desk_.listen(visit_, [weak = weak_from_this()](const std::string& text) {
      if (const auto self = weak.lock()) self->say(text);
    });
    // A limit holds for what begins after it is set: reading has none.
    stream_.expires_never();
    watch();
    // The end of the message is the end of the connection.
    say("HTTP/1.1 200 OK\r\nServer: kbench\r\nContent-Type: text/event-stream\r\n"
        "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
        "retry: 2000\n\n");
    beat();
  }

 private:
  void say(const std::string& text) {
    if (ended_) return;
    unsent_.push_back(text);
    if (unsent_.size() > kMostUnsent) return end();
    if (unsent_.size() == 1) write();
  }

  void write() {
    stream_.expires_after(kWritePatience);
    net::async_write(stream_, net::buffer(unsent_.front()),
                     [self = shared_from_this()](ErrorOf failed, std::size_t) {
                       if (failed || self->ended_) return self->end();
                       self->stream_.expires_never();
                       self->unsent_.pop_front();
                       if (!self->unsent_.empty()) self->write();
                     });
  }

  // Nothing comes from a reader of events but its end.
  void watch() {
    stream_.async_read_some(net::buffer(ignored_),
                            [self = shared_from_this()](ErrorOf failed, std::size_t) {
                              if (failed) return self->end();
                              self->watch();
                            });
  }

  void beat() {
    timer_.expires_after(kHeartbeat);
    timer_.async_wait([weak = weak_from_this()](ErrorOf failed) {
      const auto self = weak.lock();
      if (failed || !self || self->ended_) return;
      self->say(": \n\n");
      self->beat();
    });
  }

  void end() {
    if (std::exchange(ended_, true)) return;
    desk_.unlisten(number_);
    timer_.cancel();
    stream_.close();
  }

  beast::tcp_stream stream_;
  net::steady_timer timer_;
  Desk& desk_;
  Desk::Visit visit_;
  std::shared_ptr<Counted> counted_;
  std::uint64_t number_ = 0;
  std::deque<std::string> unsent_;
  std::array<char, 256> ignored_{};
  bool ended_ = false;
};

// --- WebSocket ---

// One message after the other, but always reading: what keeps the connection alive comes meanwhile.
class SocketSession : public std::enable_shared_from_this<SocketSession> {
 public:
  SocketSession(beast::tcp_stream stream, Desk& desk, Desk::Visit visit,
                std::shared_ptr<Counted> counted)
      : socket_(std::move(stream)),
        desk_(desk),
        visit_(std::move(visit)),
        counted_(std::move(counted)) {}

  template <class Message>
  void begin(const Message& upgrade) {
    // A WebSocket has time limits of its own.
    beast::get_lowest_layer(socket_).expires_never();
    socket_.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
    socket_.read_message_max(limits::kMostBodyBytes);
    socket_.text(true);
    socket_.async_accept(upgrade, [self = shared_from_this()](ErrorOf failed) {
      if (!failed) self->read();
    });
  }

 private:
  struct Heard {
    std::string text;
    std::shared_ptr<ByteBudget::Hold> hold;
  };

  void read() {
    socket_.async_read_some(
        buffer_, kPiece,
        [self = shared_from_this()](ErrorOf failed, std::size_t) { self->have_read(failed); });
  }

  void have_read(ErrorOf failed) {
    if (failed) return desk_.leave(visit_);  // it closed, or was closed
    if (!take_room()) return close(websocket::close_code::try_again_later);
    if (!socket_.is_message_done()) return read();
    waiting_.push_back({beast::buffers_to_string(buffer_.data()), std::move(hold_)});
    buffer_.consume(buffer_.size());
    buffer_.shrink_to_fit();
    if (waiting_.size() > kMostUnanswered) return close();
    if (!busy_) next();
    read();
  }

  // A message says its length piece by piece, so that its room is taken piece by piece, or is not
  // there.
  bool take_room() {
    if (!hold_) hold_ = desk_.empty_room(visit_);
    return hold_->resize(buffer_.size());
  }

  void next() {
    if (waiting_.empty() || closing_) return;
    busy_ = true;
    const std::string text = std::move(waiting_.front().text);
    visit_.body = std::move(waiting_.front().hold);
    waiting_.pop_front();
    desk_.hear_socket(
        visit_, state_, text, [self = shared_from_this()](std::optional<std::string> reply) {
          net::post(self->socket_.get_executor(),
                    [self, reply = std::move(reply)]() mutable { self->answer(std::move(reply)); });
        });
    visit_.body.reset();
  }

  void answer(std::optional<std::string> reply) {
    if (!reply) return close();
    unsent_ = std::move(*reply);
    socket_.async_write(net::buffer(unsent_),
                        [self = shared_from_this()](ErrorOf failed, std::size_t) {
                          self->busy_ = false;
                          if (!failed) self->next();
                        });
  }

  void close(websocket::close_code why = websocket::close_code::normal) {
    if (std::exchange(closing_, true)) return;
    desk_.leave(visit_);
    socket_.async_close(why, [self = shared_from_this()](ErrorOf) {});
  }

  static constexpr std::size_t kMostUnanswered = 8;
  static constexpr std::size_t kPiece = 64u << 10;

  websocket::stream<beast::tcp_stream> socket_;
  beast::flat_buffer buffer_;
  Desk& desk_;
  Desk::Visit visit_;
  Desk::Socket state_;
  std::shared_ptr<Counted> counted_;
  std::shared_ptr<ByteBudget::Hold> hold_;  // bytes in buffer_
  std::deque<Heard> waiting_;
  std::string unsent_;
  bool busy_ = false;
  bool closing_ = false;
};

// --- requests ---

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, Desk& desk, const limits::Patience& patience,
             std::shared_ptr<std::size_t> open, std::shared_ptr<std::size_t> strangers)
      : stream_(std::move(socket)),
        desk_(desk),
        patience_(patience),
        counted_(std::make_shared<Counted>(std::move(open))),
        stranger_(std::make_unique<Counted>(std::move(strangers))) {}

  void begin() { read_head(); }

 private:
  void read_head() {
    visit_.reset();
    parser_.emplace();
    parser_->header_limit(limits::kMostHeaderBytes);
    parser_->body_limit(limits::kMostBodyBytes);
    stream_.expires_after(patience_.headers);
    http::async_read_header(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](ErrorOf failed, std::size_t) { self->have_head(failed); });
  }

  void have_head(ErrorOf failed) {
    if (failed) return refuse_broken(failed);
    request_ = request_of(parser_->get());
    keeps_alive_ = parser_->keep_alive();
    version_ = parser_->get().version() == 10 ? 10 : 11;
    Desk::Admission admission = desk_.admit(request_);
    if (admission.refused) {
      close_after_ = true;  // its body is not read
      return write(std::move(*admission.refused));
    }
    visit_ = std::move(admission.visit);
    if (visit_->is_known()) stranger_.reset();
    switch (visit_->kind()) {
      case Desk::Kind::kEvents: return become_stream();
      case Desk::Kind::kWebSocket:
        if (!websocket::is_upgrade(parser_->get())) break;
        return std::make_shared<SocketSession>(std::move(stream_), desk_, std::move(*visit_),
                                               counted_)
            ->begin(parser_->get());
      case Desk::Kind::kAnswered: break;
    }
    ask_for_room();
  }

  // Waits for room: until there is some, a body stays with its client.
  void ask_for_room() {
    if (parser_->is_done()) return read_body();
    const std::size_t bytes = parser_->content_length().value_or(limits::kMostBodyBytes);
    stream_.expires_never();
    in_line_ = desk_.ask_for_room(
        *visit_, bytes, [weak = weak_from_this()](std::shared_ptr<ByteBudget::Hold> hold) {
          if (const auto self = weak.lock()) self->have_room(std::move(hold));
        });
    if (in_line_ == 0) return;
    patience_of_line_.emplace(stream_.get_executor(), patience_.body);
    patience_of_line_->async_wait([self = shared_from_this()](ErrorOf failed) {
      if (failed || self->in_line_ == 0) return;
      self->desk_.bodies().withdraw(std::exchange(self->in_line_, 0));
      self->close_after_ = true;
      self->write(self->desk_.no_room());
    });
  }

  void have_room(std::shared_ptr<ByteBudget::Hold> hold) {
    const bool waited = std::exchange(in_line_, 0) != 0;
    if (waited) patience_of_line_->cancel();
    visit_->body = std::move(hold);
    // The function is posted: it never runs from within the call that gave the room back.
    net::post(stream_.get_executor(), [self = shared_from_this()] {
      if (header_of(self->request_, "expect") == "100-continue") return self->say_continue();
      self->read_body();
    });
  }

  void say_continue() {
    constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    net::async_write(stream_, net::buffer(kContinue.data(), kContinue.size()),
                     [self = shared_from_this()](ErrorOf failed, std::size_t) {
                       if (!failed) self->read_body();
                     });
  }

  void read_body() {
    stream_.expires_after(patience_.body);
    http::async_read(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](ErrorOf failed, std::size_t) { self->have_body(failed); });
  }

  void have_body(ErrorOf failed) {
    if (failed) return refuse_broken(failed);
    stream_.expires_never();
    // A waiting request is a socket and an id only. A string that is assigned another one keeps its
    // memory, so the request is moved out and goes.
    HttpRequest request = std::move(request_);
    request.body = std::move(parser_->get().body());
    parser_.reset();
    buffer_.shrink_to_fit();
    if (visit_->body) (void)visit_->body->resize(request.body.size());
    desk_.handle(*visit_, request, [self = shared_from_this()](HttpResponse response) {
      // The response is posted: it is never sent from within handle(), since the stack of the
      // function that answers is not ours to use.
      net::post(self->stream_.get_executor(), [self, response = std::move(response)]() mutable {
        self->write(std::move(response));
      });
    });
    visit_->body.reset();
    watch();
  }

  // Watches whether the client is still there: one that closed the connection waits for nothing.
  void watch() {
    stream_.socket().async_wait(tcp::socket::wait_read,
                                [self = shared_from_this(), request = number_](ErrorOf failed) {
                                  if (!failed && self->number_ == request) self->look();
                                });
  }

  void look() {
    char byte = 0;
    const ssize_t got = ::recv(stream_.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (got > 0) return;  // its next request: it is there, and is not watched any more
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return watch();
    ++number_;
    desk_.leave(*visit_);
    visit_.reset();
    close();
  }

  // Refuses a request that is malformed or has too much of something; does nothing where nobody is
  // there any more.
  void refuse_broken(ErrorOf failed) {
    close_after_ = true;
    if (failed == http::error::header_limit)
      return write(refuse(431, "the headers are longer than 16 KiB"));
    if (failed == http::error::body_limit)
      return write(refuse(413, "the body is larger than 2 MiB"));
    if (failed == http::error::end_of_stream) return close();
    const bool malformed =
        failed.category() == http::make_error_code(http::error::bad_method).category();
    if (malformed && failed != http::error::partial_message)
      return write(refuse(400, "this is no HTTP request"));
  }

  void write(HttpResponse response) {
    if (!stream_.socket().is_open()) return;  // its client hung up just now
    ++number_;
    visit_.reset();
    close_after_ = close_after_ || !keeps_alive_;
    response_ = std::make_shared<http::response<http::string_body>>();
    response_->result(static_cast<unsigned>(response.status));
    response_->version(version_);
    response_->set(http::field::server, "kbench");
    response_->set(http::field::content_type, response.type);
    response_->set(http::field::cache_control, "no-store");
    response_->set("X-Content-Type-Options", "nosniff");
    for (const auto& [name, value] : response.headers) response_->set(name, value);
    response_->keep_alive(!close_after_);
    response_->body() = std::move(response.body);
    response_->prepare_payload();
    stream_.expires_after(kWritePatience);
    http::async_write(stream_, *response_,
                      [self = shared_from_this()](ErrorOf failed, std::size_t) {
                        self->response_.reset();
                        if (failed) return;
                        if (!self->close_after_) return self->read_head();
                        self->linger();
                      });
  }

  // Drains the socket first: closing one with unread data resets it, and then its client may never
  // see the answer.
  void linger() {
    ErrorOf ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream_.expires_after(kLinger);
    ignored_.resize(kDrained);
    drain();
  }
  void drain() {
    stream_.async_read_some(net::buffer(ignored_),
                            [self = shared_from_this()](ErrorOf failed, std::size_t got) {
                              self->drained_ += got;
                              const bool enough = self->drained_ > 2 * limits::kMostBodyBytes;
                              if (failed || enough) return self->close();
                              self->drain();
                            });
  }

  void close() { stream_.close(); }

  void become_stream() {
    if (auto full = desk_.no_stream_for(*visit_)) {
      close_after_ = true;
      return write(std::move(*full));
    }
    const auto stream =
        std::make_shared<EventStream>(std::move(stream_), desk_, std::move(*visit_), counted_);
    stream->begin();
  }

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  std::shared_ptr<http::response<http::string_body>> response_;
  HttpRequest request_;
  std::optional<Desk::Visit> visit_;
  Desk& desk_;
  limits::Patience patience_;
  std::shared_ptr<Counted> counted_;
  std::unique_ptr<Counted> stranger_;  // held until it has shown a token
  std::uint64_t number_ = 0;           // number of the request
  std::uint64_t in_line_ = 0;          // place in the line for room for its body
  std::optional<net::steady_timer> patience_of_line_;
  std::vector<char> ignored_;
  std::size_t drained_ = 0;
  unsigned version_ = 11;
  bool keeps_alive_ = false;
  bool close_after_ = false;
};

// --- the whole ---

tcp family_of(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  const bool known = ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0;
  return known && address.ss_family == AF_INET6 ? tcp::v6() : tcp::v4();
}

class GateLoop {
 public:
  GateLoop(UniqueFd listener, Channel& channel, GateHello hello)
      : channel_(channel),
        acceptor_(io_, family_of(listener.get()), listener.get()),
        timer_(io_),
        patience_(hello.patience),
        desk_(
            std::move(hello), [this](const Json& message) { send(message); },
            [] { return Desk::Clock::now(); },
            [this](Desk::Clock::time_point when) { arm(when); }) {
    (void)listener.release();  // the acceptor closes it
  }

  void run() {
    std::thread reader([this] { read_messages(); });
    accept();
    io_.run();
    ::shutdown(channel_.fd(), SHUT_RDWR);
    reader.join();
  }

 private:
  void send(const Json& message) {
    if (!channel_.send(message)) io_.stop();
  }

  void read_messages() {
    for (;;) {
      auto message = channel_.receive();
      if (!message) return io_.stop();
      net::post(io_, [this, body = std::move(message->body)] { hear(body); });
    }
  }

  void hear(const Json& message) {
    desk_.hear(message);
    if (!desk_.told_to_end() || std::exchange(ending_, true)) return;
    acceptor_.close();
    // Leaves time for the last answers to be sent.
    end_.emplace(io_, kFarewell);
    end_->async_wait([this](ErrorOf) { io_.stop(); });
  }

  void accept() {
    acceptor_.async_accept([this](ErrorOf failed, tcp::socket socket) {
      if (!acceptor_.is_open()) return;
      if (!failed)
        std::make_shared<Connection>(std::move(socket), desk_, patience_, open_, strangers_)
            ->begin();
      // No descriptor is left. Some will be, in a moment; until then the kernel keeps new
      // connections waiting.
      if (failed || is_full()) return pause();
      accept();
    });
  }

  void pause() {
    pause_.emplace(io_, kPause);
    pause_->async_wait([this](ErrorOf) {
      if (is_full()) return pause();
      accept();
    });
  }
  [[nodiscard]] bool is_full() const {
    return *open_ >= limits::kMostConnections || *strangers_ >= limits::kMostStrangers;
  }

  // The earliest alarm counts: what is later is asked for when that one has rung.
  void arm(Desk::Clock::time_point when) {
    if (armed_ && *armed_ <= when) return;
    armed_ = when;
    timer_.expires_at(when);
    timer_.async_wait([this](ErrorOf failed) {
      if (!failed) ring();  // else it was set anew
    });
  }
  void ring() {
    armed_.reset();
    desk_.tick();
    if (const auto next = desk_.next_deadline()) arm(*next);
  }

  net::io_context io_{1};
  Channel& channel_;
  tcp::acceptor acceptor_;
  net::steady_timer timer_;
  std::optional<Desk::Clock::time_point> armed_;
  std::optional<net::steady_timer> pause_;
  std::optional<net::steady_timer> end_;
  limits::Patience patience_;
  std::shared_ptr<std::size_t> open_ = std::make_shared<std::size_t>(0);
  std::shared_ptr<std::size_t> strangers_ = std::make_shared<std::size_t>(0);
  Desk desk_;
  bool ending_ = false;
};

}  // namespace

void run_gate(UniqueFd listener, Channel& channel, GateHello hello) {
  GateLoop(std::move(listener), channel, std::move(hello)).run();
}

}  // namespace kbench
