// Parts of the two programs that run a kernel under a sanitizer: tensors of a task, and values that
// are drawn as the task says. The tables come from tensors.h, which kbench writes for each task.
// Nobody compares these values with anything: they have to be as large, and as valid, as real ones.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "task.h"

namespace probe {

enum Kind { kUniform, kNormal, kIntegers, kBernoulli, kConstant, kLower, kUpper, kStored };

struct Tensor {
  const char* name;
  std::uint64_t elements;
  char type;  // d, f, h (half), b (bfloat16), l, i, s, c (of 8, 4, 2, 1 bytes), B (0 or 1)
  Kind kind;
  double a, b;
  long long step;
  int keep;  // 1: zero above the diagonal, 2: below it
  long long diagonal, rows, columns;
  std::uint64_t stored;  // place of its first value in the file of stored values
};

inline std::uint64_t bytes_of(const Tensor& tensor) {
  const char* wide = "dl";
  const char* middle = "fi";
  const char* narrow = "hbs";
  const std::uint64_t size = std::strchr(wide, tensor.type)     ? 8
                             : std::strchr(middle, tensor.type) ? 4
                             : std::strchr(narrow, tensor.type) ? 2
                                                                : 1;
  return tensor.elements * size;
}

class Values {
 public:
  // The file holds doubles; a task without stored values has an empty one.
  explicit Values(const char* file) {
    std::FILE* open = std::fopen(file, "rb");
    if (open == nullptr) return;
    double value = 0;
    while (std::fread(&value, sizeof value, 1, open) == 1) stored_.push_back(value);
    std::fclose(open);
  }

  std::vector<unsigned char> draw(const Tensor& tensor) {
    const std::uint64_t size = tensor.elements == 0 ? 1 : bytes_of(tensor) / tensor.elements;
    std::vector<unsigned char> bytes(bytes_of(tensor));
    for (std::uint64_t i = 0; i < tensor.elements; ++i)
      write(tensor.type, value_of(tensor, i), &bytes[i * size]);
    return bytes;
  }

 private:
  double unit() {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t mixed = (state_ ^ (state_ >> 32)) * 0xd6e8feb86659fd93u;
    mixed = (mixed ^ (mixed >> 32)) * 0xd6e8feb86659fd93u;
    return static_cast<double>((mixed ^ (mixed >> 32)) >> 11) * 0x1p-53;
  }

  double value_of(const Tensor& tensor, std::uint64_t at) {
    const long long above = tensor.columns == 0
                                ? 0
                                : static_cast<long long>(at) % tensor.columns -
                                      static_cast<long long>(at) / tensor.columns % tensor.rows;
    if (tensor.keep == 1 && above > tensor.diagonal) return 0;
    if (tensor.keep == 2 && above < tensor.diagonal) return 0;
    switch (tensor.kind) {
      case kUniform: return tensor.a + (tensor.b - tensor.a) * unit();
      case kNormal: return tensor.a + tensor.b * 2 * (unit() + unit() + unit() - 1.5);
      case kIntegers: {
        const double steps = std::ceil((tensor.b - tensor.a) / static_cast<double>(tensor.step));
        return tensor.a + std::floor(unit() * steps) * static_cast<double>(tensor.step);
      }
      case kBernoulli: return unit() < tensor.a ? 1 : 0;
      case kConstant: return tensor.a;
      case kLower: return static_cast<double>(above) <= tensor.a ? 1 : 0;
      case kUpper: return static_cast<double>(above) >= tensor.a ? 1 : 0;
      case kStored: return tensor.stored + at < stored_.size() ? stored_[tensor.stored + at] : 0;
    }
    return 0;
  }

  template <typename T>
  static void put(T value, unsigned char* to) {
    std::memcpy(to, &value, sizeof value);
  }

  static std::uint32_t bits_of(float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  }

  // Rounded towards zero; what is too small becomes 0.
  static std::uint16_t half_of(float value) {
    const std::uint32_t bits = bits_of(value);
    const std::uint32_t sign = bits >> 16 & 0x8000u;
    const std::uint32_t exponent = bits >> 23 & 0xffu;
    if (exponent < 113) return static_cast<std::uint16_t>(sign);
    if (exponent > 142) return static_cast<std::uint16_t>(sign | 0x7c00u);
    return static_cast<std::uint16_t>(sign | (exponent - 112) << 10 | (bits >> 13 & 0x3ffu));
  }

  static void write(char type, double value, unsigned char* to) {
    switch (type) {
      case 'd': return put(value, to);
      case 'f': return put(static_cast<float>(value), to);
      case 'h': return put(half_of(static_cast<float>(value)), to);
      case 'b':
        return put(static_cast<std::uint16_t>(bits_of(static_cast<float>(value)) >> 16), to);
      case 'l': return put(static_cast<std::int64_t>(value), to);
      case 'i': return put(static_cast<std::int32_t>(value), to);
      case 's': return put(static_cast<std::int16_t>(value), to);
      default: *to = static_cast<unsigned char>(static_cast<std::int64_t>(value)); return;
    }
  }

  std::vector<double> stored_;
  std::uint64_t state_ = 1;
};

// A struct of task.h: its size and version, then a pointer for each tensor.
inline std::vector<std::uint64_t> words(const std::vector<void*>& pointers, std::uint32_t version) {
  std::vector<std::uint64_t> all(pointers.size() + 1);
  all[0] = all.size() * sizeof(std::uint64_t) | static_cast<std::uint64_t>(version) << 32;
  for (std::size_t i = 0; i < pointers.size(); ++i)
    all[i + 1] = reinterpret_cast<std::uint64_t>(pointers[i]);
  return all;
}

// The tensors of one struct of task.h, each an allocation of its own. `Memory` is that of a device:
// allocate(bytes), fill(to, from, bytes), release(memory), and know(what, name, memory, bytes), by
// which a report can name a tensor.
template <class Memory>
class Tensors {
 public:
  // `values` is null for outputs, which hold nothing yet.
  Tensors(const char* what, const std::vector<Tensor>& tensors, Values* values) {
    for (const Tensor& tensor : tensors) {
      const std::uint64_t bytes = bytes_of(tensor);
      auto* memory = static_cast<unsigned char*>(Memory::allocate(bytes == 0 ? 1 : bytes));
      if (values != nullptr && bytes > 0) {
        const auto drawn = values->draw(tensor);
        Memory::fill(memory, drawn.data(), bytes);
      }
      pointers_.push_back(memory);
      Memory::know(what, tensor.name, memory, bytes);
    }
    words_ = words(pointers_, KBENCH_ABI_VERSION);
  }
  Tensors(const Tensors&) = delete;
  Tensors& operator=(const Tensors&) = delete;
  ~Tensors() {
    for (void* memory : pointers_) Memory::release(memory);
  }
  template <typename Struct>
  const Struct* as() const {
    return reinterpret_cast<const Struct*>(words_.data());
  }

 private:
  std::vector<void*> pointers_;
  std::vector<std::uint64_t> words_;
};

}  // namespace probe
