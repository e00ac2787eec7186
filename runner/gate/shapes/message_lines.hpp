// Messages of a stream, a line each, from a sender that may never end a line.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace kbench {

class MessageLines {
 public:
  using Take = std::function<void(const std::string& line)>;

  explicit MessageLines(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  // Hands over each line that ends in `bytes`, without its line feed. A line of more than
  // `most_bytes` is handed over once, cut after `most_bytes` + 1, so that `take` sees that it is
  // too long; the rest up to its line feed is dropped.
  void add(std::string_view bytes, const Take& take);

 private:
  std::size_t most_bytes_;
  std::string begun_;      // a line without its end, `most_bytes_` at most
  bool dropping_ = false;  // the rest of a line that was too long
};

}  // namespace kbench
