// Compiles real submissions with the compilers of this machine.
#include "runner/submission/compiler.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <future>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/submission/ptxas.hpp"
#include "tests/fakes/submission_fixture.hpp"
#include "tests/unit/paths.hpp"
#include "tests/unit/store_fixture.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTaskHeader = "#pragma once\n#include \"kbench.h\"\n#define TASK_VALUE 42\n";

Toolchain toolchain_for(int compute_capability) {
  Toolchain toolchain = find_toolchain();
  toolchain.cuda_architecture = cuda_architecture(compute_capability);
  return toolchain;
}

int call(const std::filesystem::path& library, const char* symbol) {
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    ADD_FAILURE() << ::dlerror();
    return -1;
  }
  const auto function = reinterpret_cast<int (*)()>(::dlsym(handle, symbol));
  const int result = function != nullptr ? function() : -1;
  ::dlclose(handle);
  return result;
}

class CompilerTest : public ::testing::Test {
 protected:
  CompilerTest()
      : sandbox_(make_sandbox()),
        compiler_(*sandbox_, toolchain_for(90), cache_.path(), kbench::test::kAbi),
        strict_(*sandbox_, toolchain_for(90), cache_.path(), kbench::test::kAbi,
                {.time = std::chrono::seconds(4), .memory_bytes = 1ull << 30}) {}

  // Writes one submission and compiles it.
  Result<CompiledSubmission> compile(const std::string& text,
                                     const std::string& extension = ".cpp") {
    folder_.write("ann/level1/019_relu" + extension, text);
    return compile_only();
  }

  Result<CompiledSubmission> compile_only() { return compile_with(compiler_); }

  Result<CompiledSubmission> compile_with(const Compiler& compiler,
                                          const std::string& task_header = kTaskHeader) {
    const Submission submission = found();
    const auto files = read_source_files(submission);
    if (!files) return files.error();
    return compiler.compile(submission, *files, task_header);
  }

  Submission found() {
    auto set = find_submissions(folder_.path());
    if (!set.ok() || set->submissions.size() != 1) {
      ADD_FAILURE() << "not exactly one submission";
      return {};
    }
    return set->submissions.front();
  }

  void expect_cuda_to_answer_42(const std::string& text) {
    if (compiler_.toolchain().nvcc.empty()) GTEST_SKIP() << "no nvcc here";
    const auto compiled = compile(text, ".cu");
    ASSERT_TRUE(compiled.ok()) << compiled.error().message;
    EXPECT_EQ(call(compiled->library, "answer"), 42);
  }

  // The error of a submission that must not compile.
  Error refusal(const std::string& text, const std::string& extension = ".cpp") {
    const auto compiled = compile(text, extension);
    EXPECT_FALSE(compiled.ok());
    return compiled.ok() ? Error{} : compiled.error();
  }

  // The folder of the one agent's build.
  fs::path compiled_folder() { return compile_only()->library.parent_path(); }

  SubmissionFolder folder_;
  SubmissionFolder cache_;
  std::unique_ptr<Sandbox> sandbox_;
  Compiler compiler_;
  Compiler strict_;  // with limits that a test can wait for
};

TEST(FindToolchain, DescribesTheHostCompiler) {
  const Toolchain toolchain = find_toolchain();
  EXPECT_TRUE(toolchain.host_compiler.is_absolute());
  EXPECT_FALSE(toolchain.host_version.empty());
  EXPECT_EQ(toolchain.cuda_architecture, "");
  EXPECT_EQ(cuda_architecture(80), "80");
  EXPECT_EQ(cuda_architecture(90), "90a");
  EXPECT_EQ(cuda_architecture(120), "120a");
  EXPECT_EQ(torch_architecture("90a"), "9.0a");
  EXPECT_EQ(torch_architecture("120a"), "12.0a");
  EXPECT_EQ(torch_architecture("89"), "8.9");
  EXPECT_EQ(torch_architecture(""), "");
}

TEST(Architecture, IsCalledByTheComputeCapabilityOfItsGpus) {
  for (const int capability : {75, 80, 89, 90, 100, 120})
    EXPECT_EQ(*compute_capability_of(cuda_architecture(capability)), capability);
  for (const char* word : {"", "a", "90b", "90aa", "sm_90a", "9.0", "80a", "-90", " 90a", "090a"}) {
    const auto refused = compute_capability_of(word);
    ASSERT_FALSE(refused.ok()) << word;
    EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  }
  EXPECT_THAT(compute_capability_of("90").error().hint, ::testing::HasSubstr("\"90a\""));
}

// As root under umask 077 the compiler's user once could read nothing.
TEST_F(CompilerTest, TheUmaskOfWhoeverStartedItDoesNotMatter) {
  const mode_t before = ::umask(077);
  const auto compiled = compile("extern \"C\" int answer() { return 42; }\n");
  ::umask(before);
  ASSERT_TRUE(compiled.ok()) << compiled.error().message;
  EXPECT_EQ(call(compiled->library, "answer"), 42);
}

// A hundred bytes of source once made a library that stayed in the cache for ever.
TEST_F(CompilerTest, ALibraryHasALimitedSize) {
  const auto compiled =
      compile("char table[70 << 20] = {1};\nextern \"C\" int answer() { return table[0]; }\n");
  ASSERT_FALSE(compiled.ok());
  EXPECT_EQ(compiled.error().code, ErrorCode::kSubmission);
  EXPECT_THAT(compiled.error().message,
              ::testing::HasSubstr("a library of 70 MiB, and 64 are allowed"));
}

TEST_F(CompilerTest, WhereAHeaderIsMissingItIsSaidWhereHeadersLie) {
  const auto compiled = compile("#include \"call.hpp\"\nextern \"C\" int answer() { return 1; }\n");
  ASSERT_FALSE(compiled.ok());
  EXPECT_THAT(compiled.error().hint, ::testing::HasSubstr("DIR/AGENT/include"));
  EXPECT_EQ(compile("extern \"C\" int answer() { return one; }\n").error().hint, "");
}

TEST_F(CompilerTest, CompilesOnceAndThenFromTheCache) {
  folder_.write("ann/include/shared.hpp", "inline int half(int x) { return x / 2; }\n");
  const char* text =
      "#include \"task.h\"\n#include \"shared.hpp\"\n"
      "extern \"C\" int answer() { return half(TASK_VALUE); }\n";
  const auto first = compile(text);
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_FALSE(first->from_cache);
  EXPECT_GT(first->seconds, 0);
  EXPECT_EQ(call(first->library, "answer"), 21);
  struct stat info {};
  ASSERT_EQ(::stat(first->library.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0755u);
  EXPECT_EQ(info.st_uid, ::geteuid());

  const auto second = compile_only();
  ASSERT_TRUE(second.ok());
  EXPECT_TRUE(second->from_cache);
  EXPECT_EQ(second->library, first->library);
  EXPECT_EQ(second->seconds, first->seconds);
}

TEST_F(CompilerTest, KeyFollowsSourceHeadersTaskAndAbi) {
  folder_.write("ann/include/a.hpp", "// 1\n");
  const auto first = compile("int x;\n");
  ASSERT_TRUE(first.ok()) << first.error().message;
  folder_.write("ann/include/a.hpp", "// 2\n");
  const auto header = compile_only();
  const auto source = compile("int y;\n");
  const auto task = compile_with(compiler_, "#define OTHER\n");
  ASSERT_TRUE(header.ok() && source.ok() && task.ok());
  const std::vector<std::string> keys = {first->key, header->key, source->key, task->key};
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(std::count(keys.begin(), keys.end(), keys[i]), 1);
  }
}

TEST_F(CompilerTest, ADamagedCacheEntryIsBuiltAnew) {
  const auto first = compile("int x;\n");
  ASSERT_TRUE(first.ok()) << first.error().message;
  fs::path description = first->library;
  std::ofstream(description.replace_extension(".json")) << "{";
  const auto second = compile_only();
  ASSERT_TRUE(second.ok());
  EXPECT_FALSE(second->from_cache);
  EXPECT_TRUE(compile_only()->from_cache);
}

TEST_F(CompilerTest, SeveralThreadsMayCompileTheSame) {
  folder_.write("ann/level1/019_relu.cpp", "extern \"C\" int answer() { return 7; }\n");
  const Submission submission = found();
  const auto files = read_source_files(submission);
  ASSERT_TRUE(files.ok());
  std::vector<std::future<Result<CompiledSubmission>>> compiled;
  for (int i = 0; i < 4; ++i) {
    compiled.push_back(std::async(
        std::launch::async, [&] { return compiler_.compile(submission, *files, kTaskHeader); }));
  }
  for (auto& one : compiled) {
    const auto result = one.get();
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(call(result->library, "answer"), 7);
  }
  // Nothing but one library and its description stays behind.
  const auto left = std::filesystem::directory_iterator(compiled_folder());
  EXPECT_EQ(std::distance(begin(left), end(left)), 2);
}

// Within a day the whole cache once grew without a limit, by 64 MiB for each hundred bytes of
// source.
TEST_F(CompilerTest, OfAnAgentsLibrariesTheOldestGoes) {
  const auto long_ago = [](const fs::path& file) {
    const timespec then{std::time(nullptr) - 3600, 0};
    const std::array times{then, then};
    ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times.data(), 0), 0);
  };
  const Compiler narrow(*sandbox_, toolchain_for(90), cache_.path(), kbench::test::kAbi,
                        {.kept = {.bytes = 500u << 10,
                                  .spared = std::chrono::minutes{10},
                                  .between = std::chrono::seconds{0}}});
  const auto large = [&](int value) {
    folder_.write("ann/level1/019_relu.cpp",
                  fmt::format("extern \"C\" int many[75000] = {{{}}};\n", value));
    return compile_with(narrow);
  };
  const auto first = large(1);
  ASSERT_TRUE(first.ok()) << first.error().message;
  long_ago(first->library);
  const auto second = large(2);
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_FALSE(fs::exists(first->library));
  EXPECT_TRUE(fs::exists(second->library));
  // A library that a run may be about to use stays.
  const auto third = large(3);
  ASSERT_TRUE(third.ok()) << third.error().message;
  EXPECT_TRUE(fs::exists(second->library) && fs::exists(third->library));
}

TEST_F(CompilerTest, FolderWithSeveralSourcesAndFlags) {
  folder_.write("ann/level1/019_relu/main.cpp",
                "#include \"twice.hpp\"\nextern \"C\" int answer() { return twice(N); }\n");
  folder_.write("ann/level1/019_relu/lib/twice.hpp", "int twice(int x);\n");
  folder_.write("ann/level1/019_relu/lib/twice.cpp",
                "#include \"twice.hpp\"\nint twice(int x) { return 2 * x; }\n");
  folder_.write("ann/level1/019_relu/submission.json",
                R"({"schema": "kbench-submission/1", "sources": ["main.cpp", "lib/twice.cpp"],
                    "flags": ["-Ilib", "-DN=8", "-O2"]})");
  const auto compiled = compile_only();
  ASSERT_TRUE(compiled.ok()) << compiled.error().message;
  EXPECT_EQ(call(compiled->library, "answer"), 16);
}

TEST_F(CompilerTest, ErrorsAreTheCompilersWordsWithRelativeNames) {
  const Error error = refusal("int f() { return undeclared_thing; }\n");
  EXPECT_EQ(error.code, ErrorCode::kSubmission);
  EXPECT_NE(error.message.find("ann/level1/019_relu.cpp does not compile"), std::string::npos);
  EXPECT_NE(error.message.find("019_relu.cpp:1:18: error:"), std::string::npos) << error.message;
  EXPECT_NE(error.message.find("undeclared_thing"), std::string::npos);
  EXPECT_EQ(error.message.find("/tmp/"), std::string::npos) << error.message;
}

TEST_F(CompilerTest, WarningsAreKept) {
  const auto compiled = compile("#warning look here\nint x;\n");
  ASSERT_TRUE(compiled.ok()) << compiled.error().message;
  EXPECT_NE(compiled->warnings.find("look here"), std::string::npos);
  EXPECT_EQ(compile_only()->warnings, compiled->warnings);
}

TEST_F(CompilerTest, FloodsOfErrorsAreShortAndClean) {
  std::string text = "#error \x1b[31mred\x07 \u202Ebidi\n";
  for (int i = 0; i < 5000; ++i)
    text += "int f() { return undeclared" + std::to_string(i) + "; }\n";
  const Error error = refusal(text);
  EXPECT_EQ(error.code, ErrorCode::kSubmission);
  EXPECT_LT(error.message.size(), 4000u);
  EXPECT_EQ(error.message.find('\x1b'), std::string::npos);
  EXPECT_EQ(error.message.find("\u202E"), std::string::npos);
}

TEST_F(CompilerTest, FilesOfTheHostAreOutOfReach) {
  for (const char* file : {"/etc/shadow", "/etc/passwd", "/root/.bashrc"}) {
    const Error error = refusal(std::string("#include \"") + file + "\"\n");
    EXPECT_EQ(error.code, ErrorCode::kSubmission);
    EXPECT_EQ(error.message.find("root:"), std::string::npos) << error.message;
  }
  const SubmissionFolder outside;
  const auto secret = outside.write("secret.hpp", "int leaked = 1;\n");
  if (sandbox_->level(false).bubblewrap) refusal("#include \"" + secret.string() + "\"\n");
}

TEST_F(CompilerTest, EndlessInputsMeetTheMemoryOrTimeLimit) {
  folder_.write("ann/level1/019_relu.cpp", "#include \"/dev/zero\"\n");
  const auto include = compile_with(strict_);
  ASSERT_FALSE(include.ok());
  EXPECT_EQ(include.error().code, ErrorCode::kSubmission);
  // An assembler may also read this as empty; what matters is that it ends.
  folder_.write("ann/level1/019_relu.cpp", "asm(\".incbin \\\"/dev/zero\\\"\");\n");
  const auto incbin = compile_with(strict_);
  EXPECT_TRUE(incbin.ok() || incbin.error().code == ErrorCode::kSubmission);
}

TEST_F(CompilerTest, GiantInitialisersMeetTheFileLimit) {
  EXPECT_EQ(refusal("extern \"C\" { char giant[3ull << 30] = {1}; }\n").code,
            ErrorCode::kSubmission);
}

TEST_F(CompilerTest, TemplateBombsMeetTheTimeLimit) {
  folder_.write(
      "ann/level1/019_relu.cpp",
      "constexpr long spin(long n) { long s = 0;\n"
      "  for (long i = 0; i < n; ++i) s += i; return s; }\n"
      "template <int N> struct T { static constexpr long v = T<N - 1>::v + spin(200000 + N); };\n"
      "template <> struct T<0> { static constexpr long v = 0; };\n"
      "long x = T<800>::v;\n");
  const auto bomb = compile_with(strict_);
  ASSERT_FALSE(bomb.ok());
  EXPECT_EQ(bomb.error().code, ErrorCode::kSubmission);
  EXPECT_NE(bomb.error().message.find("did not compile within 4 s"), std::string::npos)
      << bomb.error().message;
}

TEST_F(CompilerTest, AMissingCompilerIsOurFault) {
  folder_.write("ann/level1/019_relu.cpp", "int x;\n");
  Toolchain none;
  const Compiler compiler(*sandbox_, none, cache_.path(), kbench::test::kAbi);
  const auto compiled = compile_with(compiler);
  ASSERT_FALSE(compiled.ok());
  EXPECT_EQ(compiled.error().code, ErrorCode::kInfrastructure);
  EXPECT_NE(compiled.error().hint.find("CXX"), std::string::npos);
}

TEST_F(CompilerTest, WordsThatBlameTheMachineAreTheSubmissionsOwn) {
  for (const char* words :
       {"cannot find -lcublas", "No space left on device", "Killed", "nvcc fatal: nothing works",
        "sh: 1: g++: not found", "cc1plus: out of memory"}) {
    const auto error = refusal(std::string("#error ") + words + "\n");
    EXPECT_EQ(error.code, ErrorCode::kSubmission) << words;
    EXPECT_NE(error.message.find(words), std::string::npos) << error.message;
  }
}

TEST_F(CompilerTest, WordsAboutALibraryThatIsThereAreTheSubmissionsOwn) {
  if (compiler_.toolchain().nvcc.empty()) GTEST_SKIP() << "no nvcc here";
  folder_.write("ann/level1/019_relu/relu.cu", "#error cannot find -lcublas: no such file\n");
  folder_.write("ann/level1/019_relu/submission.json",
                R"({"schema": "kbench-submission/1", "sources": ["relu.cu"],
                    "libraries": ["cublas"]})");
  const auto compiled = compile_only();
  ASSERT_FALSE(compiled.ok());
  folder_.write(
      "ann/level1/019_relu/relu.cu",
      "#include <cublas_v2.h>\nextern \"C\" void* f() { return (void*)cublasCreate_v2; }\n");
  // Where cuBLAS is not installed, that is so whatever the submission says.
  const bool installed = compile_only().ok();
  EXPECT_EQ(compiled.error().code, installed ? ErrorCode::kSubmission : ErrorCode::kInfrastructure)
      << compiled.error().message;
}

TEST_F(CompilerTest, HeadersOfOursThatAreMissingAreOurFault) {
  folder_.write("ann/level1/019_relu.cpp", "#include \"task.h\"\n");
  const auto compiled = compile_with(compiler_, "#include <no_such_header_anywhere.h>\n");
  ASSERT_FALSE(compiled.ok());
  EXPECT_EQ(compiled.error().code, ErrorCode::kInfrastructure);
  EXPECT_NE(compiled.error().message.find("nothing can be compiled here"), std::string::npos);
}

// That lines of ours compile is believed for a minute, in which the disk may have filled up.
TEST_F(CompilerTest, AFullDiskIsOurFaultRightAfterLinesOfOursCompiledToo) {
  constexpr int kSkipped = 77;
  const SubmissionFolder disk;
  const int code = kbench::test::wait_for(kbench::test::start_child([&] {
    if (::unshare(CLONE_NEWNS) != 0) return kSkipped;
    ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    if (::mount("tmpfs", disk.path().c_str(), "tmpfs", 0, "size=512k") != 0) return kSkipped;
    if (refusal("#error nothing\n").code != ErrorCode::kSubmission) return 10;
    ::setenv("TMPDIR", disk.path().c_str(), 1);
    return refusal("char table[4 << 20] = {1};\n").code == ErrorCode::kInfrastructure ? 0 : 11;
  }));
  if (code == kSkipped) GTEST_SKIP() << "no small file system can be mounted here";
  EXPECT_EQ(code, 0);
}

TEST_F(CompilerTest, FlagsThatBreakEverythingAreTheSubmissionsFault) {
  folder_.write("ann/level1/019_relu/relu.cpp", "#include <cmath>\n#include <vector>\n");
  folder_.write("ann/level1/019_relu/submission.json",
                R"({"schema": "kbench-submission/1", "sources": ["relu.cpp"],
                    "flags": ["-Dnamespace=infrastructure"]})");
  const auto compiled = compile_only();
  ASSERT_FALSE(compiled.ok());
  EXPECT_EQ(compiled.error().code, ErrorCode::kSubmission) << compiled.error().message;
}

TEST_F(CompilerTest, CompilesCuda) {
  expect_cuda_to_answer_42(
      "#include \"task.h\"\n"
      "__global__ void add(float* x) { x[threadIdx.x] += TASK_VALUE; }\n"
      "extern \"C\" int answer() { return TASK_VALUE; }\n"
      "extern \"C\" void run(float* x, cudaStream_t s) { add<<<1, 32, 0, s>>>(x); }\n");
  if (IsSkipped() || HasFatalFailure()) return;
  EXPECT_TRUE(compile_only()->from_cache);
}

TEST_F(CompilerTest, CudaHasTheSpecialFunctionsAndWhatTheyInclude) {
  expect_cuda_to_answer_42(
      "#include <cuda_runtime.h>\n"
      "static_assert(std::numeric_limits<float>::has_infinity);\n"
      "extern \"C\" int answer() { return static_cast<int>(26 * std::riemann_zeta(2.0)); }\n");
}

// They exist on sm_90a only, and PTX for anything else is refused with them in it.
TEST_F(CompilerTest, HoppersOwnInstructionsCompile) {
  expect_cuda_to_answer_42(
      "#include \"task.h\"\n"
      "__global__ void f() { asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\"); }\n"
      "extern \"C\" int answer() { return TASK_VALUE; }\n");
}

TEST_F(CompilerTest, CudaErrorsAreTheCompilersWords) {
  if (compiler_.toolchain().nvcc.empty()) GTEST_SKIP() << "no nvcc here";
  const Error error = refusal("__global__ void f() { undeclared_thing(); }\n", ".cu");
  EXPECT_EQ(error.code, ErrorCode::kSubmission);
  EXPECT_NE(error.message.find("019_relu.cu(1): error:"), std::string::npos) << error.message;
}

TEST_F(CompilerTest, TheAssemblerTellsRegistersAndSpillsWhereItIsAsked) {
  if (compiler_.toolchain().nvcc.empty()) GTEST_SKIP() << "no nvcc here";
  const char* text =
      "#include \"task.h\"\n"
      "__global__ void scale(float* x) { x[threadIdx.x] *= 2; }\n"
      "extern \"C\" int kbench_forward() { scale<<<1, 1>>>(nullptr); return 0; }\n";
  const auto silent = compile(text, ".cu");
  ASSERT_TRUE(silent.ok()) << silent.error().message;
  EXPECT_TRUE(read_ptxas(silent->warnings).kernels.empty());
  compiler_.tell(CompilerTells::kResources);
  for (const bool cached : {false, true}) {
    const auto compiled = compile_only();
    ASSERT_TRUE(compiled.ok()) << compiled.error().message;
    EXPECT_EQ(compiled->from_cache, cached);
    const auto report = read_ptxas(compiled->warnings);
    ASSERT_EQ(report.kernels.size(), 1u) << compiled->warnings;
    EXPECT_EQ(report.kernels[0].name, "scale(float*)");
    EXPECT_GT(report.kernels[0].registers, 0);
    EXPECT_EQ(report.kernels[0].spill_store_bytes, 0);
  }
}

}  // namespace
}  // namespace kbench
