#include "runner/pool/run_file.hpp"

#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "runner/store/chain/chain_key.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMostSourceBytes = std::size_t{256} << 20;  // of one row

Error foreign(const std::filesystem::path& file, const std::string& why) {
  return {ErrorCode::kBadInput, fmt::format("{}: {}", file.string(), why),
          "It is left out. Only a kbench that has the pool's key can put a run there."};
}

}  // namespace

Result<TakenRun> take_run_file(const Exchange& exchange, const ExchangeSpace& space,
                               const std::string& run) {
  const std::filesystem::path file = space.file_of(run);
  auto folder = ScratchFolder::make("kbench-pool");
  if (!folder) return folder.error();
  const std::filesystem::path copy = folder->path() / "run.sqlite";
  if (const Status taken = space.take_run(run, copy); !taken) return taken.error();
  auto store = Store::open(copy, Store::Mode::kReadOnly);
  if (!store) return foreign(file, store.error().message);
  store->use(chain_key_of(exchange.key().secret));
  if (const Status whole = store->check_pages(); !whole)
    return foreign(file, whole.error().message);
  const auto runs = store->runs();
  if (!runs) return foreign(file, runs.error().message);
  if (runs->size() != 1 || runs->front().id != run)
    return foreign(file, "it does not hold the run that it is called after, and no other");
  auto stored = store->read(run);
  if (!stored) return foreign(file, stored.error().message);
  if (stored->chain.state != ChainFinding::State::kHolds)
    return foreign(file, stored->chain.message);
  return TakenRun{std::move(*folder), std::move(*store), runs->front(),
                  std::move(stored->evaluations)};
}

Result<std::vector<Blob>> sources_of(const Store& store, const Evaluation& row) {
  std::vector<std::string> hashes;
  if (!row.task_source.empty()) hashes.push_back(row.task_source);
  for (const TreeFile& file : row.sources) hashes.push_back(file.hash);
  const auto contents = store.readable_contents(hashes, kMostSourceBytes);
  if (!contents) return contents.error();
  std::vector<Blob> blobs;
  for (const auto& [hash, text] : contents->texts) blobs.push_back(pack(text));
  return blobs;
}

}  // namespace kbench
