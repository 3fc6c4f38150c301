"""A collection that all instances of a class share, because the class makes it and no ``__init__`` does."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.scope import Change, Scope

_EMPTY = ("[]", "{}", "set()", "list()", "dict()")
_FILLS = frozenset({"append", "add", "extend", "insert", "update", "appendleft", "setdefault"})


def propose_own_collection(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``self.items = []`` in ``__init__`` for ``items = []`` of the class, which methods fill: all instances share that one list.

    Not where anything reads it of the class itself, where other classes go on from this one, or where a beginning of its own would
    take the place of one that is inherited or generated.
    """
    if not isinstance(node, ast.ClassDef) or node.name in s.hints.extended:
        return
    begins = next((n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)
    if begins is None and (node.bases or node.keywords or node.decorator_list):
        return
    shared = s.hints.of_classes | find_class_reads([node])[0] | _find_bare_reads(node)
    for made in node.body:
        if not isinstance(made, ast.Assign) or len(made.targets) != 1 or not isinstance(made.targets[0], ast.Name):
            continue
        name, text = made.targets[0].id, s.text_of(made.value)
        lines = _list_uses(node, name) if text in _EMPTY and name not in shared and has_line_of_its_own(s, made) else ()
        edits = _move_into(s, made, begins, f"self.{name} = {text}")
        words = f"all instances of `{node.name}` share the one `{name}` of the class"
        yield from (Change(edits, 0.9, line, words) for line in lines if edits)


def has_line_of_its_own(s: Scope, made: ast.stmt) -> bool:
    """Whether a statement has its line for itself; a comment may stand behind it."""
    behind = s.text[s.end_of(made) : s.find_line_span(made)[1]].strip()
    return s.read_indent(made) is not None and (not behind or behind.startswith("#"))


def _move_into(s: Scope, made: ast.stmt, begins: ast.FunctionDef | None, text: str) -> tuple[Edit, ...]:
    """The edits that put ``text`` into ``__init__``, behind its docstring, in place of the statement; none where it has no line for it."""
    indent, (start, end, _) = s.read_indent(made), s.find_line_span(made)
    if begins is None:
        return ((start, end, f"{indent}def __init__(self):\n{indent}    {text}\n"),)
    first = begins.body[0]
    arguments = [*begins.args.posonlyargs, *begins.args.args]
    inner = s.read_indent(first)
    if inner is None or not arguments or arguments[0].arg != "self":
        return ()
    if not (isinstance(first, ast.Expr) and s.is_doc(first.value)):
        at = s.find_line_span(first)[0]
    elif has_line_of_its_own(s, first):
        at = s.find_line_span(first)[1]
    else:
        return ()
    pad = "\n" if at and s.text[at - 1] != "\n" else ""
    return (start, end, ""), (at, at, f"{pad}{inner}{text}\n")


def find_class_reads(trees: Iterable[ast.AST]) -> tuple[frozenset[str], frozenset[str]]:
    """The attributes that are read of a class itself (``Item.made``, ``cls.made``, ``type(x).made``) or set from outside (``item.made = 1``), and the
    classes that others extend."""
    nodes = [n for tree in trees for n in ast.walk(tree)]
    classes = {n.name for n in nodes if isinstance(n, ast.ClassDef)} | {"cls"}
    reads: set[str] = set()
    for n in nodes:
        match n:
            case (
                ast.Attribute(value=ast.Name(owner), attr=attr)
                | ast.Call(func=ast.Name("getattr" | "setattr"), args=[ast.Name(owner), ast.Constant(str(attr)), *_])
            ) if owner in classes:
                reads.add(attr)
            case ast.Attribute(
                value=ast.Attribute(attr="__class__") | ast.Call(func=ast.Name("type" | "super")), attr=attr
            ):
                reads.add(attr)
            case ast.Attribute(ast.Name(owner), attr, ast.Store()) if owner != "self":
                reads.add(attr)
    extended = {b.id for n in nodes if isinstance(n, ast.ClassDef) for b in n.bases if isinstance(b, ast.Name)}
    return frozenset(reads), frozenset(extended)


def _find_bare_reads(node: ast.ClassDef) -> set[str]:
    """The names that the body of a class reads itself, defaults and decorators of its methods among them, but no method's body."""
    parts: list[ast.AST] = []
    for n in node.body:
        parts += [n.args, *n.decorator_list] if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef) else [n]
    names = (n for part in parts for n in ast.walk(part) if isinstance(n, ast.Name))
    return {n.id for n in names if isinstance(n.ctx, ast.Load)}


def _list_uses(node: ast.ClassDef, name: str) -> tuple[int, ...]:
    """The lines of methods that read ``self.name``, where one of them changes it in place and none makes it its own: they run, the line of
    the class does not, and the most suspicious of them counts."""
    own = f"self.{name}"
    nodes = [n for m in node.body if isinstance(m, ast.FunctionDef) for n in ast.walk(m)]
    uses = [n for n in nodes if isinstance(n, ast.Attribute) and ast.unparse(n) == own]
    filled = [
        n.func.value
        for n in nodes
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in _FILLS
    ]
    filled += [n.value for n in nodes if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)]
    if any(isinstance(n.ctx, ast.Store) for n in uses) or not any(n in filled for n in uses):
        return ()
    return tuple(dict.fromkeys(n.lineno for n in uses))
