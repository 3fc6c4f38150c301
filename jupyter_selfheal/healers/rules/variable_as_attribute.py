"""ATT126: the key that a variable holds, asked for with a dot."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.model import Applicability, Patch


class VariableAsAttribute(Rule):
    """Look the key up that the variable holds.

    **Failure** `AttributeError: 'dict' object has no attribute 'name'` at `phone.name` in `for name in phone:`, or `'DataFrame' object has no
    attribute 'column'` at `df.column` in `for column in df.columns:`.

    **Fix** `phone[name]`.

    **Fix safety** Safe where the dictionary, or the table, has what the variable holds and not its name, and the variable is that of a loop
    around the line.
    """

    code = "ATT126"
    name = "variable as attribute"
    enames = frozenset({"AttributeError"})
    message = re.compile(r"'(?:dict|OrderedDict|defaultdict|Counter|DataFrame)' object has no attribute")
    applicability = Applicability.SAFE
    why = "The loop's variable holds a key that is there, and its name is none."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for node in context.list_failing_nodes(ast.Attribute):
            owner = context.read_plain_chain(node.value)
            if (
                node.attr != context.state.attribute
                or not owner
                or context.is_called(node)
                or not isinstance(node.ctx, ast.Load)
            ):
                continue
            loops = [
                n.target for n in context.walk(ast.For)
                if n.lineno <= context.line <= (n.end_lineno or 0)
            ] + [g.target for n in context.list_nodes_on_line(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp) for g in getattr(n, "generators", [])]  # fmt: skip
            is_looped = any(isinstance(n, ast.Name) and n.id == node.attr for t in loops for n in ast.walk(t))
            if not is_looped or not context.is_true(f"{node.attr} in {owner} and {node.attr!r} not in {owner}"):
                continue
            text = f"{context.text(node.value)}[{node.attr}]"
            yield self.patch(
                context.replace_here((*context.span(node), text)),
                f"Look up `{text}`",
                f"`{owner}` has no `{node.attr}`: the variable of that name holds the key.",
                prior=0.94,
            )
            return
