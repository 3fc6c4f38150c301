"""Is an assert that a patch leaves as it was asked less often than before?

``if len(xs) > 2: assert f(xs) == want`` asks less than ``assert f(xs) == want``: that is tampering. But an assert inside of a function that computes
something is a *contract*: it says what the function relies on (``while lo <= hi: assert 0 <= lo``), and no test of it. Such a function is mended
by changing the conditions of its loops and branches, whatever contracts stand in them; only where the contract is what failed is that a doubt.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.tree_names import list_names
from jupyter_selfheal.model import Case
from jupyter_selfheal.scoring.asserts import TESTS
from jupyter_selfheal.scoring.deletion import find_failing_statement
from jupyter_selfheal.scoring.edited_asserts import is_honest_renaming, read_condition
from jupyter_selfheal.source import BUILTINS

_BLOCKS = ("body", "orelse", "finalbody", "handlers")
_TO_NUMBERS = frozenset({"int", "float", "Decimal", "Fraction"})
_EQUALITY = (ast.Eq, ast.NotEq, ast.In, ast.NotIn)
"""What texts answer as the numbers in them do; of an order they say another thing (``'10' < '2'``)."""
_IDLE = (ast.Assert, ast.Pass, ast.Raise)

Header = tuple[str, ast.expr | None, str]
"""What kind of block it is and which part of it; by what it says how often it runs; and that as text."""


@dataclass(frozen=True, slots=True)
class Place:
    """An assert, with the blocks that it stands in, outermost first."""

    node: ast.Assert
    condition: str
    around: tuple[tuple[ast.AST, str], ...]
    headers: tuple[Header, ...]
    is_contract: bool
    """Whether it is one of a function that computes something, and every block of that which it stands in does more than ask."""

    def read(self, *, loose: bool = False) -> tuple[str, tuple[str, ...]]:
        """What is asked, and when; ``loose``: whatever the conditions within its function are."""
        own = max((n for n, (block, _) in enumerate(self.around) if isinstance(block, ast.FunctionDef)), default=0)
        texts = (kind if loose and n > own else f"{kind} {text}" for n, (kind, _, text) in enumerate(self.headers))
        return self.condition, tuple(texts)


def find_asked_less(case: Case, before: Sequence[str], after: Sequence[str], *, spare_failed: bool = False) -> bool:
    """Whether an assert that stands in both is asked less often, or of something else: under a new condition, in the other branch, in a loop over
    other items, after a jump, or with its loop's variable set anew. Contracts may be; with ``spare_failed`` also the one that failed."""
    failed = case.failure.ename == "AssertionError"
    old, new = (list_places(case, texts, of_items=failed) for texts in (before, after))
    failing = "" if spare_failed else _read_failing(case)
    moved = (place for place in _list_moved(case, old, new) if not _is_condition_mended(case, place, new))
    if any(not (place.is_contract and place.condition != failing) for place in moved):
        return True
    return failed and _count_turns(new, failing) > _count_turns(old, failing)


def find_moved_contract(case: Case, before: Sequence[str], after: Sequence[str]) -> str:
    """The contract that failed, where a patch changes when it is asked; empty where it does not."""
    old, new = (list_places(case, texts, of_items=True) for texts in (before, after))
    failing = _read_failing(case)
    contracts = [p for p in old if p.is_contract and p.condition == failing]
    moved = [p for p in _list_moved(case, old, new) if p in contracts]
    jumps = _count_turns(new, failing) > _count_turns(old, failing)
    return next((ast.unparse(place.node.test) for place in (moved or (contracts if jumps else []))), "")


def list_places(case: Case, sources: Sequence[str], *, of_items: bool) -> list[Place]:
    """Where the asserts of the sources stand; ``of_items``: what a loop goes through belongs to it too."""
    made = {name for c in case.notebook.cells if c.kind == "code" for name in _list_made(c.source)}
    made |= {name for text in sources for name in _list_made(text)}
    headers, working, functions = dict[int, list[tuple[ast.expr, str]]](), dict[int, bool](), dict[int, bool]()
    places = []
    for node, around in (found for text in sources for found in _walk_asserts(text)):
        # Innermost first; a long `elif` holds asserts at every depth: each block is read once.
        for block, _ in reversed(around):
            if id(block) not in headers:
                headers[id(block)] = _read_header(block, of_items)
                working[id(block)] = _does_more(block, working)
        read = tuple(_join_header(block, part, headers[id(block)]) for block, part in around)
        own = [n for n, (block, _) in enumerate(around) if isinstance(block, ast.FunctionDef)]
        is_contract = False
        if own and isinstance(function := around[own[-1]][0], ast.FunctionDef):
            if id(function) not in functions:
                functions[id(function)] = _gives_own_work(function, made)
            is_contract = functions[id(function)] and all(working[id(block)] for block, _ in around[own[-1] + 1 :])
        places.append(Place(node, src.dump_tree(read_condition(node)), tuple(around), read, is_contract))
    return places


def _list_moved(case: Case, old: Sequence[Place], new: Sequence[Place]) -> Iterator[Place]:
    """The asserts that stand in both, and no longer where they stood; a slip of spelling in a condition may be mended."""
    left = {p.condition for p in new}
    kept, loosely = {p.read() for p in new}, {p.read(loose=True) for p in new if p.is_contract}
    for place in old:
        if place.condition not in left or place.read() in kept:
            continue
        if place.is_contract and place.read(loose=True) not in loosely:
            yield Place(place.node, place.condition, place.around, place.headers, is_contract=False)
        elif not any(_is_respelt(case, place, other) for other in new if other.condition == place.condition):
            yield place


def _is_respelt(case: Case, old: Place, new: Place) -> bool:
    if [kind for kind, _, _ in old.headers] != [kind for kind, _, _ in new.headers]:
        return False
    pairs = [(one[1], two[1]) for one, two in zip(old.headers, new.headers, strict=True) if one[2] != two[2]]
    return all(a is not None and b is not None and is_honest_renaming(case, a, b) for a, b in pairs)


def _is_condition_mended(case: Case, old: Place, new: Sequence[Place]) -> bool:
    """Whether the condition around an assert raised, and is the same one of converted values now: ``if '3' > 2:`` → ``if int('3') > 2:``.

    Only towards numbers, but where nothing is asked of an order: ``if n > '2':`` and ``if str(n) > str(2):`` do not hold for ``n = '10'``."""
    failing = None if case.failure.ename == "AssertionError" else find_failing_statement(case)
    raised = getattr(failing, "test", None)
    if not isinstance(raised, ast.expr):
        return False
    text = src.dump_tree(raised)
    for other in (place for place in new if place.condition == old.condition):
        if [kind for kind, _, _ in old.headers] != [kind for kind, _, _ in other.headers]:
            continue
        changed = [(a[2], a[1], b[1]) for a, b in zip(old.headers, other.headers, strict=True) if a[2] != b[2]]
        if all(was == text and a is not None and b is not None and _is_converted(a, b) for was, a, b in changed):
            return True
    return False


def _is_converted(old: ast.AST, new: ast.AST, *, by_text: bool = False) -> bool:
    """Whether one is the other with some values made numbers; with ``by_text``, some made texts."""
    if isinstance(old, ast.Constant) and isinstance(new, ast.Constant):
        return _is_same_value(old.value, new.value, by_text=by_text)
    kinds = _TO_NUMBERS | {"str"} if by_text else _TO_NUMBERS
    made, was_made = _read_conversion(new, kinds), _read_conversion(old, kinds if by_text else frozenset({"str"}))
    if type(old) is type(new) and (made is None or was_made is None or src.dump_tree(old) == src.dump_tree(new)):
        if isinstance(new, ast.Compare):
            by_text = all(isinstance(op, _EQUALITY) for op in new.ops)
        if all(_are_converted(getattr(old, f, None), getattr(new, f, None), by_text) for f in new._fields):
            return True
    if made is not None and _is_converted(old, made, by_text=by_text):
        return True
    return was_made is not None and _is_converted(was_made, new, by_text=by_text)


def _are_converted(old: object, new: object, by_text: bool) -> bool:
    """The same of what a field of a node holds."""
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(_are_converted(a, b, by_text) for a, b in zip(old, new, strict=True))
    if isinstance(old, ast.AST) and isinstance(new, ast.AST):
        return _is_converted(old, new, by_text=by_text)
    return old == new


def _read_conversion(node: ast.AST, kinds: Collection[str]) -> ast.expr | None:
    """The ``x`` of ``int(x)``."""
    if not isinstance(node, ast.Call) or len(node.args) != 1 or node.keywords:
        return None
    return node.args[0] if isinstance(node.func, ast.Name) and node.func.id in kinds else None


def _is_same_value(old: object, new: object, *, by_text: bool) -> bool:
    """Whether two literals are equal, or the new one is the number in the text of the old one; with ``by_text``, the other way round too."""
    if type(old) is type(new):
        return old == new
    if by_text and isinstance(new, str):
        old, new = new, old
    if not isinstance(old, str) or type(new) not in (int, float):
        return False
    try:
        return float(old) == new
    except ValueError:
        return False


def _read_failing(case: Case) -> str:
    """What the assert asks that failed; empty where another statement did."""
    failing = find_failing_statement(case) if case.failure.ename == "AssertionError" else None
    return src.dump_tree(read_condition(failing)) if isinstance(failing, ast.Assert) else ""


def _walk_asserts(source: str) -> Iterator[tuple[ast.Assert, list[tuple[ast.AST, str]]]]:
    """Every assert with the blocks that it stands in, and in which part of each."""
    tree = src.parse(source)
    left: list[tuple[ast.AST, list[tuple[ast.AST, str]]]] = [(node, []) for node in getattr(tree, "body", ())]
    while left:
        node, around = left.pop()
        if isinstance(node, ast.Assert):
            yield node, around
        for part in _BLOCKS:
            left += [(child, [*around, (node, part)]) for child in getattr(node, part, ())]


def _read_header(node: ast.AST, of_items: bool) -> list[tuple[ast.expr, str]]:
    """The expressions by which a block says how often it runs, with their texts."""
    asked = [getattr(node, name, None) for name in ("test", *(("iter",) if of_items else ()))]
    return [(part, src.dump_tree(part)) for part in asked if isinstance(part, ast.expr)]


def _join_header(block: ast.AST, part: str, asked: list[tuple[ast.expr, str]]) -> Header:
    expression, text = asked[0] if asked else (None, "")
    return f"{type(block).__name__} {part}", expression, text


def _does_more(block: ast.AST, known: Mapping[int, bool]) -> bool:
    """Whether something else than asserts stands in a block; ``known`` answers for blocks within it."""
    left = [block]  # no recursion: a chain of `elif` is as deep as it is long
    while left:
        block = left.pop()
        for node in (n for part in _BLOCKS for n in getattr(block, part, ())):
            if not hasattr(node, "body"):
                if not isinstance(node, _IDLE):
                    return True
            elif id(node) not in known:
                left.append(node)
            elif known[id(node)]:
                return True
    return False


def _gives_own_work(function: ast.FunctionDef, made: set[str]) -> bool:
    """Whether a function gives a value of its own work: no test, and it asks nothing of what the notebook makes, or of a function that it is given."""
    if function.name.startswith(TESTS):
        return False
    nodes = [n for statement in function.body for n in ast.walk(statement)]
    gives = any(
        isinstance(n, ast.Return | ast.Yield) and n.value is not None and not isinstance(n.value, ast.Constant)
        for n in nodes
    )
    bound = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
    bound |= {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    called = {n.func.id for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)} - {function.name}
    methods = {n.func.attr for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)}
    return gives and called <= BUILTINS - bound - made and methods.isdisjoint(made)


def _list_made(source: str) -> Iterator[str]:
    """What a cell defines: functions, classes, and their methods."""
    for node in src.walk(source):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name


def _count_turns(places: Sequence[Place], failing: str) -> int:
    """Jumps in loops that asserts stand in, and assignments to the variables of these; of contracts that of the one which failed counts."""
    turns = 0
    asked = (place for place in places if not place.is_contract or place.condition == failing)
    loops = {id(loop): loop for place in asked for loop, _ in place.around if isinstance(loop, ast.For | ast.While)}
    for loop in loops.values():
        own = list_names(loop.target) if isinstance(loop, ast.For) else set[str]()
        for node in (n for child in loop.body for n in ast.walk(child)):
            stored = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in own
            turns += stored or isinstance(node, ast.Continue | ast.Break)
    return turns
