"""Programs of ours with a fault that checks reach, alone or beside a second one that they do not reach."""

from __future__ import annotations

import ast
import contextlib
import copy
import dataclasses
import difflib
import itertools
import random
import signal
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from jupyter_selfheal.inside.search.generate_inputs import generate_inputs
from jupyter_selfheal.surfaces.bench.tasks import Task

FEWEST, MOST = 5, 11
"""Checks that a program is given."""
INPUTS, SECONDS = 400, 0.2
"""Generated inputs on which a fault must show, and CPU seconds for a call."""
OWNER = "Solution"
"""The class that a function is put into."""
_TURNED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In}  # fmt: skip
_OPPOSITE = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE}


@dataclass(frozen=True, slots=True)
class Program:
    """A right program of ours: its function, an expression over the arguments that says what it is for, and calls of it."""

    name: str
    domain: str
    source: str
    calls: tuple[str, ...]


def read_programs(text: str) -> list[Program]:
    """``=== name: domain`` above a function, ``---`` below it, and the arguments of a call on each line."""
    programs = []
    for part in text.split("=== ")[1:]:
        head, _, rest = part.partition("\n")
        name, _, domain = head.partition(": ")
        source, _, calls = rest.partition("---\n")
        programs.append(Program(name, domain, source, tuple(calls.split("\n")[:-1])))
    return programs


def list_faults(source: str) -> list[tuple[int, str]]:
    """(line, text) of each program that one small fault makes: a turned comparison, a number beside, a statement or guard left out …"""
    tree = ast.parse(source)
    found: dict[str, int] = {}
    for n, node in enumerate(ast.walk(tree)):
        for change in _list_changes(node):
            broken = copy.deepcopy(tree)
            twin = next(itertools.islice(ast.walk(broken), n, None))
            change(twin)
            text = ast.unparse(ast.fix_missing_locations(broken))
            found.setdefault(text, getattr(node, "lineno", 0))
    return [(line, text) for text, line in found.items() if text != ast.unparse(tree)]


def _list_changes(node: ast.AST) -> Iterator[Any]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for table in (_TURNED, _OPPOSITE):
            if new := table.get(type(node.ops[0])):
                yield lambda twin, new=new: twin.ops.__setitem__(0, new())
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield lambda twin: setattr(twin, "value", twin.value + 1)
        yield lambda twin: setattr(twin, "value", twin.value - 1)
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield lambda twin: setattr(twin, "value", not twin.value)
    elif isinstance(node, ast.BoolOp):
        yield lambda twin: setattr(twin, "op", ast.Or() if isinstance(twin.op, ast.And) else ast.And())
        yield from (lambda twin, n=n: twin.values.pop(n) for n in range(len(node.values)))
    elif isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Add | ast.Sub):
        yield lambda twin: setattr(twin, "op", ast.Sub() if isinstance(twin.op, ast.Add) else ast.Add())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield lambda twin: setattr(twin, "operand", ast.UnaryOp(ast.Not(), twin.operand))
    for name in ("body", "orelse"):
        block = getattr(node, name, None)
        if isinstance(block, list) and not isinstance(node, ast.Module):
            yield from _list_changes_of_block(name, block)


def _list_changes_of_block(name: str, block: Sequence[ast.stmt]) -> Iterator[Any]:
    for n, statement in enumerate(block):
        if len(block) > 1:
            yield lambda twin, n=n: getattr(twin, name).pop(n)
        elif name == "orelse":
            yield lambda twin: twin.orelse.clear()
        if isinstance(statement, ast.If) and not statement.orelse:
            yield lambda twin, n=n: getattr(twin, name).__setitem__(slice(n, n + 1), getattr(twin, name)[n].body)
        if isinstance(statement, ast.Return) and n and isinstance(block[n - 1], ast.For | ast.While):
            yield lambda twin, n=n: getattr(twin, name)[n - 1].body.append(getattr(twin, name).pop(n))


def make_tasks(program: Program, seed: int, each: int) -> list[Task]:
    """Up to ``each`` tasks with one fault (``one 3 keep_first``) and as many with two (``two 3 keep_first``): the second fault changes
    no check, and what is reached is the first."""
    rng = random.Random(f"{seed}/{program.name}")
    inputs = _list_inputs(program)
    right = _run(program.source, program.name, inputs)
    given = [k for k, shown in enumerate(right) if not shown.startswith("!")]
    calls = [repr(ast.literal_eval(f"({call},)")) for call in program.calls]
    faults = [
        (line, text, _run(text, program.name, inputs))
        for line, text in list_faults(ast.unparse(ast.parse(program.source)))
    ]
    tasks: list[Task] = []
    made = {"one": 0, "two": 0}
    for _ in range(60 * each):
        kept = rng.sample(range(len(calls)), min(rng.randint(FEWEST, MOST), len(calls)))
        reached = [f for f in faults if any(f[2][k] != right[k] for k in kept)]
        hidden = [
            f for f in faults if all(f[2][k] == right[k] for k in kept) and any(f[2][k] != right[k] for k in given)
        ]
        checks = tuple(f"assert {program.name}{_strip(calls[k])} == {right[k]}\n" for k in sorted(kept))
        kind = "one" if made["one"] < each and rng.random() < 0.5 else "two"
        if made[kind] == each or not reached or (kind == "two" and not hidden):
            continue
        first = rng.choice(reached)
        broken = first[1]
        if kind == "two":
            second = rng.choice(hidden)
            both = _join(ast.unparse(ast.parse(program.source)), first[1], second[1])
            if not both:
                continue
            shown = _run(both, program.name, inputs)
            if [shown[k] for k in kept] != [first[2][k] for k in kept]:
                continue  # the second shows in a check once the first is there
            broken = both
        made[kind] += 1
        tasks.append(
            Task(
                f"{kind} {made[kind]} {program.name}",
                program.name,
                broken + "\n",
                checks,
                program.source,
                arguments=tuple(calls),
                domain=program.domain,
            )
        )
        if min(made.values()) == each:
            break
    return tasks


def make_method(task: Task) -> Task:
    """The same task with its function as the method of a class, and the checks as calls on an instance of it."""
    names = ", ".join(a.arg for a in ast.parse(task.reference).body[0].args.args)  # type: ignore[attr-defined]
    call = f"{OWNER}().{task.entry}("
    return dataclasses.replace(
        task,
        definition=_wrap(task.definition),
        reference=_wrap(task.reference),
        tests=tuple(test.replace(f"assert {task.entry}(", f"assert {call}") for test in task.tests),
        harness=f"def ask({names}):\n    return {call}{names})\n",
        entry="ask",
    )


def _wrap(source: str) -> str:
    tree = ast.parse(source)
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == function.name:
            node.func = ast.Attribute(ast.Name("self", ast.Load()), function.name, ast.Load())
    function.args.args.insert(0, ast.arg("self"))
    text = ast.unparse(ast.fix_missing_locations(tree))
    return f"class {OWNER}:\n{textwrap.indent(text, '    ')}\n"


def _strip(arguments: str) -> str:
    return arguments.replace(",)", ")") if arguments.endswith(",)") else arguments


def _join(text: str, first: str, second: str) -> str:
    """The program with both changes, which lie in different lines; empty where they do not."""
    lines, made = text.split("\n"), []
    for other in (first, second):
        codes = difflib.SequenceMatcher(None, lines, other.split("\n"), autojunk=False).get_opcodes()
        made += [(a, b, other.split("\n")[c:d]) for tag, a, b, c, d in codes if tag != "equal"]
    made.sort(key=lambda m: (m[0], m[1]))
    if any(b >= c for (_, b, _), (c, _, _) in itertools.pairwise(made)):
        return ""
    for a, b, new in reversed(made):
        lines[a:b] = new
    joined = "\n".join(lines)
    try:
        ast.parse(joined)
    except SyntaxError:
        return ""
    return joined


def _list_inputs(program: Program) -> list[tuple[Any, ...]]:
    """The calls as they stand, then generated ones that the program is for."""
    calls = [ast.literal_eval(f"({call},)") for call in program.calls]
    names = [a.arg for a in ast.parse(program.source).body[0].args.args]  # type: ignore[attr-defined]
    more = generate_inputs(calls, INPUTS)
    return [*calls, *(g for g in more if g not in calls and _is_meant(program.domain, names, g))]


def _is_meant(domain: str, names: Sequence[str], arguments: tuple[Any, ...]) -> bool:
    try:
        return bool(eval(domain, dict(zip(names, arguments, strict=False))))
    except Exception:
        return False


class _Late(BaseException):
    pass


def _run(source: str, name: str, inputs: Sequence[tuple[Any, ...]]) -> list[str]:
    """What the function gives for each input; ``!`` where it raises or does not end."""

    def stop(*_: object) -> None:
        raise _Late

    signal.signal(signal.SIGVTALRM, stop)
    space: dict[str, Any] = {}
    with contextlib.suppress(Exception):
        exec(source, space)
    shown = []
    for given in inputs:
        signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
        try:
            shown.append(repr(space[name](*copy.deepcopy(given))) if shown.count("!_Late") < 3 else "!_Late")
        except (Exception, _Late) as error:
            shown.append("!" + type(error).__name__)
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return shown
