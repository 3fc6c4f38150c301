"""NAM111: a name that no cell binds, where one variable has all that is read of it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import rename_name
from jupyter_selfheal.healers.rules.context.skeletons import is_skeleton
from jupyter_selfheal.healers.rules.context.spelling import find_nearest
from jupyter_selfheal.model import Applicability, Patch

MOST = 50
"""Variables that are looked at."""
TYPE_WORDS = frozenset(
    {"df", "frame", "table", "data", "dataframe", "dataset", "array", "arr", "list", "dict", "series"}
)
"""Parts of a name that say of what type a value is, and not which value."""
MADE = re.compile(
    r"(?:train|test|val|valid|validation|dev|holdout|clean|new|old|sub|subset|sample|copy|norm|diff|top|best|final|pred|predictions?|hat|\w{3,}ed|\w{3,}less)\d*"
)
"""Parts of a name that say what was done to get the value."""


class VariableUnderAnotherName(Rule):
    """Read the one variable that has what is read of a name which nothing binds.

    **Failure** `NameError: name 'df' is not defined` at `df.groupby("region")["visits"].sum()`, where the table is called `visits_df` or `orders`.

    **Fix** `visits_df.groupby("region")["visits"].sum()`.

    **Fix safety** Unsafe: a cell that made the name may be missing. Silent where a cell binds the name, where it is called, where a name near by its spelling is known, where several variables
    have all columns, keys and attributes that the cell reads of it, where the name says what was done with the variable (`X_test`, `df_clean`), and where no part of the two names is the same, unless the name only says that it is a table (`df`, `data`) and something of a library's is read of it.
    """

    code = "NAM111"
    name = "variable under another name"
    enames = frozenset({"NameError"})
    applicability = Applicability.UNSAFE
    why = "The cell that made the name may be missing."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        name = context.missing_name
        if not name or not context.state.is_known or context.is_bound_anywhere(name) or _is_near(context, name):
            return
        cell_id, source, _ = context.location
        uses = [n for n in src.walk(source) if isinstance(n, ast.Name) and n.id == name]
        if is_skeleton(source) or any(not isinstance(n.ctx, ast.Load) for n in uses):
            return
        attributes, keys, is_called = _read_uses(source, uses)
        if is_called:
            return
        fitting = {n: v for n, v in _list_fitting(context, attributes, keys).items() if not _is_made_of(name, n)}
        akin = [n for n in fitting if _share_part(n, name)]
        is_general = {
            *re.sub(r"\d", "", name.casefold()).split("_")
        } <= TYPE_WORDS  # `monthly` is another table than `sales`
        is_sole = is_general and len(fitting) == 1 and (bool(keys) or any(fitting.values()))
        chosen = list(fitting) if is_sole else akin
        if len(chosen) != 1:
            return
        other = chosen[0]
        yield self.patch(
            context.replace(cell_id, rename_name(source, name, other)),
            f"Use `{other}`",
            f"`{name}` isn't defined anywhere; `{other}` has all that is read of it.",
            prior=0.6,
        )


def _is_near(context: RuleContext, name: str) -> bool:
    return bool(find_nearest(name, [*context.state.names, *context.state.locals]))


def _read_uses(source: str, uses: list[ast.Name]) -> tuple[set[str], set[str], bool]:
    """The attributes and the keys that a cell reads of a name, and whether it calls the name itself."""
    attributes, keys, is_called = set(), set(), False
    parents = src.read(source).parents
    for use in uses:
        match parents.get(use):
            case ast.Attribute(attr=attribute):
                attributes.add(attribute)
            case ast.Subscript(value=owner, slice=index) if owner is use:
                parts = index.elts if isinstance(index, ast.List) else [index]
                keys |= {p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, str)}
                attributes.add("__getitem__")
            case ast.Call(func=callee) if callee is use:
                is_called = True
    return attributes, keys, is_called


def _list_fitting(context: RuleContext, attributes: set[str], keys: set[str]) -> dict[str, bool]:
    """The variables that have all attributes and keys, each with whether it is an object of a library's."""
    names = [n for n, (_, is_callable) in context.state.names.items() if not is_callable and not n.startswith("_")]
    if len(names) > MOST:
        return {}
    fitting = {
        name: thing.module != "builtins"
        for name, thing in zip(names, context.describe_all(names), strict=True)
        if attributes <= {*thing.attributes} and not (thing.is_class or thing.is_module or thing.is_none)
    }
    if not keys:
        return fitting
    held = zip(fitting, context.keys_of_all(list(fitting)), strict=True)
    having = {name for name, known in held if known is not None and keys <= {*known.keys, *known.columns}}
    return {name: is_of_a_library for name, is_of_a_library in fitting.items() if name in having}


def _is_made_of(name: str, other: str) -> bool:
    """``X_test`` and ``X``, ``df_clean`` and ``df``: a missing cell makes the one of the other, which has another value."""
    parts, others = ({*n.casefold().split("_")} for n in (name, other))
    more = parts - others
    return (others < parts and not more <= TYPE_WORDS) or any(MADE.fullmatch(p) for p in more)


def _share_part(name: str, other: str) -> bool:
    """``visits_df`` and ``df``: one has a part that is the other, or the same word at its end."""
    parts, others = name.casefold().split("_"), other.casefold().split("_")
    return len(parts) != len(others) and (set(parts) <= set(others) or set(others) <= set(parts))
