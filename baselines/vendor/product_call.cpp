// cuBLASLt counts columns first: a row-major m × n is its n × m, so that it is asked for the
// product of b and a, and the vector lies along the rows of its result.
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "baselines/vendor/vendor_call.hpp"
#include "runner/backend/float16.hpp"

namespace kbench::vendor {
namespace {

// PyTorch's own for cuBLASLt on Hopper is 32 MiB.
constexpr std::size_t kWorkspaceBytes = std::size_t{64} << 20;

cudaDataType_t type_of(DType type) {
  if (type == DType::kFloat16) return CUDA_R_16F;
  return type == DType::kBFloat16 ? CUDA_R_16BF : CUDA_R_32F;
}

float read_element(const std::vector<std::byte>& memory, std::size_t index, DType type) {
  const auto at = [&](auto value) {
    std::memcpy(&value, memory.data() + index * sizeof value, sizeof value);
    return value;
  };
  if (type == DType::kFloat16) return to_float(at(Half{}));
  return type == DType::kBFloat16 ? to_float(at(BFloat16{})) : at(0.0F);
}

void write_element(std::vector<std::byte>& memory, std::size_t index, float value, DType type) {
  const auto put = [&](auto stored) {
    std::memcpy(memory.data() + index * sizeof stored, &stored, sizeof stored);
  };
  if (type == DType::kFloat16)
    put(to_half(value));
  else if (type == DType::kBFloat16)
    put(to_bfloat16(value));
  else
    put(value);
}

class ProductCall final : public VendorCall {
 public:
  ProductCall(const Driver& driver, const std::string& file, const VendorPlan& plan,
              const CallTensors& first)
      : driver_(driver),
        lt_(file),
        plan_(plan),
        product_(std::get<VendorProduct>(plan_.call)),
        workspace_(driver, kWorkspaceBytes) {
    if (!workspace_.is_there()) throw Failed("the device has no 64 MiB left for a workspace");
    lt_.check(lt_.create(&handle_), "cublasLtCreate");
    make_vector(first);
    describe();
    point_to_vector(first);
    choose(first);
  }

  void run(const CallTensors& tensors) override {
    point_to_vector(tensors);
    launch(tensors, chosen_);
  }

  [[nodiscard]] std::string algorithm() const override {
    const auto number = [&](cublasLtMatmulAlgoConfigAttributes_t attribute) {
      std::int32_t value = -1;
      std::size_t written = 0;
      (void)lt_.algo_get(&chosen_, attribute, &value, sizeof value, &written);
      return std::to_string(value);
    };
    return "algorithm " + number(CUBLASLT_ALGO_CONFIG_ID) + ", tile " +
           number(CUBLASLT_ALGO_CONFIG_TILE_ID) + ", stages " +
           number(CUBLASLT_ALGO_CONFIG_STAGES_ID) + ", split " +
           number(CUBLASLT_ALGO_CONFIG_SPLITK_NUM) + ", fastest of " + std::to_string(tried_);
  }

 private:
  [[nodiscard]] bool adds() const { return !product_.terms.empty() || product_.shift != 0; }

  // Makes a vector that is not one of the task's tensors as it is. It is made once, of parameters,
  // which stay.
  void make_vector(const CallTensors& first) {
    if (!adds() || adds_as_it_is(product_)) return;
    const auto n = static_cast<std::size_t>(product_.n);
    std::vector<double> sum(n, product_.shift);
    std::vector<std::byte> memory(n * size_of(plan_.type));
    for (const VendorProduct::Term& term : product_.terms) {
      driver_.download(memory.data(), first.at(term.vector), memory.size());
      for (std::size_t i = 0; i < n; ++i)
        sum[i] += term.factor * static_cast<double>(read_element(memory, i, plan_.type));
    }
    for (std::size_t i = 0; i < n; ++i)
      write_element(memory, i, static_cast<float>(sum[i]), plan_.type);
    vector_ = DeviceMemory(driver_, memory.size());
    if (!vector_.is_there()) throw Failed("the device has no memory left for a vector");
    driver_.upload(vector_.address(), memory.data(), memory.size());
  }

  template <class Value>
  void set(cublasLtMatmulDescAttributes_t attribute, const Value& value) {
    lt_.check(lt_.desc_set(desc_, attribute, &value, sizeof value),
              "cublasLtMatmulDescSetAttribute");
  }

  void describe() {
    const cublasComputeType_t compute =
        plan_.may_use_tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
    lt_.check(lt_.desc_create(&desc_, compute, CUDA_R_32F), "cublasLtMatmulDescCreate");
    set(CUBLASLT_MATMUL_DESC_TRANSA, product_.b.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, product_.a.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue());
    b_ = layout(product_.b, product_.n, product_.k);
    a_ = layout(product_.a, product_.k, product_.m);
    d_ = layout({.batch_stride = product_.m * product_.n}, product_.n, product_.m);
  }

  // `rows` and `columns` as the product takes it, columns first.
  cublasLtMatrixLayout_t layout(const VendorMatrix& matrix, std::int64_t rows,
                                std::int64_t columns) {
    if (matrix.transposed) std::swap(rows, columns);
    cublasLtMatrixLayout_t made = nullptr;
    lt_.check(lt_.layout_create(&made, type_of(plan_.type), static_cast<std::uint64_t>(rows),
                                static_cast<std::uint64_t>(columns), rows),
              "cublasLtMatrixLayoutCreate");
    if (product_.batch == 1) return made;
    const auto count = static_cast<std::int32_t>(product_.batch);
    for (const cublasStatus_t status :
         {lt_.layout_set(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count),
          lt_.layout_set(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &matrix.batch_stride,
                         sizeof matrix.batch_stride)})
      lt_.check(status, "cublasLtMatrixLayoutSetAttribute");
    return made;
  }

  [[nodiscard]] cublasLtEpilogue_t epilogue() const {
    switch (product_.activation) {
      case VendorProduct::Activation::kNone: break;
      case VendorProduct::Activation::kRelu:
        return adds() ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
      case VendorProduct::Activation::kGeluTanh:
        return adds() ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
    }
    return adds() ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
  }

  void point_to_vector(const CallTensors& tensors) {
    if (!adds()) return;
    const CUdeviceptr vector =
        vector_.bytes() > 0 ? vector_.address() : tensors.at(product_.terms.front().vector);
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, reinterpret_cast<const void*>(vector));
  }

  void choose(const CallTensors& first) {
    cublasLtMatmulPreference_t preference = nullptr;
    lt_.check(lt_.preference_create(&preference), "cublasLtMatmulPreferenceCreate");
    const std::uint64_t most = workspace_.bytes();
    lt_.check(lt_.preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most,
                                 sizeof most),
              "cublasLtMatmulPreferenceSetAttribute");
    std::array<cublasLtMatmulHeuristicResult_t, kMostAlgorithms> found{};
    int count = 0;
    lt_.check(lt_.heuristic(handle_, desc_, b_, a_, d_, d_, preference, kMostAlgorithms,
                            found.data(), &count),
              "cublasLtMatmulAlgoGetHeuristic");
    tried_ = count;
    const std::size_t best =
        fastest(driver_, static_cast<std::size_t>(count), [&](std::size_t candidate) {
          lt_.check(found.at(candidate).state, "cublasLtMatmulAlgoGetHeuristic");
          launch(first, found.at(candidate).algo);
        });
    chosen_ = found.at(best).algo;
  }

  void launch(const CallTensors& tensors, const cublasLtMatmulAlgo_t& algo) {
    const auto alpha = static_cast<float>(product_.scale);
    const float beta = 0;
    auto* output = reinterpret_cast<void*>(tensors.output());
    lt_.check(
        lt_.matmul(handle_, desc_, &alpha,
                   reinterpret_cast<const void*>(tensors.at(product_.b.tensor)), b_,
                   reinterpret_cast<const void*>(tensors.at(product_.a.tensor)), a_, &beta, output,
                   d_, output, d_, &algo, workspace_.get(), workspace_.bytes(), driver_.stream()),
        "cublasLtMatmul");
  }

  // Objects of the library live as long as the process.
  const Driver& driver_;
  const CublasLt lt_;
  const VendorPlan plan_;
  const VendorProduct& product_;
  DeviceMemory workspace_;
  DeviceMemory vector_;
  cublasLtHandle_t handle_ = nullptr;
  cublasLtMatmulDesc_t desc_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr;
  cublasLtMatrixLayout_t b_ = nullptr;
  cublasLtMatrixLayout_t d_ = nullptr;
  cublasLtMatmulAlgo_t chosen_{};
  int tried_ = 0;
};

}  // namespace

std::unique_ptr<VendorCall> make_product_call(const Driver& driver, const std::string& file,
                                              const VendorPlan& plan, const CallTensors& first) {
  return std::make_unique<ProductCall>(driver, file, plan, first);
}

}  // namespace kbench::vendor
