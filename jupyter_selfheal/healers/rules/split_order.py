"""SKL108: what ``train_test_split`` gives, taken in another order."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(
    r"inconsistent numbers? of samples|y should be a 1d array|[Bb]ad input shape|Expected 2D array|features, but|Unknown label type|"
    r"Found array with dim|multiclass-multioutput|not supported between|could not be broadcast|same length|All arrays must be"
)
PART = re.compile(r"train|test|val(?:id)?", re.IGNORECASE)


class SplitOrder(Rule):
    """Take the parts of `train_test_split` in the order in which it gives them.

    **Failure** `ValueError: y should be a 1d array` or `inconsistent numbers of samples` from an estimator, where the parts were taken as
    `X_train, y_train, X_test, y_test = train_test_split(X, y)`.

    **Fix** `X_train, X_test, y_train, y_test = train_test_split(X, y)`, where it stands; so `Xa, Xb, ya, yb` for `Xa, ya, Xb, yb`.

    **Fix safety** Safe: the function gives both parts of the first array, then both of the second, and the names say which is which. Silent where
    the names do not say it, or the order is right.
    """

    code = "SKL108"
    name = "order of a split"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError", "TypeError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "The function gives both parts of the first array first, and the names say which is which."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        read = {n.id for n in context.list_nodes_on_line(ast.Name)}
        for view in context.look_upwards():
            for statement in view.walk(ast.Assign):
                order = _find_order(view, statement)
                if not order or not read & set(order):
                    continue
                start = view.span(statement.targets[0])[0]
                end = view.span(statement.targets[0])[1]
                bracketed = view.source[start] == "("
                text = f"({', '.join(order)})" if bracketed else ", ".join(order)
                yield self.patch(
                    view.replace_here((start, end, text)),
                    f"Take the parts as `{', '.join(order)}`",
                    "`train_test_split` gives both parts of the first array, then both of the second.",
                    prior=0.93,
                )
                return


def _find_order(view: RuleContext, statement: ast.Assign) -> list[str]:
    """The names in the order in which the function gives the parts; empty where they are, or do not say what they are."""
    target, call = statement.targets[0], statement.value
    if not isinstance(call, ast.Call) or read_last_name(call.func) != "train_test_split" or len(call.args) != 2:
        return []
    if len(statement.targets) != 1 or not isinstance(target, ast.Tuple) or len(target.elts) != 4:
        return []
    names = [n.id for n in target.elts if isinstance(n, ast.Name)]
    if len(set(names)) != 4:
        return []
    parts: dict[str, dict[str, str]] = {}
    if [n[0].casefold() for n in names] == ["x", "y"] * 2 and names[0][1:] == names[1][1:]:  # `Xa, ya, Xb, yb`
        return [names[0], names[2], names[1], names[3]] if names[2][1:] == names[3][1:] else []
    for name in names:
        match = PART.search(name)
        if match is None:
            return []
        parts.setdefault(PART.sub("", name, count=1).casefold(), {})[
            "train" if match[0].casefold() == "train" else "test"
        ] = name
    if len(parts) != 2 or any(len(p) != 2 for p in parts.values()):
        return []
    # the first name's array is the first that is given, unless the call's own names say otherwise
    order = [p[k] for p in parts.values() for k in ("train", "test")]
    first, second = (view.text(a).casefold() for a in call.args)
    stems = [stem.strip("_") for stem in parts]
    if stems[0] == second or stems[1] == first:
        order = order[2:] + order[:2]
    return [] if order == names else order
