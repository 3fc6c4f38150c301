"""Python 2 in the syntax of Python 3, by fissix' fixers (the maintained lib2to3, which is loaded when it is first asked)."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from functools import cache
from typing import Any

from jupyter_selfheal.source.binding import find_root_name
from jupyter_selfheal.source.source import read

SYNTAX = ("print", "exec", "except", "raise", "repr", "ne", "numliterals", "tuple_params", "throw")
"""Fixers of what no longer parses."""

DIVISION = re.compile(r"from[ \t]+__future__[ \t]+import[^#\n]*\bdivision\b")
"""With it a `/` is Python 3's."""

FLOATS = frozenset({"sqrt", "exp", "log", "log10", "log2", "mean", "std", "var", "sin", "cos", "tan", "pi", "e", "rand", "randn", "random", "linspace", "uniform", "normal"})  # fmt: skip
"""What modules of mathematics give with a point, whatever they are given."""


@cache
def _load_refactoring(fixers: tuple[str, ...], print_function: bool) -> Any:
    from fissix.refactor import RefactoringTool, get_fixers_from_package

    known = set(get_fixers_from_package("fissix.fixes"))
    wanted = [f"fissix.fixes.fix_{name}" for name in fixers]
    return RefactoringTool([w for w in wanted if w in known], {"print_function": print_function})


def refactor(source: str, fixers: tuple[str, ...]) -> str | None:
    """The source after some of fissix' fixers; None where it cannot read it."""
    masked, kept = _replace_magics(source)
    masked = re.sub(r"\b[uU][rR](?=['\"])", "r", masked)
    try:
        tree = _load_refactoring(fixers, "print" not in fixers).refactor_string(masked + "\n", "<cell>")
    except Exception:  # lib2to3's driver raises ParseError, TokenError and others for what it cannot read
        return None
    text = str(tree).removesuffix("\n")
    text = _drop_doubled_brackets(text) if "print" in fixers else text
    for number, line in kept.items():
        text = text.replace(f"_selfheal_magic_{number}_", line)
    return text


def _drop_doubled_brackets(text: str) -> str:
    """``print((a % b))``: the fixer puts brackets around those that the statement had. A tuple and what ``yield`` gives keep them."""
    parsed = read(text)
    doubled: list[int] = []
    for call in parsed.nodes:
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "print"):
            continue
        if (
            call.keywords
            or len(call.args) != 1
            or isinstance(call.args[0], ast.Tuple | ast.GeneratorExp | ast.Yield | ast.YieldFrom)
        ):
            continue
        start, end = parsed.find_span(call.func)[1], parsed.find_span(call)[1]
        inner, behind = parsed.find_span(call.args[0])
        if text[start : start + 2] == "((" and text[end - 2 : end] == "))" and start + 2 <= inner and behind <= end - 2:
            doubled += [start + 1, end - 2]
    return "".join(c for at, c in enumerate(text) if at not in set(doubled))


def _replace_magics(source: str) -> tuple[str, dict[int, str]]:
    """The source with IPython's lines replaced by names that no cell has, and those lines without their indentation."""
    kept: dict[int, str] = {}
    matches = []
    for number, (line, masked) in enumerate(zip(source.split("\n"), read(source).masked_text.split("\n"), strict=True)):
        if line != masked:
            kept[number] = line.lstrip()
            line = line[: len(line) - len(line.lstrip())] + f"_selfheal_magic_{number}_"
        matches.append(line)
    return "\n".join(matches), kept


def is_float(node: ast.expr, modules: Collection[str], floats: Collection[str] = ()) -> bool:
    """Whether a value has a point by its text, given the names of modules, and those of values that have one."""
    match node:
        case ast.Constant(value=float()):
            return True
        case ast.Name(id=name):
            return name in floats
        case ast.UnaryOp(operand=operand):
            return is_float(operand, modules, floats)
        case ast.BinOp(left=left, right=right, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div() | ast.Pow()):
            return is_float(left, modules, floats) or is_float(right, modules, floats)
        case ast.Call(func=ast.Name(id="float")):
            return True
        case ast.Call(func=ast.Attribute(value=owner, attr=name)) | ast.Attribute(value=owner, attr=name):
            return name in FLOATS and find_root_name(owner) in modules
    return False


def may_be_whole(node: ast.AST, modules: Collection[str], floats: Collection[str] = ()) -> bool:
    """Whether a node is a division of which no side has a point by its text: Python 2 may have given a whole number."""
    match node:
        case ast.BinOp(op=ast.Div(), left=left, right=right) | ast.AugAssign(op=ast.Div(), target=left, value=right):
            return not any(is_float(side, modules, floats) for side in (left, right))
    return False
