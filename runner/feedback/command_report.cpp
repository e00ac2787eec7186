#include "runner/feedback/command_report.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "runner/core/unique_fd.hpp"
#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

constexpr std::uint64_t kMostMemory = 4ull << 30;
constexpr std::uint64_t kMostFile = 16u << 20;
constexpr int kMostProcesses = 64;

Error cannot_hand_over(int error) {
  return {ErrorCode::kInfrastructure,
          fmt::format("a state cannot be handed to a component: {}", std::strerror(error)), ""};
}

// An open file without a name, to be read from its beginning.
Result<UniqueFd> file_with(const std::string& text) {
  UniqueFd file(::memfd_create("kbench-state", MFD_CLOEXEC));
  if (!file.valid()) return cannot_hand_over(errno);
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t got = ::write(file.get(), text.data() + done, text.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return cannot_hand_over(errno);
    done += static_cast<std::size_t>(got);
  }
  if (::lseek(file.get(), 0, SEEK_SET) != 0) return cannot_hand_over(errno);
  return file;
}

// Files that the command names by an absolute path: its program, and the script that it is given.
std::vector<std::filesystem::path> named_files(const std::string& command) {
  std::vector<std::filesystem::path> files;
  for (std::size_t at = 0; at < command.size();) {
    const std::size_t end = std::min(command.find(' ', at), command.size());
    const std::filesystem::path word = command.substr(at, end - at);
    std::error_code ignored;
    if (word.is_absolute() && std::filesystem::is_regular_file(word, ignored))
      files.push_back(word);
    at = end + 1;
  }
  return files;
}

CommandReport report_of(const Component& component, const ProgramOutput& output) {
  if (output.timed_out)
    return {"timeout", fmt::format("{} did not answer in time.", component.name)};
  if (!output.exit.exited)
    return {fmt::format("signal {}", output.exit.signal),
            fmt::format("{} was ended by signal {}.", component.name, output.exit.signal)};
  if (output.exit.code != 0)
    return {fmt::format("exit {}", output.exit.code),
            fmt::format("{} failed with exit status {}. {}", component.name, output.exit.code,
                        last_words(output.err))};
  if (output.out.empty()) return {"answered", "Nothing was found."};
  std::string text = clean_text(output.out, kMostSpoken);
  if (output.truncated) text += "\n[cut: it printed more than 64 KiB]";
  return {"answered", std::move(text)};
}

}  // namespace

Result<CommandReport> command_report(Sandbox& sandbox, const Component& component,
                                     const Json& state, std::chrono::milliseconds patience) {
  const auto input =
      file_with(state.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace));
  if (!input) return input.error();
  SandboxCommand command;
  command.argv = {"/bin/sh", "-c", component.command};
  command.env = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"LC_ALL", "C.UTF-8"}};
  command.readable = named_files(component.command);
  command.descriptors = {{input->get(), 0}};
  command.max_memory_bytes = kMostMemory;
  command.max_resident_bytes = kMostMemory;
  command.max_file_bytes = kMostFile;
  command.max_processes = kMostProcesses;
  auto output = run_to_end(sandbox, std::move(command), patience, kMostSpoken);
  if (!output) return output.error();
  return report_of(component, *output);
}

}  // namespace kbench
