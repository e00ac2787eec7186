// Stands for cupti_collector.cpp where kbench is built without CUPTI.
#include "runner/activity/activity_collector.hpp"

namespace kbench {

Result<std::unique_ptr<ActivityCollector>> start_collecting(const std::string&) {
  return Error{ErrorCode::kNotFound, "no activities of the device: kbench was built without CUPTI",
               "build it where the CUDA toolkit and its CUPTI are"};
}

}  // namespace kbench
