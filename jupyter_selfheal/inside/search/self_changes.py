"""What beginners leave out of a class, for cells whose output is known: ``self`` among the parameters of a method, and before what a method sets."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.scope import Change
from jupyter_selfheal.inside.search.source_text import Source

MISSING = "`self` is missing among the parameters"


def list_self_changes(source: Source) -> list[Change]:
    """``self`` put in where the methods of a class lack it, and brackets where one is not called."""
    changes: list[Change] = []
    for owner in source.order:
        if isinstance(owner, ast.ClassDef):
            methods = [n for n in owner.body if isinstance(n, ast.FunctionDef) and not n.decorator_list]
            changes += [*_take_self(source, methods), *_set_own(source, methods)]
    return [*changes, *_call_methods(source, changes)]


def _take_self(source: Source, methods: list[ast.FunctionDef]) -> Iterator[Change]:
    """``def show():`` as ``def show(self):``, in all methods that read ``self`` and do not take it, or take nothing."""
    edits: list[Edit] = []
    line = 0
    for method in methods:
        taken = {n.arg for n in ast.walk(method.args) if isinstance(n, ast.arg)}
        reads = any(isinstance(n, ast.Name) and n.id == "self" for n in ast.walk(method))
        if "self" not in taken and (reads or not taken):
            at = source.text.find("(", source.start_of(method)) + 1
            edits.append((at, at, "self, " if taken else "self"))
            line = line or method.lineno
    if edits:
        yield Change(tuple(sorted(edits)), 0.95, line, MISSING, kind="failing")


def _set_own(source: Source, methods: list[ast.FunctionDef]) -> Iterator[Change]:
    """``balance = self.balance + amount`` as ``self.balance = …``, where nothing reads ``balance`` in that method: all such lines at once."""
    read = {n.attr for n in source.order if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load)}
    edits: list[Edit] = []
    line = 0
    for method in methods:
        taken = {n.arg for n in ast.walk(method.args) if isinstance(n, ast.arg)}
        names = [n for n in ast.walk(method) if isinstance(n, ast.Name)]
        used = {n.id for n in names if isinstance(n.ctx, ast.Load)}
        for name in names:
            if isinstance(name.ctx, ast.Store) and name.id in read and (name.id not in used or name.id in taken):
                start = source.start_of(name)
                edits.append((start, start, "self."))
                line = line or name.lineno
    if edits:
        yield Change(tuple(sorted(edits)), 0.85, line, "an attribute is set without `self.`")


def _call_methods(source: Source, taken: list[Change]) -> Iterator[Change]:
    """``d.speak`` on a line of its own as ``d.speak()``, all such lines at once, with the ``self`` that its class lacks."""
    own = {
        n.name
        for owner in source.order
        if isinstance(owner, ast.ClassDef)
        for n in owner.body
        if isinstance(n, ast.FunctionDef)
    }
    ends = [
        source.end_of(n)
        for n in source.order
        if isinstance(n, ast.Expr) and isinstance(n.value, ast.Attribute) and n.value.attr in own
    ]
    if ends:
        edits = [(end, end, "()") for end in ends]
        line = source.text.count("\n", 0, ends[0]) + 1
        yield Change(tuple(edits), 0.8, line, "a method is not called", kind="senseless")
        lacking = [edit for change in taken if change.words == MISSING for edit in change.edits]
        if lacking:
            yield Change(
                tuple(sorted([*lacking, *edits])),
                0.85,
                line,
                f"a method is not called, and {MISSING}",
                kind="senseless",
            )
