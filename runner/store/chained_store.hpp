// A database opened with the key that this user's chains are made with.
#pragma once

#include <filesystem>

#include "runner/core/result.hpp"
#include "runner/store/store.hpp"

namespace kbench {

// `state`: the folder of the key. Without a key there the database opens all the same, and whether
// its rows were changed cannot be told. Errors: those of Store::open.
[[nodiscard]] Result<Store> open_with_key(const std::filesystem::path& file, Store::Mode mode,
                                          const std::filesystem::path& state);

}  // namespace kbench
