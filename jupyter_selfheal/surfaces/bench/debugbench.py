"""DebugBench (Tian et al. 2024, "DebugBench: Evaluating Debugging Capability of Large Language Models"): solutions with faults put in by a model.

``PATH`` is a clone of thunlp/DebugBench, its folder ``benchmark``, or one ``python3_*.json`` of it. A test is an example of the record's text:
``Input: n = 5`` and ``Output: 2`` are ``assert Solution().findComplement(5) == 2``. LeetCode's own tests are not in the set, so a program is judged
by its examples and against the reference on generated inputs, within what the constraints say plainly. A record whose examples
cannot be read as values is left out, and counted in the title.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.surfaces.bench.constraints import read_domain
from jupyter_selfheal.surfaces.bench.records import can_parse
from jupyter_selfheal.surfaces.bench.tasks import Task

FIELDS = ("slug", "examples", "oracle_code", "buggy_code")
"""Of a record: what it must hold."""
EXAMPLE = re.compile(r"Input:\s*(?P<given>.*?)\s*Output:\s*(?P<wanted>.*?)\s*(?:Explanation\b.*|Note:.*)?$", re.DOTALL)
CONSTANTS = {"null": None, "true": True, "false": False}
ENTRY = "solve"
"""The function that calls the program's method with plain values, for judging."""

AHEAD = """import bisect
import collections
import functools
import heapq
import itertools
import math
import random
import re
import string
from bisect import *
from collections import *
from functools import *
from heapq import *
from itertools import *
from math import *
from typing import *
"""
"""What LeetCode, from which the programs come, has imported."""

NODES = {
    "TreeNode": (
        "build_tree",
        "list_tree",
        '''

class TreeNode:
    def __init__(self, val=0, left=None, right=None):
        self.val = val
        self.left = left
        self.right = right


def build_tree(values):
    """A tree from its values by level, None where a child is missing."""
    nodes = [None if value is None else TreeNode(value) for value in values]
    parents = [node for node in nodes if node]
    for number, node in enumerate(nodes[1:]):
        if number // 2 < len(parents):
            setattr(parents[number // 2], "right" if number % 2 else "left", node)
    return nodes[0] if nodes else None


def list_tree(root):
    """Its values by level, None where a child is missing, and none of these at the end."""
    values, level = [], [root]
    for node in level:
        values.append(node and node.val)
        level.extend([node.left, node.right] if node else [])
    while values and values[-1] is None:
        values.pop()
    return values
''',
    ),
    "ListNode": (
        "build_list",
        "list_nodes",
        '''

class ListNode:
    def __init__(self, val=0, next=None):
        self.val = val
        self.next = next


def build_list(values):
    """A linked list of these values."""
    first = None
    for value in reversed(values):
        first = ListNode(value, first)
    return first


def list_nodes(node):
    """The values of a linked list."""
    values = []
    while node and len(values) < 10_000:
        values.append(node.val)
        node = node.next
    return values
''',
    ),
}
"""By class: what makes it of a list, what makes a list of it, and their source."""


def load(path: Path) -> tuple[str, list[Task]]:
    """Title and tasks of a clone, folder or file; raises UsageError where it holds no record of Python."""
    folder = path / "benchmark" if (path / "benchmark").is_dir() else path
    files = sorted(folder.glob("python3_*.json")) if folder.is_dir() else [folder]
    made = [(file, n, record) for file in files for n, record in enumerate(_read_records(file))]
    if not made:
        raise UsageError(f"{path} is not DebugBench's data: give a clone of thunlp/DebugBench")
    tasks = [task for file, n, record in made if (task := _build_task(_name_kind(file), n, record)) is not None]
    if not tasks:
        raise UsageError(f"{path} has no record whose examples can be read as values")
    left_out = len(made) - len(tasks)
    return "DebugBench, Python" + (f", {left_out} of {len(made)} records left out" if left_out else ""), tasks


def _read_records(path: Path) -> list[dict[str, Any]]:
    try:
        records = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} is no JSON ({error}): fetch it again") from error
    if not isinstance(records, list):
        raise UsageError(f"{path} is not DebugBench's data: it holds no list of records")
    for number, record in enumerate(records):
        if not isinstance(record, dict) or (missing := [name for name in FIELDS if name not in record]):
            what = f"has no field {missing[0]!r}" if isinstance(record, dict) else "is no object"
            raise UsageError(f"{path}: record {number} {what}: mend or remove it")
    return records


def _name_kind(path: Path) -> str:
    return path.stem.removeprefix("python3_")


def _build_task(kind: str, number: int, record: dict[str, Any]) -> Task | None:
    """The task of a record; None where its reference has no one method for its examples, or an example is no value."""
    reference = str(record["oracle_code"]).strip() + "\n"
    examples = [_read_example(str(text)) for text in record["examples"]]
    found = [e for e in examples if e is not None]
    alike = found and len(found) == len(examples) and len({frozenset(given) for given, _ in found}) == 1
    method = _find_method(reference, list(found[0][0])) if alike else None
    if method is None:
        return None
    names = [a.arg for a in method.args.args[1:]]
    kinds = [_find_node(a.annotation) for a in method.args.args[1:]]
    given_back = _find_node(method.returns)
    call = _write_call(method.name, kinds, given_back)
    values = [[given[name] for name in names] for given, _ in found]
    if not all(_is_fitting(kind, value) for row in values for kind, value in zip(kinds, row, strict=True)):
        return None
    tests = tuple(
        f"assert {call([repr(v) for v in row])} == {want!r}\n" for row, (_, want) in zip(values, found, strict=True)
    )
    used = dict.fromkeys(filter(None, [*kinds, given_back]))
    domain = read_domain(str(record.get("constraints", "")), str(record.get("description", "")), names)
    return Task(
        f"{kind.replace(' ', '-')}/{number}/{record['slug']} ({kind})", ENTRY, str(record["buggy_code"]).strip() + "\n", tests, reference,
        arguments=tuple(dict.fromkeys(f"({', '.join(map(repr, row))},)" for row in values)), domain=domain,
        compare="sorted(map(repr, eval(a))) == sorted(map(repr, eval(b)))" if "in any order" in str(record.get("description", "")) else "",
        ahead=AHEAD + "".join(NODES[name][2] for name in used), checked=False,
        harness=f"def {ENTRY}({', '.join(names)}):\n    return {call(names)}\n",
    )  # fmt: skip


def _read_example(text: str) -> tuple[dict[str, Any], Any] | None:
    """The arguments by name and the value of an example; None where it cannot be read."""
    match = EXAMPLE.search(text)
    if match is None:
        return None
    try:
        call = ast.parse(f"f({match['given']})", mode="eval").body
        assert isinstance(call, ast.Call)
        if call.args or not call.keywords:
            return None
        given = {k.arg: _read_value(k.value) for k in call.keywords if k.arg}
        return given, _read_value(ast.parse(match["wanted"].strip(), mode="eval").body)
    except (SyntaxError, ValueError, TypeError, MemoryError):
        return None


def _read_value(node: ast.expr) -> Any:
    """A literal in which JSON's words may stand."""
    return ast.literal_eval(ast.unparse(_ReplaceWords().visit(node)))


class _ReplaceWords(ast.NodeTransformer):
    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Constant(CONSTANTS[node.id]) if node.id in CONSTANTS else node


def _find_method(reference: str, names: list[str]) -> ast.FunctionDef | None:
    """The method of ``Solution`` that takes these arguments and gives a value; None where no or more than one does."""
    if not can_parse(reference):
        return None
    methods = list(_list_methods(ast.parse(reference)))
    fitting = [m for m in methods if sorted(a.arg for a in m.args.args[1:]) == sorted(names)]
    return fitting[0] if len(fitting) == 1 and not _gives_nothing(fitting[0]) else None


def _list_methods(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == "Solution":
            yield from (m for m in node.body if isinstance(m, ast.FunctionDef) and not m.name.startswith("__"))


def _gives_nothing(method: ast.FunctionDef) -> bool:
    return isinstance(method.returns, ast.Constant) and method.returns.value is None


def _find_node(annotation: ast.expr | None) -> str:
    """The class of nodes that an annotation names; empty where it names none."""
    text = ast.unparse(annotation) if annotation else ""
    return next((name for name in NODES if re.fullmatch(rf"['\"]?(Optional\[)?['\"]?{name}['\"]?\]?['\"]?", text)), "")


def _is_fitting(kind: str, value: Any) -> bool:
    """Nodes are written as lists."""
    return not kind or isinstance(value, list)


def _write_call(method: str, kinds: list[str], given_back: str) -> Any:
    """What writes the method's call from the texts of its arguments."""

    def write(arguments: list[str]) -> str:
        built = [f"{NODES[k][0]}({text})" if k else text for k, text in zip(kinds, arguments, strict=True)]
        call = f"Solution().{method}({', '.join(built)})"
        return f"{NODES[given_back][1]}({call})" if given_back else call

    return write
