"""STA105: an iterator that an earlier loop used up."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage, questions
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.rule_context import Assignment
from jupyter_selfheal.healers.rules.context.used_functions import walk_own
from jupyter_selfheal.healers.rules.view_as_list import FINITE
from jupyter_selfheal.inside.tree_names import is_name, list_read_names
from jupyter_selfheal.model import Applicability, Patch

ONE_PASS = frozenset({"map", "filter", "zip", "enumerate", "reversed", "iter"})
TAKING = frozenset({"next", "islice", "takewhile", "any", "all"})
"""What reads an iterator no further than it needs to."""


class ExhaustedIterator(Rule):
    """Keep the items of a generator that is read twice.

    **Failure** `ValueError: max() arg is an empty sequence`, `StopIteration`, `ZeroDivisionError`, an assert and the like, where a
    name that the failing statement reads, or that what it reads was made of, is bound to a generator, `map`, `filter` or `zip` that has nothing left.

    Also `RuntimeError: generator raised StopIteration`.

    **Fix** `return` for `raise StopIteration` in a generator. The assignment that made it keeps a list: `squares = list(x * x for x in items)`; of what a function of the notebook gives, `list(read_marks(lines))`.

    **Fix safety** Safe: a list gives the same items, and again. Silent where the notebook takes the first items off it and goes on from there (`next(lines)`, `islice`, `3 in lines`, a loop that is left by `break` or `return`): a list would begin anew. Silent too where what a generator reads is set anew before it is read: a list would hold what comes of the old value. (An endless iterator would have no end to reach.)
    """

    code = "STA105"
    name = "exhausted iterator"
    stage = Stage.STATE
    enames = frozenset(
        {
            "ValueError",
            "StopIteration",
            "ZeroDivisionError",
            "IndexError",
            "StatisticsError",
            "TypeError",
            "AssertionError",
            "RuntimeError",
        }
    )
    applicability = Applicability.SAFE
    why = "A list gives the same items, as often as they are read."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        node = context.failing_statement
        if context.failure.ename == "RuntimeError":
            yield from self._end_generator(context)
            return
        if node is None:
            return
        names = sorted(list_read_names(node))
        stepped = {
            a.id
            for n in ast.walk(node)
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "next"
            for a in n.args
            if isinstance(a, ast.Name)
        }  # a list has no next()
        names = [n for n in names if n not in stepped]
        names += [n for n in _list_read_twice(context, frozenset(names)) if n not in stepped]
        for name in context.ask(questions.LIST_EXHAUSTED, names=names):
            made = context.find_last_assignment(name)
            is_one_pass = made is not None and (_is_one_pass(made.node.value) or _is_own_call(context, made.node.value))
            if made is None or not is_one_pass or _is_read_on(context, name) or _reads_later_values(context, made):
                continue
            cell_id, source, assignment = made
            start, end = src.find_span(source, assignment.value)
            text = source[start:end]
            inner = text[1:-1] if isinstance(assignment.value, ast.GeneratorExp) and text.startswith("(") else text
            yield self.patch(
                context.replace(cell_id, [(start, end, f"list({inner})")]),
                f"Make `{name}` a list",
                f"`{name}` can only be read once, and it already was.",
                prior=0.85,
            )

    def _end_generator(self, context: RuleContext) -> Iterator[Patch]:
        """``raise StopIteration``, by which a generator ended until Python 3.7."""
        if context.failure.evalue != "generator raised StopIteration":
            return
        for view in context.look_upwards():
            generators = [
                f
                for f in view.walk(ast.FunctionDef)
                if any(isinstance(n, ast.Yield | ast.YieldFrom) for n in walk_own(f))
            ]
            raised = [
                n
                for f in generators
                for n in walk_own(f)
                if isinstance(n, ast.Raise) and n.exc is not None and _is_stop(n.exc)
            ]
            if raised:
                given = [n.exc.args[0] if isinstance(n.exc, ast.Call) and n.exc.args else None for n in raised]
                texts = [f"return {view.text(g)}" if g is not None else "return" for g in given]
                yield self.patch(
                    view.replace_here(*((*view.span(n), text) for n, text in zip(raised, texts, strict=True))),
                    "End the generator with `return`",
                    "A generator ends with `return`: since Python 3.7 a `StopIteration` that is raised in it is an error.",
                    applicability=Applicability.SAFE if given == [None] * len(given) else Applicability.UNSAFE,
                    why="`return` is what raising it did (https://peps.python.org/pep-0479/)."
                    if given == [None] * len(given)
                    else "What is said with it may be an error that somebody is to see.",
                    prior=0.97,
                )
                return


def _list_read_twice(context: RuleContext, names: frozenset[str]) -> list[str]:
    """What the names that the failing statement reads were made of in its cell, where the cell reads it more than once."""
    statements = [s.node for s in src.list_statements(context.source)]
    read = [n.id for s in statements for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    made = frozenset[str]()
    for node in reversed(statements):
        if isinstance(node, ast.Assign | ast.AugAssign) and (names | made) & src.collect_names([node]).binds:
            made |= list_read_names(node.value)
    return sorted(n for n in made - names if read.count(n) > 1)


def _is_stop(raised: ast.expr) -> bool:
    return read_last_name(raised.func if isinstance(raised, ast.Call) else raised) == "StopIteration"


def _is_one_pass(node: ast.expr) -> bool:
    if isinstance(node, ast.GeneratorExp):
        return True
    called = read_last_name(node.func) if isinstance(node, ast.Call) else ""
    return called in FINITE or (called in ONE_PASS and isinstance(node.func, ast.Name))  # type: ignore[attr-defined]


def _is_read_on(context: RuleContext, name: str) -> bool:
    """Whether a part of the notebook takes some items off the iterator, and leaves the others to what follows."""
    for node in context.walk_notebook():
        match node:
            case ast.Call(func=function, args=[ast.Name(id=given), *_]) if given == name:
                if read_last_name(function) in TAKING:
                    return True
            case ast.Call(func=function, args=[_, *_] as given):
                in_step = read_last_name(function) == "zip" and any(
                    isinstance(a, ast.Call) and read_last_name(a.func) in ("range", "count") for a in given
                )
                if in_step and any(is_name(a, name) for a in given):
                    return True  # as many as the numbers
            case ast.Attribute(value=ast.Name(id=given), attr="__next__" | "send") if given == name:
                return True
            case ast.Compare(ops=ops, comparators=asked):
                if any(isinstance(o, ast.In | ast.NotIn) and is_name(a, name) for o, a in zip(ops, asked, strict=True)):
                    return True
            case ast.For(iter=gone_through, body=body) if any(is_name(n, name) for n in ast.walk(gone_through)):
                if any(isinstance(n, ast.Break | ast.Return) for s in body for n in ast.walk(s)):
                    return True
    return False


def _reads_later_values(context: RuleContext, made: Assignment) -> bool:
    """Whether something that a generator reads for each item is bound anew, or changed, between its assignment and the failing line."""
    value = made.node.value
    if not isinstance(value, ast.GeneratorExp | ast.Call):
        return False
    read = src.find_free_names(value)
    cells = context.list_cells_upwards()
    above = cells[: cells.index(made.cell_id) + 1] if made.cell_id in cells else ()
    for cell_id in above:
        for statement in src.list_statements(context.source_of(cell_id)):
            is_before = cell_id == made.cell_id and statement.first <= made.node.lineno
            is_behind = cell_id == context.failure.cell_id and statement.first >= (context.failure.line or 10**9)
            if is_before or is_behind:
                continue
            names = src.collect_names([statement.node])
            if read & (names.binds | names.changes):
                return True
    return False


def _is_own_call(context: RuleContext, node: ast.expr) -> bool:
    """``read_marks(lines)``, whose function of the notebook gives a generator: it came to its end, as it has been read."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    name = node.func.id
    return any(isinstance(n, ast.FunctionDef) and n.name == name for n in context.walk_notebook())
