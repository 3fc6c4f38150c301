"""A cell's source, read once: its tree, statements, names and positions are kept with its text."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar, overload

from jupyter_selfheal.inside import parsing
from jupyter_selfheal.inside.positions import LineTable, splice
from jupyter_selfheal.source import masking
from jupyter_selfheal.source.binding import Names, collect_names

T = TypeVar("T")


class lazy_property(Generic[T]):
    """A property that is computed when it is first asked for. ``cached_property`` of Python 3.11 holds one lock for all
    instances meanwhile, and a fork of the user's kernel could be left with it."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self.compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> lazy_property[T]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> T | lazy_property[T]:
        if instance is None:
            return self
        value = instance.__dict__[self.name] = self.compute(instance)
        return value


@dataclass(frozen=True, slots=True)
class Statement:
    """A top-level statement: its index, its lines (1-based, inclusive) and its tree."""

    index: int
    first: int
    last: int
    node: ast.stmt


@dataclass(frozen=True)
class Source:
    """The source of one cell. Ask :func:`read` for it, which keeps those that were read last.

    The trees belong to everybody who asks: they are read, never changed (take a ``copy.deepcopy`` for that).
    """

    text: str

    @property
    def tree(self) -> ast.Module | None:
        """The syntax tree (masked, top-level await allowed), or None where the source does not parse."""
        if "_tree" not in self.__dict__:
            try:
                tree = parsing.parse_tree(self.masked_text, flags=masking.PARSE_FLAGS)
            except (SyntaxError, ValueError):
                tree = None
            except (RecursionError, MemoryError):
                return None  # of this moment's stack or memory, not of the source: not kept
            self.__dict__["_tree"] = tree if isinstance(tree, ast.Module) else None
        return self.__dict__["_tree"]  # type: ignore[no-any-return]

    @lazy_property
    def masked_text(self) -> str:
        """The source as Python: see :func:`~jupyter_selfheal.source.mask`."""
        return masking.mask(self.text)

    @lazy_property
    def is_foreign(self) -> bool:
        """True for a cell whose body is not Python."""
        return masking.is_foreign(self.text)

    @lazy_property
    def line_table(self) -> LineTable:
        """Where its lines begin."""
        return LineTable(self.text)

    @lazy_property
    def statements(self) -> tuple[Statement, ...]:
        """The top-level statements, in order; empty where the source does not parse."""
        body = self.tree.body if self.tree is not None else ()
        return tuple(
            Statement(
                n, min([node.lineno, *(d.lineno for d in _list_decorators(node))]), node.end_lineno or node.lineno, node
            )
            for n, node in enumerate(body)
        )

    @lazy_property
    def names(self) -> Names:
        """The global names that it binds, reads, changes and deletes; where it does not parse, only what its cell magic binds."""
        given = masking.find_magic_names(self.text)
        if self.tree is None or self.is_foreign:
            return Names(binds=given)
        names = collect_names(self.tree.body)
        return replace(names, binds=names.binds | given) if given else names

    @lazy_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes of the tree, in the order of ``ast.walk``; none where the source does not parse."""
        return tuple(ast.walk(self.tree)) if self.tree is not None else ()

    @lazy_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """The parent of each node of the tree."""
        return {child: node for node in self.nodes for child in ast.iter_child_nodes(node)}

    @lazy_property
    def statement_keys(self) -> tuple[str, ...]:
        """One key for each statement, equal for statements that do the same; a magic is known by its text."""
        lines = self.line_table.lines
        return tuple(
            parsing.dump_tree(s.node)
            + "".join(t.strip() for t in lines[s.first - 1 : s.last] if t.lstrip()[:1] in ("%", "!"))
            for s in self.statements
        )

    @lazy_property
    def canonical(self) -> str:
        """Equal for sources that differ in formatting, comments and quotes only."""
        if self.tree is None:
            return " ".join(self.text.split())
        magics = [line.strip() for line in self.line_table.lines if line.lstrip().startswith(("%", "!"))]
        return parsing.dump_tree(self.tree) + "\n".join(magics)

    def find_offset(self, line: int, column: int) -> int:
        """Character offset of ast's 1-based line and 0-based UTF-8 column."""
        return self.line_table.offset(line, column)

    def find_span(self, node: ast.AST) -> tuple[int, int]:
        """Character offsets [start, end) of a node; decorators are part of a definition."""
        lineno, col = node.lineno, node.col_offset  # type: ignore[attr-defined]
        for decorator in _list_decorators(node):
            if decorator.lineno < lineno:
                lineno, col = decorator.lineno, max(decorator.col_offset - 1, 0)
        return self.find_offset(lineno, col), self.find_offset(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]

    def extract_text(self, node: ast.AST) -> str:
        """The source text of a node."""
        start, end = self.find_span(node)
        return self.text[start:end]

    def find_statement(self, line: int) -> int:
        """Index of the top-level statement on a 1-based line, the first of several, or -1."""
        return next((s.index for s in self.statements if s.first <= line <= s.last), -1)

    def find_last_statement(self, line: int) -> int:
        """Likewise, the last of several (``a(); b()``)."""
        return max((s.index for s in self.statements if s.first <= line <= s.last), default=-1)

    def keep_statements(self, indices: Iterable[int]) -> str:
        """The text with every other top-level statement blanked; line numbers are kept. A magic is blanked to its line's end.

        A ``#`` stands where the first statement began, if that is blanked: IPython drops leading lines of nothing but space.
        """
        kept, text = set(indices), self.text
        edits = []
        for s in self.statements:
            if s.index in kept:
                continue
            start, end = self.find_span(s.node)
            if text[start : start + 1] in ("%", "!", "?"):
                end = text.find("\n", start) if text.find("\n", start) >= 0 else len(text)
            edits.append((start, end, re.sub(r"[^\r\n]", " ", text[start:end])))
        blanked = splice(text, edits)
        # ``a; b``: a semicolon left alone on its line is no statement
        blanked = re.sub(r"(?m)^([ \t]*);", lambda m: m[1] + " ", blanked)
        lead = len(text) - len(text.lstrip())
        if blanked[: lead + 1].isspace() and not blanked[lead:].partition("\n")[0].strip():
            blanked = blanked[:lead] + "#" + blanked[lead + 1 :]
        return blanked

    def find_remaining(self, ran: int, patched: Source) -> str | None:
        """What is left to run of the patched source where the first ``ran`` statements of this one ran.

        The rest, as in :meth:`keep_statements`; None where something of what ran is not there any more, in order, with nothing but
        imports added among it.
        """
        done = list(self.statement_keys[:ran])
        if ran <= 0 or len(done) < ran or len(patched.statements) <= ran:
            return None
        keep: list[int] = []
        for statement, key in zip(patched.statements, patched.statement_keys, strict=True):
            if done and key == done[0]:
                done.pop(0)
            elif done and not isinstance(statement.node, ast.Import | ast.ImportFrom):
                return None
            else:
                keep.append(statement.index)
        return None if done else patched.keep_statements(keep)


def _list_decorators(node: ast.AST) -> list[ast.expr]:
    return getattr(node, "decorator_list", [])


KEPT_CHARACTERS = 400_000
"""How much text is kept read, twice over: a tree takes some hundred times its text. 400 cells are about 200,000 characters."""


class _Recent:
    """The sources that were read last, in two generations: what the older one holds is let go when the younger one is full.

    Without a lock, which a fork of the user's kernel could find taken for ever: each step is one operation of a dictionary, and the
    worst that two threads do to each other is to read a source twice.
    """

    def __init__(self) -> None:
        self.young: dict[str, Source] = {}
        self.old: dict[str, Source] = {}
        self.room = KEPT_CHARACTERS

    def read(self, text: str) -> Source:
        source = self.young.get(text)
        if source is None:
            source = self.old.get(text) or Source(text)
            self.room -= len(text) + 50
            if self.room < 0:
                self.young, self.old, self.room = {}, self.young, KEPT_CHARACTERS
            self.young[text] = source
        return source


_recent = _Recent()


def read(text: str) -> Source:
    """The source of a text, read once for all who ask."""
    return _recent.read(text)
