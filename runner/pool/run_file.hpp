// The database of one run as it lies in an exchange: that run alone, chained with the pool's key.
// It is foreign until its chain holds.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runner/core/evaluation.hpp"
#include "runner/core/result.hpp"
#include "runner/exchange/exchange.hpp"
#include "runner/os/files.hpp"
#include "runner/store/rows/blob.hpp"
#include "runner/store/store.hpp"

namespace kbench {

// A copy of such a file, in a folder of its own, that was found to be whole and of this pool.
struct TakenRun {
  ScratchFolder folder;  // outlives the store
  Store store;
  Run run;
  std::vector<Evaluation> rows;
};

// Errors: kNotFound where no such file lies there; kUsage where a newer kbench wrote it; kBadInput
// where it is truncated, another run's, no database of kbench, or not chained with the pool's key;
// kInfrastructure.
[[nodiscard]] Result<TakenRun> take_run_file(const Exchange& exchange, const ExchangeSpace& space,
                                             const std::string& run);

// The contents that a row names, as they are stored.
[[nodiscard]] Result<std::vector<Blob>> sources_of(const Store& store, const Evaluation& row);

}  // namespace kbench
