#include "runner/cli/output_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

#include <fmt/format.h>

namespace kbench {
namespace {

Error unwritable(const std::string& where) {
  return {ErrorCode::kInfrastructure,
          fmt::format("{} cannot be written: {}", where, std::strerror(errno)),
          "choose another file, or make room for it"};
}

Status write_in_place(const std::filesystem::path& file, const std::string& text) {
  std::FILE* const stream = std::fopen(file.c_str(), "wbe");
  if (stream == nullptr) return unwritable(file.string());
  const bool written = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  // Always closed, and what closing finds counts as well.
  const bool closed = std::fclose(stream) == 0;
  return written && closed ? Status(Done{}) : Status(unwritable(file.string()));
}

}  // namespace

Status write_output_file(const std::filesystem::path& file, const std::string& text) {
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored) && !std::filesystem::is_regular_file(file, ignored))
    return write_in_place(file, text);
  const auto part = file.string() + fmt::format(".part-{}", ::getpid());
  const auto close = [](std::FILE* stream) { std::fclose(stream); };
  const std::unique_ptr<std::FILE, decltype(close)> stream(std::fopen(part.c_str(), "wbe"), close);
  if (!stream) return unwritable(file.string());
  const bool written = std::fwrite(text.data(), 1, text.size(), stream.get()) == text.size() &&
                       std::fflush(stream.get()) == 0 && ::rename(part.c_str(), file.c_str()) == 0;
  if (written) return Done{};
  const auto error = unwritable(file.string());
  ::unlink(part.c_str());
  return error;
}

}  // namespace kbench
