#include "runner/os/write_hint.hpp"

#include <cerrno>

namespace kbench {

std::string_view write_hint(int error) {
  switch (error) {
    case ENOSPC: return "The disk is full.";
    case EDQUOT: return "Your quota of that disk is used up.";
    case EROFS: return "It is mounted read-only: name a folder elsewhere.";
    case EACCES:
    case EPERM: return "Whoever runs kbench may not: look at owner and rights (ls -ld).";
    default: return "";
  }
}

}  // namespace kbench
