// A base for readers that pick a few values out of a JSON text without keeping the rest: every
// event passes, down to a fixed depth, and what is read is ignored.
#pragma once

#include <cstddef>
#include <string>

#include "runner/core/json.hpp"

namespace kbench {

class JsonPicker : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return ++depth_ < kMaxDepth; }
  bool end_object() override { return --depth_ >= 0; }
  bool start_array(std::size_t) override { return ++depth_ < kMaxDepth; }
  bool end_array() override { return --depth_ >= 0; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 protected:
  [[nodiscard]] int depth() const { return depth_; }  // objects and arrays around

 private:
  static constexpr int kMaxDepth = 64;
  int depth_ = 0;
};

}  // namespace kbench
