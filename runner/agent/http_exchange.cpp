#include "runner/agent/http_exchange.hpp"

#include <openssl/ssl.h>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>  // before Asio of Boost 1.74, which forgets it

#include <fmt/format.h>

#include "runner/agent/tls.hpp"

namespace kbench {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace ssl = boost::asio::ssl;
using tcp = boost::asio::ip::tcp;
using ErrorOf = beast::error_code;

constexpr std::size_t kMostAnswerBytes = 4u << 20;
constexpr std::size_t kMostHeaderBytes = 64u << 10;

tcp protocol_of(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  const bool six = ::getpeername(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0 &&
                   address.ss_family == AF_INET6;
  return six ? tcp::v6() : tcp::v4();
}

Error broken(const ErrorOf& failed) {
  if (failed == beast::error::timeout)
    return {ErrorCode::kTimeout, "the endpoint did not answer in time",
            "check that it is not overloaded; --parallel says how many episodes ask at once"};
  if (failed == http::error::body_limit) {
    return {ErrorCode::kBadInput,
            fmt::format("the endpoint's answer is larger than {} MiB", kMostAnswerBytes >> 20),
            "have it answer with fewer tokens"};
  }
  return {ErrorCode::kInfrastructure, "the connection to the endpoint broke: " + failed.message(),
          "check that the endpoint still runs"};
}

// Seconds; a date, which is allowed as well, is as good as nothing.
std::optional<std::chrono::seconds> retry_after(std::string_view text) {
  int seconds = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (failed != std::errc() || end != text.data() + text.size() || seconds < 0) return std::nullopt;
  return std::chrono::seconds(seconds);
}

http::request<http::string_body> request_of(const HttpPost& post) {
  http::request<http::string_body> request(http::verb::post, post.target, 11);
  request.set(http::field::host, post.authority);
  request.set(http::field::user_agent, "kbench-agent");
  request.set(http::field::accept, "application/json");
  request.set(http::field::content_type, "application/json");
  request.set(http::field::connection, "close");
  if (!post.key.empty()) request.set(http::field::authorization, "Bearer " + post.key);
  request.body() = post.body;
  request.prepare_payload();
  return request;
}

// The request and its answer over a stream that is ready for them.
template <class Stream>
class Talk {
 public:
  Talk(Stream& stream, const HttpPost& post) : stream_(stream), request_(request_of(post)) {
    parser_.body_limit(kMostAnswerBytes);
    parser_.header_limit(kMostHeaderBytes);
  }

  void begin() {
    http::async_write(stream_, request_, [this](ErrorOf wrote, std::size_t) {
      failed_ = wrote;
      if (!wrote) read();
    });
  }

  Result<HttpAnswer> answer() {
    if (failed_) return broken(failed_);
    auto& response = parser_.get();
    HttpAnswer answer;
    answer.status = static_cast<int>(response.result_int());
    const auto again = response[http::field::retry_after];
    answer.retry_after = retry_after({again.data(), again.size()});
    answer.body = std::move(response.body());
    return answer;
  }

 private:
  // The header by itself: Boost 1.74, given both at once, forgets that a length is too large and
  // makes room for it.
  void read() {
    http::async_read_header(stream_, buffer_, parser_, [this](ErrorOf header, std::size_t) {
      failed_ = header;
      if (header) return;
      http::async_read(stream_, buffer_, parser_,
                       [this](ErrorOf body, std::size_t) { failed_ = body; });
    });
  }

  Stream& stream_;
  http::request<http::string_body> request_;
  http::response_parser<http::string_body> parser_;
  beast::flat_buffer buffer_;
  ErrorOf failed_;
};

// Nothing is sent before the other side has proved who it is.
Result<HttpAnswer> exchange_by_tls(boost::asio::io_context& io, beast::tcp_stream connected,
                                   const HttpPost& post) {
  ssl::context context(ssl::context::tls_client);
  if (auto known = believe(*context.native_handle(), post.certificates); !known)
    return known.error();
  beast::ssl_stream<beast::tcp_stream> stream(std::move(connected), context);
  if (auto named = demand(*stream.native_handle(), post.server); !named) return named.error();
  Talk talk(stream, post);
  ErrorOf refused;
  stream.async_handshake(ssl::stream_base::client, [&](ErrorOf shook) {
    refused = shook;
    if (!shook) talk.begin();
  });
  io.run();
  if (!refused) return talk.answer();
  if (refused == beast::error::timeout) return broken(refused);
  const auto failed = refused.category() == boost::asio::error::get_ssl_category()
                          ? static_cast<unsigned long>(refused.value())
                          : 0;
  const SSL& tls = *stream.native_handle();
  // A refused request is not tried again.
  const auto code = ended_early(tls, failed) ? ErrorCode::kInfrastructure : ErrorCode::kBadInput;
  return Error{code, refusal_words(tls, failed, post.server), ""};
}

}  // namespace

Result<HttpAnswer> exchange(UniqueFd socket, const HttpPost& post, std::chrono::seconds patience) {
  boost::asio::io_context io;
  ErrorOf failed;
  tcp::socket connected(io);
  connected.assign(protocol_of(socket.get()), socket.get(), failed);
  if (failed) return broken(failed);
  (void)socket.release();  // `connected` closes it
  beast::tcp_stream stream(std::move(connected));
  stream.expires_after(patience);
  if (!post.server.empty()) return exchange_by_tls(io, std::move(stream), post);
  Talk talk(stream, post);
  talk.begin();
  io.run();
  return talk.answer();
}

}  // namespace kbench
