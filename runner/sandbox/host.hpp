// Facts of the machine for the sandbox: where programs and the CUDA driver's libraries are, how
// many processes a user has. Pure look-ups, nothing is changed.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace kbench {

// The user that owns nothing: "nobody" on every Linux.
inline constexpr uid_t kSandboxUid = 65534;

// A user for one sandbox alone, so that RLIMIT_NPROC counts its threads alone: many compilers start
// at once. kSandboxUid where this process's user namespace maps few users (some containers).
[[nodiscard]] uid_t fresh_sandbox_uid();

// Finds a program in the system's folders, never through PATH: the one found may be run as root.
[[nodiscard]] std::optional<std::filesystem::path> find_system_program(std::string_view name);

// An installation without root keeps what the system lacks in a folder of the tree, which the
// environment variable KBENCH_DEPS names; empty otherwise. The one place that reads it.
[[nodiscard]] std::optional<std::filesystem::path> unpacked_packages();

// kbench-enter of this installation.
[[nodiscard]] std::optional<std::filesystem::path> find_enter();

// Nodes of the NVIDIA driver in /dev that computing needs; empty without a GPU.
[[nodiscard]] std::vector<std::filesystem::path> cuda_device_nodes();

// Folders outside /usr that hold libcuda.so.1.
[[nodiscard]] std::vector<std::filesystem::path> cuda_library_folders();

// Memory that this machine has, in bytes.
[[nodiscard]] std::uint64_t physical_memory_bytes();

// Threads that run as `uid` on this machine, the unit RLIMIT_NPROC counts in.
[[nodiscard]] std::uint64_t count_threads_of(uid_t uid);

// The users (by their real number) of all living processes of this machine, as their status files
// have it: a process can make its folder in /proc look like root's. Nothing where some could not be
// read.
[[nodiscard]] std::optional<std::set<uid_t>> users_of_processes();

}  // namespace kbench
