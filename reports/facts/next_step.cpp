#include "reports/facts/next_step.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "reports/facts/sanitize.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// "line 3 of relu.cpp", as g++ ("./relu.cpp:3:84: error") and nvcc ("./relu.cu(3): error") name it;
// the author's own files are compiled as ./FILE.
std::string place_of_error(std::string_view line) {
  const std::size_t end = std::min(line.find(": error"), line.find(": fatal error"));
  if (end == line.npos || !line.starts_with("./")) return "";
  line.remove_prefix(2);
  const std::size_t file_end = std::min(line.find_first_of(":("), line.size());
  const std::string_view file = line.substr(0, file_end);
  const std::string_view rest = line.substr(std::min(file_end + 1, line.size()));
  const std::string_view number = rest.substr(0, rest.find_first_not_of("0123456789"));
  if (number.empty() || file == "task.h" || file == "kbench.h") return "";
  return fmt::format("line {} of {}", number, file);
}

// The name of a line that ends like this: "2:10: fatal error: NAME: No such file or directory".
std::string missing_header(std::string_view line) {
  constexpr std::string_view kBefore = ": fatal error: ";
  constexpr std::string_view kBehind = ": No such file or directory";
  const std::size_t at = line.find(kBefore);
  if (at == line.npos || !line.ends_with(kBehind)) return "";
  line.remove_prefix(at + kBefore.size());
  line.remove_suffix(kBehind.size());
  return std::string(line);
}

std::string step_after_missing(const std::string& header) {
  const auto is_in = [&](std::string_view folder) { return header.starts_with(folder); };
  if (is_in("torch/") || is_in("ATen/") || is_in("c10/") || header == "Python.h")
    return "a C++ or CUDA file has no headers of PyTorch or Python: task.h declares its inputs and "
           "outputs; a .py file may build an extension (`kbench help submit`)";
  return "a single file is compiled alone: a header of yours goes into AUTHOR/include/, or into a "
         "folder with both and a submission.json (`kbench help submit`)";
}

// A page of the run may be published, and has no path above the folder in which it was typed.
bool stays_inside(const fs::path& path) {
  return path.is_relative() && !path.lexically_normal().string().starts_with("..");
}

}  // namespace

std::string step_after_compile_error(std::string_view message) {
  std::string place;
  while (place.empty() && !message.empty()) {
    const std::size_t end = std::min(message.find('\n'), message.size());
    const std::string_view line = message.substr(0, end);
    if (const std::string header = missing_header(line); !header.empty())
      return step_after_missing(header);
    place = place_of_error(line);
    message.remove_prefix(std::min(end + 1, message.size()));
  }
  return fmt::format(
      "correct {} and run it again: what does not compile is told in seconds, without a device",
      place.empty() ? "the submission" : sanitize_line(place));
}

std::string path_as_typed(std::string_view command_line, const std::string& submission) {
  constexpr std::string_view kOption = "--submissions";
  std::string_view before;
  while (!command_line.empty()) {
    const std::size_t end = std::min(command_line.find(' '), command_line.size());
    std::string_view word = command_line.substr(0, end);
    command_line.remove_prefix(std::min(end + 1, command_line.size()));
    const bool has_value = word.starts_with(kOption) && word.substr(kOption.size(), 1) == "=";
    if (has_value) word.remove_prefix(kOption.size() + 1);
    const fs::path typed(word);
    if (has_value || before == kOption)
      return stays_inside(typed) ? (typed / submission).lexically_normal().string() : submission;
    if (typed.filename() == submission && stays_inside(typed))
      return typed.lexically_normal().string();
    before = word;
  }
  return submission;
}

std::string with_names(std::string hint, const std::string& file, const std::string& task) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./@+-";
  constexpr std::string_view kCommand = "kbench debug FILE --task TASK";
  const auto is_plain = [&](const std::string& name) {
    return !name.empty() && name.front() != '-' && name.find_first_not_of(kPlain) == name.npos;
  };
  const std::size_t at = hint.find(kCommand);
  if (at == hint.npos || !is_plain(file) || !is_plain(task)) return hint;
  return hint.replace(at, kCommand.size(), fmt::format("kbench debug {} --task {}", file, task));
}

}  // namespace kbench
