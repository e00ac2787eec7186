#include "runner/plan/run_request.hpp"

#include <charconv>
#include <system_error>

#include <fmt/format.h>

namespace kbench {
namespace {

// A whole number and nothing else; 0 for anything else.
int number_of(std::string_view word) {
  int number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size() ? number : 0;
}

}  // namespace

Result<ShardChoice> parse_shard(std::string_view word) {
  constexpr int kMostShards = 10'000;
  const std::size_t slash = word.find('/');
  ShardChoice shard;
  shard.index = number_of(word.substr(0, slash));
  shard.of = slash == std::string_view::npos ? 0 : number_of(word.substr(slash + 1));
  if (shard.index >= 1 && shard.index <= shard.of && shard.of <= kMostShards) return shard;
  return Error{ErrorCode::kUsage,
               fmt::format("\"{}\" is no shard: 2/4 is the second of four", word.substr(0, 40)),
               "write --shard I/N, with I from 1 to N"};
}

}  // namespace kbench
