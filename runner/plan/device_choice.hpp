// The device of a run, as --device says it, and the devices that one run measures on at once, as
// --devices says them: "all", a number of GPUs, "cuda:0,cuda:2", or "cpu". Rows of one run are
// ranked together, so its devices have one name, one size of memory and one driver. A CPU is one
// device, however many cores it has: rows that are measured beside each other share its caches and
// its memory. Only choose_target() looks at the machine.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runner/core/result.hpp"
#include "runner/core/usable_cores.hpp"
#include "runner/installation/installation.hpp"
#include "runner/machine/cuda_probe.hpp"
#include "runner/plan/run_plan.hpp"

namespace kbench {

// The device, "cpu" or "cuda", without --device: a single .cpp file runs on the CPU even where
// there are GPUs, all else on a GPU if there is one.
[[nodiscard]] std::string usual_device(const RunRequest& request, bool has_gpu);

// The target of --device and --size, or the usual device with `full` on CUDA and `small` on a CPU.
[[nodiscard]] Result<Target> choose_target(const RunRequest& request,
                                           const Installation& installation);

// The GPUs that the words name among `gpus`, all that CUDA shows to this process, by UUID: two runs
// that want the same ones then take them in the same order, even if they number them differently.
// Empty where "all" finds no GPU: the run is one on the CPU. If the words are a number, the first
// so many. Errors: kUsage, with the devices that are not there, are named twice, or differ.
[[nodiscard]] Result<std::vector<GpuInfo>> choose_devices(const std::string& words,
                                                          const std::vector<GpuInfo>& gpus);

// The device that these words name first, as --device would: "cpu", "cuda:2". None where they leave
// it to the machine: "all", and a number.
[[nodiscard]] std::optional<std::string> named_device(const std::string& words);

// Whether the words can be --devices at all. Errors: kUsage.
[[nodiscard]] Status check_devices(const std::string& words);

// Puts the chosen devices into a plan whose target was chosen without these words, or by
// named_device(). A single GPU becomes the target and no lane is made; only "cpu" makes a lane of
// one device. Errors: as above; kUsage for more than one on a CPU, and for GPUs whose UUIDs are not
// known.
[[nodiscard]] Status take_devices(const std::string& words, const std::vector<GpuInfo>& gpus,
                                  Plan& plan);

// The devices of a command that has --device and --devices, of which at most one was typed.
struct ChosenDevices {
  Target target;               // the first of them
  std::vector<GpuInfo> lanes;  // as Plan::devices; empty: one device without a lane
  // A target for each device; the only one where there are no several.
  [[nodiscard]] std::vector<Target> each() const;
  // The same of the devices that a run measures on: of several, those that find cores for a lane.
  [[nodiscard]] std::vector<Target> with_cores(
      const std::vector<int>& usable = usable_cores(),
      const std::filesystem::path& topology = "/sys/devices/system/cpu") const;
};
// As a run chooses them. Errors: those of choose_target and of take_devices.
[[nodiscard]] Result<ChosenDevices> choose_devices_of(const std::optional<std::string>& device,
                                                      const std::optional<std::string>& devices,
                                                      const Installation& installation);

}  // namespace kbench
