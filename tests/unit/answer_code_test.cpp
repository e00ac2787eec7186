// The submission in a model's answer.
#include "runner/gate/answer_code.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(AnswerCode, TheLastBlockIsTheFile) {
  EXPECT_THAT(
      files_in_answer("First:\n```cuda\nint a;\n```\nbetter:\n```cuda\nint b;\n```\n", "cuda"),
      ElementsAre(Pair("kernel.cu", "int b;\n")));
  EXPECT_THAT(files_in_answer("~~~cpp\nint a;\n~~~", "cpu"),
              ElementsAre(Pair("kernel.cpp", "int a;\n")));
  EXPECT_THAT(files_in_answer("```\r\nint a;\r\n```\r\n", "cpu"),
              ElementsAre(Pair("kernel.cpp", "int a;\r\n")));
}

TEST(AnswerCode, ALanguageIsAName) {
  EXPECT_THAT(files_in_answer("```python\nx = 1\n```", "cuda"),
              ElementsAre(Pair("kernel.py", "x = 1\n")));
  EXPECT_THAT(files_in_answer("```\nclass ModelNew(Module): pass\n```", "cuda"),
              ElementsAre(Pair("kernel.py", "class ModelNew(Module): pass\n")));
  EXPECT_THAT(files_in_answer("```cpp\n__global__ void f() {}\n```", "cuda"),
              ElementsAre(Pair("kernel.cu", "__global__ void f() {}\n")));
  EXPECT_THAT(files_in_answer("```rust\nfn f() {}\n```", "cpu"),
              ElementsAre(Pair("kernel.cpp", "fn f() {}\n")));
}

TEST(AnswerCode, BlocksThatNameFilesAreATree) {
  EXPECT_THAT(files_in_answer("```cuda relu.cu\nint a;\n```\n"
                              "```cpp:tiles/tile.hpp\nint b;\n```\n"
                              "```json submission.json\n{}\n```\n"
                              "```\nnvcc relu.cu\n```\n"
                              "```cuda relu.cu\nint c;\n```\n",
                              "cuda"),
              ElementsAre(Pair("relu.cu", "int c;\n"), Pair("submission.json", "{}\n"),
                          Pair("tiles/tile.hpp", "int b;\n")));
}

TEST(AnswerCode, WhatDoesNotEndIsNone) {
  EXPECT_THAT(files_in_answer("```cuda\nint a;\n```\n```cuda\nint b;", "cuda"),
              ElementsAre(Pair("kernel.cu", "int a;\n")));
  EXPECT_THAT(files_in_answer("```cuda\nint a;\n", "cuda"), IsEmpty());
  EXPECT_THAT(files_in_answer("no code at all", "cuda"), IsEmpty());
  EXPECT_THAT(files_in_answer("", "cuda"), IsEmpty());
  EXPECT_THAT(files_in_answer("Use ```inline``` code", "cuda"), IsEmpty());
}

TEST(AnswerCode, FencesAreCommonMarks) {
  // A longer fence holds shorter ones; an indented one is code already.
  EXPECT_THAT(files_in_answer("````cpp\n```\nint a;\n```\n````\n", "cpu"),
              ElementsAre(Pair("kernel.cpp", "```\nint a;\n```\n")));
  EXPECT_THAT(files_in_answer("    ```cpp\n    int a;\n    ```\n", "cpu"), IsEmpty());
  EXPECT_THAT(files_in_answer("  ```cpp\nint a;\n   ```\n", "cpu"),
              ElementsAre(Pair("kernel.cpp", "int a;\n")));
  EXPECT_THAT(files_in_answer("```cpp\nint a;\n``` not the end\n```\n", "cpu"),
              ElementsAre(Pair("kernel.cpp", "int a;\n``` not the end\n")));
}

TEST(AnswerCode, CodeWithoutFencesIsAllOfIt) {
  EXPECT_THAT(files_of_code("int a;", "cuda"), ElementsAre(Pair("kernel.cu", "int a;")));
  EXPECT_THAT(files_of_code("class ModelNew: pass", "cpu"),
              ElementsAre(Pair("kernel.py", "class ModelNew: pass")));
  EXPECT_THAT(files_of_code("see\n```cpp\nint a;\n```\n", "cpu"),
              ElementsAre(Pair("kernel.cpp", "int a;\n")));
  EXPECT_THAT(files_of_code(" \n", "cpu"), IsEmpty());
}

}  // namespace
}  // namespace kbench
