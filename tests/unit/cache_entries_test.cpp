#include "runner/exchange/cache_entries.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/core/sha256.hpp"
#include "runner/exchange/shared_files.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace kbench::test {
namespace {

namespace fs = std::filesystem;

const PoolKey kPool = pool_key_of(std::string(32, 'p'));
const PoolKey kOtherPool = pool_key_of(std::string(32, 'x'));
const std::string kKey = sha256("a key");
const std::string kOtherKey = sha256("another key");

std::string contents(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

std::vector<CachedFile> library() { return {{"a.so", std::string(5000, 'l')}, {"a.json", "{}"}}; }

class CacheEntriesTest : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  CacheEntries cache_{folder_.path(), "packages", kPool};
};

TEST_F(CacheEntriesTest, AnEntryComesBackAsItWasPut) {
  EXPECT_FALSE(cache_.find(kKey));
  ASSERT_TRUE(cache_.put(kKey, library()).ok());
  const auto found = cache_.find(kKey);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ((*found)[0].name, "a.so");
  EXPECT_EQ((*found)[0].bytes, library()[0].bytes);
  EXPECT_EQ((*found)[1].bytes, "{}");
}

// Ways to put there what no supervisor of the pool has signed for this place.
using Forgery = std::function<void(const CacheEntries& cache, const fs::path& file)>;

std::string without_signature(const std::string& whole) { return whole.substr(65); }

void sign_with(const fs::path& file, const PoolKey& key, const std::string& purpose,
               const std::string& text) {
  write(file, sign(key, purpose, text));
}

std::string changed(std::string text, std::size_t at) {
  text[at] = static_cast<char>(text[at] ^ 1);
  return text;
}

const std::vector<std::pair<std::string, Forgery>>& forgeries() {
  static const std::vector<std::pair<std::string, Forgery>> kForgeries = {
      {"empty", [](auto&, auto& file) { write(file, ""); }},
      {"torn in the signature",
       [](auto&, auto& file) { write(file, contents(file).substr(0, 30)); }},
      {"torn after the signature",
       [](auto&, auto& file) { write(file, contents(file).substr(0, 65)); }},
      {"torn in the list", [](auto&, auto& file) { write(file, contents(file).substr(0, 80)); }},
      {"torn in the library",
       [](auto&, auto& file) { write(file, contents(file).substr(0, 3000)); }},
      {"last byte gone",
       [](auto&, auto& file) {
         const std::string whole = contents(file);
         write(file, whole.substr(0, whole.size() - 1));
       }},
      {"a byte more", [](auto&, auto& file) { write(file, contents(file) + "x"); }},
      {"a hole of zeros",
       [](auto&, auto& file) {
         std::string whole = contents(file);
         whole.replace(1024, 512, 512, '\0');
         write(file, whole);
       }},
      {"a bit of the library",
       [](auto&, auto& file) { write(file, changed(contents(file), 999)); }},
      {"a bit of the list", [](auto&, auto& file) { write(file, changed(contents(file), 70)); }},
      {"a bit of the signature",
       [](auto&, auto& file) { write(file, changed(contents(file), 3)); }},
      {"no signature", [](auto&, auto& file) { write(file, without_signature(contents(file))); }},
      {"a signature of zeros",
       [](auto&, auto& file) {
         write(file, std::string(64, '0') + "\n" + without_signature(contents(file)));
       }},
      {"signed in capitals",
       [](auto&, auto& file) {
         std::string whole = contents(file);
         for (std::size_t i = 0; i < 64; ++i)
           whole[i] = static_cast<char>(std::toupper(static_cast<unsigned char>(whole[i])));
         write(file, whole);
       }},
      {"another pool's",
       [](auto&, auto& file) {
         sign_with(file, kOtherPool, "cache packages " + kKey, without_signature(contents(file)));
       }},
      {"the library of another key",
       [](auto& cache, auto& file) {
         ASSERT_TRUE(cache.put(kOtherKey, {{"a.so", "worse"}}).ok());
         fs::copy_file(cache.file_of(kOtherKey), file, fs::copy_options::overwrite_existing);
       }},
      {"the library of another kind",
       [](auto&, auto& file) {
         sign_with(file, kPool, "cache submissions " + kKey, without_signature(contents(file)));
       }},
      {"a signature of another entry",
       [](auto& cache, auto& file) {
         ASSERT_TRUE(cache.put(kOtherKey, {{"a.so", "worse"}}).ok());
         write(file, contents(cache.file_of(kOtherKey)).substr(0, 65) +
                         without_signature(contents(file)));
       }},
      {"a link to a sound one",
       [](auto&, auto& file) {
         const fs::path elsewhere = file.parent_path() / "elsewhere";
         fs::rename(file, elsewhere);
         fs::create_symlink(elsewhere, file);
       }},
      {"a pipe",
       [](auto&, auto& file) {
         fs::remove(file);
         ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
       }},
      {"a folder",
       [](auto&, auto& file) {
         fs::remove(file);
         fs::create_directory(file);
       }},
  };
  return kForgeries;
}

TEST_F(CacheEntriesTest, OfTwentyKindsOfForgedOrTornEntriesNoneIsLoaded) {
  ASSERT_GE(forgeries().size(), 20U);
  for (const auto& [name, forge] : forgeries()) {
    const TemporaryFolder folder;
    const CacheEntries cache(folder.path(), "packages", kPool);
    ASSERT_TRUE(cache.put(kKey, library()).ok());
    ASSERT_TRUE(cache.find(kKey)) << name;
    forge(cache, cache.file_of(kKey));
    EXPECT_FALSE(cache.find(kKey)) << name;
  }
}

// Even who has the key names no file outside of the entry.
TEST_F(CacheEntriesTest, NamesAndLengthsOfASignedListAreHeldToo) {
  for (const char* list :
       {R"([{"name":"../a","bytes":1}])", R"([{"name":"/a","bytes":1}])",
        R"([{"name":".a","bytes":1}])", R"([{"name":"","bytes":1}])", R"([{"name":"a","bytes":2}])",
        R"([{"name":"a","bytes":-1}])", R"([{"name":"a"}])", R"([7])", R"({})", "no list",
        R"([{"name":"a","bytes":0}])"}) {
    ASSERT_TRUE(cache_.put(kKey, {}).ok());
    sign_with(cache_.file_of(kKey), kPool, "cache packages " + kKey, std::string(list) + "\nx");
    EXPECT_FALSE(cache_.find(kKey)) << list;
  }
}

TEST_F(CacheEntriesTest, WhatOneMachineHasBuiltAnotherTakesWhole) {
  const TemporaryFolder there;
  const TemporaryFolder here;
  there.write("a.so", "library");
  there.write("a.json", "{}");
  EXPECT_FALSE(*take_shared_files(cache_, kKey, here.path(), {"a.so", "a.json"}));
  ASSERT_TRUE(give_shared_files(cache_, kKey, there.path(), {"a.so", "a.json"}).ok());
  EXPECT_FALSE(*take_shared_files(cache_, kKey, here.path(), {"a.so"})) << "other names";
  EXPECT_TRUE(fs::is_empty(here.path()));
  EXPECT_TRUE(*take_shared_files(cache_, kKey, here.path(), {"a.so", "a.json"}));
  EXPECT_EQ(contents(here / "a.so"), "library");
  EXPECT_EQ(give_shared_files(cache_, kKey, there.path(), {"b.so"}).error().code,
            ErrorCode::kNotFound);
  write(cache_.file_of(kKey), changed(contents(cache_.file_of(kKey)), 100));
  fs::remove(here / "a.so");
  EXPECT_FALSE(*take_shared_files(cache_, kKey, here.path(), {"a.so", "a.json"}));
  EXPECT_FALSE(fs::exists(here / "a.so"));
}

}  // namespace
}  // namespace kbench::test
