#include "runner/oracle/mutate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include <ATen/core/Tensor.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros_like.h>

namespace kbench {
namespace {

using Tensors = std::vector<at::Tensor>;

constexpr double kWrongBy = 0.01;  // one wrong element is off by 1 %

Tensors to_double(const Tensors& tensors) {
  Tensors doubles;
  for (const at::Tensor& tensor : tensors)
    doubles.push_back(tensor.is_floating_point() ? tensor.to(at::kDouble) : tensor);
  return doubles;
}

// None where the mean is the output: of one number, as losses are.
std::optional<at::Tensor> filled_with_mean(const at::Tensor& right, const at::Tensor& reference) {
  if (reference.numel() < 2) return std::nullopt;
  const auto mean = reference.to(at::kDouble).mean().item<double>();
  return at::full_like(right, right.is_floating_point() ? mean : std::nearbyint(mean));
}

double root_mean_square(const at::Tensor& reference) {
  const auto count = static_cast<double>(std::max<std::int64_t>(reference.numel(), 1));
  return at::linalg_vector_norm(reference).item<double>() / std::sqrt(count);
}

// Off by 1 % of itself or of the output's root mean square, whichever is larger, and of one where
// all are zero; an integer by one.
at::Tensor with_wrong_element(const at::Tensor& right, const at::Tensor& reference,
                              std::int64_t index) {
  at::Tensor wrong = right.clone();
  at::Tensor element = wrong.view({-1})[index % wrong.numel()];
  if (wrong.scalar_type() == at::kBool) {
    element.logical_not_();
  } else if (!wrong.is_floating_point()) {
    element.add_(1);
  } else {
    const auto value = element.item<double>();
    const double scale = std::max(std::abs(value), root_mean_square(reference));
    const double step = kWrongBy * (scale == 0 ? 1 : scale);
    element.fill_(std::isfinite(step) ? value + step : 0.0);
  }
  return wrong;
}

std::optional<at::Tensor> as_identity(const at::Tensor& input, const at::Tensor& right) {
  if (input.sizes() != right.sizes() || input.scalar_type() != right.scalar_type())
    return std::nullopt;
  return input.contiguous();
}

// The wrong tensor in place of output `o`; an undefined one means: do not write it.
std::optional<at::Tensor> spoilt(const MutantRequest& request, const MutantGround& ground,
                                 std::size_t o) {
  const at::Tensor right = ground.eager.at(o).contiguous();
  const at::Tensor& reference = ground.reference.at(o);
  switch (request.kind) {
    case MutantKind::kNone: return right;
    case MutantKind::kStale: return at::Tensor();
    case MutantKind::kZeros: return at::zeros_like(right);
    case MutantKind::kConstant: return at::ones_like(right);
    case MutantKind::kMean: return filled_with_mean(right, reference);
    case MutantKind::kIdentity:
      return as_identity(ground.inputs.at(static_cast<std::size_t>(request.index)), right);
    case MutantKind::kPrevious:
      if (ground.previous.empty()) return std::nullopt;
      return ground.previous.at(o).contiguous();
    case MutantKind::kHalf:
      if (right.scalar_type() != at::kFloat && right.scalar_type() != at::kDouble)
        return std::nullopt;
      return right.to(at::kHalf).to(right.scalar_type());
    case MutantKind::kElement: return with_wrong_element(right, reference, request.index);
    case MutantKind::kOperator:
    case MutantKind::kParameter: break;
  }
  return std::nullopt;
}

// What somebody who ignores a parameter would put in its place; none for stored or fixed values.
std::optional<double> mean_of(const Draw& draw) {
  switch (draw.kind) {
    case Draw::Kind::kUniform: return (draw.a + draw.b) / 2;
    case Draw::Kind::kNormal: return draw.a;
    default: return std::nullopt;
  }
}

using Run = Tensors (*)(const MutantRequest&, const MutantGround&, const Tensors& inputs,
                        Tensors parameters);

Tensors run_without_node(const MutantRequest& request, const MutantGround& ground,
                         const Tensors& inputs, Tensors parameters) {
  return ground.executor.run_without(static_cast<std::size_t>(request.index), inputs, parameters);
}

Tensors run_without_parameter(const MutantRequest& request, const MutantGround& ground,
                              const Tensors& inputs, Tensors parameters) {
  const auto index = static_cast<std::size_t>(request.index);
  const double mean = *mean_of(ground.size.parameters.at(index).draw);
  parameters.at(index) = at::full_like(parameters.at(index), mean);
  ground.executor.adopt_parameters(parameters);
  return ground.executor.run(inputs, parameters);
}

// How far the mutated graph is from the right one in exact arithmetic, or nearly so.
void measure_effect(const MutantGround& ground, const Tensors& mutated, MutantReply& reply) {
  reply.identical = true;
  for (std::size_t o = 0; o < mutated.size(); ++o) {
    const at::Tensor& reference = ground.reference[o];
    reply.identical = reply.identical && mutated[o].equal(reference);
    const at::Tensor right = reference.to(at::kDouble);
    const auto norm = at::linalg_vector_norm(right).item<double>();
    const auto change =
        at::linalg_vector_norm(mutated[o].to(at::kDouble).sub(right)).item<double>();
    const double relative = change == 0 ? 0 : change / norm;
    // Without a number to compare with, the change is as large as can be.
    const double capped = std::isfinite(relative) ? relative : std::numeric_limits<double>::max();
    reply.effect = std::max(reply.effect, capped);
  }
}

Mutant mutated_graph(const MutantRequest& request, const MutantGround& ground) {
  const bool parameter = request.kind == MutantKind::kParameter;
  const auto index = static_cast<std::size_t>(request.index);
  if (parameter && !mean_of(ground.size.parameters.at(index).draw)) return {{}, {.applies = false}};
  const Run run = parameter ? &run_without_parameter : &run_without_node;
  Mutant mutant;
  if (!request.exact) {
    mutant.outputs = run(request, ground, ground.inputs, ground.parameters);
    return mutant;
  }
  Tensors parameters = to_double(ground.parameters);
  ground.executor.adopt_parameters(parameters);
  const Tensors inputs = to_double(ground.inputs);
  measure_effect(ground, run(request, ground, inputs, std::move(parameters)), mutant.reply);
  return mutant;
}

}  // namespace

Mutant make_mutant(const MutantRequest& request, const MutantGround& ground) {
  if (request.kind == MutantKind::kOperator || request.kind == MutantKind::kParameter)
    return mutated_graph(request, ground);
  const auto only = static_cast<std::size_t>(request.output);
  Mutant mutant;
  for (std::size_t o = 0; o < ground.eager.size(); ++o) {
    if (o != only) {
      mutant.outputs.push_back(ground.eager[o].contiguous());
      continue;
    }
    auto wrong = spoilt(request, ground, o);
    if (!wrong) return {{}, {.applies = false}};
    mutant.outputs.push_back(std::move(*wrong));
  }
  return mutant;
}

}  // namespace kbench
