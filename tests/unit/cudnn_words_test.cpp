#include "baselines/vendor/cudnn_words.hpp"

#include <string>

#include <gtest/gtest.h>

namespace kbench {
namespace {

// Words of cuDNN 9.19: a stack for each engine.
constexpr const char* kOtherDevice =
    "{\"engineId\":9}\n"
    "Warning: CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH; Reason: only since Blackwell at: !(1000 <= "
    "version)\n";
constexpr const char* kLayout =
    "{\"engineId\":4}\n"
    "Warning: CUDNN_STATUS_NOT_SUPPORTED; Reason: no such engine at: INVALID == name\n"
    "Warning: CUDNN_STATUS_NOT_SUPPORTED_LAYOUT; Reason: Epilogue tensors must be row major. at: "
    "(layout != \"RowMajor\")\n"
    "Warning: CUDNN_STATUS_NOT_SUPPORTED_LAYOUT; Reason: check_node_support_fort(node_ptr)\n";

TEST(TellingLine, IsALimitOfAnEngineInWords) {
  EXPECT_EQ(telling_line(std::string(kOtherDevice) + kLayout),
            "CUDNN_STATUS_NOT_SUPPORTED_LAYOUT, Epilogue tensors must be row major.");
}

// Words on a transposed convolution with a bias.
TEST(TellingLine, IsALimitWithoutWordsBeforeWordsAboutNothing) {
  EXPECT_EQ(telling_line("Warning: CUDNN_STATUS_NOT_SUPPORTED; Reason: no such engine at: a == b\n"
                         "Warning: CUDNN_STATUS_NOT_SUPPORTED_LAYOUT; Reason: !is_NHWC\n"),
            "CUDNN_STATUS_NOT_SUPPORTED_LAYOUT, !is_NHWC");
}

TEST(TellingLine, NamesAMissingLibraryBeforeAnythingElse) {
  EXPECT_EQ(telling_line(std::string(kLayout) +
                         "Warning: CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING; "
                         "Reason: this->libcuda == nullptr\n"),
            "CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING, this->libcuda == nullptr");
}

TEST(TellingLine, IsAFailedCheckWhereThereAreNoWords) {
  EXPECT_EQ(telling_line("Error: CUDNN_STATUS_BAD_PARAM; Reason: xDesc.getDim() != 4"),
            "CUDNN_STATUS_BAD_PARAM, xDesc.getDim() != 4");
}

TEST(TellingLine, IsEmptyWhereNothingIsSaid) {
  EXPECT_EQ(telling_line(""), "");
  EXPECT_EQ(telling_line("\n\nsomething else\n; Reason: CUDNN_STATUS_\n"), "");
  EXPECT_EQ(telling_line(kOtherDevice), "");
}

}  // namespace
}  // namespace kbench
