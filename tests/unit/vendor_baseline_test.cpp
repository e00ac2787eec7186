#include "runner/run/vendor_baseline.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/task/task.hpp"
#include "tests/unit/paths.hpp"
#include "tests/unit/temporary_folder.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST(FindLibrary, TakesAnyVersionOfTheFirstFolderThatHasIt) {
  const test::TemporaryFolder folder;
  const fs::path first = folder / "first", second = folder / "second";
  fs::create_directories(first);
  fs::create_directories(second);
  std::ofstream(first / "libcudnn_graph.so.9") << "";
  std::ofstream(second / "libcudnn.so.9") << "";
  EXPECT_EQ(find_library({folder / "nowhere", first, second}, "libcudnn"),
            second / "libcudnn.so.9");
  EXPECT_EQ(find_library({first}, "libcudnn"), fs::path());
}

// Why there is no side of a vendor's library, or what one is started with.
class VendorBaselineTest : public ::testing::Test {
 protected:
  VendorBaselineTest() {
    target_.device = "cuda";
    place_.worker = folder_ / "worker";
    place_.vendor_library = folder_.write("kbench-vendor.so", "");
    place_.cache = folder_ / "cache";
    oracle_with({});
  }
  // An oracle whose libraries lie in a folder of a LibTorch that has these as well: a program that
  // needs libc alone, and finds it there.
  void oracle_with(const std::vector<std::string>& libraries) {
    place_.oracle_cuda = "/bin/true";
    place_.torch_libraries = folder_ / "torch";
    Dl_info libc{};
    ASSERT_NE(::dladdr(reinterpret_cast<const void*>(&::getpid), &libc), 0);
    fs::create_directories(place_.torch_libraries);
    fs::copy_file(libc.dli_fname, place_.torch_libraries / "libc.so.6",
                  fs::copy_options::overwrite_existing);
    for (const std::string& library : libraries) folder_.write("torch/" + library, "");
  }
  EvaluationRequest::Vendor side_of(const std::string& task) {
    const auto loaded = load_task(fs::path(test::kTinySuites) / "level1" / (task + ".json"));
    EXPECT_TRUE(loaded.ok());
    return VendorBaseline(place_, target_, *sandbox_, "torch-default")
        .of(*loaded, *loaded->find_size("small"));
  }

  const test::TemporaryFolder folder_;
  const std::unique_ptr<Sandbox> sandbox_ = make_sandbox();
  Installation place_;
  Target target_;
};

TEST_F(VendorBaselineTest, OnACpuThereIsNone) {
  target_.device = "cpu";
  EXPECT_THAT(side_of("001_square_matrix_multiplication").reason, HasSubstr("on a CPU"));
}

TEST_F(VendorBaselineTest, ABuildWithoutTheLibraryHasNone) {
  place_.vendor_library = folder_ / "nowhere.so";
  EXPECT_THAT(side_of("001_square_matrix_multiplication").reason, HasSubstr("was built without"));
}

TEST_F(VendorBaselineTest, WithoutAnOracleNobodyKnowsItsLibraries) {
  place_.oracle_cuda = folder_ / "no-oracle";
  EXPECT_THAT(side_of("001_square_matrix_multiplication").reason, HasSubstr("no-oracle"));
}

TEST_F(VendorBaselineTest, TheLibraryOfTheTaskIsMissed) {
  oracle_with({"libcudnn.so.9"});
  EXPECT_THAT(side_of("001_square_matrix_multiplication").reason,
              HasSubstr("uses no cuBLASLt that can be found"));
}

TEST_F(VendorBaselineTest, AProductIsPlayedWhereLibTorchHasCuBlasLt) {
  oracle_with({"libcublasLt.so.13"});
  const auto side = side_of("001_square_matrix_multiplication");
  EXPECT_EQ(side.reason, "");
  EXPECT_TRUE(side.start);
}

TEST_F(VendorBaselineTest, ATaskWhoseGraphCannotBeReadSaysWhy) {
  oracle_with({"libcublasLt.so.13"});
  Task task;
  task.file = folder_ / "gone.json";
  const auto side = VendorBaseline(place_, target_, *sandbox_, "torch-default").of(task, {});
  EXPECT_THAT(side.reason, HasSubstr("gone.json"));
  EXPECT_FALSE(side.start);
}

}  // namespace
}  // namespace kbench
