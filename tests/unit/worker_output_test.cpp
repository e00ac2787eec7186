#include "runner/measure/players/worker_output.hpp"

#include <unistd.h>

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbench {
namespace {

void print(const WorkerOutput& output, const std::string& text) {
  ASSERT_EQ(::write(output.write_end(), text.data(), text.size()),
            static_cast<ssize_t>(text.size()));
}

TEST(WorkerOutput, TellsTheLastLines) {
  auto output = WorkerOutput::make();
  ASSERT_TRUE(output.ok());
  EXPECT_EQ(output->last_lines(), "");
  print(*output, "one\ntwo\n");
  EXPECT_EQ(output->last_lines(), "one\ntwo");
  std::string many;
  for (int line = 1; line <= 100; ++line) many += std::to_string(line) + "\n";
  print(*output, many);
  EXPECT_THAT(output->last_lines(), ::testing::StartsWith("81\n82\n"));
  EXPECT_EQ(output->last_lines(), "") << "it has been told";
}

TEST(WorkerOutput, NobodyWaitsForAReader) {
  auto output = WorkerOutput::make();
  ASSERT_TRUE(output.ok());
  const std::string part(4096, 'x');
  int parts = 0;
  while (::write(output->write_end(), part.data(), part.size()) > 0) ++parts;
  EXPECT_EQ(errno, EAGAIN);
  EXPECT_EQ(parts, 16);
  EXPECT_EQ(output->last_lines(), std::string(2000, 'x'));
}

TEST(WorkerOutput, NothingInItSteersAReader) {
  auto output = WorkerOutput::make();
  ASSERT_TRUE(output.ok());
  print(*output, std::string("\x1b[2J\xe2\x80\xae") + '\0' + "\xff<b>");
  EXPECT_EQ(output->last_lines(), "\\x1B[2J\\xE2\\x80\\xAE\\x00\\xFF<b>");
}

}  // namespace
}  // namespace kbench
