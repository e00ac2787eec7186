#include "runner/store/chained_store.hpp"

#include <utility>

#include "runner/store/chain/chain_key.hpp"

namespace kbench {

Result<Store> open_with_key(const std::filesystem::path& file, Store::Mode mode,
                            const std::filesystem::path& state) {
  auto store = Store::open(file, mode);
  if (!store) return store;
  if (auto key = read_chain_key(state)) store->use(std::move(*key));
  return store;
}

}  // namespace kbench
