#include "runner/submission/findings.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

using Labels = std::vector<std::string>;

Labels labels_of(std::string code) { return find_labels({{"src/main.cu", std::move(code)}}); }

TEST(Findings, OrdinaryKernelsHaveNone) {
  EXPECT_EQ(labels_of("__global__ void k(float* y) { y[threadIdx.x] = 0; }\n"
                      "extern \"C\" int kbench_forward() { k<<<1, 2>>>(y); return 0; }"),
            Labels{});
}

TEST(Findings, EachKindIsNamedOnce) {
  EXPECT_EQ(labels_of("cudaStreamCreate(&a); cudaStreamCreateWithFlags(&b, 1); dlopen(0, 1);"),
            (Labels{"stream", "dlopen"}));
  EXPECT_EQ(labels_of("try { f(); } catch (...) {}"), Labels{"exception"});
  EXPECT_EQ(labels_of("asm volatile(\"mov.u64 %0, %%globaltimer;\" : \"=l\"(t));"),
            (Labels{"clock", "inline_assembly"}));
  EXPECT_EQ(labels_of("__asm__(\".incbin \\\"/dev/zero\\\"\");"),
            (Labels{"inline_assembly", "embedded_file"}));
  EXPECT_EQ(labels_of("__attribute__((constructor)) void f() { fork(); }"),
            (Labels{"system_call", "constructor"}));
}

TEST(Findings, CommentsAreNotCode) {
  EXPECT_EQ(labels_of("// as torch does it\n/* no dlopen,\n no asm */ int x;"), Labels{});
  EXPECT_EQ(labels_of("const char* s = \"// not a comment\"; dlopen(s, 1);"), Labels{"dlopen"});
}

TEST(Findings, PythonHasWordsOfItsOwn) {
  const auto labels = find_labels(
      {{"src/x.py", "import torch, threading\ntry:\n  pass\nexcept E:\n  ctypes.CDLL(0)"}});
  EXPECT_EQ(labels, (Labels{"thread", "dlopen", "exception"}));
}

TEST(Findings, WhoCanHideTorchOrFindThePlayerIsNamed) {
  for (const char* hides :
       {"torch.autograd._enable_record_function(False)",
        "torch._C._dispatch_tls_set_dispatch_key_included(k, False)",
        "with torch._C._ExcludeDispatchKeyGuard(k): pass", "_C._autograd._clear_callbacks()",
        "torch.library.Library('aten', 'IMPL')", "torch.library.impl(\"aten::copy_\", \"CPU\")"}) {
    EXPECT_EQ(find_labels({{"x.py", hides}}), Labels{"torch_unobserved"}) << hides;
  }
  EXPECT_EQ(find_labels({{"x.py", "sys._getframe(1).f_back"}}), Labels{"player"});
  EXPECT_EQ(labels_of("at::enableRecordFunction(false);"), Labels{"torch_unobserved"});
}

TEST(Findings, AnExtensionIncludesTorchInAnyCase) {
  const std::vector<SourceFile> text = {
      {"main.cpp", "#include <torch/extension.h>\nvoid f() { dlopen(0, 1); }"}};
  EXPECT_EQ(find_labels(text), (Labels{"dlopen", "torch"}));
  EXPECT_EQ(find_extension_labels(text), Labels{"dlopen"});
}

TEST(Findings, PartsOfLongerWordsAreNotFound) {
  EXPECT_EQ(labels_of("int plasma = 0; void my_dlopen(); int pitchfork(int);"), Labels{});
}

TEST(Findings, UnfinishedCommentsAndLiteralsEndWithTheFile) {
  EXPECT_EQ(without_comments("a /* b"), "a  ");
  EXPECT_EQ(without_comments("a \"b\\"), "a \"b\\");
  EXPECT_EQ(without_comments("1'000 // x"), "1'000 ");
}

}  // namespace
}  // namespace kbench
