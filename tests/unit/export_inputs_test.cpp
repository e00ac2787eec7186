// The files beside an export: tasks that are held out, and values of turns.
#include "runner/episode/export_inputs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/temporary_folder.hpp"

namespace kbench::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ExportInputs : public ::testing::Test {
 protected:
  HeldOutTasks held_out(const std::string& text) {
    auto tasks = HeldOutTasks::read(folder_.write("tasks", text));
    EXPECT_TRUE(tasks.ok()) << tasks.error().message;
    return tasks ? std::move(*tasks) : HeldOutTasks();
  }
  EpisodeValues values(const std::string& text) {
    auto values = read_values(folder_.write("values", text));
    EXPECT_TRUE(values.ok()) << values.error().message;
    return values ? std::move(*values) : EpisodeValues();
  }
  // Line and complaint.
  template <class T>
  static std::string complaint(const Result<T>& read) {
    if (read) return "";
    EXPECT_EQ(read.error().code, ErrorCode::kUsage);
    const std::string& message = read.error().message;
    return message.substr(message.find(':') + 1);
  }
  std::string about_tasks(const std::string& text) {
    return complaint(HeldOutTasks::read(folder_.write("tasks", text)));
  }
  std::string about_values(const std::string& text) {
    return complaint(read_values(folder_.write("values", text)));
  }

  const TemporaryFolder folder_;
};

TEST_F(ExportInputs, HeldOutTasksAreIdsAndGlobs) {
  const HeldOutTasks tasks =
      held_out("# of the test set\n  level1/019_relu  \r\n\nlevel2/*  # all of them\nlevel3/01?_x");
  EXPECT_TRUE(tasks.contains("level1/019_relu"));
  EXPECT_FALSE(tasks.contains("level1/019_relu2"));
  EXPECT_FALSE(tasks.contains("level1/020_tanh"));
  EXPECT_TRUE(tasks.contains("level2/076_gemm_add_relu"));
  EXPECT_TRUE(tasks.contains("level3/010_x"));
  EXPECT_FALSE(tasks.contains("# of the test set"));
  EXPECT_FALSE(held_out("").contains(""));
}

TEST_F(ExportInputs, WhatIsNoTaskIsNamedByItsLine) {
  EXPECT_EQ(about_tasks("level1/019_relu\nlevel1/019_relu level1/020_tanh\n"),
            "2: this is no task");
  EXPECT_EQ(about_tasks(std::string(200, 'x') + "\n"), "");
  EXPECT_EQ(about_tasks(std::string(201, 'x') + "\n"), "1: this is no task");
  EXPECT_FALSE(HeldOutTasks::read(folder_ / "gone").ok());
}

TEST_F(ExportInputs, ValuesAreOfOneEpisodeALine) {
  const EpisodeValues found = values(
      "{\"episode\": \"a\", \"values\": [0.5, 1]}\r\n \n{\"episode\": \"b\", \"values\": []}");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_THAT(found.at("a"), ElementsAre(0.5, 1.0));
  EXPECT_THAT(found.at("b"), ElementsAre());
}

TEST_F(ExportInputs, ValuesOfAnotherShapeAreNamedByTheirLine) {
  const std::string good = "{\"episode\": \"a\", \"values\": [0.5]}\n";
  EXPECT_EQ(about_values(good + "nonsense\n"), "2: this is no JSON");
  EXPECT_EQ(about_values("[]\n"), "1: it names no episode, or no values");
  EXPECT_EQ(about_values("{\"values\": [0.5]}\n"), "1: it names no episode, or no values");
  EXPECT_EQ(about_values("{\"episode\": \"a\"}\n"), "1: it names no episode, or no values");
  EXPECT_EQ(about_values("{\"episode\": 1, \"values\": []}\n"),
            "1: it names no episode, or no values");
  EXPECT_EQ(about_values("{\"episode\": \"a\", \"values\": [\"x\"]}\n"), "1: a value is no number");
  EXPECT_EQ(about_values(good + "\n" + good), "3: episode a stands there twice");
  EXPECT_FALSE(read_values(folder_ / "gone").ok());
}

}  // namespace
}  // namespace kbench::test
