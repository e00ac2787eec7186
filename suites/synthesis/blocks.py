"""Small blocks of networks, several operators each."""

from .build import IMAGE, ROWS, STEPS
from .operator_kind import drawn


def _heads(b):
    heads = b.divisor(b.channels, 2, 4, 8)
    b.require(heads > 1 and b.channels // heads >= 8 and b.shape[1] <= 512)
    return heads


def _split(b, of, heads):
    return f"{of}.view({b.batch}, -1, {heads}, {b.channels // heads}).transpose(1, 2)"


def _attention(b):
    heads, width = _heads(b), b.channels
    qkv = b.keep("qkv", f"nn.Linear({width}, {3 * width})")
    out = b.keep("out", f"nn.Linear({width}, {width})")
    b.forward.append(f"q, k, v = {qkv}(x).chunk(3, dim=-1)")
    b.forward += [f"{name} = {_split(b, name, heads)}" for name in "qkv"]
    b.step(f"F.scaled_dot_product_attention(q, k, v, is_causal={b.one_of(True, False)})")
    b.step(f"{out}(x.transpose(1, 2).flatten(2))")


def _cross_attention(b):
    heads, width = _heads(b), b.channels
    length = b.one_of(32, 64, 128)
    memory = b.input("memory", f"torch.randn({b.batch}, {length}, {width})")
    query = b.keep("query", f"nn.Linear({width}, {width})")
    pair = b.keep("pair", f"nn.Linear({width}, {2 * width})")
    b.forward += [f"q = {query}(x)", f"k, v = {pair}({memory}).chunk(2, dim=-1)"]
    b.forward += [f"{name} = {_split(b, name, heads)}" for name in "qkv"]
    b.step("F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)")


def _linear_attention(b):
    width = b.channels
    q, k, v = (b.keep(name, f"nn.Linear({width}, {width})") for name in ("query", "key", "value"))
    b.forward += [f"q = F.elu({q}(x)) + 1.0", f"k = F.elu({k}(x)) + 1.0",
                  f"sums = torch.matmul(k.transpose(1, 2), {v}(x))",
                  "total = torch.matmul(q, k.sum(dim=1).unsqueeze(-1))"]
    b.step("torch.matmul(q, sums) / (total + 1e-3)")


def _mlp(b):
    hidden = b.one_of(1, 2, 4) * b.channels
    b.require(hidden <= 4096)
    up, down = b.keep("up", f"nn.Linear({b.channels}, {hidden})"), b.keep("down", f"nn.Linear({hidden}, {b.channels})")
    b.step(f"{down}({b.one_of('F.gelu', 'F.silu', 'F.relu')}({up}(x)))")


def _gated_mlp(b):
    hidden = 2 * b.channels
    b.require(hidden <= 2048)
    gate, up = (b.keep(name, f"nn.Linear({b.channels}, {hidden}, bias=False)") for name in ("gate", "up"))
    down = b.keep("down", f"nn.Linear({hidden}, {b.channels}, bias=False)")
    b.step(f"{down}({b.one_of('F.silu', 'F.gelu')}({gate}(x)) * {up}(x))")


def _residual_mlp(b):
    b.require(b.channels <= 1024)
    norm = b.keep("norm", f"nn.LayerNorm({b.channels})")
    up, down = b.keep("up", f"nn.Linear({b.channels}, {2 * b.channels})"), b.keep("down", f"nn.Linear({2 * b.channels}, {b.channels})")
    b.step(f"x + {down}(F.gelu({up}({norm}(x))))")


def _rotary(b):
    half = b.channels // 2
    b.require(b.channels % 2 == 0)
    angle = b.input("angle", f"torch.randn({b.shape[1]}, {half})")
    b.forward.append("a, b = x.chunk(2, dim=-1)")
    b.step(f"torch.cat((a * torch.cos({angle}) - b * torch.sin({angle}), "
           f"a * torch.sin({angle}) + b * torch.cos({angle})), dim=-1)")


def _mixture(b):
    width = b.one_of(64, 128, 256)
    gate = b.keep("gate", f"nn.Linear({b.channels}, 2)")
    one, two = (b.keep("expert", f"nn.Linear({b.channels}, {width})") for _ in range(2))
    b.forward.append(f"share = torch.softmax({gate}(x), dim=-1)")
    b.step(f"share[..., :1] * {one}(x) + share[..., 1:] * {two}(x)", [*b.shape[:-1], width])


def _recurrent(name):
    def write(b):
        width = b.one_of(32, 64, 128)
        b.require(b.shape[1] <= 128)
        b.module(name.lower(), f"nn.{name}({b.channels}, {width}, batch_first=True)",
                 [*b.shape[:-1], width], call="{}(x)[0]")

    return write


def _residual_conv(b):
    c = b.channels
    b.require(c >= 4)
    one, two = (b.keep("conv", f"nn.Conv2d({c}, {c}, 3, padding=1, bias=False)") for _ in range(2))
    norm = b.keep("norm", f"nn.BatchNorm2d({c})")
    b.step(f"F.relu(x + {two}(F.relu({norm}({one}(x)))))")


def _separable_conv(b):
    c, out = b.channels, b.one_of(8, 16, 32, 64)
    b.require(out <= 4 * c + 16)
    depthwise = b.keep("depthwise", f"nn.Conv2d({c}, {c}, 3, padding=1, groups={c}, bias=False)")
    pointwise = b.keep("pointwise", f"nn.Conv2d({c}, {out}, 1)")
    b.step(f"{pointwise}(F.hardswish({depthwise}(x)))", [b.batch, out, *b.sides])


def _squeeze_excite(b):
    c = b.channels
    b.require(c >= 8)
    down, up = b.keep("down", f"nn.Linear({c}, {c // 4})"), b.keep("up", f"nn.Linear({c // 4}, {c})")
    b.forward.append(f"gate = torch.sigmoid({up}(F.relu({down}(x.mean(dim=(2, 3))))))")
    b.step("x * gate[:, :, None, None]")


def _inverted_bottleneck(b):
    c, wide = b.channels, 4 * b.channels
    b.require(wide <= 128)
    up = b.keep("up", f"nn.Conv2d({c}, {wide}, 1)")
    middle = b.keep("depthwise", f"nn.Conv2d({wide}, {wide}, 3, padding=1, groups={wide})")
    down = b.keep("down", f"nn.Conv2d({wide}, {c}, 1)")
    b.step(f"x + {down}(F.relu6({middle}(F.silu({up}(x)))))")


def _patches(b):
    size, width = b.one_of(4, 8), b.one_of(64, 96, 128)
    b.require(all(s % size == 0 for s in b.sides))
    steps = (b.sides[0] // size) * (b.sides[1] // size)
    conv = b.keep("patches", f"nn.Conv2d({b.channels}, {width}, {size}, stride={size})")
    place = b.parameter(steps, width, scale=0.5)
    b.step(f"{conv}(x).flatten(2).transpose(1, 2) + {place}", [b.batch, steps, width], STEPS)


_KEPT = {"block": True}

OPERATORS = [
    drawn("attention", (STEPS,), _attention, "small", weight=2, **_KEPT),
    drawn("cross_attention", (STEPS,), _cross_attention, "small", **_KEPT),
    drawn("linear_attention", (STEPS,), _linear_attention, "small", **_KEPT),
    drawn("mlp", (ROWS, STEPS), _mlp, "small", weight=1.5, **_KEPT),
    drawn("gated_mlp", (ROWS, STEPS), _gated_mlp, "small", weight=1.5, **_KEPT),
    drawn("residual_mlp", (ROWS, STEPS), _residual_mlp, "small", **_KEPT),
    drawn("rotary", (STEPS,), _rotary, "small", **_KEPT),
    drawn("mixture", (ROWS, STEPS), _mixture, "small", **_KEPT),
    drawn("gru", (STEPS,), _recurrent("GRU"), "small", weight=0.7, **_KEPT),
    drawn("lstm", (STEPS,), _recurrent("LSTM"), "small", weight=0.7, **_KEPT),
    drawn("residual_conv", (IMAGE,), _residual_conv, "small", weight=1.5, **_KEPT),
    drawn("separable_conv", (IMAGE,), _separable_conv, "small", **_KEPT),
    drawn("squeeze_excite", (IMAGE,), _squeeze_excite, "small", **_KEPT),
    drawn("inverted_bottleneck", (IMAGE,), _inverted_bottleneck, "small", **_KEPT),
    drawn("patches", (IMAGE,), _patches, "small", weight=1.5, **_KEPT),
]
