"""ASR101: a default value that every call shares is changed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.inside.tree_names import list_names
from jupyter_selfheal.model import Applicability, Patch

CHANGES = frozenset({"append", "extend", "insert", "add", "update", "setdefault", "pop", "remove", "clear", "sort"})


class MutableDefault(Rule):
    """Make a changed default value anew for each call.

    **Failure** `AssertionError` where a function of the notebook that the statement calls has a default like `items=[]`, and
    changes it: the second call finds what the first one left. So does a class whose `__init__` keeps such a default.

    **Fix** The default is `None`, and the body begins with `if items is None: items = []`.

    **Fix safety** Unsafe: the assert must show that this was the fault, and a default that is shared may be meant as a cache.
    """

    code = "ASR101"
    name = "mutable default"
    stage = Stage.STATE
    enames = frozenset({"AssertionError"})
    applicability = Applicability.UNSAFE
    why = "Each call begins with a value of its own; whether the shared one was meant, only a check can tell."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        statement = context.failing_statement
        called = list_names(statement) if statement is not None else set()
        own = [thing for thing in context.describe_all(sorted(called)) if thing.module == "__main__"]
        classes = called | {thing.type for thing in own}
        for cell_id in (
            *(c.id for c in context.notebook.list_code_before(context.failure.cell_id)),
            context.failure.cell_id,
        ):
            source = context.source_of(cell_id)
            for node in src.walk(source):
                if isinstance(node, ast.FunctionDef) and node.name in called:
                    for argument, default in _list_shared_defaults(node):
                        yield self._build_patch(context, cell_id, node, argument, default)
                elif isinstance(node, ast.ClassDef) and node.name in classes:
                    for maker in (m for m in node.body if isinstance(m, ast.FunctionDef) and m.name == "__init__"):
                        for argument, default in _list_kept_defaults(node, maker):
                            yield self._build_patch(context, cell_id, maker, argument, default)

    def _build_patch(
        self, context: RuleContext, cell_id: str, node: ast.FunctionDef, argument: str, default: ast.expr
    ) -> Patch:
        source = context.source_of(cell_id)
        docstring = ast.get_docstring(node, clean=False) is not None and len(node.body) > 1
        first = node.body[1 if docstring else 0]
        start = src.find_span(source, first)[0]
        indent = source[source.rfind("\n", 0, start) + 1 : start]
        made = f"if {argument} is None:\n{indent}    {argument} = {src.extract_text(source, default)}\n{indent}"
        changes = [(*src.find_span(source, default), "None"), (start, start, made)]
        return self.patch(
            context.replace(cell_id, changes) if not indent.strip() else (),
            f"Create `{argument}` anew in each call of `{node.name}`",
            f"`{node.name}` changes its default `{argument}={src.extract_text(source, default)}`, which all calls share.",
            prior=0.9,
        )


def _list_shared_defaults(node: ast.FunctionDef) -> Iterator[tuple[str, ast.expr]]:
    """Parameters whose default is an empty list, dictionary or set that the body changes."""
    for argument, default in _list_empty_defaults(node):
        if any(_changes_in_place(n, argument) for n in ast.walk(node)):
            yield argument, default


def _list_kept_defaults(owner: ast.ClassDef, maker: ast.FunctionDef) -> Iterator[tuple[str, ast.expr]]:
    """Those of ``__init__`` that become an attribute which the class changes."""
    for argument, default in _list_empty_defaults(maker):
        kept = {
            t.attr for n in ast.walk(maker)
            if isinstance(n, ast.Assign) and isinstance(n.value, ast.Name) and n.value.id == argument
            for t in n.targets if isinstance(t, ast.Attribute)
        }  # fmt: skip
        if any(_changes_in_place(n, name) for n in ast.walk(owner) for name in kept):
            yield argument, default


def _list_empty_defaults(node: ast.FunctionDef) -> Iterator[tuple[str, ast.expr]]:
    """Parameters with an empty list, dictionary or set as default."""
    a = node.args
    positional = [*a.posonlyargs, *a.args]
    pairs = [*zip(positional[len(positional) - len(a.defaults) :], a.defaults, strict=True)]
    pairs += [(k, d) for k, d in zip(a.kwonlyargs, a.kw_defaults, strict=True) if d is not None]
    for argument, default in pairs:
        if _is_empty(default):
            yield argument.arg, default


def _is_empty(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ("list", "dict", "set") and not node.args
    return (isinstance(node, ast.List) and not node.elts) or (isinstance(node, ast.Dict) and not node.keys)


def _changes_in_place(node: ast.AST, name: str) -> bool:
    """True for ``name.append(…)``, ``name[…] = …``, ``name += …``, of a variable or an attribute."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in CHANGES and read_last_name(node.func.value) == name
    if isinstance(node, ast.Assign):
        return any(isinstance(t, ast.Subscript) and read_last_name(t.value) == name for t in node.targets)
    if not isinstance(node, ast.AugAssign):
        return False
    changed = node.target.value if isinstance(node.target, ast.Subscript) else node.target
    return read_last_name(changed) == name
