// A place that judges kernels for level1/019_relu of tests/tiny on a bench that measures nothing.
#pragma once

#include <map>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "runner/device/device_session.hpp"
#include "runner/judge/workspace_requests.hpp"
#include "runner/workspace/kernel_tree.hpp"
#include "tests/unit/paths.hpp"
#include "tests/unit/run_fixture.hpp"

namespace kbench::test {

class JudgeTest : public RunTest {
 protected:
  // The tree that an agent handed in.
  static KernelTree tree_of(const std::string& text, const std::string& file = "main.cpp") {
    return kernel_tree_of({{file, text}}).value();
  }
  static StagedKernels staged(const KernelTree& tree, const WorkspaceTask& task) {
    auto kernels = stage_tree(tree, task, "anna");
    return std::move(*kernels);
  }
  // The bench stops once it measures.
  [[nodiscard]] std::function<bool()> when_measuring() {
    benches_.script.while_measuring = [this](const PlannedRow&) { stopping_ = true; };
    return [this] { return stopping_; };
  }

  const Installation& installation() {
    benches_.place.root = kSource;
    benches_.place.abi = benches_.place.root / "runner/abi";
    benches_.place.cache = folder_ / "cache";
    return benches_.place;
  }

  const WorkspaceTask relu_{"level1/019_relu", "small", "cpu"};
  bool stopping_ = false;
  DeviceSession device_{installation(), SessionTurns::kOne};
  JudgingPlace place_{std::nullopt, device_, benches_};
};

}  // namespace kbench::test
