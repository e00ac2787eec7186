#include "runner/backend/philox.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kbench {
namespace {

using testing::ElementsAre;

// Known answers for philox4x32 with ten rounds, as published with Salmon et al. (SC 2011) in the
// Random123 distribution, file kat_vectors.
TEST(Philox, GivesThePublishedAnswers) {
  EXPECT_THAT(philox4x32(0, 0, 0, 0, 0, 0).lane,
              ElementsAre(0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u));
  EXPECT_THAT(
      philox4x32(0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff).lane,
      ElementsAre(0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu));
  EXPECT_THAT(
      philox4x32(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0).lane,
      ElementsAre(0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u));
}

TEST(Philox, PutsEveryBitOfKeyTensorAndBlockIntoTheCounter) {
  const PhiloxStream stream = PhiloxStream::of(0x1111111122222222, 0x3333333344444444);
  EXPECT_THAT(stream.block(0x5555555566666666).lane,
              testing::ElementsAreArray(philox4x32(0x66666666, 0x55555555, 0x44444444,
                                                   0x33333333 ^ PhiloxStream::kTensorValues,
                                                   0x22222222, 0x11111111)
                                            .lane));
}

}  // namespace
}  // namespace kbench
