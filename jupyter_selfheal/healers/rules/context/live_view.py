"""The live state at the failure: typed questions, each asked of a throw-away copy of the kernel and answered once."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import questions
from jupyter_selfheal.healers.rules.context.failure_view import FailureView
from jupyter_selfheal.healers.rules.context.objects import (
    Keys,
    LiveState,
    ObjectInfo,
    Position,
    Reference,
    Signature,
    Table,
    ValueText,
)
from jupyter_selfheal.healers.rules.context.questions import Question
from jupyter_selfheal.inside.loader import probe_source
from jupyter_selfheal.model import JSON
from jupyter_selfheal.source.source import lazy_property

T = TypeVar("T")


LAZY = frozenset({"urllib", "xml", "importlib", "concurrent", "email", "http"})
"""Packages whose submodules are there only once they were imported."""
_WAYS_TO_NAME = tuple(map(re.compile, (r"has no attribute ['`](\w+)", r"['`](?:\w+\.)*(\w+)['`]", r"\w+")))
"""How a message names what is missed, the plainest first."""


@dataclass(frozen=True)
class LiveView(FailureView):
    """A failure with the state that it left. Expressions are given as text, or as nodes of the cell that is looked at."""

    def ask(self, question: Question[T], **argument: JSON) -> T:
        """The answer to one of :mod:`~jupyter_selfheal.healers.rules.context.questions`."""
        module, _, name = question.name.partition(".")
        asked = {"question": name, "place": self._place, "argument": argument}
        raw = self.facts.ask(probe_source(f"probes.{module}"), asked)
        return question.unknown if raw is None else question.read(raw)

    @lazy_property
    def _place(self) -> JSON:
        """[file, function, line] of the frame of the failure's location, or None."""
        cell_id, _, line = self.failure_location
        for frame in reversed(self.failure.frames):
            if frame.cell_id == cell_id and frame.line == line:
                return [frame.file, frame.function, frame.line]
        return None

    def _write_expression(self, expression: str | ast.expr) -> str:
        return expression if isinstance(expression, str) else self.text(expression)

    # --- what is there

    @lazy_property
    def state(self) -> LiveState:
        """The names that are there, where exactly it failed, and what the exception says of itself."""
        bound = {n for c in self.notebook.cells if c.kind == "code" for n in src.find_names(c.source).binds}
        return self.ask(questions.SURVEY, bound=sorted(bound))

    @property
    def position(self) -> Position | None:
        return self.state.position if self.other_cell is None else None

    @lazy_property
    def attribute(self) -> str:
        """The attribute that an AttributeError misses, or the name that another exception names."""
        node = self._missed_node
        return node.attr if node is not None else self.state.attribute

    @lazy_property
    def owner(self) -> ObjectInfo:
        """The object that an AttributeError says lacks the attribute; empty for any other error."""
        node = self._missed_node
        return self.describe_all([node.value])[0] if node is not None else self.state.owner or ObjectInfo()

    @lazy_property
    def _missed_node(self) -> ast.Attribute | None:
        """The attribute node of an AttributeError that does not say itself what it is about: one of a module's ``__getattr__``.

        It is one that the message names, or none: ``helper.f(x)`` fails of the ``np.int`` in another file."""
        if self.state.attribute or self.failure.ename != "AttributeError":
            return None
        nodes = self.list_nodes_at_failure(ast.Attribute)
        said = (found for way in _WAYS_TO_NAME if (found := way.findall(self.failure.evalue)))
        return next((n for names in said for n in nodes if n.attr in names), None)

    def describe(self, expression: str | ast.expr, *, calls: bool = False) -> ObjectInfo | None:
        """What an expression is in the failing frame; None where it cannot be evaluated, or calls something without leave."""
        answers = self.ask(questions.DESCRIBE, expressions=[self._write_expression(expression)], calls=calls)
        return answers[0] if answers else None

    def describe_all(self, expressions: Sequence[str | ast.expr], *, calls: bool = False) -> tuple[ObjectInfo, ...]:
        """What several expressions are, by one question; an empty one where that cannot be told."""
        if not expressions:
            return ()
        answers = self.ask(
            questions.DESCRIBE, expressions=[self._write_expression(e) for e in expressions], calls=calls
        )
        return tuple(a or ObjectInfo() for a in answers or [None] * len(expressions))

    def keys(self, expression: str | ast.expr, *, calls: bool = False) -> Keys | None:
        """The keys, columns, index and length of a plain chain's value, or of a result."""
        return self.keys_of_all([expression], calls=calls)[0]

    def keys_of_all(self, expressions: Sequence[str | ast.expr], *, calls: bool = False) -> list[Keys | None]:
        """The same of several, by one question."""
        wanted = [self._write_expression(e) for e in expressions]
        found = self.ask(questions.KEYS, expressions=wanted, calls=calls) if wanted else None
        return found or [None] * len(wanted)

    def table(self, expression: str | ast.expr) -> Table | None:
        """The columns and index of a table or series."""
        return self.ask(questions.TABLE, expression=self._write_expression(expression))

    def signature(self, callee: str | ast.expr, *, calls: bool = False) -> Signature | None:
        """The parameters of a callable; None where it has none to show."""
        return self.ask(questions.SIGNATURE, expression=self._write_expression(callee), calls=calls)

    def values(self, expressions: Iterable[str]) -> list[ValueText | None]:
        """What plain chains hold, in short; None where one cannot be evaluated."""
        wanted = list(expressions)
        return self.ask(questions.VALUES, expressions=wanted) or [None] * len(wanted)

    def number(self, expression: str | ast.expr) -> float | None:
        """The number that an expression is in the failing frame; None where it is none."""
        return self.ask(questions.NUMBER, expression=self._write_expression(expression))

    def is_true(self, expression: str) -> bool:
        """True where a condition holds in the failing frame."""
        return self.are_true([expression])[0]

    def are_true(self, expressions: Sequence[str]) -> list[bool]:
        """The same of several conditions, by one question."""
        found = self.ask(questions.ARE_TRUE, conditions=list(expressions)) if expressions else []
        return found or [False] * len(expressions)

    # --- what can be imported

    def exists(self, *paths: str) -> bool:
        """True where every dotted path leads to something in the running environment."""
        answers = self.ask(questions.RESOLVE, paths=list(paths))
        return bool(answers) and all(answers)

    def find_modules_with(self, package: str, names: Iterable[str]) -> list[tuple[str, bool]]:
        """Public modules of a package that hold every one of the names, each with whether its ``__all__`` lists them."""
        rows = self.ask(questions.FIND_MODULES, package=package, names=list(names))
        return [(str(module), bool(is_listed)) for module, is_listed in rows]

    def find_definitions(self, name: str, packages: Iterable[str]) -> list[tuple[str, str]]:
        """(package, module) of each package that has one class or function of the name, and the module to import it from."""
        rows = self.ask(questions.FIND_DEFINITIONS, name=name, packages=sorted(packages))
        return [(str(package), str(module)) for package, module in rows]

    def select_fitting(
        self, candidates: Iterable[tuple[str, str]], attributes: Iterable[str] = (), *, called: bool = False
    ) -> list[tuple[str, str]]:
        """Which (module, name) can be imported (empty name: the module itself), have the attributes, and can be called."""
        pairs = [list(pair) for pair in candidates]
        rows = self.ask(questions.SELECT_FITTING, pairs=pairs, attributes=sorted(attributes), called=called)
        return [(str(module), str(name)) for module, name in rows]

    def can_import(self, pairs: Iterable[tuple[str, str]]) -> list[bool]:
        """For each (module, name) (empty name: the module itself) whether the import works; all do where nothing is known."""
        wanted = [list(pair) for pair in pairs]
        return self.ask(questions.CHECK_IMPORTS, pairs=wanted) or [True] * len(wanted)

    def reference(self, path: str) -> Reference | None:
        """How to write a dotted path in the failing frame's cell.

        An alias that the frame already has for its module is used, builtins need nothing, else the name is imported:
        by itself where it is free, with its module where not. None where the path leads nowhere in this environment.
        """
        known = self.ask(questions.REFERENCE, path=path)
        if not known:
            return None
        module, rest = known["module"], known["rest"]
        if known["builtin"]:
            return Reference(path, "")
        if known["written"]:
            is_lazy = path.split(".")[0] in LAZY and "." in module
            return Reference(known["written"], f"import {module}" if is_lazy else "")
        if (
            not rest or known["taken"] or rest.split(".")[0] in src.BUILTINS
        ):  # `from PIL.Image import open` would hide `open`
            return Reference(path, f"import {module}")
        return Reference(rest, f"from {module} import {rest.split('.')[0]}")
