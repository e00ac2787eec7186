// Which Python submissions of a plan can be played on this machine, and what is said of the others.
#include "runner/run/python_submissions.hpp"

#include <gmock/gmock.h>

#include "runner/run/run_session.hpp"
#include "tests/fakes/fake_python.hpp"
#include "tests/unit/run_fixture.hpp"

namespace kbench::test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class PythonSubmissions : public RunTest {
 protected:
  PythonSubmissions() {
    benches_.place.python = python_.program();
    benches_.place.player = folder_.write("player/player.py", "");
    benches_.place.player_library = folder_.write("player/kbench-player.so", "");
    benches_.place.cache = folder_ / "cache";
    tools_.host_compiler = "/usr/bin/c++";
    tools_.ninja = "/usr/bin/ninja";
  }

  void hand_in(const std::string& agent, const std::string& imports = "import torch") {
    folder_.write("subs/" + agent + "/level1/019_relu.py",
                  imports + "\n\nclass ModelNew(torch.nn.Module):\n    pass\n");
  }
  // The plan, once it is known what can be played on that device.
  std::optional<PythonParts> find(const std::string& device = "cpu") {
    auto plan = plan_run(request_, terms_, benches_.place);
    EXPECT_TRUE(plan.ok()) << plan.error().message;
    plan_ = std::move(*plan);
    plan_.target.device = device;
    if (device == "cuda") plan_.target.gpu = GpuInfo{.compute_capability = 90};
    return find_python_parts(plan_, benches_.place, tools_);
  }
  std::string why_skipped(std::size_t unit = 0) const {
    const PlannedRow& row = plan_.units.at(unit);
    if (!row.ends_as) return "";
    EXPECT_EQ(*row.ends_as, State::kSkipped);
    EXPECT_FALSE(row.hint.empty());
    return row.message;
  }

  FakePython python_{folder_};
  Toolchain tools_;
  Plan plan_;
};

TEST_F(PythonSubmissions, ArePlayedByThePythonThatHasTorch) {
  hand_in("anna");
  const auto parts = find();
  ASSERT_TRUE(parts);
  EXPECT_EQ(why_skipped(), "");
  EXPECT_EQ(parts->player.python.python, python_.program());
  EXPECT_THAT(parts->player.python.python_path, ElementsAre(folder_ / "python"));
  EXPECT_THAT(parts->player.python.readable, ElementsAre(folder_ / "python"));
  EXPECT_EQ(parts->player.script, folder_ / "player/player.py");
  EXPECT_EQ(parts->player.library, folder_ / "player/kbench-player.so");
  EXPECT_EQ(parts->headers, "") << "Python.h is not there";
  EXPECT_EQ(parts->player.triton_architecture, 0);
  python_.has_headers();
  EXPECT_EQ(find()->headers, folder_ / "python/include");
}

TEST_F(PythonSubmissions, APlanWithoutOneAsksNoPython) {
  submit("anna/level1/019_relu.cpp");
  benches_.place.python.clear();
  EXPECT_FALSE(find());
  EXPECT_EQ(why_skipped(), "");
}

TEST_F(PythonSubmissions, WithoutAPythonTheyAloneAreSkippedWithTheReason) {
  hand_in("anna");
  submit("bert/level1/019_relu.cpp");
  benches_.place.python.clear();
  benches_.place.python_reason = "there is no python3";
  EXPECT_FALSE(find());
  EXPECT_EQ(why_skipped(0), "a Python submission needs a Python with torch: there is no python3");
  EXPECT_EQ(why_skipped(1), "");
}

TEST_F(PythonSubmissions, WhatEndsAnywayKeepsItsReason) {
  hand_in("anna");
  auto plan = plan_run(request_, terms_, benches_.place);
  plan_ = std::move(*plan);
  plan_.units[0].ends_as = State::kSubmissionError;
  plan_.units[0].message = "it makes no sense";
  EXPECT_FALSE(find_python_parts(plan_, benches_.place, tools_));
  EXPECT_EQ(plan_.units[0].ends_as, State::kSubmissionError);
  EXPECT_EQ(plan_.units[0].message, "it makes no sense");
}

TEST_F(PythonSubmissions, APythonWithoutTorchPlaysNone) {
  const FakePython none(folder_, false);
  hand_in("anna");
  EXPECT_FALSE(find());
  EXPECT_THAT(why_skipped(), HasSubstr("has no torch"));
}

TEST_F(PythonSubmissions, AKbenchWithoutAPlayerPlaysNone) {
  hand_in("anna");
  fs::remove(benches_.place.player_library);
  EXPECT_FALSE(find());
  EXPECT_THAT(why_skipped(), HasSubstr("was built without a Python that has torch"));
}

TEST_F(PythonSubmissions, OnAGpuTorchNeedsCuda) {
  hand_in("anna");
  EXPECT_FALSE(find("cuda"));
  EXPECT_THAT(why_skipped(), HasSubstr("was built without CUDA"));
  python_.has_cuda();
  EXPECT_TRUE(find("cuda"));
  EXPECT_EQ(why_skipped(), "");
}

TEST_F(PythonSubmissions, TritonIsForGpusAndIsToldTheirArchitecture) {
  python_.has_cuda();
  python_.has_headers();
  hand_in("anna", "import torch, triton");
  EXPECT_FALSE(find("cpu"));
  EXPECT_THAT(why_skipped(), HasSubstr("Triton needs a GPU"));
  const auto parts = find("cuda");
  ASSERT_TRUE(parts) << why_skipped();
  EXPECT_EQ(parts->player.triton_architecture, 90);
  hand_in("anna", "import torch");
  EXPECT_EQ(find("cuda")->player.triton_architecture, 0) << "nothing of Triton is looked for";
}

TEST_F(PythonSubmissions, WhatCompilesAnExtensionTakesCompilerHeadersAndNinja) {
  hand_in("anna", "import torch\nfrom torch.utils.cpp_extension import load_inline");
  hand_in("bert");
  EXPECT_TRUE(find()) << "of bert";
  EXPECT_THAT(why_skipped(0), HasSubstr("Python's headers are not installed"));
  EXPECT_EQ(why_skipped(1), "") << "which compiles nothing";
  python_.has_headers();
  find();
  EXPECT_EQ(why_skipped(0), "");
  tools_.ninja.clear();
  find();
  EXPECT_THAT(why_skipped(0), HasSubstr("there is no ninja"));
  tools_.host_compiler.clear();
  find();
  EXPECT_THAT(why_skipped(0), HasSubstr("there is no C++ compiler"));
  EXPECT_EQ(why_skipped(1), "");
}

TEST_F(PythonSubmissions, TritonTakesACompilerAndNoNinja) {
  python_.has_cuda();
  python_.has_headers();
  hand_in("anna", "import torch, triton");
  tools_.ninja.clear();
  EXPECT_TRUE(find("cuda"));
  tools_.host_compiler.clear();
  EXPECT_FALSE(find("cuda"));
}

TEST_F(PythonSubmissions, TorchCompileOnACpuCompilesNothingBefore) {
  tools_ = {};
  hand_in("anna", "import torch\nf = torch.compile(lambda x: x)");
  EXPECT_TRUE(find("cpu"));
  EXPECT_EQ(why_skipped(), "");
}

TEST_F(PythonSubmissions, FilesAreStagedAloneUnderTheNameOfTheEntry) {
  hand_in("anna");
  find();
  const Submission& submission = *plan_.units[0].submission;
  const auto files = read_source_files(submission);
  ASSERT_TRUE(files.ok());
  const auto staged = stage_python(submission, *files);
  ASSERT_TRUE(staged.ok()) << staged.error().message;
  EXPECT_EQ(staged->entry, "019_relu.py");
  EXPECT_EQ(staged->folder, staged->staging->path() / "src");
  EXPECT_TRUE(fs::is_regular_file(staged->folder / "019_relu.py"));
  Submission renamed = submission;
  renamed.staged_name = "other.py";
  EXPECT_EQ(stage_python(renamed, *files)->entry, "other.py");
}

TEST_F(PythonSubmissions, AFoldersEntryIsNamedBelowIt) {
  folder_.write("subs/anna/level1/019_relu/main.py", "import torch\nclass ModelNew: pass\n");
  folder_.write("subs/anna/level1/019_relu/submission.json",
                R"({"schema": "kbench-submission/1", "kind": "python", "entry": "main.py"})");
  find();
  ASSERT_TRUE(plan_.units.at(0).submission) << plan_.units[0].message;
  const Submission& submission = *plan_.units[0].submission;
  const auto staged = stage_python(submission, *read_source_files(submission));
  ASSERT_TRUE(staged.ok()) << staged.error().message;
  EXPECT_EQ(staged->entry, "main.py");
  EXPECT_TRUE(fs::is_regular_file(staged->folder / "main.py"));
}

}  // namespace
}  // namespace kbench::test
