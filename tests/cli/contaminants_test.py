"""Copies of all shipped tasks, as somebody might hide them, are all dropped by `kbench synth`.

Each of the 250 three times: as it is; renamed, with operators in their functional form; at another
size. Takes a quarter of an hour, since 750 files are lowered.
"""

import ast
import json
import re

import cli_case
from cli_case import NOTHING_SELECTED, ROOT

SUITES = ROOT / "suites"
KEPT = {"Model", "forward", "__init__", "get_inputs", "get_init_inputs", "mend_parameters", "self",
        "get_kernelbench_inputs", "super"}
# Modules without weights, which a function does as well.
FUNCTIONS = {"ReLU": "relu", "Sigmoid": "sigmoid", "Tanh": "tanh", "GELU": "gelu", "SiLU": "silu",
             "Mish": "mish", "SELU": "selu", "Softsign": "softsign", "Softplus": "softplus",
             "Hardswish": "hardswish", "Hardsigmoid": "hardsigmoid", "ReLU6": "relu6"}
METHODS = {"relu", "sigmoid", "tanh", "sum", "mean", "cumsum", "matmul", "bmm", "clamp", "abs",
           "softmax", "flatten", "exp"}


def is_self(node):
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


class Names(ast.NodeVisitor):
    """Names that the file itself defines, and modules without weights that it keeps."""

    def __init__(self, tree):
        self.locals, self.members, self.stateless, self.keywords = set(), set(), {}, set()
        self.visit(tree)
        self.locals -= KEPT | self.keywords

    def visit_ClassDef(self, node):
        self.locals.add(node.name)
        self.generic_visit(node)

    def visit_arg(self, node):
        self.locals.add(node.arg)

    def visit_FunctionDef(self, node):
        for statement in ast.walk(node):
            if isinstance(statement, ast.Name) and isinstance(statement.ctx, ast.Store):
                self.locals.add(statement.id)
        self.generic_visit(node)

    def visit_keyword(self, node):
        self.keywords.add(node.arg)
        self.generic_visit(node)

    def visit_Assign(self, node):
        for target in node.targets:
            if is_self(target):
                self.members.add(target.attr)
                value = node.value
                if (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)
                        and value.func.attr in FUNCTIONS and not value.args and not value.keywords):
                    self.stateless[target.attr] = FUNCTIONS[value.func.attr]
        self.generic_visit(node)


class Renaming(ast.NodeTransformer):
    def __init__(self, names, tree):
        # A member that is read from outside of self, or by its text, keeps its name.
        outside = {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute) and not is_self(n)}
        texts = {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
        uses = [n for n in ast.walk(tree) if is_self(n) and isinstance(n.ctx, ast.Load)]
        called = {id(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)}
        passed = {n.attr for n in uses if id(n) not in called}
        self.locals = {name: f"{name}_of_mine" for name in names.locals}
        self.members = {m: f"{m}_of_mine" for m in names.members - outside - texts}
        self.functions = {m: f for m, f in names.stateless.items() if m not in passed}

    def visit_Name(self, node):
        node.id = self.locals.get(node.id, node.id)
        return node

    def visit_arg(self, node):
        node.arg = self.locals.get(node.arg, node.arg)
        return node

    def visit_ClassDef(self, node):
        node.name = self.locals.get(node.name, node.name)
        return self.generic_visit(node)

    def visit_Attribute(self, node):
        if is_self(node):
            node.attr = self.members.get(node.attr, node.attr)
        return self.generic_visit(node)

    def visit_Call(self, node):
        function = node.func
        if is_self(function) and function.attr in self.functions:
            node.func = ast.parse(f"torch.nn.functional.{self.functions[function.attr]}").body[0].value
        elif (isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)
              and function.value.id == "torch" and function.attr in METHODS
              and node.args and not isinstance(node.args[0], ast.Starred)):
            node.func = ast.Attribute(node.args[0], function.attr, ast.Load())
            node.args = node.args[1:]
        return self.generic_visit(node)


def renamed(text):
    tree = ast.parse(text)
    return ast.unparse(ast.fix_missing_locations(Renaming(Names(tree), tree).visit(tree)))


def resized(text):
    """At its small shapes, and with one more of whatever is called a batch; no longer at two sizes."""
    tree = ast.parse(text)
    constants = {node.targets[0].id: node for node in tree.body
                 if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)}
    small = constants.pop("SMALL", None)
    if small:
        for name, value in ast.literal_eval(small.value).items():
            constants[name].value = ast.parse(repr(value)).body[0].value
        tree.body.remove(small)
    for name, node in constants.items():
        value = node.value
        if "BATCH" in name.upper() and isinstance(value, ast.Constant) and isinstance(value.value, int):
            value.value += 1
    return ast.unparse(ast.fix_missing_locations(tree))


class ContaminantsTest(cli_case.CliCase):
    def test_all_copies_are_dropped(self):
        count = 0
        for source in sorted(SUITES.glob("level*/*.py")):
            text = source.read_text(encoding="utf-8")
            for way in (str, renamed, resized):
                file = self.folder / "files" / source.parent.name / f"{source.stem}_{way.__name__}.py"
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(way(text), encoding="utf-8")
                count += 1
        self.assertEqual(count, 750)
        result = self.kbench("synth", "--from", "files", "--no-run", "--out", "out", timeout=7000)
        text = (self.folder / "out" / "synthesis.jsonl").read_text(encoding="utf-8")
        records = [json.loads(line) for line in text.splitlines()[1:]]
        self.assertEqual(len(records), 750)
        missed = {re.sub(".*/files/", "", r["where"]): r["fault"] or r["similar_to"] or "kept"
                  for r in records if r["fault"] != "contaminated"}
        self.assertEqual(missed, {})
        self.assertEqual(result.returncode, NOTHING_SELECTED, result.stderr)

    def test_what_differs_is_kept(self):
        """Compositions of three and more operators; none of them is a task's."""
        self.assert_good(self.kbench("synth", "--count", 50, "--seed", 2026, "--operators", "3..5",
                                     "--no-run", "--out", "out", timeout=3000))
        text = (self.folder / "out" / "synthesis.jsonl").read_text(encoding="utf-8")
        faults = [json.loads(line)["fault"] for line in text.splitlines()[1:]]
        self.assertEqual(len(faults), 50)
        self.assertNotIn("contaminated", faults)


if __name__ == "__main__":
    cli_case.main()
