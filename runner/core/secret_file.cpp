#include "runner/core/secret_file.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <fmt/format.h>

#include "runner/core/unique_fd.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSecretBytes = 32;

Error unusable(const fs::path& file, const SecretWords& words, const std::string& why) {
  return {ErrorCode::kInfrastructure, fmt::format("{}: {} {}", file.string(), words.what, why),
          words.hint};
}

std::string last_error() { return std::strerror(errno); }

}  // namespace

Result<std::string> read_secret_file(const fs::path& file, const SecretWords& words) {
  // Without waiting, should there be a pipe.
  const UniqueFd descriptor(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (descriptor.get() < 0 && (errno == ENOENT || errno == ENOTDIR))
    return Error{ErrorCode::kNotFound, fmt::format("{}: no key yet", file.string()), ""};
  if (descriptor.get() < 0) return unusable(file, words, "cannot be opened: " + last_error());
  struct stat facts {};
  if (::fstat(descriptor.get(), &facts) != 0)
    return unusable(file, words, "cannot be read: " + last_error());
  if (!S_ISREG(facts.st_mode)) return unusable(file, words, "is no ordinary file");
  if (facts.st_uid != ::geteuid()) return unusable(file, words, "belongs to another user");
  if ((facts.st_mode & 077) != 0) return unusable(file, words, "can be read by other users");
  std::array<char, kSecretBytes + 1> bytes{};
  const ssize_t count = ::read(descriptor.get(), bytes.data(), bytes.size());
  if (count != static_cast<ssize_t>(kSecretBytes))
    return unusable(file, words, fmt::format("is not {} bytes long", kSecretBytes));
  return std::string(bytes.data(), kSecretBytes);
}

// The file is written whole under a name of its own, and only then given the name by which it is
// found: of two processes one makes the secret, and both read that one.
Status make_secret_file(const fs::path& file, const SecretWords& words) {
  std::array<char, kSecretBytes> secret{};
  if (::getrandom(secret.data(), secret.size(), 0) != static_cast<ssize_t>(secret.size()))
    return unusable(file, words, "cannot be drawn: " + last_error());
  const std::string draft = fmt::format("{}.{}", file.string(), ::getpid());
  ::unlink(draft.c_str());
  const UniqueFd descriptor(
      ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (descriptor.get() < 0) return unusable(file, words, "cannot be made: " + last_error());
  const bool written = ::write(descriptor.get(), secret.data(), secret.size()) ==
                           static_cast<ssize_t>(kSecretBytes) &&
                       ::fsync(descriptor.get()) == 0;
  const bool named = written && (::link(draft.c_str(), file.c_str()) == 0 || errno == EEXIST);
  const std::string why = last_error();
  ::unlink(draft.c_str());
  return named ? Status(Done{}) : unusable(file, words, "cannot be kept: " + why);
}

Result<std::string> keep_secret_file(const fs::path& file, const SecretWords& words) {
  Result<std::string> known = read_secret_file(file, words);
  if (known || known.error().code != ErrorCode::kNotFound) return known;
  const fs::path folder = file.parent_path();
  if (folder.empty())
    return unusable(file, words, "has no place: neither XDG_STATE_HOME nor HOME is set");
  std::error_code failed;
  fs::create_directories(folder.parent_path(), failed);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return unusable(file, words, "cannot be kept: " + last_error());
  if (const Status made = make_secret_file(file, words); !made) return made.error();
  return read_secret_file(file, words);
}

}  // namespace kbench
