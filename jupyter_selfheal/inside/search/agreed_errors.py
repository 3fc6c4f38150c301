"""By how much a function's numbers are off, where all checks of it agree: ``212`` for ``180`` and ``32`` for ``0`` lack the same 32.

One check is met by some number always; two that ask for different ones, and agree, say which number is missing.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Mapping

from jupyter_selfheal.inside.search.compared_sides import find_compared_sides
from jupyter_selfheal.inside.search.parsed_once import parse_once
from jupyter_selfheal.inside.search.program import CHECK, Program
from jupyter_selfheal.inside.tree_names import walk

FEWEST = 2
"""Checks with different results that must agree."""
DIGITS = 9
"""Significant digits in which they agree: what binary fractions leave of a decimal number."""


def find_agreed_errors(program: Program, given: Mapping[str, Mapping[str, float]]) -> dict[str, tuple[float, float]]:
    """By function, what every checked number lacks, and by what each would have to be multiplied; 0 for what they do not agree on. ``given`` are
    the numbers that the functions gave, by their arguments as they are written."""
    pairs: dict[str, dict[str, tuple[float, float]]] = {}
    for name, arguments, wanted in _list_asked(program) if given else ():
        if arguments in given.get(name, {}):
            pairs.setdefault(name, {})[arguments] = (given[name][arguments], wanted)
    agreed = {name: _agree(found) for name, found in pairs.items()}
    return {name: error for name, error in agreed.items() if any(error)}


def _agree(found: Mapping[str, tuple[float, float]]) -> tuple[float, float]:
    """What the checks of a function agree on, of which two that differ in each argument tell a factor: one that stands still may be what is missing.

    What is added may hang on several at once (``2 * (w + h)``): that takes a check more than there are arguments. One more or less is a slip by itself.
    Where nothing that is expected is less than 0, and something is 0, less may be taken off so that it stays 0 below (an allowance).
    """
    pairs = list(found.values())
    columns = list(itertools.zip_longest(*(ast.literal_eval(arguments) for arguments in found)))
    is_varied = all(len(set(map(repr, column))) > 1 for column in columns)
    if not is_varied or len({wanted for _, wanted in pairs}) < FEWEST or len({now for now, _ in pairs}) < FEWEST:
        return 0, 0
    lack = _find_common([wanted - now for now, wanted in pairs])
    lack = 0 if lack < 0 == min(wanted for _, wanted in pairs) else lack
    share = _find_common([wanted / now if now else 0 for now, wanted in pairs])
    return lack if len(pairs) > len(columns) or abs(lack) == 1 else 0, share


def _find_common(numbers: list[float]) -> float:
    return numbers[0] if len({f"{n:.{DIGITS}g}" for n in numbers}) == 1 else 0


def _list_asked(program: Program) -> Iterator[tuple[str, str, float]]:
    """The function, its arguments as they are written and the number, of each assert that compares such a call with a number."""
    for text in (*program.checks, *(u.text for u in program.units if u.role == CHECK or u.tests)):
        for node in walk(parse_once(text)):
            if isinstance(node, ast.Assert):
                sides = find_compared_sides(node.test)
                for call, number in zip(sides, sides[::-1], strict=True):
                    wanted = _read_literal(number)
                    match call:
                        case ast.Call(ast.Name(name), arguments, []) if isinstance(wanted, int | float):
                            written = _read_literal(ast.Tuple(arguments, ast.Load()))
                            if written is not None:
                                yield name, repr(written), wanted


def _read_literal(node: ast.expr) -> object:
    """What a literal says; None for anything else."""
    try:
        value: object = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return None
    return None if isinstance(value, bool) else value
