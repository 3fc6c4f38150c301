"""The failing expression of a scene, what it is live, and the splices that library rules are made of."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules._edit import Splice, add_import
from jupyter_selfheal.healers.rules._rule import Scene
from jupyter_selfheal.inside.loader import probe_source

LAZY = frozenset({"urllib", "xml", "importlib", "concurrent", "email", "http"})
"""Packages whose submodules are there only once they were imported."""

ATOMS = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant, ast.List, ast.Dict, ast.Set, ast.ListComp)


def ask(scene: Scene, question: str, **argument: Any) -> Any:
    """The answer of :mod:`jupyter_selfheal.inside.probes.libraries` to a question about the live state; None where there is none."""
    return scene.facts.ask(
        probe_source("probes.libraries"), {"question": question, "place": _place_of(scene), **argument}
    )


def _place_of(scene: Scene) -> list[Any]:
    cell_id, _, line = scene.place()
    for frame in reversed(scene.failure.frames):
        if frame.cell_id == cell_id and frame.line == line:
            return [frame.file, frame.function, frame.line]
    return ["", "<module>", line]


@dataclass(frozen=True, slots=True)
class Live:
    """What an expression is in the running state.

    ``mro`` are dotted paths of its class and bases, ``path`` its own where it is a function, class or module, ``bases``
    those of a class itself.
    """

    mro: tuple[str, ...] = ()
    path: str = ""
    bases: tuple[str, ...] = ()
    is_module: bool = False
    is_class: bool = False
    callable: bool = False
    ndim: int = -1
    size: int = -1
    dtype: str = ""
    text: str = ""

    @classmethod
    def read(cls, raw: Any) -> Live:
        """From the probe's answer; of None an empty one."""
        if not raw:
            return cls()
        return cls(
            mro=tuple(raw["mro"]),
            path=raw["path"],
            bases=tuple(raw.get("bases", ())),
            **{k: raw[k] for k in ("is_module", "is_class", "callable", "ndim", "size", "dtype", "text")},
        )

    def is_a(self, *kinds: str) -> bool:
        """True where one of the kinds (``pandas.DataFrame``: package and class name) is among its classes."""
        short = {path.split(".")[0] + "." + path.rsplit(".", 1)[-1] for path in self.mro}
        return any(kind in short or kind in self.mro for kind in kinds)


@dataclass(frozen=True, slots=True)
class Site:
    """Where the exception came up in the user's code, and what it says of itself.

    ``position`` is [line, column, end line, end column] of the failing instruction, empty on an interpreter that does
    not tell (before 3.11). ``owner`` and ``attribute`` are of an AttributeError.
    """

    scene: Scene
    cell_id: str
    source: str
    tree: ast.Module
    line: int
    position: tuple[int, int, int, int] | tuple[()] = ()
    owner: Live = Live()
    attribute: str = ""

    @classmethod
    def of(cls, scene: Scene) -> Site | None:
        """The site of the scene, or None where the cell there does not parse."""
        cell_id, source, line = scene.place()
        tree = src.parse(source)
        if tree is None or src.is_foreign(source):
            return None
        raw = ask(scene, "site") or {}
        position = cast("tuple[int, int, int, int] | tuple[()]", tuple(raw.get("position") or ()))
        found = cls(scene, cell_id, source, tree, line, position, Live.read(raw.get("obj")), raw.get("name") or "")
        if not found.attribute and scene.failure.ename == "AttributeError":
            node = next(found.nodes(ast.Attribute), None)  # a module's __getattr__ sets neither name nor obj
            if isinstance(node, ast.Attribute):
                return replace(found, attribute=node.attr, owner=found.live([node.value])[0])
        return found

    @classmethod
    def upwards(cls, scene: Scene, cell_id: str = "") -> Iterator[Site]:
        """The failing cell (or the given one) and those above it, nearest first, without the ones that do not parse. Their
        ``line`` is the first one."""
        for above in scene.upwards(cell_id):
            source = scene.source_of(above)
            tree = src.parse(source)
            if tree is not None and not src.is_foreign(source):
                yield cls(scene, above, source, tree, 1)

    def text(self, node: ast.AST) -> str:
        """The source text of a node of the site's cell."""
        return src.text_of(self.source, node)

    def nodes(self, *kinds: type[ast.AST]) -> Iterator[ast.AST]:
        """Nodes of these kinds at the failing instruction: exactly there first, then inside it, around it, on its line."""
        found: list[Any] = [n for n in ast.walk(self.tree) if isinstance(n, kinds) and hasattr(n, "lineno")]
        on_line = [n for n in found if n.lineno <= self.line <= (n.end_lineno or n.lineno)]
        if not self.position:
            return iter(on_line)
        line, col, end, end_col = self.position

        def rank(node: Any) -> tuple[int, int]:
            first, last = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
            size = abs(node.end_lineno - end) * 1000 + abs((node.end_col_offset or 0) - end_col)
            if (first, last) == ((line, col), (end, end_col)):
                return 0, 0
            if (line, col) <= first and last <= (end, end_col):
                return 1, size
            if first <= (line, col) and (end, end_col) <= last:
                return 2, size
            return 3, size

        return iter(sorted(on_line, key=rank))

    def calls(self) -> list[ast.Call]:
        """Calls at the failing instruction, nearest first."""
        return [n for n in self.nodes(ast.Call) if isinstance(n, ast.Call)]

    def live(self, expressions: Sequence[ast.expr], *, calls: bool = False) -> tuple[Live, ...]:
        """What the expressions are in the failing frame; empty ones where that cannot be told."""
        if not expressions:
            return ()
        raw = ask(self.scene, "types_of", expressions=[self.text(e) for e in expressions], calls=calls)
        return tuple(Live.read(r) for r in raw) if raw else tuple(Live() for _ in expressions)

    def signature(self, callee: ast.expr) -> dict[str, Any]:
        """Parameters of a live callee; empty where it has none to show."""
        found = ask(self.scene, "signature", expression=self.text(callee), calls=True)
        return found if isinstance(found, dict) else {}

    def number(self, expression: ast.expr) -> float | None:
        """The number that an expression is in the failing frame; None where it is none."""
        found = ask(self.scene, "number", expression=self.text(expression))
        return found if isinstance(found, int | float) else None

    def operand(self, node: ast.expr) -> str:
        """Text of an expression fit to be followed by ``.name``: in parentheses unless it is an atom."""
        text = self.text(node)
        number = isinstance(node, ast.Constant) and isinstance(node.value, int | float)
        return text if isinstance(node, ATOMS) and not number else f"({text})"


def exists(scene: Scene, *paths: str) -> bool:
    """True where every dotted path leads to something in the running environment."""
    found = ask(scene, "resolve", paths=list(paths))
    return bool(found) and all(found)


def reference(site: Site, path: str) -> tuple[str, str] | None:
    """How to write a dotted path in the site's cell: (expression, import line or "").

    An alias that the frame already has for its module is used, builtins need nothing, else the name is imported:
    by itself where it is free, with its module where not. None where the path leads nowhere in this environment.
    """
    found = ask(site.scene, "reference", path=path)
    if not found:
        return None
    if found["builtin"]:
        return path, ""
    if found["written"]:
        deep = path.split(".")[0] in LAZY and found["module"].count(".") > 0
        return found["written"], f"import {found['module']}" if deep else ""
    if not found["rest"]:
        return path, f"import {path}"
    if found["taken"]:
        return path, f"import {found['module']}"
    return found["rest"], f"from {found['module']} import {found['rest'].split('.')[0]}"


def add_imports(source: str, lines: Iterable[str]) -> list[Splice]:
    """Splices that add import lines to a cell where it does not have them already."""
    have = {line.strip() for line in source.splitlines()}
    wanted = [line for line in dict.fromkeys(lines) if line and line not in have]
    return [add_import(source, "\n".join(wanted))] if wanted else []


def attributes(tree: ast.AST, name: str) -> list[ast.Attribute]:
    """Every ``….name`` read in a tree."""
    return [n for n in ast.walk(tree) if isinstance(n, ast.Attribute) and n.attr == name]


def dotted(node: ast.AST) -> str:
    """``a.b.c`` of a chain of attributes on a name; empty for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def parent_call(tree: ast.AST, node: ast.AST) -> ast.Call | None:
    """The call whose callee the node is, or None."""
    return next((c for c in ast.walk(tree) if isinstance(c, ast.Call) and c.func is node), None)
