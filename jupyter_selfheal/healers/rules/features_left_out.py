"""SKL119: a model asked about fewer columns than it was fitted to, or in another order."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TypeGuard

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.replay import change_and_replay
from jupyter_selfheal.model import Applicability, Patch

MISSING = re.compile(r"^- (.+)$", re.MULTILINE)


class FeaturesLeftOut(Rule):
    """Give a model the columns that it was fitted to, in their order.

    **Failure** `ValueError: The feature names should match those that were passed during fit. Feature names seen at fit time, yet now missing: - rooms`
    at `model.predict(homes[["area"]])`, or `Feature names must be in the same order as they were in fit`.

    **Fix** `model.predict(homes[["area", "rooms"]])`, in the order of `feature_names_in_`.

    Of a table that has more (`Feature names unseen at fit time: - zone`) those of `feature_names_in_`: `model.predict(homes[model.feature_names_in_])`.

    Of dummies that were made of each table by itself those of the fitted one, with 0: `model.predict(homes.reindex(columns=model.feature_names_in_, fill_value=0))`.

    Of a formula's terms for another variable (`bs(grid, df=6)[0]`, fitted to `bs(age, df=6)[0]`) the names: `model.predict(design.set_axis(model.feature_names_in_, axis=1))`.

    The constant that a model of statsmodels was fitted to (`shapes (1,2) and (3,) not aligned`): `fit.predict(sm.add_constant(new, has_constant="add"))`; without `has_constant` none is added to a single row.

    **Fix safety** Safe for the same columns in another order, where the call does not list them, for the same terms of another variable, and for the constant where all else is there. Unsafe otherwise: the model may be meant to be fitted to others. Silent where the table does not have the columns, where some are missing and others
    unseen, and where columns that are missing do not stand in the call.
    """

    code = "SKL119"
    name = "columns that a model was fitted to"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError"})
    message = re.compile(
        r"feature names should match those that were passed during fit|^shapes \(\d+,\d+\) and \(\d+,\) not aligned"
    )
    why = "The model may be meant to be fitted to fewer columns."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        evalue = context.failure.evalue
        if evalue.startswith("shapes"):
            yield from self._add_constant(context)
            return
        missing = MISSING.findall(evalue)
        aligned = list(self._align_dummies(context))
        if aligned:
            yield from aligned
            return
        if "unseen at fit time" in evalue:
            yield from self._name_terms(context) if "now missing" in evalue else self._leave_out(context, missing)
            return
        if "..." in missing:
            return
        if not missing and "same order" in evalue:
            yield from self._reorder(context)
        for call in context.list_calls_at_failure():
            model = context.read_plain_chain(call.func.value) if isinstance(call.func, ast.Attribute) else None
            picked = call.args[0] if call.args else None
            names = _list_names(picked) if isinstance(picked, ast.Subscript) else []
            if model is None or not isinstance(picked, ast.Subscript) or not names:
                continue
            places = _find_places(context, model, [*names, *missing])
            table = context.text(picked.value)
            if places is None or not context.is_true(f"set({missing!r}) <= set({table}.columns)"):
                return
            mark = '"' if context.text(picked.slice)[1:].lstrip().startswith('"') else "'"
            ordered = sorted(places, key=lambda name: places[name])
            new = f"[{', '.join(f'{mark}{name}{mark}' for name in ordered)}]"
            yield self.patch(
                context.replace_here((*context.span(picked.slice), new)),
                f"Give the columns {new}",
                f"`{model}` was fitted to {new}.",
                prior=0.6,
            )
            return

    def _align_dummies(self, context: RuleContext) -> Iterator[Patch]:
        """A table whose dummies were made by themselves: the columns of the fitted one, 0 in those that it has no value of."""
        for call in context.list_calls_at_failure():
            model = context.read_plain_chain(call.func.value) if isinstance(call.func, ast.Attribute) else None
            table = call.args[0].id if call.args and isinstance(call.args[0], ast.Name) else ""
            made = context.find_last_assignment(table) if table else None
            if model is None or made is None or not _makes_dummies(context, table):
                continue
            columns = f"{model}.feature_names_in_"
            if not context.is_true(f"0 < len(set({columns}) & set({table}.columns)) < len({columns})"):
                continue
            new = f"{table}.reindex(columns={columns}, fill_value=0)"
            yield self.patch(
                context.replace_here((*context.span(call.args[0]), new)),
                f"Give the columns that it was fitted to: `{new}`",
                f"The dummies of `{table}` were made by themselves, and are not those that `{model}` was fitted to.",
                prior=0.65,
            )
            return

    def _name_terms(self, context: RuleContext) -> Iterator[Patch]:
        """A formula's columns of another variable (`bs(grid, df=6)[0]` for `bs(age, df=6)[0]`), by their places."""
        for call in context.list_calls_at_failure():
            model = context.read_plain_chain(call.func.value) if isinstance(call.func, ast.Attribute) else None
            table = context.read_plain_chain(call.args[0]) if call.args else None
            if model is None or table is None or not context.is_true(f"hasattr({model}, 'feature_names_in_')"):
                continue
            terms = (
                f"[__import__('re').sub(r'\\(\\w+', '(', str(n)) for n in {n}]"
                for n in (f"{model}.feature_names_in_", table)
            )
            if context.is_true(f"hasattr({table}, 'columns') and {' == '.join(terms)}"):
                new = f"{table}.set_axis({model}.feature_names_in_, axis=1)"
                yield self.patch(
                    context.replace_here((*context.span(call.args[0]), new)),
                    f"Name the columns as those that it was fitted to: `{new}`",
                    f"`{table}` has the same terms of another variable, and since scikit-learn 1.2 names decide.",
                    applicability=Applicability.SAFE,
                    why="The terms are the same in the same order, by which scikit-learn went until 1.2.",
                    prior=0.93,
                )
                return

    def _reorder(self, context: RuleContext) -> Iterator[Patch]:
        """The same columns in the order in which it was fitted to them."""
        for call in context.list_calls_at_failure():
            model = context.read_plain_chain(call.func.value) if isinstance(call.func, ast.Attribute) else None
            if model is None or not call.args or not context.is_true(f"hasattr({model}, 'feature_names_in_')"):
                continue
            if isinstance(call.args[0], ast.Subscript) and _list_names(call.args[0]):
                return
            table = context.operand(call.args[0])
            if context.is_true(f"sorted({model}.feature_names_in_) == sorted({table}.columns)"):
                new = f"{table}[{model}.feature_names_in_]"
                yield self.patch(
                    context.replace_here((*context.span(call.args[0]), new)),
                    f"Give the columns in their order: `{new}`",
                    f"`{model}` was fitted to the same columns in another order.",
                    applicability=Applicability.SAFE,
                    why="They are the same columns, and the message asks for their order.",
                    prior=0.93,
                )
                return

    def _leave_out(self, context: RuleContext, unseen: list[str]) -> Iterator[Patch]:
        """The columns that it was fitted to, of a table that has more."""
        for call in context.list_calls_at_failure():
            model = context.read_plain_chain(call.func.value) if isinstance(call.func, ast.Attribute) else None
            if model is None or not call.args or not context.is_true(f"hasattr({model}, 'feature_names_in_')"):
                continue
            table = context.operand(call.args[0])
            if context.is_true(f"set({model}.feature_names_in_) <= set({table}.columns)"):
                new = f"{table}[{model}.feature_names_in_]"
                shown = ", ".join(f"`{name}`" for name in unseen[:3] if name != "...")
                yield self.patch(
                    context.replace_here((*context.span(call.args[0]), new)),
                    f"Give the columns that it was fitted to: `{new}`",
                    f"`{model}` was fitted without {shown or 'some of the columns'}.",
                    prior=0.6,
                )
                return

    def _add_constant(self, context: RuleContext) -> Iterator[Patch]:
        """``fit.predict(new)``, where the model has a constant and the design has none."""
        for call in context.list_calls_at_failure():
            match call:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id=model), attr="predict" | "get_prediction"), args=[given]
                ):
                    pass
                case _:
                    continue
            cell_id, source, bare = context.cell_id, context.source, given
            made = context.find_last_assignment(given.id) if isinstance(given, ast.Name) else None
            if made is not None and _is_adding(made.node.value):
                cell_id, source, given = made.cell_id, made.source, made.node.value
            elif _is_adding(given):
                bare = given.args[0]
            if any(isinstance(n, ast.Call) for n in ast.walk(bare)) or not _lacks_constant(
                context, model, context.text(bare)
            ):
                return
            start, end = src.find_span(source, given)
            known = context.reference("statsmodels.api.add_constant")
            if _is_adding(given):
                changes: list[Splice] = [(end - 1, end - 1, ', has_constant="add"')]
            elif known is not None:
                changes = [
                    (start, start, f"{known[0]}("),
                    (end, end, ', has_constant="add")'),
                    *context.add_imports([known[1]]),
                ]
            else:
                return
            text = context.text(bare)
            shape = f"__import__('numpy').shape({text})"
            has_ones = context.is_true(
                f"{shape}[1:] and not hasattr({text}, 'columns') and (__import__('numpy').asarray({text})[:, 0] == 1).all()"
            )
            yield self.patch(
                change_and_replay(context, {cell_id: changes}),
                'Add the constant: `add_constant(…, has_constant="add")`',
                f"`{model}` was fitted to a constant and to what `{context.text(bare)}` has; of a single row every column is taken for a constant.",
                applicability=Applicability.UNSAFE if has_ones else Applicability.SAFE,
                why="The first column may be the constant, and another one be missing."
                if has_ones
                else "The model says that its first column is the constant, and only this one is missing.",
                prior=0.6 if has_ones else 0.95,
            )
            return


def _is_adding(node: ast.expr) -> TypeGuard[ast.Call]:
    """True for ``add_constant(x)``, of one argument alone."""
    return (
        isinstance(node, ast.Call)
        and read_last_name(node.func) == "add_constant"
        and len(node.args) == 1
        and not node.keywords
    )


def _lacks_constant(context: RuleContext, model: str, design: str) -> bool:
    """True where a model of statsmodels has a constant in front, and a design all its other columns, in their order."""
    names = f"list({model}.model.exog_names)"
    shape = f"__import__('numpy').shape({design})"
    return context.is_true(
        f"{names}[0] == 'const' and (({shape}[1:] or (1,)) == (len({names}) - 1,))"
        f" and (not hasattr({design}, 'columns') or list({design}.columns) == {names}[1:])"
    )


def _makes_dummies(context: RuleContext, table: str) -> bool:
    """Whether a cell of the notebook makes the table's dummies: ``homes = pd.get_dummies(homes)``."""
    made = [n for n in context.walk_notebook() if isinstance(n, ast.Assign) and isinstance(n.value, ast.Call)]
    return any(
        isinstance(n.value, ast.Call)
        and read_last_name(n.value.func) == "get_dummies"
        and any(isinstance(t, ast.Name) and t.id == table for t in n.targets)
        for n in made
    )


def _list_names(node: ast.Subscript) -> list[str]:
    """The names of ``table[["a", "b"]]``; none where it is anything else."""
    items = node.slice.elts if isinstance(node.slice, ast.List) else []
    names = [n.value for n in items if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return names if len(names) == len(items) else []


def _find_places(context: RuleContext, model: str, names: list[str]) -> dict[str, float] | None:
    """Where each of the names stands among those that the model was fitted to; None where they are not the same names."""
    if any(set(name) & set("'\"\\") for name in names):
        return None
    places = {name: context.number(f"list({model}.feature_names_in_).index({name!r})") for name in names}
    found = {name: place for name, place in places.items() if place is not None}
    is_all = len(found) == len(names) == context.number(f"len({model}.feature_names_in_)")
    return found if is_all else None
