#include "reports/write/outputs.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/formats/github_report.hpp"
#include "reports/page/environment_table.hpp"
#include "reports/page/html_report.hpp"
#include "reports/page/profile_choice.hpp"
#include "reports/write/output_file.hpp"
#include "reports/write/reporter.hpp"
#include "runner/core/suggest.hpp"
#include "runner/core/utc_now.hpp"
#include "runner/os/environment.hpp"
#include "runner/store/rows/stored_profiles.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::array kSideFiles = {"-wal", "-shm", "-journal"};

Error usage(std::string message, std::string hint) {
  return {ErrorCode::kUsage, std::move(message), std::move(hint)};
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Reporter& one : reporters()) names.emplace_back(one.name);
  return names;
}

Error unknown_format(const std::string& word, const std::string& path) {
  const auto names = format_names();
  const auto guess = nearest(word, names);
  return usage(fmt::format("\"{}\" is not one of {}", word, fmt::join(names, ", ")),
               guess
                   ? fmt::format("did you mean \"{}\"?", *guess)
                   : fmt::format("formats stand before the =; a file of that name is ./{}", path));
}

Result<OutputRequest> to_place(const Reporter& reporter, const std::string& path,
                               const char* option = "--out") {
  if (path.empty()) {
    return usage(
        fmt::format("the output in {} names no file", reporter.name),
        fmt::format("say where to: --out {}=FILE, or - for standard output", reporter.name));
  }
  if (path == "-") return OutputRequest{&reporter, std::nullopt, option};
  return OutputRequest{&reporter, path, option};
}

Result<OutputRequest> by_suffix(const std::string& path, const char* option = "--out") {
  if (path.empty()) {
    return usage("--out names neither format nor file", "say both: --out csv=results.csv");
  }
  if (const Reporter* reporter = reporter_of_suffix(path)) return to_place(*reporter, path, option);
  return usage(fmt::format("{} does not say in which format", path == "-" ? "--out -" : path),
               fmt::format("say it: --out FORMAT={}, with FORMAT one of {}", path,
                           fmt::join(format_names(), ", ")));
}

Result<std::vector<OutputRequest>> parse_all(const std::vector<std::string>& words) {
  std::vector<OutputRequest> outputs;
  for (const std::string& word : words) {
    auto output = parse_output(word);
    if (!output) return output.error();
    outputs.push_back(std::move(*output));
  }
  return outputs;
}

bool to_standard_output(const OutputRequest& output) { return !output.file; }

// Refuses two reports on standard output: two texts in one stream can be read as neither.
Status check_standard_output(const std::vector<OutputRequest>& outputs) {
  const auto first = std::find_if(outputs.begin(), outputs.end(), to_standard_output);
  if (first == outputs.end()) return Done{};
  const auto second = std::find_if(first + 1, outputs.end(), to_standard_output);
  if (second == outputs.end()) return Done{};
  return usage(fmt::format("standard output cannot take two reports, {} and {}",
                           first->reporter->name, second->reporter->name),
               fmt::format("give one of them a file: --out {}=FILE", second->reporter->name));
}

bool is_page(const OutputRequest& output) { return output.reporter->name == "html"; }

// True for two names of one file. Where the file does not exist yet, the names decide.
bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code failed;
  if (fs::equivalent(a, b, failed)) return true;
  const fs::path left = fs::weakly_canonical(fs::absolute(a), failed);
  return !failed && left == fs::weakly_canonical(fs::absolute(b), failed) && !failed;
}

// True for files that take whatever comes: a terminal, /dev/null, and descriptors that this process
// was started with.
bool is_stream(const fs::path& file) {
  std::error_code failed;
  const std::string name = file.lexically_normal().string();
  const bool given = name == "/dev/stdout" || name == "/dev/stderr" ||
                     name.starts_with("/dev/fd/") || name.starts_with("/proc/self/fd/");
  return given || fs::is_character_file(fs::status(file, failed));
}

// A pipe by name holds up its opener until another process reads there, and may for ever.
Status check_kind(const fs::path& file) {
  std::error_code failed;
  const fs::file_status status = fs::status(file, failed);
  const char* kind = fs::is_fifo(status)         ? "a pipe (FIFO)"
                     : fs::is_socket(status)     ? "a socket"
                     : fs::is_block_file(status) ? "a device"
                                                 : nullptr;
  if (kind == nullptr) return Done{};
  return usage(
      fmt::format("{} is {}, a report is a file", file.string(), kind),
      fmt::format("name a file, or - for standard output: --out FORMAT=- > {}", file.string()));
}

// A file of whoever left a link where the page goes that nobody named.
Status check_not_led_away(const OutputRequest& output) {
  std::error_code failed;
  if (!output.by_default || !fs::is_symlink(*output.file, failed)) return Done{};
  return usage(fmt::format("{} is a link, and the page is not written to where it leads",
                           output.file->string()),
               "remove it, name the page with --html, or write none with --no-html; nothing was "
               "opened or written");
}

// Whether any SQLite database lies there, such as another user's results.
bool is_database(const fs::path& file) {
  constexpr std::string_view kMagic = "SQLite format 3";
  std::error_code failed;
  if (!fs::is_regular_file(file, failed)) return false;
  std::string begin(kMagic.size(), '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return stream && begin == kMagic;
}

Status check_place(const fs::path& file) {
  std::error_code failed;
  const std::string name = file.string();
  if (fs::is_directory(file, failed) || !file.has_filename())
    return usage(fmt::format("{} is a folder, a report is a file", name),
                 fmt::format("name the file in it: {}", (file / "report.html").string()));
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, failed))
    return usage(fmt::format("{} cannot be written: there is no folder {}", name, folder.string()),
                 "make it, or name another file");
  return Done{};
}

Status check_not_database(const OutputRequest& output, const fs::path& database) {
  const std::string hint =
      fmt::format("name another file with {}{}; nothing was opened or written", output.option,
                  output.option == "--html" ? ", or write no page with --no-html" : "");
  if (same_file(*output.file, database))
    return usage(fmt::format("{} is the database, the report in {} would be written over it",
                             output.file->string(), output.reporter->name),
                 hint);
  for (const char* suffix : kSideFiles) {
    if (same_file(*output.file, database.string() + suffix))
      return usage(fmt::format("{} is part of the database {}, the report in {} would be written "
                               "over it",
                               output.file->string(), database.string(), output.reporter->name),
                   hint);
  }
  if (is_database(*output.file))
    return usage(fmt::format("{} is a database, the report in {} would be written over it",
                             output.file->string(), output.reporter->name),
                 hint);
  return Done{};
}

Status check_not_twice(const std::vector<OutputRequest>& outputs, std::size_t at) {
  for (std::size_t i = 0; i < at; ++i) {
    if (outputs[i].file && same_file(*outputs[i].file, *outputs[at].file))
      return usage(fmt::format("{} is named twice, for the report in {} and in {}",
                               outputs[at].file->string(), outputs[i].reporter->name,
                               outputs[at].reporter->name),
                   "give each a file of its own");
  }
  return Done{};
}

// Several steps of a job share the limit where they share the file.
Status append_step_summary(const ReportData& data, const Reporter& reporter) {
  const std::string file = environment_variable("GITHUB_STEP_SUMMARY");
  if (file.empty() || reporter.step_summary == nullptr) return Done{};
  std::error_code none;
  const std::uintmax_t size = fs::exists(file, none) ? fs::file_size(file, none) : 0;
  const std::size_t used = none ? 0 : static_cast<std::size_t>(size);
  const std::size_t room = kMostSummaryBytes - std::min(used, kMostSummaryBytes);
  const std::string text = reporter.step_summary(data, room);
  return text.size() > room ? Status(Done{}) : append_to_file(file, text);
}

constexpr std::int64_t kEndOfYear9999 = 253'402'300'799;

// Seconds since 1970; now where the text is no such number.
std::string made_at(const std::string& source_date_epoch) {
  std::int64_t seconds = 0;
  const char* end = source_date_epoch.data() + source_date_epoch.size();
  const auto [read, failed] = std::from_chars(source_date_epoch.data(), end, seconds);
  if (failed != std::errc() || read != end || seconds < 0 || seconds > kEndOfYear9999)
    return utc_now();
  return utc_of(static_cast<std::time_t>(seconds));
}

// The folder to which paths in annotations are relative: of a job its checkout, else the working
// directory.
std::string checkout() {
  std::string named = environment_variable("GITHUB_WORKSPACE");
  if (!named.empty()) return named;
  std::error_code failed;
  return std::filesystem::current_path(failed).string();
}

RenderOptions render_options(const OutputRequest& output, const OutputStyle& style) {
  RenderOptions options;
  options.chosen = style.chosen;
  options.workspace = checkout();
  if (output.file) {
    options.colour = style.coloured_files;
    return options;
  }
  options.colour = style.standard_output.colour;
  options.columns = style.standard_output.columns;
  return options;
}

std::string render(const ReportData& data, const OutputRequest& output, const OutputStyle& style) {
  if (is_page(output))
    return render_html(data, choose_profiles(data, profiles_beside(data)), page_origin(style));
  return output.reporter->render(data, render_options(output, style));
}

Status write_output(const ReportData& data, const OutputRequest& output, const OutputStyle& style) {
  for (const Evaluation& evaluation : data.evaluations) {
    if (auto fine = check_profile(*output.reporter, evaluation.profile); !fine) return fine;
    if (auto fine = check_timed(*output.reporter, evaluation.timed); !fine) return fine;
  }
  std::set<int> levels;
  for (const Evaluation& evaluation : data.evaluations) levels.insert(evaluation.level);
  if (auto fine = check_levels(*output.reporter, levels); !fine) return fine;
  const std::string text = render(data, output, style);
  const Status written =
      output.file ? write_output_file(*output.file, text) : write_standard_output(text);
  return written ? append_step_summary(data, *output.reporter) : written;
}

}  // namespace

PageOrigin page_origin(const OutputStyle& style) {
  return {made_at(environment_variable("SOURCE_DATE_EPOCH")), style.program};
}

ProfileRows profiles_beside(const ReportData& data) {
  std::error_code none;
  if (data.database.empty() || !fs::exists(data.database, none)) return {};
  auto stored = stored_profiles(data.database);
  return stored ? std::move(*stored) : ProfileRows();
}

Result<OutputRequest> parse_output(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == word.npos) {
    // "--out csv" is a format without a file more likely than a file without an ending.
    if (const Reporter* reporter = find_reporter(word)) return to_place(*reporter, "");
    return by_suffix(word);
  }
  const std::string format = word.substr(0, equals);
  if (const Reporter* reporter = find_reporter(format))
    return to_place(*reporter, word.substr(equals + 1));
  // "runs/a=b.csv" is a path.
  if (format.find('/') != format.npos || format.find('.') != format.npos) return by_suffix(word);
  return unknown_format(format, word);
}

Result<std::vector<OutputRequest>> run_outputs(const OutputWords& words, const fs::path& database) {
  auto outputs = parse_all(words.out);
  if (!outputs) return outputs;
  if (words.html) {
    auto page = to_place(*find_reporter("html"), *words.html, "--html");
    if (!page) return page.error();
    outputs->push_back(std::move(*page));
  }
  if (words.format || std::none_of(outputs->begin(), outputs->end(), to_standard_output))
    outputs->insert(outputs->begin(),
                    {find_reporter(words.format.value_or(words.otherwise)), {}, "--format"});
  if (!words.no_html && std::none_of(outputs->begin(), outputs->end(), is_page))
    outputs->push_back(
        {find_reporter("html"), fs::path(database).replace_extension(".html"), "--html", true});
  if (auto one = check_standard_output(*outputs); !one) return one.error();
  return outputs;
}

Result<std::vector<OutputRequest>> report_outputs(const OutputWords& words) {
  auto outputs = parse_all(words.out);
  if (!outputs) return outputs;
  if (words.site) {
    if (words.format.value_or("html") != "html" || words.format_file)
      return usage("--site is a page of many files, in the place of html's one",
                   "kbench report html --site DIR; --out FORMAT=PATH writes others beside it");
  } else if (words.format) {
    auto output = to_place(*find_reporter(*words.format), words.format_file.value_or("-"), "-o");
    if (!output) return output.error();
    outputs->insert(outputs->begin(), std::move(*output));
  } else if (words.format_file) {
    auto output = by_suffix(*words.format_file, "-o");
    if (!output) return output.error();
    outputs->insert(outputs->begin(), std::move(*output));
  }
  if (outputs->empty() && !words.site) {
    auto output = to_place(*find_reporter("table"), "-", "FORMAT");
    if (!output) return output.error();
    outputs->push_back(std::move(*output));
  }
  if (auto one = check_standard_output(*outputs); !one) return one.error();
  return outputs;
}

Result<std::vector<OutputRequest>> nightly_outputs(const OutputWords& words) {
  auto outputs = parse_all(words.out);
  if (!outputs) return outputs;
  if (auto one = check_standard_output(*outputs); !one) return one.error();
  return outputs;
}

Status check_outputs(const std::vector<OutputRequest>& outputs, const fs::path& database,
                     const std::optional<fs::path>& input) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const OutputRequest& output = outputs[i];
    if (!output.file || is_stream(*output.file)) continue;
    if (auto harmless = check_not_database(output, database); !harmless) return harmless;
    if (auto fine = check_place(*output.file); !fine) return fine;
    if (auto file = check_kind(*output.file); !file) return file;
    if (auto own = check_not_led_away(output); !own) return own;
    if (input && same_file(*output.file, *input))
      return usage(fmt::format("{} is read, the report in {} would be written over it",
                               output.file->string(), output.reporter->name),
                   "name another file");
    if (auto once = check_not_twice(outputs, i); !once) return once;
  }
  return Done{};
}

Status check_output_file(const fs::path& file, const fs::path& input) {
  constexpr const char* kHint = "name another file; nothing was written";
  if (is_stream(file)) return Done{};
  if (is_database(file))
    return usage(fmt::format("{} is a database, and would be written over", file.string()), kHint);
  if (same_file(file, input))
    return usage(fmt::format("{} is read, and would be written over", file.string()), kHint);
  if (auto fine = check_place(file); !fine) return fine;
  const Status kind = check_kind(file);
  return kind ? kind : usage(kind.error().message, kHint);
}

Status write_outputs(const ReportData& data, const std::vector<OutputRequest>& outputs,
                     const OutputStyle& style) {
  std::optional<Error> failed;
  for (const OutputRequest& output : outputs) {
    const auto written = write_output(data, output, style);
    if (written) continue;
    if (failed)
      failed->message += "; " + written.error().message;
    else
      failed = written.error();
  }
  return failed ? Status(*failed) : Done{};
}

std::string written_files(const std::vector<OutputRequest>& outputs) {
  std::vector<std::string> names;
  for (const OutputRequest& output : outputs)
    if (output.file) names.push_back(output.file->string());
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace kbench
