#include "reports/facts/run_words.hpp"

#include <cstddef>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kbench {

std::string which_runs(const ReportData& data) {
  std::vector<std::string> ids{short_id(data.run)};
  std::size_t rows = data.evaluations.size();
  for (const ReportData& other : data.beside) {
    ids.push_back(short_id(other.run));
    rows += other.evaluations.size();
  }
  return fmt::format("run{} {}, {} row{}", ids.size() == 1 ? "" : "s", fmt::join(ids, ", "), rows,
                     rows == 1 ? "" : "s");
}

}  // namespace kbench
