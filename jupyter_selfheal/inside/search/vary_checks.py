"""Inputs that are no plain data: the checks themselves, with other literals and other variables in them.

A graph of nodes, an instance with a history or a variable of the cell cannot be made up from nothing. The statements that make
them are there: ``depth_first_search(node_a, node_b)`` is run with ``node_c`` in place of ``node_b``, ``stack.push(3)`` with ``0``, and
what each assert looks at is noted in place of being checked.
"""

from __future__ import annotations

import ast
import contextlib
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any, ClassVar

from jupyter_selfheal.inside.search.compare_behaviour import LATE, TIMEOUT, count_cost, find_net
from jupyter_selfheal.inside.search.count_steps import OutOfTime
from jupyter_selfheal.inside.search.generate_inputs import mutate_value
from jupyter_selfheal.inside.search.printed_output import Muted
from jupyter_selfheal.inside.search.program import CHECK, DEFINE, FILE, REPLAY, VALUE, Program, Unit
from jupyter_selfheal.inside.search.run_candidate import Runner
from jupyter_selfheal.inside.search.run_result import Enough

MOST, EACH = 80, 16
"""Variations in all, and of one statement."""
STEPS, OVERHEAD = 50_000, 400
"""Steps for one variation, and what it counts beside its own."""
OBJECTS = 3
"""How much likelier a variable or a list is changed than a literal: what objects are made with is told apart elsewhere."""
HISTORY = 0.3
"""The share of variations in which a call is left out or made twice."""
NOTE = "__selfheal_note__"
"""What the varied checks call with the values that they look at."""
LONGEST = 400
"""Characters of a noted value that count."""


@dataclass(frozen=True, slots=True)
class Variation:
    """One statement of the checks with another literal or variable in it: ``text`` says which, ``unit`` is its number."""

    unit: int
    code: CodeType
    text: str
    is_call: ClassVar[bool] = False
    is_usual: ClassVar[bool] = True


def make_variations(program: Program, changed: Collection[int], seed: int = 0) -> list[Variation]:
    """Each check as it is, then with other values, for the statements that no candidate changes (``changed``)."""
    rng = random.Random(seed)
    variations: list[Variation] = []
    for n, unit in enumerate(program.units):
        if n not in changed and _can_vary(unit):
            variations += _vary_unit(n, unit.text, rng)
    rng.shuffle(variations)
    return variations[:MOST]


def _can_vary(unit: Unit) -> bool:
    """Whether a statement is one that asks: a check, a test function, or one of the failing cell that makes what is checked."""
    return unit.tests or unit.role not in (DEFINE, REPLAY)


def _vary_unit(n: int, text: str, rng: random.Random) -> Iterator[Variation]:
    known: set[str] = {text}
    for _ in range(EACH * 4):
        if len(known) > EACH:
            return
        tree = ast.parse(text)
        words = _change_history(tree, rng) if rng.random() < HISTORY else _change_value(tree, rng)
        varied = ast.unparse(tree)
        if words and varied not in known:
            known.add(varied)
            with contextlib.suppress(SyntaxError, ValueError, RecursionError):
                yield Variation(n, compile_noting(tree, n), words)


def _change_history(tree: ast.Module, rng: random.Random) -> str:
    """Leave out or repeat a call that stands by itself or in an assert: what an object holds depends on how often it was called."""
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, ast.Module | ast.FunctionDef)]
    places = [(body, n) for body in bodies for n, node in enumerate(body) if _find_call(node) is not None]
    if not places:
        return ""
    body, n = rng.choice(places)
    call = ast.unparse(_find_call(body[n]) or body[n])
    if isinstance(body[n], ast.Assert) or rng.random() < 0.5:
        body.insert(n, body[n])
        return f"`{call}` twice"
    body[n] = ast.copy_location(ast.Pass(), body[n])
    return f"`{call}` left out"


def _find_call(node: ast.stmt) -> ast.Call | None:
    """The call that a statement makes for its effect, or that an assert asks about."""
    if isinstance(node, ast.Expr):
        return node.value if isinstance(node.value, ast.Call) else None
    if isinstance(node, ast.Assert):
        return next((n for n in ast.walk(node.test) if isinstance(n, ast.Call)), None)
    return None


def _change_value(tree: ast.Module, rng: random.Random) -> str:
    places = [place for statement in tree.body for place in _list_places(statement)]
    if not places:
        return ""
    weights = [1 if isinstance(place, ast.Constant) else OBJECTS for place in places]
    old, new = _change_place(rng.choices(places, weights)[0], places, rng)
    return f"`{new}` in place of `{old}`" if old != new else ""


def _list_places(tree: ast.AST) -> list[ast.expr]:
    """What may be varied of a statement: literals and lists of it, and the variables that calls and lists are given."""
    places: list[ast.expr] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            given = [*node.args, *(k.value for k in node.keywords)]
            places += [a for a in given if isinstance(a, ast.Name | ast.Constant | ast.List)]
        elif isinstance(node, ast.List | ast.Tuple) and isinstance(node.ctx, ast.Load):
            places += [a for a in node.elts if isinstance(a, ast.Name | ast.Constant)]
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant | ast.Name | ast.List):
            places.append(node.value)
    return places


def _change_place(place: ast.expr, places: Sequence[ast.expr], rng: random.Random) -> tuple[str, str]:
    """Change a place of a tree; its text before and after."""
    old = ast.unparse(place)
    if isinstance(place, ast.Name):
        place.id = rng.choice(sorted({p.id for p in places if isinstance(p, ast.Name)}))
    elif isinstance(place, ast.Constant):
        place.value = mutate_value(place.value, rng)
    elif isinstance(place, ast.List) and place.elts:
        at = rng.randrange(len(place.elts))
        if rng.random() < 0.6:
            place.elts.pop(at)
        else:
            place.elts.insert(at, rng.choice(place.elts))
    return old, ast.unparse(place)


class _Noting(ast.NodeTransformer):
    """``assert f(x) == y`` becomes a note of ``f(x)``, and so does any other test, without its expectation."""

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        looked_at = node.test
        while isinstance(looked_at, ast.UnaryOp) and isinstance(looked_at.op, ast.Not):
            looked_at = looked_at.operand
        if isinstance(looked_at, ast.Compare):
            sides = [looked_at.left, *looked_at.comparators]
            looked_at = next((s for s in sides if any(isinstance(n, ast.Call) for n in ast.walk(s))), sides[0])
        return ast.copy_location(ast.Expr(ast.Call(ast.Name(NOTE, ast.Load()), [looked_at], [])), node)


def compile_noting(tree: ast.Module, index: int) -> CodeType:
    """The code of a check whose asserts note what they look at; raises what ``compile`` does."""
    return compile(ast.fix_missing_locations(_Noting().visit(tree)), FILE.format(index), "exec", dont_inherit=True)


def run_variations(
    runner: Runner, variants: Sequence[Mapping[int, CodeType]], variations: Sequence[Variation], steps: int
) -> list[list[str]]:
    """For each variant of the program (its ``codes``), what each variation gives: the noted values, else what is printed and the
    last value; or ``!`` and the exception's name. After so many steps nothing more is run."""
    units = runner.program.units
    noting = {n: compile_noting(ast.parse(u.text), n) for n, u in enumerate(units) if u.tests or u.role == CHECK}
    left = steps
    shown: list[list[str]] = []
    for codes in variants:
        shown.append([])
        for v in variations:
            before = runner.counter.total
            shown[-1].append(_run_variation(runner, {**noting, **codes, v.unit: v.code}, v) if left > 0 else LATE)
            left -= OVERHEAD + count_cost(runner, shown[-1][-1], runner.counter.total - before, STEPS)
    return shown


def _run_variation(runner: Runner, codes: Mapping[int, CodeType], variation: Variation) -> str:
    noted: list[str] = []
    printed = Muted(keep=True)
    try:
        with (
            runner.preserve_state(), contextlib.redirect_stdout(printed), contextlib.redirect_stderr(Muted()),
            runner.count(STEPS, find_net(runner)),
        ):  # fmt: skip
            runner.ns[NOTE] = lambda value: noted.append(_show_value(value))
            for n in _list_needed(runner.program, variation.unit):
                exec(codes.get(n, runner.codes[n]), runner.ns)
            if test := _read_test_name(runner.program.units[variation.unit]):
                runner.ns[test]()
            return " ".join(noted) or "".join(printed.parts)[:LONGEST] + _show_value(runner.ns.get(VALUE))
    except (OutOfTime, Enough):
        return TIMEOUT
    except (Exception, SystemExit) as error:
        return "!" + type(error).__name__


def _list_needed(program: Program, varied: int) -> Iterator[int]:
    """The statements that a variation runs: all but other tests and what calls tests."""
    tests = [name for u in program.units if (name := _read_test_name(u))]
    for n, unit in enumerate(program.units):
        is_other = unit.tests or any(f"{name}(" in unit.text for name in tests)
        if n == varied or not is_other:
            yield n
        if n == varied and unit.tests:
            return


def _read_test_name(unit: Unit) -> str:
    """The name of a test function that needs no arguments; empty for any other statement."""
    node = ast.parse(unit.text).body[0] if unit.tests else None
    return node.name if isinstance(node, ast.FunctionDef) and not node.args.args else ""


def _show_value(value: Any) -> str:
    """A value as text that says the same in another run: of an object the type and its plain attributes."""
    text = repr(value)
    if " at 0x" in text:
        plain = {k: v for k, v in getattr(value, "__dict__", {}).items() if isinstance(v, int | float | str | bool)}
        text = f"{type(value).__name__}({', '.join(f'{k}={v!r}' for k, v in plain.items())})"
    return text[:LONGEST]
