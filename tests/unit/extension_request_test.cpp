#include "runner/submission/extension_request.hpp"

#include <gtest/gtest.h>

namespace kbench {
namespace {

Json inline_request() {
  return {{"kind", "inline"},
          {"name", "relu"},
          {"cpp", {"int f();"}},
          {"cuda", Json::array()},
          {"functions", {"f"}},
          {"cflags", {"-O3"}},
          {"cuda_cflags", Json::array()},
          {"ldflags", Json::array()},
          {"includes", Json::array()},
          {"with_cuda", nullptr},
          {"error_handling", true},
          {"implicit_headers", true},
          {"module", true}};
}

Json files_request() {
  Json json = inline_request();
  json["kind"] = "files";
  json["sources"] = {{{"file", "kernels/relu.cpp"}}, {{"name", "made.cpp"}, {"text", "int g;"}}};
  return json;
}

ExtensionRequest read(const Json& json, const std::string& name = "relu") {
  auto request = read_extension_request(name, json.dump());
  if (request) return std::move(*request);
  ADD_FAILURE() << request.error().message;
  return {};
}

std::string complaint(const Json& json, const std::string& name = "relu") {
  const auto request = read_extension_request(name, json.dump());
  if (request) return "";
  EXPECT_EQ(request.error().code, ErrorCode::kSubmission);
  return request.error().message;
}

TEST(ExtensionRequest, TextsOfLoadInlineAreRead) {
  const ExtensionRequest request = read(inline_request());
  EXPECT_EQ(request.kind, ExtensionKind::kInline);
  EXPECT_EQ(request.name, "relu");
  EXPECT_FALSE(request.cuda);
  EXPECT_EQ(request.flags.host, std::vector<std::string>{"-O3"});
  ASSERT_EQ(request.texts.size(), 1u);
  EXPECT_EQ(request.texts[0].name, "main.cpp");
  EXPECT_EQ(request.inline_options["cpp"], Json::array({"int f();"}));
  EXPECT_EQ(request.inline_options["functions"], Json::array({"f"}));
}

TEST(ExtensionRequest, CudaIsToldByItsSourcesAndByWord) {
  Json json = inline_request();
  json["cuda"] = Json::array({"__global__ void f();"});
  EXPECT_TRUE(read(json).cuda);
  EXPECT_EQ(read(json).texts.back().name, "cuda.cu");
  json = inline_request();
  json["with_cuda"] = true;
  EXPECT_TRUE(read(json).cuda);
  json = files_request();
  json["sources"][0]["file"] = "kernels/relu.cu";
  EXPECT_TRUE(read(json).cuda);
}

TEST(ExtensionRequest, FilesAreTheSubmissionsOrWhatItWrote) {
  const ExtensionRequest request = read(files_request());
  EXPECT_EQ(request.kind, ExtensionKind::kFiles);
  EXPECT_EQ(request.files, std::vector<std::string>{"kernels/relu.cpp"});
  ASSERT_EQ(request.texts.size(), 1u);
  EXPECT_EQ(request.texts[0].name, "made.cpp");
  EXPECT_EQ(request.texts[0].bytes, "int g;");
}

TEST(ExtensionRequest, LinesOfCAreRead) {
  const ExtensionRequest request = read({{"kind", "c"}, {"text", "int x;"}}, "cuda_utils");
  EXPECT_EQ(request.kind, ExtensionKind::kC);
  ASSERT_EQ(request.texts.size(), 1u);
  EXPECT_EQ(request.texts[0].name, "cuda_utils.c");
}

TEST(ExtensionRequest, EveryFieldIsChecked) {
  const auto with = [](Json json, const char* field, Json value) {
    json[field] = std::move(value);
    return json;
  };
  for (const char* name : {"", "a b", "../x", "x;y", "9x", "x/y", "-x"})
    EXPECT_NE(complaint(inline_request(), name), "") << name;
  for (const char* field : {"cpp", "cuda", "cflags", "ldflags", "includes"}) {
    EXPECT_NE(complaint(with(inline_request(), field, "text")), "") << field;
    EXPECT_NE(complaint(with(inline_request(), field, Json::array({1}))), "") << field;
  }
  EXPECT_NE(complaint(with(inline_request(), "functions", 3)), "");
  EXPECT_NE(complaint(with(inline_request(), "kind", "sycl")), "");
  EXPECT_NE(complaint(with(inline_request(), "cflags", Json::array({"-fplugin=x"}))), "");
  for (const char* folder : {"../up", "/a/../b", "a b", "-x"})
    EXPECT_NE(complaint(with(inline_request(), "includes", Json::array({folder}))), "") << folder;
  EXPECT_EQ(
      complaint(with(inline_request(), "includes", Json::array({".", "a/b", "/usr/include"}))), "");
  for (const char* file : {"../x.cpp", "/etc/x.cpp", "x.so", "-x.cpp", "@x.cpp", "x.cpp\n"})
    EXPECT_NE(complaint(with(files_request(), "sources", Json::array({{{"file", file}}}))), "")
        << file;
  EXPECT_NE(complaint(with(files_request(), "sources", Json::array())), "");
  EXPECT_NE(complaint("text"), "");
  EXPECT_FALSE(read_extension_request("relu", "{").ok());
  EXPECT_FALSE(read_extension_request("relu", R"({"kind": "c", "kind": "c"})").ok());
  EXPECT_FALSE(read_extension_request("relu", std::string(kMostRequestBytes + 1, ' ')).ok());
}

// As its tools compile it: what lies at the top and in kernels/, and nothing below.
TEST(CudaAgentRequest, NamesTheSourcesThatItsToolsCompile) {
  const std::string text = cuda_agent_request({{"src/binding.cpp", ""},
                                               {"src/kernels/relu.cu", ""},
                                               {"src/kernels/relu_binding.cpp", ""},
                                               {"src/kernels/old/relu.cu", ""},
                                               {"src/binding_registry.h", ""},
                                               {"src/model_new.py", ""},
                                               {"include/shared.cpp", ""}});
  const auto request = read_extension_request(kCudaAgentModule, text);
  ASSERT_TRUE(request.ok()) << request.error().message;
  EXPECT_EQ(request->name, "cuda_extension");
  EXPECT_TRUE(request->cuda);
  EXPECT_EQ(request->files, (std::vector<std::string>{"binding.cpp", "kernels/relu.cu",
                                                      "kernels/relu_binding.cpp"}));
  EXPECT_EQ(request->flags.cuda, (std::vector<std::string>{"-O3", "--use_fast_math"}));
  EXPECT_FALSE(
      read_extension_request(kCudaAgentModule, cuda_agent_request({{"src/model_new.py", ""}}))
          .ok());
}

}  // namespace
}  // namespace kbench
