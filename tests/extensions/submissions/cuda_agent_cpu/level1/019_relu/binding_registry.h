// Collects what each file of kernels/ binds, so that binding.cpp need not know them.
#pragma once

#include <pybind11/pybind11.h>

#include <vector>

using BindFunction = void (*)(pybind11::module&);

inline std::vector<BindFunction>& bind_functions() {
  static std::vector<BindFunction> functions;
  return functions;
}

struct BindAtStart {
  explicit BindAtStart(BindFunction function) { bind_functions().push_back(function); }
};

#define REGISTER_BINDING(name, function) static const BindAtStart registered_##name(&function)
