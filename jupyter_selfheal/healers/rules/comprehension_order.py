"""NAM107: the loops of a comprehension in the wrong order."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.inside.tree_names import list_names
from jupyter_selfheal.model import Applicability, Patch

_LOOPS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class ComprehensionOrder(Rule):
    """Put the outer loop of a comprehension first, or write the one that is missing.

    **Failure** `NameError: name 'row' is not defined`, where `[x for x in row for row in table]` binds `row` in a loop that comes after its use; `[x * 2 for row in table]`, where nothing is called `x`; `[row[i] for row in enumerate(table)]`.

    **Fix** The loops are put in the order in which each reads only what the ones before it bind: `[x for row in table for x in row]`, as nested
    `for` statements would stand; `for row in table for x in row`; `for i, row in enumerate(table)`.

    **Fix safety** Safe: one order alone binds every name before it is read. A loop keeps its own conditions. A missing loop is safe too, where each row is a list, and nothing else of it is read; a missing
    number where the loop goes through `enumerate`.
    """

    code = "NAM107"
    name = "loops of a comprehension in the wrong order"
    enames = frozenset({"NameError", "UnboundLocalError"})
    applicability = Applicability.SAFE
    why = "It is the only order in which each loop reads what the ones before it bind."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        missing = context.missing_name or ""
        for node in context.list_nodes_at_failure(*_LOOPS):
            loops: Sequence[ast.comprehension] = getattr(node, "generators", ())
            if len(loops) == 1 and not context.is_bound_anywhere(missing):
                yield from self._bind_missing(context, node, loops[0], missing)
            if not 1 < len(loops) <= 4 or not any(missing in _list_bound(loop) for loop in loops):
                continue
            orders = [o for o in itertools.permutations(loops) if _is_bound_before_use(o)]
            if len(orders) != 1 or orders[0] == tuple(loops):
                continue
            spans = [_find_span(context, loop) for loop in loops]
            texts = [context.source[slice(*_find_span(context, loop))] for loop in orders[0]]
            yield self.patch(
                context.replace_here(*((*span, text) for span, text in zip(spans, texts, strict=True))),
                f"Put the loop over `{context.text(orders[0][0].iter)}` first",
                f"The loop that binds `{missing}` comes after the one that reads it.",
                prior=0.95,
            )

    def _bind_missing(
        self, context: RuleContext, node: ast.expr, loop: ast.comprehension, missing: str
    ) -> Iterator[Patch]:
        """``[x for row in table]``, ``[row[i] for row in enumerate(table)]``: the loop, or the number, that binds the name."""
        row = loop.target.id if isinstance(loop.target, ast.Name) else ""
        reads = [n for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == row and isinstance(n.ctx, ast.Load)]
        if not row or loop.is_async or loop.ifs:
            return
        chain, end = context.read_plain_chain(loop.iter), context.span(loop.iter)[1]
        if isinstance(loop.iter, ast.Call) and read_last_name(loop.iter.func) == "enumerate" and reads:
            change, title = (*context.span(loop.target), f"{missing}, {row}"), f"Let `{missing}` take the number"
        elif chain and not reads and context.is_true(f"all(isinstance(_, (list, tuple)) for _ in {chain})"):
            change, title = (end, end, f" for {missing} in {row}"), f"Go through each `{row}`"
        else:
            return
        yield self.patch(
            context.replace_here(change),
            title,
            f"Nothing binds `{missing}`.",
            why="Nothing else here can give it.",
            prior=0.9,
        )


def _find_span(context: RuleContext, loop: ast.comprehension) -> tuple[int, int]:
    """From the target to the end of the loop's own conditions: what stands after ``for``."""
    start, _ = context.span(loop.target)
    _, end = context.span(loop.ifs[-1] if loop.ifs else loop.iter)
    return start, end


def _list_bound(loop: ast.comprehension) -> set[str]:
    return list_names(loop.target)


def _is_bound_before_use(order: Sequence[ast.comprehension]) -> bool:
    """Whether no loop reads a name that it, or one after it, binds."""
    return not any(
        list_names(loop.iter) & set().union(*map(_list_bound, order[n:]))
        or set().union(*map(list_names, loop.ifs)) & set().union(*map(_list_bound, order[n + 1 :]))
        for n, loop in enumerate(order)
    )
