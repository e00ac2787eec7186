#include "runner/task/draw_words.hpp"

#include <fmt/format.h>

namespace kbench {
namespace {

std::string kind_text(const Draw& draw) {
  switch (draw.kind) {
    case Draw::Kind::kUniform: return fmt::format("uniform [{:g}, {:g})", draw.a, draw.b);
    case Draw::Kind::kNormal: return fmt::format("normal, mean {:g}, sd {:g}", draw.a, draw.b);
    case Draw::Kind::kIntegers:
      return fmt::format("integers {:g} <= x < {:g}{}", draw.a, draw.b,
                         draw.step == 1 ? "" : fmt::format(" in steps of {}", draw.step));
    case Draw::Kind::kBernoulli: return fmt::format("1 with probability {:g}", draw.a);
    case Draw::Kind::kConstant: return fmt::format("constant {:g}", draw.a);
    case Draw::Kind::kTril: return fmt::format("1 on and below diagonal {:g}, else 0", draw.a);
    case Draw::Kind::kTriu: return fmt::format("1 on and above diagonal {:g}, else 0", draw.a);
    case Draw::Kind::kData: return fmt::format("{} stored values", draw.data.size());
    case Draw::Kind::kWide:
    case Draw::Kind::kSignedZeros:
    case Draw::Kind::kDenormals:
    case Draw::Kind::kSpikes: break;  // never stand in a task file
  }
  return "";
}

}  // namespace

std::string draw_words(const Draw& draw) {
  std::string text = kind_text(draw);
  if (draw.times) {
    const Draw factor{draw.times->kind, draw.times->a, draw.times->b};
    text += fmt::format(", all times one number that is {}", kind_text(factor));
  }
  if (draw.keep == Draw::Keep::kAll) return text;
  const auto* side = draw.keep == Draw::Keep::kLower ? "below" : "above";
  return fmt::format("{} on and {} diagonal {}, else 0", text, side, draw.diagonal);
}

}  // namespace kbench
