// Things that a graph may not do which somebody else wrote. Inputs are x and z, parameters w and b.
#include "runner/task/operator_check.hpp"

#include <array>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/core/json.hpp"
#include "runner/task/operator_table.hpp"
#include "runner/task/suite.hpp"
#include "tests/unit/paths.hpp"

namespace kbench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Json size_of(Json nodes, const char* output = "x") {
  return {{"inputs", {{{"name", "x"}}, {{"name", "z"}}}},
          {"parameters", {{{"name", "w"}}, {{"name", "b"}}}},
          {"nodes", std::move(nodes)},
          {"outputs", {{{"name", "out"}, {"value", output}}}}};
}

// {"aten::add_", "Tensor", R"([{"v": "x"}, …])", R"(["y"])"}
Json node(const std::string& op, const std::string& overload, const std::string& args,
          const std::string& outs = R"(["y"])") {
  return {
      {"op", op}, {"overload", overload}, {"args", Json::parse(args)}, {"outs", Json::parse(outs)}};
}

std::string said_of(Json nodes) {
  const auto graph = parse_size_graph(size_of(std::move(nodes)));
  if (graph) return "accepted";
  EXPECT_EQ(graph.error().code, ErrorCode::kBadInput);
  return graph.error().message;
}

std::string said_of(const std::string& op, const std::string& overload, const std::string& args,
                    const std::string& outs = R"(["y"])") {
  return said_of(Json::array({node(op, overload, args, outs)}));
}

constexpr auto kAccepted = "accepted";
constexpr auto kUnlisted = "none of the";
constexpr auto kForeignMemory = "may lie in the memory of an input or a parameter";

TEST(OperatorCheck, OperatorsThatReachOutsideOfTheGraphAreNotListed) {
  EXPECT_THAT(said_of("aten::from_file", "",
                      R"(["/root/.bashrc", true, 16, {"dtype": "uint8"}, null, null, null])"),
              AllOf(HasSubstr("node 0 (\"aten::from_file\")"), HasSubstr(kUnlisted),
                    HasSubstr("suites/operators.txt")));
  EXPECT_THAT(said_of("aten::relu", "out", R"([{"v": "x"}, {"v": "z"}])"), HasSubstr(kUnlisted));
  for (const char* op : {"aten::as_strided",
                         "aten::set_",
                         "aten::resize_",
                         "aten::record_stream",
                         "aten::empty",
                         "aten::rand",
                         "aten::dropout",
                         "aten::bernoulli_",
                         "aten::_pin_memory",
                         "aten::save",
                         "aten::_unsafe_index",
                         "aten::sym_size",
                         "aten::squeeze_",
                         "aten::data",
                         "prim::Print",
                         "prim::device",
                         "kbench::lstm",
                         "quantized::linear",
                         "c10d::send_",
                         "relu",
                         "",
                         "::"})
    EXPECT_THAT(said_of(op, "", R"([{"v": "x"}])"), HasSubstr(kUnlisted)) << op;
  EXPECT_THAT(said_of("aten::rellu", "", R"([{"v": "x"}])"), HasSubstr("nearest is aten::relu"));
}

TEST(OperatorCheck, ArgumentsAndResultsAreCounted) {
  EXPECT_EQ(said_of("aten::relu", "", R"([{"v": "x"}])"), kAccepted);
  EXPECT_THAT(said_of("aten::relu", "", "[]"), HasSubstr("0 arguments, but the operator takes 1"));
  EXPECT_THAT(said_of("aten::relu", "", R"([{"v": "x"}, null])"), HasSubstr("2 arguments"));
  EXPECT_THAT(said_of("aten::relu", "", R"([{"v": "x"}])", R"(["a", "c"])"),
              HasSubstr("2 outs, but the operator returns 1"));
  EXPECT_EQ(said_of("aten::unbind", "int", R"([{"v": "x"}, 0])", R"(["a", null, "c"])"), kAccepted);
  EXPECT_THAT(said_of("aten::max", "dim", R"([{"v": "x"}, 0, false])", R"(["a"])"),
              HasSubstr("1 outs, but the operator returns 2"));
}

struct Case {
  const char* op;
  const char* overload;
  const char* args;
  const char* said;  // words for what is allowed instead; kAccepted where it is
};

class Argument : public ::testing::TestWithParam<Case> {};

TEST_P(Argument, IsHeldAgainstItsKind) {
  const Case& one = GetParam();
  EXPECT_THAT(said_of(one.op, one.overload, one.args), HasSubstr(one.said)) << one.args;
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, Argument,
    ::testing::Values(
        Case{"aten::add", "Tensor", R"([{"v": "x"}, {"scalar": 2}, 1])", kAccepted},
        Case{"aten::add", "Tensor", R"([{"scalar": 2}, {"v": "x"}, 1])", "is a scalar; allowed"},
        Case{"aten::add", "Tensor", R"([{"v": "x"}, {"v": "z"}, true])", kAccepted},
        Case{"aten::add", "Tensor", R"([{"v": "x"}, {"v": "z"}, "1"])", "allowed is a number"},
        Case{"aten::linear", "", R"([{"v": "x"}, {"v": "w"}, null])", kAccepted},
        Case{"aten::linear", "", R"([{"v": "x"}, null, null])", "argument 1 is null; allowed is"},
        Case{"aten::cat", "", R"([[{"v": "x"}, {"v": "z"}], 0])", kAccepted},
        Case{"aten::cat", "", R"([[{"v": "x"}, null], 0])", "a list of at most 8192 tensors"},
        Case{"aten::cat", "", R"([[[{"v": "x"}]], 0])", "unknown argument array"},
        Case{"aten::index", "Tensor", R"([{"v": "x"}, [null, {"v": "z"}]])", kAccepted},
        Case{"aten::softmax", "int", R"([{"v": "x"}, -1, null])", kAccepted},
        Case{"aten::softmax", "int", R"([{"v": "x"}, 0.5, null])", "allowed is an integer"},
        Case{"aten::softmax", "int", R"([{"v": "x"}, 1099511627777, null])", "and 2^40"},
        Case{"aten::softmax", "int", R"([{"v": "x"}, 18446744073709551615, null])",
             "larger than an integer"},
        Case{"aten::softmax", "int", R"([{"v": "x"}, 1, {"dtype": "real"}])", kAccepted},
        Case{"aten::softmax", "int", R"([{"v": "x"}, 1, {"dtype": "qint8"}])", "or bool or null"},
        Case{"aten::slice", "Tensor", R"([{"v": "x"}, 0, 1, 9223372036854775807, 1])", kAccepted},
        Case{"aten::reshape", "", R"([{"v": "x"}, [2, -1]])", kAccepted},
        Case{"aten::reshape", "", R"([{"v": "x"}, [1048576, 1048577]])", "2^40 elements in all"},
        Case{"aten::reshape", "", R"([{"v": "x"}, [2, -2]])", "12 extents"},
        Case{"aten::reshape", "", R"([{"v": "x"}, [1,1,1,1,1,1,1,1,1,1,1,1,1]])", "12 extents"},
        Case{"aten::gelu", "", R"([{"v": "x"}, "tanh"])", kAccepted},
        Case{"aten::gelu", "", R"([{"v": "x"}, "fast"])", "allowed is \"none\" or \"tanh\""},
        Case{"aten::pad", "", R"([{"v": "x"}, [1, 1], "reflect", null])", kAccepted},
        Case{"aten::pad", "", R"([{"v": "x"}, [1, 1], "edge", null])", "\"replicate\""},
        Case{"aten::div", "Tensor_mode", R"([{"v": "x"}, {"v": "z"}, null])", kAccepted},
        Case{"aten::div", "Tensor_mode", R"([{"v": "x"}, {"v": "z"}, "ceil"])", "\"floor\""},
        Case{"aten::hardtanh", "", R"([{"v": "x"}, {"float": "-inf"}, 1])", kAccepted},
        Case{"aten::contiguous", "", R"([{"v": "x"}, {"memory_format": "channels_last"}])",
             kAccepted},
        Case{"aten::contiguous", "", R"([{"v": "x"}, {"memory_format": "odd"}])", "preserve"},
        Case{"aten::scaled_dot_product_attention", "",
             R"([{"v": "x"}, {"v": "x"}, {"v": "x"}, null, 0.0, true, null, false])", kAccepted},
        Case{"aten::scaled_dot_product_attention", "",
             R"([{"v": "x"}, {"v": "x"}, {"v": "x"}, null, 0.5, true, null, false])",
             "allowed is 0.0"}));

INSTANTIATE_TEST_SUITE_P(
    Creation, Argument,
    ::testing::Values(
        Case{"aten::zeros", "",
             R"([[4, 4], {"dtype": "real"}, {"layout": "strided"}, {"device": true}, false])",
             kAccepted},
        Case{"aten::zeros", "", R"([[4], null, {"layout": "sparse"}, null, null])", "strided"},
        Case{"aten::zeros", "", R"([[4], null, null, "cuda:7", null])", "{\"device\": true}"},
        Case{"aten::zeros", "", R"([[4], null, null, null, true])", "allowed is false or null"},
        Case{"aten::zeros", "", R"([[1099511627776, 2], null, null, null, null])", "2^40 elements"},
        Case{"aten::eye", "m", R"([1048576, 1048576, null, null, null, null])", kAccepted},
        Case{"aten::eye", "m", R"([1048576, 1048577, null, null, null, null])",
             "extent of at most 2^40"},
        Case{"aten::eye", "", R"([-1, null, null, null, null])", "extent of at most 2^40"},
        Case{"aten::arange", "", R"([100, null, null, {"device": true}, null])", kAccepted},
        Case{"aten::arange", "start_step", R"([0, 100, 1e-30, null, null, null, null])",
             "a number between"},
        Case{"aten::arange", "start_step", R"([0, 1, 0, null, null, null, null])",
             "a number between"},
        Case{"aten::arange", "", R"([{"float": "nan"}, null, null, null, null])",
             "a number between"}));

INSTANTIATE_TEST_SUITE_P(
    Statistics, Argument,
    ::testing::Values(Case{"aten::batch_norm", "",
                           R"([{"v": "x"}, null, null, null, null, true, 0.1, 1e-5, true])",
                           kAccepted},
                      Case{"aten::batch_norm", "",
                           R"([{"v": "x"}, null, null, {"v": "w"}, {"v": "b"}, false, 0.1, 1e-5,
                               true])",
                           kAccepted},
                      Case{"aten::batch_norm", "",
                           R"([{"v": "x"}, null, null, {"v": "w"}, {"v": "b"}, true, 0.1, 1e-5,
                               true])",
                           "which training would write"},
                      Case{"aten::instance_norm", "",
                           R"([{"v": "x"}, null, null, null, {"v": "b"}, true, 0.1, 1e-5, true])",
                           "which training would write"}));

TEST(OperatorCheck, EinsumsEquationHasAGrammar) {
  for (const char* good : {"ij,jk->ik", "ij,jk", " b i d , b j d -> b i j ", "...ij,...jk->...ik",
                           "ii,jj->", "aA,Ab->b"})
    EXPECT_TRUE(is_equation(good, 2)) << good;
  for (const char* bad :
       {"ij->ij", "ij,jk,kl->il", "ij,jk->iz", "ij,jk->ii", "ij,jk->i->k", "ij,jk->i,k", "",
        "ij;import os,jk->ik", "ij,j\"k->ik", "ij,jk->ik\n", "....ij,jk->ik", "..ij,jk->ik",
        "abcdefghijklm,m->a", "__,jk->k", "i1,jk->k", "->"})
    EXPECT_FALSE(is_equation(bad, 2)) << bad;
  EXPECT_FALSE(is_equation(std::string(201, ' ') + "i,j->i", 2));
  EXPECT_FALSE(is_equation("", 0));
  EXPECT_EQ(said_of("aten::einsum", "", R"(["ij,jk->ik", [{"v": "x"}, {"v": "w"}], null])"),
            kAccepted);
  // Where opt_einsum is installed, exported graphs hold the order in which it contracts.
  EXPECT_EQ(said_of("aten::einsum", "", R"(["ij,jk->ik", [{"v": "x"}, {"v": "w"}], [0, 1]])"),
            kAccepted);
  EXPECT_THAT(said_of("aten::einsum", "", R"(["ij->ji", [{"v": "x"}, {"v": "w"}], null])"),
              HasSubstr("a term for each tensor"));
  EXPECT_THAT(
      said_of("aten::einsum", "", R"(["i'+__import__('os').system('id')+'", [{"v": "x"}], null])"),
      HasSubstr("a term for each tensor"));
}

const char* const kAddInPlace = R"([{"v": "a"}, {"v": "z"}, 1])";

// The nodes make "a"; whether it may then be written.
std::string written_after(std::vector<Json> nodes) {
  nodes.push_back(node("aten::add_", "Tensor", kAddInPlace));
  return said_of(nodes);
}

TEST(OperatorCheck, MemoryThatTheGraphMadeMayBeWritten) {
  EXPECT_EQ(written_after({node("aten::relu", "", R"([{"v": "x"}])", R"(["a"])")}), kAccepted);
  EXPECT_EQ(written_after({node("aten::clone", "", R"([{"v": "w"}, null])", R"(["a"])")}),
            kAccepted);
  EXPECT_EQ(written_after({node("aten::clone", "", R"([{"v": "w"}, null])", R"(["c"])"),
                           node("aten::select", "int", R"([{"v": "c"}, 0, 0])", R"(["a"])")}),
            kAccepted);
  EXPECT_EQ(written_after({node("aten::relu", "", R"([{"v": "x"}])", R"(["c"])"),
                           node("aten::relu_", "", R"([{"v": "c"}])", R"(["a"])")}),
            kAccepted);
}

TEST(OperatorCheck, MemoryOfInputsAndParametersIsNotWritten) {
  EXPECT_THAT(said_of("aten::relu_", "", R"([{"v": "x"}])"),
              AllOf(HasSubstr("argument 0 is written"), HasSubstr(kForeignMemory),
                    HasSubstr("aten::clone")));
  EXPECT_THAT(said_of("aten::copy_", "", R"([{"v": "w"}, {"v": "x"}, false])"),
              HasSubstr(kForeignMemory));
  EXPECT_THAT(said_of("aten::zero_", "", R"([{"scalar": 1}])"), HasSubstr("is a scalar"));
}

TEST(OperatorCheck, NorIsWhatMayLieInIt) {
  const std::vector<Json> views = {
      node("aten::select", "int", R"([{"v": "w"}, 0, 0])", R"(["a"])"),
      node("aten::reshape", "", R"([{"v": "x"}, [-1]])", R"(["a"])"),
      node("aten::contiguous", "", R"([{"v": "x"}, {"memory_format": "contiguous"}])", R"(["a"])"),
      node("aten::to", "dtype", R"([{"v": "x"}, {"dtype": "real"}, false, false, null])",
           R"(["a"])"),
      node("aten::expand", "", R"([{"v": "b"}, [4, 4], false])", R"(["a"])"),
      node("aten::type_as", "", R"([{"v": "x"}, {"v": "z"}])", R"(["a"])"),
      node("aten::einsum", "", R"(["ij->ji", [{"v": "w"}], null])", R"(["a"])"),
      node("aten::broadcast_tensors", "", R"([[{"v": "x"}, {"v": "w"}]])", R"([null, "a"])"),
      node("aten::split", "Tensor", R"([{"v": "w"}, 1, 0])", R"(["c", "a"])"),
      node("aten::atleast_2d", "", R"([{"v": "w"}])", R"(["a"])")};
  for (const Json& view : views)
    EXPECT_THAT(written_after({view}), HasSubstr(kForeignMemory)) << view;
  // A view of a view.
  EXPECT_THAT(written_after({node("aten::t", "", R"([{"v": "w"}])", R"(["c"])"),
                             node("aten::detach", "", R"([{"v": "c"}])", R"(["a"])")}),
              HasSubstr(kForeignMemory));
}

TEST(OperatorCheck, ShippedTasksMayAllRun) {
  const auto entries = list_tasks(kbench::test::kSuites);
  ASSERT_TRUE(entries);
  std::size_t nodes = 0;
  for (const TaskEntry& entry : *entries) {
    for (const std::string& size : sizes_of(entry)) {
      const auto graph = load_graph(entry.file, size);
      EXPECT_TRUE(graph) << graph.error().message;
      if (graph) nodes += graph->nodes.size();
    }
  }
  EXPECT_EQ(entries->size(), 250u);
  EXPECT_GT(nodes, 5000u);
}

// --- whatever is in it, a graph is refused or accepted ---

class Hostile {
 public:
  explicit Hostile(std::uint32_t seed) : random_(seed), names_(OperatorTable::known().names()) {}

  Json graph() {
    Json nodes = Json::array();
    values_ = {"x", "z", "w", "b"};
    for (std::size_t i = 0, count = below(6); i < count; ++i) nodes.push_back(node(i));
    return size_of(std::move(nodes), values_[below(values_.size())].c_str());
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }
  bool once_in(std::size_t times) { return below(times) == 0; }

  Json value() { return {{"v", once_in(30) ? "ghost" : values_[below(values_.size())]}}; }

  Json anything() {
    static const std::vector<Json> kThings = {nullptr,
                                              true,
                                              false,
                                              0,
                                              -1,
                                              7,
                                              INT64_MAX,
                                              INT64_MIN,
                                              UINT64_MAX,
                                              0.0,
                                              1e308,
                                              "none",
                                              "/etc/passwd",
                                              "\x1b[31m\n*/",
                                              "ij,jk->ik",
                                              std::string(100'000, 'a'),
                                              "\xff\xfe",
                                              Json::array(),
                                              Json::object(),
                                              Json::array({1, 2, 3}),
                                              Json::array({Json::array({Json::array()})}),
                                              Json(std::vector<int>(10'000, 1)),
                                              {{"scalar", 1.5}},
                                              {{"scalar", "x"}},
                                              {{"float", "nan"}},
                                              {{"float", Json::array()}},
                                              {{"dtype", "real"}},
                                              {{"dtype", "__class__"}},
                                              {{"device", true}},
                                              {{"device", "cuda:99"}},
                                              {{"layout", "strided"}},
                                              {{"memory_format", "preserve"}},
                                              {{"weird", 1}},
                                              {{"v", Json::object()}},
                                              {{"a", 1}, {"b", 2}}};
    return once_in(3) ? value() : kThings[below(kThings.size())];
  }

  Json fitting(const ArgRule& rule) {
    if (rule.optional && once_in(3)) return nullptr;
    switch (rule.kind) {
      case ArgKind::kTensor:
      case ArgKind::kWritten:
      case ArgKind::kTensorOrNumber: return value();
      case ArgKind::kTensors:
      case ArgKind::kTensorsOrNulls: return Json::array({value(), value()});
      case ArgKind::kInts:
      case ArgKind::kFloats:
      case ArgKind::kShape: return Json::array({1, 2});
      case ArgKind::kBool:
      case ArgKind::kTraining: return once_in(2);
      case ArgKind::kDType: return {{"dtype", "real"}};
      case ArgKind::kDevice: return {{"device", true}};
      case ArgKind::kLayout: return {{"layout", "strided"}};
      case ArgKind::kMemoryFormat: return {{"memory_format", "contiguous"}};
      case ArgKind::kOff:
      case ArgKind::kNull:
      case ArgKind::kStatistics: return nullptr;
      case ArgKind::kZero: return 0.0;
      case ArgKind::kWord: return rule.words[below(rule.words.size())];
      case ArgKind::kEquation: return "ij,jk->ik";
      case ArgKind::kInt:
      case ArgKind::kIndex:
      case ArgKind::kCount:
      case ArgKind::kRange:
      case ArgKind::kFloat:
      case ArgKind::kNumber: return 1;
    }
    return nullptr;
  }

  Json node(std::size_t number) {
    static constexpr std::array kForeign{"aten::from_file", "aten::as_strided", "aten::set_",
                                         "prim::Print",     "\x1b]0;x\x07::",   "aten::relu.out"};
    const std::string name = once_in(2) ? names_[below(names_.size())] : kForeign[below(6)];
    const OperatorRule* rule = OperatorTable::known().find(name);
    Json args = Json::array();
    Json outs = Json::array();
    const bool hostile = once_in(2);
    if (rule != nullptr) {
      for (const ArgRule& arg : rule->args)
        args.push_back(hostile && once_in(4) ? anything() : fitting(arg));
      for (std::size_t i = 0; i < rule->results.size(); ++i)
        outs.push_back(fmt::format("v{}_{}", number, i));
    }
    if (rule == nullptr || (hostile && once_in(4))) args.push_back(anything());
    for (const Json& out : outs) values_.push_back(out);
    if (hostile && once_in(8)) outs.push_back(anything());
    const std::size_t dot = name.find('.');
    return {{"op", name.substr(0, dot)},
            {"overload", dot == name.npos ? "" : name.substr(dot + 1)},
            {"args", std::move(args)},
            {"outs", std::move(outs)}};
  }

  std::mt19937 random_;
  std::vector<std::string> names_;
  std::vector<std::string> values_;
};

// Checks anew what an accepted graph holds.
void expect_harmless(const Graph& graph) {
  for (const GraphNode& node : graph.nodes) {
    const OperatorRule* rule = OperatorTable::known().find(node.full_name());
    ASSERT_NE(rule, nullptr) << node.full_name();
    ASSERT_EQ(node.args.size(), rule->args.size());
    for (std::size_t i = 0; i < node.args.size(); ++i) {
      if (rule->args[i].kind != ArgKind::kWritten) continue;
      const auto& written = std::get<GraphValue>(node.args[i].value);
      EXPECT_GE(written.index, graph.inputs + graph.parameters) << node.full_name();
    }
  }
}

TEST(OperatorCheck, TenThousandHostileGraphsAreRefusedOrHarmless) {
  Hostile hostile(20261127);
  std::size_t accepted = 0;
  for (int i = 0; i < 10'000; ++i) {
    const Json size = hostile.graph();
    const auto graph = parse_size_graph(size);
    if (!graph) {
      EXPECT_EQ(graph.error().code, ErrorCode::kBadInput);
      EXPECT_LT(graph.error().message.size(), 2000u);
      for (const char c : graph.error().message)
        EXPECT_FALSE(static_cast<unsigned char>(c) < 0x20) << graph.error().message;
      continue;
    }
    ++accepted;
    expect_harmless(*graph);
  }
  EXPECT_GT(accepted, 1000u);  // the other half is reached as well
  EXPECT_LT(accepted, 9000u);
}

TEST(OperatorCheck, DeepNestingIsRefusedWithoutDescending) {
  const std::string nested = std::string(200'000, '[') + std::string(200'000, ']');
  // A copy of such JSON would descend, so it is only parsed.
  const auto said_of_node = [](const std::string& op, const std::string& args) {
    const Json size = Json::parse(R"({"inputs": [{"name": "x"}], "parameters": [], "outputs": [],
        "nodes": [{"op": )" + op + R"(, "overload": "", "outs": [], "args": )" +
                                  args + "}]}");
    const auto graph = parse_size_graph(size);
    return graph ? "accepted" : graph.error().message;
  };
  EXPECT_THAT(said_of_node("\"aten::relu\"", nested), HasSubstr("unknown argument array"));
  EXPECT_THAT(said_of_node(nested, "[]"), HasSubstr("(array): op is not a string: array"));
}

TEST(OperatorCheck, NamesOfValuesAreIdentifiers) {
  for (const char* name : {"a-b", "", "a b", "y\n", "é", "1a", "\x1b[2J", "a;b", "\"", "*/"}) {
    const Json nodes = Json::array({{{"op", "aten::relu"},
                                     {"overload", ""},
                                     {"args", {{{"v", "x"}}}},
                                     {"outs", Json::array({name})}}});
    EXPECT_THAT(said_of(nodes), HasSubstr("is no name")) << name;
  }
}

}  // namespace
}  // namespace kbench
