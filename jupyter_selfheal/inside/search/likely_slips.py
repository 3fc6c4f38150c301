"""The slips that somebody may have made in a function as it stands: each as an edit of its text, and whether it turns a condition round.

They are those of mutation analysis that leave a function that runs: a condition, or a part of one, turned round or left out, a
boundary, an operator, a number, an index or a bound one beside, `min` for `max`, a statement left out.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from jupyter_selfheal.inside.positions import LineTable, splice
from jupyter_selfheal.inside.tree_names import is_constant_alone, is_number, read_called_name

_OPPOSITE: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt, ast.GtE), ast.Gt: (ast.GtE, ast.Lt), ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.In: (ast.NotIn,), ast.NotIn: (ast.In,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,),
}  # fmt: skip
_TURNS = (ast.Eq, ast.NotEq, ast.In, ast.NotIn, ast.Is, ast.IsNot)
_OTHER: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.Mod: ast.FloorDiv,
}  # fmt: skip
_TYPED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.AnnAssign)
_KEPT = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Pass, ast.Import, ast.ImportFrom)
_TELLERS = frozenset({"print", "debug", "info", "warning", "warn"})
Change = Callable[[ast.AST], ast.AST | None]
"""Makes of a copy of a node what a slip would have made of it; what stands within it is shared, and is not to be changed."""


@dataclass(frozen=True, slots=True)
class Slip:
    """The text with a slip; what stands there (``old``) and what would (``new``), whether a condition is ``turned`` round, or the order in which
    something is put together, the line in which it stands, and whether it returns another result that is made and read nowhere (``other``)."""

    text: str
    old: str
    new: str
    turned: bool
    reversed: bool = False
    line: str = ""
    other: bool = False


def list_slips(text: str) -> Iterator[Slip]:
    """The slips that may have been made in a definition, in the order in which they stand there."""
    table, lines = LineTable(text), text.splitlines()
    for node, is_asked in _walk(ast.parse(text)):
        for turned, change in _list_changes(node, is_asked):
            made = change(copy.copy(node))
            start = table.offset(node.lineno, node.col_offset)  # type: ignore[attr-defined]
            end = table.offset(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
            new = ast.unparse(ast.fix_missing_locations(made)) if made is not None else "pass"
            written = f"({new})" if isinstance(node, ast.expr) else new
            line = lines[node.lineno - 1].strip()  # type: ignore[attr-defined]
            put = splice(text, [(start, end, written)])
            yield Slip(put, text[start:end], new if made is not None else "", turned, line=line)
    yield from _list_reversed(text, table)
    yield from _list_other_results(text, table)


def _list_other_results(text: str, table: LineTable) -> Iterator[Slip]:
    """``return low`` for ``return high``, where a function makes ``low`` too and reads it nowhere."""
    for function in (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)):
        names = [n for n in ast.walk(function) if isinstance(n, ast.Name)]
        read = {n.id for n in names if isinstance(n.ctx, ast.Load)}
        unread = {n.id: None for n in names if isinstance(n.ctx, ast.Store) and n.id not in read and n.id[0] != "_"}
        for node in ast.walk(function):
            if isinstance(node, ast.Return) and isinstance(node.value, ast.Name):
                start = table.offset(node.lineno, node.col_offset)
                end = table.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
                for name in unread:
                    made = splice(text, [(start, end, f"return {name}")])
                    yield Slip(made, text[start:end], f"return {name}", False, False, text[start:end], True)


def _list_reversed(text: str, table: LineTable) -> Iterator[Slip]:
    """By the variable that something is put together in, the same from its other end, in all places of a function at once."""
    for function in (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)):
        places: dict[str, list[tuple[ast.stmt, ast.stmt]]] = {}
        for node in ast.walk(function):
            name, moved = _reverse_order(node)
            if moved is not None:
                places.setdefault(name, []).append((node, ast.fix_missing_locations(moved)))  # type: ignore[arg-type]
        for pairs in places.values():
            edits = []
            for old, new in pairs:
                start = table.offset(old.lineno, old.col_offset)
                end = table.offset(old.end_lineno or old.lineno, old.end_col_offset or 0)
                edits.append((start, end, ast.unparse(new)))
            start, end, written = edits[0]
            yield Slip(splice(text, sorted(edits)), text[start:end], written, False, True)


def _walk(node: ast.AST, is_asked: bool = False) -> Iterator[tuple[ast.AST, bool]]:
    """The nodes whose text can be put anew, each before those within it, and whether what it is decides which way the code goes. Not looked into
    are formatted texts, where positions hang on the release of Python, what is said of types, and a question on which only hangs what is printed."""
    if isinstance(node, ast.If) and all(map(_is_told, [*node.body, *node.orelse])):
        return
    if hasattr(node, "lineno"):
        yield node, is_asked
    for name, value in ast.iter_fields(node):
        if name in ("args", "returns", "annotation", "decorator_list", "type_params") and isinstance(node, _TYPED):
            continue
        asked = name in ("test", "ifs") and not isinstance(node, ast.While | ast.Assert)
        asked = asked or (isinstance(node, ast.BoolOp) and name == "values")
        for child in value if isinstance(value, list) else (value,):
            if isinstance(child, ast.AST) and not isinstance(child, ast.JoinedStr):
                yield from _walk(child, asked)


def _is_told(node: ast.stmt) -> bool:
    """``print(x)`` and ``log.info(x)``."""
    return isinstance(node, ast.Expr) and read_called_name(node.value) in _TELLERS


def _list_changes(node: ast.AST, is_asked: bool) -> Iterator[tuple[bool, Change]]:
    """Of a node what may have been slipped in it, and whether that turns a condition round."""
    is_turned = isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], _TURNS)
    if is_asked and not is_turned:
        yield True, _negate
    if isinstance(node, ast.stmt) and not isinstance(node, _KEPT) and not is_constant_alone(node):
        yield False, lambda _: None
    if isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield False, lambda twin: _set_field(twin, "op", other)
        for n in range(len(node.values)):
            yield False, lambda twin, n=n: _drop_value(twin, n)  # type: ignore[misc]
    elif isinstance(node, ast.Compare):
        for n, op in enumerate(node.ops):
            for new in _OPPOSITE[type(op)]:
                yield isinstance(op, _TURNS), lambda twin, n=n, new=new: _replace_item(twin, "ops", n, lambda _: new())  # type: ignore[misc]
    elif isinstance(node, ast.Constant):
        if type(node.value) is bool:
            yield False, lambda twin: ast.Constant(not twin.value)  # type: ignore[attr-defined]
        elif type(node.value) is int:
            yield from ((False, lambda twin, by=by: ast.Constant(twin.value + by)) for by in (1, -1))
    elif isinstance(node, ast.BinOp | ast.AugAssign) and (operator := _OTHER.get(type(node.op))):
        yield False, lambda twin: _set_field(twin, "op", operator())
    elif isinstance(node, ast.Subscript):
        yield from _list_changes_of_index(node)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        yield from _list_changes_of_call(node, node.func.id)


def _reverse_order(node: ast.AST) -> tuple[str, ast.stmt | None]:
    """``out = x + out`` for ``out += x``, and ``out.insert(0, x)`` for ``out.append(x)``, with the name; nothing for another statement, and for numbers."""
    match node:
        case ast.AugAssign(ast.Name(name), ast.Add(), value) if not is_number(value):
            return name, ast.Assign([ast.Name(name)], ast.BinOp(value, ast.Add(), ast.Name(name)))
        case ast.Assign([ast.Name(name)], ast.BinOp(ast.Name(own), ast.Add(), value)) if own == name and not is_number(
            value
        ):
            return name, ast.Assign([ast.Name(name)], ast.BinOp(value, ast.Add(), ast.Name(name)))
        case ast.Assign([ast.Name(name)], ast.BinOp(value, ast.Add(), ast.Name(own))) if own == name and not is_number(
            value
        ):
            return name, ast.Assign([ast.Name(name)], ast.BinOp(ast.Name(name), ast.Add(), value))
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(name), "append"), [item], [])):
            return name, ast.Expr(ast.Call(ast.Attribute(ast.Name(name), "insert"), [ast.Constant(0), item], []))
    return "", None


def _list_changes_of_index(node: ast.Subscript) -> Iterator[tuple[bool, Change]]:
    if isinstance(node.slice, ast.Slice):
        for bound in ("lower", "upper"):
            if getattr(node.slice, bound) is not None:
                for by in (1, -1):
                    yield (
                        False,
                        lambda twin, b=bound, by=by: _set_field(twin, "slice", _move(copy.copy(twin.slice), b, by)),  # type: ignore[misc]
                    )
    elif not isinstance(node.slice, ast.Tuple | ast.Constant):
        yield from ((False, lambda twin, by=by: _move(twin, "slice", by)) for by in (1, -1))


def _list_changes_of_call(node: ast.Call, name: str) -> Iterator[tuple[bool, Change]]:
    if name in ("min", "max"):
        yield False, lambda twin: _set_field(twin, "func", ast.Name("max" if name == "min" else "min"))
    elif name == "range":
        for n, given in enumerate(node.args[:2]):
            for by in (1, -1) if not isinstance(given, ast.Constant) else ():
                yield False, lambda twin, n=n, by=by: _replace_item(twin, "args", n, lambda a: _add(a, by))  # type: ignore[misc]


def _set_field(node: ast.AST, name: str, value: object) -> ast.AST:
    setattr(node, name, value)
    return node


def _replace_item(node: ast.AST, name: str, at: int, change: Callable[[ast.AST], ast.AST]) -> ast.AST:
    items = getattr(node, name)
    return _set_field(node, name, [change(item) if n == at else item for n, item in enumerate(items)])


def _drop_value(node: ast.AST, at: int) -> ast.AST:
    assert isinstance(node, ast.BoolOp)
    left = [value for n, value in enumerate(node.values) if n != at]
    return _set_field(node, "values", left) if len(left) > 1 else left[0]


def _negate(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.expr)
    is_not = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    return node.operand if is_not else ast.UnaryOp(ast.Not(), node)  # type: ignore[attr-defined]


def _move(node: ast.AST, name: str, by: int) -> ast.AST:
    return _set_field(node, name, _add(getattr(node, name), by))


def _add(node: ast.AST, by: int) -> ast.expr:
    """An expression and a number more: ``i + 1`` and 1 less are ``i``."""
    assert isinstance(node, ast.expr)
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return ast.Constant(node.value + by)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        right = node.right
        if isinstance(right, ast.Constant) and type(right.value) is int:
            moved = (right.value if isinstance(node.op, ast.Add) else -right.value) + by
            return _join(node.left, moved) if moved else node.left
    return _join(node, by)


def _join(left: ast.expr, number: int) -> ast.expr:
    return ast.BinOp(left, ast.Add() if number > 0 else ast.Sub(), ast.Constant(abs(number)))
