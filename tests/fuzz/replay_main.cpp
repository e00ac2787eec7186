// Runs a fuzz target without libFuzzer: first over every file of a folder, then over deterministic
// mutations of those files for some seconds.
//
//   X_fuzz [--seconds N] [--seed N] FILE_OR_FOLDER…
//
// The input at hand is kept in memory, and written to fuzz-finding.bin when the program dies of it.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/fuzz_target.hpp"

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Input = std::vector<std::uint8_t>;
using Random = std::mt19937_64;

constexpr std::size_t kMaxInput = 1u << 16;

// State for the signal handler, which may only look at what is there already.
struct Current {
  const std::uint8_t* data = nullptr;
  std::size_t size = 0;
};
Current& current() {
  static Current input;
  return input;
}

void write_finding(int signal) {
  const int file = ::open("fuzz-finding.bin", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file >= 0 && ::write(file, current().data, current().size) >= 0) ::close(file);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void run(const Input& input) {
  current() = {input.data(), input.size()};
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

Input read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<Input> read_corpus(const std::vector<fs::path>& places) {
  std::vector<fs::path> files;
  for (const fs::path& place : places) {
    if (!fs::is_directory(place)) {
      files.push_back(place);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(place))
      if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Input> corpus;
  for (const fs::path& file : files) corpus.push_back(read(file));
  return corpus;
}

std::size_t below(Random& random, std::size_t bound) {
  return bound == 0 ? 0 : static_cast<std::size_t>(random() % bound);
}

// Numbers at which formats and programs change their minds, as text.
constexpr std::array<std::string_view, 12> kInteresting = {
    "0",        "-1",          "1e999", "9223372036854775808", "18446744073709551616",
    "null",     "NaN",         "[[[[[", "{\"a\":{\"a\":",      "\"\\u0000\"",
    "\x1b[31m", "\xe2\x80\xae"};

void mutate_once(Input& input, const std::vector<Input>& corpus, Random& random) {
  const std::size_t at = below(random, input.size() + 1);
  const auto place = input.begin() + static_cast<std::ptrdiff_t>(at);
  const auto chunk =
      static_cast<std::ptrdiff_t>(below(random, std::min<std::size_t>(input.size() - at, 64) + 1));
  switch (random() % 6) {
    case 0:
      if (at < input.size()) input[at] ^= static_cast<std::uint8_t>(1u << random() % 8);
      break;
    case 1:
      if (at < input.size()) input[at] = static_cast<std::uint8_t>(random());
      break;
    case 2: input.erase(place, place + chunk); break;
    case 3: {
      const Input copied(place, place + chunk);
      const auto target = static_cast<std::ptrdiff_t>(below(random, input.size() + 1));
      input.insert(input.begin() + target, copied.begin(), copied.end());
      break;
    }
    case 4: {
      const std::string_view text = kInteresting[random() % kInteresting.size()];
      input.insert(place, text.begin(), text.end());
      break;
    }
    default: {
      const Input& other = corpus[below(random, corpus.size())];
      const auto from = static_cast<std::ptrdiff_t>(below(random, other.size() + 1));
      input.erase(place, input.end());
      input.insert(input.end(), other.begin() + from, other.end());
    }
  }
  if (input.size() > kMaxInput) input.resize(kMaxInput);
}

std::size_t fuzz(const std::vector<Input>& corpus, std::chrono::seconds time, Random& random) {
  std::size_t runs = 0;
  for (const auto end = Clock::now() + time; Clock::now() < end; ++runs) {
    Input input = corpus[below(random, corpus.size())];
    for (std::size_t i = 1 + random() % 8; i > 0; --i) mutate_once(input, corpus, random);
    run(input);
  }
  return runs;
}

}  // namespace

int main(int argc, char** argv) {
  std::chrono::seconds time{0};
  std::uint64_t seed = 1;
  std::vector<fs::path> places;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--seconds" && i + 1 < argc) {
      time = std::chrono::seconds(std::strtol(argv[++i], nullptr, 10));
    } else if (word == "--seed" && i + 1 < argc) {
      seed = std::strtoull(argv[++i], nullptr, 10);
    } else {
      places.emplace_back(word);
    }
  }
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL})
    ::signal(signal, write_finding);
  std::vector<Input> corpus = read_corpus(places);
  if (corpus.empty()) {
    std::fprintf(stderr, "there is nothing to replay\n");
    return 2;
  }
  for (const Input& input : corpus) run(input);
  Random random(seed);
  const std::size_t runs = fuzz(corpus, time, random);
  std::printf("%zu files replayed, %zu mutations run, seed %llu\n", corpus.size(), runs,
              static_cast<unsigned long long>(seed));
  return 0;
}
