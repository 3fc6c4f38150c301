"""A module as a cell: its text line for line, without what only a file can have; and the way back.

Line n of the cell is line n of the file, so that a patch of the cell is one of the file.
"""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from jupyter_selfheal import source as src
from jupyter_selfheal.surfaces.project.modules import Module, find_base


class CannotInline(Exception):
    """The code uses a module in a way that a cell cannot stand for. ``str()`` says which."""


@dataclass(slots=True)
class Inlined:
    """A text without its imports of inlined modules. ``names`` are those that it has of them, ``written`` how it wrote
    those that it wrote with their module (``f`` → ``helper.f``)."""

    source: str
    names: set[str] = field(default_factory=set)
    written: dict[str, str] = field(default_factory=dict)


def inline_all(modules: Sequence[Module], texts: Sequence[str]) -> tuple[tuple[Inlined, ...], tuple[Inlined, ...]]:
    """The modules and the texts, each as a cell of one notebook. Raises :class:`CannotInline` where names would collide."""
    by_name = {module.name: module for module in modules}
    cells = tuple(_rewrite_imports([m.file.text], by_name, m)[0] for m in modules)
    others = _rewrite_imports(texts, by_name)
    _check_names(cells, others)
    return cells, others


def _rewrite_imports(
    texts: Sequence[str], modules: Mapping[str, Module], own: Module | None = None
) -> tuple[Inlined, ...]:
    """Texts of one namespace with the names of inlined modules in place of imports of them. Raises :class:`CannotInline`."""
    held: dict[str, Module] = {}
    rewriters = [_Rewriter(text, modules, own.package if own else "", held) for text in texts]
    for rewriter in rewriters:
        rewriter.rewrite_imports()
    for rewriter in rewriters:
        rewriter.rewrite_attributes()
        if own is not None:
            rewriter.rewrite_file_names(str(own.file.path))
    return tuple(Inlined(src.splice(r.text, r.edits), r.names, r.written) for r in rewriters)


def restore_file(original: str, inlined: Inlined, fixed: str) -> str | None:
    """The file with what is changed in its cell; None where a changed line is one that had been rewritten otherwise."""
    lines, base, new = (t.splitlines(keepends=True) for t in (original, inlined.source, fixed))
    if len(lines) != len(base):
        return None
    restored: list[str] = []
    for tag, i, j, k, m in difflib.SequenceMatcher(None, base, new, autojunk=False).get_opcodes():
        if tag == "equal":
            restored += lines[i:j]
        elif [_write_with_module(line, inlined.written) for line in base[i:j]] == lines[i:j]:
            restored += [_write_with_module(line, inlined.written) for line in new[k:m]]
        else:
            return None
    return "".join(restored)


def _write_with_module(line: str, written: Mapping[str, str]) -> str:
    for name, text in written.items():
        line = re.sub(rf"(?<![\w.]){re.escape(name)}\b", text, line)
    return line


class _Rewriter:
    """Collects the edits of one text."""

    def __init__(self, text: str, modules: Mapping[str, Module], package: str, held: dict[str, Module]) -> None:
        self.text, self.modules, self.package = text, modules, package
        self._nodes = () if src.is_foreign(text) else src.walk(text)
        self.edits: list[tuple[int, int, str]] = []
        self.names: set[str] = set()
        self.written: dict[str, str] = {}
        self._held = held

    def rewrite_imports(self) -> None:
        """Take out what is imported of inlined modules; what else a statement imports stays."""
        for node in self._nodes:
            if isinstance(node, ast.Import):
                self._rewrite_imports(node, [a for a in node.names if not self._take_module(a)], "import ")
            elif isinstance(node, ast.ImportFrom):
                self._rewrite_import_from(node)

    def _rewrite_import_from(self, node: ast.ImportFrom) -> None:
        base = find_base(node, self.package)
        if base is None:
            raise CannotInline(f"`{src.extract_text(self.text, node)}` leads out of the package")
        rest = [a for a in node.names if not self._take_name(base, a)]
        if rest != node.names or node.level:
            self._rewrite_imports(node, rest, f"from {base} import ")

    def _rewrite_imports(self, node: ast.Import | ast.ImportFrom, rest: list[ast.alias], words: str) -> None:
        if isinstance(node, ast.Import) and rest == node.names:
            return
        start, end = src.find_span(self.text, node)
        kept = ", ".join(f"{a.name} as {a.asname}" if a.asname else a.name for a in rest)
        lines = self.text.count("\n", start, end)
        self.edits.append((start, end, (words + kept if rest else "pass") + "\n" * lines))

    def _take_module(self, alias: ast.alias) -> bool:
        """Whether ``import a.b as c`` names an inlined module."""
        module = self.modules.get(alias.name)
        if module is None:
            return False
        self._held[alias.asname or alias.name] = module
        return True

    def _take_name(self, base: str, alias: ast.alias) -> bool:
        """Whether ``from base import name`` names an inlined module, or something in one."""
        inner = self.modules.get(f"{base}.{alias.name}".lstrip("."))
        if inner is not None:
            self._held[alias.asname or alias.name] = inner
            return True
        module = self.modules.get(base)
        if module is None:
            return False
        binds = src.find_names(module.file.text).binds
        if alias.name == "*":
            self.names |= binds
            return True
        if alias.name not in binds:
            raise CannotInline(f"`{alias.name}` is not in {module.file.path.name}")
        if alias.asname and alias.asname != alias.name:
            raise CannotInline(f"`{alias.name}` is imported under another name")
        self.names.add(alias.name)
        return True

    def rewrite_attributes(self) -> None:
        """``helper.f`` becomes ``f``."""
        taken = set()
        for node in self._nodes:
            if not isinstance(node, ast.Attribute) or (root := _find_root(node)) is None:
                continue
            held = ast.unparse(node.value)
            module = self._held.get(held)
            if module is None:
                continue
            if not isinstance(node.ctx, ast.Load) or node.attr not in src.find_names(module.file.text).binds:
                raise CannotInline(f"`{held}.{node.attr}` is not in {module.file.path.name}, or is assigned")
            self.edits.append((*src.find_span(self.text, node), node.attr))
            self.names.add(node.attr)
            self.written[node.attr] = f"{held}.{node.attr}"
            taken.add(id(root))
        self._check_uses(taken)

    def _check_uses(self, taken: set[int]) -> None:
        """Raise where a module, or the package that it was imported by, is used otherwise than for what is in it."""
        names = {name.partition(".")[0] for name in self._held}
        for node in self._nodes:
            if isinstance(node, ast.Name) and node.id in names and id(node) not in taken:
                raise CannotInline(f"the module `{node.id}` itself is used as a value")
            if isinstance(node, ast.arg) and node.arg in names:
                raise CannotInline(f"`{node.arg}` is a module and a parameter")
            if isinstance(node, ast.Name) and node.id in self.written:
                raise CannotInline(f"`{node.id}` means two things")

    def rewrite_file_names(self, path: str) -> None:
        """``__name__`` is not that of a script, ``__file__`` is the file's."""
        for node in self._nodes:
            if isinstance(node, ast.Compare) and isinstance(node.left, ast.Name) and node.left.id == "__name__":
                self.edits.append((*src.find_span(self.text, node), "False"))
            elif isinstance(node, ast.Name) and node.id == "__file__":
                self.edits.append((*src.find_span(self.text, node), repr(path)))


def _find_root(node: ast.Attribute) -> ast.Name | None:
    """The name that a dotted name like ``a.b.c`` begins with; None for an attribute of anything else."""
    value = node.value
    while isinstance(value, ast.Attribute):
        value = value.value
    return value if isinstance(value, ast.Name) else None


def _check_names(cells: Sequence[Inlined], others: Sequence[Inlined]) -> None:
    """Raise where a name of a module would mean something else in another cell."""
    imported = frozenset[str]().union(*(other.names for other in others))
    for module in cells:
        binds = src.find_names(module.source).binds
        equal = frozenset(n for other in others for n in _list_equal_imports(module.source, other.source))
        for other in (*cells, *others):
            if other is module:
                continue
            names, is_cell = src.find_names(other.source), other in others
            known = imported | equal if is_cell else other.names
            shared = (names.binds & binds) - set(_list_equal_imports(module.source, other.source))
            shared |= (((names.uses | names.changes) - names.binds) & binds) - known
            if shared:
                raise CannotInline(f"`{min(shared)}` means two things, in the file and outside of it")


def _list_equal_imports(one: str, other: str) -> Iterator[str]:
    """Names that both texts bind by the same import."""
    first, second = dict(_list_imports(one)), dict(_list_imports(other))
    return (name for name, dumped in first.items() if second.get(name) == dumped)


def _list_imports(text: str) -> Iterator[tuple[str, str]]:
    for node in src.walk(text):
        if isinstance(node, ast.Import | ast.ImportFrom):
            base = getattr(node, "module", "") or ""
            for alias in node.names:
                yield alias.asname or alias.name.partition(".")[0], f"{base}:{alias.name}:{alias.asname}"
