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

TAKING_NAMES = frozenset({"apply", "map", "transform", "agg", "aggregate", "filter", "assign", "rename"})
"""Those of them that are given something else as well, as methods of a table: the name of a function, a dictionary."""

IS_VALUE = re.compile(r"^'\w+' object is not callable|invalid callable given|^name '\w+' is not defined")
"""What is said where a value is given for the function, or where its variable is no name of Python."""


class CalledForGiven(Rule):
    """Give the function itself to what will call it.

    **Failure** `TypeError: double() missing 1 required positional argument: 'v'` at `df["age"].apply(double())`,
    `len() takes exactly one argument (0 given)` at `max(words, key=len())`.

    `ValueError: invalid callable given` at `quad(f(x), 0, 2)`, `'float' object is not callable` at `map(f(x), xs)`.

    **Fix** `df["age"].apply(double)`, `key=len`, `quad(f, 0, 2)`.

    **Fix safety** Safe: the call passes nothing, fails for that, and stands as an argument of what is given a function. So does the call of a function of
    the notebook with one parameter, given a variable of that name. Silent where another argument is passed, for a function of the notebook that makes a function, and anywhere else.
    """

    code = "CAL105"
    name = "function called for given"
    enames = frozenset({"TypeError", "ValueError", "NameError"})
    message = re.compile(
        rf"{IS_VALUE.pattern}|missing \d+ required positional argument|takes (?:exactly|at least) \w+ (?:positional )?arguments? \(0 given\)|"
        r"expected (?:at least )?\d arguments?, got 0|unbound method \S+ needs an argument|"
        r"^'\w+' object is not callable|^invalid callable given|^name '\w+' is not defined"
    )
    applicability = Applicability.SAFE
    why = "The call passes nothing and stands where a function is given."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if IS_VALUE.search(context.failure.evalue):
            yield from self._give_function_of_variable(context)
            return
        for call in context.list_failing_nodes(ast.Call):
            name = context.read_plain_chain(call.func)
            if call.args or call.keywords or name is None:
                continue
            if re.search(rf"\b{re.escape(name.rpartition('.')[2])}\b", context.failure.evalue) and _is_given(
                context, call
            ):
                if _makes_function(context, name):
                    return  # its own argument is missing
                yield self.patch(
                    context.replace_here((context.span(call.func)[1], context.span(call)[1], "")),
                    f"Give `{name}` itself",
                    f"`{name}()` calls the function before it is given anything.",
                    prior=0.93,
                )
                return

    def _give_function_of_variable(self, context: RuleContext) -> Iterator[Patch]:
        """``quad(f(x), 0, 2)``, as it is written in a formula."""
        told = re.match(r"name '(\w+)'", context.failure.evalue)
        for call in context.list_nodes_on_line(ast.Call):
            outer = next((c for c in context.walk(ast.Call) if any(a is call for a in c.args)), None)
            match call:
                case ast.Call(func=ast.Name(id=name), args=[value], keywords=[]) if outer is not None:
                    given = context.text(value)
                case _:
                    continue
            is_first = outer.args[0] is call and _is_given(context, call)
            beside = {context.text(a) for a in outer.args[1:]}
            beside |= {context.text(outer.func.value)} if isinstance(outer.func, ast.Attribute) else set()
            if told is not None and (
                told[1] != given or (isinstance(outer.func, ast.Attribute) and outer.func.attr in TAKING_NAMES)
            ):
                continue  # `agg(choose(how))`: what it gives is not known
            if not is_first or _makes_function(context, name):
                continue
            is_column = (
                isinstance(outer.func, ast.Attribute) and context.describe_all([call], calls=True)[0].length >= 0
            )
            if is_column and not context.is_true(f"[*{context.text(call)}] == [*map({name}, {given})]"):
                continue  # the function takes the whole column, and gives one
            if given in {*beside, _find_only_parameter(context, name)} and context.describe_all([name])[0].is_callable:
                yield self.patch(
                    context.replace_here((context.span(call.func)[1], context.span(call)[1], "")),
                    f"Give `{name}` itself",
                    f"`{context.text(call)}` is one value of the function; `{context.text(outer.func)}` calls it for each.",
                    why="What is given there is called, and a value cannot be.",
                    prior=0.93,
                )
                return


def _find_only_parameter(context: RuleContext, name: str) -> str:
    """The parameter of a function of the notebook that must be given one, or an empty text."""
    made: list[ast.FunctionDef | ast.Lambda] = [
        n for n in context.walk_notebook() if isinstance(n, ast.FunctionDef) and n.name == name
    ]
    made += [
        n.value
        for n in context.walk_notebook()
        if isinstance(n, ast.Assign)
        and isinstance(n.value, ast.Lambda)
        and any(isinstance(t, ast.Name) and t.id == name for t in n.targets)
    ]
    needed = made[-1].args.args[: len(made[-1].args.args) - len(made[-1].args.defaults)] if made else []
    return needed[0].arg if len(needed) == 1 else ""


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
