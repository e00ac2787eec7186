#include "runner/oracle/loaded_task.hpp"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/paths.hpp"

namespace kbench {
namespace {

constexpr std::uint64_t kBase = 4096;  // bytes in front of each input and output

// A small relu on the CPU, whose submission's calls the test makes itself.
class LoadedTaskTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto backend = make_cpu_backend(1);
    ASSERT_TRUE(backend.ok()) << backend.error().message;
    backend_ = std::move(*backend);
    auto task = load_task(std::filesystem::path(test::kTinySuites) / "level1" / "019_relu.json");
    ASSERT_TRUE(task.ok()) << task.error().message;
    size_ = task->sizes.front();
    auto loaded = LoadedTask::load(*backend_, *task, size_.name, "cpu", {});
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    loaded_.emplace(std::move(*loaded));
    auto arenas = loaded_->place({.slots = 1, .key = 1, .timed = false});
    ASSERT_TRUE(arenas.ok()) << arenas.error().message;
    arenas_ = arenas->seats.front();
    ASSERT_TRUE(loaded_->inputs({{.key = 2}}).ok());
    auto errors = loaded_->reference();
    ASSERT_TRUE(errors.ok()) << errors.error().message;
    ASSERT_TRUE(loaded_->arm(Seat::kSubmission, {{kBase, kBase}}).ok());
    ASSERT_TRUE(loaded_->reveal(0).ok());
  }

  [[nodiscard]] std::span<float> input() const { return tensor(*arenas_.inputs, size_.inputs[0]); }
  // A submission can reach elements in front of it and behind it.
  [[nodiscard]] float* output() const { return tensor(*arenas_.outputs, size_.outputs[0]).data(); }
  [[nodiscard]] std::size_t elements() const { return input().size(); }

  void compute(std::optional<std::size_t> left_out = {}) const {
    for (std::size_t i = 0; i < elements(); ++i)
      if (i != left_out) output()[i] = input()[i] < 0 ? 0 : input()[i];
  }
  Audit audit() {
    EXPECT_TRUE(loaded_->snapshot(0, {}).ok());
    auto found = loaded_->audit(true);
    EXPECT_TRUE(found.ok()) << found.error().message;
    return found ? *found : Audit{};
  }
  CompareResult judged() {
    auto results = loaded_->judge(Against::kReference, {OutputBound{}});
    EXPECT_TRUE(results.ok()) << results.error().message;
    return results ? results->front() : CompareResult{};
  }

  TaskSize size_;

 private:
  static std::span<float> tensor(const SharedArena& arena, const TensorSpec& spec) {
    return {reinterpret_cast<float*>(arena.data() + kBase),
            static_cast<std::size_t>(spec.elements())};
  }

  std::unique_ptr<Backend> backend_;
  std::optional<LoadedTask> loaded_;
  SharedArenas arenas_;
};

TEST_F(LoadedTaskTest, AnHonestCallLeavesNoTraceAndIsRight) {
  compute();
  const Audit found = audit();
  EXPECT_EQ(found.outside_outputs, 0U);
  EXPECT_EQ(found.outside_at, "");
  EXPECT_EQ(found.inputs_changed, 0U);
  EXPECT_EQ(judged().wrong, 0U);
}

TEST_F(LoadedTaskTest, AnElementThatNobodyWroteIsNan) {
  constexpr std::size_t kLeftOut = 7;
  compute(kLeftOut);
  EXPECT_EQ(audit().outside_outputs, 0U);
  const CompareResult result = judged();
  EXPECT_EQ(result.wrong, 1U);
  EXPECT_EQ(result.first_wrong, kLeftOut);
  EXPECT_TRUE(std::isnan(result.first_wrong_got));
}

TEST_F(LoadedTaskTest, AWriteBehindTheOutputIsCountedAndPlaced) {
  compute();
  output()[elements()] = 0;
  const Audit found = audit();
  EXPECT_EQ(found.outside_outputs, sizeof(float));
  EXPECT_EQ(found.outside_at, "behind " + size_.outputs[0].name);
}

TEST_F(LoadedTaskTest, AWriteInFrontOfTheOutputIsPlacedThere) {
  compute();
  output()[-1] = 0;
  EXPECT_EQ(audit().outside_at, "in front of " + size_.outputs[0].name);
}

TEST_F(LoadedTaskTest, AChangedInputIsSeenAndTheReferenceIsOfThePrivateOne) {
  compute();
  input()[0] = 5;
  const Audit found = audit();
  EXPECT_GT(found.inputs_changed, 0U);
  EXPECT_EQ(judged().wrong, 0U) << "what was written is right for the private inputs";
}

}  // namespace
}  // namespace kbench
