"""TYP214: a list, dict or set as the default of a dataclass's field."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"^mutable default <class '.*'> for field (\w+) is not allowed: use default_factory")


class MutableField(Rule):
    """Give a field of a dataclass a factory for its default.

    **Failure** `ValueError: mutable default <class 'list'> for field tags is not allowed: use default_factory`.

    **Fix** `tags: list = []` becomes `tags: list = field(default_factory=list)`; a default that holds something becomes
    `field(default_factory=lambda: [1, 2])`; every such field of the class at once.

    **Fix safety** Safe: each object begins with a default of its own, as the message asks for.
    """

    code = "TYP214"
    name = "mutable default of a field"
    enames = frozenset({"ValueError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "The message names the remedy, and each object gets a default of its own."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        told = MESSAGE.search(context.failure.evalue)
        for node in context.walk(ast.ClassDef):
            fields = [n for n in node.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)]
            if told is None or all(getattr(n.target, "id", "") != told[1] for n in fields):
                continue
            known = context.reference("dataclasses.field")
            if known is None:
                return
            changes: list[Splice] = []
            for field in fields:
                if field.value is not None and (made := _name_factory(context, field.value)):
                    changes.append((*context.span(field.value), f"{known.text}(default_factory={made})"))
            if not changes:
                continue
            yield self.patch(
                context.replace_here(*changes, *context.add_imports([known.import_line] if known.import_line else [])),
                f"Make the default of `{told[1]}` by `default_factory`",
                "All objects of a dataclass would share one default that can change.",
                prior=0.95,
            )
            return


def _name_factory(context: RuleContext, value: ast.expr) -> str:
    """What makes the default; empty where it cannot change, or is made by something else."""
    text = context.text(value)
    if isinstance(value, ast.Call) and not value.args and not value.keywords and text in ("list()", "dict()", "set()"):
        return text[:-2]
    if text in ("[]", "{}"):
        return "list" if text == "[]" else "dict"
    mutable = (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp)
    return f"lambda: {text}" if isinstance(value, mutable) else ""
