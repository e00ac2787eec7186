#include "runner/pool/run_file.hpp"

#include <cstddef>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "runner/store/chain/chain_key.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMostSourceBytes = std::size_t{256} << 20;  // sources of one row

// The copy has another name each time, which says nothing to anybody.
Error foreign(const std::filesystem::path& file, const std::filesystem::path& copy,
              std::string why) {
  for (std::size_t at = 0; (at = why.find(copy.string(), at)) != std::string::npos;)
    why.replace(at, copy.string().size(), "its copy");
  return {ErrorCode::kBadInput, fmt::format("{}: {}", file.string(), why),
          "It is left out. Only a kbench that has the pool's key can put a run there."};
}

// Whether a database says which schema it has (user_version, bytes 60 to 63 of the format): one
// that was refused all the same is a newer kbench's; without, nothing was ever stored in it.
bool has_schema(const std::filesystem::path& file) {
  constexpr std::size_t kVersionAt = 60;
  constexpr std::size_t kVersionBytes = 4;
  std::ifstream bytes(file, std::ios::binary);
  std::string version(kVersionBytes, '\0');
  return bytes.seekg(kVersionAt) && bytes.read(version.data(), kVersionBytes) &&
         version != std::string(kVersionBytes, '\0');
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
  if (!store) {
    Error error = foreign(file, copy, store.error().message);
    if (store.error().code == ErrorCode::kUsage && has_schema(copy)) error.code = ErrorCode::kUsage;
    return error;
  }
  store->use(chain_key_of(exchange.key().secret));
  if (const Status whole = store->check_pages(); !whole)
    return foreign(file, copy, whole.error().message);
  const auto runs = store->runs();
  if (!runs) return foreign(file, copy, runs.error().message);
  if (runs->size() != 1 || runs->front().id != run)
    return foreign(file, copy, "it does not hold the run that it is called after, and no other");
  auto stored = store->read(run);
  if (!stored) return foreign(file, copy, stored.error().message);
  if (stored->chain.state != ChainFinding::State::kHolds)
    return foreign(file, copy, stored->chain.message);
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
