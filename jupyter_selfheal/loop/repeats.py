"""What running a cell again does a second time. Pure.

An approved fix runs the whole cell, of which a part ran before it failed: a list that it appended to grows twice. That is
read off the source of what ran, with the functions of the notebook that it calls, and errs towards saying it: a method whose
result is thrown away is taken to change what it is called on. What the cell made itself is made anew, and repeats nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from jupyter_selfheal import source as src
from jupyter_selfheal.loop import plan
from jupyter_selfheal.loop.capabilities import DELETION, SUBPROCESS, WRITES
from jupyter_selfheal.loop.consent import find_capabilities
from jupyter_selfheal.model import Case, FailureKind, Notebook, Patch, RunCells

_LASTING = {DELETION: "deletes files", SUBPROCESS: "starts another program", WRITES: "writes files"}

_CHANGING = frozenset({
    "append", "extend", "insert", "remove", "pop", "popleft", "popitem", "appendleft", "extendleft", "clear",
    "update", "setdefault", "add", "discard", "sort", "reverse", "read", "readline", "readlines", "recv",
    "fetchone", "fetchmany", "fetchall", "write", "writelines", "writerow", "writerows", "execute",
    "executemany", "commit", "send", "sendall", "sendmail", "send_message", "post", "put", "patch", "delete",
    "seek", "close", "__next__",
})  # fmt: skip
"""Methods that change what they are called on, or the world behind it, also where their result is used."""

_CHANGING_FIRST = frozenset({
    "next", "setattr", "delattr", "shuffle", "heappush", "heappop", "heapify", "insort", "send_signal",
})  # fmt: skip
"""Functions that change their first argument."""

_BLOCKS = (ast.For, ast.AsyncFor, ast.While, ast.If, ast.With, ast.AsyncWith, ast.Try, ast.Match)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def find_repeated_effects(case: Case, patch: Patch, run_again: Collection[str] = ()) -> tuple[str, ...]:
    """What approving the patch does that was done already ("changes `calls`", "writes files"); empty where nothing is.

    Of the failing cell the statements up to the failing one ran, and of several on its line the others may have. A cell that the
    patch runs first counts whole where its last run failed: how far that came is not known. What the cells ``run_again`` (ids) bind is made anew before the cell runs.
    """
    world = _World.from_notebook(case.notebook, run_again)
    effects: dict[str, None] = {}
    for edit in patch.edits:
        if isinstance(edit, RunCells):
            halfway = [c.source for c in case.notebook.cells if c.id in edit.cell_ids and c.unfinished]
            for source in halfway:
                effects.update(dict.fromkeys(_list_effects(source, len(src.list_statements(source)), world)))
    failure = case.failure
    if failure.kind is not FailureKind.SYNTAX:
        whole = len(src.list_statements(failure.source))
        failing = max(plan.find_failing_statement(case), src.find_last_statement(failure.source, failure.line))
        at = whole if failure.kind is FailureKind.MISSED else failing
        effects.update(dict.fromkeys(_list_effects(failure.source, at, world)))
    return tuple(effects)


_CULPRIT = re.compile(r"(name|attribute) '(\w+)'")
"""What a NameError and an AttributeError say was missing."""
_AGAIN = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)


def is_untouched(case: Case) -> bool:
    """Whether the failing cell came to nothing at all: it does not parse, or the first thing its first statement looks up was missing.

    No call had come to its end by then. Where anything else failed, nobody knows what it had changed: ``sum(numbers) / 0`` uses up a generator.
    """
    failure = case.failure
    if failure.kind is FailureKind.SYNTAX:
        return True
    statements = src.list_statements(failure.source)
    if failure.kind is not FailureKind.RAISED or failure.statement != 0 or not statements:
        return False
    first = statements[0].node
    if isinstance(first, ast.Import | ast.ImportFrom):
        return failure.ename in ("ImportError", "ModuleNotFoundError")
    told = _CULPRIT.search(failure.evalue)
    if (
        failure.ename not in ("NameError", "AttributeError")
        or told is None
        or isinstance(first, (*_BLOCKS, *_FUNCTIONS, ast.ClassDef))
    ):
        return False
    nodes = [n for n in ast.walk(first) if told[2] == (n.id if isinstance(n, ast.Name) else getattr(n, "attr", None))]
    return len(nodes) == 1 and not _runs_before(nodes[0], first)


def _runs_before(culprit: ast.AST, statement: ast.stmt) -> bool:
    """Whether a call of the statement may have been made before a name or attribute of it was looked up."""
    within = set(ast.walk(culprit))
    for node in ast.walk(statement):
        around = culprit in ast.walk(node)
        if isinstance(node, _AGAIN) and around:
            return True  # it may have gone round already
        if isinstance(node, ast.Call | ast.Await | ast.Yield) and (
            node in within or (not around and _is_before(node, culprit))
        ):
            return True
    return False


def _is_before(node: ast.expr, other: ast.AST) -> bool:
    return (node.lineno, node.col_offset) < (getattr(other, "lineno", 0), getattr(other, "col_offset", 0))


@dataclass(frozen=True, slots=True)
class _World:
    """What the names of a notebook stand for: its functions, the methods of its classes that change their object, and the modules that it imports."""

    functions: Mapping[str, ast.FunctionDef | ast.AsyncFunctionDef]
    changing: frozenset[str]
    modules: frozenset[str]
    made_anew: frozenset[str]

    @classmethod
    def from_notebook(cls, notebook: Notebook, run_again: Collection[str]) -> _World:
        code = [cell.source for cell in notebook.cells if cell.kind == "code"]
        nodes = [s.node for source in code for s in src.list_statements(source)]
        modules = frozenset().union(*(src.find_names(source).imports for source in code)) if code else frozenset()
        anew = frozenset(name for c in notebook.cells if c.id in run_again for name in src.find_names(c.source).binds)
        functions = {node.name: node for node in nodes if isinstance(node, _FUNCTIONS)}
        methods = (
            m for node in nodes if isinstance(node, ast.ClassDef) for m in node.body if isinstance(m, _FUNCTIONS)
        )
        changing = frozenset(m.name for m in methods if m.name != "__init__" and _changes_its_object(m))
        return cls(functions, changing, modules, anew)


def _changes_its_object(method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a method sets, deletes or changes something of the object that it is called on: ``self.lent += 1``, ``self.books.append(b)``."""
    own = method.args.args[0].arg if method.args.args else ""
    for node in ast.walk(method):
        match node:
            case ast.Call(ast.Attribute(changed, name)) if name in _CHANGING:
                pass
            case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()) as changed:
                pass
            case _:
                continue
        if isinstance(changed, ast.Attribute | ast.Subscript) and src.find_root_name(changed) == own != "":
            return True
    return False


def _list_effects(source: str, at: int, world: _World) -> list[str]:
    """What the statements before ``at`` did, and that one as far as it came."""
    if src.is_foreign(source):
        return []
    statements = src.list_statements(source)
    effects = _Effects(world)
    for statement in statements[:at]:
        effects.visit(statement.node)
    ended = range(at)
    if at < len(statements):
        node = statements[at].node
        if isinstance(node, _BLOCKS):
            effects.visit(node)
            ended = range(at + 1)
        else:
            effects.collect_from_failed(node)
    texts = [src.keep_statements(source, ended), *(ast.unparse(world.functions[name]) for name in effects.called)]
    lasting = {name for text in texts for name in find_capabilities(text)}
    return [f"changes `{name}`" for name in effects.changed] + [_LASTING[n] for n in _LASTING if n in lasting]


class _Effects(ast.NodeVisitor):
    """The names from outside that statements change, and the functions of the notebook that they call, in order."""

    def __init__(self, world: _World) -> None:
        self.changed: dict[str, None] = {}
        self.called: dict[str, None] = {}
        self._world = world
        self._fresh: set[str] = set(world.made_anew)
        self._stands_for: dict[str, str] = {}

    def collect_from_failed(self, statement: ast.stmt) -> None:
        """A simple statement that failed: what was called within it ran, the outermost call did not come to its end."""
        outermost = getattr(statement, "value", None)
        outermost = outermost.value if isinstance(outermost, ast.Await) else outermost
        for node in ast.walk(statement):
            if isinstance(node, ast.Call):
                self._add_call(node, ended=node is not outermost)

    def visit_Expr(self, node: ast.Expr) -> None:
        call = node.value.value if isinstance(node.value, ast.Await) else node.value
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and not src.is_pure_method(call.func.attr)
        ):
            self._add_change(call.func.value)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        self._add_call(node, ended=True)
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            self._assign_target(target, node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)
            self._assign_target(node.target, node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        self._add_change(node.target)

    def visit_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            self._add_change(target)

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self.visit(node.iter)
        self._assign_target(node.target, node.iter)
        for child in [*node.body, *node.orelse]:
            self.visit(child)

    visit_AsyncFor = visit_For

    def visit_With(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            self.visit(item.context_expr)
            if item.optional_vars is not None:
                self._assign_target(item.optional_vars, item.context_expr)
        for child in node.body:
            self.visit(child)

    visit_AsyncWith = visit_With

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        """Imported once, and not again."""

    visit_ImportFrom = visit_Import

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda) -> None:
        """Nothing of its body runs where it is defined."""

    visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = visit_FunctionDef

    def _assign_target(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            for part in target.elts:
                self._assign_target(part, value)
        elif isinstance(target, ast.Starred):
            self._assign_target(target.value, value)
        elif isinstance(target, ast.Name):
            if any(isinstance(n, ast.Name) and n.id == target.id for n in ast.walk(value)):
                self._add_change(target)
            self._bind_name(target.id, value)
        elif ast.unparse(target) in {ast.unparse(n) for n in ast.walk(value) if isinstance(n, type(target))}:
            self._add_change(target)  # ``d["k"] = 1`` may be done twice, ``d["k"] = d["k"] / 2`` may not

    def _bind_name(self, name: str, value: ast.expr) -> None:
        """A name for a value that is made here, or another name for something (a part of something) from outside."""
        self._fresh.discard(name)
        part = isinstance(value, ast.Name | ast.Attribute | ast.Subscript | ast.Starred)
        self._stands_for[name] = self._find_root(value) if part else ""
        if not self._stands_for[name] or self._stands_for[name] in self._fresh:
            self._fresh.add(name)

    def _find_root(self, expression: ast.expr) -> str:
        """The name from outside that an expression is, or is a part of; empty for what a call gives."""
        if any(isinstance(n, ast.Call) for n in ast.walk(expression)):
            return ""
        name = src.find_root_name(expression)
        return self._stands_for.get(name) or name

    def _add_change(self, expression: ast.expr) -> None:
        name = self._find_root(expression)
        if name and name not in self._fresh and name not in self._world.modules and name not in src.BUILTINS:
            self.changed.setdefault(name)

    def _add_call(self, node: ast.Call, *, ended: bool) -> None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else src.find_root_name(node.func)
        if isinstance(node.func, ast.Name) and name in self._world.functions:
            self._enter_function(name, node)
        elif ended and name in _CHANGING_FIRST and node.args:
            self._add_change(node.args[0])
        elif ended and isinstance(node.func, ast.Attribute) and (name in _CHANGING or _is_in_place(node)):
            self._add_change(node.func.value)
        elif ended and isinstance(node.func, ast.Attribute) and name in self._world.changing:
            self._add_change(ast.Name(src.find_root_name(node.func.value)))

    def _enter_function(self, name: str, call: ast.Call) -> None:
        """A function of the notebook: what its body changes of the notebook's, or of what it was given."""
        if name in self.called:
            return
        self.called[name] = None
        function = self._world.functions[name]
        inner = _Effects(self._world)
        inner.called = self.called
        for child in function.body:
            inner.visit(child)
        parameters = [a.arg for a in (*function.args.posonlyargs, *function.args.args)]
        given = {**dict(zip(parameters, call.args, strict=False)), **{k.arg or "": k.value for k in call.keywords}}
        local = _list_local_names(function)
        for changed in inner.changed:
            if changed in given:
                self._add_change(given[changed])
            elif changed not in local:
                self._add_change(ast.Name(changed))


def _is_in_place(node: ast.Call) -> bool:
    return any(
        k.arg == "inplace" and isinstance(k.value, ast.Constant) and k.value.value is True for k in node.keywords
    )


def _list_local_names(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Parameters and assigned names, without those that it declares global."""
    nodes = list(ast.walk(function))
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    shared = {name for n in nodes if isinstance(n, ast.Global) for name in n.names}
    return (stored | {n.arg for n in nodes if isinstance(n, ast.arg)}) - shared
