// Findings about an exchange, and what was collected from one, as a person sees them. Names in the
// folder are foreign text, and are cleaned here.
#pragma once

#include <filesystem>
#include <string>

#include "reports/formats/text_table.hpp"
#include "runner/core/json.hpp"
#include "runner/exchange/examination.hpp"
#include "runner/exchange/exchange.hpp"
#include "runner/pool/collector.hpp"

namespace kbench {

// Which pool an exchange is of, and where its key lies.
[[nodiscard]] std::string made_words(const Exchange& exchange,
                                     const std::filesystem::path& key_file);

// Two lines a finding: what is wrong, and what to do.
[[nodiscard]] std::string exchange_text(const ExaminedExchange& examined, const TableStyle& style);
// {schema_version, sound, spaces, runs, keys, entries, findings[]}.
[[nodiscard]] Json exchange_json(const ExaminedExchange& examined);
// "DIR is sound: 1 group, 2 runs, 250 keys, 12 cache entries", or how much is wrong with it.
[[nodiscard]] std::string exchange_words(const ExaminedExchange& examined,
                                         const std::filesystem::path& folder);

// A line for each thing that went.
[[nodiscard]] std::string pruned_text(const PrunedExchange& pruned);
[[nodiscard]] std::string pruned_words(const PrunedExchange& pruned, bool dry_run);

// A line for each file that was left out.
[[nodiscard]] std::string refused_text(const CollectedRuns& collected);
// "250 rows added to F, 12 of them again; 2 of 3 runs are finished".
[[nodiscard]] std::string collected_words(const CollectedRuns& collected,
                                          const std::filesystem::path& into);

}  // namespace kbench
