"""CAL122: an argument that is missing, while a variable has its very name."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import append_argument
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.parts_of_split import find_labels, find_split
from jupyter_selfheal.model import Applicability, Failure, Patch

MISSING = re.compile(r"(?:^|\.)(\w+)\(\) missing \d+ required (positional|keyword-only) arguments?: (.+)$")

HOLLOW = ("module", "type", "NoneType")
"""Kinds of values that are no argument."""
TRIED = 3
"""Variables of other calls that are tried."""

CROSS = frozenset({"cross_val_score", "cross_validate", "cross_val_predict"})
"""What fits a model to parts of the data: they can be called without a target, as some models need none."""
TOLD = frozenset({"fit", "score", "train_test_split"})
"""What is given the data and the target, in this order."""


class MissingArgument(Rule):
    """Pass the variable that has the name of the missing argument.

    **Failure** `TypeError: net_price() missing 1 required positional argument: 'tax_rate'` at `net_price(price)`, where a variable
    `tax_rate` is there. `All the 5 fits failed: … fit() missing 1 required positional argument: 'y'` at `cross_val_score(model, X)`.

    **Fix** `net_price(price, tax_rate)`; `cross_val_score(model, X, target)`, where `X` and `target` are given together in another place, or else
    `y`, where that is as long as `X`. Where no variable has that name, the variable that another call of the function gives in that place: `find(part, winners)`.

    **Fix safety** Unsafe: the variable may hold something else by now, or another value may be meant; what is expected of the cell
    decides. Silent where not every missing argument has its variable, or one that another call gives.
    """

    code = "CAL122"
    name = "missing argument with a variable of its name"
    enames = frozenset({"TypeError", "ValueError"})
    applicability = Applicability.UNSAFE
    why = "A variable has the name of the parameter, but another value may be meant."

    def matches(self, failure: Failure) -> bool:
        if not super().matches(failure):
            return False
        told = failure.held or failure
        return told.ename == "TypeError" and MISSING.search(told.evalue) is not None

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if held := context.failure.held:
            yield from self._give_target(context, held.evalue)
            return
        told = MISSING.search(context.failure.evalue)
        if told is None:
            return
        wanted = re.findall(r"'(\w+)'", told[3])
        there = {**context.state.names, **context.state.locals}
        for call in context.list_calls_at_failure():
            if isinstance(call.func, ast.Attribute) and call.func.attr.startswith("__"):
                continue  # CAL104
            if read_last_name(call.func) != told[1] and told[1] != "__init__":
                continue
            if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
                return
            if not wanted or any(n not in there or there[n][0] in HOLLOW for n in wanted):
                if len(wanted) == 1 and not call.keywords and told[2] == "positional":
                    yield from self._give_as_elsewhere(context, call)
                return
            if wanted == ["y"] and find_labels(call, find_split(context)):
                return  # SKL109
            by_name = told[2] != "positional" or bool(call.keywords)
            if {n.id for a in call.args for n in ast.walk(a) if isinstance(n, ast.Name)} & set(wanted):
                return  # it is passed already, in another place
            text = ", ".join(f"{n}={n}" if by_name else n for n in wanted)
            yield self.patch(
                context.replace_here(append_argument(context.source, call, text)),
                f"Pass {', '.join(f'`{n}`' for n in wanted)} too",
                f"`{context.text(call.func)}` takes {', '.join(f'`{n}`' for n in wanted)}, which the call does not give.",
                prior=0.7,
            )
            return

    def _give_as_elsewhere(self, context: RuleContext, call: ast.Call) -> Iterator[Patch]:
        """``find(part, winners)`` for ``find(part)``, as other calls of the notebook give it a variable that is there."""
        there = {**context.state.names, **context.state.locals}
        name, place = read_last_name(call.func), len(call.args)
        given = {n.id for a in call.args for n in ast.walk(a) if isinstance(n, ast.Name)}
        others = (n for n in context.walk_notebook() if isinstance(n, ast.Call) and read_last_name(n.func) == name)
        last = (n.args[place] for n in others if len(n.args) == place + 1 and not n.keywords)
        names = [n.id for n in last if isinstance(n, ast.Name) and n.id in there and there[n.id][0] not in HOLLOW]
        for rank, (text, _) in enumerate(Counter(n for n in names if n not in given).most_common(TRIED)):
            yield self.patch(
                context.replace_here(append_argument(context.source, call, text)),
                f"Pass `{text}` too",
                f"`{context.text(call.func)}` takes one argument more, and another call gives it `{text}`.",
                why="Another call gives it this variable, but another value may be meant.",
                prior=0.6 - 0.1 * rank,
            )

    def _give_target(self, context: RuleContext, evalue: str) -> Iterator[Patch]:
        """``cross_val_score(model, X)`` with what its folds are fitted to."""
        if not evalue.endswith("fit() missing 1 required positional argument: 'y'"):
            return
        for call in context.list_calls_at_failure():
            if (
                read_last_name(call.func) not in CROSS
                or len(call.args) != 2
                or any(k.arg in ("y", None) for k in call.keywords)
            ):
                continue
            data = call.args[1]
            target = _find_target(context, context.text(data))
            if target not in context.state.names or not context.is_true(f"len({target}) == len({context.text(data)})"):
                return
            end = context.span(data)[1]
            yield self.patch(
                context.replace_here((end, end, f", {target}")),
                f"Pass `{target}` too",
                f"The model is fitted to data and what it has to tell of them, and `{context.text(call.func)}` is given the data alone.",
                prior=0.8,
            )
            return


def _find_target(context: RuleContext, data: str) -> str:
    """The name that is given beside these data in another place of the notebook, the nearest one first; ``y`` where there is none."""
    for view in (context, *context.look_upwards()):
        for call in view.walk(ast.Call):
            name = read_last_name(call.func)
            given = call.args[:2] if name in TOLD else call.args[1:3] if name in CROSS else []
            if len(given) == 2 and view.text(given[0]) == data and isinstance(given[1], ast.Name):
                return given[1].id
    return "y"
