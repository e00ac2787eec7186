#include "runner/serve/token.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "runner/core/sha256.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kTokenBytes = 32;  // 256 bits
constexpr std::size_t kMostFileBytes = 1u << 20;

Error bad(std::string message, std::string hint = "") {
  return {ErrorCode::kUsage, std::move(message), std::move(hint)};
}

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

struct Named {
  const char* name;
  bool Scopes::*flag;
};
constexpr std::array<Named, 3> kScopes{
    {{"read", &Scopes::read}, {"evaluate", &Scopes::evaluate}, {"workspace", &Scopes::workspace}}};

Result<KnownToken> parse_line(const std::string& line) {
  std::istringstream words(line);
  std::string name;
  std::string scopes;
  std::string token;
  std::string more;
  words >> name >> scopes >> token;
  if (token.empty() || words >> more) return bad("expected a name, scopes and a token");
  if (!is_token_name(name))
    return bad("the name is none",
               "at most 32 letters, digits, dots, dashes and underscores, a letter first");
  auto allowed = scopes_from_string(scopes);
  if (!allowed) return allowed.error();
  if (token.size() != 2 * kTokenBytes || !is_hex(token))
    return bad(fmt::format("the token is not {} lower-case hex digits", 2 * kTokenBytes),
               "`openssl rand -hex 32` makes one");
  return KnownToken{std::move(name), *allowed, sha256(token)};
}

Result<std::string> random_token() {
  std::array<unsigned char, kTokenBytes> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return Error{ErrorCode::kInfrastructure, "the system gives no random numbers", ""};
  std::string token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

// Whether no other user can have read it, or put it there.
Status check_owner(int fd, const std::string& shown) {
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
    return bad(fmt::format("{} is no file", shown));
  if (info.st_uid != ::geteuid())
    return bad(fmt::format("{} belongs to somebody else", shown), "name a file of your own");
  if ((info.st_mode & 077) != 0)
    return bad(fmt::format("{} may be read by others", shown),
               fmt::format("chmod 600 {}, and make new tokens if somebody did", shown));
  return Done{};
}

Result<std::string> read_all(int fd, const std::string& shown) {
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return bad(fmt::format("{}: {}", shown, std::strerror(errno)));
    if (got == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
    if (text.size() > kMostFileBytes) return bad(fmt::format("{} is too large", shown));
  }
}

}  // namespace

std::string to_string(const Scopes& scopes) {
  std::string text;
  for (const auto& [name, flag] : kScopes)
    if (scopes.*flag) text.append(text.empty() ? "" : ",").append(name);
  return text;
}

Result<Scopes> scopes_from_string(std::string_view text) {
  Scopes scopes;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view word = text.substr(0, comma);
    const auto known = std::find_if(kScopes.begin(), kScopes.end(),
                                    [&](const Named& scope) { return word == scope.name; });
    if (known == kScopes.end())
      return bad("a scope is unknown", "scopes are read, evaluate, workspace");
    scopes.*(known->flag) = true;
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return scopes;
}

bool is_token_name(std::string_view name) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  constexpr std::string_view kOthers = "0123456789._-";
  if (name.empty() || name.size() > 32 || kLetters.find(name.front()) == kLetters.npos)
    return false;
  // A folder of submissions has agents where a level's would be looked for.
  if (name.starts_with("level") || name == "include") return false;
  return std::all_of(name.begin(), name.end(), [&](char c) {
    return kLetters.find(c) != kLetters.npos || kOthers.find(c) != kOthers.npos;
  });
}

Result<std::vector<KnownToken>> parse_tokens(std::string_view text) {
  std::vector<KnownToken> tokens;
  std::set<std::string> taken;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos || line[first] == '#') continue;
    auto token = parse_line(line);
    if (!token)
      return bad(fmt::format("line {}: {}", number, token.error().message), token.error().hint);
    if (!taken.insert(token->name).second || !taken.insert(token->hash).second)
      return bad(fmt::format("line {}: its name or its token is there already", number));
    tokens.push_back(std::move(*token));
  }
  if (tokens.empty()) return bad("no token is in it");
  return tokens;
}

Result<std::vector<KnownToken>> read_tokens(const fs::path& file) {
  const std::string shown = clean_name(file.string(), 300);
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd.valid())
    return bad(fmt::format("the tokens' file {} cannot be opened: {}", shown,
                           errno == ELOOP ? "it is a link" : std::strerror(errno)));
  if (auto own = check_owner(fd.get(), shown); !own) return own.error();
  const auto text = read_all(fd.get(), shown);
  if (!text) return text.error();
  auto tokens = parse_tokens(*text);
  if (!tokens)
    return bad(fmt::format("{}: {}", shown, tokens.error().message), tokens.error().hint);
  return tokens;
}

Status make_tokens(const fs::path& file) {
  const auto token = random_token();
  if (!token) return token.error();
  const UniqueFd fd(
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  const std::string text = fmt::format(
      "# Who may ask `kbench serve`: a name, scopes (read, evaluate, workspace), a token.\n"
      "default read,evaluate,workspace {}\n",
      *token);
  if (fd.valid() &&
      ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()))
    return Done{};
  return Error{ErrorCode::kInfrastructure,
               fmt::format("cannot write the tokens' file {}: {}", clean_name(file.string(), 300),
                           std::strerror(errno)),
               "name another place: --tokens FILE"};
}

}  // namespace kbench
