"""CAL123: a list that is given to a function which takes its items as arguments."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.nodes import find_function, read_last_name
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"for [-+*/]+=?: '(?:int|float|list)' and '(?:list|tuple|int|float)'|not supported between instances of '(?:list|int|float)' and '(?:int|float|list)'|"
                     r"must be real number, not list|can't multiply sequence|bad operand type for abs\(\): 'list'")  # fmt: skip

MISSING = re.compile(r"^(\w+)\(\) missing \d+ required positional arguments?: ")
OF_VECTOR = frozenset(
    {
        "minimize",
        "fmin",
        "basinhopping",
        "dual_annealing",
        "differential_evolution",
        "brute",
        "shgo",
        "root",
        "fsolve",
        "least_squares",
    }
)
"""Functions of SciPy that call a function with one vector, and take its first values or its bounds behind it."""
OF_ONE = frozenset({"exp", "log", "log10", "sqrt", "sin", "cos", "tan", "tanh", "abs", "fabs", "power", "pow"})


class ListForArguments(Rule):
    """Give the items of a list one by one to a function that takes any number of arguments.

    **Failure** `TypeError: unsupported operand type(s) for +: 'int' and 'list'` inside `def mean(*numbers):`, which was called as `mean([1, 2, 3])`.
    `TypeError: cost() missing 1 required positional argument: 'y'` at `minimize(cost, [0, 0])` of SciPy, which gives one vector.

    `KeyError: 'rate'` at `"{rate}".format(settings)`, `IndexError` at `"{} {}".format(pair)`.

    **Fix** `mean(*[1, 2, 3])`, at the call; `"{rate}".format(**settings)`, `"{} {}".format(*pair)`; `minimize(lambda v: cost(*v), [0, 0])`.

    `TypeError: unhashable type: 'list'` at `asyncio.gather([load(u) for u in urls])`: `asyncio.gather(*[load(u) for u in urls])`.

    **Fix safety** Unsafe: the function may have been meant to take one list, without the star. Safe for a format that asks for a key of the dictionary, or for as many values as there are; for what `gather` awaits; and for SciPy where the function has as many parameters as
    there are first values, only reckons with each, and none is called like a variable of the notebook, which `args` may be meant to give.
    """

    code = "CAL123"
    name = "list in place of arguments"
    enames = frozenset({"TypeError", "KeyError", "IndexError"})
    message = re.compile(rf"{MESSAGE.pattern}|{MISSING.pattern}|^'\w+'$|^Replacement index|^unhashable type: 'list'")
    applicability = Applicability.UNSAFE
    why = "The function takes the items as arguments, but the star in its head may be what is too much."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if context.failure.ename != "TypeError":
            yield from self._spread_in_format(context)
            return
        if "unhashable" in context.failure.evalue:
            yield from self._spread_awaited(context)
            return
        if told := MISSING.search(context.failure.evalue):
            yield from self._spread_vector(context, told[1])
            return
        function = find_function(context.source, context.line)
        star = function.args.vararg.arg if function is not None and function.args.vararg else ""
        if (
            function is None
            or not star
            or not context.is_true(f"len({star}) == 1 and type({star}[0]) in (list, tuple)")
        ):
            return
        caller = context.view_cell(context.failure.cell_id)
        calls = [
            c for c in caller.walk(ast.Call)
            if read_last_name(c.func) == function.name and len(c.args) == len(function.args.args) + 1
            and not isinstance(c.args[-1], ast.Starred)
        ]  # fmt: skip
        if len(calls) != 1 or isinstance(calls[0].func, ast.Attribute):
            return
        start = caller.span(calls[0].args[-1])[0]
        yield self.patch(
            caller.replace(caller.cell_id, [(start, start, "*")]),
            "Give the items one by one with `*`",
            f"`{function.name}` takes any number of arguments, and is given one list.",
            prior=0.7,
        )

    def _spread_awaited(self, context: RuleContext) -> Iterator[Patch]:
        """``asyncio.gather([load(u) for u in urls])``: what is awaited is given one by one."""
        for call in context.list_calls_at_failure():
            if read_last_name(call.func) == "gather" and len(call.args) == 1:
                start = context.span(call.args[0])[0]
                yield self.patch(
                    context.replace_here((start, start, "*")),
                    "Give what is awaited one by one with `*`",
                    "`gather` is given one list, and awaits each of its arguments.",
                    applicability=Applicability.SAFE,
                    why="A list cannot be awaited, and what it holds can.",
                    prior=0.95,
                )
                return

    def _spread_in_format(self, context: RuleContext) -> Iterator[Patch]:
        """``"{rate}".format(settings)`` of a dictionary, ``"{} {}".format(pair)`` of as many values."""
        for call in context.list_calls_at_failure():
            given = context.read_plain_chain(call.args[0]) if len(call.args) == 1 and not call.keywords else None
            if not given or not isinstance(call.func, ast.Attribute) or call.func.attr != "format":
                continue
            if context.failure.ename == "KeyError":
                star, holds = "**", f"isinstance({given}, dict) and {context.failure.evalue} in {given}"
            else:
                fields = f"__import__('string').Formatter().parse({context.text(call.func.value)})"
                star = "*"
                holds = f"type({given}) in (list, tuple) and sum(f[1] is not None for f in {fields}) == len({given})"
            if context.is_true(holds):
                start = context.span(call.args[0])[0]
                yield self.patch(
                    context.replace_here((start, start, star)),
                    f"Give what `{given}` holds one by one with `{star}`",
                    f"`format` is given `{given}` as one value.",
                    applicability=Applicability.SAFE,
                    why="The format asks for just what it holds.",
                    prior=0.93,
                )
                return

    def _spread_vector(self, context: RuleContext, name: str) -> Iterator[Patch]:
        """``minimize(cost, [0, 0])``, where ``def cost(x, y)`` takes each number by itself."""
        made = [n for n in context.walk_notebook() if isinstance(n, ast.FunctionDef) and n.name == name]
        for call in context.list_calls_at_failure():
            match call:
                case ast.Call(func=func, args=[ast.Name(id=given), first, *_]) if given == name and len(made) == 1:
                    pass
                case _:
                    continue
            parameters = [a.arg for a in made[0].args.args]
            is_whole = context.is_true(f"len({context.text(first)}) == {len(parameters)}")
            if (
                read_last_name(func) not in OF_VECTOR
                or len(call.args) > 2
                or not is_whole
                or not _only_reckons(made[0])
            ):
                return
            if any(k.arg in ("args", "jac", "hess") for k in call.keywords):
                return
            known = next((p for p in parameters if context.is_bound_anywhere(p)), "")
            yield self.patch(
                context.replace_here((*context.span(call.args[0]), f"lambda v: {name}(*v)")),
                f"Give `{name}` each number of the vector",
                f"`{context.text(func)}` calls its function with one vector, and `{name}` takes {len(parameters)} numbers.",
                applicability=Applicability.UNSAFE if known else Applicability.SAFE,
                why=f"`{known}` of the notebook may be meant, given with `args`." if known
                else "The function takes as many numbers as there are, and only reckons with each.",
                prior=0.75 if known else 0.93,
            )  # fmt: skip
            return


def _only_reckons(function: ast.FunctionDef) -> bool:
    """True for a function of plain parameters that are used as numbers: nothing takes an item, goes through one or sums one up."""
    given = function.args
    if given.defaults or given.vararg or given.kwarg or given.kwonlyargs or function.decorator_list:
        return False
    nodes = [n for statement in function.body for n in ast.walk(statement)]
    calls = {read_last_name(n.func) for n in nodes if isinstance(n, ast.Call)}
    vectors = (ast.Subscript, ast.Starred, ast.For, ast.comprehension, ast.MatMult)
    return calls <= OF_ONE and not any(isinstance(n, vectors) for n in nodes)
