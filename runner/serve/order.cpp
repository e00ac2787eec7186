#include "runner/serve/order.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace kbench {
namespace {

constexpr std::size_t kMostWordBytes = 200;

struct Field {
  const char* name;
  std::string Order::*text;
  std::size_t most_bytes;
};
constexpr std::array<Field, 6> kFields{{{"what", &Order::what, kMostWordBytes},
                                        {"task", &Order::task, kMostWordBytes},
                                        {"reference", &Order::reference, 1u << 20},
                                        {"size", &Order::size, kMostWordBytes},
                                        {"device", &Order::device, kMostWordBytes},
                                        {"agent", &Order::agent, kMostWordBytes}}};

// Requests besides a judgement; their answers are not kept.
constexpr std::array<std::string_view, 5> kUnstored = {"compile", "verify", "profile", "debug",
                                                       "analyze"};

Error bad(std::string message) {
  return {ErrorCode::kUsage, std::move(message), "GET /openapi.json describes a request"};
}

Status read_files(const Json& files, Order& order) {
  if (!files.is_object()) return bad("\"files\" is no object of texts by path");
  for (const auto& [path, text] : files.items()) {
    if (!text.is_string()) return bad("a file in \"files\" is no text");
    if (path.size() > kMostWordBytes) return bad("a path in \"files\" is too long");
    order.files.emplace(path, text.get<std::string>());
  }
  return Done{};
}

}  // namespace

Json order_json(const Order& order) {
  Json json = {{"files", order.files}};
  for (const Field& field : kFields)
    if (!(order.*field.text).empty()) json[field.name] = order.*field.text;
  return json;
}

Result<Order> order_from_json(const Json& json) {
  if (!json.is_object()) return bad("an order is no object");
  Order order;
  for (const auto& [name, value] : json.items()) {
    if (name == "files") {
      if (auto read = read_files(value, order); !read) return read.error();
      continue;
    }
    const auto field = std::find_if(kFields.begin(), kFields.end(),
                                    [&](const Field& one) { return name == one.name; });
    if (field == kFields.end()) return bad("an order has a field that nobody knows");
    if (!value.is_string()) return bad(fmt::format("\"{}\" is no text", field->name));
    order.*field->text = value.get<std::string>();
    if ((order.*field->text).size() > field->most_bytes)
      return bad(fmt::format("\"{}\" is too long", field->name));
  }
  if (!order.what.empty() &&
      std::find(kUnstored.begin(), kUnstored.end(), order.what) == kUnstored.end())
    return bad("\"what\" is none of compile, verify, profile, debug, analyze");
  if (order.task.empty() == order.reference.empty())
    return bad("an order names its task, by \"task\" or by \"reference\"");
  if (order.files.empty()) return bad("\"files\" is missing or empty");
  return order;
}

std::size_t size_of_files(const Order& order) {
  std::size_t bytes = 0;
  for (const auto& [path, text] : order.files) bytes += path.size() + text.size();
  return bytes;
}

bool is_order_id(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace kbench
