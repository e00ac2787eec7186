#include "runner/store/chain/chain_key.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "runner/core/hmac.hpp"
#include "runner/core/unique_fd.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kNameDigits = 16;

Error unusable(const fs::path& file, const std::string& why) {
  return {
      ErrorCode::kInfrastructure,
      fmt::format("{}: the key that runs are chained with {}", file.string(), why),
      "Runs go on unchained. Make the folder yours alone, or remove the file: a new key is made, "
      "and runs of the old one cannot be checked any more."};
}

std::string last_error() { return std::strerror(errno); }

Result<std::string> read_secret(int descriptor, const fs::path& file) {
  struct stat facts {};
  if (::fstat(descriptor, &facts) != 0) return unusable(file, "cannot be read: " + last_error());
  if (!S_ISREG(facts.st_mode)) return unusable(file, "is no ordinary file");
  if (facts.st_uid != ::geteuid()) return unusable(file, "belongs to another user");
  if ((facts.st_mode & 077) != 0) return unusable(file, "can be read by other users");
  std::array<char, kKeyBytes + 1> bytes{};
  const ssize_t count = ::read(descriptor, bytes.data(), bytes.size());
  if (count != static_cast<ssize_t>(kKeyBytes))
    return unusable(file, fmt::format("is not {} bytes long", kKeyBytes));
  return std::string(bytes.data(), kKeyBytes);
}

// Written whole under a name of its own, and only then given the name by which it is found: of two
// processes one makes the key, and both read that one.
Status make_key(const fs::path& file) {
  std::array<char, kKeyBytes> secret{};
  if (::getrandom(secret.data(), secret.size(), 0) != static_cast<ssize_t>(secret.size()))
    return unusable(file, "cannot be drawn: " + last_error());
  const std::string draft = fmt::format("{}.{}", file.string(), ::getpid());
  ::unlink(draft.c_str());
  const UniqueFd descriptor(
      ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (descriptor.get() < 0) return unusable(file, "cannot be made: " + last_error());
  const bool written =
      ::write(descriptor.get(), secret.data(), secret.size()) == static_cast<ssize_t>(kKeyBytes) &&
      ::fsync(descriptor.get()) == 0;
  const bool named = written && (::link(draft.c_str(), file.c_str()) == 0 || errno == EEXIST);
  const std::string why = last_error();
  ::unlink(draft.c_str());
  return named ? Status(Done{}) : unusable(file, "cannot be kept: " + why);
}

}  // namespace

ChainKey chain_key_of(std::string secret) {
  std::string name = hmac_sha256(secret, "kbench name of a key").substr(0, kNameDigits);
  return {std::move(secret), std::move(name)};
}

Result<ChainKey> read_chain_key(const fs::path& folder) {
  const fs::path file = folder / "chain.key";
  // Without waiting, should somebody have put a pipe there.
  const UniqueFd descriptor(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (descriptor.get() < 0 && (errno == ENOENT || errno == ENOTDIR)) {
    return Error{ErrorCode::kNotFound, fmt::format("{}: no key yet", file.string()),
                 "`kbench run` makes it."};
  }
  if (descriptor.get() < 0) return unusable(file, "cannot be opened: " + last_error());
  Result<std::string> secret = read_secret(descriptor.get(), file);
  if (!secret) return secret.error();
  return chain_key_of(std::move(*secret));
}

Result<ChainKey> keep_chain_key(const fs::path& folder) {
  Result<ChainKey> known = read_chain_key(folder);
  if (known || known.error().code != ErrorCode::kNotFound) return known;
  if (folder.empty())
    return unusable("chain.key", "has no place: neither XDG_STATE_HOME nor HOME is set");
  std::error_code failed;
  fs::create_directories(folder.parent_path(), failed);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return unusable(folder / "chain.key", "cannot be kept: " + last_error());
  if (const Status made = make_key(folder / "chain.key"); !made) return made.error();
  return read_chain_key(folder);
}

}  // namespace kbench
