"""ATT104: a module for the class of its name, or the class for the module."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice, add_import
from jupyter_selfheal.healers.rules.context.nodes import list_attributes_named
from jupyter_selfheal.model import Applicability, Patch


class ModuleOrClass(Rule):
    """Tell a module from the class or function of the same name in it.

    **Failure** `datetime.datetime.now()` after `from datetime import datetime`; `datetime.now()` after `import datetime`;
    `time.time()` after `from time import time`; `tqdm(x)`, `glob("*")` and `pprint(x)` after importing the module.

    **Fix** The doubled name is written once, the missing one is added (`datetime.datetime.now()`), and what only the
    module has is imported by name (`from datetime import timedelta`).

    **Fix safety** Safe: the live object is the module (or the class), and the other one of the same name has what is read.
    """

    code = "ATT104"
    name = "module or class of the same name"
    enames = frozenset({"AttributeError", "TypeError"})
    applicability = Applicability.SAFE
    why = "The live object is one of two with the same name, and only the other has what is read."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if context.failure.ename == "TypeError":
            yield from self._find_called_module(context)
            return
        live = context.state
        owner, wrong = live.owner, live.attribute
        node = next((n for n in context.list_failing_nodes(ast.Attribute) if n.attr == wrong), None)
        if owner is None or node is None:
            return
        text = context.read_plain_chain(node.value)
        if not text:
            return
        cause = f"`{text}` is {'the module' if owner.is_module else 'not the module'} here."
        if owner.is_module:
            inner = f"{text}.{owner.name.split('.')[-1]}"
            thing = context.describe(inner)
            if thing is not None and wrong in thing.attributes and not thing.is_module:
                changes = [(*span, inner) for span in _list_uses(context, text, thing.attributes, owner.attributes)]
                yield self.patch(context.replace(context.cell_id, changes), f"Use `{inner}.{wrong}`", cause, prior=0.92)
            return
        name = text.split(".")[-1]
        described = context.describe(text)
        if not (owner.is_class or owner.is_callable):
            return  # a value, whose own module has nothing to do with what is asked of it
        module = described.home if described is not None else ""
        if not module or not context.select_fitting([(module, "")], [wrong]):
            return
        if wrong == name:
            changes = [(*context.span(n), text) for n in _list_doubled(context, text, wrong)]
            yield self.patch(
                context.replace(context.cell_id, changes), f"Change `{text}.{wrong}` to `{text}`", cause, prior=0.92
            )
            return
        line = f"from {module} import {wrong}"
        changes = [
            add_import(context.source, line),
            *((*context.span(n), wrong) for n in _list_doubled(context, text, wrong)),
        ]
        if wrong not in live.names:
            yield self.patch(
                context.replace(context.cell_id, changes), f"Import `{wrong}` from `{module}`", cause, prior=0.92
            )

    def _find_called_module(self, context: RuleContext) -> Iterator[Patch]:
        if context.failure.evalue.split(".")[0] != "'module' object is not callable":
            return
        for call in context.list_failing_nodes(ast.Call):
            text = context.read_plain_chain(call.func)
            thing = context.describe(text) if text else None
            if text is None or thing is None or not thing.is_module:
                continue
            name = thing.name.split(".")[-1]
            for candidate in dict.fromkeys((name, text.split(".")[-1])):
                inner = context.describe(f"{text}.{candidate}") if candidate in thing.attributes else None
                if inner is not None and inner.is_callable:
                    changes: list[Splice] = [
                        (*context.span(n.func), f"{text}.{candidate}")
                        for n in context.walk(ast.Call)
                        if context.text(n.func) == text
                    ]
                    yield self.patch(
                        context.replace(context.cell_id, changes),
                        f"Call `{text}.{candidate}`",
                        f"`{text}` is a module. Did you mean `{text}.{candidate}`?",
                        prior=0.92,
                    )
                    return


def _list_doubled(context: RuleContext, text: str, attribute: str) -> list[ast.Attribute]:
    return [n for n in list_attributes_named(context.tree, attribute) if context.text(n.value) == text]


def _list_uses(
    context: RuleContext, text: str, inner: tuple[str, ...], outer: tuple[str, ...]
) -> list[tuple[int, int]]:
    """Where the cell reads of the module what only the class in it has."""
    own = set(inner) - set(outer)
    return [
        context.span(n.value) for n in context.walk(ast.Attribute) if n.attr in own and context.text(n.value) == text
    ]
