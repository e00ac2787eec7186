// An exchange with what its groups hold: runs, answers and terms are read as `db merge` reads them,
// so all that it would leave out is found before. Adds to what exchange/examination.hpp finds.
#pragma once

#include <filesystem>

#include "runner/core/result.hpp"
#include "runner/exchange/examination.hpp"
#include "runner/exchange/pool_key.hpp"

namespace kbench {

// Errors: those of examine_exchange(); kInfrastructure where a run cannot be copied to be read.
[[nodiscard]] Result<ExaminedExchange> examine_pool(const std::filesystem::path& folder,
                                                    const PoolKey& key,
                                                    const FolderCalls& calls = system_calls());

// Removes as well runs that no machine of the pool stored, or that are torn, and each answer
// without a row behind it: the next run answers that request. A run of a newer kbench stays.
// Errors: as above.
[[nodiscard]] Result<PrunedExchange> prune_pool(const std::filesystem::path& folder,
                                                const PoolKey& key, const PruneExchange& how);

}  // namespace kbench
