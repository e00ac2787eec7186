// Why the graph of a task cannot be compared with its Python. What the comparison finds is
// own_model_test.cpp's; that it is made with a real Python, tests/cli's.
#include "runner/run/graph_against_python.hpp"

#include <gmock/gmock.h>

#include "tests/fakes/fake_device.hpp"
#include "tests/fakes/fake_python.hpp"
#include "tests/unit/paths.hpp"

namespace kbench::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class GraphAgainstPythonTest : public ::testing::Test {
 protected:
  GraphAgainstPythonTest() {
    place_.root = folder_ / "root";
    place_.cache = folder_ / "cache";
    place_.python = python_.program();
    place_.player = folder_.write("player/player.py", "");
    place_.player_library = folder_.write("player/kbench-player.so", "");
    folder_.write("root/suites/init_arguments.py", "the script");
    target_.device = "cpu";
    target_.size = "small";
    task_ = *load_task(fs::path(kTinySuites) / "level1/019_relu.json");
  }
  std::string why_not() {
    fakes::FakeOracle oracle(script_);
    GraphAgainstPython compared(place_, target_, *sandbox_, {&task_});
    const auto findings = compared.compare(0, oracle);
    EXPECT_FALSE(findings.ok());
    if (findings) return "";
    EXPECT_EQ(findings.error().code, ErrorCode::kInfrastructure) << "never the task's own fault";
    return findings.error().message;
  }

  const TemporaryFolder folder_;
  const FakePython python_{folder_};
  std::unique_ptr<Sandbox> sandbox_ = make_sandbox();
  Installation place_;
  Target target_;
  Task task_;
  fakes::Script script_;
};

TEST_F(GraphAgainstPythonTest, WithoutATorchThereIsNoPythonToCompareWith) {
  place_.python.clear();
  place_.python_reason = "there is no python3";
  EXPECT_EQ(why_not(), "its graph could not be compared with its Python: there is no python3");
}

TEST_F(GraphAgainstPythonTest, AModelThatCannotBeMadeIsNotPlayed) {
  python_.runs("case \"$*\" in *init_arguments*) echo '{\"error\": \"it raised\"}';; esac\n");
  EXPECT_THAT(why_not(), HasSubstr("it raised"));
  EXPECT_EQ(script_.workers_started, 0);
}

TEST_F(GraphAgainstPythonTest, APlayerThatDoesNotStartIsOurFault) {
  python_.runs(
      "case \"$*\" in *init_arguments*) echo '{\"init\": \"x\", \"text\": \"y\"}';;\n"
      "  *) echo 'it fell over' >&2; exit 1;; esac\n");
  EXPECT_THAT(why_not(), StartsWith("its graph could not be compared with its Python: "));
}

}  // namespace
}  // namespace kbench::test
