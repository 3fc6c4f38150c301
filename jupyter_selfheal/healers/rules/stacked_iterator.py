"""NPA114: arrays to be stacked, or numbers to be added, that come from a generator, a map or the values of a dictionary."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

STACKS = ("vstack", "hstack", "dstack", "stack", "column_stack", "row_stack", "concatenate", "block")
ITERATORS = ("builtins.map", "builtins.filter", "builtins.zip", "builtins.dict_values", "builtins.dict_keys")


class StackedIterator(Rule):
    """Give NumPy a list of the arrays that it is to stack.

    **Failure** `TypeError: arrays to stack must be passed as a "sequence" type such as list or tuple.`, or `The first input argument needs to be
    a sequence`, from `np.vstack(f(x) for x in xs)`, `np.concatenate(d.values())` or `np.hstack(map(f, xs))`.

    **Fix** `np.vstack([f(x) for x in xs])`, `np.concatenate(list(d.values()))`. `np.sum(f(x) for x in xs)`, which raises `Calling np.sum(generator) is
    deprecated` since NumPy 2.4, becomes `sum(f(x) for x in xs)`.

    **Fix safety** Safe: NumPy made the list itself until 1.16, gave a generator to Python's `sum` itself, and in Python 2 `map` and `values` were lists. Silent for a set, which has no order, and for a name that holds an iterator, which
    may be used up by now.
    """

    code = "NPA114"
    name = "arrays to stack that are no list"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError", "ValueError"})
    message = re.compile(r"must be passed as a \"sequence\" type|needs to be a sequence|Calling np\.sum\(generator\)")
    applicability = Applicability.SAFE
    why = "NumPy made the list itself until 1.16 (https://numpy.org/doc/stable/release/1.16.0-notes.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
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
