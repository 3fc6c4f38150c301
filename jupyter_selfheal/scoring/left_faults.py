"""Is a fault left, in a function that a patch changes, which no reader would sign and which no check may see?

They are told by the text alone. ``if len(xs) == 0`` inside of the loop through ``xs`` never holds, so that what it says of an empty ``xs``
is not done. ``xs.index(xs[-1])`` is the place of the first of equal items, not of the last one. A function inside of it is never used;
``xs.reverse`` on a line of its own calls nothing; a loop over ``range(len(xs) - 1)`` looks at ``xs[i]`` alone, and never at the last one;
a loop through ``xs`` that takes items out of ``xs`` passes over the item behind each of them; ``'is NOT a palindrome'`` lacks the full stop of
``'is a palindrome.'``, which was to be printed. Code that does nothing is found by ``idle_code.py``, a name that nothing binds by
``unknown_names.py``.
"""

from __future__ import annotations

import ast
import re

from jupyter_selfheal import source as src
from jupyter_selfheal.inside.search.uneven_texts import find_uneven_texts
from jupyter_selfheal.inside.tree_names import holds_name, list_names, list_read_names
from jupyter_selfheal.model import Applicability, Case, FailureKind, Patch
from jupyter_selfheal.scoring.asserts import list_patched_cells
from jupyter_selfheal.scoring.expected import find_oracle
from jupyter_selfheal.scoring.idle_code import IDLE_CODE, find_lost_value, find_unread_parameter, walk_in_order
from jupyter_selfheal.scoring.plain_faults import PLAIN_FAULTS, find_unknown_attribute
from jupyter_selfheal.scoring.uncalled_questions import find_uncalled_question
from jupyter_selfheal.scoring.unknown_names import find_unknown_name
from jupyter_selfheal.source import BUILTINS

_CHANGES_SIZE = frozenset(
    {"append", "clear", "discard", "extend", "insert", "pop", "popleft", "remove", "add", "update"}
)
_CHANGES_ITEMS = _CHANGES_SIZE | {"reverse", "sort"}
_TOKEN = re.compile(r"\w+|[^\w\s]")
_ALL_BUT_LAST = re.compile(
    r"(?:(?:reversed|sorted|list)\()*range\((?:\d+, )?len\((\w+)\) - \d+\)(?:, reverse=True|\)|\[::-1\])*"
)


def find_left_fault(case: Case, patch: Patch) -> str:
    """What is wrong still in a function that a patch changes, in words; empty where nothing is known to be.

    Idle code says that a guess may have mended the wrong place. It says nothing of a *safe* rule's fix, whose cause the failure names: the function
    had it before (``title`` is never read, and ``np.float`` is ``float`` all the same).
    """
    is_safe = patch.applicability is Applicability.SAFE
    has_run = case.failure.kind is not FailureKind.SYNTAX  # what did not parse has shown nobody what it does
    if not is_safe and (part := _find_left_out_part(case, patch)):
        return f"`{part}` is not known, and what reads it is left out where another name may have been meant"
    for _, before, after in list_patched_cells(case, patch):
        if (not is_safe or not has_run) and before != after and (asked := find_uncalled_question(case, after)):
            return f"`{asked}` is a method and is not called, so that the question has one answer"
        known = {src.extract_text(before, n) for n in src.walk(before) if isinstance(n, ast.FunctionDef)}
        functions = [
            n for n in src.walk(after) if isinstance(n, ast.FunctionDef) and src.extract_text(after, n) not in known
        ]
        faults = (find(f) for f in functions for find in (_FAULTS if is_safe else (*_FAULTS, *IDLE_CODE)))
        if fault := next(filter(None, faults), ""):
            return fault
        if not is_safe and (fault := find_lost_value(before, functions)):
            return fault
        if fault := next(
            (q for f in functions if (q := _find_idle_question(f)) and not _asks_for_empty(case, f.name)), ""
        ):
            return fault
        unread = [] if is_safe else [(f.name, fault) for f in functions if (fault := find_unread_parameter(f))]
        handed_on = _collect_handed_on(case, after) if unread else set()
        if fault := next((fault for name, fault in unread if name not in handed_on), ""):
            return fault
    if is_safe and has_run:
        return ""
    unknown = "" if has_run else find_unknown_name(case, patch)
    return unknown or _find_plain_fault(case, patch) or _find_uneven_text(case, patch)


def _find_plain_fault(case: Case, patch: Patch) -> str:
    """A fault in a function or class that a patch changes: a method that it leaves as it was may have the second one."""
    for _, before, after in list_patched_cells(case, patch):
        known = {src.extract_text(before, n) for n in src.walk(before) if isinstance(n, ast.FunctionDef | ast.ClassDef)}
        changed = [
            n
            for n in src.walk(after)
            if isinstance(n, ast.FunctionDef | ast.ClassDef) and src.extract_text(after, n) not in known
        ]
        for node in changed:
            if isinstance(node, ast.ClassDef) and (fault := find_unknown_attribute(node)):
                return fault
            for function in (n for n in ast.walk(node) if isinstance(n, ast.FunctionDef)):
                if fault := next(filter(None, (find(function) for find in PLAIN_FAULTS)), ""):
                    return fault
    return ""


def _find_left_out_part(case: Case, patch: Patch) -> str:
    """The unknown name of the failure, where all that a patch does to a cell is to take out what reads it:
    ``sum(scores)`` for ``sum(scores) / len(score)``; empty where there is none."""
    missing = re.match(r"name '(\w+)'", case.failure.evalue) if case.failure.ename == "NameError" else None
    if missing is None:
        return ""
    for _, before, after in list_patched_cells(case, patch):
        reads = [n for n in src.walk(before) if isinstance(n, ast.Name) and n.id == missing[1]]
        if not reads or src.parse(after) is None or missing[1] in _TOKEN.findall(after):
            continue
        left = iter(_TOKEN.findall(before))
        if all(token in left for token in _TOKEN.findall(after)):  # each in its turn: nothing is new
            alone = any(isinstance(n, ast.Expr) and n.value is reads[0] for n in src.walk(before))
            return "" if alone else missing[1]
    return ""


def _find_uneven_text(case: Case, patch: Patch) -> str:
    """A text that the expected output does not show, and that ends otherwise than its sibling, which it shows."""
    after = patch.source_of(case.failure.cell_id, case.failure.source)
    expected = find_oracle(case).stdout
    if (
        not expected
        or src.parse(after) is None
        or src.mask(after) != after
        or not (edits := find_uneven_texts(after, expected))
    ):
        return ""
    start, end, _ = edits[0]
    return f"`{after[start:end]}` ends otherwise than the text beside it, which was printed"


def _collect_handed_on(case: Case, after: str) -> set[str]:
    """The names that are given to something that may call them, and says what it gives them."""
    names: set[str] = set()
    for text in (after, *(c.source for c in case.notebook.cells if c.kind == "code")):
        nodes = list(src.walk(text))
        called = {id(n.func) for n in nodes if isinstance(n, ast.Call)}
        names |= {n.id for n in nodes if isinstance(n, ast.Name) and id(n) not in called}
    return names


def _asks_for_empty(case: Case, name: str) -> bool:
    """Whether an assert of the failing cell says what a function gives for an empty collection: what the idle question was to do is done."""
    asserts = (n for n in src.walk(case.failure.source) if isinstance(n, ast.Assert))
    calls = (n for check in asserts for n in ast.walk(check) if isinstance(n, ast.Call))
    given = (a for call in calls if isinstance(call.func, ast.Name) and call.func.id == name for a in call.args)
    return any(ast.unparse(a) in ("[]", "()", "''", "{}", "set()") for a in given)


def _find_idle_question(function: ast.FunctionDef) -> str:
    """A question whether a collection is empty, in the body of a loop through it that does not change it."""
    for loop in walk_in_order(function):
        looped = _name_looped(loop) if isinstance(loop, ast.For) else ""
        if not looped or not isinstance(loop, ast.For) or any(_changes_name(n, looped) for n in ast.walk(loop)):
            continue
        for statement in loop.body:
            for node in (statement, *walk_in_order(statement)):
                if isinstance(node, ast.If) and _asks_empty(node.test) == looped:
                    asked = ast.unparse(node.test)
                    return f"`{asked}` is asked inside of the loop through `{looped}`, where it never holds"
    return ""


def _find_first_place(function: ast.FunctionDef) -> str:
    for node in walk_in_order(function):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or len(node.args) != 1:
            continue
        item, owner = node.args[0], node.func.value
        is_own = (
            isinstance(item, ast.Subscript)
            and not isinstance(item.slice, ast.Slice)
            and src.dump_tree(item.value) == src.dump_tree(owner)
            and not (isinstance(item.slice, ast.Constant) and item.slice.value == 0)
        )
        if node.func.attr == "index" and is_own and isinstance(owner, ast.Name):
            return f"`{ast.unparse(node)}` is the place of the first of equal items"
    return _find_place_behind(function)


def _find_place_behind(function: ast.FunctionDef) -> str:
    """``xs.index(max(xs)) + 1`` where something is greater than ``max(xs)``: behind the first of equal items, not behind the last one. So it is
    where ``max(xs)`` has a name."""
    nodes = list(walk_in_order(function))
    named = {
        node.targets[0].id: node.value
        for node in nodes
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
    }
    compared = [part for n in nodes if isinstance(n, ast.Compare) for part in ast.walk(n)]
    asked = {ast.unparse(part) for part in compared if isinstance(part, ast.Call)}
    asked |= {side.id for n in compared if isinstance(n, ast.Compare) for side in _list_lesser(n)}
    for node in nodes:
        match node:
            case ast.BinOp(ast.Call(ast.Attribute(owner, "index"), [item]) as place, ast.Add()):
                greatest = named.get(item.id) if isinstance(item, ast.Name) else item
                match greatest:
                    case ast.Call(ast.Name("max"), [ast.Name(whole)]):
                        if ast.unparse(item) in asked and whole in list_names(owner):
                            return f"`{ast.unparse(place)}` is the place of the first of equal items"
    return ""


def _list_lesser(node: ast.Compare) -> list[ast.Name]:
    """The names than which something else is asked to be greater: ``top`` of ``x > top``."""
    match node:
        case ast.Compare(ast.Name() as left, [ast.Lt() | ast.LtE()], [_]):
            return [left]
        case ast.Compare(_, [ast.Gt() | ast.GtE()], [ast.Name() as right]):
            return [right]
    return []


def _find_unused_function(function: ast.FunctionDef) -> str:
    read = list_read_names(function)
    for node in function.body:
        if isinstance(node, ast.FunctionDef) and node.name not in read and not node.decorator_list:
            return f"`{node.name}`, which `{function.name}` defines, is never used"
    return ""


def _find_uncalled_method(function: ast.FunctionDef) -> str:
    for node in walk_in_order(function):
        value = node.value if isinstance(node, ast.Expr) else None
        if isinstance(value, ast.Attribute) and value.attr in _CHANGES_ITEMS and isinstance(value.value, ast.Name):
            return f"`{ast.unparse(value)}` calls nothing"
    return ""


def _find_last_item_left(function: ast.FunctionDef) -> str:
    """A collection whose last items a loop by index never looks at, and nothing else in the function either."""
    own = list(walk_in_order(function))
    for loop in (n for n in own if isinstance(n, ast.For) and isinstance(n.target, ast.Name)):
        looped, index = _name_all_but_last(loop.iter), ast.unparse(loop.target)
        found = [n for n in own if isinstance(n, ast.Subscript)] if looped else []
        parts = [n for n in found if ast.unparse(n.value) == looped]
        if not parts or any(ast.unparse(n.slice) != index for n in parts):
            continue
        if any(holds_name(n.slice, index) for n in found if n not in parts):
            continue  # what goes with another collection may end before
        moved = [
            n for n in own if isinstance(n, ast.BinOp) or (isinstance(n, ast.Call) and ast.unparse(n.func) == "range")
        ]
        others = [n.iter for n in own if isinstance(n, ast.For | ast.comprehension) and n is not loop]
        if not any(holds_name(n, index) for n in moved) and not any(holds_name(n, looped) for n in others):
            return f"the loop over `{ast.unparse(loop.iter)}` never comes to the last item of `{looped}`"
    return ""


def _find_items_passed_over(function: ast.FunctionDef) -> str:
    """Items taken out of the very list that a loop goes through, which then goes on."""
    for loop in walk_in_order(function):
        if not isinstance(loop, ast.For) or not isinstance(loop.iter, ast.Name):
            continue
        looped = loop.iter.id
        own = list(walk_in_order(loop))
        if any(isinstance(n, ast.Name) and n.id == looped and isinstance(n.ctx, ast.Store) for n in own):
            continue  # what is taken out of is another list by then
        # Its own `else` runs when nothing is left to pass over.
        after = {id(n) for s in loop.orelse for n in (s, *walk_in_order(s))}
        blocks = [loop.body] + [
            block
            for n in own
            for name in ("body", "orelse")
            if id(n) not in after and isinstance(block := getattr(n, name, None), list)
        ]
        for block in blocks:
            is_last = isinstance(block[-1], ast.Break | ast.Return | ast.Raise) if block else True
            if not is_last and (taken := next(filter(None, (_take_out(n, looped) for n in block)), "")):
                return f"`{taken}` takes items out of what the loop goes through, and the item behind is passed over"
    return ""


def _take_out(statement: ast.stmt, name: str) -> str:
    """The call by which a statement takes an item out of a list; empty where it does not."""
    if isinstance(statement, ast.Delete):
        target = statement.targets[0]
        return ast.unparse(statement) if isinstance(target, ast.Subscript) and ast.unparse(target.value) == name else ""
    value = getattr(statement, "value", None)
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return ""
    is_taken = value.func.attr in ("remove", "pop") and ast.unparse(value.func.value) == name
    return ast.unparse(value) if is_taken else ""


def _find_item_as_place(function: ast.FunctionDef) -> str:
    """``result[:x]`` in a loop through the items ``x`` of a parameter, which ``result`` gets too: the item is no place in it."""
    for loop in ast.walk(function):
        if not (isinstance(loop, ast.For) and isinstance(loop.target, ast.Name) and isinstance(loop.iter, ast.Name)):
            continue
        item = loop.target.id
        nodes = [n for statement in loop.body for n in ast.walk(statement)]
        filled = {
            ast.unparse(n.func.value)
            for n in nodes
            if isinstance(n, ast.Call)
            and isinstance(n.func, ast.Attribute)
            and n.func.attr == "append"
            and [ast.unparse(a) for a in n.args] == [item]
        }
        filled |= {
            ast.unparse(n.target) for n in nodes if isinstance(n, ast.AugAssign) and ast.unparse(n.value) == f"[{item}]"
        }
        for node in nodes:
            if (
                isinstance(node, ast.Subscript)
                and ast.unparse(node.value) in filled | {loop.iter.id}
                and item in _list_bounds(node.slice)
            ):
                return f"`{ast.unparse(node)}` takes `{item}`, an item, for a place"
    return ""


def _list_bounds(place: ast.expr) -> list[str]:
    """The names that a slice begins and ends at; an index by an item may be meant, as in a permutation."""
    bounds = (place.lower, place.upper) if isinstance(place, ast.Slice) else ()
    return [n.id for n in bounds if isinstance(n, ast.Name)]


def _name_all_but_last(iterated: ast.expr) -> str:
    """The ``xs`` of ``range(len(xs) - 1)``, turned round or not; empty for anything else."""
    found = _ALL_BUT_LAST.fullmatch(ast.unparse(iterated))
    return found[1] if found else ""


def _name_looped(loop: ast.For) -> str:
    """The variable that a loop goes through, by item or by index; empty where it is none."""
    inner: ast.expr = loop.iter
    while isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and len(inner.args) == 1:
        if inner.func.id not in ("range", "len", "enumerate", "list", "reversed", "sorted"):
            return ""
        inner = inner.args[0]
    return inner.id if isinstance(inner, ast.Name) and _is_collection(loop.iter) else ""


def _is_collection(node: ast.expr) -> bool:
    """Whether no more than the items of what stands in it are gone through: ``range(n)`` says nothing of a collection."""
    return not (isinstance(node, ast.Call) and ast.unparse(node.func) == "range") or "len(" in ast.unparse(node)


def _asks_empty(test: ast.expr) -> str:
    """The variable of ``len(xs) == 0``, ``xs == []`` and ``not xs``; empty for another question."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and isinstance(test.operand, ast.Name):
        return test.operand.id
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq):
        return ""
    left, right = test.left, ast.unparse(test.comparators[0])
    if isinstance(left, ast.Call) and ast.unparse(left.func) == "len" and len(left.args) == 1 and right == "0":
        left = left.args[0]
    elif right not in ("[]", "()", "''", "{}"):
        return ""
    return left.id if isinstance(left, ast.Name) else ""


def _changes_name(node: ast.AST, name: str) -> bool:
    """Whether a node binds a name anew, or may change how many items it has."""
    if isinstance(node, ast.Call):
        given = any(isinstance(a, ast.Name) and a.id == name for a in (*node.args, *(k.value for k in node.keywords)))
        return (
            given and getattr(node.func, "id", "") not in BUILTINS
        )  # `heapq.heappop(xs)`; no builtin takes an item out
    if isinstance(node, ast.Name):
        return node.id == name and not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Subscript):
        return not isinstance(node.ctx, ast.Load) and ast.unparse(node.value) == name
    is_method = isinstance(node, ast.Attribute) and node.attr in _CHANGES_SIZE
    return is_method and isinstance(node, ast.Attribute) and ast.unparse(node.value) == name


_FAULTS = (
    _find_first_place,
    _find_unused_function,
    _find_uncalled_method,
    _find_last_item_left,
    _find_items_passed_over,
    _find_item_as_place,
)
