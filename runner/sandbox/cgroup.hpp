// A control group around one sandboxed program: memory and number of processes as the kernel counts
// them, which address-space and per-user limits only approximate. Version 1 and 2, whichever this
// process may make groups in; often neither. Called by sandbox.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"

namespace kbench {

struct CgroupLimits {
  std::uint64_t memory_bytes = 0;  // 0: none
  int processes = 0;               // threads count too; 0: none
};

// One group, removed at the end. Its processes must be gone by then.
class Cgroup {
 public:
  Cgroup() = default;
  ~Cgroup();
  Cgroup(Cgroup&& other) noexcept = default;
  Cgroup& operator=(Cgroup&& other) noexcept;
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;

  // Files into which a process writes "0" to join.
  [[nodiscard]] const std::vector<UniqueFd>& entrances() const { return entrances_; }

 private:
  friend class CgroupHome;
  void remove();

  std::vector<std::filesystem::path> folders_;
  std::vector<UniqueFd> entrances_;
};

// Where groups can be made, found out by making one.
class CgroupHome {
 public:
  static CgroupHome find();

  // "cgroup1", "cgroup2", or empty where none can be made.
  [[nodiscard]] const std::string& version() const { return version_; }
  [[nodiscard]] const std::string& reason() const { return reason_; }  // why there is none
  [[nodiscard]] Result<Cgroup> make(const CgroupLimits& limits) const;

 private:
  std::vector<std::filesystem::path> parents_;  // one for each hierarchy
  std::string version_;
  std::string reason_;
};

}  // namespace kbench
