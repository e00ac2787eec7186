// A database with chained runs, for the tests of what is done to whole databases.
#pragma once

#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <string>
#include <vector>

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>

#include "runner/store/chain/chain_key.hpp"
#include "runner/store/store.hpp"
#include "tests/unit/store_fixture.hpp"

namespace kbench::test {

inline const ChainKey& test_key() {
  static const ChainKey kKey = chain_key_of(std::string(32, 'k'));
  return kKey;
}

struct StoredRunSpec {
  std::string id;
  std::string started_at = "2026-11-21T13:00:00Z";
  int rows = 3;
  int samples = 12;  // samples of each row
  bool chained = true;
  bool finished = true;
  State state = State::kOk;  // state of the last row
  std::string configuration = R"({"device":"cpu"})";
};

inline void add_run(const std::filesystem::path& file, const StoredRunSpec& spec) {
  Result<Store> store = Store::open(file, Store::Mode::kReadWrite);
  ASSERT_TRUE(store.ok()) << store.error().message;
  if (spec.chained) store->use(test_key());
  Run run = make_run(spec.id);
  run.started_at = spec.started_at;
  run.configuration = spec.configuration;
  ASSERT_TRUE(store->begin_run(run).ok());
  for (int row = 0; row < spec.rows; ++row) {
    Evaluation evaluation = make_evaluation(spec.id, row, spec.samples);
    if (row + 1 == spec.rows) evaluation.state = spec.state;
    const Status added = store->add(evaluation);
    ASSERT_TRUE(added.ok()) << added.error().message;
  }
  if (spec.finished) {
    ASSERT_TRUE(store->finish_run(spec.id, spec.started_at).ok());
  }
}

class DatabaseTest : public ::testing::Test {
 protected:
  void add(const StoredRunSpec& spec) { add_run(file_, spec); }

  void tamper(const std::string& sql) {
    SQLite::Database(file_.string(), SQLite::OPEN_READWRITE).exec(sql);
  }

  // The file alone, without its log.
  void checkpoint() {
    SQLite::Database raw(file_.string(), SQLite::OPEN_READWRITE);
    raw.execAndGet("PRAGMA journal_mode = DELETE");
  }

  // Ids, newest first.
  static std::vector<std::string> ids(const std::filesystem::path& file) {
    std::vector<std::string> ids;
    const Result<Store> store = Store::open(file, Store::Mode::kReadOnly);
    if (!store) return {store.error().message};
    const auto runs = store->runs();
    if (!runs) return {runs.error().message};
    for (const auto& run : *runs) ids.push_back(run.id);
    return ids;
  }

  static std::string chain_of(const std::filesystem::path& file, const std::string& run_id,
                              const ChainKey& key = test_key()) {
    Result<Store> store = Store::open(file, Store::Mode::kReadOnly);
    if (!store) return store.error().message;
    store->use(key);
    const auto stored = store->read(run_id);
    return stored ? std::string(to_string(stored->chain.state)) : stored.error().message;
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_ / "kbench.sqlite";
};

// Bytes of a file at some place become others.
inline void overwrite(const std::filesystem::path& file, std::size_t at, const std::string& bytes) {
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(static_cast<std::streamoff>(at));
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline std::string bytes_of_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline constexpr std::size_t kPage = 4096;

}  // namespace kbench::test
