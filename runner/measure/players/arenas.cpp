#include "runner/measure/players/arenas.hpp"

#include <fcntl.h>
#include <sys/stat.h>

namespace kbench {

Error unusable_arenas(const std::string& why) {
  return {ErrorCode::kInfrastructure, "the oracle's arenas cannot be used: " + why, ""};
}

Status check_arena(const UniqueFd& arena, std::uint64_t bytes) {
  const int seals = ::fcntl(arena.get(), F_GET_SEALS);
  if (seals < 0) return unusable_arenas("one is no file in memory");
  if ((seals & F_SEAL_SHRINK) == 0) return unusable_arenas("one can be cut off");
  struct stat info {};
  if (::fstat(arena.get(), &info) != 0 || info.st_size < 0 ||
      static_cast<std::uint64_t>(info.st_size) < bytes)
    return unusable_arenas("one is shorter than was said");
  return Done{};
}

}  // namespace kbench
