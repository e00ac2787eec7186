#include "runner/submission/python_imports.hpp"

#include <string>

#include <gtest/gtest.h>

#include "runner/submission/submission.hpp"

namespace kbench {
namespace {

PythonNeeds of(const std::string& text) { return needs_of({{"x.py", text}}); }

TEST(PythonImports, TritonAndExtensionsAreKnownByTheirModules) {
  EXPECT_TRUE(of("import triton.language as tl\n").triton);
  EXPECT_TRUE(of("from torch.utils.cpp_extension import load_inline\n").compiler);
  EXPECT_TRUE(of("from torch.utils import cpp_extension\n").compiler);
  EXPECT_EQ(of("import torch\nimport tritonlike\n"), PythonNeeds{});
}

TEST(PythonImports, TorchCompileIsKnownByItsName) {
  for (const char* text : {"f = torch.compile(g)\n", "    @torch.compile\n",
                           "from torch import nn, compile\n", "x=torch.compile"})
    EXPECT_TRUE(of(text).torch_compile) << text;
  for (const char* text : {"@torch.compiler.disable\n", "re.compile('x')\n", "mytorch.compile(g)\n",
                           "from re import compile\n", "torch.compiled\n"})
    EXPECT_FALSE(of(text).torch_compile) << text;
}

}  // namespace
}  // namespace kbench
