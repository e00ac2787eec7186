#include "runner/submission/manifest.hpp"

#include <algorithm>
#include <regex>

#include <fmt/format.h>

#include "runner/core/defence.hpp"
#include "runner/core/json.hpp"
#include "runner/core/precision_class.hpp"
#include "runner/core/strict_json.hpp"
#include "runner/core/suggest.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/submission/flags.hpp"

namespace kbench {
namespace {

constexpr std::size_t kMaxListItems = 64;
constexpr std::size_t kMaxText = 200;

Error bad(const std::string& field, const std::string& problem, std::string hint = "") {
  return {ErrorCode::kBadInput, fmt::format("submission.json: {}: {}", field, problem),
          std::move(hint)};
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const auto near = nearest(word.substr(0, 64), known);
  return near ? fmt::format("did you mean \"{}\"?", *near)
              : fmt::format("Known: {}.", fmt::join(known, ", "));
}

Status check_fields(const Json& json) {
  static const std::vector<std::string> kFields = {
      "schema", "name", "agent", "sources", "flags", "libraries", "precision", "kind", "entry"};
  if (!json.is_object()) return bad("the document", "is no object");
  for (const auto& [name, value] : json.items()) {
    if (std::find(kFields.begin(), kFields.end(), name) == kFields.end()) {
      return bad(fmt::format("\"{}\"", clean_name(name, 80)), "unknown field",
                 did_you_mean(name, kFields));
    }
  }
  return Done{};
}

// An optional text; `fallback` where the field is absent.
Result<std::string> text_field(const Json& json, const char* name, std::string fallback) {
  const auto found = json.find(name);
  if (found == json.end()) return fallback;
  if (!found->is_string()) return bad(name, "must be a string");
  auto text = found->get<std::string>();
  if (text.size() > kMaxText) return bad(name, "is too long");
  return text;
}

Result<std::vector<std::string>> list_field(const Json& json, const char* name) {
  std::vector<std::string> list;
  const auto found = json.find(name);
  if (found == json.end()) return list;
  if (!found->is_array()) return bad(name, "must be a list of strings");
  if (found->size() > kMaxListItems) {
    return bad(name, fmt::format("has more than {} entries", kMaxListItems));
  }
  for (const Json& item : *found) {
    if (!item.is_string()) return bad(name, "must be a list of strings");
    list.push_back(item.get<std::string>());
    if (std::count(list.begin(), list.end(), list.back()) > 1) {
      return bad(name, fmt::format("\"{}\" is given twice", clean_name(list.back(), 80)));
    }
  }
  return list;
}

// A statement about where the folder lies, which must be true.
Status check_statement(const Json& json, const char* name, const std::string& expected) {
  const auto text = text_field(json, name, expected);
  if (!text) return text.error();
  if (*text == expected) return Done{};
  return bad(
      name,
      fmt::format("says \"{}\", but the folder lies at \"{}\"", clean_name(*text, 80), expected),
      "Leave the field out, or move the folder.");
}

Status check_sources(const std::filesystem::path& folder, const std::vector<std::string>& sources) {
  if (sources.empty()) return bad("sources", "names no file");
  for (const std::string& source : sources) {
    const std::string shown = clean_name(source, 80);
    if (!is_plain_relative_path(source)) {
      return bad("sources", fmt::format("\"{}\" is no plain path inside the folder", shown),
                 kPlainPaths);
    }
    if (!source.ends_with(".cu") && !source.ends_with(".cpp")) {
      return bad("sources", fmt::format("\"{}\" is neither .cu nor .cpp", shown),
                 "Headers are found by themselves; list only what is to be compiled.");
    }
    std::error_code error;
    if (!std::filesystem::is_regular_file(folder / source, error)) {
      return bad("sources", fmt::format("there is no file \"{}\"", shown));
    }
  }
  return Done{};
}

// A Python submission names one file, which imports the others.
Status read_python(const Json& json, const std::filesystem::path& folder, Manifest& manifest) {
  for (const char* name : {"sources", "flags", "libraries"}) {
    if (json.contains(name))
      return bad(name, "means nothing for Python", "Name the file with ModelNew as \"entry\".");
  }
  const auto entry = text_field(json, "entry", "");
  if (!entry) return entry.error();
  const std::string shown = clean_name(*entry, 80);
  if (!is_plain_relative_path(*entry) || !entry->ends_with(".py")) {
    return bad("entry", fmt::format("\"{}\" is no plain path of a .py inside the folder", shown),
               "It is the file that defines ModelNew, as in \"model_new.py\".");
  }
  std::error_code error;
  if (!std::filesystem::is_regular_file(folder / *entry, error))
    return bad("entry", fmt::format("there is no file \"{}\"", shown));
  manifest.kind = SubmissionKind::kPython;
  manifest.sources = {*entry};
  return Done{};
}

Status check_precision(const std::string& precision) {
  if (is_precision_class(precision)) return Done{};
  const std::vector<std::string> known(kPrecisionClasses.begin(), kPrecisionClasses.end());
  return bad("precision", fmt::format("\"{}\" is unknown", clean_name(precision, 80)),
             did_you_mean(precision, known));
}

Status check_build(const Manifest& manifest) {
  for (const std::string& flag : manifest.flags) {
    const auto allowed = check_flag(flag, manifest.device);
    if (!allowed) return bad("flags", allowed.error().message, allowed.error().hint);
  }
  for (const std::string& library : manifest.libraries) {
    const auto allowed = check_library(library, manifest.device);
    if (!allowed) return bad("libraries", allowed.error().message, allowed.error().hint);
  }
  return check_precision(manifest.precision);
}

}  // namespace

bool is_plain_relative_path(const std::string& path) {
  static const std::regex kPlain(
      R"([A-Za-z0-9_+][A-Za-z0-9_.+@-]*(/[A-Za-z0-9_+][A-Za-z0-9_.+@-]*)*)");
  static const std::regex kWeak(
      R"([A-Za-z0-9_+@-][A-Za-z0-9_.+@=-]*(/[A-Za-z0-9_+@-][A-Za-z0-9_.+@=-]*)*)");
  const std::regex& allowed = stands(Defence::kPlainFileNames) ? kPlain : kWeak;
  return path.size() <= kMaxText && std::regex_match(path, allowed);
}

Result<Manifest> read_manifest(const std::filesystem::path& folder, const std::string& task_name,
                               const std::string& agent) {
  constexpr std::size_t kMostBytes = 64u << 10;
  const std::filesystem::path file = folder / "submission.json";
  auto text = read_bounded_file(file, kMostBytes);
  if (!text) return text.error();
  const auto json =
      parse_strict_json(*text, file.string(), {.max_bytes = kMostBytes, .max_depth = 4});
  if (!json) return json.error();
  if (auto known = check_fields(*json); !known) return known.error();
  const auto schema = text_field(*json, "schema", "");
  if (!schema) return schema.error();
  if (*schema != "kbench-submission/1") {
    return bad("schema", "must be \"kbench-submission/1\"");
  }
  if (auto agrees = check_statement(*json, "name", task_name); !agrees) return agrees.error();
  if (auto agrees = check_statement(*json, "agent", agent); !agrees) return agrees.error();

  Manifest manifest;
  manifest.text = std::move(*text);
  auto precision = text_field(*json, "precision", manifest.precision);
  if (!precision) return precision.error();
  manifest.precision = std::move(*precision);
  const auto kind = text_field(*json, "kind", "native");
  if (!kind) return kind.error();
  if (*kind == "python") {
    if (auto read = read_python(*json, folder, manifest); !read) return read.error();
    if (auto known = check_precision(manifest.precision); !known) return known.error();
    return manifest;
  }
  if (*kind != "native") {
    return bad("kind", fmt::format("\"{}\" is unknown", clean_name(*kind, 80)),
               did_you_mean(*kind, {"native", "python"}));
  }
  if (json->contains("entry")) return bad("entry", "is for \"kind\": \"python\" alone");
  auto sources = list_field(*json, "sources");
  if (!sources) return sources.error();
  if (auto valid = check_sources(folder, *sources); !valid) return valid.error();
  manifest.sources = std::move(*sources);
  const bool cuda = std::any_of(manifest.sources.begin(), manifest.sources.end(),
                                [](const std::string& source) { return source.ends_with(".cu"); });
  manifest.device = cuda ? "cuda" : "cpu";

  auto flags = list_field(*json, "flags");
  if (!flags) return flags.error();
  manifest.flags = std::move(*flags);
  auto libraries = list_field(*json, "libraries");
  if (!libraries) return libraries.error();
  manifest.libraries = std::move(*libraries);
  if (auto valid = check_build(manifest); !valid) return valid.error();
  return manifest;
}

}  // namespace kbench
