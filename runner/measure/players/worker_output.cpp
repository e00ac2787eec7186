#include "runner/measure/players/worker_output.hpp"

#include <unistd.h>

#include <array>
#include <string_view>
#include <utility>

#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMostBytes = 2000;  // bytes that are shown
// The submission may make its pipe larger, and go on writing while this reads.
constexpr std::size_t kMostRead = std::size_t{1} << 20;

std::string_view last_lines_of(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  std::size_t begin = text.size();
  for (int line = 0; line < WorkerOutput::kMostLines && begin > 0; ++line) {
    const std::size_t before = text.rfind('\n', begin - 1);
    if (before == std::string_view::npos) return text;
    begin = before;
  }
  return text.substr(begin == text.size() ? begin : begin + 1);
}

}  // namespace

Result<WorkerOutput> WorkerOutput::make() {
  auto pipe = make_pipe();
  if (!pipe) return pipe.error();
  never_block(pipe->read.get());
  never_block(pipe->write.get());
  return WorkerOutput(std::move(*pipe));
}

std::string WorkerOutput::last_lines() {
  std::string text;
  std::array<char, 1 << 14> part{};
  while (text.size() < kMostRead) {
    const ssize_t got = ::read(pipe_.read.get(), part.data(), part.size());
    if (got <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  std::string_view last = last_lines_of(text);
  if (last.size() > kMostBytes) last.remove_prefix(last.size() - kMostBytes);
  return clean_text(last, 2 * kMostBytes);
}

}  // namespace kbench
