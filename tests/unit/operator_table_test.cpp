#include "runner/task/operator_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/task/operator_list.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Optional;

std::string problem(const char* text) {
  const auto table = OperatorTable::parse(text);
  return table ? "read" : table.error().message;
}

TEST(OperatorTable, TheListCanBeRead) {
  const auto table = OperatorTable::parse(kOperatorList);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->size(), OperatorTable::known().size());
  EXPECT_GT(table->size(), 600u);
}

TEST(OperatorTable, NamesAreThoseOfTheDispatcher) {
  const OperatorTable& table = OperatorTable::known();
  ASSERT_NE(table.find("aten::relu"), nullptr);
  ASSERT_NE(table.find("aten::add_.Tensor"), nullptr);
  EXPECT_EQ(table.find("relu"), nullptr);
  EXPECT_EQ(table.find("aten::relu."), nullptr);
  EXPECT_THAT(table.nearest_to("aten::rellu"), Optional(std::string("aten::relu")));
}

TEST(OperatorTable, ALineSaysWhatEachArgumentMayBe) {
  const auto table = OperatorTable::parse("# f\nf.o  T! \"a\"|\"b\"? int? -> T! &T\n");
  ASSERT_TRUE(table) << table.error().message;
  const OperatorRule* rule = table->find("aten::f.o");
  ASSERT_NE(rule, nullptr);
  ASSERT_EQ(rule->args.size(), 3u);
  EXPECT_EQ(describe(rule->args[0]), "a tensor that this graph made");
  EXPECT_EQ(describe(rule->args[1]), "\"a\" or \"b\" or null");
  EXPECT_EQ(describe(rule->args[2]), "an integer between -2^40 and 2^40 or null");
  ASSERT_EQ(rule->results.size(), 2u);
  EXPECT_EQ(rule->results[0].memory, ResultRule::Memory::kWritten);
  EXPECT_EQ(rule->results[1].memory, ResultRule::Memory::kShared);
}

TEST(OperatorTable, ALineThatMeansNothingIsNamed) {
  EXPECT_THAT(problem("f T -> T\nf T -> T"), HasSubstr("f T -> T: it is listed twice"));
  EXPECT_THAT(problem("f Tensor -> T"), HasSubstr("Tensor means nothing"));
  EXPECT_THAT(problem("f T -> int"), HasSubstr("no result is int"));
  EXPECT_THAT(problem("f T"), HasSubstr("no name, or no ->"));
  EXPECT_THAT(problem("f T ->"), HasSubstr("no result"));
  EXPECT_THAT(problem("f \"a -> T"), HasSubstr("\"a is no string"));
}

}  // namespace
}  // namespace kbench
