// Findings about whole databases, as `kbench db` tells them: whether one is sound, which runs would
// go, what was saved and added. Names in a database are foreign text, and are cleaned here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reports/formats/text_table.hpp"
#include "runner/core/json.hpp"
#include "runner/store/care/database_check.hpp"
#include "runner/store/care/merge.hpp"
#include "runner/store/care/prune.hpp"
#include "runner/store/care/salvage.hpp"

namespace kbench {

// "999 bytes", "1.2 kB", "12 GB"; powers of 1000.
[[nodiscard]] std::string size_words(std::uint64_t bytes);

// Sound is a database that is as one has to be. Whether a row was changed is for its chain to tell.
[[nodiscard]] std::string render_check(const DatabaseCheck& check,
                                       const std::filesystem::path& file, const TableStyle& style);
// {schema_version, file, bytes, schema, newest_schema, sound, wrong[], runs[]}.
[[nodiscard]] Json check_json(const DatabaseCheck& check, const std::filesystem::path& file);
// "F is sound, with 3 runs and 2 profiles", or what is wrong with it in numbers.
[[nodiscard]] std::string check_words(const DatabaseCheck& check,
                                      const std::filesystem::path& file);

[[nodiscard]] std::string render_prune(const std::vector<PruneVerdict>& verdicts,
                                       const TableStyle& style);
// {schema_version, dry_run, profiles, runs[]}; `profiles`: how many go.
[[nodiscard]] Json prune_json(const std::vector<PruneVerdict>& verdicts, std::size_t profiles,
                              bool dry_run);

// "2 of 3 runs removed; …". `removed`: none of a dry run.
[[nodiscard]] std::string prune_words(std::size_t runs, std::size_t profiles,
                                      const RunsThatGo& leaving,
                                      const std::optional<Removed>& removed,
                                      const std::filesystem::path& database);

// A line for each run that was saved or lost, for the profiles, and for all else that was mended or
// lost.
[[nodiscard]] std::string render_salvaged(const Salvaged& salvaged);
// "3 runs and 1 profile saved in F, 1 lost"; or that no run of the file is whole.
[[nodiscard]] std::string salvage_words(const Salvaged& salvaged, const std::filesystem::path& from,
                                        const std::filesystem::path& to);

[[nodiscard]] std::string render_merged(const MergedRun& run);
// ", 2 refused, 1 unsound profile refused, 1 source damaged": what is to be looked at; empty where
// nothing is.
[[nodiscard]] std::string merge_faults(const Merged& merged);
// "2 runs and 1 profile added to F, 1 run and 0 profiles there already", and what is at fault.
[[nodiscard]] std::string merge_words(const Merged& merged, const std::filesystem::path& into);

}  // namespace kbench
