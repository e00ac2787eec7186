// kbench-oracle: the process that holds LibTorch. Its numbers are believed, but it executes what
// task files say, so it runs in the sandbox. Started by the supervisor with a channel on descriptor
// 3, it is a fork server (fork_server.hpp): the oracles are its children, with one channel each.
// kbench-oracle-cuda is the same program with the CUDA backend.
#include <getopt.h>
#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "runner/backend/backend.hpp"
#include "runner/core/channel.hpp"
#include "runner/oracle/fork_server.hpp"
#include "runner/oracle/loaded_task.hpp"
#include "runner/oracle/protocol.hpp"
#include "runner/oracle/server.hpp"
#include "runner/sandbox/lockdown.hpp"

namespace {

constexpr int kControlDescriptor = 3;

// Arguments with which the supervisor starts an oracle
// (runner/measure/oracle/oracle_fork_server.cpp).
struct Arguments {
  std::string device = "cpu";  // or "cuda"
  int threads = 1;
  std::string precision = "torch-default";
  std::string scratch;  // a folder that no other process writes to
  bool locked = false;  // it is in the sandbox: an oracle starts no program
};

bool read_number(std::string_view text, int& number) {
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failed == std::errc() && end == text.data() + text.size();
}

// Parses arguments with the C library: the command line's parser would be nine tenths of what this
// file takes to compile. Errors: kUsage with what is wrong.
kbench::Result<Arguments> parse_arguments(int argc, char** argv) {
  constexpr std::array<option, 6> kOptions{{{"device", required_argument, nullptr, 'd'},
                                            {"threads", required_argument, nullptr, 't'},
                                            {"precision", required_argument, nullptr, 'p'},
                                            {"scratch", required_argument, nullptr, 's'},
                                            {"locked", no_argument, nullptr, 'l'},
                                            {nullptr, 0, nullptr, 0}}};
  const auto wrong = [](const std::string& what) {
    return kbench::Error{kbench::ErrorCode::kUsage, what,
                         "kbench starts the oracle; nobody else needs to"};
  };
  Arguments arguments;
  ::opterr = 0;  // told by main
  for (int found = 0; (found = ::getopt_long(argc, argv, "", kOptions.data(), nullptr)) != -1;) {
    switch (found) {
      case 'd': arguments.device = ::optarg; break;
      case 't':
        if (!read_number(::optarg, arguments.threads))
          return wrong("no number: " + std::string(::optarg));
        break;
      case 'p': arguments.precision = ::optarg; break;
      case 's': arguments.scratch = ::optarg; break;
      case 'l': arguments.locked = true; break;
      default: return wrong(std::string("not understood: ") + argv[::optind - 1]);
    }
  }
  if (::optind < argc) return wrong(std::string("not understood: ") + argv[::optind]);
  if (arguments.scratch.empty()) return wrong("--scratch is missing");
  return arguments;
}

// Eager allocates its outputs anew in each call; a submission is given warm pages. A fresh page
// costs more than the arithmetic of a small operator, so freed memory is kept: no mmap for large
// blocks, no trimming.
void keep_freed_memory() {
  ::mallopt(M_MMAP_MAX, 0);
  ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  ::mallopt(M_TOP_PAD, 64 << 20);
}

// The supervisor shows one GPU only.
kbench::Result<std::unique_ptr<kbench::Backend>> open_backend(const std::string& device,
                                                              int threads) {
#ifdef KBENCH_ORACLE_CUDA
  if (device == "cuda") return kbench::make_cuda_backend(0);
#endif
  if (device == "cpu") return kbench::make_cpu_backend(threads);
  return kbench::Error{kbench::ErrorCode::kUsage, "this oracle has no device " + device, ""};
}

kbench::Status lock() {
  const auto locked = kbench::lock_down();
  return locked ? kbench::Status(kbench::Done{}) : kbench::Status(locked.error());
}

}  // namespace

int main(int argc, char** argv) {
  // Nothing of kbench outlives the supervisor, not even when that is killed.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // Ctrl-C, or a signal to the whole process group, is for the supervisor, which lets the
  // evaluation at hand finish.
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGTERM, SIG_IGN);
  keep_freed_memory();
  const auto arguments = parse_arguments(argc, argv);
  if (!arguments) {
    std::fprintf(stderr, "kbench-oracle: %s\n", arguments.error().message.c_str());
    return 2;
  }
  auto own = kbench::wait_to_become_an_oracle(kbench::Channel{kbench::UniqueFd(kControlDescriptor)},
                                              arguments->scratch);
  if (!own) return 0;
  kbench::Channel channel = std::move(*own);
  auto backend = open_backend(arguments->device, arguments->threads);
  kbench::Status configured = kbench::check_threads(arguments->threads);
  if (configured) configured = kbench::configure_torch(arguments->precision);
  // The device is open, and nothing of a task has run.
  if (configured && arguments->locked) configured = lock();
  const kbench::Error* problem =
      !backend ? &backend.error() : (!configured ? &configured.error() : nullptr);
  if (problem != nullptr) {
    std::fprintf(stderr, "kbench-oracle: %s\n", problem->message.c_str());
    (void)channel.receive();
    (void)channel.send({{"error", *problem}});
    return 3;
  }
  const std::string torch_device = arguments->device == "cpu" ? "cpu" : arguments->device + ":0";
  return kbench::serve_oracle(channel, **backend, torch_device, arguments->precision);
}
