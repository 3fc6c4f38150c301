"""The global names that a cell binds, reads, changes and deletes; and which cells others depend on."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

BUILTINS = frozenset(dir(builtins)) | {
    "get_ipython",
    "display",
    "In",
    "Out",
    "_",
    "__",
    "___",
    "exit",
    "quit",
    "__file__",
}


@dataclass(frozen=True, slots=True)
class Names:
    """What a piece of code does with global names.

    ``binds``: assigned, imported or defined at the top level. ``uses``: read from outside before it is bound there
    (functions' free names included, as they are needed once the function is called). ``changes``: objects changed in
    place (``df["x"] = 1``, ``del items[0]``, ``items.append(1)``, ``x += 1``). ``deletes``: ``del x``. ``imports``: those of ``binds`` that an
    import binds.
    """

    binds: frozenset[str] = frozenset()
    uses: frozenset[str] = frozenset()
    changes: frozenset[str] = frozenset()
    deletes: frozenset[str] = frozenset()
    imports: frozenset[str] = frozenset()


def collect_names(body: Sequence[ast.stmt]) -> Names:
    """The global names of some top-level statements in order."""
    visitor = _NameVisitor()
    for node in body:
        visitor.visit(node)
    visitor.finish()
    return Names(
        frozenset(visitor.binds),
        frozenset(visitor.uses),
        frozenset(visitor.changes),
        frozenset(visitor.deletes),
        frozenset(visitor.imports),
    )


_PURE_METHODS = frozenset(
    {"head", "tail", "describe", "info", "mean", "sum", "std", "min", "max", "copy", "groupby", "plot", "format", "join",
     "split", "strip", "lower", "upper", "keys", "values", "items", "get", "count", "index", "show", "replace", "astype",
     "startswith", "endswith", "reshape", "dot", "merge", "apply", "value_counts", "unique", "isnull", "to_string",
     # of tables and series, where nothing says ``inplace``
     "sort_values", "sort_index", "reset_index", "set_index", "rename", "drop", "dropna", "fillna", "ffill", "bfill", "drop_duplicates", "agg",
     "aggregate", "transform", "corr", "cov", "median", "var", "quantile", "nunique", "isna", "notna", "notnull", "isin", "map", "applymap",
     "pivot", "pivot_table", "melt", "stack", "unstack", "resample", "rolling", "shift", "diff", "cumsum", "pct_change", "query", "assign",
     "nlargest", "nsmallest", "idxmax", "idxmin", "argmax", "argmin", "round", "tolist", "to_list", "to_dict", "to_numpy", "flatten", "ravel",
     "contains", "strftime", "between", "where", "mask", "select_dtypes", "iterrows", "itertuples", "explode", "get_group", "duplicated",
     # of modules and fitted models
     "read_csv", "DataFrame", "Series", "array", "zeros", "ones", "arange", "linspace", "to_datetime", "to_numeric", "get_dummies", "concat",
     "date_range", "crosstab", "predict", "predict_proba", "score", "decision_function", "summary"}
)  # fmt: skip


class _NameVisitor(ast.NodeVisitor):
    """Walks statements in order; the bodies of functions are read last, when all top-level names are bound."""

    def __init__(self, bound: Iterable[str] = ()) -> None:
        self.binds: set[str] = set()
        self.local: set[str] = set(bound)
        self.uses: set[str] = set()
        self.changes: set[str] = set()
        self.deletes: set[str] = set()
        self.imports: set[str] = set()
        self.later: list[ast.AST] = []

    def finish(self) -> None:
        while self.later:
            for name in find_free_names(self.later.pop()):
                if name not in self.binds:
                    self.uses.add(name)

    def _add_use(self, name: str) -> None:
        if name not in self.binds and name not in self.local and name not in BUILTINS:
            self.uses.add(name)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._add_use(node.id)
        elif isinstance(node.ctx, ast.Store):
            self.binds.add(node.id)
        else:
            self.deletes.add(node.id)
            self._add_use(node.id)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            self._bind_target(target)

    def visit_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            self.visit(target)
            if isinstance(target, ast.Attribute | ast.Subscript) and (root := find_root_name(target)):
                self.changes.add(root)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        root = find_root_name(node.target)
        if root:
            self._add_use(root)
            self.changes.add(root)
        self._bind_target(node.target)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.annotation)
        if node.value is not None:
            self.visit(node.value)
            self._bind_target(node.target)

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self.visit(node.iter)
        self._bind_target(node.target)
        for child in [*node.body, *node.orelse]:
            self.visit(child)
        self.changes |= find_changed_members(node)

    visit_AsyncFor = visit_For

    def _bind_target(self, target: ast.expr) -> None:
        root = find_root_name(target)
        if isinstance(target, ast.Attribute | ast.Subscript):
            self.visit(target.value)
            if isinstance(target, ast.Subscript):
                self.visit(target.slice)
            if root:
                self.changes.add(root)
        else:
            self.visit(target)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute) and (not _only_reads(node.func) or _is_in_place(node)):
            root = find_root_name(node.func.value)
            if root and (_is_in_place(node) or not _is_of_drawing(node)):
                self.changes.add(root)
        self.generic_visit(node)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name != "*":
                self.binds.add(alias.asname or alias.name.split(".")[0])
                self.imports.add(alias.asname or alias.name.split(".")[0])

    visit_ImportFrom = visit_Import

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for part in [*node.decorator_list, *node.args.defaults, *(d for d in node.args.kw_defaults if d)]:
            self.visit(part)
        self.binds.add(node.name)
        self.later.append(node)
        for child in ast.walk(node):
            if isinstance(child, ast.Global):
                self.binds.update(child.names)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.later.append(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for part in [*node.decorator_list, *node.bases, *(k.value for k in node.keywords)]:
            self.visit(part)
        inner = _NameVisitor(self.binds | self.local)
        for child in node.body:
            inner.visit(child)
        self.uses |= inner.uses
        self.later.extend(inner.later)
        self.binds.add(node.name)

    def _visit_comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        self.visit(node.generators[0].iter)
        for name in find_free_names(node):
            self._add_use(name)

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = _visit_comprehension

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.type:
            self.visit(node.type)
        if node.name:
            self.local.add(node.name)
        for child in node.body:
            self.visit(child)


def find_changed_members(loop: ast.For | ast.AsyncFor) -> set[str]:
    """``combine`` of ``for table in combine: table["c"] = 0``, ``a`` and ``b`` of ``for table in [a, b]: …``: what a loop goes through
    holds the very objects that its body changes in place."""
    if not isinstance(loop.target, ast.Name):
        return set()
    parts = loop.iter.elts if isinstance(loop.iter, ast.List | ast.Tuple) else [loop.iter]
    holders = {part.id for part in parts if isinstance(part, ast.Name)}
    return (
        holders if holders and any(_writes_into(n, loop.target.id) for s in loop.body for n in ast.walk(s)) else set()
    )


def _writes_into(node: ast.AST, name: str) -> bool:
    """True where a statement or call evidently changes the object of that name in place."""
    if isinstance(node, ast.Assign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return any(isinstance(t, ast.Attribute | ast.Subscript) and find_root_name(t) == name for t in targets)
    return isinstance(node, ast.Call) and _is_in_place(node) and find_root_name(node.func) == name


def _is_in_place(call: ast.Call) -> bool:
    """True for ``df["c"].replace(1, 2, inplace=True)``."""
    given = next((k.value for k in call.keywords if k.arg == "inplace"), None)
    return given is not None and not (isinstance(given, ast.Constant) and given.value is False)


def _is_of_drawing(node: ast.AST) -> bool:
    """Whether it is a plot of a table's own, or what is done to that, as ``df.x.plot(kind="bar")`` in ``df.x.plot(kind="bar").set_title("x")``: no part of the table. Axes are
    given what they draw."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            is_accessor = isinstance(node.func.value, ast.Attribute) and node.func.value.attr == "plot"
            if is_accessor or (node.func.attr in ("plot", "hist", "boxplot") and not node.args):
                return True
        node = node.func if isinstance(node, ast.Call) else node.value
    return False


def _only_reads(method: ast.Attribute) -> bool:
    """Whether a method changes nothing, by its name or because it is one of a series' texts or dates."""
    owner = method.value
    return method.attr in _PURE_METHODS or (isinstance(owner, ast.Attribute) and owner.attr in ("str", "dt"))


def is_pure_method(method: str) -> bool:
    """Whether a method of this name changes nothing, going by the usual libraries."""
    return method in _PURE_METHODS


def find_root_name(node: ast.AST) -> str:
    """``df`` of ``df.loc[0].x``; empty where the expression does not begin with a name."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call | ast.Starred):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def find_free_names(node: ast.AST) -> frozenset[str]:
    """Names that a function, lambda or comprehension reads from outside of itself (builtins left out)."""
    bound: set[str] = set()
    read: set[str] = set()
    args = getattr(node, "args", None)
    if isinstance(args, ast.arguments):
        for a in [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]:
            if a is not None:
                bound.add(a.arg)
    outer: set[str] = set()
    for child in _walk_own_nodes(node):
        if isinstance(child, ast.Name):
            (read if isinstance(child.ctx, ast.Load) else bound).add(child.id)
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound.add(child.name)
            outer |= find_free_names(child)
        elif isinstance(child, ast.Lambda):
            outer |= find_free_names(child)
        elif isinstance(child, ast.Import | ast.ImportFrom):
            bound.update(a.asname or a.name.split(".")[0] for a in child.names)
        elif isinstance(child, ast.ExceptHandler) and child.name:
            bound.add(child.name)
        elif isinstance(child, ast.Global):
            read.update(child.names)
    return frozenset((read | outer) - bound - BUILTINS)


def _walk_own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Descendants, without those inside nested functions, classes' functions and lambdas (which are yielded whole)."""
    stack = list(ast.iter_child_nodes(node))
    while stack:
        child = stack.pop()
        yield child
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            stack.extend(ast.iter_child_nodes(child))
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            stack.extend(child.decorator_list)


def find_assigned_roots(body: Iterable[ast.stmt]) -> Iterator[str]:
    """``config`` of ``config.width = 80``, ``plt`` of ``plt.rcParams["x"] = 1``, ``np`` of ``np.random.seed(0)``: what changes a module too."""
    for node in (n for statement in body for n in ast.walk(statement)):
        is_written = isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load)
        is_seed = isinstance(node, ast.Attribute) and ("seed" in node.attr or node.attr == "random")
        if is_written or is_seed:
            root = find_root_name(node)
            if root:
                yield root


def find_assigned_in_text(source: str) -> frozenset[str]:
    """Names that a cell which does not parse seems to bind, line by line."""
    matches = re.findall(r"(?m)^[ \t]*(?:(?:def|class)\s+(\w+)|import\s+(?:[\w.]+\s+as\s+)?(\w+))", source)
    matches += re.findall(r"(?m)^[ \t]*from\s+\S+\s+import\s+()(\w+)", source)
    names = {name for group in matches for name in group if name}
    for targets in re.findall(r"(?m)^[ \t]*((?:\*?\w+[ \t]*,[ \t]*)*\*?\w+)[ \t]*(?::[^=\n]*)?=(?!=)", source):
        names.update(name for name in re.findall(r"\w+", targets) if not keyword.iskeyword(name))
    return frozenset(names)
