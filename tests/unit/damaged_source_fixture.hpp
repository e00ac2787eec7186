// Runs with sources in a file, and damage to these, for the tests of what is done to whole
// databases.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runner/core/sha256.hpp"
#include "runner/store/store.hpp"
#include "tests/unit/database_fixture.hpp"

namespace kbench::test {

// Short enough to lie in the file as it is.
inline const std::string kTaskText = "class Model";
inline std::string source_text(const std::string& run_id, int row) {
  return "int row_" + std::to_string(row) + "_of_" + run_id + ";";
}

// Adds a run of two rows, each with a file of its own; their header and task are shared with other
// such runs.
inline void add_run_with_sources(const std::filesystem::path& file, const std::string& run_id,
                                 const std::string& started_at = "2026-11-21T13:00:00Z") {
  Result<Store> store = Store::open(file, Store::Mode::kReadWrite);
  ASSERT_TRUE(store.ok()) << store.error().message;
  store->use(test_key());
  Run run = make_run(run_id);
  run.started_at = started_at;
  ASSERT_TRUE(store->begin_run(run).ok());
  for (int row = 0; row < 2; ++row) {
    Evaluation evaluation = make_evaluation(run_id, row, 6);
    const std::vector<Blob> blobs = add_sources(evaluation, source_text(run_id, row));
    const Status added = store->add(evaluation, blobs);
    ASSERT_TRUE(added.ok()) << added.error().message;
  }
  ASSERT_TRUE(store->finish_run(run_id, started_at).ok());
}

// Flips one bit, as a bad disk does, wherever the file holds that text.
inline void flip_a_bit(const std::filesystem::path& file, const std::string& text) {
  const std::string bytes = bytes_of_file(file);
  ASSERT_NE(bytes.find(text), std::string::npos);
  for (std::size_t at = bytes.find(text); at != std::string::npos; at = bytes.find(text, at + 1))
    overwrite(file, at, std::string(1, static_cast<char>(text.front() ^ 1)));
}

// The database's text under that hash: the same one, the damage, or nothing.
inline std::string stored_text(const std::filesystem::path& file, const std::string& text) {
  const Result<Store> store = Store::open(file, Store::Mode::kReadOnly);
  if (!store) return store.error().message;
  const std::vector<std::string> hashes = {sha256(text)};
  const auto contents = store->readable_contents(hashes, 1 << 20);
  if (!contents) return contents.error().message;
  if (contents->texts.contains(hashes[0])) return contents->texts.at(hashes[0]);
  return contents->damaged.contains(hashes[0]) ? contents->damaged.at(hashes[0]) : "";
}

inline const std::string kIsAnother = "holds something else than its name says";

}  // namespace kbench::test
