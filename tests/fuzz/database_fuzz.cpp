// A database from anywhere: opening it, reading what is there, and adding to it. An input is either
// a whole file (first byte even) or a list of changes to a valid one (first byte odd): five bytes
// each, a four-byte offset and a value.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "runner/store/store.hpp"
#include "tests/fuzz/fuzz_target.hpp"
#include "tests/fuzz/scratch_file.hpp"
#include "tests/unit/store_fixture.hpp"

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr const char* kFile = "fuzz.sqlite";

void remove_files(const std::filesystem::path& folder) {
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    std::error_code ignored;
    std::filesystem::remove(folder / (std::string(kFile) + suffix), ignored);
  }
}

Bytes valid_database(const std::filesystem::path& folder) {
  {
    auto store = kbench::Store::open(folder / kFile, kbench::Store::Mode::kReadWrite);
    if (store) store->use(kbench::chain_key_of(std::string(32, 'k')));
    if (!store || !store->begin_run(kbench::test::make_run("run"))) std::abort();
    for (int i = 0; i < 3; ++i) {
      kbench::Evaluation row = kbench::test::make_evaluation("run", i, 6);
      const auto blobs = kbench::test::add_sources(row, "int row = " + std::to_string(i) + ";");
      if (!store->add(row, blobs)) std::abort();
    }
  }
  std::ifstream file(folder / kFile, std::ios::binary);
  Bytes bytes{std::istreambuf_iterator<char>(file), {}};
  remove_files(folder);
  return bytes;
}

Bytes changed(Bytes bytes, const std::uint8_t* data, std::size_t size) {
  for (std::size_t i = 0; i + 5 <= size; i += 5) {
    std::uint32_t offset = 0;
    std::memcpy(&offset, data + i, sizeof offset);
    bytes[offset % bytes.size()] = data[i + 4];
  }
  return bytes;
}

void use_rows(const kbench::Store& store, const std::string& run_id) {
  const auto stored = store.read(run_id);
  if (!stored) return;
  std::vector<std::string> hashes;
  for (const kbench::Evaluation& row : stored->evaluations) {
    hashes.push_back(row.task_source);
    for (const kbench::TreeFile& file : row.sources) hashes.push_back(file.hash);
  }
  (void)store.contents(hashes, 1 << 20);
}

void use(const std::filesystem::path& file, kbench::Store::Mode mode) {
  auto store = kbench::Store::open(file, mode);
  if (!store) return;
  store->use(kbench::chain_key_of(std::string(32, 'k')));
  const auto runs = store->runs();
  if (runs)
    for (const kbench::Run& run : *runs) use_rows(*store, run.id);
  (void)store->typical_seconds("level1/019_relu", "small", "cpu", kbench::HowTimed::kInFull);
  if (mode == kbench::Store::Mode::kReadOnly) return;
  (void)store->begin_run(kbench::test::make_run("another"));
  (void)store->add(kbench::test::make_evaluation("another", 1, 6));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const kbench::fuzz::ScratchFolder kFolder;
  static const Bytes kValid = valid_database(kFolder.path());
  if (size == 0) return 0;
  const bool whole = data[0] % 2 == 0;
  const Bytes bytes = whole ? Bytes(data + 1, data + size) : changed(kValid, data + 1, size - 1);
  const auto file = kFolder.write(kFile, bytes.data(), bytes.size());
  use(file, kbench::Store::Mode::kReadOnly);
  use(file, kbench::Store::Mode::kReadWrite);
  remove_files(kFolder.path());
  return 0;
}
