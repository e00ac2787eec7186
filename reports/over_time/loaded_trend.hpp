// Earlier runs of a report's device, read from the store.
//
// As in `kbench history` a series has runs that measured alike only: of this run's device, with
// rows of the same size, precision class, profile, protocol and, for Python submissions,
// --allow-torch, and a full timing where this run has one. Three bounds keep a page readable and
// small: so many runs, so many rows read (a run that would exceed them is left out with all that
// are older), so many points, which are those of the tasks and agents of this run.
#pragma once

#include <cstddef>
#include <optional>

#include "reports/facts/model.hpp"
#include "reports/facts/trend.hpp"
#include "runner/core/result.hpp"

namespace kbench {

class Store;

inline constexpr std::size_t kMostTrendRuns = 50;
inline constexpr std::size_t kMostTrendRows = 20'000;    // read, with their samples
inline constexpr std::size_t kMostTrendPoints = 40'000;  // some 25 bytes each: a megabyte

// Empty where this run is the only one of its kind. Errors: those of the store.
[[nodiscard]] Result<std::optional<Trend>> load_trend(const Store& store, const ReportData& data);

}  // namespace kbench
