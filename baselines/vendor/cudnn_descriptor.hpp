// An object of cuDNN's graph interface: made, given attributes, finalized, asked. Everything throws
// Failed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "baselines/vendor/libraries.hpp"

#ifdef KBENCH_WITH_CUDNN
namespace kbench::vendor {

// The one place that knows which C++ type goes with which type of an attribute.
inline cudnnBackendAttributeType_t attribute_type(const std::int64_t&) { return CUDNN_TYPE_INT64; }
inline cudnnBackendAttributeType_t attribute_type(const float&) { return CUDNN_TYPE_FLOAT; }
inline cudnnBackendAttributeType_t attribute_type(const double&) { return CUDNN_TYPE_DOUBLE; }
inline cudnnBackendAttributeType_t attribute_type(const bool&) { return CUDNN_TYPE_BOOLEAN; }
inline cudnnBackendAttributeType_t attribute_type(void* const&) { return CUDNN_TYPE_VOID_PTR; }
inline cudnnBackendAttributeType_t attribute_type(const cudnnDataType_t&) {
  return CUDNN_TYPE_DATA_TYPE;
}
inline cudnnBackendAttributeType_t attribute_type(const cudnnHandle_t&) {
  return CUDNN_TYPE_HANDLE;
}
inline cudnnBackendAttributeType_t attribute_type(const cudnnConvolutionMode_t&) {
  return CUDNN_TYPE_CONVOLUTION_MODE;
}
inline cudnnBackendAttributeType_t attribute_type(const cudnnPointwiseMode_t&) {
  return CUDNN_TYPE_POINTWISE_MODE;
}
inline cudnnBackendAttributeType_t attribute_type(const cudnnBackendHeurMode_t&) {
  return CUDNN_TYPE_HEUR_MODE;
}
inline cudnnBackendAttributeType_t attribute_type(const cudnnBackendNumericalNote_t&) {
  return CUDNN_TYPE_NUMERICAL_NOTE;
}
inline cudnnBackendAttributeType_t attribute_type(const char&) { return CUDNN_TYPE_CHAR; }

class Descriptor {
 public:
  Descriptor(const Cudnn& cudnn, cudnnBackendDescriptorType_t type) : cudnn_(&cudnn) {
    cudnn.check(cudnn.create_descriptor(type, &descriptor_), "cudnnBackendCreateDescriptor");
  }
  Descriptor(Descriptor&& other) noexcept
      : cudnn_(other.cudnn_), descriptor_(std::exchange(other.descriptor_, nullptr)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(cudnn_, other.cudnn_);
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (descriptor_ != nullptr) cudnn_->destroy_descriptor(descriptor_);
  }

  [[nodiscard]] cudnnBackendDescriptor_t get() const { return descriptor_; }

  template <class Value>
  Descriptor& set(cudnnBackendAttributeName_t name, const Value& value) {
    return set_all(name, attribute_type(value), 1, &value);
  }
  template <class Value>
  Descriptor& set(cudnnBackendAttributeName_t name, const std::vector<Value>& values) {
    return set_all(name, attribute_type(values.front()), values.size(), values.data());
  }
  Descriptor& set(cudnnBackendAttributeName_t name, const Descriptor& other) {
    return set_all(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &other.descriptor_);
  }
  Descriptor& set(cudnnBackendAttributeName_t name, const std::vector<Descriptor>& others) {
    std::vector<cudnnBackendDescriptor_t> all;
    for (const Descriptor& other : others) all.push_back(other.descriptor_);
    return set_all(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, all.size(), all.data());
  }
  Descriptor& finalize() {
    cudnn_->check(cudnn_->finalize(descriptor_), "cudnnBackendFinalize");
    return *this;
  }

  // Asks for a list of at most `most` values.
  template <class Value>
  [[nodiscard]] std::vector<Value> get(cudnnBackendAttributeName_t name, std::size_t most) const {
    std::vector<Value> values(most);
    std::int64_t count = 0;
    cudnn_->check(cudnn_->get_attribute(descriptor_, name, attribute_type(Value{}),
                                        static_cast<std::int64_t>(most), &count, values.data()),
                  "cudnnBackendGetAttribute " + std::to_string(name));
    values.resize(std::min(most, static_cast<std::size_t>(count)));
    return values;
  }
  // Fills descriptors that were made before; how many.
  std::size_t get(cudnnBackendAttributeName_t name, std::vector<Descriptor>& into) const {
    std::vector<cudnnBackendDescriptor_t> all;
    for (const Descriptor& one : into) all.push_back(one.descriptor_);
    std::int64_t count = 0;
    cudnn_->check(cudnn_->get_attribute(descriptor_, name, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                                        static_cast<std::int64_t>(all.size()), &count, all.data()),
                  "cudnnBackendGetAttribute " + std::to_string(name));
    return std::min(into.size(), static_cast<std::size_t>(count));
  }

 private:
  Descriptor& set_all(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                      std::size_t count, const void* values) {
    cudnn_->check(
        cudnn_->set_attribute(descriptor_, name, type, static_cast<std::int64_t>(count), values),
        "cudnnBackendSetAttribute " + std::to_string(name));
    return *this;
  }

  const Cudnn* cudnn_;
  cudnnBackendDescriptor_t descriptor_ = nullptr;
};

}  // namespace kbench::vendor
#endif
