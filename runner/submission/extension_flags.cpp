#include "runner/submission/extension_flags.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <regex>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "runner/os/clean_text.hpp"
#include "runner/submission/flags.hpp"

namespace kbench {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t kMostFlags = 128;
constexpr std::size_t kLongestFlag = 200;

// Options of nvcc's whose value may stand in the next word.
struct Option {
  std::string_view name;
  std::string_view joined;  // flags.hpp's spelling, with the value behind; empty: left out
};
constexpr std::array kOptionsWithValue{Option{"-Xptxas", "-Xptxas="},
                                       Option{"--ptxas-options", "-Xptxas="},
                                       Option{"-Xcompiler", "-Xcompiler="},
                                       Option{"--compiler-options", "-Xcompiler="},
                                       Option{"-maxrregcount", "-maxrregcount="},
                                       Option{"--maxrregcount", "-maxrregcount="},
                                       Option{"-gencode", ""},
                                       Option{"--generate-code", ""},
                                       Option{"-arch", ""},
                                       Option{"--gpu-architecture", ""},
                                       Option{"-code", ""},
                                       Option{"--gpu-code", ""},
                                       Option{"-t", ""},
                                       Option{"--threads", ""}};

// Flags that torch gives anyhow, or that only change a compiler's output.
constexpr std::array kOfTorch = {R"(-fPIC)",
                                 R"(-w)",
                                 R"(-U[A-Za-z_][A-Za-z0-9_]*)",
                                 R"(-Wall|-Wextra)",
                                 R"(-fvisibility=hidden)",
                                 R"(--?diag-suppress=[0-9,]+)"};

const Option* option_of(std::string_view name) {
  const auto* found = std::find_if(kOptionsWithValue.begin(), kOptionsWithValue.end(),
                                   [&](const Option& option) { return option.name == name; });
  return found == kOptionsWithValue.end() ? nullptr : found;
}

// Options and values that are apart become one word; the machine's own business is left out.
Words joined(const Words& flags) {
  Words result;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const std::string& flag = flags[i];
    const auto equals = flag.find('=');
    const Option* option = option_of(std::string_view(flag).substr(0, equals));
    if (option == nullptr) {
      result.push_back(flag);
      continue;
    }
    const bool apart = equals == std::string::npos;
    if (apart && i + 1 == flags.size()) {
      result.push_back(flag);  // no value follows: refused below
      continue;
    }
    const std::string value = apart ? flags[++i] : flag.substr(equals + 1);
    if (!option->joined.empty()) result.push_back(std::string(option->joined) + value);
  }
  return result;
}

// A linker's business: to a compiler that links nothing they mean nothing, and are left out.
bool is_for_linkers(const std::string& flag) {
  static const std::regex kLibrary("-l(?!ineinfo).+|-L.+|-Wl,.+|-shared|-rdynamic");
  return flag.size() <= kLongestFlag && std::regex_match(flag, kLibrary);
}

bool is_of_torch(const std::string& flag) {
  return std::any_of(kOfTorch.begin(), kOfTorch.end(), [&](const char* pattern) {
    return std::regex_match(flag, std::regex(pattern));
  });
}

Error refused(const std::string& flag, const std::string& hint) {
  return {ErrorCode::kSubmission,
          fmt::format("an extension asks for the flag \"{}\", which is not allowed",
                      clean_name(flag, 80)),
          hint};
}

// nvcc takes several flags of another program's behind one prefix, with commas between them.
Words behind_prefix(const std::string& flag, std::string_view prefix) {
  Words flags;
  for (std::size_t begin = prefix.size(); begin <= flag.size();) {
    const std::size_t comma = std::min(flag.find(',', begin), flag.size());
    flags.push_back(flag.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return flags;
}

Status check_single(const std::string& flag, const std::string& device) {
  return is_of_torch(flag) ? Status(Done{}) : check_flag(flag, device);
}

Status check_one(const std::string& flag, bool cuda) {
  constexpr std::string_view kOfHost = "-Xcompiler=";
  constexpr std::string_view kOfAssembler = "-Xptxas=";
  if (flag.size() > kLongestFlag) return refused(flag, "Each flag is one short word.");
  Status allowed = Done{};
  if (cuda && flag.starts_with(kOfHost)) {
    for (const std::string& single : behind_prefix(flag, kOfHost))
      if (allowed) allowed = check_single(single, "cpu");
  } else if (cuda && flag.starts_with(kOfAssembler)) {
    for (const std::string& single : behind_prefix(flag, kOfAssembler))
      if (allowed) allowed = check_flag(std::string(kOfAssembler) + single, "cuda");
  } else {
    allowed = check_single(flag, cuda ? "cuda" : "cpu");
  }
  return allowed ? allowed : refused(flag, allowed.error().hint);
}

Result<Words> check_all(const Words& given, bool cuda) {
  if (given.size() > kMostFlags)
    return refused(given.back(), fmt::format("At most {} flags are taken.", kMostFlags));
  Words flags = joined(given);
  std::erase_if(flags, is_for_linkers);
  for (const std::string& flag : flags)
    if (auto allowed = check_one(flag, cuda); !allowed) return allowed.error();
  return flags;
}

// Libraries that belong to no one's computations, and those that a row names.
Status check_linker_flag(const std::string& flag, bool& vendor) {
  static const std::regex kPlain("-l(m|dl|rt|pthread|gomp|stdc\\+\\+|cuda|cudart)|-fopenmp");
  static const std::regex kVendor("-l(cublas|cublasLt|cudnn)");
  if (flag.size() <= kLongestFlag && std::regex_match(flag, kPlain)) return Done{};
  if (flag.size() <= kLongestFlag && std::regex_match(flag, kVendor)) {
    vendor = true;
    return Done{};
  }
  return refused(flag, "Of libraries, cuBLAS and cuDNN may be linked (-lcublas, -lcudnn).");
}

}  // namespace

Result<ExtensionFlags> check_extension_flags(const ExtensionFlags& given) {
  ExtensionFlags checked;
  auto host = check_all(given.host, /*cuda=*/false);
  if (!host) return host.error();
  auto cuda = check_all(given.cuda, /*cuda=*/true);
  if (!cuda) return cuda.error();
  checked.host = std::move(*host);
  checked.cuda = std::move(*cuda);
  if (given.linker.size() > kMostFlags)
    return refused(given.linker.back(), fmt::format("At most {} flags are taken.", kMostFlags));
  for (const std::string& flag : given.linker) {
    // A search path: the toolkit's is searched anyhow, and no other one is there.
    if (flag.starts_with("-L")) continue;
    if (auto allowed = check_linker_flag(flag, checked.vendor_library); !allowed)
      return allowed.error();
    checked.linker.push_back(flag);
  }
  return checked;
}

}  // namespace kbench
