// An oracle's replies are data: an oracle that a task file has taken over may say anything.
#include "runner/measure/oracle/oracle_reply.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runner/backend/cpu/memfd_arena.hpp"
#include "runner/measure/players/arenas.hpp"

namespace kbench {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kBytes = 1 << 20;

UniqueFd memory(std::uint64_t bytes, int seals) {
  UniqueFd file(::memfd_create("arena", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  EXPECT_EQ(::ftruncate(file.get(), static_cast<off_t>(bytes)), 0);
  EXPECT_EQ(::fcntl(file.get(), F_ADD_SEALS, seals), 0);
  return file;
}

std::vector<UniqueFd> arenas(std::size_t count, std::uint64_t bytes = kBytes,
                             int seals = F_SEAL_SHRINK | F_SEAL_GROW) {
  std::vector<UniqueFd> made;
  for (std::size_t i = 0; i < count; ++i) made.push_back(memory(bytes, seals));
  return made;
}

PlaceRequest two_seats(int slots = 1) { return {.slots = slots, .seats_baselines = true}; }

PlaceReply geometry(std::uint64_t stride = kBytes) {
  return {.arena_bytes = {kBytes, kBytes, kBytes}, .input_stride = stride, .output_stride = stride};
}

TEST(OracleReply, ArenasThatFitAreTaken) {
  EXPECT_TRUE(check_arenas(two_seats(), geometry(), arenas(6), true));
  EXPECT_TRUE(check_arenas({.slots = 2}, geometry(kBytes / 2), arenas(3), true));
  const auto real = cpu::create_memfd_arena(kBytes);
  ASSERT_TRUE(real);
  EXPECT_TRUE(check_arena(UniqueFd(::dup((*real)->fd())), kBytes));
}

TEST(OracleReply, ArenasThatCouldEndTheSupervisorAreNot) {
  EXPECT_FALSE(check_arenas(two_seats(), geometry(), arenas(6, kBytes - 1), true)) << "shorter";
  EXPECT_FALSE(check_arenas(two_seats(), geometry(), arenas(6, kBytes, F_SEAL_GROW), true))
      << "cut off later";
  EXPECT_FALSE(check_arena(UniqueFd(::open("/dev/zero", O_RDONLY)), kBytes));
  EXPECT_FALSE(check_arena(UniqueFd(::open("/proc/self/exe", O_RDONLY)), 1));
  EXPECT_FALSE(check_arena(UniqueFd(), kBytes));
}

TEST(OracleReply, NorAreTooFewOrThoseWhoseSlotsLieBeyondThem) {
  EXPECT_FALSE(check_arenas(two_seats(), geometry(), arenas(3), true));
  EXPECT_FALSE(check_arenas({.slots = 1}, geometry(), arenas(6), true));
  EXPECT_FALSE(check_arenas(two_seats(2), geometry(), arenas(6), true));
  EXPECT_FALSE(check_arenas(two_seats(), geometry(0), arenas(6), true));
  EXPECT_FALSE(check_arenas(two_seats(3), geometry(~std::uint64_t{0} / 2), arenas(6), true));
  PlaceReply short_list = geometry();
  short_list.arena_bytes.pop_back();
  EXPECT_FALSE(check_arenas(two_seats(), short_list, arenas(6), true));
}

TEST(OracleReply, OnCudaADescriptorIsPassedOnUnseen) {
  std::vector<UniqueFd> any;
  for (int i = 0; i < 3; ++i) any.emplace_back(::open("/dev/null", O_RDONLY));
  EXPECT_TRUE(check_arenas({.slots = 1}, geometry(), any, false));
}

TEST(OracleReply, AnErrorBlamesNobodyElseAndSteersNoTerminal) {
  EXPECT_FALSE(error_in({{"ns", 1}}, "time"));
  const auto blames = error_in(
      {{"error", {{"code", "submission"}, {"message", "\x1b[2Jcheat"}, {"hint", 7}}}}, "judge");
  ASSERT_TRUE(blames);
  EXPECT_EQ(blames->code, ErrorCode::kInfrastructure);
  EXPECT_EQ(blames->message.find('\x1b'), std::string::npos);
  EXPECT_EQ(blames->hint, "");
  const auto too_large = error_in({{"error", {{"code", "does_not_fit"}}}}, "load");
  ASSERT_TRUE(too_large);
  EXPECT_EQ(too_large->code, ErrorCode::kDoesNotFit);
  for (const Json& reply : {Json(), Json(3), Json::array(), Json{{"error", "words"}}})
    EXPECT_TRUE(error_in(reply, "judge")) << reply;
}

TEST(OracleReply, AnotherShapeIsAnErrorOfOursThatNamesTheOracle) {
  const auto read = [](const Json& body) { return body.at("ns").get<std::int64_t>(); };
  EXPECT_EQ(*understood<std::int64_t>({{"ns", 12}}, "flush", read), 12);
  for (const Json& reply : {Json::object(), Json{{"ns", "12"}}, Json{{"ns", Json::array()}}}) {
    const auto got = understood<std::int64_t>(reply, "flush", read);
    ASSERT_FALSE(got) << reply;
    EXPECT_EQ(got.error().code, ErrorCode::kInfrastructure);
    EXPECT_THAT(got.error().message, HasSubstr("the oracle answered \"flush\""));
  }
}

}  // namespace
}  // namespace kbench
