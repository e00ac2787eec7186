#include "runner/installation/python_facts.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>

#include "runner/core/json.hpp"
#include "runner/os/trusted_python.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// find_spec instead of import: nothing is executed, which takes seconds.
constexpr const char* kQuestions = R"(
import importlib.util, json, os, sys, sysconfig
torch = importlib.util.find_spec("torch")
home = os.path.dirname(torch.origin) if torch and torch.origin else ""
print(json.dumps({
    "path": [p for p in sys.path if p and os.path.isabs(p) and os.path.exists(p)],
    "homes": [sys.prefix, sys.base_prefix, os.path.dirname(os.path.realpath(sys.executable))],
    "torch": torch is not None,
    "cuda": os.path.exists(os.path.join(home, "lib", "libtorch_cuda.so")),
    "headers": sysconfig.get_path("include", scheme="posix_prefix") or "",
}))
)";

// The sandbox shows these anyhow.
bool is_system(const fs::path& folder) {
  const std::string text = folder.lexically_normal().string() + "/";
  return text.starts_with("/usr/") || text.starts_with("/bin/") || text.starts_with("/lib/");
}

std::vector<fs::path> paths_of(const Json& list) {
  std::vector<fs::path> paths;
  for (const Json& item : list)
    if (item.is_string()) paths.emplace_back(item.get<std::string>());
  return paths;
}

}  // namespace

Result<PythonFacts> ask_python(const fs::path& python) {
  const auto trusted = TrustedPython::find(python);
  if (!trusted) return trusted.error();
  const auto text = trusted->run(kQuestions, std::chrono::seconds(60));
  if (!text) return text.error();
  const Json json = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  const bool whole = json.is_object() && json.contains("path") && json.contains("homes") &&
                     json["path"].is_array() && json["homes"].is_array();
  if (!whole || json.value("torch", false) == false) {
    return Error{ErrorCode::kInfrastructure, fmt::format("{} has no torch", python.string()),
                 "point KBENCH_TORCH at a Python with torch 2.9 or newer"};
  }
  PythonFacts facts;
  facts.module_folders = paths_of(json["path"]);
  if (const auto headers = json.find("headers"); headers != json.end() && headers->is_string())
    facts.headers = headers->get<std::string>();
  std::set<fs::path> folders;
  for (const Json* list : {&json["homes"], &json["path"]}) {
    for (const fs::path& folder : paths_of(*list))
      if (!is_system(folder) && folder != "/" && fs::exists(folder)) folders.insert(folder);
  }
  facts.folders.assign(folders.begin(), folders.end());
  facts.torch_has_cuda = json.value("cuda", Json()) == Json(true);
  return facts;
}

}  // namespace kbench
