// Collects the runs of a space into one database, again and again: `kbench db merge --watch`. Each
// row is added once, in a transaction of its own, so it may be killed at any moment: the next one
// goes on. A row counts if its key names its run; a slower one is there as `again`.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/core/json.hpp"
#include "runner/core/result.hpp"
#include "runner/exchange/exchange.hpp"
#include "runner/pool/run_file.hpp"
#include "runner/store/chain/chain.hpp"
#include "runner/store/store.hpp"

namespace kbench {

struct CollectedRuns {
  std::size_t runs = 0;      // runs in the database, of this space
  std::size_t finished = 0;  // runs that have finished
  std::size_t added = 0;     // rows, by this pass
  std::size_t again = 0;     // added rows that another run had measured already
  std::size_t waiting = 0;   // rows that no run has answered yet: they are left where they lie
  std::vector<std::string> refused;  // files that were left out, a sentence each
};

class Collector {
 public:
  // `into` is created where it is missing; its runs are chained with `key`.
  Collector(Exchange exchange, const std::string& space, std::filesystem::path into,
            std::optional<ChainKey> key);

  // Looks once at all that lies there. Errors: those of Store::open, and of writing.
  [[nodiscard]] Result<CollectedRuns> pass();

  // The run alone, with all of its rows that are answered. Errors: as of pass(); kBadInput where
  // what lies there is left out.
  [[nodiscard]] Status bring(const std::string& run);

  // Looks again and again until `enough`, which is asked after each look and often in between.
  // `tell` is told of a look that found something new. The sum of all looks.
  [[nodiscard]] Result<CollectedRuns> collect(
      const std::function<bool()>& enough,
      const std::function<void(const CollectedRuns& collected)>& tell);

 private:
  [[nodiscard]] Result<Store> open();
  [[nodiscard]] std::string why_foreign(const Run& run);
  [[nodiscard]] Status take(const std::string& run, Store& into, CollectedRuns& collected);
  [[nodiscard]] Status add_rows(const TakenRun& taken, Store& into, CollectedRuns& collected,
                                bool& whole);
  [[nodiscard]] Result<std::string> answered_by_another(const Store& into,
                                                        const Evaluation& row) const;

  Exchange exchange_;
  std::string name_;
  ExchangeSpace space_;
  std::filesystem::path into_;
  std::optional<ChainKey> key_;
  std::optional<Json> agreed_;      // the group's terms, as this pass has found them
  std::set<std::string> of_space_;  // runs of the database that are of this space
  // Files of which all rows are in the database, as they were then.
  std::map<std::string, std::string> done_;
};

}  // namespace kbench
