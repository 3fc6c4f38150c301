"""Questions to syntax trees that several rules ask."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src

Function = ast.FunctionDef | ast.AsyncFunctionDef
LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


PLAIN_NODES = (
    ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.expr_context, ast.Tuple, ast.List, ast.UnaryOp, ast.unaryop,
    ast.Slice,
)  # fmt: skip
"""What a chain is made of that can be evaluated without running anything of the user's."""


def read_plain_chain(node: ast.AST, source: str) -> str | None:
    """The text of a node that may be evaluated without running anything (no calls), else None."""
    return src.extract_text(source, node) if all(isinstance(n, PLAIN_NODES) for n in ast.walk(node)) else None


def read_dotted_name(node: ast.AST) -> str | None:
    """``a.b.c`` of a chain of attributes on a name; None for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None


def is_truth(node: ast.AST | None, value: bool) -> bool:
    """Whether a node is just ``True``, or just ``False``."""
    return isinstance(node, ast.Constant) and node.value is value


def read_last_name(callee: ast.AST | None) -> str:
    """The last name of a chain: ``c`` of ``a.b.c``, ``f`` of ``f``; empty for anything else."""
    return callee.attr if isinstance(callee, ast.Attribute) else callee.id if isinstance(callee, ast.Name) else ""


def list_attributes_named(tree: ast.AST, name: str) -> list[ast.Attribute]:
    """Every ``….name`` in a tree."""
    return [n for n in ast.walk(tree) if isinstance(n, ast.Attribute) and n.attr == name]


def find_keyword(call: ast.Call, name: str) -> ast.keyword | None:
    """The keyword argument of a name."""
    return next((k for k in call.keywords if k.arg == name), None)


def find_function(source: str, line: int) -> Function | None:
    """The innermost function that holds a line; its decorators belong to it, where Python says that a call too deep begins."""
    functions = (n for n in src.walk(source) if isinstance(n, Function))
    holders = [n for n in functions if min(p.lineno for p in (n, *n.decorator_list)) <= line <= (n.end_lineno or 0)]
    return holders[-1] if holders else None  # breadth-first: a later one is a deeper one


def find_class(source: str, line: int) -> ast.ClassDef | None:
    """The innermost class that holds a line."""
    holders = [n for n in src.walk(source) if isinstance(n, ast.ClassDef) and n.lineno <= line <= (n.end_lineno or 0)]
    return holders[-1] if holders else None


def list_outer_functions(source: str, function: Function) -> Iterator[Function]:
    """The functions of the cell that hold a function."""
    for node in src.walk(source):
        if isinstance(node, Function) and node.lineno < function.lineno <= (node.end_lineno or 0):
            yield node


def list_arguments(function: Function) -> list[ast.arg]:
    """All parameters of a function, starred ones too."""
    a = function.args
    return [*a.posonlyargs, *a.args, *a.kwonlyargs, *(x for x in (a.vararg, a.kwarg) if x)]


def is_held_elsewhere(source: str, name: str, line: int) -> bool:
    """Whether a name at a line is the variable of a loop around it, or a parameter that its function does not read below: bound anew, it leaves
    what is held under another name as it was."""
    loops = (n for n in src.walk(source) if isinstance(n, ast.For) and n.lineno < line <= (n.end_lineno or 0))
    if any(isinstance(t, ast.Name) and t.id == name for n in loops for t in ast.walk(n.target)):
        return True
    function = find_function(source, line)
    if function is None or name not in {a.arg for a in list_arguments(function)}:
        return False
    used = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]
    return not any(n.lineno > line for n in used)


def is_name_called(source: str, name: str) -> bool:
    """True where the cell calls the name."""
    return any(isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == name for n in src.walk(source))


def find_assignment(source: str, name: str, before_line: int = 0) -> ast.Assign | None:
    """The last plain top-level assignment ``name = …`` of a cell (above a line, if one is given)."""
    assignment = None
    for statement in src.list_statements(source):
        node = statement.node
        if before_line and statement.first >= before_line:
            break
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            assignment = node
    return assignment


def read_literal(node: ast.expr) -> tuple[bool, object]:
    """Whether an expression is a literal, and its value."""
    try:
        return True, ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return False, None


def shows_name(source: str, name: str) -> bool:
    """Whether a cell has an expression of its own that reads a name: ``df.head()``, ``print(df)``."""
    shown = (n for n in src.walk(source) if isinstance(n, ast.Expr))
    return any(isinstance(n, ast.Name) and n.id == name for e in shown for n in ast.walk(e))
