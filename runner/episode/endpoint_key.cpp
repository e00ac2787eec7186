#include "runner/episode/endpoint_key.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "runner/core/unique_fd.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/environment.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMostBytes = 8192;

Error usage(std::string message, std::string hint = "") {
  return {ErrorCode::kUsage, std::move(message), std::move(hint)};
}

// Checks the key, which becomes a part of a header.
Result<std::string> checked(std::string key, const std::string& where) {
  while (!key.empty() && (key.back() == '\n' || key.back() == '\r' || key.back() == ' '))
    key.pop_back();
  const bool plain = std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c < 127; });
  if (!key.empty() && plain) return key;
  return usage(fmt::format("{} holds no key", where), "a key is one word of printable letters");
}

Result<std::string> from_file(const std::filesystem::path& file) {
  const std::string name = clean_name(file.string(), 300);
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd.valid()) return usage(fmt::format("{}: {}", name, std::strerror(errno)));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return usage(fmt::format("{} is no regular file", name));
  if (info.st_uid != ::geteuid() || (info.st_mode & 077) != 0)
    return usage(fmt::format("{} may be read by others", name), fmt::format("chmod 600 {}", name));
  std::string key(kMostBytes, '\0');
  const ssize_t got = ::read(fd.get(), key.data(), key.size());
  key.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return checked(std::move(key), name);
}

}  // namespace

Result<std::string> read_endpoint_key(const std::optional<std::string>& variable,
                                      const std::optional<std::filesystem::path>& file) {
  if (variable && file)
    return usage("--key-env and --key-file are both given", "an endpoint has one key");
  if (file) return from_file(*file);
  if (!variable) return std::string();
  std::string key = environment_variable(variable->c_str());
  ::unsetenv(variable->c_str());
  return checked(std::move(key), fmt::format("the variable {}", clean_name(*variable, 100)));
}

}  // namespace kbench
