#include "runner/store/rows/blob.hpp"

#include <zstd.h>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/core/sha256.hpp"
#include "runner/core/source_tree.hpp"

namespace kbench {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;

std::string compressed(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 1));
  return packed;
}

void expect_refused(const Blob& blob, const std::string& why) {
  const auto text = unpack(blob);
  ASSERT_FALSE(text.ok()) << why;
  EXPECT_EQ(text.error().code, ErrorCode::kBadInput);
  EXPECT_THAT(text.error().message, HasSubstr(why));
}

TEST(Blob, WhatIsPackedComesBack) {
  std::string all_bytes;
  for (int i = 0; i < 256; ++i) all_bytes += static_cast<char>(i);
  for (const std::string& text : {""s, "x"s, "\0\0"s, all_bytes, std::string(100'000, 'a'),
                                  std::string(static_cast<std::size_t>(kMostBlobBytes), 'b')}) {
    const Blob blob = pack(text);
    EXPECT_EQ(blob.hash, sha256(text));
    EXPECT_EQ(blob.bytes, static_cast<std::int64_t>(text.size()));
    const auto back = unpack(blob);
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(*back, text);
  }
}

TEST(Blob, IsPackedOnlyWhereThatIsSmaller) {
  EXPECT_EQ(pack("short").codec, "raw");
  EXPECT_EQ(pack("").codec, "raw");
  const Blob blob = pack(std::string(10'000, 'a'));
  EXPECT_EQ(blob.codec, "zstd");
  EXPECT_LT(blob.content.size(), 100u);
}

// Before anything is decompressed: what it claims, what its frame says, and what any may have.
TEST(Blob, SizesThatDoNotAgreeAreRefused) {
  Blob bomb = pack(std::string(static_cast<std::size_t>(kMostBlobBytes) + 1, '\0'));
  expect_refused(bomb, "more than any has");
  bomb.bytes = 1000;
  expect_refused(bomb, "does not hold as much as it says");
  bomb.bytes = -1;
  expect_refused(bomb, "more than any has");
  Blob raw = pack("short");
  raw.bytes = 4;
  expect_refused(raw, "does not hold as much as it says");
}

TEST(Blob, AFrameThatDoesNotSayItsSizeIsRefused) {
  const std::string text(5000, 'a');
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  packed.resize(ZSTD_compress2(context, packed.data(), packed.size(), text.data(), text.size()));
  ZSTD_freeCCtx(context);
  expect_refused({sha256(text), 5000, "zstd", packed}, "does not hold as much as it says");
}

TEST(Blob, WhatIsNotOneSoundFrameIsRefused) {
  const std::string text(5000, 'a');
  const std::string frame = compressed(text);
  expect_refused({sha256(text), 5000, "zstd", "no frame"}, "does not hold as much as it says");
  expect_refused({sha256(text), 5000, "zstd", frame.substr(0, frame.size() - 1)},
                 "is no single zstd frame");
  expect_refused({sha256(text), 5000, "zstd", frame + compressed("more")},
                 "is no single zstd frame");
  expect_refused({sha256(text), 5000, "gzip", frame}, "is packed in an unknown way");
  std::string broken = compressed(std::string(5000, 'a') + "bcdefghijklmnopq");
  broken[broken.size() / 2] = static_cast<char>(broken[broken.size() / 2] ^ 0x55);
  EXPECT_FALSE(unpack({sha256(text), 5016, "zstd", broken}).ok());
}

TEST(Blob, AnotherContentThanItsNameSaysIsRefused) {
  Blob blob = pack(std::string(5000, 'a'));
  blob.content = compressed(std::string(5000, 'b'));
  expect_refused(blob, "holds something else than its name says");
  Blob raw = pack("short");
  raw.content = "shirt";
  expect_refused(raw, "holds something else than its name says");
}

TEST(SourceTree, ItsHashIsOfPathsAndHashes) {
  using Tree = std::vector<TreeFile>;
  const Tree tree = {{"src/a.cu", "11", 1}, {"src/b.cu", "22", 2}};
  EXPECT_EQ(hash_tree(Tree()), "");
  EXPECT_EQ(hash_tree(tree).size(), 64u);
  for (const Tree& other :
       {Tree{{"src/a.cu", "11", 1}}, Tree{{"src/a.cu", "11", 1}, {"src/b.cu", "23", 2}},
        Tree{{"src/a.cu", "11", 1}, {"src/c.cu", "22", 2}},
        Tree{{"src/a.cu", "1", 1}, {"1src/b.cu", "22", 2}}})
    EXPECT_NE(hash_tree(tree), hash_tree(other));
  EXPECT_EQ(hash_tree(tree), hash_tree(Tree{{"src/a.cu", "11", 8}, {"src/b.cu", "22", 9}}))
      << "how long they are follows from their hashes";
}

}  // namespace
}  // namespace kbench
