#include "runner/activity/counter_collector.hpp"

#include <dlfcn.h>

#include <cstdint>
#include <limits>
#include <string>

#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <fmt/format.h>

#include "runner/activity/symbols.hpp"

namespace kbench {
namespace {

// Functions of CUPTI and of the driver, looked up at run time: kbench is linked with neither.
struct Functions {
  decltype(&cuptiGetResultString) text = nullptr;
  decltype(&cuptiProfilerInitialize) initialize = nullptr;
  decltype(&cuptiDeviceGetChipName) chip_name = nullptr;
  decltype(&cuptiProfilerHostInitialize) host_initialize = nullptr;
  decltype(&cuptiProfilerHostConfigAddMetrics) add_metrics = nullptr;
  decltype(&cuptiProfilerHostGetConfigImageSize) image_size = nullptr;
  decltype(&cuptiProfilerHostGetConfigImage) image = nullptr;
  decltype(&cuptiProfilerHostEvaluateToGpuValues) evaluate = nullptr;
  decltype(&cuptiRangeProfilerEnable) enable = nullptr;
  decltype(&cuptiRangeProfilerDisable) disable = nullptr;
  decltype(&cuptiRangeProfilerGetCounterDataSize) data_size = nullptr;
  decltype(&cuptiRangeProfilerCounterDataImageInitialize) data_initialize = nullptr;
  decltype(&cuptiRangeProfilerSetConfig) set_config = nullptr;
  decltype(&cuptiRangeProfilerStart) start = nullptr;
  decltype(&cuptiRangeProfilerStop) stop = nullptr;
  decltype(&cuptiRangeProfilerDecodeData) decode = nullptr;
  decltype(&cuptiRangeProfilerGetCounterDataInfo) data_info = nullptr;
  decltype(&cuCtxGetCurrent) current_context = nullptr;
  decltype(&cuCtxGetDevice) current_device = nullptr;

  // The first that is missing; empty: none.
  std::string find_all(void* cupti) {
    Symbols symbols;
    symbols.find(cupti, text, "cuptiGetResultString");
    symbols.find(cupti, initialize, "cuptiProfilerInitialize");
    symbols.find(cupti, chip_name, "cuptiDeviceGetChipName");
    symbols.find(cupti, host_initialize, "cuptiProfilerHostInitialize");
    symbols.find(cupti, add_metrics, "cuptiProfilerHostConfigAddMetrics");
    symbols.find(cupti, image_size, "cuptiProfilerHostGetConfigImageSize");
    symbols.find(cupti, image, "cuptiProfilerHostGetConfigImage");
    symbols.find(cupti, evaluate, "cuptiProfilerHostEvaluateToGpuValues");
    symbols.find(cupti, enable, "cuptiRangeProfilerEnable");
    symbols.find(cupti, disable, "cuptiRangeProfilerDisable");
    symbols.find(cupti, data_size, "cuptiRangeProfilerGetCounterDataSize");
    symbols.find(cupti, data_initialize, "cuptiRangeProfilerCounterDataImageInitialize");
    symbols.find(cupti, set_config, "cuptiRangeProfilerSetConfig");
    symbols.find(cupti, start, "cuptiRangeProfilerStart");
    symbols.find(cupti, stop, "cuptiRangeProfilerStop");
    symbols.find(cupti, decode, "cuptiRangeProfilerDecodeData");
    symbols.find(cupti, data_info, "cuptiRangeProfilerGetCounterDataInfo");
    void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    symbols.find(driver, current_context, "cuCtxGetCurrent");
    symbols.find(driver, current_device, "cuCtxGetDevice");
    return symbols.missing();
  }
};

Error not_there(const std::string& why) {
  return {ErrorCode::kNotFound, "hardware counters: " + why, ""};
}

// Parameters of zeros but for their size, as CUPTI wants them.
template <class Params>
Params params_of(std::size_t size) {
  Params params{};
  params.structSize = size;
  return params;
}

class RangeCounters final : public CounterCollector {
 public:
  static Result<std::unique_ptr<CounterCollector>> make(void* cupti) {
    std::unique_ptr<RangeCounters> made(new RangeCounters);
    if (const std::string missing = made->call_.find_all(cupti); !missing.empty())
      return not_there("no " + missing);
    if (auto done = made->choose_metrics(); !done) return done.error();
    return std::unique_ptr<CounterCollector>(std::move(made));
  }

  Status begin() override {
    auto enabling =
        params_of<CUpti_RangeProfiler_Enable_Params>(CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE);
    if (call_.current_context(&enabling.ctx) != CUDA_SUCCESS || enabling.ctx == nullptr)
      return not_there("there is no context");
    if (auto done = checked(call_.enable(&enabling), "enabling them"); !done) return done;
    profiler_ = enabling.pRangeProfilerObject;
    auto done = configure();
    if (done) done = start();
    if (!done) disable();
    return done;
  }

  Result<std::vector<CounterRow>> end() override {
    auto stopping =
        params_of<CUpti_RangeProfiler_Stop_Params>(CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE);
    stopping.pRangeProfilerObject = profiler_;
    auto decoding = params_of<CUpti_RangeProfiler_DecodeData_Params>(
        CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE);
    decoding.pRangeProfilerObject = profiler_;
    auto done = checked(call_.stop(&stopping), "stopping");
    if (done && stopping.isAllPassSubmitted == 0) done = not_there("not all of them were read");
    if (done) done = checked(call_.decode(&decoding), "decoding");
    auto rows = done ? read_rows() : Result<std::vector<CounterRow>>(done.error());
    disable();
    return rows;
  }

 private:
  RangeCounters() = default;

  Status checked(CUptiResult result, const char* doing) const {
    if (result == CUPTI_SUCCESS) return Done{};
    if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES)
      return not_there(
          "this driver keeps them for administrators (the module's option "
          "NVreg_RestrictProfilingToAdminUsers=0, or CAP_SYS_ADMIN)");
    const char* text = nullptr;
    call_.text(result, &text);
    return not_there(fmt::format("{}: {}", doing, text == nullptr ? "unknown error" : text));
  }

  Status choose_metrics() {
    auto initializing =
        params_of<CUpti_Profiler_Initialize_Params>(CUpti_Profiler_Initialize_Params_STRUCT_SIZE);
    if (auto done = checked(call_.initialize(&initializing), "initializing"); !done) return done;
    auto chip =
        params_of<CUpti_Device_GetChipName_Params>(CUpti_Device_GetChipName_Params_STRUCT_SIZE);
    CUdevice device = 0;
    if (call_.current_device(&device) == CUDA_SUCCESS)
      chip.deviceIndex = static_cast<std::size_t>(device);
    if (auto done = checked(call_.chip_name(&chip), "the chip's name"); !done) return done;
    auto host = params_of<CUpti_Profiler_Host_Initialize_Params>(
        CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE);
    host.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    host.pChipName = chip.pChipName;
    if (auto done = checked(call_.host_initialize(&host), "preparing"); !done) return done;
    host_ = host.pHostObject;
    for (std::size_t i = 0; i < kCounters.size(); ++i) add_metric(i);
    if (metrics_.empty()) return not_there("this device offers none of those that are used");
    return make_image();
  }

  // Metrics are added one by one: a single name that this chip does not have refuses all that come
  // with it.
  void add_metric(std::size_t counter) {
    const char* metric = kCounters.at(counter).metric;
    auto adding = params_of<CUpti_Profiler_Host_ConfigAddMetrics_Params>(
        CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE);
    adding.pHostObject = host_;
    adding.ppMetricNames = &metric;
    adding.numMetrics = 1;
    if (call_.add_metrics(&adding) != CUPTI_SUCCESS) return;
    metrics_.push_back(metric);
    counter_of_metric_.push_back(counter);
  }

  Status make_image() {
    auto size = params_of<CUpti_Profiler_Host_GetConfigImageSize_Params>(
        CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE);
    size.pHostObject = host_;
    if (auto done = checked(call_.image_size(&size), "the configuration's size"); !done)
      return done;
    image_.resize(size.configImageSize);
    auto image = params_of<CUpti_Profiler_Host_GetConfigImage_Params>(
        CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE);
    image.pHostObject = host_;
    image.configImageSize = image_.size();
    image.pConfigImage = image_.data();
    return checked(call_.image(&image), "the configuration");
  }

  Status configure() {
    auto size = params_of<CUpti_RangeProfiler_GetCounterDataSize_Params>(
        CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE);
    size.pRangeProfilerObject = profiler_;
    size.pMetricNames = metrics_.data();
    size.numMetrics = metrics_.size();
    size.maxNumOfRanges = kMostCountedKernels;
    size.maxNumRangeTreeNodes = kMostCountedKernels;
    if (auto done = checked(call_.data_size(&size), "the data's size"); !done) return done;
    data_.assign(size.counterDataSize, 0);
    auto data = params_of<CUpti_RangeProfiler_CounterDataImage_Initialize_Params>(
        CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE);
    data.pRangeProfilerObject = profiler_;
    data.counterDataSize = data_.size();
    data.pCounterData = data_.data();
    if (auto done = checked(call_.data_initialize(&data), "the data"); !done) return done;
    auto config = params_of<CUpti_RangeProfiler_SetConfig_Params>(
        CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE);
    config.pRangeProfilerObject = profiler_;
    config.configSize = image_.size();
    config.pConfig = image_.data();
    config.counterDataImageSize = data_.size();
    config.pCounterDataImage = data_.data();
    config.range = CUPTI_AutoRange;
    config.replayMode = CUPTI_KernelReplay;
    config.maxRangesPerPass = kMostCountedKernels;
    config.numNestingLevels = 1;
    config.minNestingLevel = 1;
    return checked(call_.set_config(&config), "choosing them");
  }

  Status start() {
    auto starting =
        params_of<CUpti_RangeProfiler_Start_Params>(CUpti_RangeProfiler_Start_Params_STRUCT_SIZE);
    starting.pRangeProfilerObject = profiler_;
    return checked(call_.start(&starting), "starting");
  }

  void disable() {
    auto disabling = params_of<CUpti_RangeProfiler_Disable_Params>(
        CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE);
    disabling.pRangeProfilerObject = profiler_;
    (void)call_.disable(&disabling);
    profiler_ = nullptr;
  }

  Result<std::vector<CounterRow>> read_rows() const {
    auto info = params_of<CUpti_RangeProfiler_GetCounterDataInfo_Params>(
        CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE);
    info.pCounterDataImage = data_.data();
    info.counterDataImageSize = data_.size();
    if (auto done = checked(call_.data_info(&info), "their number"); !done) return done.error();
    std::vector<CounterRow> rows;
    for (std::size_t range = 0; range < info.numTotalRanges; ++range) {
      auto row = read_row(range);
      if (!row) return row.error();
      rows.push_back(*row);
    }
    return rows;
  }

  Result<CounterRow> read_row(std::size_t range) const {
    std::vector<double> values(metrics_.size());
    std::vector<const char*> names = metrics_;
    auto evaluating = params_of<CUpti_Profiler_Host_EvaluateToGpuValues_Params>(
        CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE);
    evaluating.pHostObject = host_;
    evaluating.pCounterDataImage = data_.data();
    evaluating.counterDataImageSize = data_.size();
    evaluating.rangeIndex = range;
    evaluating.ppMetricNames = names.data();
    evaluating.numMetrics = names.size();
    evaluating.pMetricValues = values.data();
    if (auto done = checked(call_.evaluate(&evaluating), "their values"); !done)
      return done.error();
    CounterRow row;
    row.fill(std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < values.size(); ++i) row.at(counter_of_metric_[i]) = values[i];
    return row;
  }

  Functions call_;
  CUpti_Profiler_Host_Object* host_ = nullptr;  // lives as long as the process
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
  std::vector<const char*> metrics_;
  std::vector<std::size_t> counter_of_metric_;
  std::vector<std::uint8_t> image_;
  std::vector<std::uint8_t> data_;
};

}  // namespace

Result<std::unique_ptr<CounterCollector>> prepare_counting(void* cupti) {
  return RangeCounters::make(cupti);
}

}  // namespace kbench
