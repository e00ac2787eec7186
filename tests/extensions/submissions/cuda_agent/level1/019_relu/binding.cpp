#include <pybind11/pybind11.h>

#include "binding_registry.h"

PYBIND11_MODULE(cuda_extension, module) {
  for (const BindFunction function : bind_functions()) function(module);
}
