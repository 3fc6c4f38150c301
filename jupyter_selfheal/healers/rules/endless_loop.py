"""LOP101: a loop whose condition nothing in it changes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.endless_loops import (
    describe_end,
    is_memory_filled_by_loop,
    list_endless_loops,
)
from jupyter_selfheal.healers.rules.context.nodes import Function
from jupyter_selfheal.model import Applicability, FailureKind, Patch

STEPS = {ast.Lt: "+= 1", ast.LtE: "+= 1", ast.Gt: "-= 1", ast.GtE: "-= 1"}
"""What brings a counter nearer to its bound, by how it is compared with it."""


class EndlessLoop(Rule):
    """Let the counter of a loop go on.

    **Failure** The cell does not end within its time, and a `while` of it (or of a function that it calls) compares a number that
    nothing in the loop changes: `while n > 0: print(n)`. Or memory runs out in such a loop, where it adds to something: `while n > 0: xs.append(n)`.

    **Fix** The loop ends with `n -= 1`, or `n += 1` where the number must grow.

    **Fix safety** Unsafe: that the loop cannot end is certain, the step of one is a guess. Silent where the cell was stopped outside of the loop,
    where that can be left otherwise, where its condition calls anything but `len`, where what is measured by that may change, and where it cannot
    be told which of two numbers is the counter.
    """

    code = "LOP101"
    name = "loop without progress"
    kinds = frozenset({FailureKind.TIMED_OUT, FailureKind.RAISED})
    applicability = Applicability.UNSAFE
    why = "Nothing in the loop changes its condition, so it cannot end; that it goes on by one is likely, not certain."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if context.failure.kind is FailureKind.RAISED and not is_memory_filled_by_loop(context):
            return
        for cell_id, scope, loop in list_endless_loops(context):
            source, step = context.source_of(cell_id), _find_step(loop, scope)
            if step is not None:
                yield self.patch(
                    context.replace(cell_id, [_append_line(source, loop, step)]),
                    f"Add `{step}` to the loop",
                    f"Nothing in the loop changes `{src.extract_text(source, loop.test)}`, so it {describe_end(context)}.",
                    prior=0.6,
                )


def _find_step(loop: ast.While, scope: ast.AST) -> str | None:
    """The statement that lets a loop end which cannot end as it is."""
    test = loop.test
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or type(test.ops[0]) not in STEPS:
        return None
    sides = (test.left, test.comparators[0])
    names = [s.id if isinstance(s, ast.Name) else "" for s in sides]
    counters = [n for n in names if n and _is_counter(n, loop, scope)] if all(names) else [n for n in names if n]
    if len(counters) != 1:
        return None
    towards = STEPS[type(test.ops[0])]
    if counters[0] == names[1]:
        towards = "-= 1" if towards == "+= 1" else "+= 1"
    return f"{counters[0]} {towards}"


def _is_counter(name: str, loop: ast.While, scope: ast.AST) -> bool:
    """True where a name is set to a number before the loop, in the same function or cell."""
    return any(
        isinstance(n, ast.Assign)
        and n.lineno < loop.lineno
        and isinstance(n.value, ast.Constant)
        and any(isinstance(t, ast.Name) and t.id == name for t in n.targets)
        for n in ast.walk(_find_own_scope(loop, scope))
    )


def _find_own_scope(loop: ast.While, scope: ast.AST) -> ast.AST:
    inner = [n for n in ast.walk(scope) if isinstance(n, Function) and any(m is loop for m in ast.walk(n))]
    return inner[-1] if inner else scope


def _append_line(source: str, loop: ast.While, text: str) -> tuple[int, int, str]:
    last = loop.body[-1]
    end = src.find_span(source, last)[1]
    if last.lineno == loop.lineno:
        return end, end, f"; {text}"
    return end, end, "\n" + source.splitlines()[last.lineno - 1][: last.col_offset] + text
