// Progress that keeps the lasting lines, and those for who asks for more.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "runner/core/progress_sink.hpp"

namespace kbench::test {

class KeptProgress : public ProgressSink {
 public:
  void begin(std::string, std::vector<double>) override {}
  void item(std::size_t, std::string_view) override {}
  void step(std::string_view) override {}
  void tick() override {}
  void item_done(std::string_view) override {}
  void end() override {}
  void note(std::string_view text) override { (lines += text) += '\n'; }
  void detail(std::string_view text) override { (details += text) += '\n'; }
  void warn(std::string_view text) override { (lines += text) += '\n'; }

  std::string lines;
  std::string details;
};

}  // namespace kbench::test
