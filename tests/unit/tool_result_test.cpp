#include "runner/workspace/tool_result.hpp"

#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbench {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(ToolResult, WhatFitsStaysAsItIs) {
  const Json result = {{"message", std::string(10'000, 'x')}};
  EXPECT_EQ(Json::parse(fit(result)), result);
}

TEST(ToolResult, LongTextsAreCutInTheMiddleAndSayBy) {
  const std::string text = "first error\n" + std::string(100'000, 'x') + "\nlast words";
  const std::string line = fit({{"message", text}, {"hint", "short"}});
  EXPECT_LE(line.size(), kMostResultBytes);
  EXPECT_GT(line.size(), kMostResultBytes / 4) << "no more than needed is cut";
  const Json result = Json::parse(line);
  const std::string message = result.at("message");
  EXPECT_THAT(message, StartsWith("first error"));
  EXPECT_THAT(message, EndsWith("last words"));
  EXPECT_THAT(message, HasSubstr("bytes are left out"));
  EXPECT_EQ(result.at("hint"), "short");
}

TEST(ToolResult, LongListsAreCutAtTheEnd) {
  Json kernels = Json::array();
  for (int i = 0; i < 5'000; ++i) kernels.push_back({{"name", "k" + std::to_string(i)}});
  const std::string line = fit({{"kernels", kernels}});
  EXPECT_LE(line.size(), kMostResultBytes);
  EXPECT_EQ(Json::parse(line).at("kernels").at(0).at("name"), "k0");
}

// Each of these takes more bytes when it is written than when it is held.
TEST(ToolResult, BytesThatAreEscapedCountAsTheyAreWritten) {
  for (const std::string byte : {"\x01", "\xff", "\"", "\xf0\x9f\x94\xa5"}) {
    std::string text;
    for (int i = 0; i < 20'000; ++i) text += byte;
    const std::string line = fit({{"message", text}});
    EXPECT_LE(line.size(), kMostResultBytes);
    EXPECT_TRUE(Json::parse(line).is_object());
    for (const char c : line) EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~'));
  }
}

TEST(ToolResult, AFailedCompilationSaysWhoseFaultItIs) {
  const Json theirs = compile_result(Error{ErrorCode::kSubmission, "main.cu does not compile", ""},
                                     {}, "cuda", "90a");
  EXPECT_EQ(theirs.at("state"), "compile_error");
  EXPECT_EQ(theirs.at("fault"), "submission");
  const Json ours =
      compile_result(Error{ErrorCode::kInfrastructure, "the disk is full", ""}, {}, "cuda", "90a");
  EXPECT_EQ(ours.at("state"), "infrastructure_error");
  EXPECT_EQ(ours.at("fault"), "infrastructure");
}

TEST(ToolResult, RegistersAreOfGpusAlone) {
  CompiledSubmission compiled;
  compiled.warnings =
      "careful\n"
      "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
      "    0 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads\n"
      "ptxas info    : Used 32 registers\n";
  const Json cuda = compile_result(compiled, {}, "cuda", "90a");
  EXPECT_EQ(cuda.at("kernels").at(0).at("registers"), 32);
  EXPECT_EQ(cuda.at("kernels").at(0).at("spill_load_bytes"), 8);
  EXPECT_EQ(cuda.at("warnings"), "careful\n");
  EXPECT_EQ(cuda.at("architecture"), "90a");
  const Json cpu = compile_result(compiled, {}, "cpu", "");
  EXPECT_TRUE(cpu.at("kernels").is_null());
  EXPECT_TRUE(cpu.at("architecture").is_null());
}

TEST(ToolResult, ALibraryThatCannotBeLoadedHasTheCompilersWordsToo) {
  CompiledSubmission compiled;
  compiled.warnings = "careful\n";
  const LoadFault fault{State::kMissingSymbol, {ErrorCode::kSubmission, "no entry", "define it"}};
  const Json result = compile_result(compiled, fault, "cpu", "");
  EXPECT_EQ(result.at("state"), "missing_symbol");
  EXPECT_EQ(result.at("fault"), "submission");
  EXPECT_EQ(result.at("message"), "no entry");
  EXPECT_EQ(result.at("hint"), "define it");
  EXPECT_EQ(result.at("warnings"), "careful\n");
}

TEST(ToolResult, OfAVerificationNobodyLearnsTheSeed) {
  Evaluation evaluation;
  evaluation.state = State::kWrongResult;
  evaluation.correct = false;
  evaluation.seed = "5eed5eed";
  evaluation.attempts = {{.reason = "first", .seed = "5eed5eed"}};
  evaluation.message = "3 of 10 elements of y are wrong";
  evaluation.checks = {{.draw = 0, .passed = true, .max_error = 1e-7, .tolerance = 1e-6},
                       {.draw = 1,
                        .distribution = "zeros",
                        .passed = false,
                        .max_error = std::nan(""),
                        .tolerance = 1e-6,
                        .wrong_elements = 3,
                        .message = "3 of 10 elements of y are wrong"}};
  const Json result = verify_result(evaluation);
  EXPECT_EQ(result.at("state"), "wrong_result");
  EXPECT_EQ(result.at("correct"), false);
  EXPECT_EQ(result.at("checks").at(1).at("distribution"), "zeros");
  EXPECT_TRUE(result.at("checks").at(1).at("max_error").is_null());
  EXPECT_THAT(result.dump(), Not(HasSubstr("5eed")));
}

}  // namespace
}  // namespace kbench
