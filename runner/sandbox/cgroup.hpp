// A control group around one sandboxed program: memory and number of processes as the kernel counts
// them, which address-space and per-user limits only approximate. Version 1 and 2, whichever this
// process may make groups in; often neither. A group may also be frozen as a whole, which no signal
// from inside undoes.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/core/unique_fd.hpp"

namespace kbench {

struct CgroupLimits {
  std::uint64_t memory_bytes = 0;  // 0: none
  int processes = 0;               // threads count too; 0: none
};

// The means by which the processes of a group are stopped: cgroup.freeze of version 2, which needs
// no controller, or the freezer of version 1.
class Freezer {
 public:
  Freezer() = default;
  // Opens a group's freezer; empty where the group has no such file. `version`: 1 or 2.
  static Freezer open(const std::filesystem::path& group, int version);

  [[nodiscard]] bool there() const { return control_.valid(); }
  // Returns once every process of the group stands still; `while_waiting` is called between two
  // glances. Errors: kTimeout; kInfrastructure when it cannot be told.
  Status freeze(std::chrono::milliseconds timeout, const std::function<void(int glance)>& wait);
  // Whether it is frozen as a whole. Errors: kInfrastructure.
  [[nodiscard]] Result<bool> frozen() const;
  Status thaw();

  // The control file for the keeper, which may have to thaw what it kills.
  [[nodiscard]] int control() const { return control_.get(); }
  [[nodiscard]] const char* thaw_word() const { return version_ == 2 ? "0" : "THAWED"; }

 private:
  int version_ = 0;
  UniqueFd control_;
  UniqueFd state_;
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
  [[nodiscard]] Freezer& freezer() { return freezer_; }
  // Gives the group back. False where processes are left in it.
  bool remove();

 private:
  friend class CgroupHome;

  std::vector<std::filesystem::path> folders_;
  std::vector<UniqueFd> entrances_;
  Freezer freezer_;
};

// Removes the groups below `parent` that a kbench which was killed has left: named as ours are, of
// this user, of a process that is gone, and empty. Returns how many.
int remove_dead_groups(const std::filesystem::path& parent);

// The place where groups can be made, found out by making one.
class CgroupHome {
 public:
  // Finds the place; also removes what dead runs have left there.
  static CgroupHome find();

  // "cgroup1", "cgroup2", or empty where none with limits can be made.
  [[nodiscard]] const std::string& version() const { return version_; }
  // "freezer1", "freezer2", or empty where none that freezes can be made.
  [[nodiscard]] const std::string& freezer() const { return freezer_; }
  [[nodiscard]] const std::string& reason() const { return reason_; }  // why there is none
  // Makes a group with as much of limits and freezer as is asked for.
  [[nodiscard]] Result<Cgroup> make(const CgroupLimits& limits, bool limited, bool frozen) const;

 private:
  std::vector<std::filesystem::path> parents_;  // one for each hierarchy with limits
  std::filesystem::path freezer_parent_;        // may be one of them
  std::string version_;
  std::string freezer_;
  std::string reason_;
};

}  // namespace kbench
