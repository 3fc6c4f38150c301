"""NPA114: arrays to be stacked, or numbers to be added, that come from a generator, a map or the values of a dictionary."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.replay import mend_above
from jupyter_selfheal.model import Applicability, Patch

STACKS = ("vstack", "hstack", "dstack", "stack", "column_stack", "row_stack", "concatenate", "block")
OF_ITEMS = (
    *STACKS,
    "array",
    "asarray",
    "mean",
    "median",
    "std",
    "var",
    "min",
    "max",
    "amin",
    "amax",
    "average",
    "percentile",
    "cumsum",
    "prod",
)
"""Functions that make one object of an iterator, where they were given Python 2's list."""
HELD = re.compile(
    r"unsized object|0-d array|array of dimension 0|array is 0-dimensional|tuple index out of range|'(?:map|zip|filter)'"
)
"""What is said of that object later on."""
ITERATORS = ("builtins.map", "builtins.filter", "builtins.zip", "builtins.dict_values", "builtins.dict_keys")


class StackedIterator(Rule):
    """Give NumPy a list of the arrays that it is to stack.

    **Failure** `TypeError: arrays to stack must be passed as a "sequence" type such as list or tuple.`, or `The first input argument needs to be
    a sequence`, from `np.vstack(f(x) for x in xs)`, `np.concatenate(d.values())` or `np.hstack(map(f, xs))`.

    **Fix** `np.vstack([f(x) for x in xs])`, `np.concatenate(list(d.values()))`. `np.sum(f(x) for x in xs)`, which raises `Calling np.sum(generator) is
    deprecated` since NumPy 2.4, becomes `sum(f(x) for x in xs)`.

    Python 2's `np.array(map(float, words))` and `np.mean(zip(a, b), axis=0)` get `list(…)` where they are made: NumPy makes one object of the iterator, and what reads it
    fails (`len() of unsized object`, `unsupported operand type(s) for +: 'map' and 'int'`).

    **Fix safety** Safe: NumPy made the list itself until 1.16, gave a generator to Python's `sum` itself, and in Python 2 `map` and `values` were lists. Silent for a set, which has no order, and for a name that holds an iterator, which
    may be used up by now.
    """

    code = "NPA114"
    name = "arrays to stack that are no list"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError", "ValueError", "IndexError", "AxisError"})
    message = re.compile(
        rf"must be passed as a \"sequence\" type|needs to be a sequence|Calling np\.sum\(generator\)|{HELD.pattern}"
    )
    applicability = Applicability.SAFE
    why = "NumPy made the list itself until 1.16 (https://numpy.org/doc/stable/release/1.16.0-notes.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if HELD.search(context.failure.evalue):
            yield from self._list_where_made(context)
            return
        for call in context.list_calls_at_failure():
            if "np.sum" in context.failure.evalue:
                if read_last_name(call.func) == "sum" and len(call.args) == 1 and not call.keywords:
                    yield from self._use_builtin_sum(context, call)
                    return
                continue
            if read_last_name(call.func) not in STACKS or not call.args:
                continue
            given = call.args[0]
            start, end = context.span(given)
            if isinstance(given, ast.GeneratorExp):
                inner = f"[{context.text(given)[1:-1].strip()}]"
                text = f"({inner})" if end == context.span(call)[1] else inner  # its parentheses are those of the call
            elif isinstance(given, ast.Call) and context.describe_all([given], calls=True)[0].is_a(*ITERATORS):
                text = f"list({context.text(given)})"
            else:
                continue
            yield self.patch(
                context.replace_here((start, end, text)),
                f"Make a list of what `{read_last_name(call.func)}` is given",
                f"`{context.text(call.func)}` takes a list or tuple of arrays.",
                prior=0.93,
            )
            return

    def _list_where_made(self, context: RuleContext) -> Iterator[Patch]:
        def find(source: str, statement: ast.stmt) -> Iterator[tuple[Splice, str]]:
            for call in (n for n in ast.walk(statement) if isinstance(n, ast.Call) and n.args):
                match call.args[0]:
                    case ast.Call(func=ast.Name(id="map" | "zip" | "filter")) as made if read_last_name(
                        call.func
                    ) in OF_ITEMS and isinstance(call.func, ast.Attribute):
                        start, end = src.find_span(source, made)
                        if context.describe_all([src.extract_text(source, call.func)])[0].path.startswith("numpy."):
                            yield (start, end, f"list({source[start:end]})"), source[start:end]

        edits, shown = mend_above(context, find)
        if edits:
            yield self.patch(
                edits,
                f"Make a list of `{shown}`",
                "NumPy makes one object of an iterator, where Python 2 had a list.",
                why="In Python 2 `map`, `zip` and `filter` gave the list.",
                prior=0.93,
            )

    def _use_builtin_sum(self, context: RuleContext, call: ast.Call) -> Iterator[Patch]:
        if context.describe_all(["sum"])[0].path != "builtins.sum":
            return
        yield self.patch(
            context.replace_here((*context.span(call.func), "sum")),
            f"Use Python's `sum` in place of `{context.text(call.func)}`",
            f"`{context.text(call.func)}` no longer adds up what a generator gives.",
            why="NumPy handed a generator to Python's `sum` itself, as its message says.",
            prior=0.93,
        )
