"""What a function reads of the notebook where it was given its own: ``len(x)`` in ``def mean(xs)``, ``n`` above which is ``n = len(values)``.

Such a function is right for the one value that it was tried with, as long as that cell was run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping

from jupyter_selfheal.inside.search.parsed_once import parse_once
from jupyter_selfheal.inside.search.program import CHECK, Program
from jupyter_selfheal.inside.tree_names import list_defined_names, walk

WORDS = "`{}` is a variable of the notebook, not of what the function is given: `{}`"
"""What is said of a change that puts what a function is given in the place of a variable."""
_MADE_ANEW = re.compile(WORDS.format(r"(\w+)", r"\w*[^\w`].*"))
"""And where more than a parameter stands in that place."""
Function = ast.FunctionDef | ast.AsyncFunctionDef
_SHORTEST = 3
"""Letters of a name that another one begins or ends with: ``val`` for ``vals``, ``total`` for ``total_price``."""


def find_outside_reads(
    function: Function, outside: Collection[str], made: Mapping[str, tuple[str, str]]
) -> dict[str, str]:
    """The variables of the notebook (``outside``) that a function reads in place of what it is given, each with what is to stand there.
    ``made`` says of a variable that is made of one other one which that is, and the expression."""
    parameters = [a.arg for a in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
    own = list_defined_names(function) | {name for n in walk(function) if isinstance(n, ast.Global) for name in n.names}
    body = [n for s in function.body for n in ast.walk(s)]
    read = {n.id: None for n in body if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    found: dict[str, str] = {}
    for name in read:
        if name in own or name not in outside or name.isupper():
            continue
        alike = [p for p in parameters if _is_called_alike(name, p)]
        if len(alike) == 1:
            found[name] = alike[0]
        elif name in made and len(parameters) == 1:
            source, text = made[name]
            found[name] = _put_parameter(text, source, parameters[0])
    return found


def describe_made_anew(words: str, program: Program, checks: int) -> str:
    """The doubt about a value that is made anew of what a function is given (``max(batch)`` for ``largest``), where the only check gives it a variable:
    the value may be meant to be of that one, whatever is given. Empty where the ``words`` of a change say no such thing."""
    made = _MADE_ANEW.search(words) if checks == 1 else None
    name = _find_given_variable(program) if made else ""
    return f"`{made[1]}` may be meant to be made of `{name}`" if made and name else ""


def _find_given_variable(program: Program) -> str:
    """The variable that a check gives a function; empty where it gives none."""
    texts = (*program.checks, *(u.text for u in program.units if u.role == CHECK or u.tests))
    calls = (n for text in texts for n in walk(parse_once(text)) if isinstance(n, ast.Call))
    return next((a.id for call in calls for a in call.args if isinstance(a, ast.Name)), "")


def count_outside_reads(text: str, outside: Collection[str], made: Mapping[str, tuple[str, str]]) -> int:
    """How many variables the functions of a text read from outside in place of what they are given."""
    functions = (n for n in walk(parse_once(text)) if isinstance(n, Function)) if outside else ()
    return sum(len(find_outside_reads(f, outside, made)) for f in functions)


def _is_called_alike(name: str, parameter: str) -> bool:
    """``x`` and ``xs``, ``values`` and ``vals``, ``num`` and ``number``."""
    one, other = sorted((name.replace("_", "").lower(), parameter.replace("_", "").lower()), key=len)
    if one == other or other in (f"{one}s", f"{one}es"):
        return True
    return len(one) >= _SHORTEST and (other.startswith(one) or other.endswith(one))


def _put_parameter(text: str, name: str, parameter: str) -> str:
    """An expression with a parameter in place of the variable that it is made of."""

    class _Putting(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.Name:
            return ast.Name(parameter, node.ctx) if node.id == name else node

    return ast.unparse(_Putting().visit(ast.parse(text, mode="eval")))
