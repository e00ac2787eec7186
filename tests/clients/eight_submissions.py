"""Submissions to score: what the clients' tests send, and what each of them is worth at least."""

from scripted_endpoint import RIGHT

# Two that are right, three that are wrong, three that are no C++.
EIGHT = [
    RIGHT,
    RIGHT.replace("in->x[i] < 0 ? 0 : in->x[i]", "0 < in->x[i] ? in->x[i] : 0.0f * in->x[i]"),
    RIGHT.replace("in->x[i] < 0 ? 0 : in->x[i]", "in->x[i]"),
    RIGHT.replace("in->x[i] < 0 ? 0 : in->x[i]", "i % 1000 == 7 ? 1 : in->x[i]"),
    RIGHT.replace("in->x[i] < 0 ? 0 : in->x[i]", "in->x[i] < 0 ? -in->x[i] : in->x[i]"),
    RIGHT.replace("return 0;", "return nothing;"),
    RIGHT.replace("return 0;", "return 0"),
    RIGHT.replace("#include", "#exclude"),
]
# A right one, a wrong one, and two that are no C++: what takes little time.
FOUR = [EIGHT[0], EIGHT[2], EIGHT[5], EIGHT[6]]
