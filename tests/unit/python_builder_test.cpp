// Build steps with the real sandbox, compilers and a Python that has torch.
#include "runner/submission/python_builder.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <optional>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "runner/core/sha256.hpp"
#include "runner/core/unique_fd.hpp"
#include "runner/installation/python_facts.hpp"
#include "runner/os/files.hpp"
#include "tests/fakes/submission_fixture.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// By Python's own interface: torch's headers take half a minute, pybind11's some seconds.
std::string extension(const std::string& body) {
  return "import torch\n"
         "from torch.utils.cpp_extension import load_inline\n"
         "CPP = '''#include <Python.h>\n"
         "static int answer() { " +
         body +
         " }\n"
         "static PyObject* call(PyObject*, PyObject*) { return PyLong_FromLong(answer()); }\n"
         "static PyMethodDef methods[] = {{\"answer\", call, METH_NOARGS, nullptr}, {}};\n"
         "static PyModuleDef module = {PyModuleDef_HEAD_INIT, \"mine\", nullptr, -1, methods};\n"
         "PyMODINIT_FUNC PyInit_mine() { return PyModule_Create(&module); }\n"
         "'''\n"
         "kernels = load_inline(name='mine', cpp_sources=CPP, no_implicit_headers=True)\n"
         "assert kernels.answer() == 42\n"
         "class ModelNew(torch.nn.Module):\n"
         "    def forward(self, x):\n"
         "        return x\n";
}

// The same, asked for when it is first called.
std::string extension_of_a_call(const std::string& body) {
  const std::string text = extension(body);
  const auto at = text.find("kernels = ");
  const std::string call = text.substr(at, text.find('\n', at) - at);
  std::string lazy = text.substr(0, at) + text.substr(text.find("class ModelNew"));
  return lazy.insert(lazy.find("        return x"), "        " + call + "\n");
}

class PythonBuilderTest : public ::testing::Test {
 protected:
  PythonBuilderTest() : sandbox_(make_sandbox()) {
    const auto facts = ask_python(KBENCH_PYTHON);
    if (!facts) throw std::runtime_error(facts.error().message);
    tools_ = {.python = {KBENCH_PYTHON, facts->module_folders, facts->folders},
              .scripts = KBENCH_PLAYER_SCRIPTS,
              .headers = facts->headers,
              .toolchain = find_toolchain()};
  }

  void SetUp() override {
    if (tools_.toolchain.ninja.empty()) GTEST_SKIP() << "no ninja here";
    if (!fs::exists(tools_.headers / "Python.h")) GTEST_SKIP() << "no Python.h here";
  }

  // Hands in one file and builds it. What was staged lives until the next call.
  Result<PythonBuild> build(const std::string& text, PythonBuildLimits limits = {}) {
    auto staging = Staging::make();
    if (!staging) return staging.error();
    staging_ = std::move(*staging);
    return build(builder(limits), *staging_, "ann", text);
  }

  PythonBuilder builder(PythonBuildLimits limits = {}) {
    return {*sandbox_, ExtensionCompiler(*sandbox_, tools_, cache_.path()), "cpu", {}, limits};
  }

  static Result<PythonBuild> build(const PythonBuilder& builder, Staging& staging,
                                   const std::string& agent, const std::string& text) {
    SubmissionFolder submissions;
    submissions.write(agent + "/level1/019_relu.py", text);
    const auto set = find_submissions(submissions.path());
    if (!set || set->submissions.size() != 1)
      return Error{ErrorCode::kInfrastructure, "not one submission", ""};
    const Submission& submission = set->submissions.front();
    const auto files = read_source_files(submission);
    if (!files) return files.error();
    for (const SourceFile& file : *files)
      if (auto added = staging.add(file.name, file.bytes); !added) return added.error();
    return builder.build({.submission = submission,
                          .files = *files,
                          .staging = staging,
                          .entry = "019_relu.py",
                          .init = "([], {}, [])",
                          .mode = "batch-stats",
                          .inputs = Json::array({{{"dtype", "float32"}, {"shape", {2, 2}}}})});
  }

  Error refusal(const std::string& text, PythonBuildLimits limits = {}) {
    const auto built = build(text, limits);
    EXPECT_FALSE(built.ok());
    return built.ok() ? Error{} : built.error();
  }

  [[nodiscard]] std::size_t kept() const {
    std::size_t libraries = 0;
    for (const auto& entry : fs::recursive_directory_iterator(cache_.path()))
      libraries += entry.path().extension() == ".so" ? 1u : 0u;
    return libraries;
  }

  std::unique_ptr<Sandbox> sandbox_;
  ExtensionTools tools_;
  SubmissionFolder cache_;
  std::optional<Staging> staging_;
};

// A suite of its own, so that it runs beside the other one.
using RefusedBuildTest = PythonBuilderTest;

TEST_F(PythonBuilderTest, WhatItAsksForIsCompiledStagedKeptAndAnewWhereDamaged) {
  const auto built = build(extension("return 42;"));
  ASSERT_TRUE(built.ok()) << built.error().message;
  EXPECT_EQ(built->note, "") << "the answer was 42 in the build step, too";
  ASSERT_EQ(built->extensions.size(), 1u);
  ASSERT_EQ(built->libraries.size(), 1u);
  EXPECT_EQ(built->libraries[0].file, staging_->path() / "src" / built->extensions[0].path);
  EXPECT_EQ(sha256_file(built->libraries[0].file).value(), built->libraries[0].sha256);
  EXPECT_TRUE(built->compilers);
  EXPECT_GT(built->seconds, 0);
  ASSERT_EQ(built->texts.size(), 1u);
  EXPECT_NE(built->texts[0].bytes.find("PyInit_mine"), std::string::npos);
  EXPECT_EQ(kept(), 1u);

  const auto again = build(extension("return 42;"));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->seconds, built->seconds) << "it comes from what was kept";
  EXPECT_EQ(again->extensions[0].key, built->extensions[0].key);
  EXPECT_EQ(again->libraries[0].sha256, built->libraries[0].sha256);
  EXPECT_EQ(kept(), 1u);

  for (const auto& entry : fs::recursive_directory_iterator(cache_.path())) {
    if (entry.path().extension() != ".so") continue;
    ASSERT_TRUE(write_atomically(entry.path(), "somebody else's", 0755).ok());
  }
  const auto anew = build(extension("return 42;"));
  ASSERT_TRUE(anew.ok()) << anew.error().message;
  EXPECT_NE(anew->libraries[0].sha256, sha256("somebody else's"));
}

// Two of the same sources keep their order; the key does not hold their names.
TEST_F(PythonBuilderTest, ExtensionsAreKnownBySourcesAndFlagsWhateverTheirNames) {
  std::string text = extension("return 42;");
  const std::string named = "name='mine'";
  text.replace(text.find(named), named.size(), "name=f'mine_{__import__(\"time\").time_ns()}'");
  const std::string init = "PyInit_mine()";
  text.replace(text.find(init), init.size(), "INIT(TORCH_EXTENSION_NAME)()");
  const std::string include = "#include <Python.h>\n";
  text.insert(text.find(include) + include.size(),
              "#define JOIN(a, b) a##b\n#define INIT(name) JOIN(PyInit_, name)\n");
  const auto at = text.find("kernels = ");
  text.insert(at, "first" + text.substr(at + 7, text.find('\n', at) - at - 6));
  const auto built = build(text);
  ASSERT_TRUE(built.ok()) << built.error().message;
  EXPECT_EQ(built->note, "");
  ASSERT_EQ(built->extensions.size(), 2u);
  EXPECT_EQ(built->extensions[0].key, built->extensions[1].key);
  EXPECT_NE(built->extensions[0].name, built->extensions[1].name);
  EXPECT_NE(built->extensions[0].path, built->extensions[1].path);
}

TEST_F(RefusedBuildTest, WhatKbenchRefusesEndsItAlsoWhereItIsCaught) {
  const std::string caught =
      "\nexcept Exception:\n    pass\n"
      "class ModelNew(torch.nn.Module):\n"
      "    def forward(self, x):\n        return x\n";
  const Error sycl = refusal(
      "import torch\nfrom torch.utils.cpp_extension import load_inline\n"
      "try:\n    load_inline(name='mine', cpp_sources='', sycl_sources='int x;')" +
      caught);
  EXPECT_EQ(sycl.code, ErrorCode::kSubmission);
  EXPECT_NE(sycl.message.find("the extension mine asks for SYCL"), std::string::npos);
  const Error flag = refusal(
      "import torch\nfrom torch.utils.cpp_extension import load_inline\n"
      "try:\n    load_inline(name='mine', cpp_sources='', extra_cflags=['-fplugin=x'])" +
      caught);
  EXPECT_EQ(flag.code, ErrorCode::kSubmission);
  EXPECT_NE(flag.message.find("-fplugin=x"), std::string::npos) << flag.message;
  const Error compiled = refusal("import torch\ntry:\n    torch.compile(torch.relu)" + caught);
  EXPECT_EQ(compiled.code, ErrorCode::kNotFound);
  EXPECT_EQ(compiled.message, "torch.compile is not offered on a CPU");
}

TEST_F(RefusedBuildTest, AStepWithoutEndIsTheSubmissionsFault) {
  const Error error = refusal("from torch.utils import cpp_extension\nwhile True:\n    pass\n",
                              {.own = std::chrono::seconds(1)});
  EXPECT_EQ(error.code, ErrorCode::kSubmission);
  EXPECT_NE(error.message.find("did not end within 1 s"), std::string::npos) << error.message;
}

// A build that talks for half a minute; its words mean nothing.
std::string says_for_half_a_minute(const std::string& what) {
  return "from torch.utils import cpp_extension\n"
         "import json, socket, struct, time\n"
         "text = json.dumps(" +
         what +
         ").encode()\n"
         "message = struct.pack('<I', len(text)) + text\n"
         "channel = socket.socket(fileno=3)\n"
         "end = time.monotonic() + 30\n"
         "while time.monotonic() < end:\n"
         "    channel.sendall(message)\n";
}

TEST_F(RefusedBuildTest, AStepThatNeverStopsTalkingHasNoMoreTimeThanAnotherOne) {
  const Error error =
      refusal(says_for_half_a_minute("{'type': 'turn over'}"), {.own = std::chrono::seconds(1)});
  EXPECT_NE(error.message.find("did not end within 1 s"), std::string::npos) << error.message;
}

TEST_F(PythonBuilderTest, AStepThatReadsNoAnswerIsGivenUp) {
  const auto built = build(says_for_half_a_minute("{'type': 'turn'}"));
  ASSERT_TRUE(built.ok()) << built.error().message;
  EXPECT_EQ(built->note, "the process of its build step died");
}

TEST_F(PythonBuilderTest, WhatItRaisesIsLeftToItsSessions) {
  const auto raised =
      build("from torch.utils import cpp_extension\nraise ValueError('no such day')\n");
  ASSERT_TRUE(raised.ok()) << raised.error().message;
  EXPECT_EQ(raised->note, "ValueError: no such day");
  EXPECT_TRUE(raised->libraries.empty());
  const auto died =
      build("from torch.utils import cpp_extension\nimport os\nos.kill(os.getpid(), 9)\n");
  ASSERT_TRUE(died.ok()) << died.error().message;
  EXPECT_EQ(died->note, "the process of its build step died");
}

// Its compiler waits for a header, which is a pipe, until another step has been called and has
// ended.
TEST_F(PythonBuilderTest, AStepLeavesTheDeviceToOthersWhileItCompilesWithinItsCall) {
  const PythonBuilder builder = this->builder();
  auto first = Staging::make();
  auto second = Staging::make();
  ASSERT_TRUE(first.ok() && second.ok());
  ASSERT_TRUE(first->add("src/kept", "the folder that compilers see").ok());
  const fs::path header = first->path() / "src" / "waits.h";
  ASSERT_EQ(::mkfifo(header.c_str(), 0644), 0);
  auto compiles = std::async(std::launch::async, [&] {
    return build(builder, *first, "ann",
                 extension_of_a_call("\n#include \"" + header.string() + "\"\nreturn 42;"));
  });
  UniqueFd gate;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!gate.valid() && std::chrono::steady_clock::now() < deadline) {
    gate.reset(::open(header.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));  // once it is read
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_TRUE(gate.valid()) << "no compiler has asked for the header";

  auto calls = std::async(std::launch::async, [&] {
    return build(builder, *second, "bob",
                 "import torch\nfrom torch.utils.cpp_extension import load_inline\n"
                 "class ModelNew(torch.nn.Module):\n    def forward(self, x):\n        return x\n");
  });
  EXPECT_EQ(calls.wait_for(std::chrono::minutes(2)), std::future_status::ready)
      << "it waits for a step that compiles";
  gate.reset();
  const auto one = compiles.get();
  const auto other = calls.get();
  ASSERT_TRUE(one.ok()) << one.error().message;
  EXPECT_EQ(one->extensions.size(), 1u) << one->note;
  ASSERT_TRUE(other.ok()) << other.error().message;
  EXPECT_EQ(other->note, "");
}

TEST_F(RefusedBuildTest, WhatItSaysBesidesIsNotBelieved) {
  // It speaks on the channel itself: no request, and one in which nothing is as it should be.
  const std::string speak =
      "from torch.utils import cpp_extension\n"
      "import os, struct\n"
      "def say(text):\n"
      "    os.write(3, struct.pack('=I', len(text)) + text)\n";
  const auto nonsense = build(speak + "say(b'{\"type\": [1]}')\n");
  ASSERT_TRUE(nonsense.ok()) << nonsense.error().message;
  EXPECT_TRUE(nonsense->libraries.empty());
  const Error forged = refusal(
      speak +
      "say(b'{\"type\": \"build\", \"request\": \"{\\\\\"kind\\\\\": \\\\\"inline\\\\\"}\"}')\n");
  EXPECT_EQ(forged.code, ErrorCode::kSubmission);
  // That nothing failed: what the compiler said is known without it.
  std::string hides = extension("return undeclared_thing;");
  const auto at = hides.find("kernels = ");
  hides.replace(at, hides.find('\n', at) - at,
                "try:\n    " + hides.substr(at, hides.find('\n', at) - at) +
                    "\nexcept Exception:\n"
                    "    say(b'{\"type\": \"ended\", \"note\": \"\", \"failure\": false}')\n"
                    "    os._exit(0)");
  const auto hidden = build(speak + hides);
  ASSERT_TRUE(hidden.ok()) << hidden.error().message;
  EXPECT_NE(hidden->first_failure().find("undeclared_thing"), std::string::npos);
  EXPECT_TRUE(hidden->libraries.empty());
  EXPECT_EQ(kept(), 0u) << "of what does not compile nothing is kept";
}

TEST_F(RefusedBuildTest, WhatNobodyCanCompileHereIsOurFault) {
  tools_.toolchain.ninja = "/bin/false";
  const Error error = refusal(extension("return 42;"));
  EXPECT_EQ(error.code, ErrorCode::kInfrastructure) << error.message;
  EXPECT_NE(error.message.find("no extension of torch's can be compiled here"), std::string::npos);
}

TEST_F(RefusedBuildTest, CudaWithoutAGpuIsNotOffered) {
  const Error error = refusal(
      "from torch.utils.cpp_extension import load_inline\n"
      "load_inline(name='mine', cpp_sources='', cuda_sources='__global__ void f() {}')\n");
  EXPECT_EQ(error.code, ErrorCode::kNotFound) << error.message;
}

}  // namespace
}  // namespace kbench
