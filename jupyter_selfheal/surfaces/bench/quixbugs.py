"""QuixBugs (Lin et al. 2017): forty Python programs with one bug each, read from a clone of jkoppel/QuixBugs."""

from __future__ import annotations

import ast
import doctest
import json
import re
from pathlib import Path

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.bench.tasks import Task

SKIPPED = {"knapsack": 6404180, "levenshtein": "amanaplanacanalpanama"}
"""First arguments of the two tests that QuixBugs itself skips as too slow."""
LISTED = frozenset({"flatten", "kheapsort"})
"""Generators: their tests compare the list of what they yield."""

_SORTED, _TEXTS = "list(arr) == sorted(arr)", "len({0}) + len({1}) < 14"
DOMAINS = {
    "bitcount": "n >= 0", "bucketsort": "all(isinstance(x, int) and 0 <= x < k for x in arr)", "find_in_sorted": _SORTED, "find_first_in_sorted": _SORTED,
    "gcd": "a >= 0 and b >= 0", "get_factors": "1 <= n < 10**6", "hanoi": "0 <= height < 8 and {start, end} <= {1, 2, 3}",
    "is_valid_parenthesization": "set(parens) <= set('()')",
    "kheapsort": "len(set(arr)) == len(arr) and k >= 0 and all(abs(sorted(arr).index(x) - i) <= k for i, x in enumerate(arr))",
    "knapsack": "0 <= capacity < 2000 and all(len(i) == 2 and i[0] > 0 and i[1] >= 0 for i in items)", "kth": "0 <= k < len(arr)",
    "levenshtein": _TEXTS.format("source", "target"), "longest_common_subsequence": _TEXTS.format("a", "b"), "lis": "len(set(arr)) == len(arr)",
    "next_palindrome": "digit_list and digit_list == digit_list[::-1] and digit_list[0] > 0 and all(isinstance(d, int) and 0 <= d <= 9 for d in digit_list)",
    "next_permutation": "len(set(perm)) == len(perm) and list(perm) != sorted(perm, reverse=True)", "pascal": "1 <= n < 40",
    "possible_change": "all(isinstance(c, int) and c > 0 for c in coins) and len(set(coins)) == len(coins) and total < 60", "powerset": "len(arr) < 9 and len({*map(repr, arr)}) == len(arr)",
    "sieve": "0 < max < 3000", "sqrt": "x >= 1 and epsilon > 0", "subsequences": "k > 0 and b - a < 12", "to_base": "num > 0 and 2 <= b <= 36", "wrap": "cols > 0",
    "minimum_spanning_tree": "len(set(weight_by_edge.values())) == len(weight_by_edge)",
    "shortest_path_lengths": "all(w > 0 for w in length_by_edge.values()) and all(0 <= i < n for e in length_by_edge for i in e) and n < 9",
    "shortest_paths": "all(w > 0 for w in weight_by_edge.values()) and source in {u for e in weight_by_edge for u in e}",
}  # fmt: skip
"""What the docstring of each program asks of its arguments, as an expression over the parameters."""

_GRAPH = """
def graph(seed):
    import random
    rng = random.Random(seed)
    size = rng.randint(1, 7)
    nodes = [Node(n) for n in range(size)]
    for n, node in enumerate(nodes):
        others = [m for m in nodes if m is not node and rng.random() < 0.3]
        node.successors = others
        later = [m for k, m in enumerate(nodes) if k > n and rng.random() < 0.4]
        node.outgoing_nodes, node.incoming_nodes = later, []
        node.successor = None
    for node in nodes:
        for m in node.outgoing_nodes:
            m.incoming_nodes.append(node)
    for a, b in zip(nodes, nodes[1:]):
        a.successor = b
    return rng, nodes
"""
_SEARCHED = "def case(seed):\n    rng, nodes = graph(seed)\n    return {0}(rng.choice(nodes), rng.choice(nodes))\n"
CASES = {
    "breadth_first_search": _SEARCHED.format("breadth_first_search"),
    "depth_first_search": _SEARCHED.format("depth_first_search"),
    "detect_cycle": "def case(seed):\n    rng, nodes = graph(seed)\n    nodes[-1].successor = rng.choice([None, *nodes])\n    return detect_cycle(nodes[0])\n",
    "reverse_linked_list": "def case(seed):\n    rng, nodes = graph(seed)\n    node, values = reverse_linked_list(nodes[0]), []\n    while node and len(values) < 20:\n        values.append(node.value)\n        node = node.successor\n    return values\n",
    "shortest_path_length": "def case(seed):\n    rng, nodes = graph(seed)\n    lengths = {(a, b): rng.randint(1, 9) + n / 1000 for n, a in enumerate(nodes) for b in a.successors}\n    return round(shortest_path_length(lengths, nodes[0], nodes[-1]), 6)\n",
    "topological_ordering": "def case(seed):\n    rng, nodes = graph(seed)\n    rng.shuffle(nodes)\n    return [n.value for n in topological_ordering(nodes)]\n",
}
COMPARE = {"sqrt": "abs(eval(a) - eval(b)) <= 2 * arguments[1]", "powerset": "sorted(eval(a)) == sorted(eval(b))"}


def load(path: Path) -> list[Task]:
    """The forty tasks of a clone of jkoppel/QuixBugs; raises UsageError where there is none."""
    folder = path / "python_programs"
    if not folder.is_dir():
        raise UsageError(
            f"{path} is no clone of QuixBugs: git clone https://github.com/jkoppel/QuixBugs, and give that folder"
        )
    names = sorted(p.stem for p in folder.glob("*.py") if not p.stem.endswith("_test") and p.stem != "node")
    return [_build_task(path, name) for name in names]


def _build_task(path: Path, name: str) -> Task:
    source = (path / "python_programs" / f"{name}.py").read_text()
    reference = _keep_first_version((path / "correct_python_programs" / f"{name}.py").read_text())
    arguments: tuple[str, ...] = ()
    cases = ""
    setup = ""
    if (path / "json_testcases" / f"{name}.json").exists():
        tests, arguments = _read_json_tests(path, name)
    else:
        setup, tests = _read_python_tests(path, name)
        if name in CASES:
            cases = _GRAPH + CASES[name]
        else:
            arguments = _find_call_arguments(tests, name)
    node = (path / "python_testcases" / "node.py").read_text() if "Node(" in setup + "".join(tests) else ""
    definition = _remove_docs(source).strip() + "\n"
    if node:
        definition = node.strip() + "\n\n\n" + definition
        reference = node.strip() + "\n\n\n" + reference
    return Task(
        name, name, definition, tuple(setup + t for t in tests) if setup else tests, reference, arguments=arguments,
        domain=DOMAINS.get(name, ""), cases=cases, compare=COMPARE.get(name, ""), examples=_find_examples(source, name),
    )  # fmt: skip


def _remove_docs(source: str) -> str:
    """The program without the description at its end, which quotes no code but names what it should do."""
    tree = ast.parse(source)
    lines = source.splitlines(keepends=True)
    for stmt in reversed(tree.body):
        if isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Constant):
            del lines[stmt.lineno - 1 : stmt.end_lineno]
    return "".join(lines)


def _keep_first_version(source: str) -> str:
    """The first of the several correct versions that some reference files hold."""
    tree = ast.parse(source)
    seen: set[str] = set()
    kept = []
    for stmt in tree.body:
        if isinstance(stmt, ast.FunctionDef):
            if stmt.name in seen:
                break
            seen.add(stmt.name)
        kept.append(stmt)
    return "\n\n".join(ast.unparse(s) for s in kept if not isinstance(s, ast.Expr)) + "\n"


def _read_json_tests(path: Path, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    tests, seen = [], []
    for line in (path / "json_testcases" / f"{name}.json").read_text().splitlines():
        if not line.strip():
            continue
        given, expected = json.loads(line)
        given = given if isinstance(given, list) else [given]
        if given and given[0] == SKIPPED.get(name, ...):
            continue
        call = f"{name}({', '.join(map(repr, given))})"
        if name == "hanoi":
            expected = [tuple(x) for x in expected]
        if name in LISTED:
            call = f"list({call})"
        if name == "sqrt":
            tests.append(f"assert abs({call} - {expected!r}) <= {given[-1]!r}\n")
        else:
            tests.append(f"assert {call} == {expected!r}\n")
        seen.append(repr(tuple(given)))
    return tuple(tests), tuple(seen)


def _read_python_tests(path: Path, name: str) -> tuple[str, tuple[str, ...]]:
    """Each ``testN`` of a pytest file as a definition and its call; statements between them go before the first."""
    source = (path / "python_testcases" / f"test_{name}.py").read_text()
    setup, tests = [], []
    for stmt in ast.parse(source).body:
        text = ast.get_source_segment(source, stmt) or ""
        if isinstance(stmt, ast.FunctionDef):
            tests.append(f"{text}\n\n\n{stmt.name}()\n")
        elif not isinstance(stmt, ast.Import | ast.ImportFrom | ast.If | ast.FunctionDef):
            setup.append(text)
    return "".join(s + "\n" for s in setup), tuple(tests)


def _find_call_arguments(tests: tuple[str, ...], name: str) -> tuple[str, ...]:
    """Literal arguments of the calls in the tests, through one level of names."""
    arguments = []
    for test in tests:
        bound: dict[str, str] = {}
        for node in ast.walk(ast.parse(test)):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                bound[node.targets[0].id] = ast.unparse(node.value)
        for node in ast.walk(ast.parse(test)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name:
                texts = [bound.get(a.id, "") if isinstance(a, ast.Name) else ast.unparse(a) for a in node.args]
                arguments.append(f"({', '.join(texts)},)")
    return tuple(arguments)


def _find_examples(source: str, name: str) -> tuple[str, ...]:
    """The examples of the description as asserts, where they can be read as a value."""
    asserts = []
    for text in re.findall(r'"""(.*?)"""', source, re.S):
        try:
            examples = doctest.DocTestParser().get_examples(text)
        except ValueError:
            continue
        for example in examples:
            try:
                ast.literal_eval(example.want.strip())
                ast.parse(example.source)
            except (ValueError, SyntaxError):
                continue
            call = " ".join(example.source.split())
            asserts.append(f"assert {f'list({call})' if name in LISTED else call} == {example.want.strip()}\n")
    return tuple(asserts)
