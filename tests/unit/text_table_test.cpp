#include "reports/formats/text_table.hpp"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/facts/sanitize.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<Column> columns() {
  return {
      {.heading = "Task", .cells = {{"level1/019_relu"}, {"x"}}},
      {.heading = "Note", .cells = {{"a long remark that nobody needs"}, {""}}, .importance = 1},
      {.heading = "Time", .kind = Column::Kind::kNumber, .cells = {{"1.25"}, {"10.50"}}},
      {.heading = "State", .cells = {{"ok", Tone::kGood}, {"ok"}}, .importance = 2}};
}

std::size_t widest_line(const std::string& table) {
  std::istringstream lines(table);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, display_width(line));
  return widest;
}

TEST(TextTable, IsAligned) {
  auto two = columns();
  two.erase(two.begin() + 1);
  EXPECT_EQ(render_table(two, {}),
            "Task              Time  State\n"
            "───────────────  ─────  ─────\n"
            "level1/019_relu   1.25  ok\n"
            "x                10.50  ok\n");
  EXPECT_THAT(render_table(two, {.colour = true}), HasSubstr("\x1b[32mok   \x1b[0m"));
}

TEST(TextTable, ColumnsFallAwayByImportance) {
  EXPECT_THAT(render_table(columns(), {.columns = 80}), HasSubstr("remark"));
  const std::string narrower = render_table(columns(), {.columns = 40});
  EXPECT_THAT(narrower, Not(HasSubstr("Note")));
  EXPECT_THAT(narrower, HasSubstr("State"));
  const std::string narrow = render_table(columns(), {.columns = 24});
  EXPECT_THAT(narrow, Not(HasSubstr("State")));
  EXPECT_THAT(narrow, HasSubstr("10.50"));
}

TEST(TextTable, WhatStaysIsCutOnTheLeftAlignedSide) {
  const std::string cut = render_table(columns(), {.columns = 18});
  EXPECT_EQ(widest_line(cut), 18u);
  EXPECT_THAT(cut, HasSubstr("level1/019…  "));
  EXPECT_THAT(cut, HasSubstr("10.50")) << "a number is whole or not there";
}

TEST(TextTable, ARowTakesSeveralLinesWhereCutsAreNotEnough) {
  EXPECT_EQ(render_table(columns(), {.columns = 14}),
            "Task\n"
            "   Time\n"
            "───────────────\n"
            "level1/019_relu\n"
            "   1.25\n"
            "x\n"
            "  10.50\n");
}

TEST(TextTable, WhatAllCellsBeginWithGoesBeforeAnythingIsCut) {
  std::vector<Column> two = {
      {.heading = "Task", .cells = {{"level1/019_relu"}, {"level1/020_leaky_relu"}}, .spare = 7},
      {.heading = "Time", .kind = Column::Kind::kNumber, .cells = {{"1.25"}, {"10.50"}}}};
  EXPECT_THAT(render_table(two, {.columns = 40}), HasSubstr("level1/020_leaky_relu  "));
  EXPECT_EQ(render_table(two, {.columns = 21}),
            "Task             Time\n"
            "──────────────  ─────\n"
            "019_relu         1.25\n"
            "020_leaky_relu  10.50\n");
  EXPECT_THAT(render_table(two, {.columns = 15}), HasSubstr("020_lea…  10.50"));
}

// The long name is whole, its own row loses what stands behind it, and other rows lose nothing.
TEST(TextTable, ACellThatFlowsTakesTheRoomBehindIt) {
  std::vector<Column> two = {
      {.heading = "Task", .cells = {{"level1/019_relu"}, {std::string(30, 'x')}}, .flows = true},
      {.heading = "Title", .cells = {{"a title"}, {"another title"}}}};
  EXPECT_EQ(render_table(two, {.columns = 40}),
            "Task                  Title\n"
            "────────────────────  ─────────────\n"
            "level1/019_relu       a title\n"
            "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx  another…\n");
  EXPECT_EQ(widest_line(render_table(two, {.columns = 20})), 20u);
  two.back().cells.back().tone = Tone::kBad;
  EXPECT_THAT(render_table(two, {.colour = true, .columns = 40}),
              HasSubstr("x  \x1b[31manother…\x1b[0m\n"))
      << "no colour reaches beyond the terminal";
  EXPECT_THAT(render_table(two, {}), HasSubstr("level1/019_relu                 a title\n"))
      << "without a terminal all is aligned";
}

TEST(TextTable, NoColumnsAndNoRowsAreNoProblem) {
  EXPECT_EQ(render_table({}, {}), "\n\n");
  EXPECT_EQ(render_table({{.heading = "Task"}}, {.columns = 2}), "Task\n────\n");
}

}  // namespace
}  // namespace kbench
