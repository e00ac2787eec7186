#include "runner/submission/extension_request.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <regex>
#include <utility>

#include <fmt/format.h>

#include "runner/core/sha256.hpp"
#include "runner/core/strict_json.hpp"
#include "runner/core/text_in.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/submission/manifest.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostItems = 256;

Error wrong(const std::string& what, std::string hint = "") {
  return {ErrorCode::kSubmission, "an extension cannot be compiled: " + what, std::move(hint)};
}

// The texts of a field. Requests have every field: without one, it is no request of ours.
std::optional<std::vector<std::string>> texts_in(const Json& json, const char* name) {
  std::vector<std::string> texts;
  const auto list = json.find(name);
  if (list == json.end() || !list->is_array() || list->size() > kMostItems) return std::nullopt;
  for (const Json& item : *list) {
    if (!item.is_string()) return std::nullopt;
    texts.push_back(item.get<std::string>());
  }
  return texts;
}

bool flag_in(const Json& json, const char* name, bool otherwise) {
  const auto found = json.find(name);
  return found != json.end() && found->is_boolean() ? found->get<bool>() : otherwise;
}

// Whether the name may be a module's: it becomes a word of C++, a file and an option.
bool is_module_name(const std::string& name) {
  static const std::regex kName("[A-Za-z_][A-Za-z0-9_]{0,99}");
  return name.size() <= 100 && std::regex_match(name, kName);
}

bool is_cuda_file(const std::string& name) {
  return name.ends_with(".cu") || name.ends_with(".cuh");
}

bool is_source_name(const std::string& name) {
  return is_plain_relative_path(name) &&
         (is_cuda_file(name) || name.ends_with(".cpp") || name.ends_with(".cc") ||
          name.ends_with(".c") || name.ends_with(".cxx"));
}

// Functions to bind: names, or names with a line about each; null where the sources bind them.
Result<Json> functions_of(const Json& json) {
  const auto found = json.find("functions");
  if (found == json.end() || found->is_null()) return Json();
  const bool fine =
      (found->is_array() || found->is_object()) && found->size() <= kMostItems &&
      std::all_of(found->begin(), found->end(), [](const Json& item) { return item.is_string(); });
  if (!fine) return wrong("its functions are no list of names");
  return Json(*found);
}

Status read_inline(const Json& json, ExtensionRequest& request) {
  const auto cpp = texts_in(json, "cpp");
  const auto cuda = texts_in(json, "cuda");
  if (!cpp || !cuda) return wrong("its sources are no texts");
  auto functions = functions_of(json);
  if (!functions) return functions.error();
  request.inline_options = {{"cpp", *cpp},
                            {"cuda_texts", *cuda},
                            {"functions", std::move(*functions)},
                            {"error_handling", flag_in(json, "error_handling", true)},
                            {"implicit_headers", flag_in(json, "implicit_headers", true)}};
  const auto all = [](const std::vector<std::string>& texts) {
    std::string text;
    for (const std::string& one : texts) text += one + "\n";
    return text;
  };
  request.texts.push_back({"main.cpp", all(*cpp)});
  if (!cuda->empty()) request.texts.push_back({"cuda.cu", all(*cuda)});
  return Done{};
}

Status read_files(const Json& json, ExtensionRequest& request) {
  const auto sources = json.find("sources");
  if (sources == json.end() || !sources->is_array() || sources->empty() ||
      sources->size() > kMostItems)
    return wrong("it names no source files");
  for (const Json& source : *sources) {
    const bool inside = source.is_object() && source.contains("file");
    const std::string name = source.is_object() ? text_in(source, inside ? "file" : "name") : "";
    if (!is_source_name(name)) {
      return wrong(fmt::format("the source \"{}\" is no .cpp or .cu with a plain name",
                               clean_name(name, 120)),
                   kPlainPaths);
    }
    if (inside) {
      request.files.push_back(name);
    } else {
      request.texts.push_back({name, text_in(source, "text")});
    }
  }
  return Done{};
}

Status read_options(const Json& json, ExtensionRequest& request) {
  ExtensionFlags given;
  for (const auto& [name, flags] : {std::pair{"cflags", &given.host},
                                    {"cuda_cflags", &given.cuda},
                                    {"ldflags", &given.linker}}) {
    auto words = texts_in(json, name);
    if (!words) return wrong("its flags are no texts");
    *flags = std::move(*words);
  }
  auto checked = check_extension_flags(given);
  if (!checked) return checked.error();
  request.flags = std::move(*checked);
  auto includes = texts_in(json, "includes");
  if (!includes) return wrong("its include folders are no texts");
  request.includes = std::move(*includes);
  for (const std::string& folder : request.includes) {
    const fs::path path = folder;
    const bool inside = folder == "." || is_plain_relative_path(folder);
    if (!inside && !(path.is_absolute() && path == path.lexically_normal()))
      return wrong(
          fmt::format("the include folder \"{}\" is no plain path", clean_name(folder, 120)),
          kPlainPaths);
  }
  const auto has_cuda_source = [](const auto& names) {
    return std::any_of(names.begin(), names.end(),
                       [](const auto& name) { return is_cuda_file(name); });
  };
  std::vector<std::string> names = request.files;
  for (const SourceFile& text : request.texts) names.push_back(text.name);
  request.cuda = flag_in(json, "with_cuda", false) || has_cuda_source(names);
  return Done{};
}

}  // namespace

Result<ExtensionRequest> read_extension_request(const std::string& name, const std::string& text) {
  const auto json =
      parse_strict_json(text, "request", {.max_bytes = kMostRequestBytes, .max_depth = 8});
  if (!json || !json->is_object()) return wrong("what is asked for is no request");
  ExtensionRequest request;
  request.name = name;
  if (!is_module_name(request.name))
    return wrong(fmt::format("\"{}\" is no name of a module", clean_name(request.name, 80)),
                 "It is made of letters, digits and _, and begins with no digit.");
  const std::string kind = text_in(*json, "kind");
  if (kind == "c") {
    request.kind = ExtensionKind::kC;
    request.texts.push_back({request.name + ".c", text_in(*json, "text")});
    return request;
  }
  Status read = wrong("what is asked for is no request");
  if (kind == "inline") read = read_inline(*json, request);
  if (kind == "files") {
    request.kind = ExtensionKind::kFiles;
    read = read_files(*json, request);
  }
  if (read) read = read_options(*json, request);
  if (!read) return read.error();
  return request;
}

std::string cuda_agent_request(const std::vector<SourceFile>& files) {
  constexpr std::string_view kOwn = "src/";
  constexpr std::string_view kKernels = "kernels/";
  Json sources = Json::array();
  bool cuda = false;
  for (const SourceFile& file : files) {
    if (!file.name.starts_with(kOwn)) continue;
    const std::string name = file.name.substr(kOwn.size());
    const std::string leaf = name.starts_with(kKernels) ? name.substr(kKernels.size()) : name;
    const bool compiled =
        leaf.find('/') == std::string::npos && (leaf.ends_with(".cu") || leaf.ends_with(".cpp"));
    if (!compiled) continue;
    cuda |= leaf.ends_with(".cu");
    sources.push_back({{"file", name}});
  }
  return Json{{"kind", "files"},
              {"sources", std::move(sources)},
              {"cflags", {"-O3", "-std=c++17"}},
              {"cuda_cflags", {"-O3", "--use_fast_math"}},
              {"ldflags", Json::array()},
              {"includes", Json::array()},
              {"with_cuda", cuda},
              {"module", true}}
      .dump();
}

std::string extension_key(const std::string& text) { return sha256(text); }

}  // namespace kbench
