// The submission in a model's answer.
#include "runner/answer/answer_code.hpp"

#include <ctime>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/answers_fixture.hpp"

namespace kbench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(AnswerCode, EachAnswerOfTheTableHandsInItsFiles) {
  const auto samples = test::sample_answers();
  ASSERT_GE(samples.size(), 60U);
  for (const test::SampleAnswer& sample : samples)
    EXPECT_EQ(files_in_answer(sample.answer, sample.device), sample.files) << sample.name;
}

TEST(AnswerCode, CodeIsWhatItsAnswerHandsIn) {
  for (const test::SampleAnswer& sample : test::sample_answers()) {
    if (sample.files.empty()) continue;
    EXPECT_EQ(files_of_code(sample.answer, sample.device), sample.files) << sample.name;
  }
}

TEST(AnswerCode, CodeWithoutFencesIsAllOfIt) {
  EXPECT_THAT(files_of_code("int a;", "cuda"), ElementsAre(Pair("kernel.cu", "int a;")));
  EXPECT_THAT(files_of_code("class ModelNew: pass", "cpu"),
              ElementsAre(Pair("kernel.py", "class ModelNew: pass\n")));
  EXPECT_THAT(files_of_code("see\n```cpp\nint a;\n```\n", "cpu"),
              ElementsAre(Pair("kernel.cpp", "int a;\n")));
  EXPECT_THAT(files_of_code(" \n", "cpu"), IsEmpty());
}

TEST(AnswerCode, WhereNothingDefinesTheKernelTheLastBlockOfALanguageIsIt) {
  EXPECT_THAT(files_in_answer("```cuda\nint a;\n```\nbetter:\n```cuda\nint b;\n```\n```\nO(n)\n```",
                              "cuda"),
              ElementsAre(Pair("kernel.cu", "int b;\n")));
  EXPECT_THAT(files_in_answer("```\nint a;\n```\n", "cuda"),
              ElementsAre(Pair("kernel.cu", "int a;\n")));
  EXPECT_THAT(files_in_answer("```cpp\nint a;\n``` not the end\n```\n", "cpu"),
              ElementsAre(Pair("kernel.cpp", "int a;\n``` not the end\n")));
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

// Answers are not trusted, and the gate has one thread: an algorithm that is quadratic in the
// length would take hours for these.
TEST(AnswerCode, NothingTakesLongerThanReadingIt) {
  constexpr std::size_t kBytes = 1u << 20;
  for (const std::string part : {"</think>",
                                 "<think>",
                                 "x<think>\n",
                                 "`<think>` ",
                                 "<",
                                 "```python\n\"\"\"\n```\n",
                                 "```cpp\nR\"a(\n```\n",
                                 "```cpp R\"a(\n",
                                 "kbench_forward(",
                                 "kbench_forward(){\n",
                                 "```cpp a.hpp\n#include \"a.hpp\"\n```\n",
                                 "> ",
                                 "- ",
                                 "1. ",
                                 "```",
                                 "~~~\n",
                                 "class ModelNew:\n",
                                 "import a\n",
                                 "<|im_start|>assistant",
                                 "[/INST]\n",
                                 "</a>",
                                 "'''",
                                 "(",
                                 "```cpp\n// ```\n"}) {
    std::string answer;
    while (answer.size() < kBytes) answer += part;
    const std::clock_t begin = std::clock();  // processor time: others may keep it from us
    (void)files_in_answer(answer, "cpu");
    EXPECT_LT((std::clock() - begin) / CLOCKS_PER_SEC, 30) << part;
  }
}

}  // namespace
}  // namespace kbench
