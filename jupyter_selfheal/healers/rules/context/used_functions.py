"""The notebook's own functions that gave the values which a failing statement uses."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context.rule_context import RuleContext
from jupyter_selfheal.inside.tree_names import read_called_name
from jupyter_selfheal.model import FailureKind


def list_functions_used(context: RuleContext) -> list[str]:
    """Names of functions called where it failed, and of those that gave the names read there their values."""
    _, source, line = context.location
    names: list[str] = []
    if context.failure.kind is FailureKind.MISSED:
        line = max((s.last for s in src.list_statements(context.failure.source)), default=0)
    tree = src.parse(source)
    if tree is None:
        return []
    read: list[str] = []
    for node in ast.walk(tree):
        if getattr(node, "lineno", 0) <= line <= (getattr(node, "end_lineno", 0) or 0):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                names.append(read_called_name(node))
            elif isinstance(node, ast.BinOp | ast.Compare):
                names += _list_operator_methods(node)
            elif isinstance(node, ast.Name):
                read.append(node.id)
            elif isinstance(node, ast.FunctionDef):
                read += [a.arg for a in node.args.args]
                names += _list_arguments_of_callers(context, node)
    for name in read:
        for other in context.list_cells_upwards():
            for node in src.walk(context.source_of(other)):
                if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and name in _list_targets(node):
                    names.append(read_called_name(node.value))
                elif isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp) and name in _list_targets(node):
                    names += _list_operator_methods(node.value)
    return [*(n for n in dict.fromkeys(names) if n), *_list_wrappers(context, names)]


def _list_targets(node: ast.Assign) -> set[str]:
    return {n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name)}


OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow",
    ast.MatMult: "matmul", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor", ast.Eq: "eq", ast.Lt: "lt", ast.Gt: "gt",
}  # fmt: skip
"""What the method is called that an operator calls, without its underscores."""


def _list_operator_methods(node: ast.BinOp | ast.Compare) -> list[str]:
    """Names of the methods that an operation of the notebook's own objects calls."""
    kinds = [node.op] if isinstance(node, ast.BinOp) else node.ops
    return [f"__{OPERATORS[type(k)]}__" for k in kinds if type(k) in OPERATORS]


def _list_wrappers(context: RuleContext, names: list[str]) -> list[str]:
    """Functions that decorators of the notebook put in the place of those named: the one that a decorator returns."""
    wrappers: list[str] = []
    nodes = [n for cell_id in context.list_cells_upwards() for n in src.walk(context.source_of(cell_id))]
    functions = {n.name: n for n in nodes if isinstance(n, ast.FunctionDef)}
    for function in (functions[n] for n in names if n in functions):
        for decorator in (
            functions[d.id] for d in function.decorator_list if isinstance(d, ast.Name) and d.id in functions
        ):
            wrappers += [
                n.value.id for n in walk_own(decorator) if isinstance(n, ast.Return) and isinstance(n.value, ast.Name)
            ]
    return list(dict.fromkeys(wrappers))


def _list_arguments_of_callers(context: RuleContext, function: ast.FunctionDef) -> list[str]:
    """Functions whose results are passed to ``function`` in the failing statement, or where a function of the notebook calls it on the
    way to the failure: ``show(total(x))``."""
    statement = context.failing_statement
    nodes = list(ast.walk(statement)) if statement is not None else []
    for cell_id, line in dict.fromkeys((f.cell_id, f.line) for f in context.failure.frames if f.cell_id):
        at = (n for n in src.walk(context.source_of(cell_id)) if isinstance(n, ast.Call))
        nodes += [n for n in at if n.lineno <= line <= (n.end_lineno or n.lineno)]
    calls = [n for n in nodes if isinstance(n, ast.Call) and read_called_name(n) == function.name]
    return [read_called_name(a) for call in calls for a in call.args if isinstance(a, ast.Call)]


def find_definition(source: str, name: str) -> ast.FunctionDef | None:
    """The one function of a name that a cell defines, a method too; None where there is none, or several."""
    tree = src.parse(source)
    nodes = [n for n in (ast.walk(tree) if tree else ()) if isinstance(n, ast.FunctionDef) and n.name == name]
    return nodes[0] if len(nodes) == 1 else None


def walk_own(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Every node of a function's body, without those of functions and classes inside of it."""
    stack: list[ast.AST] = list(function.body)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            stack.extend(ast.iter_child_nodes(node))


def returns_value(function: ast.FunctionDef) -> bool:
    """Whether it returns something in one place at least."""
    return any(isinstance(n, ast.Return) and n.value is not None for n in walk_own(function))
