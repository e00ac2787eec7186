#include "runner/os/pipe.hpp"

#include <fcntl.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

namespace kbench {

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return Error{ErrorCode::kInfrastructure, std::string("pipe: ") + std::strerror(errno), ""};
  }
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

void never_block(int fd) { ::fcntl(fd, F_SETFL, O_NONBLOCK); }

}  // namespace kbench
