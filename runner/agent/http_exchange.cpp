#include "runner/agent/http_exchange.hpp"

#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>  // before Asio of Boost 1.74, which forgets it

#include <fmt/format.h>

namespace kbench {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
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

  http::request<http::string_body> request(http::verb::post, post.target, 11);
  request.set(http::field::host, post.authority);
  request.set(http::field::user_agent, "kbench-agent");
  request.set(http::field::accept, "application/json");
  request.set(http::field::content_type, "application/json");
  request.set(http::field::connection, "close");
  if (!post.key.empty()) request.set(http::field::authorization, "Bearer " + post.key);
  request.body() = post.body;
  request.prepare_payload();

  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(kMostAnswerBytes);
  parser.header_limit(kMostHeaderBytes);
  http::async_write(stream, request, [&](ErrorOf wrote, std::size_t) {
    failed = wrote;
    if (wrote) return;
    // The header by itself: Boost 1.74, given both at once, forgets that a length is too large and
    // makes room for it.
    http::async_read_header(stream, buffer, parser, [&](ErrorOf read_header, std::size_t) {
      failed = read_header;
      if (read_header) return;
      http::async_read(stream, buffer, parser, [&](ErrorOf read, std::size_t) { failed = read; });
    });
  });
  io.run();
  if (failed) return broken(failed);

  auto& response = parser.get();
  HttpAnswer answer;
  answer.status = static_cast<int>(response.result_int());
  const auto again = response[http::field::retry_after];
  answer.retry_after = retry_after({again.data(), again.size()});
  answer.body = std::move(response.body());
  return answer;
}

}  // namespace kbench
