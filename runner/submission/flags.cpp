#include "runner/submission/flags.hpp"

#include <algorithm>
#include <array>
#include <regex>

#include <fmt/format.h>

#include "runner/core/suggest.hpp"
#include "runner/os/clean_text.hpp"

namespace kbench {
namespace {

// Patterns are matched against the whole flag, which is at most kMaxFlag bytes of printable ASCII.
constexpr std::size_t kMaxFlag = 200;

constexpr std::array kCommonPatterns = {
    R"(-O[0123])",
    R"(-std=(c|gnu)\+\+(11|14|17|20|23))",
    R"(-D[A-Za-z_][A-Za-z0-9_]*(=[A-Za-z0-9_.+-]*)?)",
    // Folders are relative, and no component begins with a dot, which excludes "..", or with a
    // dash.
    R"(-I(\.|[A-Za-z0-9_+][A-Za-z0-9_.+-]*(/[A-Za-z0-9_+][A-Za-z0-9_.+-]*)*))",
};

constexpr std::array kHostPatterns = {
    R"(-O(fast|s|g))",
    R"(-g)",
    // Warnings of two letters at least: -Wa, -Wl and -Wp hand something on to other programs.
    R"(-W(no-)?[a-z][a-z0-9]+(-[a-z0-9]+)*(=[a-z0-9]+)?)",
    R"(-m(arch|tune)=native)",
    R"(-m(no-)?(avx[0-9a-z]*|sse[0-9a-z.]*|fma|f16c|bmi2?|amx-[a-z0-9]+|popcnt))",
    R"(-mprefer-vector-width=(128|256|512|none))",
    R"(-fopenmp(-simd)?)",
    R"(-f(no-)?(fast-math|finite-math-only|associative-math|reciprocal-math|signed-zeros))",
    R"(-f(no-)?(math-errno|trapping-math|rounding-math|unsafe-math-optimizations))",
    R"(-ffp-contract=(fast|on|off))",
    R"(-f(no-)?(unroll-loops|unroll-all-loops|tree-vectorize|tree-slp-vectorize|vectorize))",
    R"(-f(no-)?(strict-aliasing|exceptions|rtti|inline|inline-functions|omit-frame-pointer))",
    // -flto is not among them: with it the linker's plug-in reads options out of object files.
    R"(-f(no-)?(prefetch-loop-arrays|peel-loops|split-loops|stack-protector|permissive))",
    R"(-fvect-cost-model=(unlimited|dynamic|cheap|very-cheap))",
    R"(-f(constexpr-depth|constexpr-ops-limit|constexpr-loop-limit|template-depth)=[0-9]{1,9})",
};

constexpr std::array kCudaPatterns = {
    R"(--?use_fast_math)",
    R"(--?maxrregcount=[0-9]{1,3})",
    R"(-lineinfo|--generate-line-info)",
    R"(--?extra-device-vectorization)",
    R"(--?expt-relaxed-constexpr)",
    R"(--?extended-lambda|--?expt-extended-lambda)",
    R"(--?(ftz|prec-div|prec-sqrt|fmad)=(true|false))",
    R"(-Xptxas=(-v|--verbose|-O[0-3]|-warn-spills|--warn-on-spills|-dlcm=c[agsv]|-dscm=[a-z]{2}))",
    R"(-Xptxas=--?(allow-expensive-optimizations|opt-level|maxrregcount)=[a-z0-9]+)",
};

// Flags for "did you mean": those that people ask for, in the form that is accepted.
const std::vector<std::string>& well_known(bool cuda) {
  static const std::vector<std::string> kHost = {
      "-O3",         "-Ofast",         "-march=native",
      "-ffast-math", "-fopenmp",       "-fopenmp-simd",
      "-std=c++20",  "-funroll-loops", "-mprefer-vector-width=512"};
  static const std::vector<std::string> kCuda = {"-O3",
                                                 "--use_fast_math",
                                                 "-maxrregcount=64",
                                                 "-lineinfo",
                                                 "--extra-device-vectorization",
                                                 "--expt-relaxed-constexpr",
                                                 "-Xptxas=-v",
                                                 "-std=c++17",
                                                 "--extended-lambda"};
  return cuda ? kCuda : kHost;
}

template <std::size_t N>
bool matches_one(const std::string& flag, const std::array<const char*, N>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const char* pattern) {
    return std::regex_match(flag, std::regex(pattern));
  });
}

bool is_host_flag(const std::string& flag) {
  return matches_one(flag, kCommonPatterns) || matches_one(flag, kHostPatterns);
}

bool is_allowed(const std::string& flag, bool cuda) {
  if (!cuda) return is_host_flag(flag);
  constexpr std::string_view kHostPrefix = "-Xcompiler=";
  if (flag.starts_with(kHostPrefix)) return is_host_flag(flag.substr(kHostPrefix.size()));
  return matches_one(flag, kCommonPatterns) || matches_one(flag, kCudaPatterns);
}

std::string suggestion(const std::string& flag, bool cuda) {
  if (cuda && is_host_flag(flag)) return fmt::format("Write it as \"-Xcompiler={}\".", flag);
  if (const auto near = nearest(flag, well_known(cuda))) {
    return fmt::format("did you mean \"{}\"?", *near);
  }
  return "Optimisation, floating-point, -D, -I inside the folder and -std flags are allowed.";
}

}  // namespace

Status check_flag(const std::string& flag, const std::string& device) {
  const bool cuda = device == "cuda";
  const bool plain = flag.size() <= kMaxFlag && std::all_of(flag.begin(), flag.end(), [](char c) {
                       return c > ' ' && c < '\x7f';
                     });
  if (plain && is_allowed(flag, cuda)) return Done{};
  return Error{ErrorCode::kBadInput,
               fmt::format("the flag \"{}\" is not allowed", clean_name(flag, 80)),
               plain ? suggestion(flag, cuda) : "Each flag is one short word."};
}

Status check_library(const std::string& library, const std::string& device) {
  static const std::vector<std::string> kKnown = {"cublas", "cudnn"};
  const bool known = std::find(kKnown.begin(), kKnown.end(), library) != kKnown.end();
  if (known && device == "cuda") return Done{};
  if (known) {
    return Error{ErrorCode::kBadInput,
                 fmt::format("the library \"{}\" is for CUDA submissions", library),
                 "leave it out, or write the kernel in a .cu file"};
  }
  const auto near = nearest(library.substr(0, 40), kKnown);
  return Error{ErrorCode::kBadInput,
               fmt::format("the library \"{}\" is not allowed", clean_name(library, 80)),
               near ? fmt::format("did you mean \"{}\"?", *near)
                    : "\"cublas\" and \"cudnn\" may be asked for."};
}

std::vector<std::string> linker_arguments(const std::string& library) {
  if (library == "cublas") return {"-lcublas", "-lcublasLt"};
  return {"-l" + library};
}

}  // namespace kbench
