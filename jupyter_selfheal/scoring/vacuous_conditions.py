"""Conditions that hold (or fail) whatever the data are: a check that was made to pass by asking nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.self_comparisons import compares_with_itself
from jupyter_selfheal.scoring.deletion import walk_trees
from jupyter_selfheal.source import dump_tree


def find_vacuous_conditions(old: Iterable[ast.AST], new: Iterable[ast.AST]) -> Iterator[str]:
    """Say so where the new trees hold a condition that is decided without its data, and the old trees do not."""
    trees, patched = list(old), list(new)
    known = {dump_tree(n) for n in walk_trees(trees) if is_vacuous(n)}
    known |= {
        _read_constants(dump_tree(n)) for n in walk_trees(trees) if isinstance(n, ast.If | ast.IfExp | ast.BoolOp)
    }
    asked = {id(n) for node in walk_trees(patched) for n in _list_asked(node)}
    for node in walk_trees(patched):
        if is_vacuous(node) and dump_tree(node) not in known and (id(node) in asked or not _gives_default(node)):
            yield f"makes the condition `{ast.unparse(node)[:60]}` hold or fail whatever is asked"
            return


def find_filled_displays(before: Iterable[str], after: Iterable[str]) -> Iterator[str]:
    """Say so where a patch asks whether a list that is written out holds: ``assert [x == 3]`` does, whatever ``x`` is. A line that stood there asks what it asked."""
    lines = {line.strip() for source in before for line in source.splitlines()}
    for source in after:
        tree = src.parse(source)
        for node in ast.walk(tree) if tree is not None else ():
            for asked in (n for n in _list_asked(node) if _is_filled(n)):
                if not lines.issuperset(
                    line.strip() for line in source.splitlines()[asked.lineno - 1 : asked.end_lineno]
                ):
                    yield f"asks whether `{ast.unparse(asked)[:60]}` holds, which it does whatever is in it"
                    return


def find_disarmed_asserts(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """Say so where a patch makes an assert hold by what it is made of: a list that is written out, or a comparison that became part of what is called."""
    yield from find_filled_displays(before, after)
    for old, new in zip(before, after, strict=True):
        yield from _find_moved_comparison(old, new)


def _find_moved_comparison(old: str, new: str) -> Iterator[str]:
    """``assert f(1) == 3`` in a cell that does not parse, mended as ``assert f(1 == 3)``: the line was whole by itself."""
    tree = src.parse(new) if src.parse(old) is None else None
    if tree is None:
        return
    lines = [line.strip() for line in old.splitlines()]
    stays = {line.strip() for line in new.splitlines()}
    lost = [a.test for line in lines if line not in stays for a in _read_assert(line)]
    made = [
        n for n in ast.walk(tree) if isinstance(n, ast.Assert) and new.splitlines()[n.lineno - 1].strip() not in lines
    ]
    for was, now in zip(lost, sorted(made, key=lambda n: n.lineno), strict=False):
        if isinstance(was, ast.Compare) and not (
            isinstance(now.test, ast.Compare) and _list_signs(was) == _list_signs(now.test)
        ):
            yield f"no longer compares what `{ast.unparse(was)[:60]}` did"
            return


def _read_assert(line: str) -> list[ast.Assert]:
    tree = src.parse(line) if line.startswith("assert") else None
    return [n for n in tree.body if isinstance(n, ast.Assert)] if tree is not None else []


def _list_signs(test: ast.Compare) -> list[type[ast.cmpop]]:
    return [type(sign) for sign in test.ops]


def _is_filled(node: ast.expr) -> bool:
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return any(not isinstance(n, ast.Starred) for n in node.elts)
    return isinstance(node, ast.Lambda) or (isinstance(node, ast.Dict) and any(node.keys))


def _list_asked(node: ast.AST) -> list[ast.expr]:
    """The expressions of which a node asks whether they hold."""
    if isinstance(node, ast.If | ast.IfExp | ast.While | ast.Assert):
        asked = [node.test]
    elif isinstance(node, ast.comprehension):
        asked = node.ifs
    else:
        asked = [node.operand] if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) else []
    return [*asked, *(value for n in asked if isinstance(n, ast.BoolOp) for value in n.values)]


def _gives_default(node: ast.AST) -> bool:
    """``int(count or 1)``, ``name or "?"``: a value in place of an empty one, where nothing asks whether it holds."""
    last = node.values[-1] if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) else None
    return isinstance(last, ast.Constant) and not isinstance(last.value, bool)


def _read_constants(dumped: str) -> str:
    """A dumped node with Python's constants for other languages' names of them: ``if true:`` asked no more than ``if True:``."""
    for name, value in (("true", "True"), ("TRUE", "True"), ("false", "False"), ("FALSE", "False")):
        dumped = dumped.replace(f"Name '{name}' Load", f"Constant {value} None")
    return dumped


def is_vacuous(node: ast.AST) -> bool:
    """``"" in text``, ``x == x``, ``a or True``, ``a and False``, ``1 if True else a``; not ``x != x``, which is how NaN is told."""
    if isinstance(node, ast.If | ast.IfExp):
        return isinstance(node.test, ast.Constant)
    if isinstance(node, ast.BoolOp):
        decided = isinstance(node.op, ast.Or)
        return any(isinstance(v, ast.Constant) and bool(v.value) is decided for v in node.values)
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return False
    if isinstance(node.ops[0], ast.In | ast.NotIn) and isinstance(node.left, ast.Constant):
        return node.left.value in ("", b"")
    return compares_with_itself(node)
