// Where the code in a worker's processes comes from. Files are told apart by device and inode as
// maps files show them, which no name and no copy can forge: those mapped before the submission was
// loaded, the submission's own library, and those installed on this machine where no submission can
// write. A worker's processes stand still while they are looked at.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/measure/watch/libraries.hpp"

namespace kbench {

// The identity of a file as maps files show it: some file systems show another device there than
// stat() does. The file is mapped for a moment. Errors: kInfrastructure.
[[nodiscard]] Result<FileIdentity> identity_of(int file);

// The maps of a process, read through whichever of its threads lives: that of one that has ended,
// the first one say, shows nothing. Empty for a process that is gone. Errors: kInfrastructure,
// where it lives and cannot be looked at.
[[nodiscard]] Result<std::string> read_maps(pid_t process);

class KnownCode {
 public:
  // `library`: the submission's; `program`: the worker's. Errors: kInfrastructure.
  [[nodiscard]] static Result<KnownCode> make(int library, const std::filesystem::path& program);

  // Code known where nothing is compiled: files below these folders, where no submission can write,
  // are code of the runtime. Any user may own the folders but the one that submissions run as.
  [[nodiscard]] static KnownCode of_runtime(const std::vector<std::filesystem::path>& folders);

  // A library that a build step made: code of the submission's, as long as it holds what has this
  // SHA-256. Errors: kInfrastructure.
  [[nodiscard]] Status accept(const std::filesystem::path& library, const std::string& sha256);

  // Trusts all code in these processes as the worker's: nothing foreign has been loaded.
  // `memory_counts`: whether executable memory without a file is told of from now on; CUDA's driver
  // makes some.
  [[nodiscard]] Status trust(std::span<const pid_t> processes, bool memory_counts);

  [[nodiscard]] Result<std::vector<MappedCode>> look_at(std::span<const pid_t> processes) const;

  [[nodiscard]] CodeOrigin origin(const CodeMapping& mapping) const;

 private:
  FileIdentity library_;
  std::vector<FileIdentity> built_;
  std::vector<FileIdentity> worker_;
  std::vector<std::filesystem::path> runtime_;
  bool memory_counts_ = false;
};

}  // namespace kbench
