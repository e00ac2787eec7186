"""Names for inputs, parameters, outputs and node values: C identifiers, all different."""

import re

# Words that C, C++ or CUDA would not take for a member of a struct.
_RESERVED = frozenset(
    """alignas alignof and asm auto bool break case catch char class compl concept const consteval
    constexpr constinit continue decltype default delete do double else enum explicit export extern
    false float for friend goto if inline int long mutable namespace new noexcept not nullptr
    operator or private protected public register requires restrict return short signed sizeof
    static struct switch template this throw true try typedef typeid typename union unsigned using
    virtual void volatile wchar_t while xor
    NULL INFINITY NAN EOF errno stdin stdout stderr""".split()
)


class Names:
    """Hands out every name once."""

    def __init__(self):
        self._taken: set[str] = set()

    def unique(self, wish: str) -> str:
        """`wish` as an identifier, with a number behind it where it is taken."""
        base = re.sub(r"\W", "_", wish, flags=re.ASCII) or "value"
        if base[0].isdigit() or base.startswith("_"):
            base = "v" + base
        base = re.sub(r"__+", "_", base)
        if base in _RESERVED:
            base += "_"
        name, count = base, 0
        while name in self._taken:
            count += 1
            name = f"{base}_{count}"
        self._taken.add(name)
        return name
