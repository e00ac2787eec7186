#include "runner/device/examination.hpp"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <span>
#include <sstream>
#include <thread>

#include <SQLiteCpp/Database.h>
#include <fmt/format.h>

#include "runner/core/lines.hpp"
#include "runner/core/usable_cores.hpp"
#include "runner/core/utc_now.hpp"
#include "runner/device/calibrated_limits.hpp"
#include "runner/device/calibration_file.hpp"
#include "runner/installation/container.hpp"
#include "runner/installation/torch_search.hpp"
#include "runner/machine/cuda_probe.hpp"
#include "runner/machine/host_facts.hpp"
#include "runner/os/clean_text.hpp"
#include "runner/os/trusted_python.hpp"
#include "runner/sandbox/host.hpp"
#include "runner/sandbox/sandbox.hpp"
#include "runner/submission/compiler.hpp"
#include "runner/task/suite.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// The first import of torch reads gigabytes, and takes more than a minute beside other programs.
constexpr std::chrono::minutes kPythonTimeout{10};
constexpr std::uint64_t kWantedDiskBytes = 5ull << 30;

bool is_program(const fs::path& path) { return ::access(path.c_str(), X_OK) == 0; }

Finding check_suites(const fs::path& suites) {
  const auto entries = list_tasks(suites);
  if (!entries) return {"suites", Health::kFail, entries.error().message, entries.error().hint};
  const auto broken = std::count_if(entries->begin(), entries->end(),
                                    [](const auto& entry) { return !entry.problem.empty(); });
  const auto text = fmt::format("{} tasks in {}", entries->size(), suites.string());
  if (entries->empty()) {
    return {"suites", Health::kFail, text, "restore suites/, or name another with --suite"};
  }
  if (broken > 0) {
    return {"suites", Health::kCaution, fmt::format("{}, {} of them unreadable", text, broken),
            "`kbench tasks list` names them"};
  }
  return {"suites", Health::kPass, text, ""};
}

Finding check_program(const Installation& installation, const char* name, const fs::path& path,
                      Health if_missing, const std::string& consequence) {
  if (is_program(path)) return {name, Health::kPass, path.string(), ""};
  return {name, if_missing,
          fmt::format("{} {}: {}", path.string(),
                      installation.installed ? "is missing" : "was not built", consequence),
          how_to_mend(installation)};
}

Finding check_python(const Installation& installation) {
  const std::string consequence = "no compiled baseline";
  const std::string remedy = (installation.installed ? "" : "run third_party/setup, or ") +
                             std::string("set KBENCH_TORCH to a Python with torch");
  if (installation.python.empty()) {
    return {"python", Health::kCaution,
            fmt::format("{}; {}", installation.python_reason, consequence), remedy};
  }
  const auto python = TrustedPython::find(installation.python);
  const auto version = python
                           ? python->run("import torch; print(torch.__version__)", kPythonTimeout)
                           : Result<std::string>(python.error());
  if (!version) {
    return {"python", Health::kCaution, fmt::format("{}; {}", version.error().message, consequence),
            remedy};
  }
  return {"python", Health::kPass,
          fmt::format("torch {} in {} ({})", first_line(*version), installation.python.string(),
                      installation.python_reason),
          ""};
}

// In a checkout the oracle has its LibTorch, and a Python is for the compiled baselines. What was
// installed has to find both.
Finding check_torch(const Installation& installation) {
  const auto complete = with_torch(installation, process_environment(), ask_for_torch);
  if (complete) return check_python(*complete);
  return {"python", Health::kFail, complete.error().message, complete.error().hint};
}

std::vector<Finding> check_compilers(const Installation& installation,
                                     const std::vector<GpuInfo>& gpus) {
  const auto toolchain = find_toolchain();
  std::vector<Finding> findings;
  if (toolchain.host_compiler.empty()) {
    findings.push_back({"c++", Health::kFail, "no C++ compiler: .cpp submissions cannot be built",
                        "install g++ (Debian, Ubuntu: apt install g++), or set CXX"});
  } else {
    findings.push_back(
        {"c++", Health::kPass,
         fmt::format("{} ({})", toolchain.host_compiler.string(), toolchain.host_version), ""});
  }
  if (!toolchain.nvcc.empty()) {
    findings.push_back({"nvcc", Health::kPass,
                        fmt::format("{} ({})", toolchain.nvcc.string(), toolchain.nvcc_version),
                        ""});
  } else if (gpus.empty()) {
    findings.push_back({"nvcc", Health::kSkipped, "no nvcc, and no GPU to build for", ""});
  } else {
    findings.push_back({"nvcc", Health::kFail,
                        "no nvcc though there is a GPU: .cu submissions cannot be built",
                        installation.installed ? "install the CUDA toolkit, or set CUDACXX"
                                               : "run third_party/setup, or set CUDACXX"});
  }
  findings.push_back(
      toolchain.ninja.empty()
          ? Finding{"ninja", Health::kSkipped,
                    "no ninja: Python submissions that compile extensions are skipped",
                    "install ninja (Debian, Ubuntu: apt install ninja-build)"}
          : Finding{"ninja", Health::kPass, toolchain.ninja.string(), ""});
  return findings;
}

Finding check_gpu(const std::vector<GpuInfo>& gpus) {
  if (gpus.empty()) return {"gpu", Health::kSkipped, "no NVIDIA GPU: the device is cpu", ""};
  std::string text;
  for (const auto& gpu : gpus) {
    text += fmt::format("{}cuda:{} {}, compute capability {}.{}, {:.0f} GiB, driver {}",
                        text.empty() ? "" : "; ", gpu.index, gpu.name, gpu.compute_capability / 10,
                        gpu.compute_capability % 10,
                        static_cast<double>(gpu.memory_bytes) / (1ull << 30), gpu.driver);
  }
  return {"gpu", Health::kPass, text, ""};
}

Finding check_sandbox(bool needs_cuda) {
  const auto sandbox = make_sandbox();
  const auto& level = sandbox->level(needs_cuda);
  const auto text = fmt::format("{}{}", level.to_string(), needs_cuda ? " (with CUDA)" : "");
  if (level.reason.empty()) return {"sandbox", Health::kPass, text, ""};
  std::string remedy = "`kbench selftest sandbox` shows what the missing layer leaves open";
  if (!level.bubblewrap) {
    remedy = find_system_program("bwrap")
                 ? "bubblewrap is refused its namespaces: a container wants --cap-add SYS_ADMIN "
                   "(`kbench help install`); `kbench selftest sandbox` shows what is open"
                 : "install bubblewrap; `kbench selftest sandbox` shows what is open";
  }
  return {"sandbox", Health::kCaution, fmt::format("{}; {}", text, level.reason),
          std::move(remedy)};
}

Finding check_cache(const Installation& installation) {
  const auto made = create_cache(installation);
  if (!made) return {"cache", Health::kFail, made.error().message, made.error().hint};
  auto probe = (installation.cache / "doctor-XXXXXX").string();
  const int descriptor = ::mkstemp(probe.data());
  if (descriptor < 0) {
    return {"cache", Health::kFail, fmt::format("{} is not writable", installation.cache.string()),
            "make it writable, or set KBENCH_CACHE to a folder that is"};
  }
  ::close(descriptor);
  ::unlink(probe.c_str());
  struct statvfs space {};
  if (::statvfs(installation.cache.c_str(), &space) != 0) {
    return {"cache", Health::kPass, installation.cache.string(), ""};
  }
  const auto free_bytes = std::uint64_t{space.f_bavail} * space.f_frsize;
  const auto text = fmt::format("{}, {:.1f} GiB free", installation.cache.string(),
                                static_cast<double>(free_bytes) / (1ull << 30));
  if (free_bytes >= kWantedDiskBytes) return {"cache", Health::kPass, text, ""};
  return {"cache", Health::kCaution, text,
          "free some space, or set KBENCH_CACHE to a folder on a larger disk"};
}

Finding check_cpu() {
  const auto online = std::thread::hardware_concurrency();
  const std::size_t usable = usable_cores().size();
  const auto text = fmt::format("{} threads usable of {} online", usable, online);
  if (usable >= 2) return {"cpu", Health::kPass, text, ""};
  return {"cpu", Health::kCaution, text,
          "with one thread the supervisor takes time from what it measures; give it two"};
}

// The devices that `kbench run` would take, as calibrations know them.
std::vector<CalibratedDevice> devices_here(const std::vector<GpuInfo>& gpus) {
  std::vector<CalibratedDevice> devices;
  for (const GpuInfo& gpu : gpus)
    devices.push_back(describe_device({.device = "cuda", .device_index = gpu.index, .gpu = gpu}));
  if (!devices.empty()) return devices;
  return {describe_device({.device = "cpu"})};
}

std::string age_of(const std::string& measured_at) {
  const auto then = parse_utc(measured_at);
  if (!then) return measured_at;
  const auto age = std::chrono::system_clock::now() - *then;
  const auto days = std::chrono::duration_cast<std::chrono::hours>(age).count() / 24;
  return fmt::format("{} ago", days == 1  ? "a day"
                               : days < 1 ? "less than a day"
                                          : fmt::format("{} days", days));
}

Finding check_calibration(const fs::path& state, const std::vector<GpuInfo>& gpus) {
  const auto all = read_calibrations(state);
  if (!all) return {"calibration", Health::kCaution, all.error().message, all.error().hint};
  std::string text;
  bool complete = true;
  int failed = 0;
  for (const CalibratedDevice& device : devices_here(gpus)) {
    const auto known = find_calibration(*all, device);
    complete = complete && known.has_value();
    failed += failed_clock_checks(*all, device);
    text += fmt::format(
        "{}{}: {}", text.empty() ? "" : "; ", device.name,
        known ? fmt::format("equal runs differ by {:.2f} %, measured {}", 100 * known->between_runs,
                            age_of(known->measured_at))
              : "not calibrated with this driver and kbench, so that no row gets a verdict");
  }
  if (!complete) return {"calibration", Health::kCaution, text, "run `kbench calibrate` once"};
  if (failed == 0) return {"calibration", Health::kPass, text, ""};
  return {"calibration", Health::kCaution,
          fmt::format("{}; {} of the clock failed then", text,
                      failed == 1 ? "a check" : fmt::format("{} checks", failed)),
          "run `kbench calibrate --only timing` again, while nothing else runs"};
}

// Words such as "copy 2.9 TB/s, read …, products fp32 51 T/s …": the table of `kbench calibrate` in
// a line.
std::string limits_words(const DeviceLimits& limits) {
  std::string text =
      fmt::format("copy {:.4g}, read {:.4g}, write {:.4g} GB/s", limits.copy.value * 1e-9,
                  limits.read.value * 1e-9, limits.write.value * 1e-9);
  for (const auto& [precision, products] : limits.products)
    text += fmt::format(", {} {:.4g} TFLOP/s", precision, products.value * 1e-12);
  if (limits.launch_ns.value > 0)
    text += fmt::format(", a launch {:.1f} us", limits.launch_ns.value * 1e-3);
  return text + ", measured " + age_of(limits.measured_at);
}

Finding check_limits(const fs::path& state, const std::vector<GpuInfo>& gpus) {
  std::string text;
  std::string hint;
  for (const CalibratedDevice& device : devices_here(gpus)) {
    const auto limits = find_limits(state, device);
    if (!limits) return {"limits", Health::kCaution, limits.error().message, limits.error().hint};
    text += text.empty() ? "" : "; ";
    if (!*limits) {
      text += device.name +
              ": not measured with this driver and kbench, so that shares of the "
              "limit are by what each run measures beside it";
      hint = "run `kbench calibrate --only limits` once, which takes seconds";
      continue;
    }
    text += device.name + ": " + limits_words(**limits);
    for (const std::string& caution : cautions_of(**limits, find_device_sheet(device.name))) {
      text += "; " + caution;
      hint = "find out what slows it down (heat, power, other programs), then `kbench calibrate`";
    }
  }
  return {"limits", hint.empty() ? Health::kPass : Health::kCaution, text, hint};
}

Finding check_load() {
  double programs = 0;
  if (::getloadavg(&programs, 1) != 1)
    return {"load", Health::kSkipped, "the kernel does not say what else runs", ""};
  const auto text = fmt::format("{:.1f} programs ran at a time in the last minute", programs);
  constexpr double kQuiet = 0.5;
  if (programs <= kQuiet) return {"load", Health::kPass, text, ""};
  return {"load", Health::kCaution, text,
          "what else runs widens intervals; more than half of the time, it takes the verdict"};
}

Finding check_container() {
  const auto runtime = container_runtime();
  if (runtime == "none") return {"container", Health::kPass, "no sign of a container", ""};
  return {"container", Health::kCaution,
          fmt::format("inside {}: stored with every row, since it may bear on times", runtime), ""};
}

}  // namespace

std::string_view to_string(Health health) {
  switch (health) {
    case Health::kPass: return "PASS";
    case Health::kCaution: return "CAUTION";
    case Health::kSkipped: return "SKIPPED";
    case Health::kFail: return "FAIL";
  }
  return "FAIL";
}

std::vector<Finding> examine(const Installation& installation, const fs::path& suites) {
  std::vector<Finding> findings;
  findings.push_back({"installation", Health::kPass, installation.root.string(), ""});
  findings.push_back(check_suites(suites));
  findings.push_back(check_program(installation, "worker", installation.worker, Health::kFail,
                                   "no submission can run"));
  findings.push_back(check_program(installation, "enter", installation.programs / "kbench-enter",
                                   Health::kFail, "nothing can be sandboxed"));
  findings.push_back(
      check_program(installation, "oracle", installation.oracle, Health::kFail,
                    "nothing can be measured (built with -DKBENCH_WITH_TORCH=OFF?)"));
  const auto gpus = probe_gpus();
  findings.push_back(check_gpu(gpus));
  findings.push_back(check_program(installation, "oracle-cuda", installation.oracle_cuda,
                                   gpus.empty() ? Health::kSkipped : Health::kFail,
                                   "nothing can be measured on CUDA"));
  if (gpus.empty()) findings.back().remedy.clear();
  findings.push_back(check_torch(installation));
  for (auto& finding : check_compilers(installation, gpus)) findings.push_back(std::move(finding));
  findings.push_back(check_sandbox(!gpus.empty()));
  findings.push_back(check_cache(installation));
  findings.push_back(check_cpu());
  findings.push_back(check_calibration(installation.state, gpus));
  findings.push_back(check_limits(installation.state, gpus));
  findings.push_back(check_load());
  findings.push_back({"sqlite", Health::kPass, SQLite::getLibVersion(), ""});
  findings.push_back(check_container());
  return findings;
}

Json findings_json(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings)
    list.push_back({{"check", finding.check},
                    {"health", to_string(finding.health)},
                    {"text", finding.text},
                    {"remedy", finding.remedy}});
  return {{"schema_version", 1}, {"findings", std::move(list)}};
}

}  // namespace kbench
