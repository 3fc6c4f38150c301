"""CAL102: a number where something to go through is needed, or the other way round."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.spelling import find_nearest, is_plural
from jupyter_selfheal.healers.rules.context.value_types import read_number_in
from jupyter_selfheal.inside.tree_names import is_read_name
from jupyter_selfheal.model import Applicability, Patch

SEQUENCES = frozenset({"list", "tuple", "dict", "set", "ndarray", "Series", "DataFrame", "Index", "range"})


INDICES = frozenset(
    {
        "i",
        "j",
        "k",
        "_",
        "n",
        "idx",
        "index",
        "step",
        "epoch",
        "trial",
        "iteration",
        "it",
        "row",
        "col",
        "t",
        "year",
        "day",
    }
)
COUNT = re.compile(r"^[nmkNMK]$|^(n|num|number_of|no_of)(_\w+)?$|(count|size|length|epochs|iterations|iters|steps|trials|rounds|times|rows|"
                   r"cols|columns|samples|days|years|points|items|limit|end|stop|max)$", re.IGNORECASE)  # fmt: skip
"""Names of a number of things, and of the variable that counts up to it."""


class IteratedNumber(Rule):
    """Count with `range`, and give `range` a length.

    **Failure** `TypeError: 'int' object is not iterable` at `for i in n`, `for i in len(x)`, `sum(a, b)`; and `'list' object cannot be
    interpreted as an integer` at `range(x)`.

    **Fix** `for i in range(n)`; `range(len(x))`; `sum([a, b])`.

    **Fix safety** Safe where the loop's variable is only an index, or not read at all. Unsafe where its
    value counts: `for i in n` may mean `range(n)` or `range(1, n + 1)`, `for x in range(items)` and `for x in len(items)` the items
    themselves, and both are offered. Unsafe too where the variable may stand for another one: its name is a plural or near to that of a
    sequence, or it was bound more than once.
    """

    code = "CAL102"
    name = "number for a sequence"
    enames = frozenset({"TypeError"})
    applicability = Applicability.SAFE
    why = "A loop over a number counts up to it; a range over a list counts its items."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        message = context.failure.evalue
        if re.search(r"'(numpy\.)?(int|float|int64)\d*' object is not iterable", message):
            yield from self._mend_loop(context)
            yield from self._mend_sum(context)
        elif re.search(
            r"'(list|str|tuple|dict|set|Series|DataFrame|Index)' object cannot be interpreted as an integer", message
        ):
            for call in context.list_failing_nodes(ast.Call):
                if (loop := _find_exchanged_loop(context, call)) is not None:
                    yield from self._offer_loop(
                        context, loop, call.args[0], f"range(len({context.text(call.args[0])}))"
                    )
                    return
                if context.text(call.func) == "range" and call.args:
                    last = call.args[-1] if len(call.args) < 3 else call.args[1]
                    yield from self._count_items(context, call, last)
                    return

    def _count_items(self, context: RuleContext, call: ast.Call, items: ast.expr) -> Iterator[Patch]:
        text = context.text(items)
        if read_number_in(context, items):
            return  # the number itself is meant: TYP207
        loop = next((n for n in _list_loops(context) if n.iter is call), None)
        patch = self._build_patch(context, items, f"len({text})", f"Count to `len({text})`")
        if loop is None or not _reads_value(context, loop):
            yield patch
            return
        yield replace(patch, applicability=Applicability.UNSAFE, why=ITEMS_MEANT, prior=0.6)
        if len(call.args) == 1:
            direct = self._build_patch(context, call, text, f"Go through `{text}` itself")
            yield replace(direct, applicability=Applicability.UNSAFE, why=ITEMS_MEANT, prior=0.6)

    def _build_patch(self, context: RuleContext, node: ast.AST, text: str, title: str) -> Patch:
        return self.patch(
            context.replace(context.cell_id, [(*context.span(node), text)]),
            title,
            "You can't loop over a number, or count up to a list.",
            prior=0.9,
        )

    def _mend_loop(self, context: RuleContext) -> Iterator[Patch]:
        for node in _list_loops(context):
            is_here = node.iter.lineno <= context.line <= (node.iter.end_lineno or 0)
            if is_here and not isinstance(node.target, ast.Tuple) and _is_number(context, node.iter):
                text = context.text(node.iter)
                if isinstance(node.iter, ast.Call) and context.text(node.iter.func) == "len" and node.iter.args:
                    yield from self._offer_loop(context, node, node.iter.args[0], f"range({text})")
                    return
                patch = self._build_patch(context, node.iter, f"range({text})", f"Count with `range({text})`")
                doubt = (
                    "" if not isinstance(node.target, ast.Name) else _explain_doubt(context, node.iter, node.target.id)
                )
                from_one = _reads_value(context, node)
                doubt = doubt or (COUNTED_FROM_ONE if from_one else "")
                yield replace(patch, applicability=Applicability.UNSAFE, why=doubt) if doubt else patch
                if from_one:
                    other = self._build_patch(context, node.iter, f"range(1, {text} + 1)", f"Count from 1 to `{text}`")
                    yield replace(other, applicability=Applicability.UNSAFE, why=COUNTED_FROM_ONE, prior=0.6)
                return

    def _offer_loop(
        self, context: RuleContext, loop: ast.For | ast.comprehension, items: ast.expr, numbers: str
    ) -> Iterator[Patch]:
        """The loop over the numbers of ``items``, and over the items themselves where nothing is taken by its variable."""
        patch = self._build_patch(context, loop.iter, numbers, f"Count with `{numbers}`")
        if not _reads_value(context, loop) or _is_index(context, loop):
            yield patch
            return
        yield replace(patch, applicability=Applicability.UNSAFE, why=ITEMS_MEANT, prior=0.6)
        text = context.text(items)
        direct = self._build_patch(context, loop.iter, text, f"Go through `{text}` itself")
        yield replace(direct, applicability=Applicability.UNSAFE, why=ITEMS_MEANT, prior=0.6)

    def _mend_sum(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_failing_nodes(ast.Call):
            if context.text(call.func) == "sum" and len(call.args) > 1 and not call.keywords:
                start, end = context.span(call.args[0])[0], context.span(call.args[-1])[1]
                yield self.patch(
                    context.replace(context.cell_id, [(start, end, f"[{context.source[start:end]}]")]),
                    "Put the numbers in a list",
                    "`sum` takes a list of numbers.",
                    prior=0.85,
                )
                return


COUNTED_FROM_ONE = "The loop may be meant to count from 0 or from 1, and reads the number."
ITEMS_MEANT = "The items themselves may be meant, not their numbers."


MAKERS = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


def _list_loops(context: RuleContext) -> list[ast.For | ast.comprehension]:
    return [*context.walk(ast.For), *context.walk(ast.comprehension)]


def _find_exchanged_loop(context: RuleContext, call: ast.Call) -> ast.For | ast.comprehension | None:
    """The loop over ``len(range(items))`` around the failing ``range(items)``: its two calls are exchanged."""
    if context.text(call.func) != "range" or len(call.args) != 1:
        return None
    return next(
        (
            n
            for n in _list_loops(context)
            if isinstance(n.iter, ast.Call) and context.text(n.iter.func) == "len" and n.iter.args == [call]
        ),
        None,
    )


def _reads_value(context: RuleContext, loop: ast.For | ast.comprehension) -> bool:
    """True where the loop's variable is read for more than to take an item by it."""
    if not isinstance(loop.target, ast.Name):
        return True
    nodes = _list_nodes(context, loop)
    indices = {id(n.slice) for n in nodes if isinstance(n, ast.Subscript)}
    return any(is_read_name(n, loop.target.id) and id(n) not in indices for n in nodes)


def _is_index(context: RuleContext, loop: ast.For | ast.comprehension) -> bool:
    """True where something is taken by the loop's variable, or by what is computed of it."""
    name = loop.target.id if isinstance(loop.target, ast.Name) else ""
    slices = (n.slice for n in _list_nodes(context, loop) if isinstance(n, ast.Subscript))
    return any(is_read_name(n, name) for part in slices for n in ast.walk(part))


def _list_nodes(context: RuleContext, loop: ast.For | ast.comprehension) -> list[ast.AST]:
    """What is run in each round of a loop."""
    if isinstance(loop, ast.For):
        holders: list[ast.AST] = list(loop.body)
    else:
        makers = context.walk(ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
        holders = [n for n in makers if isinstance(n, MAKERS) and loop in n.generators]
    return [n for holder in holders for n in ast.walk(holder)]


def _explain_doubt(context: RuleContext, iterated: ast.expr, target: str) -> str:
    """Why the number may not be what the loop is meant to go through; empty where nothing speaks for that."""
    if not isinstance(iterated, ast.Name):
        return ""
    name = iterated.id
    if target not in INDICES and not COUNT.search(name):
        return f"`{target}` may be meant as a digit or an item of `{name}`."
    near = [n for n, (kind, _) in context.state.names.items() if kind in SEQUENCES and n in find_nearest(name, (n,))]
    if near or is_plural(name, target):
        return f"`{near[0] if near else name}` may be meant as the sequence to go through."
    cells = (c.source for c in context.notebook.list_code_before(context.failure.cell_id))
    bound = [
        s
        for c in (*cells, context.failure.source)
        for s in src.list_statements(c)
        if name in src.collect_names([s.node]).binds
    ]
    return f"`{name}` was bound more than once, and may have been a sequence." if len(bound) > 1 else ""


def _is_number(context: RuleContext, node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int)
    if isinstance(node, ast.Call):
        return context.text(node.func) in ("len", "int", "round", "max", "min", "abs") or context.text(
            node.func
        ).endswith(".count")
    if isinstance(node, ast.BinOp):
        return True
    name = context.read_plain_chain(node)
    thing = context.describe(name) if name else None
    return thing is not None and thing.type in ("int", "int64", "int32")
