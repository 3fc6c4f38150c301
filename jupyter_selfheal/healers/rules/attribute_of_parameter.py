"""ATT124: an attribute asked for by the name of the parameter that it was given as."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

BEGINNING = re.compile(
    r"start|first|initial|init|orig|open|begin|begun|base|default|old|prev|last|max|min|given|found|wanted", re.I
)
"""Parts of names of what something was, or may be, and need not be now."""


class AttributeOfParameter(Rule):
    """Read the attribute that keeps the parameter.

    **Failure** `AttributeError: 'Circle' object has no attribute 'r'`, where the notebook's class says `self.radius = r` in its `__init__`.

    **Fix** `self.r` becomes `self.radius` wherever the methods of the class read it.

    **Fix safety** Safe: the object keeps under one name what it was given under the other. Unsafe where code outside of the class reads the name that is
    missing: the attribute may have been meant to have it; where the attribute is set again (`self.balance += n`): what was given may be meant; and where methods
    change the object and the names are not of one word (`balance` kept as `opening`): what it is now may be meant. Silent where the parameter is kept under several names, or changed before it is kept.
    """

    code = "ATT124"
    name = "attribute asked for as its parameter"
    enames = frozenset({"AttributeError"})
    applicability = Applicability.SAFE
    why = "The object keeps under this name what it was given under the other."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        live = context.state
        wrong = live.attribute
        if not wrong or live.owner is None or live.owner.module != "__main__" or live.owner.is_module:
            return
        for cell_id in context.list_cells_upwards():
            source = context.source_of(cell_id)
            for node in (n for n in src.walk(source) if isinstance(n, ast.ClassDef) and n.name == live.owner.type):
                kept = _find_kept(node, wrong)
                splices = _respell_reads(source, node, wrong, kept) if kept else []
                if not splices or kept not in live.owner.attributes:
                    return
                outside = _is_read_outside(context, wrong, len(splices)) or _is_set_again(context, kept)
                outside = outside or (_changes_object(node) and not _is_one_word(wrong, kept))
                yield self.patch(
                    context.replace(cell_id, splices),
                    f"Change `self.{wrong}` to `self.{kept}`",
                    f"`{node.name}` keeps `{wrong}` as `{kept}`.",
                    applicability=Applicability.UNSAFE if outside else Applicability.SAFE,
                    why="What was given may be meant, or the attribute to have the other name."
                    if outside
                    else self.why,
                    prior=0.6 if outside else 0.93,
                )
                return


def _find_kept(node: ast.ClassDef, parameter: str) -> str:
    """The one attribute that ``__init__`` keeps a parameter as, unchanged; empty where there is none, or several."""
    maker = next((m for m in node.body if isinstance(m, ast.FunctionDef) and m.name == "__init__"), None)
    if maker is None or parameter not in {a.arg for a in maker.args.args[1:]}:
        return ""
    names = [n for n in ast.walk(maker) if isinstance(n, ast.Name) and n.id == parameter]
    kept = [
        t.attr
        for n in maker.body
        if isinstance(n, ast.Assign) and isinstance(n.value, ast.Name) and n.value.id == parameter
        for t in n.targets
        if isinstance(t, ast.Attribute) and isinstance(t.value, ast.Name) and t.value.id == maker.args.args[0].arg
    ]
    return kept[0] if len(kept) == len(names) == 1 else ""


def _respell_reads(source: str, node: ast.ClassDef, wrong: str, right: str) -> list[Splice]:
    """Splices for each place where a method reads the missing attribute of its object; empty where one sets it."""
    splices: list[Splice] = []
    for method in (m for m in node.body if isinstance(m, ast.FunctionDef) and m.args.args):
        for n in ast.walk(method):
            if isinstance(n, ast.Attribute) and n.attr == wrong and isinstance(n.value, ast.Name):
                if n.value.id != method.args.args[0].arg or not isinstance(n.ctx, ast.Load):
                    return []
                end = src.find_span(source, n)[1]
                splices.append((end - len(wrong), end, right))
    return splices


def _changes_object(node: ast.ClassDef) -> bool:
    """Whether a method but ``__init__`` sets an attribute, or calls something for what it does to one (``self.moves.append(n)``)."""
    for method in (m for m in node.body if isinstance(m, ast.FunctionDef) and m.name != "__init__"):
        for n in ast.walk(method):
            if isinstance(n, ast.Attribute | ast.Subscript) and not isinstance(n.ctx, ast.Load):
                return True
            if isinstance(n, ast.Call) and (
                read_last_name(n.func) in ("setattr", "pop", "popleft") or "__dict__" in ast.unparse(n)
            ):
                return True
            if isinstance(n, ast.Expr) and isinstance(n.value, ast.Call) and isinstance(n.value.func, ast.Attribute):
                return True
    return False


def _is_one_word(parameter: str, kept: str) -> bool:
    """``w`` and ``width``, ``balance`` and ``_balance``: one is the other's beginning, or a part of it that stands for nothing of another time."""
    one, other = parameter.strip("_").lower(), kept.strip("_").lower()
    return (one in other or other in one) and not BEGINNING.search(other.replace(one, "", 1) if one in other else "")


def _is_set_again(context: RuleContext, name: str) -> bool:
    """Whether the notebook sets the attribute in more places than one: ``self.balance += n`` makes another thing of it than what was given."""
    nodes = context.walk_notebook()
    return sum(isinstance(n, ast.Attribute) and n.attr == name and isinstance(n.ctx, ast.Store) for n in nodes) > 1


def _is_read_outside(context: RuleContext, name: str, inside: int) -> bool:
    """Whether the notebook reads the attribute in more places than these."""
    nodes = context.walk_notebook()
    return sum(isinstance(n, ast.Attribute) and n.attr == name for n in nodes) > inside
