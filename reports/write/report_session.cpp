#include "reports/write/report_session.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/facts/levels.hpp"
#include "reports/facts/sanitize.hpp"
#include "reports/over_time/joined_runs.hpp"
#include "reports/page/environment_table.hpp"
#include "reports/page/site.hpp"
#include "reports/write/page_extras.hpp"
#include "reports/write/reporter.hpp"
#include "reports/write/site_output.hpp"
#include "runner/core/strict_json.hpp"
#include "runner/store/store.hpp"

namespace kbench {
namespace {

// Refuses options that only some formats can take, where no output is in such a format, or where
// one is not.
Status check_formats(const ReportRequest& request) {
  bool rewarded = false;
  bool chosen = false;
  for (const OutputRequest& output : request.outputs) {
    rewarded = rewarded || output.reporter->takes_reward;
    chosen = chosen || output.reporter->takes_columns;
    if (request.runs.size() > 1 && !output.reporter->takes_several)
      return Error{ErrorCode::kUsage,
                   fmt::format("a report in {} is of one run, and {} are named",
                               output.reporter->name, request.runs.size()),
                   "give --run once; table1 takes several"};
  }
  if (request.reward && !rewarded)
    return Error{ErrorCode::kUsage, "--reward is a field of json and jsonl, and neither is written",
                 fmt::format("kbench report jsonl --reward {}", request.reward->name)};
  if (!request.columns.empty() && !chosen)
    return Error{ErrorCode::kUsage, "--columns are those of table and csv, and neither is written",
                 fmt::format("kbench report csv --columns {}", fmt::join(request.columns, ","))};
  return Done{};
}

// The page keeps runs apart, and the other formats that take several make one table of them.
Status check_several(const ReportRequest& request) {
  if (request.runs.size() < 2) return Done{};
  if (request.site)
    return Error{ErrorCode::kUsage, "a site is of one run", "give --run once, or leave --site out"};
  const auto is_page = [](const OutputRequest& output) { return output.reporter->name == "html"; };
  const auto pages = std::count_if(request.outputs.begin(), request.outputs.end(), is_page);
  if (pages == 0 || pages == std::ssize(request.outputs)) return Done{};
  return Error{ErrorCode::kUsage,
               "html shows several runs side by side, and another format makes one of them",
               "write them by two commands"};
}

constexpr std::size_t kMostAboutBytes = 64u << 10;

// Words that the publisher hands in. Errors: kUsage where the file cannot be read.
Result<PageWords> read_words(const ReportRequest& request) {
  if ((request.title || request.about) && !request.site && !writes_page(request.outputs))
    return Error{ErrorCode::kUsage, "--title and --about are of a page, and none is written",
                 "kbench report html --title TEXT -o page.html"};
  PageWords words;
  words.title = sanitize_line(request.title.value_or(""));
  if (!request.about) return words;
  auto text = read_bounded_file(*request.about, kMostAboutBytes);
  if (!text)
    return Error{ErrorCode::kUsage,
                 fmt::format("--about {}: {}", request.about->string(), text.error().message),
                 fmt::format("a text file of at most {} KiB", kMostAboutBytes >> 10)};
  words.about = sanitize_text(*text);
  return words;
}

Result<ReportData> load_runs(const Store& store, const ReportRequest& request) {
  const std::vector<std::string>& names = request.runs;
  if (names.empty()) return load_report(store);
  std::vector<ReportData> runs;
  for (const std::string& name : names) {
    auto data = load_report(store, name);
    if (!data) return data.error();
    runs.push_back(std::move(*data));
  }
  if (!writes_page(request.outputs) || runs.size() == 1) return join_runs(std::move(runs));
  ReportData first = std::move(runs.front());
  std::move(runs.begin() + 1, runs.end(), std::back_inserter(first.beside));
  return first;
}

// Calls `act` for every run of the page, the first one too.
template <class Act>
Status for_each_run(ReportData& data, Act act) {
  if (auto done = act(data); !done) return done;
  for (ReportData& other : data.beside)
    if (auto done = act(other); !done) return done;
  return Done{};
}

// A site has no place for rows that nothing was timed of.
Status check_site_rows(const ReportData& data) {
  for (const Evaluation& evaluation : data.evaluations)
    if (auto fine = check_timed(*find_reporter("html"), evaluation.timed); !fine) return fine;
  return Done{};
}

}  // namespace

Status check_report(const ReportRequest& request) {
  if (auto fine = check_outputs(request.outputs, request.database); !fine) return fine;
  if (auto fine = check_formats(request); !fine) return fine;
  if (auto fine = check_several(request); !fine) return fine;
  if (auto words = read_words(request); !words) return words.error();
  if (auto columns = chosen_columns(request.columns); !columns) return columns.error();
  return request.site ? check_site(*request.site) : Status(Done{});
}

Result<ReportData> load_report_of(const Store& store, const ReportRequest& request,
                                  const std::filesystem::path& suites) {
  auto words = read_words(request);
  if (!words) return words.error();
  auto data = load_runs(store, request);
  if (!data) return data.error();
  const auto chosen = for_each_run(*data, [&](ReportData& one) -> Status {
    one.variants = request.variants;
    one.trust = request.trust;
    return keep_levels(one, request.levels);
  });
  if (!chosen) return chosen.error();
  data->words = std::move(*words);
  data->reward = request.reward;
  if (request.site)
    if (auto timed = check_site_rows(*data); !timed) return timed.error();
  if (request.site || writes_page(request.outputs)) {
    const auto added =
        for_each_run(*data, [&](ReportData& one) { return add_page_extras(one, store, suites); });
    if (!added) return added.error();
  }
  return data;
}

Status write_report(const ReportData& data, const ReportRequest& request,
                    const OutputStyle& style) {
  OutputStyle chosen = style;
  auto columns = chosen_columns(request.columns);
  if (!columns) return columns.error();
  chosen.chosen = std::move(*columns);
  if (auto written = write_outputs(data, request.outputs, chosen); !written) return written;
  if (!request.site) return Done{};
  return write_site(*request.site, render_site(data, profiles_beside(data), page_origin(style)));
}

std::string files_of(const ReportRequest& request) {
  const std::string files = written_files(request.outputs);
  if (!request.site) return files;
  return fmt::format("{}{}{}", files, files.empty() ? "" : ", ",
                     (*request.site / "index.html").string());
}

}  // namespace kbench
