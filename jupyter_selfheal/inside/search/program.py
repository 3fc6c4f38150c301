"""The program under repair: statements of the notebook to run for each candidate, with every assert counted by itself."""

from __future__ import annotations

import ast
import contextlib
import functools
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any

from jupyter_selfheal.inside.search.compared_sides import find_compared_sides
from jupyter_selfheal.inside.search.count_steps import insert_counting

VALUE, RECORD, CAUGHT = "__selfheal_value__", "__selfheal_record__", "__selfheal_caught__"
FILE = "<selfheal:{}>"
_WORD = re.compile(r"[^\W_]+")
DEFINE, REPLAY, CELL, CHECK = "define", "replay", "cell", "check"


@dataclass(frozen=True, slots=True)
class Unit:
    """One top-level statement. ``role`` is define (a definition of an earlier cell), replay (a statement of one, run
    again), cell (the failing cell) or check; ``mutable`` ones may be edited. ``start`` is where it is in its cell."""

    text: str
    role: str
    mutable: bool = False
    cell: str = ""
    start: int = 0
    tests: bool = False
    """A definition whose asserts are checks: ``def test_f(): assert …``."""
    query: bool = False
    """A statement that mostly asks what a function gives: its literals are the question, and a fault in it is unlikely."""


@dataclass(frozen=True, slots=True)
class Doctest:
    """One example of a docstring."""

    source: str
    want: str


@dataclass(frozen=True, slots=True)
class Program:
    """What runs for each candidate, in this order: the units, then the oracle, the checks after it, the doctests."""

    units: tuple[Unit, ...]
    expect: str = ""
    stdout: str = ""
    checks: tuple[str, ...] = ()
    doctests: tuple[Doctest, ...] = ()
    copied: tuple[str, ...] = ()
    """Names of the state that candidates may change in place."""
    replayed: tuple[str, ...] = ()
    """Names that units of earlier cells compute again, and others read."""
    absent: tuple[str, ...] = ()
    """Names of the state that were not there yet when the first of those units ran."""
    callers: tuple[tuple[str, str], ...] = ()
    """Cells above that called the functions, with what is stored as printed by them: their calls tell candidates apart."""
    crashed: bool = False
    """The failure is an exception, and no wrong value: what earlier calls gave is right until something says otherwise."""
    written: tuple[tuple[str, str], ...] = ()
    """Calls that stand in other cells: the function, and the text of a tuple of its arguments."""
    error: str = ""
    """The name of the exception, where that is the failure."""
    stored: bool = False
    """Outputs of the failing cell, or of cells below that read what it makes, are stored: they tell candidates apart when these are tried."""

    @property
    def last(self) -> int:
        """Index of the unit whose value is the cell's, or -1."""
        own = [n for n, u in enumerate(self.units) if u.cell and u.role in (CELL, CHECK)]
        return own[-1] if own else -1


def read_program(argument: Mapping[str, Any]) -> Program:
    """The program that the engine sent."""
    return Program(
        tuple(Unit(**u) for u in argument["units"]),
        argument.get("expect", ""),
        argument.get("stdout", ""),
        tuple(argument.get("checks", ())),
        tuple(Doctest(**d) for d in argument.get("doctests", ())),
        tuple(argument.get("copied", ())),
        tuple(argument.get("replayed", ())),
        tuple(argument.get("absent", ())),
        tuple((code, stored) for code, stored in argument.get("callers", ())),
        bool(argument.get("crashed")),
        tuple((name, given) for name, given in argument.get("written", ())),
        argument.get("error", ""),
        bool(argument.get("stored")),
    )


def compile_unit(program: Program, index: int, text: str, *, counted: bool = True, is_asked: bool = True) -> CodeType:
    """The code of a unit with this text; raises SyntaxError (or ValueError, RecursionError) where it cannot be.

    The rounds of its loops and the calls of its functions are counted unless that is not wanted: see :mod:`.count_steps`. Where nobody ``is_asked``
    for the value of the last unit, it is not kept: to compile a tree that was changed for that takes twice as long.
    """
    unit = program.units[index]
    if counted and unit.role != CHECK and (counting := insert_counting(text, unit.text)) != text:
        with contextlib.suppress(SyntaxError):  # `while x := f()`, or the text does not parse anyway
            return _compile_text(program, index, counting, is_asked)
    return _compile_text(program, index, text, is_asked)


def _compile_text(program: Program, index: int, text: str, is_asked: bool) -> CodeType:
    unit = program.units[index]
    is_checked = unit.role == CHECK or unit.tests
    is_kept = is_asked and bool(unit.cell) and unit.role in (CELL, CHECK) and index == program.last
    if not is_checked and not is_kept:
        return compile(text, FILE.format(index), "exec", dont_inherit=True)
    tree = ast.parse(text)
    if is_checked:
        tree = ast.fix_missing_locations(_Counting().visit(tree))
    if is_kept and tree.body:
        _keep_value(tree)
    return compile(tree, FILE.format(index), "exec", dont_inherit=True)


def _keep_value(tree: ast.Module) -> None:
    """Bind the value of the last statement: that of an expression, or of the one variable that it assigns."""
    last = tree.body[-1]
    target = ast.copy_location(ast.Name(VALUE, ast.Store()), last)
    if isinstance(last, ast.Expr):
        tree.body[-1] = ast.copy_location(ast.Assign([target], last.value), last)
    targets = last.targets if isinstance(last, ast.Assign) else [last.target] if isinstance(last, ast.AugAssign) else []
    if len(targets) == 1 and isinstance(targets[0], ast.Name):
        value = ast.copy_location(ast.Name(targets[0].id, ast.Load()), last)
        tree.body.append(ast.copy_location(ast.Assign([target], value), last))


def compile_check(text: str, index: int) -> CodeType:
    """The code of a statement of the oracle, its asserts counted."""
    tree = ast.fix_missing_locations(_Counting().visit(ast.parse(text)))
    return compile(tree, f"<selfheal check {index}>", "exec", dont_inherit=True)


class _Counting(ast.NodeTransformer):
    """``assert x`` becomes ``try: record(x)`` / ``except Exception: record(False)``, so that later asserts run too."""

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        record = ast.Name(RECORD, ast.Load())
        passed = ast.Expr(ast.Call(record, [node.test], []))
        failed = ast.Expr(ast.Call(record, [ast.Constant(False)], []))
        handler = ast.ExceptHandler(ast.Name(CAUGHT, ast.Load()), None, [failed])
        return ast.copy_location(ast.Try([passed], [handler], [], []), node)


def fingerprint(code: CodeType) -> int:
    """Equal for sources that compile to the same instructions: formatting, parentheses and comments do not matter."""
    return hash(_make_key(code))


def _make_key(code: CodeType) -> tuple[object, ...]:
    consts = tuple(_make_key(c) if isinstance(c, CodeType) else (type(c).__name__, repr(c)) for c in code.co_consts)
    return (code.co_code, consts, code.co_names, code.co_varnames, code.co_freevars, code.co_flags, code.co_argcount)


_QUOTED = re.compile(r"""(?<=["'`])[^"'`\n]{1,20}(?=["'`])""")
_WORDS = re.compile(r"[^\W\d_]{4,}")
"""What a description names without quotes is no answer copied from the oracle."""
PERCENT = "100"
_RECKONS = (ast.Add, ast.Sub, ast.Mult, ast.Div)
_NO_NEWS: tuple[object, ...] = (0, 1, 2, -1, None, "", True, False, 0.0, 1.0, [], (), {}, [[]])
"""Literals that are in any program."""


def hard_codes(program: Program, new: Sequence[str], old: Sequence[str]) -> bool:
    """True where the new texts hold a literal that the oracle expects and the old ones, comments included, do not (0, 1, None … apart).

    A number that is only reckoned with is no answer that is written down where two different ones are expected: ``amount * percent / 100`` beside
    ``discount(100, 20) == 80``.
    """
    expected = _collect_literals(
        program.expect, *program.checks, *(u.text for u in program.units if u.role == CHECK or u.tests)
    )
    for d in program.doctests:
        expected |= _collect_literals(d.want)
    whole = "\n".join(old)
    described = {*_QUOTED.findall(whole), *_WORDS.findall(whole)}
    fresh = {f for f in _collect_literals(*new) - _collect_literals(*old) if f[1:-1] not in described}
    told = fresh & expected - {repr(v) for v in _NO_NEWS}
    if told and len({ast.dump(node) for node in _list_expected_nodes(program)}) > 1:
        told -= _list_reckoned(new)
    if told == {PERCENT} and PERCENT not in {ast.unparse(node) for node in _list_expected_nodes(program)}:
        told -= _list_reckoned(new)  # ``interest(100, 5, 1) == 105``: of a hundred is of any sum
    return bool(told)


def _list_reckoned(texts: Sequence[str]) -> set[str]:
    """Numbers that stand in the texts as an operand beside something that is no number, and nowhere else."""
    reckoned, others = set[str](), set[str]()
    for tree in (ast.parse(text) for text in texts):
        operands: set[ast.AST] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.BinOp) and isinstance(node.op, _RECKONS):
                sides = (node.left, node.right)
                if not all(isinstance(side, ast.Constant) for side in sides):
                    operands.update(sides)
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and type(node.value) in (int, float):
                (reckoned if node in operands else others).add(repr(node.value))
    return reckoned - others


def count_idle_checks(program: Program) -> int:
    """Checks that say nothing more: ``assert True``, and what another one asked already, as an assert does that repeats an example
    of the docstring."""
    idle = 0
    asked: list[tuple[str, str]] = [
        (_normalise_expression(d.source), _normalise_expression(d.want)) for d in program.doctests if d.want
    ]
    for text in (*program.checks, *(u.text for u in program.units if u.role == CHECK or u.tests)):
        for node in ast.walk(ast.parse(text)):
            if not isinstance(node, ast.Assert):
                continue
            idle += isinstance(node.test, ast.Constant)
            if isinstance(node.test, ast.Compare):
                asked.append(
                    (ast.unparse(node.test.left), _normalise_expression(ast.unparse(node.test.comparators[0])))
                )
    return idle + len(asked) - len(set(asked))


def count_expected_items(program: Program) -> int:
    """The most items in one list, tuple, set, dictionary or text that is expected: four items are met by luck less than one number."""
    known = {word for u in program.units if u.role in (DEFINE, CELL) for word in _list_words_of_texts(u.text)}
    return max((_count_items(node, known) for node in _list_expected_nodes(program)), default=0)


def _count_items(node: ast.AST, known: Collection[str]) -> int:
    """The items of a structure; of a text its words, those apart that stand in a text of the program; one where a number is in it."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return 1 if any(map(str.isdigit, node.value)) else len(set(_WORD.findall(node.value)) - set(known))
    return len(getattr(node, "elts", getattr(node, "keys", ())))


def _list_words_of_texts(text: str) -> Iterator[str]:
    """The words of the texts in a statement."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from _WORD.findall(node.value)


def list_expected_texts(program: Program) -> set[str]:
    """The texts that are expected as a whole, as Python writes them."""
    wanted = (node for node in _list_expected_nodes(program) if isinstance(node, ast.Constant))
    return {repr(node.value) for node in wanted if isinstance(node.value, str)}


def expects_negative(program: Program) -> bool:
    """Whether something that is expected is, or holds, a negative number."""
    nodes = (n for expected in _list_expected_nodes(program) for n in ast.walk(expected))
    return any(isinstance(n, ast.UnaryOp) and isinstance(n.op, ast.USub) for n in nodes)


def _list_expected_nodes(program: Program) -> Iterator[ast.AST]:
    """What the checks compare with, and what doctests and the user expect."""
    for text in (*program.checks, *(u.text for u in program.units if u.role == CHECK or u.tests)):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Compare):
                yield from node.comparators
            if isinstance(node, ast.Assert):
                yield from find_compared_sides(node.test)[1:]
    for text in (program.expect, *(d.want for d in program.doctests)):
        with contextlib.suppress(SyntaxError):
            yield ast.parse(text.strip(), mode="eval").body


def _normalise_expression(text: str) -> str:
    """An expression as Python itself would write it."""
    try:
        return ast.unparse(ast.parse(text.strip(), mode="eval"))
    except SyntaxError:
        return text.strip()


def _collect_literals(*texts: str) -> set[str]:
    return set[str]().union(*map(_read_literals, texts))


@functools.lru_cache(maxsize=256)
def _read_literals(text: str) -> frozenset[str]:
    """The literals of a text as Python writes them; none where it does not parse."""
    literals = set()
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return frozenset()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.Set | ast.UnaryOp):
            try:
                literals.add(repr(ast.literal_eval(node)))
            except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                continue
    return frozenset(literals)


def import_ahead(program: Program) -> None:
    """Load what the program imports once for all of its candidates: each batch of them is a fork, which would load it again."""
    for unit in program.units:
        if unit.text.startswith(("import ", "from ")):
            with contextlib.suppress(Exception, SystemExit):
                exec(unit.text, {"__name__": "__main__"})
