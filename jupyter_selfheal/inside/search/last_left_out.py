"""A loop by index that a patch ends one item sooner, though it reads no item behind the one it is at, and a part that is read in place of a whole: an item is left out."""

from __future__ import annotations

import ast
import contextlib
from collections import Counter
from collections.abc import Iterator

from jupyter_selfheal.inside.search.mutations.numbers_in_texts import LEFT_OUT, NOT_FOUND
from jupyter_selfheal.inside.search.parsed_once import parse_once
from jupyter_selfheal.inside.search.program import Program
from jupyter_selfheal.inside.tree_names import is_name, walk

_SEVERAL = 2
"""Items that are expected together, from which they tell how many there are."""


def find_last_left_out(old: str, new: str) -> str:
    """The `range` of the new text, and of no loop of the old one, that stops before the last item, where nothing in its function takes the next one or the
    last one: ``range(len(xs) - 1)`` or ``range(len(xs[1:]))`` beside ``xs[i]`` alone; empty where there is none."""
    known = {text for _, _, text in _list_shortened(parse_once(old))}
    for function, loop, text in _list_shortened(parse_once(new)):
        if text not in known and not any(_reads_behind(n, loop.target) for n in walk(function)):
            return text
    return ""


def find_end_left_out(old: str, new: str) -> str:
    """``xs[1:]`` or ``xs[:-1]`` where the new text of a function reads nothing else of ``xs``, and the old one read ``xs``: what the item at that
    end is, nothing asks any more; empty where there is none."""
    was = {f.name: _count_whole_reads(f) for f in walk(parse_once(old)) if isinstance(f, ast.FunctionDef)}
    for function in walk(parse_once(new)):
        if not isinstance(function, ast.FunctionDef):
            continue
        now = _count_whole_reads(function)
        for node in walk(function):
            match node:
                case ast.Subscript(
                    ast.Name(name),
                    ast.Slice(ast.Constant(1), None, None)
                    | ast.Slice(None, ast.UnaryOp(ast.USub(), ast.Constant(1)), None),
                ) if was.get(function.name, now)[name] and not now[name]:
                    return ast.unparse(node)
    return _find_end_of_loop_left_out(parse_once(old), parse_once(new))


def describe_left_out(words: str, program: Program, items: int) -> str:
    """The doubt about items that are left out as a pattern is not found in them, or they have no value, where nothing that is expected holds as much as
    the items that are left: the greatest of them is the same where the pattern is at fault. Empty where the ``words`` of a change say no such thing."""
    if NOT_FOUND not in words and LEFT_OUT not in words:
        return ""
    printed = [node for line in program.stdout.splitlines() if (node := _read_line(line)) is not None]
    items = max([items, *(len(getattr(node, "elts", getattr(node, "keys", ()))) for node in printed)])
    # the two greatest of them are two items, whatever else is left out
    is_cut = any(isinstance(n, ast.Slice) for u in program.units for n in walk(parse_once(u.text)))
    other = "a 0 may be meant" if LEFT_OUT in words else "texts without it may be meant to be read by another pattern"
    return "" if items >= _SEVERAL and not is_cut else other


def _read_line(line: str) -> ast.AST | None:
    with contextlib.suppress(SyntaxError, ValueError):
        return ast.parse(line.strip(), mode="eval").body
    return None


def _find_end_of_loop_left_out(old: ast.AST, new: ast.AST) -> str:
    """``[int(t) for t in texts[:-1]]`` of a cell that went through ``texts``: the item that fails is left out, and what it should give is not known."""
    was, now = _count_whole_reads(old), _count_whole_reads(new)
    for loop in walk(new):
        match loop:
            case ast.FunctionDef():
                return ""
            case ast.For(iter=through) | ast.comprehension(iter=through) | ast.Call(ast.Name("map"), [_, through]):
                if one := _find_one_of_all(through, old):
                    return one
                for part in walk(through):
                    match part:
                        case ast.Call(ast.Name("zip" | "range" | "pairwise" | "zip_longest")):
                            break
                        case ast.Subscript(ast.Name(name), index) if (
                            _leaves_items_out(index) and was[name] > now[name] == 0
                        ):
                            return ast.unparse(part)
                        case ast.Subscript(ast.Call() as owner, index) if _leaves_items_out(index) and any(
                            ast.dump(n) == ast.dump(owner) for n in _list_gone_through(old)
                        ):
                            return ast.unparse(part)
    return ""


def _find_one_of_all(through: ast.expr, old: ast.AST) -> str:
    """``for c in codes[-1]`` of a cell that went through ``codes``: the letters of one text, in place of the texts."""
    match through:
        case ast.Subscript(ast.Name(name), ast.Constant(int()) | ast.UnaryOp(ast.USub(), ast.Constant(int()))):
            return ast.unparse(through) if any(is_name(n, name) for n in _list_gone_through(old)) else ""
    return ""


def _list_gone_through(tree: ast.AST) -> list[ast.expr]:
    return [n.iter for n in walk(tree) if isinstance(n, ast.For | ast.comprehension)]


def _leaves_items_out(index: ast.expr) -> bool:
    """A slice by written numbers, but for ``[::-1]``, which holds all."""
    if not isinstance(index, ast.Slice):
        return False
    bounds = [b for b in (index.lower, index.upper, index.step) if b is not None]
    is_whole = index.lower is index.upper is None and ast.unparse(index) in (":", "::-1")
    return not is_whole and not any(isinstance(n, ast.Name) for b in bounds for n in walk(b))


def _count_whole_reads(function: ast.AST) -> Counter[str]:
    """How often each name is read, but for parts of it that are cut out by a slice."""
    cut = {id(n.value) for n in walk(function) if isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Slice)}
    names = (n for n in walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    return Counter(n.id for n in names if id(n) not in cut)


def _list_shortened(tree: ast.AST) -> Iterator[tuple[ast.AST, ast.For, str]]:
    """(function, loop, its range) of each loop through ``range(len(xs) - 1)``, or through the places of a part of ``xs``."""
    for function in walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in walk(function):
            match node:
                case ast.For(
                    ast.Name(),
                    ast.Call(ast.Name("range"), [ast.BinOp(ast.Call(ast.Name("len")), ast.Sub(), ast.Constant(1))]),
                ):
                    yield function, node, ast.unparse(node.iter)
                case ast.For(
                    ast.Name(),
                    ast.Call(ast.Name("range"), [ast.Call(ast.Name("len"), [ast.Subscript(_, ast.Slice())])]),
                ):
                    yield function, node, ast.unparse(node.iter)


def _reads_behind(node: ast.AST, index: ast.expr) -> bool:
    """Whether something is ``i + 1``, or takes an item from the end."""
    match node:
        case ast.BinOp(ast.Name(name), ast.Add()) | ast.BinOp(_, ast.Add(), ast.Name(name)):
            return isinstance(index, ast.Name) and name == index.id
        case ast.Subscript(_, ast.UnaryOp(ast.USub()) | ast.BinOp(ast.Call(), ast.Sub())):
            return True
    return False
