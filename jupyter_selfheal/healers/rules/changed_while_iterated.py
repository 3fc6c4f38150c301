"""TYP105: a dictionary or set that changes while it is iterated."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RAISED_OR_MISSED, Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import find_function, list_arguments
from jupyter_selfheal.model import Applicability, FailureKind, Patch


class ChangedWhileIterated(Rule):
    """Iterate over a copy of what the loop changes.

    **Failure** `RuntimeError: dictionary changed size during iteration` (or `keys changed`, `Set changed size`,
    `deque mutated`). An assert or an expectation that is missed, where a loop removes items from the list that it goes through.

    **Fix** `for k in d:` becomes `for k in list(d):`; likewise `list(d.items())`.

    **Fix safety** Safe where the notebook's own variable is changed: the loop sees the items that were there when it began,
    which is what it was written for. Unsafe in a function that changes what it was given: a new collection may be meant, and the
    caller keeps the old one. Unsafe where a set or a queue grows: the loop may be meant to reach what it adds.
    """

    code = "TYP105"
    name = "changed while iterated"
    enames = frozenset({"RuntimeError", "AssertionError"})
    kinds = RAISED_OR_MISSED
    applicability = Applicability.SAFE
    why = "The loop visits the items that were there when it began, and may change the rest as it says."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        message = context.failure.evalue
        if context.failure.kind is FailureKind.MISSED or context.failure.ename == "AssertionError":
            yield from self._copy_shrunk(context)
            return
        if "during iteration" not in message:
            return
        cell_id, source, line = context.location
        loops = [n for n in src.walk(source) if isinstance(n, ast.For) and n.lineno <= line <= (n.end_lineno or 0)]
        # the failing line is the loop's head; else the innermost loop around it
        loops.sort(key=lambda n: (n.lineno != line, -n.lineno))
        for loop in loops[:1]:
            start, end = src.find_span(source, loop.iter)
            text = source[start:end]
            doubt = _explain_doubt(source, loop)
            yield self.patch(
                context.replace(cell_id, [(start, end, f"list({text})")]),
                f"Iterate over `list({text})`",
                f"The loop changes `{src.find_root_name(loop.iter) or text}` while it goes through it.",
                applicability=Applicability.UNSAFE if doubt else Applicability.SAFE,
                why=doubt or self.why,
                prior=0.9,
            )

    def _copy_shrunk(self, context: RuleContext) -> Iterator[Patch]:
        """A list that its loop removes items from: the loop passes over the item behind each."""
        for cell_id in context.list_needed_upwards():
            source = context.source_of(cell_id)
            for loop in (n for n in src.walk(source) if isinstance(n, ast.For)):
                text = src.extract_text(source, loop.iter)
                if isinstance(loop.iter, ast.Name | ast.Attribute) and _takes_items_out(source, loop, text):
                    doubt = _explain_doubt(source, loop)
                    yield self.patch(
                        context.replace(cell_id, [(*src.find_span(source, loop.iter), f"list({text})")]),
                        f"Iterate over `list({text})`",
                        f"The loop removes items of `{text}` while it goes through it, and passes over the next one.",
                        applicability=Applicability.UNSAFE if doubt else Applicability.SAFE,
                        why=doubt or self.why,
                        prior=0.9,
                    )


def _takes_items_out(source: str, loop: ast.For, text: str) -> bool:
    """True where the loop's body takes items out of what it goes through, and goes on."""
    if any(isinstance(n, ast.Break | ast.Return) for s in loop.body for n in ast.walk(s)):
        return False
    return any(
        isinstance(n, ast.Call)
        and isinstance(n.func, ast.Attribute)
        and n.func.attr in ("remove", "pop")
        and src.extract_text(source, n.func.value) == text
        for s in loop.body
        for n in ast.walk(s)
    )


GROWS = frozenset({"add", "append", "appendleft", "extend", "update"})


def _explain_doubt(source: str, loop: ast.For) -> str:
    """Why another change may be meant; empty where none can."""
    name = src.find_root_name(loop.iter)
    function = find_function(source, loop.lineno)
    given = {a.arg for a in list_arguments(function)} if function is not None else set()
    if name in given - {"self", "cls"}:
        return f"The function changes the `{name}` that it was given: a new collection may be meant."
    calls = [n.func for s in loop.body for n in ast.walk(s) if isinstance(n, ast.Call)]
    if any(isinstance(f, ast.Attribute) and f.attr in GROWS and src.find_root_name(f.value) == name for f in calls):
        return f"The loop adds to `{name}`, and may be meant to reach what it adds."
    return ""
