// This machine against the others of a group: what is said before a run is refused.
#include "runner/run/machine_fingerprint.hpp"

#include <gmock/gmock.h>

#include "runner/exchange/exchange.hpp"
#include "runner/exchange/pool_key.hpp"
#include "tests/unit/run_fixture.hpp"

namespace kbench::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class MachineFingerprint : public RunTest {
 protected:
  MachineFingerprint() {
    EXPECT_TRUE(keep_pool_key(benches_.place.state).ok());
    EXPECT_TRUE(Exchange::make(shared_, keep_pool_key(benches_.place.state).value()).ok());
  }
  Status examine(const std::string& group) {
    examined_ = ExaminedExchange();
    return examine_group(benches_.place, shared_, group, examined_);
  }

  const std::filesystem::path shared_ = folder_ / "shared";
  ExaminedExchange examined_;
};

TEST_F(MachineFingerprint, NamesWhatRowsOfOneMachineDependOn) {
  Target target;
  target.device = "cuda";
  target.gpu.emplace();
  target.gpu->driver = "580.1";
  target.gpu->name = "H200";
  Toolchain tools;
  tools.host_version = "g++ 12";
  tools.nvcc_version = "13.0";
  OracleHello hello;
  hello.torch = "2.11.0";
  hello.facts.name = "NVIDIA H200";
  const Json run = fingerprint_of_run(target, tools, hello);
  EXPECT_THAT(run.dump(), AllOf(HasSubstr("580.1"), HasSubstr("g++ 12"), HasSubstr("13.0"),
                                HasSubstr("2.11.0"), HasSubstr("NVIDIA H200")));
  target.device = "cpu";
  EXPECT_THAT(fingerprint_of_run(target, tools, hello).dump(), ::testing::Not(HasSubstr("580.1")))
      << "a lane of the CPU has a GPU of no name";
}

TEST_F(MachineFingerprint, JudgesAgreeBeforeAnOracleStarts) {
  Target target;
  target.device = "cuda";
  target.gpu.emplace();
  target.gpu->name = "H200";
  Installation place = benches_.place;
  place.built_with_torch = "2.11.0";
  const Json terms = terms_of_judges(place, target, {}, true);
  EXPECT_THAT(terms.dump(), AllOf(HasSubstr("H200"), HasSubstr("2.11.0")));
  EXPECT_EQ(terms.at("vendor"), true);
  EXPECT_NE(terms, terms_of_judges(place, target, {}, false));
}

TEST_F(MachineFingerprint, AGroupWithoutAProperNameIsRefused) {
  EXPECT_EQ(examine("latest").error().code, ErrorCode::kUsage);
  EXPECT_EQ(examine("../night").error().code, ErrorCode::kUsage);
}

TEST_F(MachineFingerprint, NothingIsSaidOfAGroupInWhichNobodyWas) {
  ASSERT_TRUE(examine("night").ok());
  EXPECT_THAT(examined_.findings, IsEmpty());
}

TEST_F(MachineFingerprint, AnotherKindOfMachineHearsThatItWouldBeRefused) {
  submit("a/level1/019_relu.cpp");
  request_.shard = ShardChoice{1, 1};
  request_.group = "night";
  terms_.exchange = shared_;
  benches_.script.compiler = "a compiler that nobody has";
  good_run();
  const Status done = examine("night");
  ASSERT_TRUE(done.ok()) << done.error().message;
  ASSERT_THAT(examined_.findings, ::testing::SizeIs(1)) << "its own run is of its own kind";
  EXPECT_THAT(examined_.findings[0].what, HasSubstr("night: "));
  EXPECT_THAT(examined_.findings[0].then, HasSubstr("another --group"));
}

}  // namespace
}  // namespace kbench::test
