"""HumanEvalFix (Muennighoff et al. 2023, the ``humanevalpack`` records) and a stand-in made of HumanEval.

HumanEvalFix has 164 programs with a fault that a person wrote. Where it is not at hand, ``injected`` puts one random fault into
each canonical solution of HumanEval: a stand-in, and never called HumanEvalFix. The faults follow HumanEvalFix's six
classes, and are made by code that shares nothing with the search's templates.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.inside.tree_names import list_bound_names
from jupyter_selfheal.surfaces.bench.judge import find_failing_tests
from jupyter_selfheal.surfaces.bench.records import build_task, read_records
from jupyter_selfheal.surfaces.bench.tasks import Task

CLASSES = ("missing logic", "excess logic", "value misuse", "operator misuse", "variable misuse", "function misuse")
SEED = 20261121
_BINARY: tuple[type[ast.operator], ...] = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
_COMPARE: tuple[type[ast.cmpop], ...] = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_FUNCTIONS = (
    "min",
    "max",
    "sum",
    "len",
    "abs",
    "sorted",
    "list",
    "set",
    "any",
    "all",
    "int",
    "str",
    "round",
    "reversed",
)
_METHODS = (
    "lower", "upper", "append", "extend", "strip", "split", "isupper", "islower", "isdigit", "isalpha", "startswith",
    "endswith", "count", "index", "find", "pop", "remove", "insert", "swapcase", "keys", "values", "items",
)  # fmt: skip


def load(path: Path, seed: int = SEED) -> tuple[str, list[Task]]:
    """The tasks of a file or folder and what they are: HumanEvalFix's kind where the records have faults of their own, else the
    stand-in. Records that make no program with a test are left out, and counted in the title."""
    records = read_records(path)
    broken = [r for r in records if r.get("buggy_solution")]
    if broken:
        tasks = [t for n, r in enumerate(broken) if (t := build_task(r, n, "buggy_solution")) is not None]
        title = f"HumanEvalFix records ({path.name})"
    else:
        tasks = [
            t
            for n, r in enumerate(records)
            if r.get("canonical_solution") and (t := inject_fault(r, n, seed)) is not None
        ]
        title = f"HumanEval with injected faults (stand-in, seed {seed})"
    if not tasks:
        raise UsageError(f"{path} has neither HumanEvalFix's nor HumanEval's fields")
    left_out = len(records) - len(tasks)
    return title + (f", {left_out} of {len(records)} records left out" if left_out else ""), tasks


# --- the stand-in ---------------------------------------------------------------------------------------------------


def inject_fault(record: dict[str, Any], number: int, seed: int = SEED) -> Task | None:
    """The record's canonical solution with one fault that its tests notice; None where forty attempts make none."""
    rng = random.Random(f"{seed}/{number}")
    task = build_task(record, number, "canonical_solution")
    if task is None:
        return None
    first = rng.randrange(len(CLASSES))
    for attempt in range(40):
        kind = CLASSES[(first + attempt // 4) % len(CLASSES)]
        body = _add_fault(record["canonical_solution"], kind, rng)
        if body is None:
            continue
        definition = record["prompt"] + body
        if find_failing_tests(definition, task.tests):
            return _rename_task(task, definition, kind)
    return None


def _rename_task(task: Task, definition: str, kind: str) -> Task:
    return Task(
        f"{task.name} ({kind})", task.entry, definition, task.tests, task.reference, arguments=task.arguments,
        examples=task.examples,
    )  # fmt: skip


def _add_fault(body: str, kind: str, rng: random.Random) -> str | None:
    """The body of a function with one random fault of a class, or None where it offers no place for one."""
    head = "def f():\n"
    tree = ast.parse(head + body)
    places = list(_find_places(tree, kind))
    if not places:
        return None
    _break_node(tree, rng.choice(places), kind, rng)
    try:
        text = ast.unparse(ast.fix_missing_locations(tree))
        compile(text, "<fault>", "exec")
    except (SyntaxError, ValueError):
        return None
    broken = text.split("\n", 1)[1] + "\n"
    return broken if broken != ast.unparse(ast.parse(head + body)).split("\n", 1)[1] + "\n" else None


def _find_places(tree: ast.Module, kind: str) -> Iterator[tuple[ast.AST, ast.AST]]:
    """(parent, node) of everything that a fault of the class can be put at."""
    for parent in ast.walk(tree):
        for node in ast.iter_child_nodes(parent):
            fits = {
                "missing logic": (isinstance(node, ast.stmt) and not isinstance(node, ast.Return | ast.FunctionDef | ast.Import))
                or (isinstance(node, ast.Call) and len(node.args) == 1) or isinstance(node, ast.BoolOp),
                "excess logic": isinstance(node, ast.BinOp | ast.Compare | ast.Name) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load),
                "value misuse": isinstance(node, ast.Constant) and not isinstance(parent, ast.Expr),
                "operator misuse": isinstance(node, ast.BinOp | ast.Compare | ast.BoolOp | ast.AugAssign),
                "variable misuse": isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and not isinstance(parent, ast.Call),
                "function misuse": isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute),
            }[kind]  # fmt: skip
            if fits:
                yield parent, node


def _break_node(tree: ast.Module, place: tuple[ast.AST, ast.AST], kind: str, rng: random.Random) -> None:
    parent, node = place
    if kind == "missing logic":
        _remove_logic(parent, node, rng)
    elif kind == "excess logic" and isinstance(node, ast.expr):
        extra = ast.BinOp(node, rng.choice(_BINARY[:3])(), ast.Constant(rng.choice((1, 2))))
        new = ast.UnaryOp(ast.Not(), node) if isinstance(node, ast.Compare) else extra
        _replace_node(parent, node, new)
    elif kind == "value misuse" and isinstance(node, ast.Constant):
        node.value = _change_value(node.value, rng)
    elif kind == "operator misuse":
        _change_operator(node, rng)
    elif kind == "variable misuse" and isinstance(node, ast.Name):
        names = sorted(list_bound_names(tree) - {node.id})
        if names:
            node.id = rng.choice(names)
    elif kind == "function misuse" and isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name):
            node.func.id = rng.choice(_FUNCTIONS)
        elif isinstance(node.func, ast.Attribute):
            node.func.attr = rng.choice(_METHODS)


def _remove_logic(parent: ast.AST, node: ast.AST, rng: random.Random) -> None:
    if isinstance(node, ast.stmt):
        for name in ("body", "orelse"):
            block = getattr(parent, name, None)
            if isinstance(block, list) and node in block:
                block[block.index(node)] = ast.Pass()
    elif isinstance(node, ast.Call):
        _replace_node(parent, node, node.args[0])
    elif isinstance(node, ast.BoolOp):
        node.values.pop(rng.randrange(len(node.values)))
        if len(node.values) == 1:
            _replace_node(parent, node, node.values[0])


def _replace_node(parent: ast.AST, old: ast.AST, new: ast.AST) -> None:
    for name, value in ast.iter_fields(parent):
        if value is old:
            setattr(parent, name, new)
        elif isinstance(value, list) and old in value:
            value[value.index(old)] = new


def _change_value(value: Any, rng: random.Random) -> Any:
    if isinstance(value, bool) or value is None:
        return not value
    if isinstance(value, int | float):
        return value + rng.choice((-2, -1, 1, 2, 10))
    if isinstance(value, str):
        return rng.choice((value + "x", value[1:], value.swapcase(), " ", ""))
    return value


def _change_operator(node: ast.AST, rng: random.Random) -> None:
    if isinstance(node, ast.BinOp | ast.AugAssign):
        node.op = rng.choice([o for o in _BINARY if not isinstance(node.op, o)])()
    elif isinstance(node, ast.Compare):
        node.ops[0] = rng.choice([o for o in _COMPARE if not isinstance(node.ops[0], o)])()
    elif isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
