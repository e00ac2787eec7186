// Stored episodes as lines that a trainer takes: which are chosen, what each is worth, which the
// filter rejects, and a critic's values beside them. Prints nothing.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "reports/episodes/episode_list.hpp"
#include "reports/facts/trust.hpp"
#include "runner/core/result.hpp"
#include "runner/episode/export_inputs.hpp"
#include "runner/reward/reward.hpp"
#include "runner/store/store.hpp"
#include "runner/trajectory/export_filter.hpp"
#include "runner/trajectory/render_episode.hpp"

namespace kbench {

struct EpisodeExport {
  ExportKind kind = ExportKind::kSft;
  std::vector<std::string> runs;     // names of store/run_name.hpp; none: all
  std::optional<FilterRule> filter;  // else the kind's own
  RewardRule reward;                 // reward of each episode
  Trust trust;
  std::optional<std::filesystem::path> held_out;  // see HeldOutTasks
  std::optional<std::filesystem::path> values;    // see read_values; for kPpo only
};

class EpisodeExporter {
 public:
  // Reads the inputs and finds the runs. `store` outlives it. `left_out`: told why an episode that
  // is damaged is left aside, which costs the others nothing. Errors: those of the inputs and of
  // find_run_named.
  [[nodiscard]] static Result<EpisodeExporter> prepare(
      const Store& store, EpisodeExport request,
      std::function<void(const std::string& why)> left_out);

  // The oldest first, so that the next export begins with the same lines. Errors: kUsage, values
  // that do not fit an episode; those of the store and of `write`, which takes one line.
  Status write(const std::function<Status(const std::string& line)>& write);

  [[nodiscard]] const FilterCounts& counts() const { return counts_; }
  [[nodiscard]] FilterRule filter() const { return filter_; }

 private:
  EpisodeExporter(const Store& store, EpisodeExport request,
                  std::function<void(const std::string& why)> left_out);
  Status read_inputs();
  Status write_one(const std::string& id,
                   const std::function<Status(const std::string& line)>& write);
  [[nodiscard]] EpisodeLine line_of(const Episode& episode, const Contents& contents,
                                    const ResultRow* row) const;
  Status add_values(const Episode& episode, EpisodeLine& line) const;
  Status leave_out(const Error& error);

  const Store* store_;
  EpisodeExport request_;
  std::function<void(const std::string& why)> left_out_;
  RowsOfRuns rows_;
  FilterRule filter_;
  HeldOutTasks held_out_;
  EpisodeValues values_;
  std::vector<std::string> runs_;  // ids; empty: all
  FilterCounts counts_;
};

}  // namespace kbench
