// Opens the golden page in a headless Chromium and looks at the document it made of it. Skipped
// where there is no Chromium.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/core/unique_fd.hpp"
#include "tests/unit/golden.hpp"
#include "tests/unit/store_fixture.hpp"

namespace kbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string find_chromium() {
  const char* path = std::getenv("PATH");
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
      const std::string file = folder + "/" + name;
      if (::access(file.c_str(), X_OK) == 0) return file;
    }
  }
  return "";
}

// What Chromium prints for `url`: the document after its scripts have run.
std::string dump_document(const std::string& chromium, const std::string& url,
                          const std::filesystem::path& profile) {
  const std::vector<std::string> words{chromium,
                                       "--headless",
                                       "--no-sandbox",
                                       "--disable-gpu",
                                       "--disable-dev-shm-usage",
                                       "--user-data-dir=" + profile.string(),
                                       "--virtual-time-budget=2000",
                                       "--dump-dom",
                                       url};
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return "";
  const UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  const pid_t child = test::start_child([&] {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (::dup2(writer.get(), 1) < 0 || ::dup2(nowhere, 2) < 0) return 126;
    ::alarm(60);
    ::execv(chromium.c_str(), arguments.data());
    return 127;
  });
  writer.reset();
  std::string document;
  std::array<char, 65536> bytes{};
  for (ssize_t got = 1; got > 0;) {
    got = ::read(reader.get(), bytes.data(), bytes.size());
    if (got > 0) document.append(bytes.data(), static_cast<std::size_t>(got));
  }
  EXPECT_EQ(test::wait_for(child), 0) << "chromium";
  return document;
}

class HtmlBrowser : public ::testing::Test {
 protected:
  void SetUp() override {
    chromium_ = find_chromium();
    if (chromium_.empty()) GTEST_SKIP() << "there is no Chromium here";
  }

  std::string open_page(const std::string& fragment) {
    const std::string file =
        std::filesystem::canonical(test::golden_file("reports/report.html")).string();
    return dump_document(chromium_, "file://" + file + fragment, folder_.path());
  }

  test::TemporaryFolder folder_;
  std::string chromium_;
};

// The task names of the overview, from top to bottom.
std::vector<std::string> overview_tasks(const std::string& document) {
  const std::size_t begin = document.find("id=\"overview-table\"");
  const std::string table = document.substr(begin, document.find("</table>", begin) - begin);
  const std::regex link("href=\"#task-[0-9]+\">([^<]+)<");
  std::vector<std::string> tasks;
  for (std::sregex_iterator it(table.begin(), table.end(), link), end; it != end; ++it)
    tasks.push_back((*it)[1].str());
  return tasks;
}

TEST_F(HtmlBrowser, TheScriptRunsAndForeignTextDoesNot) {
  const std::string document = open_page("");
  EXPECT_THAT(document, HasSubstr("<title>kbench results · 0123456789ab</title>"));
  EXPECT_THAT(document, HasSubstr("<button type=\"button\">"));
  EXPECT_THAT(document, HasSubstr("aria-sort=\"none\"><button"));
  EXPECT_THAT(document, Not(HasSubstr("aria-sort=\"descending\"><button")));
  EXPECT_THAT(overview_tasks(document),
              ElementsAre("level1/019_relu", "level2/055_matmul_sum", "level2/076_gemm_add_relu",
                          "level3/007_lenet5"));
}

TEST_F(HtmlBrowser, ALinkToASortedViewSortsByNumber) {
  EXPECT_THAT(overview_tasks(open_page("#sort=overview-table.2.descending")),
              ElementsAre("level2/055_matmul_sum", "level2/076_gemm_add_relu", "level1/019_relu",
                          "level3/007_lenet5"));
  const std::string ascending = open_page("#sort=overview-table.2.ascending");
  EXPECT_THAT(ascending, HasSubstr("aria-sort=\"ascending\"><button"));
  EXPECT_THAT(overview_tasks(ascending),
              ElementsAre("level3/007_lenet5", "level1/019_relu", "level2/076_gemm_add_relu",
                          "level2/055_matmul_sum"));
}

TEST_F(HtmlBrowser, RowsWithoutAValueStayAtTheEnd) {
  for (const char* direction : {"ascending", "descending"}) {
    EXPECT_EQ(overview_tasks(open_page(std::string("#sort=overview-table.3.") + direction)).back(),
              "level2/076_gemm_add_relu");
  }
}

TEST_F(HtmlBrowser, AnUnknownFragmentDoesNoHarm) {
  EXPECT_EQ(overview_tasks(open_page("#sort=nothing.99.descending")).size(), 4u);
  EXPECT_EQ(overview_tasks(open_page("#sort=overview-table.99.descending")).size(), 4u);
}

}  // namespace
}  // namespace kbench
