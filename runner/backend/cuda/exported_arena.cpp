#include "runner/backend/cuda/exported_arena.hpp"

#include <algorithm>
#include <utility>

#include <cudaTypedefs.h>
#include <fmt/format.h>

#include "runner/backend/cuda/check.hpp"

namespace kbench::cuda {

namespace {

// libcuda's functions for virtual memory, as the runtime found them.
struct DriverFunctions {
  PFN_cuMemGetAllocationGranularity_v10020 granularity = nullptr;
  PFN_cuMemCreate_v10020 create = nullptr;
  PFN_cuMemRelease_v10020 release = nullptr;
  PFN_cuMemExportToShareableHandle_v10020 export_handle = nullptr;
  PFN_cuMemAddressReserve_v10020 reserve = nullptr;
  PFN_cuMemAddressFree_v10020 free = nullptr;
  PFN_cuMemMap_v10020 map = nullptr;
  PFN_cuMemUnmap_v10020 unmap = nullptr;
  PFN_cuMemSetAccess_v10020 set_access = nullptr;
};

template <class Function>
Status find(const char* name, Function& function) {
  constexpr unsigned kInterface = 10020;  // CUDA 10.2, where these functions appeared
  void* address = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  const cudaError_t code =
      cudaGetDriverEntryPointByVersion(name, &address, kInterface, cudaEnableDefault, &found);
  if (Status status = check(code, "cudaGetDriverEntryPointByVersion"); !status) return status;
  if (found != cudaDriverEntryPointSuccess || address == nullptr) {
    return Error{ErrorCode::kInfrastructure, fmt::format("the CUDA driver has no {}", name),
                 "update the NVIDIA driver"};
  }
  function = reinterpret_cast<Function>(address);
  return Done{};
}

Result<DriverFunctions> find_functions() {
  DriverFunctions f;
  for (const Status& status :
       {find("cuMemGetAllocationGranularity", f.granularity), find("cuMemCreate", f.create),
        find("cuMemRelease", f.release), find("cuMemExportToShareableHandle", f.export_handle),
        find("cuMemAddressReserve", f.reserve), find("cuMemAddressFree", f.free),
        find("cuMemMap", f.map), find("cuMemUnmap", f.unmap),
        find("cuMemSetAccess", f.set_access)}) {
    if (!status) return status.error();
  }
  return f;
}

class ExportedArena : public SharedArena {
 public:
  ExportedArena(const DriverFunctions& functions, std::uint64_t bytes)
      : driver_(functions), bytes_(bytes) {}
  ExportedArena(const ExportedArena&) = delete;
  ExportedArena& operator=(const ExportedArena&) = delete;
  // Nothing can be done about a failure here; an unusable context has lost its memory anyway.
  ~ExportedArena() override {
    if (mapped_) driver_.unmap(address_, bytes_);
    if (address_ != 0) driver_.free(address_, bytes_);
    if (created_) driver_.release(handle_);
  }

  // To be called once, before anything else.
  Status build(const CUmemAllocationProp& properties) {
    Status status = check(driver_.create(&handle_, bytes_, &properties, 0), "cuMemCreate");
    if (!status) return status;
    created_ = true;
    int descriptor = -1;
    status = check(
        driver_.export_handle(&descriptor, handle_, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
        "cuMemExportToShareableHandle");
    if (!status) return status;
    fd_.reset(descriptor);
    status = check(driver_.reserve(&address_, bytes_, 0, 0, 0), "cuMemAddressReserve");
    if (!status) return status;
    status = check(driver_.map(address_, bytes_, 0, handle_, 0), "cuMemMap");
    if (!status) return status;
    mapped_ = true;
    CUmemAccessDesc access{};
    access.location = properties.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return check(driver_.set_access(address_, bytes_, &access, 1), "cuMemSetAccess");
  }

  [[nodiscard]] std::byte* data() const override {
    return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(address_));
  }
  [[nodiscard]] std::uint64_t bytes() const override { return bytes_; }
  [[nodiscard]] int fd() const override { return fd_.get(); }
  Status seal() override { return Done{}; }

 private:
  DriverFunctions driver_;
  std::uint64_t bytes_;
  UniqueFd fd_;
  CUmemGenericAllocationHandle handle_ = 0;
  CUdeviceptr address_ = 0;
  bool created_ = false;
  bool mapped_ = false;
};

}  // namespace

Result<std::unique_ptr<SharedArena>> create_exported_arena(int device, std::uint64_t bytes) {
  const auto driver = find_functions();
  if (!driver) return driver.error();
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device;
  std::size_t step = 0;
  const Status asked =
      check(driver->granularity(&step, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
            "cuMemGetAllocationGranularity");
  if (!asked) return asked.error();
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 62;
  if (bytes > kLargest || step == 0) {
    return check(CUDA_ERROR_OUT_OF_MEMORY, "cuMemCreate").error();
  }
  const std::uint64_t size = std::max<std::uint64_t>((bytes + step - 1) / step, 1) * step;
  auto arena = std::make_unique<ExportedArena>(*driver, size);
  if (const Status built = arena->build(properties); !built) return built.error();
  return std::unique_ptr<SharedArena>(std::move(arena));
}

}  // namespace kbench::cuda
