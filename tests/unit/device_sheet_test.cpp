#include "runner/core/device_sheet.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

TEST(DeviceSheet, TheShippedListIsReadAndNamesItsDocuments) {
  EXPECT_GE(device_sheets().size(), 6u);
  for (const DeviceSheet& sheet : device_sheets()) {
    EXPECT_FALSE(sheet.source.empty()) << sheet.name;
    EXPECT_TRUE(sheet.products.contains("bf16")) << sheet.name;
  }
}

TEST(DeviceSheet, IsFoundByTheDriversName) {
  const auto name = [](const char* device) {
    const DeviceSheet* sheet = find_device_sheet(device);
    return sheet == nullptr ? std::string() : sheet->name;
  };
  EXPECT_EQ(name("NVIDIA H100 80GB HBM3"), "H100 SXM");
  EXPECT_EQ(name("NVIDIA H100 PCIe"), "H100 PCIe");
  EXPECT_EQ(name("NVIDIA H200"), "H200 SXM");
  EXPECT_EQ(name("NVIDIA A100-SXM4-80GB"), "A100 80GB SXM");
  EXPECT_EQ(name("NVIDIA A100-SXM4-40GB"), "A100 40GB");
  EXPECT_EQ(name("NVIDIA L40S"), "L40S");
  EXPECT_EQ(name("NVIDIA GeForce RTX 4090"), "GeForce RTX 4090");
  EXPECT_EQ(name("NVIDIA GeForce RTX 4090 D"), "");
  EXPECT_EQ(name("AMD EPYC"), "");
}

TEST(DeviceSheet, WhatIsNotCompleteIsRefused) {
  EXPECT_FALSE(parse_device_sheets("{}"));
  EXPECT_FALSE(parse_device_sheets(R"({"devices": [{"name": "x", "matches": [], "bytes_per_s": 1,
    "products_per_s": {}, "source": "none"}]})"));
}

}  // namespace
}  // namespace kbench
