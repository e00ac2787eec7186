#include "runner/task/task_header.hpp"

#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/paths.hpp"
#include "tests/unit/task_fixture.hpp"

namespace kbench {
namespace {

using test::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::Not;

std::string read(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// Compares with tests/golden/task_header/NAME.h. To accept a change, run with
// KBENCH_UPDATE_GOLDEN=1 and read the diff.
void expect_golden(const std::string& name, const std::string& text) {
  const auto file =
      std::filesystem::path(kbench::test::kSource) / "tests/golden/task_header" / name;
  if (const char* update = std::getenv("KBENCH_UPDATE_GOLDEN"); update && *update == '1') {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  EXPECT_EQ(text, read(file)) << "differs from " << file;
}

Task load(const TemporaryFolder& folder, const std::string& place, const Json& json) {
  const auto task = load_task(folder.write(place, json.dump()));
  EXPECT_TRUE(task.ok()) << task.error().message;
  return *task;
}

TEST(TaskHeader, LinearLayerGolden) {
  const TemporaryFolder folder;
  const auto task = load(folder, "level1/007_line.json", test::valid_task());
  expect_golden("line_small.h", task_header(task, task.sizes[0]));
}

// Every dtype once, a scalar, and no parameters.
TEST(TaskHeader, EveryDtypeGolden) {
  auto json = test::valid_task();
  json["name"] = "types";
  auto& size = json["sizes"]["small"];
  size["inputs"] = Json::array();
  int extent = 1;
  for (const std::string dtype : {"float64", "float32", "float16", "bfloat16", "int64", "int32",
                                  "int16", "int8", "uint8", "bool"}) {
    size["inputs"].push_back({{"name", "in_" + dtype},
                              {"dtype", dtype},
                              {"shape", {2, extent++}},
                              {"draw", {{"kind", "constant"}, {"a", 1}}}});
  }
  size["parameters"] = Json::array();
  size["nodes"] = Json::array();
  size["outputs"] = {
      {{"name", "total"}, {"value", "in_float32"}, {"dtype", "float32"}, {"shape", Json::array()}}};
  const TemporaryFolder folder;
  const auto task = load(folder, "level1/007_types.json", json);
  expect_golden("types_small.h", task_header(task, task.sizes[0]));
}

TEST(TaskHeader, TitleCannotLeaveItsComment) {
  Task task;
  task.id = "level1/001_evil";
  task.title = "ends in a backslash \\";
  EXPECT_THAT(task_header(task, TaskSize{}), Not(HasSubstr("\\\n")));
  task.title =
      "ends in a trigraph ?"
      "?/";
  EXPECT_THAT(task_header(task, TaskSize{}), Not(HasSubstr("?"
                                                           "?/")));
  task.title = "two\n#error lines";
  EXPECT_THAT(task_header(task, TaskSize{}), Not(HasSubstr("\n#error")));
}

TEST(TaskHeader, SameTaskSameText) {
  const TemporaryFolder folder;
  const auto task = load(folder, "level1/007_line.json", test::valid_task());
  EXPECT_EQ(task_header(task, task.sizes[0]), task_header(task, task.sizes[0]));
}

}  // namespace
}  // namespace kbench
