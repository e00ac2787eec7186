#include "runner/sandbox/landlock.hpp"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runner/core/unique_fd.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// The parts of linux/landlock.h that Debian 12's headers (ABI 2) lack.
constexpr std::uint64_t kTruncate = 1ull << 14;     // ABI 3
constexpr std::uint64_t kIoctlDevice = 1ull << 15;  // ABI 5
constexpr std::uint64_t kBindTcp = 1ull << 0;       // ABI 4
constexpr std::uint64_t kConnectTcp = 1ull << 1;
constexpr std::uint64_t kScopeAbstractSockets = 1ull << 0;  // ABI 6
constexpr std::uint64_t kScopeSignals = 1ull << 1;

struct RulesetAttributes {
  std::uint64_t files = 0;
  std::uint64_t network = 0;  // ABI 4 and later
  std::uint64_t scopes = 0;   // ABI 6 and later
};

constexpr std::uint64_t kReading =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kOnFiles = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                                   LANDLOCK_ACCESS_FS_READ_FILE | kTruncate | kIoctlDevice;
// Everything of ABI 1 is in the bits below REFER.
constexpr std::uint64_t kAbi1 = LANDLOCK_ACCESS_FS_REFER - 1;

std::uint64_t all_file_access(int abi) {
  std::uint64_t all = kAbi1;
  if (abi >= 2) all |= LANDLOCK_ACCESS_FS_REFER;
  if (abi >= 3) all |= kTruncate;
  if (abi >= 5) all |= kIoctlDevice;
  return all;
}

std::uint64_t access_of(PathUse use) {
  switch (use) {
    case PathUse::kRead: return kReading;
    case PathUse::kWrite: return all_file_access(3);
    case PathUse::kDevice:
      return LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE |
             LANDLOCK_ACCESS_FS_READ_DIR | kIoctlDevice;
  }
  return 0;
}

Error failed(const std::string& what) {
  return {ErrorCode::kInfrastructure, "Landlock: " + what + ": " + std::strerror(errno), ""};
}

Status add_rule(int ruleset, const fs::path& file, std::uint64_t access) {
  const UniqueFd path(::open(file.c_str(), O_PATH | O_CLOEXEC));
  struct stat info {};
  if (!path.valid() || ::fstat(path.get(), &info) != 0) return Done{};
  if (!S_ISDIR(info.st_mode)) access &= kOnFiles;
  landlock_path_beneath_attr beneath{};
  beneath.allowed_access = access;
  beneath.parent_fd = path.get();
  if (::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0) == 0) {
    return Done{};
  }
  return failed("a rule for " + file.string());
}

Status enforce(int ruleset) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed("no_new_privs");
  if (::syscall(SYS_landlock_restrict_self, ruleset, 0) != 0) return failed("restricting");
  return Done{};
}

}  // namespace

int landlock_abi() {
  const long abi =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return static_cast<int>(std::max(abi, 0l));
}

Status restrict_files(const std::vector<PathRule>& rules, int abi) {
  RulesetAttributes attributes{.files = all_file_access(abi)};
  std::size_t size = sizeof attributes.files;
  if (abi >= 4) {
    attributes.network = kBindTcp | kConnectTcp;
    size = 2 * sizeof(std::uint64_t);
  }
  if (abi >= 6) {
    attributes.scopes = kScopeAbstractSockets | kScopeSignals;
    size = sizeof attributes;
  }
  const UniqueFd ruleset(
      static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, size, 0)));
  if (!ruleset.valid()) return failed("a rule set");
  for (const PathRule& rule : rules) {
    const std::uint64_t access = access_of(rule.use) & all_file_access(abi);
    if (auto added = add_rule(ruleset.get(), rule.path, access); !added) return added;
  }
  return enforce(ruleset.get());
}

Status write_only_below(const fs::path& folder) {
  const int abi = landlock_abi();
  if (abi == 0) return Done{};
  // Reading and ioctl are not handled, which is to say that nothing changes about them.
  constexpr std::uint64_t kLeftAlone =
      LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | kIoctlDevice;
  const std::uint64_t handled = all_file_access(abi) & ~kLeftAlone;
  const std::uint64_t writing = handled & ~LANDLOCK_ACCESS_FS_EXECUTE;
  const std::uint64_t changing = handled & (LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate);
  const RulesetAttributes attributes{.files = handled};
  const UniqueFd ruleset(static_cast<int>(
      ::syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes.files, 0)));
  if (!ruleset.valid()) return failed("a rule set");
  if (auto added = add_rule(ruleset.get(), folder, writing); !added) return added;
  for (const char* path : {"/dev", "/proc"})
    if (auto added = add_rule(ruleset.get(), path, changing); !added) return added;
  return enforce(ruleset.get());
}

}  // namespace kbench
