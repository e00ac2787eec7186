// Arguments that the Models of tasks are made with: asked of a script in the sandbox, and kept by
// all that the answer depends on.
#include "runner/run/model_arguments.hpp"

#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "runner/run/run_session.hpp"
#include "tests/fakes/fake_python.hpp"
#include "tests/unit/run_fixture.hpp"

namespace kbench::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string answer(const std::string& init, const std::string& more = "") {
  return fmt::format(R"({{"init": "{}", "text": "class Model: pass"{}}})", init, more);
}

class ModelArgumentsTest : public RunTest {
 protected:
  ModelArgumentsTest() {
    benches_.place.root = folder_ / "root";
    benches_.place.cache = folder_ / "cache";
    folder_.write("root/suites/init_arguments.py", "the script");
  }

  // A task whose Python lies below the folder of this test.
  const Task* task(const std::string& file, const std::string& text = "class Model: pass\n") {
    tasks_.push_back(std::make_unique<Task>());
    tasks_.back()->id = "level1/" + fs::path(file).stem().string();
    tasks_.back()->source = folder_.write(file, text);
    return tasks_.back().get();
  }
  void answers(const std::vector<std::string>& lines, const std::string& then = "") {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    python_.runs("cat <<'END'\n" + text + "END\n" + then);
  }
  void answers_no_more() { python_.runs("exit 1\n"); }
  std::vector<Result<ModelArguments>> ask(const std::vector<const Task*>& tasks,
                                          const std::string& size = "small") {
    const PythonPlayer player{.python = python_.setup(), .script = {}, .library = {}};
    std::map<std::size_t, Result<ModelArguments>> answers;
    ask_model_arguments(tasks, size, player, benches_.place, *sandbox_,
                        [&](std::size_t index, Result<ModelArguments> answer) {
                          EXPECT_TRUE(answers.emplace(index, std::move(answer)).second) << index;
                        });
    std::vector<Result<ModelArguments>> in_order;
    for (auto& [index, answer] : answers) in_order.push_back(std::move(answer));
    return in_order;
  }
  static std::string why(const Result<ModelArguments>& arguments) {
    return arguments ? "" : arguments.error().message;
  }
  static std::string contents(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  FakePython python_{folder_};
  std::unique_ptr<Sandbox> sandbox_ = make_sandbox();
  std::vector<std::unique_ptr<Task>> tasks_;
};

TEST_F(ModelArgumentsTest, EachTaskHasItsOwnAnswer) {
  answers({answer("([1], {}, [])", R"(, "state": ["w"], "kernelbench": [["w", "v"]])"),
           answer("([2], {}, [])", R"(, "draws_alike": false, "state": "none")")});
  const auto found = ask({task("a.py"), task("b.py", "b")});
  ASSERT_THAT(found, SizeIs(2));
  ASSERT_TRUE(found[0].ok()) << why(found[0]);
  EXPECT_EQ(found[0]->init, "([1], {}, [])");
  EXPECT_EQ(found[0]->state, Json::parse(R"(["w"])"));
  EXPECT_EQ(found[0]->kernelbench, Json::parse(R"([["w", "v"]])"));
  EXPECT_TRUE(found[0]->draws_alike) << "where nothing else is said";
  ASSERT_TRUE(found[1].ok()) << why(found[1]);
  EXPECT_EQ(found[1]->init, "([2], {}, [])");
  EXPECT_TRUE(found[1]->state.is_null());
  EXPECT_FALSE(found[1]->draws_alike);
}

TEST_F(ModelArgumentsTest, TheTasksTextIsPlayedAsAReference) {
  answers({answer("([], {}, [])")});
  const auto found = ask({task("a.py")});
  ASSERT_TRUE(found[0].ok()) << why(found[0]);
  const PythonFiles& reference = found[0]->reference;
  EXPECT_EQ(contents(reference.folder / reference.entry),
            "class Model: pass\n\nModelNew = Model\n");
}

TEST_F(ModelArgumentsTest, TheScriptIsToldTheSizeAndTheFiles) {
  python_.runs("printf '{\"init\": \"%s %s %s\", \"text\": \"\"}\\n' \"$3\" \"$4\" \"$5\"\n");
  const Task* one = task("a.py");
  const auto found = ask({one}, "full");
  ASSERT_TRUE(found[0].ok()) << why(found[0]);
  EXPECT_EQ(found[0]->init,
            fmt::format("{} full {}", (folder_ / "root/suites/init_arguments.py").string(),
                        one->source.string()));
}

TEST_F(ModelArgumentsTest, AnAnswerIsKept) {
  answers({answer("([1], {}, [])")});
  const Task* one = task("a.py");
  ASSERT_TRUE(ask({one})[0].ok());
  answers_no_more();
  const auto kept = ask({one, task("b.py", "b")});
  ASSERT_TRUE(kept[0].ok()) << why(kept[0]);
  EXPECT_EQ(kept[0]->init, "([1], {}, [])");
  EXPECT_FALSE(kept[1].ok()) << "of whom nobody has asked";
}

TEST_F(ModelArgumentsTest, WhatTheAnswerDependsOnIsAskedAnew) {
  const Task* one = task("a.py");
  const auto is_kept = [&](const char* size = "small") { return ask({one}, size)[0].ok(); };
  const auto keep = [&] {
    answers({answer("([1], {}, [])")});
    ASSERT_TRUE(is_kept());
    answers_no_more();
    ASSERT_TRUE(is_kept());
  };
  keep();
  EXPECT_FALSE(is_kept("full"));
  folder_.write("a.py", "class Model: another\n");
  EXPECT_FALSE(is_kept()) << "another task";
  keep();
  folder_.write("root/suites/init_arguments.py", "another script");
  EXPECT_FALSE(is_kept());
  keep();
  folder_.write("root/suites/lowering/calls.py", "what it imports");
  EXPECT_FALSE(is_kept());
  keep();
  folder_.write("python/torch/version.py", "__version__ = '2.12'");
  EXPECT_FALSE(is_kept()) << "another torch";
  keep();
  folder_.write("root/suites/README.md", "nobody executes that");
  EXPECT_TRUE(is_kept());
}

// A shipped task is told by its place what KernelBench calls its parameters.
TEST_F(ModelArgumentsTest, ACopyOfAShippedTaskIsAnotherTask) {
  answers({answer("([1], {}, [])")});
  ASSERT_TRUE(ask({task("root/suites/level1/a.py")})[0].ok());
  answers_no_more();
  EXPECT_FALSE(ask({task("elsewhere/a.py")})[0].ok());
  EXPECT_FALSE(ask({task("root/suites/level2/a.py")})[0].ok());
}

TEST_F(ModelArgumentsTest, CopiesOutsideOfTheSuiteAreOneTask) {
  answers({answer("([1], {}, [])")});
  ASSERT_TRUE(ask({task("here/a.py")})[0].ok());
  answers_no_more();
  EXPECT_TRUE(ask({task("there/a.py")})[0].ok());
}

TEST_F(ModelArgumentsTest, AFileThatIsSwappedMeanwhileHasNoAnswer) {
  answers({answer("([1], {}, [])"), answer("([2], {}, [])")});
  const std::vector<const Task*> both{task("a.py"), task("b.py", "b")};
  const PythonPlayer player{.python = python_.setup(), .script = {}, .library = {}};
  std::vector<Result<ModelArguments>> found;
  ask_model_arguments(both, "small", player, benches_.place, *sandbox_,
                      [&](std::size_t, Result<ModelArguments> one) {
                        folder_.write("b.py", "another");
                        found.push_back(std::move(one));
                      });
  ASSERT_THAT(found, SizeIs(2));
  ASSERT_TRUE(found[0].ok()) << why(found[0]);
  EXPECT_THAT(why(found[1]), HasSubstr("b.py is another file than it was before it was asked"));
  answers_no_more();
  EXPECT_FALSE(ask({both[1]})[0].ok()) << "the swapped one has an answer";
  folder_.write("b.py", "b");
  EXPECT_FALSE(ask({both[1]})[0].ok()) << "an answer of the swapped one was kept";
}

TEST_F(ModelArgumentsTest, WhoeverIsToStopDoesNotWaitForTheRest) {
  python_.runs("cat <<'END'\n" + answer("([1], {}, [])") + "\nEND\nsleep 60\n");
  const std::vector<const Task*> both{task("a.py"), task("b.py", "b")};
  const PythonPlayer player{.python = python_.setup(), .script = {}, .library = {}};
  std::vector<Result<ModelArguments>> found;
  const auto begun = std::chrono::steady_clock::now();
  ask_model_arguments(
      both, "small", player, benches_.place, *sandbox_,
      [&](std::size_t, Result<ModelArguments> one) { found.push_back(std::move(one)); },
      [&] { return !found.empty(); });
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds{45});
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_TRUE(found[0].ok()) << why(found[0]);
  EXPECT_EQ(why(found[1]), "interrupted while a task's file was asked");
}

TEST_F(ModelArgumentsTest, AnErrorIsSaidAndNotKept) {
  answers({R"({"error": "get_init_inputs() raised"})"});
  const Task* one = task("a.py");
  const auto failed = ask({one});
  ASSERT_FALSE(failed[0].ok());
  EXPECT_EQ(failed[0].error().code, ErrorCode::kInfrastructure);
  EXPECT_THAT(why(failed[0]), HasSubstr("get_init_inputs() raised"));
  answers({answer("([1], {}, [])")});
  EXPECT_TRUE(ask({one})[0].ok());
}

TEST_F(ModelArgumentsTest, TheLastWordsAreOfTheFirstTaskWithoutAnAnswer) {
  answers({answer("([1], {}, [])")}, "echo 'it ran out of memory' >&2\nexit 1\n");
  const auto found = ask({task("a.py"), task("b.py", "b"), task("c.py", "c")});
  EXPECT_TRUE(found[0].ok());
  EXPECT_THAT(why(found[1]), HasSubstr("it ran out of memory"));
  EXPECT_THAT(why(found[2]), HasSubstr("no answer"));
}

// Was read to any depth, on a thread's stack.
TEST_F(ModelArgumentsTest, ADeepAnswerIsNone) {
  constexpr std::size_t kDeep = 100'000;
  answers({R"({"init": "x", "text": "y", "state": )" + std::string(kDeep, '[') +
           std::string(kDeep, ']') + "}"});
  EXPECT_THAT(why(ask({task("a.py")})[0]), HasSubstr("a malformed answer"));
}

TEST_F(ModelArgumentsTest, AnswersOfAnotherShapeAreNone) {
  for (const char* line : {"[]", "not json", R"({"text": "x"})", R"({"init": 1, "text": "x"})",
                           R"({"init": "x"})", R"({"init": "x", "text": 1})"}) {
    answers({line});
    EXPECT_THAT(why(ask({task("a.py")})[0]), HasSubstr("a malformed answer")) << line;
  }
}

TEST_F(ModelArgumentsTest, AKeptAnswerThatIsDamagedIsAskedForAgain) {
  answers({answer("([1], {}, [])")});
  const Task* one = task("a.py");
  ASSERT_TRUE(ask({one})[0].ok());
  for (const auto& file : fs::directory_iterator(folder_ / "cache/arguments"))
    std::ofstream(file.path()) << "damaged";
  answers({answer("([2], {}, [])")});
  const auto again = ask({one});
  ASSERT_TRUE(again[0].ok()) << why(again[0]);
  EXPECT_EQ(again[0]->init, "([2], {}, [])");
}

TEST_F(ModelArgumentsTest, OfAPlanTheTasksOfPlayedPythonsAreAsked) {
  for (const char* name : {"anna/level1/019_relu", "bert/level1/023_softmax"})
    folder_.write(fmt::format("subs/{}.py", name), "import torch\nclass ModelNew: pass\n");
  submit("anna/level1/001_square_matrix_multiplication.cpp");
  auto plan = plan_run(request_, terms_, benches_.place);
  ASSERT_TRUE(plan.ok()) << plan.error().message;
  ASSERT_THAT(plan->units, SizeIs(3));
  plan->units[1].ends_as = State::kSkipped;
  answers({answer("([3], {}, [])")});
  const PythonPlayer player{.python = python_.setup(), .script = {}, .library = {}};
  const ArgumentsByTask found = ask_model_arguments(*plan, player, benches_.place, *sandbox_);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found.begin()->first, plan->units[2].task);
  ASSERT_TRUE(found.begin()->second.ok()) << why(found.begin()->second);
  EXPECT_EQ(found.begin()->second->init, "([3], {}, [])");
}

}  // namespace
}  // namespace kbench::test
