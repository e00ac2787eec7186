// Containers and virtual machines between this process and the machine's own kernel and devices, as
// far as the usual traces tell. Stored with every run, since it may bear on times.
#pragma once

#include <string>

namespace kbench {

// "docker", "podman", "lxc", "gvisor", "kubernetes", ..., or "none" where no sign of one is seen.
[[nodiscard]] std::string container_runtime();

}  // namespace kbench
