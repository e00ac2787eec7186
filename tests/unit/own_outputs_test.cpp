#include "runner/measure/players/own_outputs.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <numeric>

#include <gtest/gtest.h>

namespace kbench {
namespace {

constexpr std::uint64_t kBytes = 1 << 20;
constexpr std::uint64_t kBase = 512;

UniqueFd arena(bool sealed = true) {
  UniqueFd file(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  EXPECT_EQ(::ftruncate(file.get(), kBytes), 0);
  if (sealed) {
    EXPECT_EQ(::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
  }
  return file;
}

// A process with a tensor in memory of its own: a thousand numbers from 0 on, and behind that
// memory some that nobody may read. The test has the same memory at the same address, but for what
// it changes.
class OwnOutputsTest : public testing::Test {
 protected:
  OwnOutputsTest() {
    std::iota(numbers_, numbers_ + 1000, 0.0F);
    EXPECT_EQ(::mprotect(reinterpret_cast<std::byte*>(numbers_) + kBytes, kBytes, PROT_NONE), 0);
    arenas_.inputs = arena();
    arenas_.params = arena();
    arenas_.outputs = arena();
    input_ = ::mmap(nullptr, kBytes, PROT_READ, MAP_SHARED, arenas_.inputs.get(), 0);
    judged_ = static_cast<const std::byte*>(
        ::mmap(nullptr, kBytes, PROT_READ, MAP_SHARED, arenas_.outputs.get(), 0));
    start_child();
  }
  ~OwnOutputsTest() override {
    end_child();
    ::munmap(numbers_, 2 * kBytes);
    ::munmap(shared_, kBytes);
    ::munmap(of_a_file_, kBytes);
    ::munmap(input_, kBytes);
    ::munmap(const_cast<std::byte*>(judged_), kBytes);
  }

  void start_child() {
    child_ = ::fork();
    if (child_ == 0)
      for (;;) ::pause();
  }
  void end_child() const {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  // Starts the child anew, with what the test has mapped by now.
  void restart_child() {
    end_child();
    start_child();
  }

  OwnOutputs outputs_of(TaskSize& size) {
    size.outputs_may_share.resize(size.outputs.size(), may_share_);
    auto own = OwnOutputs::of(arenas_, {.arena_bytes = {kBytes, kBytes, kBytes}}, size);
    EXPECT_TRUE(own);
    return std::move(*own);
  }
  ToldPlaces told(const void* address, std::vector<std::int64_t> strides) const {
    ToldPlaces places{};
    places[0] = {.home = OutputHome::kOwn, .address = reinterpret_cast<std::uint64_t>(address)};
    std::copy(strides.begin(), strides.end(), places[0].strides.begin());
    return places;
  }
  Result<OutputPlaces> taken(OwnOutputs& own, const ToldPlaces& places, bool copies = false) {
    own.note(places, memory());
    return own.take(child_, memory(), kBase, copies);
  }
  std::string refused(const ToldPlaces& places) {
    TaskSize size{.outputs = {{.name = "y", .shape = {4}}}};
    OwnOutputs own = outputs_of(size);
    const auto result = taken(own, places);
    EXPECT_FALSE(result);
    if (result) return "";
    EXPECT_EQ(result.error().code, ErrorCode::kSubmission);
    return result.error().message;
  }
  std::vector<float> judged(std::size_t count) const {
    std::vector<float> values(count);
    std::memcpy(values.data(), judged_ + kBase, count * sizeof(float));
    return values;
  }
  [[nodiscard]] ForeignMemory memory() const { return ForeignMemory(child_); }

  float* numbers_ = static_cast<float*>(
      ::mmap(nullptr, 2 * kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  // Shared memory without a name, and a file's memory, whose pages others may map as well.
  void* shared_ =
      ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  UniqueFd file_ = arena(/*sealed=*/false);
  void* of_a_file_ = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, file_.get(), 0);
  SeatArenas arenas_;
  void* input_ = nullptr;
  const std::byte* judged_ = nullptr;
  pid_t child_ = -1;
  bool may_share_ = false;
};

TEST_F(OwnOutputsTest, AProcessOfOursIsOpen) { EXPECT_TRUE(memory().is_open()); }

TEST_F(OwnOutputsTest, WhatLiesInARowIsReadAsItLies) {
  TaskSize size{.outputs = {{.name = "y", .shape = {2, 3}}}};
  OwnOutputs own = outputs_of(size);
  const auto places = taken(own, told(numbers_ + 10, {1, 2}));
  ASSERT_TRUE(places) << places.error().message;
  EXPECT_EQ(judged(6), (std::vector<float>{10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(outermost_first(places->orders.at(0), 2), (std::vector<std::int64_t>{1, 0}));
  EXPECT_FALSE(own.copied());
}

TEST_F(OwnOutputsTest, WhatHasGapsIsPutInOrder) {
  TaskSize size{.outputs = {{.name = "y", .shape = {2, 3}}}};
  OwnOutputs own = outputs_of(size);
  const auto places = taken(own, told(numbers_ + 10, {1, 100}));
  ASSERT_TRUE(places) << places.error().message;
  EXPECT_EQ(judged(6), (std::vector<float>{10, 110, 210, 11, 111, 211}));
  EXPECT_EQ(places->orders.at(0), 0U);
}

TEST_F(OwnOutputsTest, MoreThanASystemCallReadsIsReadInParts) {
  std::vector<MemoryPiece> pieces;
  for (std::uint64_t i = 0; i < 900; ++i)
    pieces.push_back({reinterpret_cast<std::uint64_t>(numbers_ + (i * 7) % 1000), sizeof(float)});
  std::vector<float> got(900);
  ASSERT_TRUE(memory().read(pieces, reinterpret_cast<std::byte*>(got.data())));
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_EQ(got[i], static_cast<float>((i * 7) % 1000));
}

TEST_F(OwnOutputsTest, WhereNothingCanBeReadThereIsNoOutput) {
  EXPECT_NE(refused(told(nullptr, {1})).find("nothing that can be read"), std::string::npos);
  EXPECT_NE(refused(told(reinterpret_cast<std::byte*>(numbers_) + kBytes - 8, {1})), "");
}

TEST_F(OwnOutputsTest, MemoryOfTheOraclesIsNoOutputUnlessEagersMayLieThere) {
  EXPECT_NE(refused(told(input_, {1})).find("memory of kbench's own"), std::string::npos);
  EXPECT_NE(refused(told(judged_ + kBase, {1})).find("memory of kbench's own"), std::string::npos);
  may_share_ = true;
  TaskSize size{.outputs = {{.name = "y", .shape = {4}}}};
  OwnOutputs own = outputs_of(size);
  EXPECT_TRUE(taken(own, told(input_, {1})));
}

// A block that is written once and mapped twice would be an output of two equal blocks.
TEST_F(OwnOutputsTest, APageStandsInAnOutputOnce) {
  auto* const twice = static_cast<std::byte*>(shared_);
  ::munmap(twice + kBytes / 2, kBytes / 2);
  ::mmap(twice, kBytes / 2, PROT_READ, MAP_SHARED | MAP_FIXED, file_.get(), 0);
  ::mmap(twice + kBytes / 2, kBytes / 2, PROT_READ, MAP_SHARED | MAP_FIXED, file_.get(), 0);
  restart_child();
  const auto at_the_seam = told(twice + kBytes / 2 - 8, {1});
  TaskSize size{.outputs = {{.name = "y", .shape = {4}}}};
  OwnOutputs own = outputs_of(size);
  EXPECT_TRUE(taken(own, at_the_seam)) << "the last bytes and the first are not the same";
  size.outputs = {{.name = "y", .shape = {kBytes / 4}}};
  OwnOutputs whole = outputs_of(size);
  const auto refused = taken(whole, told(twice, {1}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "a page of a mapped file or of shared memory stands in output y more than once");
}

TEST_F(OwnOutputsTest, TwoOutputsShareNoPageOfAFile) {
  TaskSize size{.outputs = {{.name = "y", .shape = {4}}, {.name = "z", .shape = {4}}}};
  void* const again = ::mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE, file_.get(), 0);
  restart_child();
  ToldPlaces places = told(of_a_file_, {1});
  places[1] = told(again, {1})[0];
  OwnOutputs own = outputs_of(size);
  const auto together = taken(own, places);
  ASSERT_FALSE(together);
  EXPECT_NE(together.error().message.find("as another"), std::string::npos);
  places[1].address += 16;
  EXPECT_TRUE(taken(own, places)) << "other bytes of that page";
  ::munmap(again, kBytes);
}

TEST_F(OwnOutputsTest, SharedMemoryAndAFilesAreMemoryAsAnyOther) {
  TaskSize size{.outputs = {{.name = "y", .shape = {4}}}};
  OwnOutputs own = outputs_of(size);
  EXPECT_TRUE(taken(own, told(shared_, {1})));
  EXPECT_TRUE(taken(own, told(of_a_file_, {1})));
}

TEST_F(OwnOutputsTest, WhoSaysThatItCopiedWasToldTo) {
  EXPECT_NE(refused(ToldPlaces{}).find("does not lie in memory of the submission's"),
            std::string::npos);
  TaskSize size{.outputs = {{.name = "y", .shape = {4}}}};
  OwnOutputs own = outputs_of(size);
  EXPECT_TRUE(taken(own, ToldPlaces{}, true));
  EXPECT_TRUE(own.copied());
}

TEST_F(OwnOutputsTest, TwoOutputsLieApart) {
  TaskSize size{.outputs = {{.name = "y", .shape = {4}}, {.name = "z", .shape = {4}}}};
  ToldPlaces places = told(numbers_, {1});
  places[1] = places[0];
  OwnOutputs own = outputs_of(size);
  const auto together = taken(own, places);
  ASSERT_FALSE(together);
  EXPECT_EQ(together.error().message, "the outputs y and z lie in the same memory");
  places[1].address += 16;
  EXPECT_TRUE(taken(own, places));
}

TEST_F(OwnOutputsTest, WhatChangesAfterItWasDoneIsSeen) {
  TaskSize size{.outputs = {{.name = "y", .shape = {4}}}};
  auto* shared = static_cast<float*>(
      ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, arena(false).get(), 0));
  const pid_t writer = ::fork();
  if (writer == 0)
    for (;;) ::pause();
  OwnOutputs own = outputs_of(size);
  own.note(told(shared, {1}), ForeignMemory(writer));
  EXPECT_FALSE(own.changed(ForeignMemory(writer)));
  shared[3] = 7;
  EXPECT_TRUE(own.changed(ForeignMemory(writer)));
  ::kill(writer, SIGKILL);
  ::waitpid(writer, nullptr, 0);
  ::munmap(shared, kBytes);
}

}  // namespace
}  // namespace kbench
