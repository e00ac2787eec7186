// One report of stored runs from what is asked to what is written: which runs, which of their rows,
// and what only a page takes. Prints nothing but the reports themselves.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reports/facts/model.hpp"
#include "reports/write/outputs.hpp"
#include "runner/core/result.hpp"

namespace kbench {

class Store;

struct ReportRequest {
  std::filesystem::path database;
  std::vector<std::string> runs;  // names of store/run_name.hpp; none: the newest
  std::vector<int> levels;        // none: all
  VariantRule variants = VariantRule::kBest;
  Trust trust;
  std::optional<RewardRule> reward;
  std::vector<std::string> columns;  // chosen for table and csv (report_columns.hpp); none: usual
  std::vector<OutputRequest> outputs;
  std::optional<std::filesystem::path> site;   // a folder for a page of many files
  std::optional<std::string> title;            // title of the page
  std::optional<std::filesystem::path> about;  // a file of Markdown that its publisher wrote
};

// Checks a request before anything is read. Errors: kUsage, outputs that cannot be written, a
// format that cannot show what is asked for.
[[nodiscard]] Status check_report(const ReportRequest& request);

// `suites`: where the operators of tasks are looked up for a page. Errors: kUsage, a text of the
// publisher's that cannot be read; runs that there are not, or that make no report together; those
// of the store.
[[nodiscard]] Result<ReportData> load_report_of(const Store& store, const ReportRequest& request,
                                                const std::filesystem::path& suites);

// Errors: kInfrastructure, the first after all were tried.
[[nodiscard]] Status write_report(const ReportData& data, const ReportRequest& request,
                                  const OutputStyle& style);

// "results.csv, page.html"; empty where none goes to a file.
[[nodiscard]] std::string files_of(const ReportRequest& request);

}  // namespace kbench
