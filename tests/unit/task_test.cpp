#include "runner/task/task.hpp"

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/task_fixture.hpp"

namespace kbench {
namespace {

using test::TemporaryFolder;
using test::valid_task;
using ::testing::HasSubstr;

class LoadTask : public ::testing::Test {
 protected:
  Result<Task> load_text(const std::string& text) {
    return load_task(folder_.write("level1/007_line.json", text));
  }
  Result<Task> load(const Json& json) { return load_text(json.dump()); }

  // Sets one field, named by a JSON pointer, and expects an error that names `field` and `problem`.
  void expect_error(const std::string& pointer, const Json& value, const std::string& field,
                    const std::string& problem) {
    auto json = valid_task();
    json[Json::json_pointer(pointer)] = value;
    const auto task = load(json);
    ASSERT_FALSE(task.ok()) << pointer << " = " << value;
    EXPECT_EQ(task.error().code, ErrorCode::kBadInput);
    EXPECT_THAT(task.error().message, HasSubstr("007_line.json: " + field + ": "));
    EXPECT_THAT(task.error().message, HasSubstr(problem));
  }

  void expect_missing(const std::string& parent, const std::string& key, const std::string& field) {
    auto json = valid_task();
    json[Json::json_pointer(parent)].erase(key);
    const auto task = load(json);
    ASSERT_FALSE(task.ok()) << parent << "/" << key;
    EXPECT_THAT(task.error().message, HasSubstr(field + ": missing"));
  }

  TemporaryFolder folder_;
};

const std::string kSmall = "/sizes/small";

TEST_F(LoadTask, ReadsEveryField) {
  const auto task = load(valid_task());
  ASSERT_TRUE(task.ok()) << task.error().message;
  EXPECT_EQ(task->id, "level1/007_line");
  EXPECT_EQ(task->level, 1);
  EXPECT_EQ(task->number, 7);
  EXPECT_EQ(task->name, "line");
  EXPECT_EQ(task->title, "A line.");
  EXPECT_EQ(task->source, folder_.path() / "level1/007_line.py");
  EXPECT_EQ(task->hash.size(), 64U);
  ASSERT_EQ(task->sizes.size(), 1U);
  EXPECT_EQ(task->find_size("full"), nullptr);
  const auto* size = task->find_size("small");
  ASSERT_NE(size, nullptr);
  ASSERT_EQ(size->inputs.size(), 1U);
  EXPECT_EQ(size->inputs[0].shape, (std::vector<std::int64_t>{8, 16}));
  EXPECT_EQ(size->inputs[0].draw.kind, Draw::Kind::kUniform);
  EXPECT_EQ(size->inputs[0].draw.a, -1.0);
  ASSERT_EQ(size->parameters.size(), 2U);
  EXPECT_EQ(size->parameters[0].draw.b, 0.5);
  EXPECT_EQ(size->parameters[1].dtype, DType::kInt64);
  EXPECT_EQ(size->parameters[1].elements(), 1);
  EXPECT_EQ(size->parameters[1].draw.data, std::vector<double>{7});
  ASSERT_EQ(size->outputs.size(), 1U);
  EXPECT_EQ(size->outputs[0].bytes(), 8U * 4U * 4U);
  EXPECT_EQ(size->peak_bytes_fp32, 128U);
  EXPECT_EQ(size->peak_bytes_fp64, 256U);
  EXPECT_EQ(size->work.products, 1024);
}

TEST_F(LoadTask, SizesComeInOrderSmallThenFull) {
  auto json = valid_task();
  json["sizes"]["full"] = json["sizes"]["small"];
  const auto task = load(json);
  ASSERT_TRUE(task.ok()) << task.error().message;
  ASSERT_EQ(task->sizes.size(), 2U);
  EXPECT_EQ(task->sizes[0].name, "small");
  EXPECT_EQ(task->sizes[1].name, "full");
}

TEST_F(LoadTask, HashIsThatOfTheFile) {
  const auto one = load(valid_task());
  auto other_json = valid_task();
  other_json["title"] = "Another line.";
  const auto other = load(other_json);
  ASSERT_TRUE(one.ok() && other.ok());
  EXPECT_NE(one->hash, other->hash);
}

TEST_F(LoadTask, NamesTheMissingField) {
  for (const std::string key :
       {"schema", "level", "number", "name", "title", "mode", "entry", "source", "sizes"}) {
    expect_missing("", key, key);
  }
  for (const std::string key : {"inputs", "parameters", "nodes", "outputs", "peak_bytes_fp32",
                                "peak_bytes_fp64", "flops"}) {
    expect_missing(kSmall, key, "sizes.small." + key);
  }
  for (const std::string key : {"name", "dtype", "shape", "draw"}) {
    expect_missing(kSmall + "/inputs/0", key, "sizes.small.inputs[0]." + key);
  }
  for (const std::string key : {"op", "overload", "args", "outs"}) {
    auto json = valid_task();
    json["sizes"]["small"]["nodes"][0].erase(key);
    const auto task = load(json);
    ASSERT_FALSE(task.ok());
    EXPECT_THAT(task.error().message, HasSubstr("sizes.small: node 0 ("));
    EXPECT_THAT(task.error().message, HasSubstr(fmt::format("there is no \"{}\"", key)));
  }
  expect_missing(kSmall + "/inputs/0/draw", "b", "sizes.small.inputs[0].draw.b");
  expect_missing(kSmall + "/outputs/0", "value", "sizes.small.outputs[0].value");
}

TEST_F(LoadTask, RejectsAnotherSchemaModeEntryOrPlace) {
  expect_error("/schema", "kbench-task/2", "schema", "expected kbench-task/1");
  expect_error("/mode", "half", "mode", "expected batch-stats or train or eval");
  expect_error("/entry", "backward", "entry", "expected forward");
  expect_error("/number", 8, "the file", "says it is level1/008_line, but lies at level1/007_line");
  expect_error("/level", 2, "the file", "lies at level1/007_line");
}

TEST_F(LoadTask, RejectsHostileText) {
  expect_error("/name", "../../etc/passwd", "name", "only letters, digits and underscores");
  expect_error("/title", "two\nlines", "title", "control character");
  expect_error("/title", std::string(100000, 'x'), "title", "more than the limit");
  expect_error("/source", "../secret.py", "source", "same folder");
  expect_error("/source", "/etc/passwd", "source", "same folder");
}

TEST_F(LoadTask, RefusesASourceThatLeadsOutOfTheSuite) {
  ASSERT_TRUE(load(valid_task()));
  const std::filesystem::path source = folder_.path() / "level1/007_line.py";
  TemporaryFolder elsewhere;
  std::filesystem::create_symlink(elsewhere.write("secret", "1"), source);
  expect_error("/title", "as it was", "source", "link to a file outside of the suite");
  std::filesystem::remove(source);
  std::filesystem::create_symlink("008_other.py", source);
  EXPECT_TRUE(load(valid_task())) << "a link within the suite";
}

TEST_F(LoadTask, RejectsWrongTypes) {
  expect_error("/level", "1", "level", "expected an integer, found string");
  expect_error("/level", 1.0, "level", "expected an integer, found 1.0");
  expect_error("/title", nullptr, "title", "expected a string, found null");
  expect_error("/sizes", Json::array(), "sizes", "expected an object");
  expect_error("/sizes", Json::object(), "sizes", "expected an object");
  expect_error("/sizes", {{"tiny", test::valid_size()}}, "sizes", "unknown size \"tiny\"");
  expect_error(kSmall + "/inputs", 3, "sizes.small.inputs", "expected an array, found number");
  expect_error(kSmall + "/inputs/0", 3, "sizes.small.inputs[0]", "expected an object");
  expect_error(kSmall + "/flops", "many", "sizes.small.flops", "expected a number");
  expect_error(kSmall + "/flops", -1, "sizes.small.flops", "negative");
  expect_error(kSmall + "/peak_bytes_fp32", -1, "sizes.small.peak_bytes_fp32", "outside");
}

TEST_F(LoadTask, RejectsShapesThatAreZeroNegativeHugeOrOverflow) {
  const std::string shape = kSmall + "/inputs/0/shape";
  const std::string field = "sizes.small.inputs[0].shape";
  expect_error(shape, {8, 0}, field + "[1]", "outside");
  expect_error(shape, {-8, 16}, field + "[0]", "outside");
  expect_error(shape, {8.5}, field + "[0]", "expected an integer");
  expect_error(shape, {std::uint64_t{1} << 63}, field + "[0]", "9223372036854775808 is outside");
  expect_error(shape, {1 << 30, 1 << 30}, field, "more than 1099511627776 elements");
  expect_error(shape, {1LL << 32, 1LL << 32}, field, "more than");  // 2^64: wraps to 0
  expect_error(shape, std::vector<int>(13, 1), field, "13 items, more than the limit of 12");
}

TEST_F(LoadTask, RejectsNamesThatCannotBeStructMembers) {
  const std::string name = kSmall + "/inputs/0/name";
  const std::string field = "sizes.small.inputs[0].name";
  expect_error(name, "", field, "not a C identifier");
  expect_error(name, "1x", field, "not a C identifier");
  expect_error(name, "x;int y", field, "not a C identifier");
  expect_error(name, "float", field, "reserved");
  expect_error(name, "abi_version", field, "reserved");
  expect_error(kSmall + "/parameters/0/name", "x", "sizes.small.parameters[0].name", "used twice");
  expect_error(kSmall + "/outputs/0/name", "weight", "sizes.small.outputs[0].name", "used twice");
}

TEST_F(LoadTask, RejectsUnknownDtypesAndDraws) {
  const std::string draw = kSmall + "/inputs/0/draw";
  const std::string field = "sizes.small.inputs[0].draw";
  expect_error(kSmall + "/inputs/0/dtype", "float8", "sizes.small.inputs[0].dtype",
               "unknown dtype \"float8\"");
  expect_error(draw + "/kind", "cauchy", field + ".kind", "unknown kind \"cauchy\"");
  expect_error(draw, {{"kind", "uniform"}, {"a", 1}, {"b", 0}}, field, "empty");
  expect_error(draw, {{"kind", "normal"}, {"a", 0}, {"b", -1}}, field, "negative");
  expect_error(draw, {{"kind", "bernoulli"}, {"a", 1.5}}, field + ".a", "not a probability");
  expect_error(draw, {{"kind", "integers"}, {"a", 3}, {"b", 3}}, field, "no integer");
  expect_error(draw, {{"kind", "integers"}, {"a", 0.5}, {"b", 3}}, field + ".a", "an integer");
  expect_error(draw, {{"kind", "data"}, {"data", {1, 2}}}, field + ".data",
               "2 values for 128 elements");
  expect_error(draw, {{"kind", "data"}, {"data", std::vector<int>(513, 1)}}, field + ".data",
               "more than the limit of 512");
  const std::string steps = kSmall + "/parameters/1/draw";
  const std::string steps_field = "sizes.small.parameters[1].draw";
  expect_error(steps, {{"kind", "uniform"}, {"a", 0}, {"b", 1}}, steps_field, "draws fractions");
  expect_error(steps, {{"kind", "constant"}, {"a", 0.5}}, steps_field + ".a", "no integer");
  expect_error(steps, {{"kind", "tril"}, {"a", 0}}, steps_field, "two dimensions");
}

TEST_F(LoadTask, KeepsWhatKernelBenchDraws) {
  auto json = valid_task();
  json["sizes"]["small"]["parameters"][0]["kernelbench"] = {{"kind", "constant"}, {"a", 1}};
  const auto task = load(json);
  ASSERT_TRUE(task.ok()) << task.error().message;
  const auto* size = task->find_size("small");
  EXPECT_FALSE(size->inputs[0].kernelbench.has_value());
  ASSERT_TRUE(size->parameters[0].kernelbench.has_value());
  EXPECT_EQ(size->parameters[0].kernelbench->kind, Draw::Kind::kConstant);
  EXPECT_EQ(size->parameters[0].kernelbench->a, 1);
  EXPECT_EQ(size->parameters[0].draw.kind, Draw::Kind::kNormal);
  expect_error(kSmall + "/inputs/0/kernelbench", {{"kind", "constant"}},
               "sizes.small.inputs[0].kernelbench.a", "missing");
}

TEST_F(LoadTask, WorksOutStructuredValues) {
  const auto values = [this](const std::vector<int>& shape, const Json& draw) {
    auto json = valid_task();
    json["sizes"]["small"]["parameters"][0]["shape"] = shape;
    json["sizes"]["small"]["parameters"][0]["draw"] = draw;
    const auto task = load(json);
    EXPECT_TRUE(task.ok()) << (task.ok() ? "" : task.error().message);
    if (!task.ok()) return std::vector<double>{};
    const auto& drawn = task->find_size("small")->parameters[0].draw;
    EXPECT_EQ(drawn.kind, Draw::Kind::kData);
    return drawn.data;
  };
  constexpr double kInf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(values({2, 6},
                   {{"kind", "affine"}, {"a", 5}, {"extents", {2, 2, 3}}, {"steps", {10, 0, -1}}}),
            (std::vector<double>{5, 4, 3, 5, 4, 3, 15, 14, 13, 15, 14, 13}));
  const Json rows = {{"length", 2}, {"order", {0, 1, 1, 0}}};
  const Json matrices = {{"length", 4}, {"order", {1, 0, 1}}};
  EXPECT_EQ(
      values({3, 2, 2}, {{"kind", "blocks"}, {"data", {7, 8, 9, 0}}, {"levels", {rows, matrices}}}),
      (std::vector<double>{9, 0, 7, 8, 7, 8, 9, 0, 9, 0, 7, 8}));
  EXPECT_EQ(values({2, 2, 2}, {{"kind", "triu"}, {"a", 1}, {"value", {{"float", "-inf"}}}}),
            (std::vector<double>{0, -kInf, 0, 0, 0, -kInf, 0, 0}));
  EXPECT_EQ(values({2}, {{"kind", "data"}, {"data", {{{"float", "inf"}}, 1.5}}}),
            (std::vector<double>{kInf, 1.5}));
}

TEST_F(LoadTask, ReadsStepsAndKeptTriangles) {
  auto json = valid_task();
  auto& draw = json["sizes"]["small"]["inputs"][0]["draw"];
  draw = {{"kind", "integers"}, {"a", -1},        {"b", 2},
          {"step", 2},          {"keep", "triu"}, {"diagonal", -1}};
  const auto task = load(json);
  ASSERT_TRUE(task.ok()) << task.error().message;
  const auto& read = task->find_size("small")->inputs[0].draw;
  EXPECT_EQ(read.step, 2);
  EXPECT_EQ(read.keep, Draw::Keep::kUpper);
  EXPECT_EQ(read.diagonal, -1);
  const std::string place = kSmall + "/inputs/0/draw";
  const std::string field = "sizes.small.inputs[0].draw";
  const Json constant = {{"kind", "constant"}, {"a", 1}, {"keep", "tril"}, {"diagonal", 0}};
  expect_error(place, constant, field + ".keep", "only random values");
  auto side = draw;
  side["keep"] = "left";
  expect_error(place, side, field + ".keep", "expected tril or triu");
  side = draw;
  side["step"] = 0;
  expect_error(place, side, field + ".step", "outside 1 to");
}

TEST_F(LoadTask, ReadsFactorsOfWholeTensors) {
  auto json = valid_task();
  auto& draw = json["sizes"]["small"]["inputs"][0]["draw"];
  draw = {{"kind", "uniform"},
          {"a", 0},
          {"b", 1},
          {"times", {{"kind", "normal"}, {"a", 0.5}, {"b", 2}}}};
  const auto task = load(json);
  ASSERT_TRUE(task.ok()) << task.error().message;
  const auto& times = task->find_size("small")->inputs[0].draw.times;
  ASSERT_TRUE(times.has_value());
  EXPECT_EQ(times->kind, Draw::Kind::kNormal);
  EXPECT_EQ(times->a, 0.5);
  EXPECT_EQ(times->b, 2);
  const std::string place = kSmall + "/inputs/0/draw";
  const std::string field = "sizes.small.inputs[0].draw.times";
  auto wrong = draw;
  wrong["times"]["kind"] = "integers";
  expect_error(place, wrong, field + ".kind", "expected uniform or normal");
  wrong = draw;
  wrong["times"]["b"] = -1;
  expect_error(place, wrong, field, "standard deviation -1 is negative");
  wrong = draw;
  wrong["kind"] = "integers";
  expect_error(place, wrong, field, "only uniform, normal and constant");
  wrong = draw;
  wrong["times"] = 3;
  expect_error(place, wrong, field, "");
}

TEST_F(LoadTask, RejectsStructuresThatDoNotFit) {
  const std::string draw = kSmall + "/inputs/0/draw";
  const std::string field = "sizes.small.inputs[0].draw";
  const auto affine = [](const Json& extents, const Json& steps) {
    return Json{{"kind", "affine"}, {"a", 0}, {"extents", extents}, {"steps", steps}};
  };
  expect_error(draw, affine({8, 8}, {8, 1}), field, "64 values for 128 elements");
  expect_error(draw, affine({128}, {8, 1}), field + ".steps", "as many as extents");
  expect_error(draw, affine({128, 128, 128, 128}, {1, 1, 1, 1}), field + ".extents[0]",
               "more than the limit");
  const auto blocks = [](const Json& level) {
    return Json{{"kind", "blocks"}, {"data", {1, 2}}, {"levels", Json::array({level})}};
  };
  expect_error(draw, blocks({{"length", 2}, {"order", {0, 0}}}), field, "4 values for 128");
  expect_error(draw, blocks({{"length", 2}, {"order", {1}}}), field + ".levels[0].order[0]",
               "outside 0 to 0");
  expect_error(draw, blocks({{"length", 4}, {"order", {0}}}), field + ".levels[0].order[0]",
               "outside 0 to -1");
  expect_error(draw, {{"kind", "constant"}, {"a", {{"float", "big"}}}}, field + ".a",
               "none of inf, -inf, nan");
  expect_error(kSmall + "/parameters/1/draw", {{"kind", "data"}, {"data", {{{"float", "inf"}}}}},
               "sizes.small.parameters[1].draw.data[0]", "the tensor is int64");
}

TEST_F(LoadTask, RejectsValuesOutsideTheDtype) {
  auto json = valid_task();
  json["sizes"]["small"]["parameters"][1]["dtype"] = "uint8";
  json["sizes"]["small"]["parameters"][1]["draw"] = {{"kind", "integers"}, {"a", 0}, {"b", 256}};
  EXPECT_TRUE(load(json).ok());
  json["sizes"]["small"]["parameters"][1]["draw"]["b"] = 257;
  const auto task = load(json);
  ASSERT_FALSE(task.ok());
  EXPECT_THAT(task.error().message, HasSubstr("256 does not fit uint8"));
}

TEST_F(LoadTask, RejectsGraphsThatUseWhatNobodyMade) {
  const std::string node = kSmall + "/nodes/0";
  const std::string field = "sizes.small";
  expect_error(node + "/args/0", {{"v", "ghost"}}, field,
               "node 0 (\"aten::linear\"): value \"ghost\" is read before");
  expect_error(node + "/args/2", Json::array({Json{{"v", "linear"}}}), field,
               "\"linear\" is read before");
  expect_error(node + "/op", "linear", field, "operators that a task may use");
  expect_error(node + "/op", std::string(201, ':'), field, "longer than 200 bytes");
  expect_error(node + "/outs/0", "x", field, "defined twice");
  expect_error(kSmall + "/outputs/0/value", "ghost", "sizes.small", "\"ghost\" is read before");
  expect_error(kSmall + "/outputs", Json::array(), "sizes.small.outputs", "at least one output");
  expect_error(kSmall + "/inputs", Json::array(), "sizes.small.inputs", "at least one input");
}

TEST_F(LoadTask, RejectsTextThatIsNotStrictJson) {
  const auto text = valid_task().dump();
  const auto message = [&](const std::string& bad) {
    const auto task = load_text(bad);
    return task.ok() ? std::string("accepted") : task.error().message;
  };
  EXPECT_THAT(message(""), HasSubstr("parse error"));
  EXPECT_THAT(message(text.substr(0, text.size() / 2)), HasSubstr("parse error"));
  EXPECT_THAT(message(text + "{}"), HasSubstr("parse error"));
  EXPECT_THAT(message("{\"level\": 1, \"level\": 2}"), HasSubstr("\"level\" is given twice"));
  EXPECT_THAT(message("{\"level\": NaN}"), HasSubstr("parse error"));
  EXPECT_THAT(message("{\"level\": 1e999}"), HasSubstr("number overflow"));
  EXPECT_THAT(message(std::string(100000, '[')), HasSubstr("nested deeper than 64 levels"));
  EXPECT_THAT(message("{\"title\": \"\xff\"}"), HasSubstr("UTF-8"));
  EXPECT_THAT(message("[]"), HasSubstr("expected an object"));
}

TEST_F(LoadTask, RejectsFilesThatAreNotThereOrNoFiles) {
  const auto missing = load_task(folder_.path() / "level1/001_none.json");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  const auto device = load_task("/dev/zero");
  ASSERT_FALSE(device.ok());
  EXPECT_THAT(device.error().message, HasSubstr("not a regular file"));
}

TEST(DTypes, NamesRoundTripAndSizesAreThoseOfTheFormats) {
  const std::vector<std::pair<DType, std::size_t>> sizes = {
      {DType::kFloat64, 8}, {DType::kFloat32, 4}, {DType::kFloat16, 2}, {DType::kBFloat16, 2},
      {DType::kInt64, 8},   {DType::kInt32, 4},   {DType::kInt16, 2},   {DType::kInt8, 1},
      {DType::kUInt8, 1},   {DType::kBool, 1}};
  for (const auto& [dtype, bytes] : sizes) {
    EXPECT_EQ(size_of(dtype), bytes) << to_string(dtype);
    const auto again = dtype_from_string(to_string(dtype));
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(*again, dtype);
    EXPECT_EQ(is_floating(dtype), to_string(dtype).find("float") != std::string_view::npos);
  }
  EXPECT_FALSE(dtype_from_string("Float32").ok());
}

TEST(Pack, PutsEveryTensorAtAMultipleOf256WithAGapBehindIt) {
  const auto tensor = [](std::vector<std::int64_t> shape, DType dtype) {
    TensorSpec spec;
    spec.shape = std::move(shape);
    spec.dtype = dtype;
    return spec;
  };
  const auto layout = pack({tensor({64}, DType::kFloat32), tensor({65}, DType::kFloat32),
                            tensor({}, DType::kInt8), tensor({3, 3}, DType::kFloat16)});
  EXPECT_EQ(layout.offsets, (std::vector<std::uint64_t>{0, 512, 1280, 1792}));
  EXPECT_EQ(layout.bytes, 2304U);
  EXPECT_EQ(pack(std::vector<TensorSpec>{}).bytes, 0U);
}

}  // namespace
}  // namespace kbench
