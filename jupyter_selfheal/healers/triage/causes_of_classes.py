"""What a plain mistake with a class, a decorator or a format comes of, where the message alone does not tell it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from jupyter_selfheal.healers.rules.context import RuleContext

Cause = tuple[str, str]


def _explain_format(context: RuleContext, told: re.Match[str]) -> Cause | None:
    return (
        f"The text has a place for value {int(told[1]) + 1}, and `format` is given fewer values.",
        "Give it one for each place.",
    )


def _explain_manager(context: RuleContext, told: re.Match[str]) -> Cause | None:
    tree = context.failing_tree
    if not any(isinstance(n, ast.With) and n.lineno == context.failure.line for n in ast.walk(tree)):
        return None
    return (
        "A function under `@contextmanager` gives way to the `with` block by `yield`, and this one has none.",
        "Put `yield` where the block is to run.",
    )


def _explain_frozen(context: RuleContext, told: re.Match[str]) -> Cause | None:
    return (
        f"The dataclass is frozen: `{told[1]}` cannot be set once an object is made.",
        "Make a new object by `dataclasses.replace`, or leave `frozen=True` out.",
    )


def _explain_property(context: RuleContext, told: re.Match[str]) -> Cause | None:
    return (
        f"`{told[1]}` of `{told[2]}` is a property that can only be read.",
        f"Assign to the attribute that it reads, or add a `@{told[1]}.setter`.",
    )


def _explain_unhashable(context: RuleContext, told: re.Match[str]) -> Cause | None:
    classes = [n for n in context.walk_notebook() if isinstance(n, ast.ClassDef) and n.name == told[1]]
    if not any(isinstance(m, ast.FunctionDef) and m.name == "__eq__" for c in classes for m in c.body):
        return None
    return (
        f"`{told[1]}` has an `__eq__` and no `__hash__`, and can be no key and no member of a set.",
        "Add a `__hash__` that gives equal objects the same number.",
    )


def _explain_abstract(context: RuleContext, told: re.Match[str]) -> Cause | None:
    names = re.sub(r"[' ]", "", told[2]).split(",")
    return (
        f"`{told[1]}` lacks {' and '.join(f'`{n}`' for n in names)}, which its base class asks for.",
        f"Define what is missing in `{told[1]}`.",
    )


CAUSES_OF_CLASSES: tuple[tuple[str, Callable[[RuleContext, re.Match[str]], Cause | None]], ...] = (
    (r"^IndexError: Replacement index (\d+) out of range", _explain_format),
    (r"^TypeError: 'NoneType' object is not an iterator", _explain_manager),
    (r"^FrozenInstanceError: cannot assign to field '(\w+)'", _explain_frozen),
    (r"^AttributeError: property '(\w+)' of '(\w+)' object has no setter", _explain_property),
    (r"^TypeError: unhashable type: '(\w+)'", _explain_unhashable),
    (r"^TypeError: Can't instantiate abstract class (\w+) with(?:out an implementation for)? abstract methods? (.+)$", _explain_abstract),
)  # fmt: skip
