#include "runner/plan/evaluation_key.hpp"

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace kbench {
namespace {

using Change = std::function<void(EvaluationIdentity&)>;

// Two things with one key are one row: the second would never be measured.
TEST(EvaluationKey, EveryPartMakesAnotherOne) {
  using I = EvaluationIdentity;
  const std::vector<std::pair<const char*, Change>> changes = {
      {"nothing", [](I&) {}},
      {"the task", [](I& one) { one.task_hash = "x"; }},
      {"the size", [](I& one) { one.size = "x"; }},
      {"the device", [](I& one) { one.device = "x"; }},
      {"the precision", [](I& one) { one.precision = "x"; }},
      {"the profile", [](I& one) { one.profile = "x"; }},
      {"the agent", [](I& one) { one.agent = "x"; }},
      {"the submission", [](I& one) { one.submission = "x"; }},
      {"the source", [](I& one) { one.source_hash = "x"; }},
      {"the compiler", [](I& one) { one.host_compiler = "x"; }},
      {"nvcc", [](I& one) { one.nvcc = "x"; }},
      {"the device's name", [](I& one) { one.device_name = "x"; }},
      {"the use of torch", [](I& one) { one.allow_torch = "x"; }},
      {"that nothing is timed", [](I& one) { one.timed = false; }}};
  std::set<std::string> keys;
  for (const auto& [what, change] : changes) {
    EvaluationIdentity identity;
    change(identity);
    EXPECT_TRUE(keys.insert(evaluation_key(identity)).second) << what;
  }
}

}  // namespace
}  // namespace kbench
