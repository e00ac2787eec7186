// `kbench lane` alone, for the installation in the file that KBENCH_TEST_INSTALLATION names.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "runner/core/json.hpp"
#include "runner/installation/installation.hpp"
#include "runner/run/device_lane.hpp"

int main() {
  using kbench::Json;
  namespace fs = std::filesystem;
  const char* named = std::getenv("KBENCH_TEST_INSTALLATION");
  if (named == nullptr) return 2;
  std::ifstream file(named);
  const Json said = Json::parse(file);
  const auto path = [&](const char* name) { return fs::path(said.at(name).get<std::string>()); };
  kbench::Installation here;
  here.root = path("root");
  here.suites = path("suites");
  here.abi = path("abi");
  here.oracle = path("oracle");
  here.worker = path("worker");
  here.cache = path("cache");
  here.state = path("state");
  here.locks = path("locks");
  return kbench::serve_device_lane(here) ? 0 : 1;
}
