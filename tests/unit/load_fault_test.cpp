// Libraries of this machine's compiler, looked at without being run, and what its loader says of
// them.
#include "runner/submission/load_fault.hpp"

#include <dlfcn.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/core/library_words.hpp"
#include "runner/os/files.hpp"
#include "runner/submission/compiler.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace kbench {
namespace {

constexpr const char* kForward = "extern \"C\" int kbench_forward() { return 0; }\n";

class LoadFaultTest : public ::testing::Test {
 protected:
  // `flags`: some for the compiler, behind the file.
  std::filesystem::path library_of(const std::string& text, const std::string& flags = "") {
    const auto source = folder_.write("source.cpp", text);
    auto library = folder_ / fmt::format("{}.so", ++libraries_);
    const std::string command = fmt::format("{} -std=c++20 -shared -fPIC -o {} {} {}",
                                            find_toolchain().host_compiler.string(),
                                            library.string(), source.string(), flags);
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return library;
  }
  static State state_of(const std::filesystem::path& library) {
    const auto fault = find_load_fault(library);
    return fault ? fault->state : State::kOk;
  }

  test::TemporaryFolder folder_;
  int libraries_ = 0;
};

TEST_F(LoadFaultTest, ALibraryThatLoadsHasNone) {
  EXPECT_EQ(state_of(library_of(kForward)), State::kOk);
  EXPECT_EQ(
      state_of(library_of(std::string("#include <cmath>\n#include <cstdio>\n#include <string>\n"
                                      "#include <thread>\n#include <vector>\n"
                                      "thread_local int calls;\n"
                                      "extern \"C\" void perhaps() __attribute__((weak));\n"
                                      "double slow(double x) {\n"
                                      "  std::jthread helper([&] { x = std::pow(x, x); });\n"
                                      "  std::puts(std::to_string(++calls).c_str());\n"
                                      "  if (perhaps != nullptr) perhaps();\n"
                                      "  return x;\n"
                                      "}\n") +
                          kForward)),
      State::kOk);
}

TEST_F(LoadFaultTest, WithoutTheEntryPointItIsMissing) {
  for (const char* text :
       {"int kbench_forward() { return 0; }", "extern \"C\" void forward() {}",
        "extern \"C\" __attribute__((visibility(\"hidden\"))) int kbench_forward() "
        "{ return 0; }",
        ""}) {
    const auto fault = find_load_fault(library_of(text));
    ASSERT_TRUE(fault) << text;
    EXPECT_EQ(fault->state, State::kMissingSymbol);
    EXPECT_EQ(fault->error.code, ErrorCode::kSubmission);
    EXPECT_EQ(fault->error.message, kNoForward);
    EXPECT_EQ(fault->error.hint, kNoForwardHint);
  }
}

// A kernel writer who had written extern "C" was told to write it.
TEST_F(LoadFaultTest, AnEntryPointThatIsMisspeltIsNamed) {
  const auto fault = find_load_fault(library_of("extern \"C\" void kbench_foward() {}"));
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->state, State::kMissingSymbol);
  EXPECT_EQ(fault->error.hint, "it has kbench_foward: spell it kbench_forward");
}

// The words are those of the loader, whose first symbol it is.
TEST_F(LoadFaultTest, ASymbolThatNobodyDefinesIsNamed) {
  const auto library = library_of(std::string("int nowhere(int);\nextern int neither;\n"
                                              "int* place = &neither;\n"
                                              "int call() { return nowhere(*place); }\n") +
                                  kForward);
  const auto fault = find_load_fault(library);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->state, State::kLoadError);
  ASSERT_EQ(::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL), nullptr);
  const std::string loader = ::dlerror();
  EXPECT_EQ(kDoesNotLoad + loader.substr(loader.find(": ") + 2), fault->error.message);
  EXPECT_EQ(fault->error.hint, kDoesNotLoadHint);
}

// A library that was not linked against a usual one finds the symbols of that all the same, since
// the worker has loaded it.
TEST_F(LoadFaultTest, WhatOthersMayDefineIsLeftToTheLoader) {
  const std::string threads = std::string(
                                  "extern \"C\" int omp_get_thread_num();\n"
                                  "int mine() { return omp_get_thread_num(); }\n") +
                              kForward;
  EXPECT_EQ(state_of(library_of(threads)), State::kOk);
  const auto other = library_of("int nowhere(int) { return 0; }");
  const std::string text =
      std::string("int nowhere(int);\nint call() { return nowhere(1); }\n") + kForward;
  EXPECT_EQ(state_of(library_of(text, other.string())), State::kOk)
      << "a library that is not known may have it";
}

TEST_F(LoadFaultTest, OfWhatIsNoLibraryNothingIsSaid) {
  EXPECT_FALSE(find_load_fault(folder_ / "none.so"));
  EXPECT_FALSE(find_load_fault_in(""));
  EXPECT_FALSE(
      find_load_fault_in("\x7f"
                         "ELF"));
  const auto whole = read_file(library_of(""));
  ASSERT_TRUE(whole);
  for (std::size_t bytes = 0; bytes < whole->size(); bytes += 61)
    (void)find_load_fault_in(std::string_view(*whole).substr(0, bytes));
  for (std::size_t at = 0; at < whole->size(); at += 7) {
    std::string spoilt = *whole;
    spoilt[at] = static_cast<char>(0xff);
    (void)find_load_fault_in(spoilt);
  }
}

}  // namespace
}  // namespace kbench
