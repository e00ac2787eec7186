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

#include "runner/oracle/tensors.hpp"

namespace kbench {
namespace {

// One wrong element is off by 1 %. In 16 bits four roundings of the largest element come to that.
constexpr double kWrongBy = 0.01;
constexpr double kWrongInHalfBy = 0.25;

// The output filled with its mean. None where the mean is the output: one of one number, as losses
// are.
std::optional<at::Tensor> filled_with_mean(const at::Tensor& right, const at::Tensor& reference) {
  if (reference.numel() < 2) return std::nullopt;
  const auto mean = reference.to(at::kDouble).mean().item<double>();
  return at::full_like(right, right.is_floating_point() ? mean : std::nearbyint(mean));
}

double root_mean_square(const at::Tensor& reference) {
  const auto count = static_cast<double>(std::max<std::int64_t>(reference.numel(), 1));
  return at::linalg_vector_norm(reference).item<double>() / std::sqrt(count);
}

// The right output with one wrong element. It is off by a part of itself or of the output's root
// mean square, whichever is larger, and of one where all are zero; an integer by one.
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
    const double part = wrong.element_size() == 2 ? kWrongInHalfBy : kWrongBy;
    const double step = part * (scale == 0 ? 1 : scale);
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
std::optional<at::Tensor> spoilt(const MutationRequest& request, const MutationGround& ground,
                                 std::size_t o) {
  const at::Tensor& right = ground.eager.at(o);
  const at::Tensor& reference = ground.reference.at(o);
  switch (request.kind) {
    case MutationKind::kNone: return right;
    case MutationKind::kStale: return at::Tensor();
    case MutationKind::kZeros: return at::zeros_like(right);
    case MutationKind::kConstant: return at::ones_like(right);
    case MutationKind::kMean: return filled_with_mean(right, reference);
    case MutationKind::kIdentity:
      return as_identity(ground.inputs.at(static_cast<std::size_t>(request.index)), right);
    case MutationKind::kPrevious:
      if (ground.previous.empty()) return std::nullopt;
      return ground.previous.at(o);
    case MutationKind::kHalf:
      if (right.scalar_type() != at::kFloat && right.scalar_type() != at::kDouble)
        return std::nullopt;
      return right.to(at::kHalf).to(right.scalar_type());
    case MutationKind::kElement: return with_wrong_element(right, reference, request.index);
    case MutationKind::kOperator:
    case MutationKind::kParameter: break;
  }
  return std::nullopt;
}

// The constant that a cheat would put in place of a parameter that it ignores; none for stored or
// fixed values.
std::optional<double> mean_of(const Draw& draw) {
  const auto& times = draw.times;
  const double factor = times ? *mean_of(Draw{times->kind, times->a, times->b}) : 1;
  switch (draw.kind) {
    case Draw::Kind::kUniform: return factor * (draw.a + draw.b) / 2;
    case Draw::Kind::kNormal: return factor * draw.a;
    default: return std::nullopt;
  }
}

using Run = Tensors (*)(const MutationRequest&, const MutationGround&, const Tensors& inputs,
                        Tensors parameters);

Tensors run_without_node(const MutationRequest& request, const MutationGround& ground,
                         const Tensors& inputs, Tensors parameters) {
  return ground.executor.run_without(static_cast<std::size_t>(request.index), inputs, parameters);
}

Tensors run_without_parameter(const MutationRequest& request, const MutationGround& ground,
                              const Tensors& inputs, Tensors parameters) {
  const auto index = static_cast<std::size_t>(request.index);
  const double mean = *mean_of(ground.size.parameters.at(index).draw);
  parameters.at(index) = at::full_like(parameters.at(index), mean);
  ground.executor.adopt_parameters(parameters);
  return ground.executor.run(inputs, parameters);
}

// Measures how far the mutated graph is from the right one in exact arithmetic, or nearly so.
void measure_effect(const MutationGround& ground, const Tensors& mutated, MutationReply& reply) {
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

Mutation mutated_graph(const MutationRequest& request, const MutationGround& ground) {
  const bool parameter = request.kind == MutationKind::kParameter;
  const auto index = static_cast<std::size_t>(request.index);
  if (parameter && !mean_of(ground.size.parameters.at(index).draw)) return {{}, {.applies = false}};
  const Run run = parameter ? &run_without_parameter : &run_without_node;
  Mutation mutation;
  if (!request.exact) {
    mutation.outputs = to_contiguous(run(request, ground, ground.inputs, ground.parameters));
    return mutation;
  }
  Tensors parameters = to_double(ground.parameters);
  ground.executor.adopt_parameters(parameters);
  const Tensors inputs = to_double(ground.inputs);
  measure_effect(ground, run(request, ground, inputs, std::move(parameters)), mutation.reply);
  return mutation;
}

}  // namespace

Mutation make_mutation(const MutationRequest& request, const MutationGround& ground) {
  if (request.kind == MutationKind::kOperator || request.kind == MutationKind::kParameter)
    return mutated_graph(request, ground);
  const auto only = static_cast<std::size_t>(request.output);
  Mutation mutation;
  for (std::size_t o = 0; o < ground.eager.size(); ++o) {
    if (o != only) {
      mutation.outputs.push_back(ground.eager[o]);
      continue;
    }
    auto wrong = spoilt(request, ground, o);
    if (!wrong) return {{}, {.applies = false}};
    mutation.outputs.push_back(std::move(*wrong));
  }
  return mutation;
}

}  // namespace kbench
