"""CAL105: a function that is called where it should be given."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.used_functions import walk_own
from jupyter_selfheal.inside.tree_names import read_called_name
from jupyter_selfheal.model import Applicability, Patch

TAKING = frozenset(
    {"apply", "map", "applymap", "transform", "agg", "aggregate", "filter", "pipe", "assign", "submit", "reduce", "curve_fit", "rename", "quad", "minimize",
     "sort", "sorted", "min", "max"}
)  # fmt: skip
"""Functions that are given a function."""


class CalledForGiven(Rule):
    """Give the function itself to what will call it.

    **Failure** `TypeError: double() missing 1 required positional argument: 'v'` at `df["age"].apply(double())`,
    `len() takes exactly one argument (0 given)` at `max(words, key=len())`.

    **Fix** `df["age"].apply(double)`, `key=len`.

    **Fix safety** Safe: the call passes nothing, fails for that, and stands as an argument of what is given a function. Silent where an
    argument is passed, for a function of the notebook that makes a function, and anywhere else.
    """

    code = "CAL105"
    name = "function called for given"
    enames = frozenset({"TypeError"})
    message = re.compile(
        r"missing \d+ required positional argument|takes (?:exactly|at least) \w+ (?:positional )?arguments? \(0 given\)|"
        r"expected (?:at least )?\d arguments?, got 0|unbound method \S+ needs an argument"
    )
    applicability = Applicability.SAFE
    why = "The call passes nothing and stands where a function is given."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        for call in context.list_failing_nodes(ast.Call):
            name = context.read_plain_chain(call.func)
            if call.args or call.keywords or name is None:
                continue
            if re.search(rf"\b{re.escape(name)}\b", context.failure.evalue) and _is_given(context, call):
                if _makes_function(context, name):
                    return  # its own argument is missing
                yield self.patch(
                    context.replace_here((context.span(call.func)[1], context.span(call)[1], "")),
                    f"Give `{name}` itself",
                    f"`{name}()` calls the function before it is given anything.",
                    prior=0.93,
                )
                return


def _is_given(context: RuleContext, call: ast.Call) -> bool:
    for outer in context.walk(ast.Call):
        name = read_called_name(outer)
        keys = [k.value for k in outer.keywords if k.arg in ("key", "func", "aggfunc", "target", "callback")]
        if name == "rename":
            keys += [k.value for k in outer.keywords if k.arg in ("columns", "index", "mapper")]
        given = [*outer.args, *keys] if name in TAKING - {"sort", "sorted", "min", "max"} or name == "map" else keys
        if any(a is call for a in given):
            return True
    return False


def _makes_function(context: RuleContext, name: str) -> bool:
    """Whether a function of the notebook returns one that it makes."""
    for made in (n for n in context.walk_notebook() if isinstance(n, ast.FunctionDef) and n.name == name):
        inner = {n.name for n in ast.walk(made) if isinstance(n, ast.FunctionDef) and n is not made}
        returned = [n.value for n in walk_own(made) if isinstance(n, ast.Return)]
        if any(isinstance(v, ast.Lambda) or (isinstance(v, ast.Name) and v.id in inner) for v in returned):
            return True
    return False
