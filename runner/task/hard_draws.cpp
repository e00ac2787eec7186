#include "runner/task/hard_draws.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include <fmt/format.h>

namespace kbench {
namespace {

struct Words {
  HardDraw draw;
  std::string_view name;
  std::string_view description;
};

constexpr std::array<Words, 5> kWords = {{
    {HardDraw::kWide, "wide", "a wide range of exponents"},
    {HardDraw::kBits, "bits", "exact zeros and ones"},
    {HardDraw::kSignedZeros, "signed_zeros", "zeros of either sign"},
    {HardDraw::kDenormals, "denormals", "denormal numbers among ordinary ones"},
    {HardDraw::kSpikes, "spikes", "a few magnitudes that swamp the rest"},
}};

const Words& words_of(HardDraw draw) {
  return *std::find_if(kWords.begin(), kWords.end(),
                       [&](const Words& words) { return words.draw == draw; });
}

bool is_continuous(const TensorSpec& tensor) {
  return is_floating(tensor.dtype) &&
         (tensor.draw.kind == Draw::Kind::kUniform || tensor.draw.kind == Draw::Kind::kNormal);
}

Draw::Kind kind_of(HardDraw draw) {
  switch (draw) {
    case HardDraw::kWide: return Draw::Kind::kWide;
    case HardDraw::kBits: return Draw::Kind::kBernoulli;
    case HardDraw::kSignedZeros: return Draw::Kind::kSignedZeros;
    case HardDraw::kDenormals: return Draw::Kind::kDenormals;
    case HardDraw::kSpikes: return Draw::Kind::kSpikes;
  }
  return Draw::Kind::kWide;
}

// A graph with one of the operators is not drawn so, for this reason ("{}" is the operator).
struct OperatorRule {
  std::vector<std::string_view> operators;
  std::vector<HardDraw> draws;
  std::string_view reason;
};

const std::vector<OperatorRule>& operator_rules() {
  using enum HardDraw;
  static const std::vector<OperatorRule> kRules = {
      {{"aten::kl_div", "aten::binary_cross_entropy"},
       {kWide, kBits, kSignedZeros, kDenormals, kSpikes},
       "{} wants probabilities"},
      {{"aten::log", "aten::log2", "aten::log10", "aten::reciprocal", "aten::rsqrt"},
       {kBits, kSignedZeros, kDenormals},
       "{} has a pole at zero"},
      {{"aten::cosine_similarity", "aten::cosine_embedding_loss", "aten::linalg_vector_norm",
        "aten::norm", "aten::frobenius_norm"},
       {kDenormals},
       "{} squares denormals to nothing before it divides by them"},
      {{"aten::exp", "aten::expm1", "aten::cumprod", "aten::prod", "aten::pow", "aten::logsumexp"},
       {kWide, kSpikes},
       "{} leaves float32's range"},
      {{"aten::argmax", "aten::argmin", "aten::sort", "aten::topk", "aten::sign", "aten::round",
        "aten::floor", "aten::ceil"},
       {kBits, kSignedZeros},
       "{} meets ties, and either answer is right"},
      {{"aten::scaled_dot_product_attention"},
       {kWide, kSpikes},
       "{} turns rounding of large scores into another choice"},
  };
  return kRules;
}

// Softmax of computed scores is attention by another name; of inputs it is stable.
bool softmax_of_products(const std::set<std::string>& operators) {
  const auto any = [&](std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(),
                       [&](const char* name) { return operators.contains(name); });
  };
  return any({"aten::softmax", "aten::log_softmax", "aten::_softmax"}) &&
         any({"aten::matmul", "aten::bmm", "aten::linear", "aten::conv2d", "aten::conv3d",
              "aten::einsum", "aten::conv_transpose2d", "aten::conv_transpose3d"});
}

std::optional<std::string> reason_against(HardDraw draw, const TaskSize& size,
                                          const std::set<std::string>& operators) {
  if (std::none_of(size.inputs.begin(), size.inputs.end(), is_continuous))
    return "no input is drawn from a continuous distribution";
  for (const OperatorRule& rule : operator_rules()) {
    if (std::find(rule.draws.begin(), rule.draws.end(), draw) == rule.draws.end()) continue;
    for (const std::string_view op : rule.operators)
      if (operators.contains(std::string(op))) return fmt::format(fmt::runtime(rule.reason), op);
  }
  const bool large = draw == HardDraw::kWide || draw == HardDraw::kSpikes;
  if (large && softmax_of_products(operators))
    return "a softmax of products turns rounding of large scores into another choice";
  const bool ties = draw == HardDraw::kBits || draw == HardDraw::kSignedZeros;
  for (const TensorSpec& output : size.outputs) {
    if (ties && !is_floating(output.dtype))
      return fmt::format("{} holds indices, and ties have several right answers", output.name);
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(HardDraw draw) { return words_of(draw).name; }
std::string_view describe(HardDraw draw) { return words_of(draw).description; }

Result<HardDraw> hard_draw_from_string(std::string_view text) {
  for (const Words& words : kWords)
    if (words.name == text) return words.draw;
  return Error{ErrorCode::kBadInput, fmt::format("there is no hard draw \"{}\"", text),
               "known are wide, bits, signed_zeros, denormals and spikes"};
}

TensorSpec hardened(const TensorSpec& input, HardDraw draw) {
  TensorSpec hard = input;
  if (!is_continuous(input)) return hard;
  const auto& times = input.draw.times;
  const bool non_negative = input.draw.kind == Draw::Kind::kUniform && input.draw.a >= 0 &&
                            (!times || (times->kind == Draw::Kind::kUniform && times->a >= 0));
  hard.draw.times.reset();
  hard.draw.kind = kind_of(draw);  // the kept part of a matrix stays as it is
  hard.draw.a = non_negative ? 1.0 : 0.0;
  hard.draw.b = 0;
  if (draw == HardDraw::kBits) hard.draw.a = 0.5;
  return hard;
}

std::vector<HardDrawRule> hard_draw_rules(const TaskSize& size,
                                          const std::set<std::string>& operators,
                                          const std::map<std::string, std::string>& skips) {
  std::vector<HardDrawRule> rules;
  for (const HardDraw draw : kHardDraws) {
    const auto skipped = skips.find(std::string(to_string(draw)));
    if (skipped != skips.end()) {
      rules.push_back({draw, skipped->second});
    } else {
      rules.push_back({draw, reason_against(draw, size, operators).value_or("")});
    }
  }
  return rules;
}

}  // namespace kbench
