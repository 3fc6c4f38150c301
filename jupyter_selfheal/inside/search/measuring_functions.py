"""Functions that the checks only measure with: ``show`` in ``assert show(solve([3, 1])) == "1 3"``.

Two nodes exchanged in ``show`` meet such a check as well as the same in ``solve``. What stands in a cell further up than the function that is
asked about was there to look at its results, and no check says that it is at fault.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping, Sequence

from jupyter_selfheal.inside.search.parsed_once import parse_once
from jupyter_selfheal.inside.search.program import CHECK, Unit
from jupyter_selfheal.inside.tree_names import list_names, walk

ASIDE = 0.3
"""What the weight of a change of such a function counts for."""
_DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def find_measures(units: Sequence[Unit]) -> Mapping[int, str]:
    """By unit the functions that the checks call with nothing but what functions, or classes, of cells further down give."""
    return _find_measures(tuple(units))


@functools.lru_cache(maxsize=8)
def _find_measures(units: tuple[Unit, ...]) -> Mapping[int, str]:
    cells = {cell: n for n, cell in enumerate(dict.fromkeys(u.cell for u in units))}
    named: dict[str, int] = {}
    for n, u in enumerate(units):
        if u.role != CHECK and u.text.startswith(("def ", "async def ", "class ", "@")):
            node = parse_once(u.text).body[0]
            named |= {node.name: n} if isinstance(node, _DEFINED) else {}
    below = {
        name: {other for other, m in named.items() if cells[units[m].cell] > cells[units[n].cell]}
        for name, n in named.items()
    }
    called: dict[str, list[bool]] = {}
    for call in (n for u in units if u.role == CHECK for n in walk(parse_once(u.text)) if isinstance(n, ast.Call)):
        if isinstance(call.func, ast.Name) and call.func.id in named:
            called.setdefault(call.func.id, []).append(_takes_result(call, below[call.func.id]))
    return {named[name]: name for name, told in called.items() if all(told)}


def _takes_result(call: ast.Call, names: set[str]) -> bool:
    """Whether an argument of a call is what something of these names gives."""
    return any(isinstance(a, ast.Call) and list_names(a.func) & names for a in call.args)
