"""What a statement under repair has to build with: its names, constants, attributes and expressions, and their kinds."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeVar

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.source_text import Source

FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
NUMBER, TEXT, ITEMS, SET, DICT, TRUTH, CALLABLE, NOTHING = (
    "number",
    "text",
    "items",
    "set",
    "dict",
    "truth",
    "call",
    "none",
)


Kind = Literal["guess", "name", "senseless", "failing", "whole", "words"]
"""What speaks for a change apart from what comes out with it: it gives a ``name`` that nothing binds; what it mends is ``senseless``, as it does
the same whatever it is given; it mends what is ``failing``; or what fails unless a ``whole`` number is read. Nothing for a ``guess``, nor for expected
``words`` that it writes, which come out of course."""


class Change(NamedTuple):
    """One candidate: edits of a statement's text, how often such an edit is right (0–1), the line it is on, and what it
    says in words. A tuple, as a search makes tens of thousands: a frozen dataclass takes three times as long to make."""

    edits: tuple[Edit, ...]
    prior: float
    line: int
    words: str
    kind: Kind = "guess"


@dataclass(slots=True)
class Hints:
    """What is known from running: kinds of values seen for each name, attributes and keys seen anywhere in the notebook."""

    kinds: Mapping[str, frozenset[str]] = field(default_factory=dict)
    attributes: frozenset[str] = frozenset()
    callables: frozenset[str] = frozenset()
    outside: frozenset[str] = frozenset()
    of_classes: frozenset[str] = frozenset()
    """Attributes that the notebook reads of a class itself, not of an instance, or sets from outside."""
    extended: frozenset[str] = frozenset()
    """Classes of which other ones are made."""
    modules: tuple[str, ...] = ()
    """Imported modules, for an attribute that is looked up on the wrong thing."""
    nearby: tuple[str, ...] = ()
    """Variables of the cells above, for a statement at the top level, which may have meant one of them."""
    defined: frozenset[str] = frozenset()
    """Every name that the notebook and the program define; nothing where that is not known."""
    signatures: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The parameters of each function of the program that takes no others than plain ones."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The text of each function of the program, for one that has nothing in it."""
    calls: Mapping[str, Sequence[tuple[Any, ...]]] = field(default_factory=dict)
    """What the checks give each function, where it is plain data."""
    readable: frozenset[str] = frozenset()
    """Variables of the notebook that a function may read in place of what it is given."""
    made: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Of a variable of the notebook that is made of one other one, which that is, and the expression."""
    off: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """By how much every checked number of a function is off: what is missing, and by what it is to be multiplied (0 where that differs)."""
    empty: frozenset[str] = frozenset()
    """Parameters that are empty where a check fails."""
    literals: bool = True
    """False: literals are not to be changed."""
    data: bool = True
    """False: literals that look like data (lists of them, texts, numbers that are no index or bound) are not."""


def find_kind(value: object) -> str:
    """A coarse kind of a value, for choosing what to combine."""
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return TRUTH
    if isinstance(value, int | float | complex):
        return NUMBER
    if isinstance(value, str | bytes):
        return TEXT
    if isinstance(value, list | tuple):
        return ITEMS
    if isinstance(value, set | frozenset):
        return SET
    if isinstance(value, dict):
        return DICT
    return CALLABLE if callable(value) else type(value).__name__


T = TypeVar("T")
MOST = 60
"""Different numbers, and texts, of a statement that may stand in for each other: their pairs grow with the square."""
SMALL = 2
"""Whole numbers up to this one are part of a formula, not data."""


class Scope(Source):
    """A source with the names in it."""

    def __init__(self, text: str, hints: Hints | None = None) -> None:
        super().__init__(text)
        self.hints = hints or Hints()
        self.read: dict[object, Any] = {}
        self.names = self._collect_names()
        self.called = frozenset(
            n.func.id for n in self.order if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)
        )
        self.functions = dict.fromkeys(
            n.name for n in self.order if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)
        )
        self.values = tuple(n for n in self.names if n not in self.functions and self._is_value(n))
        self.callables = tuple(dict.fromkeys([*self.functions, *sorted(self.called | self.hints.callables)]))
        self.attributes = tuple(
            sorted({n.attr for n in self.order if isinstance(n, ast.Attribute)} | self.hints.attributes)
        )
        numbers = (n.value for n in self.order if isinstance(n, ast.Constant) and type(n.value) in (int, float))
        self.numbers: tuple[Any, ...] = tuple(dict.fromkeys(numbers))[:MOST]
        self.bounds = self._collect_bounds()
        self.strings = tuple(
            dict.fromkeys(
                n.value
                for n in self.order
                if isinstance(n, ast.Constant) and isinstance(n.value, str) and len(n.value) < 40 and not self.is_doc(n)
            )
        )[:MOST]
        local = {a.asname or a.name for n in self.order if isinstance(n, ast.Import) for a in n.names}
        self.modules = (*self.hints.modules, *sorted(local))
        self.described_words, self.described_numbers, self.described_strings = parse_hints(self._collect_prose())
        self.frozen = self._collect_frozen()

    def _collect_bounds(self) -> dict[str, frozenset[float]]:
        """By name, the numbers that the source compares it with."""
        found: dict[str, frozenset[float]] = {}
        for node in self.order:
            if isinstance(node, ast.Compare) and isinstance(node.left, ast.Name):
                numbers = (n.value for n in node.comparators if isinstance(n, ast.Constant))
                known = found.get(node.left.id, frozenset())
                found[node.left.id] = known | {n for n in numbers if isinstance(n, int | float)}
        return found

    def _collect_prose(self) -> str:
        """The docstrings of the source without their examples."""
        texts = [
            n.value for n in self.order if isinstance(n, ast.Constant) and isinstance(n.value, str) and self.is_doc(n)
        ]
        names = [n.name for n in self.order if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
        lines = [line for text in texts for line in text.splitlines() if not line.lstrip().startswith(">>>")]
        kept = [line for line in lines if not any(f"{name}(" in line for name in names)]
        return "\n".join([*kept, *(name.replace("_", " ") for name in names if texts)])

    def is_doc(self, node: ast.AST) -> bool:
        """True for a string that stands alone: a docstring or a comment in disguise."""
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        return is_text and isinstance(self.parents.get(node), ast.Expr)

    def _collect_names(self) -> tuple[str, ...]:
        names: dict[str, None] = {}
        for node in self.order:
            if isinstance(node, ast.arg):
                names[node.arg] = None
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names[node.id] = None
        for node in self.order:
            if isinstance(node, ast.Name) and node.id in self.hints.outside:
                names[node.id] = None
        return tuple(dict.fromkeys([*names, *self.hints.nearby]))

    def _is_value(self, name: str) -> bool:
        """Whether a name holds data, as far as is known: no function, and no module."""
        kinds = self.hints.kinds.get(name)
        return name not in self.hints.modules and (not kinds or kinds not in ({CALLABLE}, {"module"}))

    def _collect_frozen(self) -> frozenset[ast.AST]:
        """Nodes that no mutation operator touches: asserts, docstrings, annotations, f-strings (no positions before 3.12)."""
        frozen: set[ast.AST] = set()
        for node in self.order:
            parent = self.parents.get(node)
            stops = isinstance(
                node, ast.Assert | ast.JoinedStr | ast.Import | ast.ImportFrom | ast.Global | ast.Nonlocal
            )
            stops = stops or (isinstance(node, ast.Constant) and (self.is_doc(node) or not self.hints.literals))
            stops = stops or (
                not self.hints.literals and isinstance(node, ast.List | ast.Tuple | ast.Dict | ast.Set | ast.UnaryOp)
            )
            stops = stops or (not self.hints.data and self._is_data(node))
            if isinstance(parent, ast.arg) or (isinstance(parent, ast.AnnAssign) and node is parent.annotation):
                stops = True
            if isinstance(parent, ast.FunctionDef) and node is parent.returns:
                stops = True
            if stops or parent in frozen:
                frozen.add(node)
        return frozenset(frozen)

    def _is_data(self, node: ast.AST) -> bool:
        if isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict):
            inner = [n for n in ast.walk(node) if isinstance(n, ast.expr)]
            return any(isinstance(n, ast.Constant) for n in inner) and not any(isinstance(n, ast.Name) for n in inner)
        if not isinstance(node, ast.Constant) or isinstance(node.value, bool | None):
            return False
        if type(node.value) is int and abs(node.value) <= SMALL:
            return False
        return not any(isinstance(p, ast.Subscript | ast.Compare) or self._is_range(p) for p in self.walk_upwards(node))

    def _is_range(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"

    def infer_kinds(self, node: ast.AST) -> frozenset[str]:
        """The kinds that an expression may have; empty where nothing is known."""
        if isinstance(node, ast.Name):
            return self.hints.kinds.get(node.id, frozenset())
        if isinstance(node, ast.Constant):
            return frozenset({find_kind(node.value)})
        if isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
            return frozenset({TRUTH})
        if isinstance(node, ast.List | ast.ListComp | ast.Tuple):
            return frozenset({ITEMS})
        if isinstance(node, ast.Dict | ast.DictComp):
            return frozenset({DICT})
        if isinstance(node, ast.Set | ast.SetComp):
            return frozenset({SET})
        if isinstance(node, ast.JoinedStr):
            return frozenset({TEXT})
        if isinstance(node, ast.BinOp):
            left = self.infer_kinds(node.left)
            if isinstance(node.op, ast.Mod) and TEXT in left:
                return frozenset({TEXT})
            return left & self.infer_kinds(node.right) or (left if not isinstance(node.op, ast.Mult) else frozenset())
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return RETURNS.get(node.func.id, frozenset())
        return frozenset()

    def may_be(self, node: ast.AST, *kinds: str) -> bool:
        """False where the expression is known to be of none of these kinds."""
        known = self.infer_kinds(node)
        return not known or bool(known & set(kinds))

    def name_may_be(self, name: str, kinds: frozenset[str]) -> bool:
        """False where a name's values are known to be of other kinds."""
        known = self.hints.kinds.get(name, frozenset())
        return not known or not kinds or bool(known & kinds)

    def find_function(self, node: ast.AST) -> ast.AST:
        """The innermost function around a node, or the whole."""
        return next((p for p in self.walk_upwards(node) if isinstance(p, FUNCTIONS)), self.tree)

    def is_called(self, node: ast.AST) -> bool:
        """Whether a node is what a call calls."""
        parent = self.parents.get(node)
        return isinstance(parent, ast.Call) and parent.func is node

    def is_in_loop(self, node: ast.AST) -> bool:
        """True where a loop of the same function is around the node."""
        for parent in self.walk_upwards(node):
            if isinstance(parent, ast.For | ast.While | ast.AsyncFor):
                return True
            if isinstance(parent, FUNCTIONS):
                return False
        return False

    def repeats_key(self, node: ast.AST, new: str) -> bool:
        """True where the text, in the place of a key of a dictionary, is another key of it: one of the two entries would be lost."""
        parent = self.parents.get(node)
        if not isinstance(parent, ast.Dict) or node not in parent.keys:
            return False
        return any(ast.unparse(key) == new for key in parent.keys if key is not None and key is not node)

    def is_read(self, node: ast.AST) -> bool:
        """True for an expression whose value is used (not an assignment's target, not a called name)."""
        ctx = getattr(node, "ctx", None)
        return isinstance(node, ast.expr) and (ctx is None or isinstance(ctx, ast.Load))

    def list_blocks(self) -> Iterator[list[ast.stmt]]:
        """Every list of statements inside the statement that has its own lines."""
        for node in self.order:
            for name in ("body", "orelse", "finalbody"):
                body = getattr(node, name, None)
                if isinstance(body, list) and body and not isinstance(node, ast.Module):
                    if name == "orelse" and isinstance(node, ast.If) and self.is_elif(node, body):
                        continue
                    if self.read_indent(body[0]) is not None and node not in self.frozen:
                        yield body

    def is_elif(self, node: ast.If, body: list[ast.stmt]) -> bool:
        """True where the ``else`` of an ``if`` is written ``elif``."""
        first = body[0]
        return isinstance(first, ast.If) and len(body) == 1 and self.text.startswith("elif", self.start_of(first))


def cache_on_scope(function: Callable[[Scope], T]) -> Callable[[Scope], T]:
    """Read from a whole statement only once: mutation operators ask at each of its nodes."""

    @functools.wraps(function)
    def read_once(s: Scope) -> T:
        if function not in s.read:
            s.read[function] = function(s)
        known: T = s.read[function]
        return known

    return read_once


_QUOTED = re.compile(r"""(?<!\w)(["'`])([^"'`\n]{0,20})\1""")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\w)")
DESCRIBED = 12
"""Numbers, and quoted texts, of a docstring that are taken for what the code may need."""


def parse_hints(prose: str) -> tuple[frozenset[str], tuple[int | float, ...], tuple[str, ...]]:
    """The words, the numbers and the quoted texts of a description."""
    numbers = dict.fromkeys(float(t) if "." in t else int(t) for t in _NUMBER.findall(prose) if len(t) < 9)
    words = frozenset(re.findall(r"\w+", prose))
    strings = dict.fromkeys([*(text for _, text in _QUOTED.findall(prose)), *_list_named_characters(words)])
    return words, tuple(numbers)[:DESCRIBED], tuple(strings)[:DESCRIBED]


_CHARACTERS = {
    "space": " ", "blank": " ", "comma": ",", "dot": ".", "semicolon": ";", "colon": ":", "dash": "-", "hyphen": "-",
    "underscore": "_", "tab": "\t", "newline": "\n", "slash": "/",
}  # fmt: skip
"""Characters that a description calls by their names."""


def _list_named_characters(words: Collection[str]) -> list[str]:
    plain = {word.lower() for word in words}
    return [sign for name, sign in _CHARACTERS.items() if plain & {name, name + "s", name + "es"}]


_N = frozenset({NUMBER})
RETURNS = {
    "len": _N, "abs": _N, "sum": _N, "round": _N, "int": _N, "float": _N, "ord": _N, "str": frozenset({TEXT}),
    "chr": frozenset({TEXT}), "list": frozenset({ITEMS}), "sorted": frozenset({ITEMS}), "tuple": frozenset({ITEMS}),
    "set": frozenset({SET}), "dict": frozenset({DICT}), "bool": frozenset({TRUTH}), "any": frozenset({TRUTH}),
    "all": frozenset({TRUTH}), "isinstance": frozenset({TRUTH}),
}  # fmt: skip
