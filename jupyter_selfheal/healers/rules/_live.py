"""Typed questions to the live state, for rules: the engine's half of :mod:`jupyter_selfheal.inside.probes.live_objects`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules._rule import Scene
from jupyter_selfheal.inside.loader import probe_source
from jupyter_selfheal.model import JSON


def ask(scene: Scene, question: str, **argument: JSON) -> JSON:
    """The answer to one question of :data:`jupyter_selfheal.inside.probes.live_objects.QUESTIONS`, or None where it cannot be answered."""
    return scene.facts.ask(
        probe_source("probes.live_objects"), {"question": question, "place": _place(scene), **argument}
    )


def _place(scene: Scene) -> JSON:
    """[file, function, line] of the innermost frame in a cell of the notebook, or None."""
    for frame in reversed(scene.failure.frames):
        if frame.cell_id and (frame.cell_id == scene.failure.cell_id or scene.notebook.index(frame.cell_id) >= 0):
            return [frame.file, frame.function, frame.line]
    return None


@dataclass(frozen=True, slots=True)
class Thing:
    """What a live object is. ``mro`` holds dotted class names; ``length`` is -1 where it has none."""

    type: str = ""
    module: str = ""
    mro: tuple[str, ...] = ()
    callable: bool = False
    attributes: tuple[str, ...] = ()
    is_module: bool = False
    is_class: bool = False
    name: str = ""
    text: str = ""
    length: int = -1

    @property
    def is_none(self) -> bool:
        return self.type == "NoneType"

    def is_a(self, dotted: str) -> bool:
        """True for an instance of the class, named as ``pandas.core.frame.DataFrame`` or by its last part."""
        return any(c == dotted or c.split(".")[-1] == dotted for c in self.mro)


def _thing(raw: JSON) -> Thing | None:
    if not isinstance(raw, dict):
        return None
    return Thing(
        type=raw["type"],
        module=raw["module"] or "",
        mro=tuple(raw["mro"]),
        callable=raw["callable"],
        attributes=tuple(raw["dir"]),
        is_module=raw["is_module"],
        is_class=raw["is_class"],
        name=raw["name"],
        text=raw["text"],
        length=raw.get("length", -1),
    )


@dataclass(frozen=True, slots=True)
class Survey:
    """The state at the failure at one glance.

    ``names`` and ``locals`` map to (type name, callable?); ``position`` is the failing instruction's (line, column,
    end line, end column) in ast's conventions, in the cell of :meth:`Scene.place`; ``attribute`` is the exception's
    ``name`` (AttributeError, NameError, ImportError); ``owner`` is the object that lacks the attribute.
    """

    names: Mapping[str, tuple[str, bool]] = field(default_factory=dict)
    locals: Mapping[str, tuple[str, bool]] = field(default_factory=dict)
    position: tuple[int, int, int, int] | None = None
    function: str = ""
    attribute: str = ""
    owner: Thing | None = None
    arguments: tuple[JSON, ...] = ()
    known: bool = False
    """False where no state is at hand: then nothing may be concluded from an empty ``names``."""


def survey(scene: Scene) -> Survey:
    """The survey of the scene's state (asked once; the facts keep the answer)."""
    bound = sorted({n for c in scene.notebook.cells if c.kind == "code" for n in src.names(c.source).binds})
    raw = ask(scene, "survey", bound=bound)
    if not isinstance(raw, dict):
        return Survey()
    position = raw["position"]
    return Survey(
        names={k: (v[0], v[1]) for k, v in raw["names"].items()},
        locals={k: (v[0], v[1]) for k, v in raw["locals"].items()},
        position=(position[0], position[1], position[2], position[3]) if position else None,
        function=raw["function"],
        attribute=raw["error"]["name"],
        owner=_thing(raw["error"].get("obj")),
        arguments=tuple(raw["error"]["args"]),
        known=True,
    )


def describe(scene: Scene, expression: str) -> Thing | None:
    """What a plain chain (``df.columns``, ``items[0]``) is in the failing frame; None where it cannot be evaluated."""
    return _thing(ask(scene, "describe", expression=expression))


@dataclass(frozen=True, slots=True)
class Keys:
    """What an object can be subscripted with. ``length`` is -1 where it has none."""

    type: str
    keys: tuple[JSON, ...] = ()
    columns: tuple[JSON, ...] = ()
    index: tuple[JSON, ...] = ()
    index_names: tuple[str, ...] = ()
    length: int = -1

    @property
    def is_table(self) -> bool:
        return self.type in ("DataFrame", "DataFrameGroupBy") or bool(self.columns)


def keys(scene: Scene, expression: str) -> Keys | None:
    """The keys, columns, index and length of a plain chain's value."""
    raw = ask(scene, "keys", expression=expression)
    if not isinstance(raw, dict):
        return None

    def plain(name: str) -> tuple[JSON, ...]:
        return tuple(tuple(k) if isinstance(k, list) else k for k in raw[name])

    return Keys(
        raw["type"],
        plain("keys"),
        plain("columns"),
        plain("index"),
        tuple(raw["index_names"]),
        raw.get("length", -1),
    )


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: its name, its kind as :mod:`inspect` names it, and whether it has a default."""

    name: str
    kind: str
    has_default: bool


def signature(scene: Scene, expression: str) -> tuple[Parameter, ...] | None:
    """The parameters of a callable named by a plain chain; None where there is no signature."""
    raw = ask(scene, "signature", expression=expression)
    return tuple(Parameter(*p) for p in raw["parameters"]) if isinstance(raw, dict) else None


def values(scene: Scene, expressions: Iterable[str]) -> tuple[tuple[str, str, float | None] | None, ...]:
    """(type, repr, number or None) of each plain chain; None where it cannot be evaluated."""
    wanted = list(expressions)
    raw = ask(scene, "values", expressions=wanted)
    return tuple((v[0], v[1], v[2]) if v else None for v in raw) if isinstance(raw, list) else (None,) * len(wanted)


# --- where in the source ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Spot:
    """A syntax node in a cell: the cell's id and whole source, and the node."""

    cell_id: str
    source: str
    node: ast.AST

    def text(self, node: ast.AST | None = None) -> str:
        """Source text of the node, or of another node of the same cell."""
        return src.text_of(self.source, node or self.node)

    def span(self, node: ast.AST | None = None) -> tuple[int, int]:
        """Character offsets [start, end) of the node, or of another node of the same cell."""
        return src.span(self.source, node or self.node)


def spots(scene: Scene, *kinds: type[ast.AST]) -> Iterator[Spot]:
    """Nodes of some kinds that may have raised: the exact failing node if known, else all on the failing line.

    The exact node comes from the instruction's position (PEP 657); where the kernel cannot tell it, the line is what
    there is, and a rule that finds several candidates must choose by its own evidence.
    """
    cell_id, source, line = scene.place()
    tree = src.parse(source)
    if tree is None:
        return
    position = survey(scene).position
    on_line: list[ast.AST] = []
    for node in ast.walk(tree):
        where = _where(node)
        if where is None or not isinstance(node, kinds):
            continue
        if where == position:
            yield Spot(cell_id, source, node)
            return
        if position is not None:
            if _covers(position, where):
                on_line.append(node)
        elif line and where[0] <= line <= where[2]:
            on_line.append(node)
    # innermost first: the smaller the node, the closer it is to what failed
    for node in sorted(on_line, key=lambda n: _size(source, n)):
        yield Spot(cell_id, source, node)


def _where(node: ast.AST) -> tuple[int, int, int, int] | None:
    found = tuple(getattr(node, name, None) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"))
    return None if None in found else found  # type: ignore[return-value]


def _covers(outer: tuple[int, int, int, int], inner: tuple[int, int, int, int]) -> bool:
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]


def _size(source: str, node: ast.AST) -> int:
    start, end = src.span(source, node)
    return end - start


def chain(node: ast.AST, source: str) -> str:
    """The text of a node if it is a plain chain that may be evaluated (no calls), else an empty string."""
    for child in ast.walk(node):
        if not isinstance(
            child,
            ast.Name | ast.Attribute | ast.Subscript | ast.Constant | ast.expr_context | ast.Tuple | ast.List
            | ast.UnaryOp | ast.unaryop | ast.Slice,
        ):  # fmt: skip
            return ""
    return src.text_of(source, node)


def call_of(source: str, func: ast.AST) -> ast.Call | None:
    """The call whose function is the node at that place of the cell, or None."""
    where = src.span(source, func)
    for node in src.walk(source):
        if isinstance(node, ast.Call) and src.span(source, node.func) == where:
            return node
    return None


def is_call(source: str, func: ast.AST) -> bool:
    """True where the node is called."""
    return call_of(source, func) is not None


def is_statement(source: str, node: ast.AST) -> bool:
    """True where the node is a statement of its own, whose value nobody reads (unless it is the cell's last)."""
    where = src.span(source, node)
    return any(isinstance(n, ast.Expr) and src.span(source, n) == where for n in src.walk(source))


def parents(tree: ast.AST) -> dict[ast.AST, ast.AST]:
    """Each node's parent."""
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
