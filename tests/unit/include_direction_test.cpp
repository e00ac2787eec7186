// The architecture as one table: which folder may include which. Every #include of the tree is held
// against it, so that a shortcut shows up as a failed test and not as a habit.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/paths.hpp"
#include "tests/unit/task_fixture.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Rule {
  std::set<std::string> may_include;  // besides itself
  bool torch = false;                 // LibTorch, in .cpp files only
  bool cuda = false;
};

// Folders of the supervisor stand first: no torch, and of CUDA only CUPTI in activity.
const std::map<std::string, Rule>& rules() {
  static const std::map<std::string, Rule> kRules = {
      {"runner/core", {}},
      // Included by both sides of its file; CUPTI's headers are in one source of it.
      {"runner/activity", {{"runner/core"}, false, true}},
      {"runner/answer", {{"runner/core"}}},
      {"runner/os", {{"runner/core"}}},
      {"runner/analysis", {{"runner/core"}}},
      {"runner/reward", {{"runner/core"}}},
      {"runner/attribution", {{"runner/core"}}},
      {"runner/trajectory", {{"runner/core", "runner/os"}}},
      // Files and signatures alone: it may not open what lies in the folder.
      {"runner/exchange", {{"runner/core", "runner/os"}}},
      {"runner/abi", {}},
      // Facts of the machine, for those who neither measure nor link CUDA.
      {"runner/machine", {{"runner/core"}}},
      {"runner/task", {{"runner/core"}}},
      {"runner/options", {{"runner/core", "runner/os", "runner/task"}}},
      {"runner/sandbox", {{"runner/core", "runner/os"}}},
      {"runner/installation", {{"runner/core", "runner/os"}}},
      {"runner/selftest", {{"runner/core", "runner/machine", "runner/os", "runner/sandbox"}}},
      {"runner/store/file", {{"runner/core"}}},
      {"runner/store/chain", {{"runner/core", "runner/store/file"}}},
      {"runner/store/rows",
       {{"runner/core", "runner/trajectory", "runner/store/file", "runner/store/chain"}}},
      {"runner/store",
       {{"runner/core", "runner/trajectory", "runner/store/file", "runner/store/chain",
         "runner/store/rows"}}},
      {"runner/store/care",
       {{"runner/core", "runner/store/file", "runner/store/chain", "runner/store/rows",
         "runner/store"}}},
      // The same folder with what lies there opened: runs of other machines.
      {"runner/pool",
       {{"runner/core", "runner/os", "runner/exchange", "runner/store", "runner/store/chain",
         "runner/store/rows"}}},
      {"runner/submission", {{"runner/core", "runner/os", "runner/sandbox"}}},
      {"runner/plan",
       {{"runner/core", "runner/machine", "runner/os", "runner/task", "runner/installation",
         "runner/submission"}}},
      {"runner/prompt",
       {{"runner/core", "runner/machine", "runner/os", "runner/task", "runner/submission"}}},
      {"runner/workspace", {{"runner/core", "runner/os", "runner/submission"}}},
      {"runner/serve", {{"runner/core", "runner/os", "runner/sandbox"}}},
      {"runner/agent", {{"runner/answer", "runner/core", "runner/os", "runner/sandbox"}}},
      // The supervisor's other end of one channel.
      {"runner/gate/shapes",
       {{"runner/answer", "runner/core", "runner/os", "runner/reward", "runner/serve"}}},
      {"runner/gate",
       {{"runner/core", "runner/os", "runner/sandbox", "runner/serve", "runner/gate/shapes"}}},
      {"runner/import",
       {{"runner/core", "runner/os", "runner/sandbox", "runner/task", "runner/installation"}}},
      {"runner/verify", {{"runner/core", "runner/task", "runner/backend"}}},
      // The protocol of the oracle and the worker's mailbox are spoken from here.
      {"runner/measure/watch", {{"runner/core", "runner/os", "runner/sandbox"}}},
      {"runner/measure/players",
       {{"runner/core", "runner/os", "runner/task", "runner/sandbox", "runner/submission",
         "runner/oracle", "runner/worker", "runner/measure/watch"}}},
      {"runner/measure/oracle",
       {{"runner/core", "runner/os", "runner/task", "runner/sandbox", "runner/oracle",
         "runner/measure/watch", "runner/measure/players"}}},
      {"runner/measure",
       {{"runner/core", "runner/activity", "runner/analysis", "runner/task", "runner/verify",
         "runner/oracle", "runner/measure/watch", "runner/measure/players",
         "runner/measure/oracle"}}},
      {"runner/device",
       {{"runner/core", "runner/machine", "runner/os", "runner/task", "runner/installation",
         "runner/sandbox", "runner/submission", "runner/measure", "runner/measure/oracle"}}},
      // A process that measures: it sees no plan, no store, no report and no command line.
      {"runner/lane", {{"runner/core", "runner/os"}}},
      // Lint may not see the run, which asks it before anybody is ranked.
      {"runner/lint",
       {{"runner/core", "runner/machine", "runner/analysis", "runner/os", "runner/task",
         "runner/verify", "runner/sandbox", "runner/installation", "runner/plan", "runner/store",
         "runner/measure", "runner/device", "runner/measure/oracle"}}},
      // The run may not see the reports: whoever shows it is its sink.
      {"runner/run", {{"runner/core",          "runner/os",
                       "runner/activity",      "runner/analysis",
                       "runner/task",          "runner/machine",
                       "runner/sandbox",       "runner/installation",
                       "runner/submission",    "runner/plan",
                       "runner/verify",        "runner/measure",
                       "runner/device",        "runner/lane",
                       "runner/lint",          "runner/import",
                       "runner/store",         "runner/exchange",
                       "runner/pool",          "baselines",
                       "baselines/vendor",     "runner/store/chain",
                       "runner/store/file",    "runner/store/rows",
                       "runner/measure/watch", "runner/measure/players",
                       "runner/measure/oracle"}}},
      // A profile's words; their facts come from the run's bench.
      {"runner/profile",
       {{"runner/core", "runner/machine", "runner/activity", "runner/task", "runner/oracle",
         "runner/installation", "runner/submission", "runner/store/rows", "runner/plan",
         "runner/measure", "runner/run"}}},
      {"reports/facts",
       {{"runner/core", "runner/os", "runner/analysis", "runner/reward", "runner/trajectory",
         "runner/store", "runner/store/chain"}}},
      {"reports/rank", {{"runner/core", "runner/analysis", "runner/reward", "reports/facts"}}},
      {"reports/formats",
       {{"runner/core", "runner/os", "runner/analysis", "runner/reward", "runner/store",
         "reports/facts", "reports/rank", "runner/store/care", "runner/store/rows"}}},
      {"reports/over_time",
       {{"runner/core", "runner/analysis", "runner/store", "reports/facts", "reports/rank",
         "reports/formats", "runner/store/rows"}}},
      {"reports/episodes",
       {{"runner/core", "runner/reward", "runner/trajectory", "runner/store", "reports/facts",
         "reports/formats"}}},
      {"reports/page",
       {{"runner/core", "runner/os", "reports/facts", "reports/rank", "reports/formats",
         "reports/episodes", "runner/store/rows"}}},
      {"reports/attribution",
       {{"runner/core", "runner/attribution", "reports/facts", "reports/formats", "reports/page"}}},
      {"reports/write",
       {{"runner/core", "runner/os", "runner/task", "runner/store", "reports/facts",
         "reports/formats", "reports/over_time", "reports/episodes", "reports/page",
         "runner/store/rows"}}},
      {"runner/again",
       {{"runner/core", "runner/os", "runner/analysis", "runner/task", "runner/installation",
         "runner/submission", "runner/plan", "runner/device", "runner/store", "runner/run",
         "reports/facts", "reports/formats", "reports/over_time", "runner/store/chain",
         "runner/measure/oracle"}}},
      {"runner/synthesis",
       {{"runner/core", "runner/machine", "runner/os", "runner/task", "runner/verify",
         "runner/sandbox", "runner/installation", "runner/plan", "runner/measure", "runner/device",
         "runner/lane", "runner/lint", "runner/import", "runner/run", "runner/measure/oracle"}}},
      // Reports make of a row the times that a component speaks of; others compile the kernel anew.
      {"runner/feedback",
       {{"runner/core", "runner/os", "runner/sandbox", "runner/submission", "runner/task",
         "runner/trajectory", "reports/facts"}}},
      // Rows reach it in memory; reports make of them what a client is told.
      {"runner/judge",
       {{"runner/core",         "runner/os",          "runner/task",       "runner/machine",
         "runner/installation", "runner/submission",  "runner/plan",       "runner/prompt",
         "runner/workspace",    "runner/serve",       "runner/gate",       "runner/reward",
         "runner/trajectory",   "runner/store",       "runner/device",     "runner/run",
         "runner/profile",      "runner/feedback",    "runner/pool",       "reports/facts",
         "reports/formats",     "runner/store/chain", "runner/store/file", "runner/store/rows"}}},
      {"runner/episode",
       {{"runner/core", "runner/os", "runner/plan", "runner/workspace", "runner/agent",
         "runner/feedback", "runner/reward", "runner/trajectory", "runner/store", "runner/run",
         "runner/judge", "reports/facts", "reports/episodes", "runner/store/chain"}}},
      {"runner/study",
       {{"runner/core", "runner/os", "runner/plan", "runner/workspace", "runner/agent",
         "runner/attribution", "runner/feedback", "runner/trajectory", "runner/store", "runner/run",
         "runner/judge", "runner/episode", "reports/facts", "reports/attribution", "reports/write",
         "runner/store/chain"}}},
      // Texts that show people what rooms found; those rooms know no terminal.
      {"runner/print",
       {{"runner/core", "runner/os", "runner/task", "runner/options", "runner/installation",
         "runner/selftest", "runner/device", "runner/exchange", "runner/import", "runner/lint",
         "runner/pool", "runner/plan", "runner/run", "runner/synthesis", "runner/again",
         "reports/facts", "reports/formats", "reports/write"}}},
      // No measure, baselines, backend, sandbox, gate: what touches the machine is a room's.
      {"runner/cli",
       {{"runner/exchange",    "runner/pool",         "runner/core",         "runner/os",
         "runner/reward",      "runner/attribution",  "runner/trajectory",   "runner/task",
         "runner/options",     "runner/installation", "runner/selftest",     "runner/store",
         "runner/plan",        "runner/prompt",       "runner/workspace",    "runner/serve",
         "runner/agent",       "runner/device",       "runner/lint",         "runner/import",
         "runner/run",         "runner/again",        "runner/judge",        "runner/episode",
         "runner/synthesis",   "runner/profile",      "runner/study",        "runner/feedback",
         "runner/print",       "reports/facts",       "reports/formats",     "reports/over_time",
         "reports/episodes",   "reports/write",       "reports/attribution", "runner/store/care",
         "runner/store/chain", "runner/store/file",   "runner/store/rows"}}},

      {"runner/backend", {{"runner/core", "runner/machine", "runner/task"}, false, true}},
      {"runner/worker",
       {{"runner/core", "runner/abi", "runner/activity", "runner/backend", "runner/sandbox"},
        false,
        true}},
      // Loaded into the Python that plays submissions.
      {"runner/player",
       {{"runner/core", "runner/activity", "runner/sandbox", "runner/worker"}, true, false}},
      {"baselines", {{"runner/core", "runner/os", "runner/sandbox", "runner/task"}, true, true}},
      // Half of it is pure and the supervisor's; the other half is a worker's, which has the ABI.
      {"baselines/vendor",
       {{"runner/abi", "runner/core", "runner/task", "runner/backend"}, false, true}},
      // A player of the baselines serves the worker's mailbox.
      {"runner/oracle",
       {{"runner/core", "runner/activity", "runner/task", "runner/backend", "runner/sandbox",
         "runner/verify", "runner/worker", "baselines"},
        true,
        true}},
  };
  return kRules;
}

struct Include {
  std::string file;    // path of the includer, from the root
  std::string folder;  // the key of its rule
  std::string target;
  bool quoted = false;
};

// The longest folder above the file that has a rule: "runner/backend/cuda/x.cpp" belongs to
// "runner/backend", and "reports/page/x.cpp" to "reports/page". Without a rule, the folder that
// needs one.
std::string folder_of(const std::string& path) {
  for (auto end = path.rfind('/'); end != std::string::npos && end > 0;
       end = path.rfind('/', end - 1)) {
    if (rules().contains(path.substr(0, end))) return path.substr(0, end);
  }
  const auto first = path.find('/');
  if (first == std::string::npos) return "";
  if (path.substr(0, first) != "runner") return path.substr(0, first);
  const auto second = path.find('/', first + 1);
  return second == std::string::npos ? "runner" : path.substr(0, second);
}

bool is_header(const std::string& file) { return file.ends_with(".hpp") || file.ends_with(".h"); }

bool is_source(const fs::path& file) {
  static const std::set<std::string> kEndings = {".cpp", ".hpp", ".h", ".cu", ".cuh", ".inc"};
  return kEndings.contains(file.extension().string());
}

bool is_torch(const std::string& target) {
  static const std::regex kTorch("^(torch|ATen|c10|caffe2)/.*");
  return std::regex_match(target, kTorch);
}

bool is_cuda(const std::string& target) {
  static const std::regex kCuda("^(cuda|cublas|cudnn|nvml|nvrtc|nvtx|cupti|cub/|thrust/).*");
  return std::regex_match(target, kCuda);
}

// Every source of ours, seen from the root.
std::vector<std::string> sources_of(const fs::path& root) {
  std::vector<std::string> sources;
  for (const char* top : {"runner", "baselines", "reports"}) {
    if (!fs::exists(root / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / top))
      if (entry.is_regular_file() && is_source(entry.path()))
        sources.push_back(entry.path().lexically_relative(root).string());
  }
  return sources;
}

std::vector<Include> includes_of(const fs::path& root) {
  static const std::regex kInclude(R"rx(^\s*#\s*include\s*([<"])([^>"]+)[>"].*)rx");
  std::vector<Include> includes;
  for (const std::string& file : sources_of(root)) {
    std::ifstream stream(root / file);
    std::string line;
    std::smatch match;
    while (std::getline(stream, line)) {
      if (std::regex_match(line, match, kInclude)) {
        includes.push_back({file, folder_of(file), match[2], match[1] == "\""});
      }
    }
  }
  return includes;
}

std::map<std::string, std::ptrdiff_t> lines_by_folder(const fs::path& root) {
  std::map<std::string, std::ptrdiff_t> lines;
  for (const std::string& file : sources_of(root)) {
    std::ifstream stream(root / file);
    lines[folder_of(file)] += std::count(std::istreambuf_iterator<char>(stream), {}, '\n');
  }
  return lines;
}

// Why the include is against the architecture, or nothing.
std::optional<std::string> objection(const fs::path& root, const Include& include) {
  // Written into the build folder; no folder of the tree holds them.
  static const std::set<std::string> kGenerated = {"version_stamp.hpp"};
  const auto rule = rules().find(include.folder);
  if (rule == rules().end()) return "the folder is not in the table of this test";
  if (is_torch(include.target)) {
    if (!rule->second.torch) return "LibTorch is not for this folder";
    if (is_header(include.file)) return "LibTorch must stay out of headers";
    return std::nullopt;
  }
  if (is_cuda(include.target)) {
    if (!rule->second.cuda) return "CUDA is not for this folder";
    return std::nullopt;
  }
  if (!include.quoted || kGenerated.contains(include.target)) return std::nullopt;
  const auto target = folder_of(include.target);
  if (target != include.folder && !rule->second.may_include.contains(target)) {
    return "this folder may not include that one";
  }
  if (!fs::exists(root / include.target)) return "no such file, seen from the root";
  return std::nullopt;
}

std::vector<std::string> violations(const fs::path& root) {
  std::vector<std::string> found;
  for (const auto& include : includes_of(root)) {
    if (const auto why = objection(root, include)) {
      found.push_back(include.file + " includes " + include.target + ": " + *why);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Rooms that a room may include and does not, as "runner/run may include runner/cli".
std::vector<std::string> unused_permissions(const fs::path& root) {
  std::map<std::string, std::set<std::string>> used;
  for (const auto& include : includes_of(root))
    if (include.quoted) used[include.folder].insert(folder_of(include.target));
  std::vector<std::string> found;
  for (const auto& [folder, rule] : rules())
    for (const auto& other : rule.may_include)
      if (!used[folder].contains(other)) found.push_back(folder + " may include " + other);
  return found;
}

TEST(IncludeDirection, EveryPermissionIsUsed) {
  EXPECT_THAT(unused_permissions(kbench::test::kSource), IsEmpty())
      << "take it out of the table: the next include is then a decision";
}

TEST(IncludeDirection, TheTreeKeepsToTheArchitecture) {
  ASSERT_GT(includes_of(kbench::test::kSource).size(), 100U) << "the scan saw almost nothing";
  EXPECT_THAT(violations(kbench::test::kSource), IsEmpty());
}

// A room that takes more than that of the tree is several rooms without their rules.
TEST(IncludeDirection, NoRoomHasMoreThan12PercentOfTheLines) {
  const auto lines = lines_by_folder(kbench::test::kSource);
  std::ptrdiff_t all = 0;
  for (const auto& [folder, own] : lines) all += own;
  ASSERT_GT(all, 50'000) << "the scan saw almost nothing";
  for (const auto& [folder, own] : lines) EXPECT_LE(own * 100, all * 12) << folder;
}

// A table with a cycle would allow what it should forbid.
TEST(IncludeDirection, TheTableHasNoCycle) {
  auto open = rules();
  bool progress = true;
  while (progress) {
    progress = false;
    for (auto it = open.begin(); it != open.end();) {
      const auto& needs = it->second.may_include;
      const bool free = std::none_of(needs.begin(), needs.end(),
                                     [&](const auto& folder) { return open.contains(folder); });
      it = free ? open.erase(it) : std::next(it);
      progress = progress || free;
    }
  }
  for (const auto& [folder, rule] : open) ADD_FAILURE() << folder << " is part of a cycle";
}

class PlantedEdge : public ::testing::Test {
 protected:
  // One file with one include, in a tree of its own.
  std::vector<std::string> plant(const std::string& file, const std::string& include) {
    folder_.write("runner/core/result.hpp", "#pragma once\n");
    folder_.write("runner/cli/main.hpp", "#pragma once\n");
    folder_.write("runner/store/store.hpp", "#pragma once\n");
    folder_.write("reports/write/site.hpp", "#pragma once\n");
    folder_.write(file, "// comment\n" + include + "\n");
    return violations(folder_.path());
  }

  test::TemporaryFolder folder_;
};

TEST_F(PlantedEdge, GoodOnesPass) {
  EXPECT_THAT(plant("reports/facts/x.cpp", "#include \"runner/store/store.hpp\""), IsEmpty());
  EXPECT_THAT(plant("baselines/x.cpp", "#include <ATen/ATen.h>"), IsEmpty());
  EXPECT_THAT(plant("runner/task/x.cpp", "#include <vector>"), IsEmpty());
  EXPECT_THAT(plant("reports/write/x.cpp", "#include \"reports/write/site.hpp\""), IsEmpty());
  EXPECT_THAT(plant("runner/backend/cuda/x.hpp", "#include <cuda_runtime.h>"), IsEmpty());
}

TEST_F(PlantedEdge, APermissionWithoutAnIncludeIsFound) {
  plant("runner/task/x.cpp", "#include \"runner/core/result.hpp\"");
  const auto unused = unused_permissions(folder_.path());
  EXPECT_THAT(unused, Not(Contains("runner/task may include runner/core")));
  EXPECT_THAT(unused, Contains("runner/os may include runner/core"));
}

TEST_F(PlantedEdge, UpwardsIsFound) {
  EXPECT_THAT(plant("runner/core/x.hpp", "#include \"runner/store/store.hpp\""),
              ElementsAre(HasSubstr("runner/core/x.hpp includes runner/store/store.hpp")));
}

// A room within another has a rule of its own, and what is around it may not include it unasked.
TEST_F(PlantedEdge, RoomsWithinRoomsHaveTheirOwnRule) {
  EXPECT_THAT(plant("reports/page/x.cpp", "#include \"reports/write/site.hpp\""),
              ElementsAre(HasSubstr("may not include")));
  std::filesystem::remove(folder_.path() / "reports/page/x.cpp");
  EXPECT_THAT(plant("reports/write/x.cpp", "#include \"runner/backend/backend.hpp\""),
              ElementsAre(HasSubstr("may not include")));
}

TEST_F(PlantedEdge, IncludingTheCliIsFound) {
  EXPECT_THAT(plant("runner/oracle/x.cpp", "  #  include \"runner/cli/main.hpp\"  // why not"),
              ElementsAre(HasSubstr("may not include")));
}

TEST_F(PlantedEdge, TheCommandLineSeesNothingThatTouchesTheMachine) {
  for (const char* room : {"runner/measure", "runner/measure/players", "baselines",
                           "runner/backend", "runner/sandbox", "runner/gate"}) {
    EXPECT_THAT(plant("runner/cli/x.cpp", std::string("#include \"") + room + "/x.hpp\""),
                ElementsAre(HasSubstr("may not include")))
        << room;
  }
}

TEST_F(PlantedEdge, LibTorchInTheSupervisorIsFound) {
  EXPECT_THAT(plant("runner/measure/x.cpp", "#include <torch/torch.h>"),
              ElementsAre(HasSubstr("LibTorch is not for this folder")));
}

TEST_F(PlantedEdge, LibTorchInAHeaderIsFound) {
  EXPECT_THAT(plant("baselines/x.hpp", "#include <c10/core/Device.h>"),
              ElementsAre(HasSubstr("out of headers")));
}

TEST_F(PlantedEdge, CudaInTheReportsIsFound) {
  EXPECT_THAT(plant("reports/facts/x.cpp", "#include <cuda.h>"),
              ElementsAre(HasSubstr("CUDA is not for this folder")));
}

TEST_F(PlantedEdge, RelativePathsAreFound) {
  EXPECT_THAT(plant("runner/core/x.cpp", "#include \"result.hpp\""),
              ElementsAre(HasSubstr("may not include")));
  EXPECT_THAT(plant("runner/core/x.cpp", "#include \"runner/core/none.hpp\""),
              ElementsAre(HasSubstr("no such file")));
}

TEST_F(PlantedEdge, UnknownFoldersAreFound) {
  EXPECT_THAT(plant("runner/novelty/x.cpp", "#include <vector>"),
              ElementsAre(HasSubstr("not in the table")));
  std::filesystem::remove(folder_.path() / "runner/novelty/x.cpp");
  EXPECT_THAT(plant("reports/x.cpp", "#include <vector>"),
              ElementsAre(HasSubstr("not in the table")))
      << "a file beside the rooms of reports";
}

}  // namespace
}  // namespace kbench
