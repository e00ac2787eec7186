#include "reports/write/output_file.hpp"

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

Status write_in_place(const std::filesystem::path& file, const std::string& text,
                      const char* mode) {
  std::FILE* const stream = std::fopen(file.c_str(), mode);
  if (stream == nullptr) return unwritable(file.string());
  const bool written = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  // The stream is always closed, and what closing finds counts as well.
  const bool closed = std::fclose(stream) == 0;
  return written && closed ? Status(Done{}) : Status(unwritable(file.string()));
}

}  // namespace

Status write_output_file(const std::filesystem::path& file, const std::string& text) {
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored) && !std::filesystem::is_regular_file(file, ignored))
    return write_in_place(file, text, "wbe");
  // The file behind a link is replaced, not the link.
  const bool link = std::filesystem::is_symlink(file, ignored);
  const auto target = link ? std::filesystem::weakly_canonical(file, ignored) : file;
  const auto part = target.string() + fmt::format(".part-{}", ::getpid());
  const auto close = [](std::FILE* stream) { std::fclose(stream); };
  const std::unique_ptr<std::FILE, decltype(close)> stream(std::fopen(part.c_str(), "wbe"), close);
  if (!stream) return unwritable(file.string());
  const bool written = std::fwrite(text.data(), 1, text.size(), stream.get()) == text.size() &&
                       std::fflush(stream.get()) == 0 &&
                       ::rename(part.c_str(), target.c_str()) == 0;
  if (written) return Done{};
  const auto error = unwritable(file.string());
  ::unlink(part.c_str());
  return error;
}

Status append_to_file(const std::filesystem::path& file, const std::string& text) {
  return write_in_place(file, text, "abe");
}

Status write_standard_output(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return Done{};
  const Error error = unwritable("standard output");
  std::clearerr(stdout);  // it is said once
  return error;
}

Status write_output_files(const std::filesystem::path& folder,
                          const std::vector<std::pair<std::string, std::string>>& names_and_texts) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    return Error{ErrorCode::kUsage,
                 fmt::format("cannot make the folder {}: {}", folder.string(), failed.message()),
                 "name a folder that can be written to"};
  for (const auto& [name, text] : names_and_texts)
    if (auto written = write_output_file(folder / name, text); !written) return written;
  return Done{};
}

}  // namespace kbench
