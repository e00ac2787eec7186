// An order: one submission's source for one task, which a client wants judged. It travels from the
// gate to the supervisor, waits there, and lies on the disk meanwhile, each time as the same JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "runner/core/json.hpp"
#include "runner/core/result.hpp"

namespace kbench {

struct Order {
  std::string what;       // one of order.cpp's kUnstored; empty: judged in full, stored, rewarded
  std::string task;       // "level1/019_relu"; empty where `reference` says which
  std::string reference;  // the text of a task's module, in place of its name
  std::string size;       // "small", "full"; empty: as the server chooses
  std::string device;     // "cpu", "cuda"; empty: the server's
  std::string agent;      // the submitter: the name of a token
  std::map<std::string, std::string> files;  // by path: "relu.cu", "tiles/tile.cuh"

  [[nodiscard]] bool is_stored() const { return what.empty(); }
  friend bool operator==(const Order&, const Order&) = default;
};

[[nodiscard]] Json order_json(const Order& order);
// Errors: kUsage, naming the field. Whether task and files make sense is for the judge to say.
[[nodiscard]] Result<Order> order_from_json(const Json& json);

// An order that waits or is being judged. While it waits, its files lie on the spool alone.
struct QueuedOrder {
  // The key that its row will have (plan/evaluation_key.hpp), 64 hex digits; of what is not stored,
  // something like it.
  std::string id;
  Order order;
  std::uint64_t sequence = 0;  // number of its arrival
  int tries = 0;               // tries that were begun and gave no row
  std::size_t bytes = 0;       // bytes of its files
};

// The bytes of its files.
[[nodiscard]] std::size_t size_of_files(const Order& order);

// 64 lower-case hex digits.
[[nodiscard]] bool is_order_id(const std::string& text);

}  // namespace kbench
