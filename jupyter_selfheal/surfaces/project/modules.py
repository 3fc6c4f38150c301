"""Which of a project's files a piece of code imports, told from the text alone."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from jupyter_selfheal import source as src
from jupyter_selfheal.surfaces.project.files import ProjectFile, is_own, read_file

MOST_FILES, MOST_LINES = 8, 4000
"""How much of a project is looked at for one failure."""


@dataclass(frozen=True, slots=True)
class Module:
    """A file of the project under the name that it is imported by."""

    name: str
    file: ProjectFile

    @property
    def package(self) -> str:
        """What relative imports in it start from."""
        return self.name if self.file.path.name == "__init__.py" else self.name.rpartition(".")[0]

    @property
    def cell_id(self) -> str:
        """The id of the cell that stands for it; the name of its file, as people see it in a patch."""
        return self.file.path.name if "." not in self.name else f"{self.name.replace('.', '/')}.py"


@dataclass(frozen=True, slots=True)
class Finder:
    """Finds modules of a project in ``roots``, the folders that imports start from."""

    project: Path
    roots: tuple[Path, ...]

    def find(self, name: str) -> Path | None:
        """The project's own file of a dotted name, or None."""
        for root in self.roots:
            base = root.joinpath(*name.split("."))
            for path in (base.with_suffix(".py"), base / "__init__.py"):
                if path.is_file() and is_own(path.resolve(), self.project):
                    return path.resolve()
        return None

    def collect_modules(self, texts: Sequence[str], wanted: Collection[Path]) -> tuple[Module, ...]:
        """The modules that texts lead to, each after those it imports; only those on the way to a ``wanted`` file, if there are any.

        Empty where that is more than is looked at.
        """
        modules: dict[str, Module] = {}
        needs: dict[str, list[str]] = {}
        self._collect([n for text in texts for n in self._list_own(text, "")], modules, needs)
        if wanted:
            goals = {m.name for m in modules.values() if m.file.path in wanted}
            modules = {n: m for n, m in modules.items() if _reach_modules(n, needs) & goals}
        lines = sum(m.file.text.count("\n") for m in modules.values())
        return () if len(modules) > MOST_FILES or lines > MOST_LINES else tuple(modules.values())

    def _collect(self, names: Sequence[str], modules: dict[str, Module], needs: dict[str, list[str]]) -> None:
        for name in names:
            path = self.find(name)
            if name in needs or path is None or len(needs) > 4 * MOST_FILES:
                continue
            needs[name] = []
            file = read_file(path)
            if file is None or src.parse(file.text) is None:
                continue
            module = Module(name, file)
            needs[name] = list(self._list_own(file.text, module.package))
            self._collect(needs[name], modules, needs)
            modules[name] = module

    def _list_own(self, text: str, package: str) -> Iterator[str]:
        return (name for name in dict.fromkeys(list_imported(text, package)) if self.find(name) is not None)


def list_imported(text: str, package: str) -> Iterator[str]:
    """The dotted names that a text may import: ``from a import b`` names ``a.b`` and ``a``."""
    for node in src.walk(text):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (base := find_base(node, package)) is not None:
            yield from (f"{base}.{alias.name}" for alias in node.names)
            yield base


def find_base(node: ast.ImportFrom, package: str) -> str | None:
    """The absolute name of the module that an import is from; None where it leads out of the package."""
    if not node.level:
        return node.module or ""
    parts = package.split(".") if package else []
    if node.level - 1 >= len(parts):
        return None
    parts = parts[: len(parts) - node.level + 1]
    return ".".join([*parts, *([node.module] if node.module else [])])


def _reach_modules(name: str, needs: dict[str, list[str]]) -> set[str]:
    reached: set[str] = set()
    pending = [name]
    while pending:
        at = pending.pop()
        if at not in reached:
            reached.add(at)
            pending += needs.get(at, [])
    return reached
