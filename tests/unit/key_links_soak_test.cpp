#include <gtest/gtest.h>

#include "tests/unit/key_race.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace kbench::test {
namespace {

TEST(KeyLinksSoak, OfSixtyFourProcessesOneWinsEachOfAThousandKeys) {
  const TemporaryFolder folder;
  expect_one_winner(folder / "race", 64, 1000);
}

}  // namespace
}  // namespace kbench::test
