"""Reading the source of a cell: IPython's own syntax masked, statements, names, and edits by position.

Every edit of the product is a splice of text at the exact position of a syntax node, so that formatting, comments and
magics around it stay as the user wrote them (docs/adr/0002). Standard library only: this also runs in the user's kernel.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

PARSE_FLAGS = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT

_LINE_MAGIC = re.compile(r"^(\s*)([%!]|\?{1,2}(?=\S))")
_HELP = re.compile(r"^(\s*)[\w.*\[\]]+\?{1,2}\s*$")
_ASSIGNED = re.compile(r"^(\s*[\w.,\s\[\]'\"()]+?=\s*)([%!](?!=).*)$")

CELL_MAGICS_WITH_PYTHON = frozenset({"time", "timeit", "capture", "prun", "heal", "memit", "snakeviz", "pyinstrument"})
"""Cell magics whose body is Python run in the user's namespace."""


def is_foreign(source: str) -> bool:
    """True for a cell whose body is not Python: ``%%bash``, ``%%html``, ``%%sql`` …"""
    for line in source.splitlines():
        if line.strip():
            found = re.match(r"%%(\w+)", line)
            return found is not None and found[1] not in CELL_MAGICS_WITH_PYTHON
    return False


def mask(source: str) -> str:
    """The source with IPython's syntax replaced by Python of the same lines and, up to it, the same columns.

    ``%magic`` and ``!command`` lines become ``pass``, ``x = !ls`` becomes ``x = None``, the cell magic's own line is
    blanked; lines inside strings and continued brackets are left alone. Positions in the result are positions in the
    source.
    """
    lines = source.splitlines(keepends=True)
    inside = _continued_lines(lines)
    found = []
    first = True
    for number, line in enumerate(lines):
        body = line.rstrip("\r\n")
        end = line[len(body) :]
        if body.strip() and first:
            first = False
            if body.lstrip().startswith("%%"):
                found.append(end)
                continue
        if number in inside:
            found.append(line)
        elif (m := _LINE_MAGIC.match(body)) or (m := _HELP.match(body)):
            found.append(m[1] + "pass" + end)
        elif (m := _ASSIGNED.match(body)) and not _parses(body.strip()) and _parses(m[1].strip() + " None"):
            found.append(m[1] + "None" + end)
        else:
            found.append(line)
    return "".join(found)


def _parses(line: str) -> bool:
    try:
        compile(line, "<line>", "exec", PARSE_FLAGS)
    except (SyntaxError, ValueError):
        return False
    return True


def _continued_lines(lines: Sequence[str]) -> frozenset[int]:
    """Indices of lines that begin inside a triple-quoted string, an open bracket or after a backslash."""
    found = set()
    quote, depth, joined = "", 0, False
    for number, line in enumerate(lines):
        if quote or depth > 0 or joined:
            found.add(number)
        elif _LINE_MAGIC.match(line):
            continue
        quote, depth, joined = _scan(line, quote, max(depth, 0))
    return frozenset(found)


def _scan(line: str, quote: str, depth: int) -> tuple[str, int, bool]:
    at = 0
    while at < len(line):
        c = line[at]
        if quote:
            if c == "\\":
                at += 2
                continue
            if line.startswith(quote, at):
                at += len(quote)
                quote = ""
                continue
        elif c == "#":
            break
        elif c in "'\"":
            quote = line[at : at + 3] if line.startswith(c * 3, at) else c
            at += len(quote)
            continue
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        at += 1
    stripped = line.rstrip("\r\n")
    if len(quote) == 1 and not stripped.endswith("\\"):
        quote = ""
    return quote, depth, stripped.endswith("\\") and not quote


def parse(source: str) -> ast.Module | None:
    """The syntax tree of a cell (masked, top-level await allowed), or None where it does not parse."""
    try:
        tree = compile(mask(source), "<cell>", "exec", PARSE_FLAGS)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return tree if isinstance(tree, ast.Module) else None


def compiles(source: str) -> bool:
    """True where the cell is Python after masking (or a foreign cell, which is not ours to judge)."""
    if is_foreign(source):
        return True
    try:
        compile(mask(source), "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True


# --- positions ----------------------------------------------------------------------------------------------------


def offset(source: str, line: int, column: int) -> int:
    """Character offset of ast's 1-based line and 0-based UTF-8 column."""
    lines = source.splitlines(keepends=True)
    start = sum(len(text) for text in lines[: line - 1])
    if line - 1 >= len(lines):
        return len(source)
    text = lines[line - 1]
    if text.isascii():
        return start + min(column, len(text))
    return start + len(text.encode("utf-8")[:column].decode("utf-8", "ignore"))


def span(source: str, node: ast.AST) -> tuple[int, int]:
    """Character offsets [start, end) of a node; decorators are part of a definition."""
    lineno, col = node.lineno, node.col_offset  # type: ignore[attr-defined]
    for decorator in getattr(node, "decorator_list", []):
        if decorator.lineno < lineno:
            lineno, col = decorator.lineno, max(decorator.col_offset - 1, 0)
    return offset(source, lineno, col), offset(source, node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]


def text_of(source: str, node: ast.AST) -> str:
    """The source text of a node."""
    start, end = span(source, node)
    return source[start:end]


def splice(source: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """Replace [start, end) by text for each edit; positions are those of the given source. Overlaps are a ValueError."""
    found, last = source, len(source) + 1
    for start, end, text in sorted(edits, reverse=True):
        if end > last or start > end:
            raise ValueError("edits overlap")
        found = found[:start] + text + found[end:]
        last = start
    return found


# --- statements ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Statement:
    """A top-level statement: its index, its lines (1-based, inclusive) and its tree."""

    index: int
    first: int
    last: int
    node: ast.stmt


def statements(source: str) -> tuple[Statement, ...]:
    """The top-level statements, in order; empty where the cell does not parse."""
    tree = parse(source)
    if tree is None:
        return ()
    found = []
    for n, node in enumerate(tree.body):
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        found.append(Statement(n, first, node.end_lineno or node.lineno, node))
    return tuple(found)


def statement_at(source: str, line: int) -> int:
    """Index of the top-level statement on a 1-based line, or -1."""
    return next((s.index for s in statements(source) if s.first <= line <= s.last), -1)


def from_statement(source: str, index: int) -> str:
    """The source with the statements before ``index`` blanked, line numbers kept: what is left to run on resuming."""
    found = statements(source)
    if index <= 0 or index >= len(found):
        return source
    return only(source, range(index, len(found)))


def only(source: str, indices: Iterable[int]) -> str:
    """The source with every other top-level statement blanked; line numbers are kept. A magic is blanked to its line's end.

    A ``#`` stands where the first statement began, if that is blanked: IPython drops leading lines of nothing but space.
    """
    kept = set(indices)
    edits = []
    for s in statements(source):
        if s.index in kept:
            continue
        start, end = span(source, s.node)
        if source[start : start + 1] in ("%", "!", "?"):
            end = source.find("\n", start) if "\n" in source[start:] else len(source)
        edits.append((start, end, re.sub(r"[^\r\n]", " ", source[start:end])))
    blanked = splice(source, edits)
    # ``a; b``: a semicolon left alone on its line is no statement
    blanked = re.sub(r"(?m)^([ \t]*);", lambda m: m[1] + " ", blanked)
    lead = len(source) - len(source.lstrip())
    if blanked[: lead + 1].isspace() and not blanked[lead:].partition("\n")[0].strip():
        blanked = blanked[:lead] + "#" + blanked[lead + 1 :]
    return blanked


def canonical(source: str) -> str:
    """Equal for sources that differ in formatting, comments and quotes only. For deduplication."""
    tree = parse(source)
    if tree is None:
        return " ".join(source.split())
    magics = [line.strip() for line in source.splitlines() if line.lstrip().startswith(("%", "!"))]
    return ast.dump(tree, annotate_fields=False, include_attributes=False) + "\n".join(magics)


# --- names --------------------------------------------------------------------------------------------------------

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
    place (``df["x"] = 1``, ``items.append(1)``, ``x += 1``). ``deletes``: ``del x``. ``imports``: those of ``binds`` that an
    import binds.
    """

    binds: frozenset[str] = frozenset()
    uses: frozenset[str] = frozenset()
    changes: frozenset[str] = frozenset()
    deletes: frozenset[str] = frozenset()
    imports: frozenset[str] = frozenset()


def names(source: str) -> Names:
    """The global names of a cell; all empty where it does not parse."""
    tree = parse(source)
    if tree is None or is_foreign(source):
        return Names()
    return names_of(tree.body)


def names_of(body: Sequence[ast.stmt]) -> Names:
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
     "startswith", "endswith", "reshape", "dot", "merge", "apply", "value_counts", "unique", "isnull", "to_string"}
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
            for name in free_names(self.later.pop()):
                if name not in self.binds:
                    self.uses.add(name)

    def _read(self, name: str) -> None:
        if name not in self.binds and name not in self.local and name not in BUILTINS:
            self.uses.add(name)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._read(node.id)
        elif isinstance(node.ctx, ast.Store):
            self.binds.add(node.id)
        else:
            self.deletes.add(node.id)
            self._read(node.id)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            self._target(target)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        root = root_name(node.target)
        if root:
            self._read(root)
            self.changes.add(root)
        self._target(node.target)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.annotation)
        if node.value is not None:
            self.visit(node.value)
            self._target(node.target)

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self.visit(node.iter)
        self._target(node.target)
        for child in [*node.body, *node.orelse]:
            self.visit(child)

    visit_AsyncFor = visit_For

    def _target(self, target: ast.expr) -> None:
        root = root_name(target)
        if isinstance(target, ast.Attribute | ast.Subscript):
            self.visit(target.value)
            if isinstance(target, ast.Subscript):
                self.visit(target.slice)
            if root:
                self.changes.add(root)
        else:
            self.visit(target)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute) and node.func.attr not in _PURE_METHODS:
            root = root_name(node.func.value)
            if root:
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

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        self.visit(node.generators[0].iter)
        for name in free_names(node):
            self._read(name)

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = _comprehension

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.type:
            self.visit(node.type)
        if node.name:
            self.local.add(node.name)
        for child in node.body:
            self.visit(child)


def root_name(node: ast.AST) -> str:
    """``df`` of ``df.loc[0].x``; empty where the expression does not begin with a name."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call | ast.Starred):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def free_names(node: ast.AST) -> frozenset[str]:
    """Names that a function, lambda or comprehension reads from outside of itself (builtins left out)."""
    bound: set[str] = set()
    read: set[str] = set()
    args = getattr(node, "args", None)
    if isinstance(args, ast.arguments):
        for a in [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]:
            if a is not None:
                bound.add(a.arg)
    outer: set[str] = set()
    for child in _own_nodes(node):
        if isinstance(child, ast.Name):
            (read if isinstance(child.ctx, ast.Load) else bound).add(child.id)
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound.add(child.name)
            outer |= free_names(child)
        elif isinstance(child, ast.Lambda):
            outer |= free_names(child)
        elif isinstance(child, ast.Import | ast.ImportFrom):
            bound.update(a.asname or a.name.split(".")[0] for a in child.names)
        elif isinstance(child, ast.ExceptHandler) and child.name:
            bound.add(child.name)
        elif isinstance(child, ast.Global):
            read.update(child.names)
    return frozenset((read | outer) - bound - BUILTINS)


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Descendants, without those inside nested functions, classes' functions and lambdas (which are yielded whole)."""
    stack = list(ast.iter_child_nodes(node))
    while stack:
        child = stack.pop()
        yield child
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            stack.extend(ast.iter_child_nodes(child))
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            stack.extend(child.decorator_list)


def needed(sources: Sequence[str], wanted: Iterable[str]) -> tuple[int, ...]:
    """Indices of the sources that must have run, in order, for the wanted names to be as they are after all of them.

    A backward slice over whole cells: the last binder of a name, every cell that changes it in place after that, and
    what those need in turn. Cells that use ``from m import *`` or magics that may bind names are kept.
    """
    pending = set(wanted)
    kept: list[int] = []
    all_names = [names(source) for source in sources]
    modules = frozenset().union(*(found.imports for found in all_names)) if all_names else frozenset()
    for at in range(len(sources) - 1, -1, -1):
        found = all_names[at]
        changed = found.binds | (found.changes - modules) | found.deletes
        if _binds_unknown(sources[at]) or changed & pending:
            kept.append(at)
            pending -= found.binds - found.uses
            pending |= found.uses
    return tuple(reversed(kept))


def _binds_unknown(source: str) -> bool:
    return bool(
        re.search(r"(?m)^\s*(from\s+\S+\s+import\s+\*|%(run|load_ext|pylab|matplotlib|cd|env|autoreload)\b)", source)
    )
