#include "runner/submission/triton_cache.hpp"

#include <cstdint>
#include <cstring>

#include <gtest/gtest.h>

#include "runner/core/json.hpp"

namespace kbench {
namespace {

std::string text_of(const Json& index, const std::string& contents) {
  const std::string head = index.dump();
  const std::uint64_t length = head.size();
  std::string text(sizeof length, '\0');
  std::memcpy(text.data(), &length, sizeof length);
  return text + head + contents + '\x01';
}

TEST(TritonCache, KernelsOfTorchCompileAreKnownByTheirNames) {
  for (const char* name :
       {"KEY/triton_poi_fused_relu_0.cubin", "K/triton_red_fused_mean_1.json", "K/triton_.cubin"})
    EXPECT_TRUE(is_of_torch_compile(name)) << name;
  for (const char* name : {"KEY/relu.cubin", "KEY/triton_relu.cubin", "KEY/triton_fused.json",
                           "triton_poi_fused_relu_0/relu.cubin", "KEY/my_triton_poi_fused_0.cubin"})
    EXPECT_FALSE(is_of_torch_compile(name)) << name;
}

TEST(TritonCache, FilesAndLibrariesAreRead) {
  const std::string text =
      text_of(Json::array({{{"path", "KEY/relu.cubin"}, {"at", 0}, {"bytes", 4}},
                           {{"path", "KEY/__grp__relu.json"}, {"at", 4}, {"bytes", 2}},
                           {{"path", "OTHER/cuda_utils.cpython-311-x86_64-linux-gnu.so"},
                            {"sha256", std::string(64, 'a')}}}),
              std::string("\x7f"
                          "EL\0{}",
                          6));
  const auto files = read_triton_cache(text);
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files[0].name, "KEY/relu.cubin");
  EXPECT_EQ(files[0].bytes, std::string_view("\x7f"
                                             "EL\0",
                                             4));
  EXPECT_EQ(files[1].bytes, "{}");
  EXPECT_EQ(files[2].library, std::string(64, 'a'));
  EXPECT_EQ(files[2].bytes, "");
}

// The cache comes from a process that runs foreign code.
TEST(TritonCache, WhatIsHostileIsLeftOut) {
  const auto names = [](const Json& entry) {
    return read_triton_cache(text_of(Json::array({entry}), "0123456789")).size();
  };
  EXPECT_EQ(names({{"path", "K/a.cubin"}, {"at", 0}, {"bytes", 10}}), 1u);
  for (const char* path :
       {"../a.cubin", "a.cubin", "/etc/passwd", "K/../a", "K/b/c", "K/.a", "K/-a", ""})
    EXPECT_EQ(names({{"path", path}, {"at", 0}, {"bytes", 1}}), 0u) << path;
  EXPECT_EQ(names({{"path", "K/a"}, {"at", 11}, {"bytes", 1}}), 0u);
  EXPECT_EQ(names({{"path", "K/a"}, {"at", 5}, {"bytes", ~0ull}}), 0u);
  EXPECT_EQ(names({{"path", "K/a"}, {"at", -1}, {"bytes", 1}}), 0u);
  EXPECT_EQ(names({{"path", "K/a"}, {"at", 0}}), 0u);
  // Code comes from compilers alone.
  EXPECT_EQ(names({{"path", "K/evil.so"}, {"at", 0}, {"bytes", 4}}), 0u);
  const Json twice = {{"path", "K/a"}, {"at", 0}, {"bytes", 1}};
  EXPECT_EQ(read_triton_cache(text_of(Json::array({twice, twice}), "x")).size(), 1u);
}

TEST(TritonCache, WhatIsNoCacheHasNoFiles) {
  EXPECT_TRUE(read_triton_cache("").empty());
  EXPECT_TRUE(read_triton_cache("1234567").empty());
  EXPECT_TRUE(read_triton_cache(std::string(64, '\xff')).empty());
  EXPECT_TRUE(read_triton_cache(text_of({{"path", "K/a"}}, "")).empty());
  EXPECT_TRUE(read_triton_cache(text_of(Json::array({1, "x"}), "")).empty());
}

}  // namespace
}  // namespace kbench
