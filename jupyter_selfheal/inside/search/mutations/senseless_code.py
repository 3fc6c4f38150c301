"""Mutation operators for what cannot be meant as it stands: a list that is compared with a number, a parameter that nothing reads while the
attribute of its name is set to a constant, a method that is kept in place of what it gives, a loop that ends in its first round."""

from __future__ import annotations

import ast
import bisect
import itertools
from collections.abc import Iterator, Sequence

from jupyter_selfheal.inside.positions import Edit
from jupyter_selfheal.inside.search.scope import DICT, ITEMS, SET, Change, Scope, cache_on_scope
from jupyter_selfheal.inside.search.text_methods import PLAIN, QUESTIONS
from jupyter_selfheal.inside.tree_names import is_name

_COLLECTIONS = frozenset({ITEMS, SET, DICT})
_MADE = (ast.List, ast.ListComp, ast.Dict, ast.DictComp, ast.Set, ast.SetComp)
_MAKERS = frozenset({"list", "dict", "set", "deque", "defaultdict", "Counter", "OrderedDict"})
_ADDS = frozenset({"append", "add", "extend", "insert", "update", "appendleft", "replace"})
MOST = 4
"""So many senseless places are mended in every union of them; of more only all at once."""

BESIDE = 2
"""Edits on each side that may meet one: where something is put in, another one may begin at the same place."""


def propose_size(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``len(self.items) == 0`` for ``self.items == 0``: a list equals no number."""
    match node:
        case ast.Compare(left, [ast.Eq() | ast.NotEq()], [ast.Constant(int() as number)]) if type(number) is int:
            if _is_collection(s, left):
                text = s.text_of(left)
                words = f"`{text}` is a collection, and equals no number"
                yield Change((s.replace_node(left, f"len({text})"),), 0.9, node.lineno, words, "senseless")


def _is_collection(s: Scope, node: ast.expr) -> bool:
    if isinstance(node, ast.Name):
        kinds = s.hints.kinds.get(node.id, frozenset())
        return bool(kinds) and kinds <= _COLLECTIONS
    return isinstance(node, ast.Attribute) and is_name(node.value, "self") and node.attr in _list_collections(s)


@cache_on_scope
def _list_collections(s: Scope) -> set[str]:
    """The attributes of ``self`` to which nothing but collections is assigned."""
    made, other = set[str](), set[str]()
    for node in s.order:
        match node:
            case ast.Assign([ast.Attribute(ast.Name("self"), attribute)], value):
                is_made = isinstance(value, _MADE) or (
                    isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in _MAKERS
                )
                (made if is_made else other).add(attribute)
            case ast.AugAssign(ast.Attribute(ast.Name("self"), attribute)):
                other.add(attribute)
    return made - other


def propose_entry(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``sums[k] / counts[k]`` for ``sums[k] / counts``: nothing is divided by a dictionary."""
    match node:
        case ast.BinOp(
            ast.Subscript(_, key), ast.Add() | ast.Sub() | ast.Mult() | ast.Div() | ast.FloorDiv(), ast.Name() as table
        ):
            pass
        case ast.BinOp(
            ast.Name() as table, ast.Add() | ast.Sub() | ast.Mult() | ast.Div() | ast.FloorDiv(), ast.Subscript(_, key)
        ):
            pass
        case _:
            return
    if s.hints.kinds.get(table.id) == frozenset({DICT}) and not isinstance(key, ast.Slice):
        words = f"`{table.id}` is a dictionary, and no number"
        yield Change((s.replace_node(table, f"{table.id}[{s.text_of(key)}]"),), 0.9, node.lineno, words, "senseless")


def propose_given_attribute(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``self.next = next`` for ``self.next = None`` or ``self.next = value``, where nothing reads the parameter ``next``."""
    match node:
        case ast.Assign([ast.Attribute(ast.Name("self"), attribute)], value) if _is_plain(value):
            function = s.find_function(node)
        case _:
            return
    given = _list_given(function) if isinstance(function, ast.FunctionDef) else set()
    if attribute in given and not any(is_name(n, attribute) for n in ast.walk(function)):
        words = f"`{attribute}` is given and never read"
        yield Change((s.replace_node(value, attribute),), 0.9, node.lineno, words, "senseless")


def _list_given(function: ast.FunctionDef) -> set[str]:
    """What a function has to be given, and what may be given where an object is made: `count` of ``def reset(self, count=None)`` may be kept for
    older callers."""
    given = [a.arg for a in function.args.args]
    return set(given if function.name == "__init__" else given[: len(given) - len(function.args.defaults)])


def _is_plain(value: ast.expr) -> bool:
    """A constant, a name, and a list or dictionary that is empty."""
    is_empty = (isinstance(value, ast.List) and not value.elts) or (isinstance(value, ast.Dict) and not value.values)
    return isinstance(value, ast.Constant | ast.Name) or is_empty


def propose_kept_before(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``second = first`` before ``first = x`` in a loop, and not behind it, where both are begun before the loop: both are ``x`` then."""
    match node:
        case ast.Assign([ast.Name(kept)], ast.Name(new)) if kept != new:
            before = s.find_previous_statement(node)
        case _:
            return
    match before:
        case ast.Assign([ast.Name(name)], value) if name == new and not any(is_name(n, kept) for n in ast.walk(value)):
            loop = next((p for p in s.walk_upwards(node) if isinstance(p, ast.For | ast.While)), None)
        case _:
            return
    if (
        loop is None
        or s.read_indent(before) is None
        or s.read_indent(node) is None
        or not {kept, new} <= _list_begun(s, loop)
    ):
        return
    edits = tuple((s.start_of(a), s.end_of(a), s.text_of(b)) for a, b in ((before, node), (node, before)))
    words = f"`{kept}` and `{new}` are both `{s.text_of(before.value)}` then: `{s.text_of(node)}` comes first"
    yield Change(edits, 0.85, before.lineno, words, "senseless")


def _list_begun(s: Scope, loop: ast.For | ast.While) -> set[str]:
    """The names that a function is given, and those that are bound above a loop."""
    function = s.find_function(loop)
    begun = {a.arg for a in function.args.args} if isinstance(function, ast.FunctionDef) else set[str]()
    return begun | {
        n.id
        for n in ast.walk(function)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.lineno < loop.lineno
    }


def ends_in_first_round(s: Scope, loop: ast.AST) -> bool:
    """Whether the last statement of a loop returns what the loop gathers: no round but the first is ever run."""
    if not isinstance(loop, ast.For | ast.While) or loop.orelse or s.find_next_statement(loop) is not None:
        return False
    match loop.body[-1]:
        case ast.Return(ast.Name(name)):
            inside = [n for part in loop.body for n in ast.walk(part)]
        case _:
            return False
    goes_on = any(isinstance(n, ast.Continue) for n in inside)
    return name in _list_begun(s, loop) and not goes_on and any(_gathers(n, name) for n in inside)


def _gathers(node: ast.AST, name: str) -> bool:
    match node:
        case ast.AugAssign(ast.Name(target)) | ast.Assign([ast.Subscript(ast.Name(target))]):
            return target == name
        case ast.Assign([ast.Name(target)], value):
            return target == name and any(is_name(n, name) for n in ast.walk(value))
        case ast.Call(ast.Attribute(ast.Name(target), method)):
            return target == name and method in _ADDS
    return False


def is_kept_uncalled(s: Scope, node: ast.Attribute) -> bool:
    """``if self.is_empty:`` where a class of the program has a method of that name, and nothing stores another thing under it; ``if c.isalpha:``,
    as a method is always true; and ``[c.lower for c in text]`` and ``any(c.isdigit for c in text)``, which gather methods."""
    parent = s.parents.get(node)
    if isinstance(parent, ast.If | ast.While | ast.IfExp):
        is_asked = parent.test is node
    elif isinstance(parent, ast.comprehension):
        is_asked = node in parent.ifs
    else:
        is_negated = isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not)
        is_asked = is_negated or (isinstance(parent, ast.BoolOp) and (node.attr in QUESTIONS or _decides(s, parent)))
    if is_asked:
        return node.attr in _list_methods(s) or (node.attr in QUESTIONS and not _is_stored(s, node))
    if isinstance(parent, ast.BinOp | ast.AugAssign) and node.attr in (_list_methods(s) | PLAIN):
        return not _is_stored(s, node)
    return node.attr in PLAIN | QUESTIONS and _is_gathered(s, node)


def _decides(s: Scope, node: ast.AST) -> bool:
    """Whether a condition, or a part of one, decides which way the code goes: ``key = key or self.get_key`` keeps the method."""
    parent = s.parents.get(node)
    if isinstance(parent, ast.BoolOp | ast.UnaryOp):
        return _decides(s, parent)
    is_test = isinstance(parent, ast.If | ast.While | ast.IfExp) and parent.test is node
    return is_test or (isinstance(parent, ast.comprehension) and node in parent.ifs)


def _is_gathered(s: Scope, node: ast.Attribute) -> bool:
    """Whether what a loop or comprehension goes through gives an attribute that nothing stores, and it is kept."""
    parent = s.parents.get(node)
    match parent:
        case ast.ListComp(elt) | ast.SetComp(elt) | ast.GeneratorExp(elt) if elt is node:
            pass
        case ast.Call(ast.Attribute(_, method)) if method in _ADDS and node in parent.args:
            pass
        case ast.AugAssign(_, ast.Add(), value) if value is node:
            pass
        case _:
            return False
    return isinstance(node.value, ast.Name) and not _is_stored(s, node)


def _is_stored(s: Scope, node: ast.Attribute) -> bool:
    """Whether an attribute of that name is set somewhere: it is no method then."""
    return any(isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) and n.attr == node.attr for n in s.order)


@cache_on_scope
def _list_methods(s: Scope) -> set[str]:
    """The methods of the program's classes that take nothing but the object, and are no properties."""
    classes = [n for n in ast.walk(s.tree) if isinstance(n, ast.ClassDef)]
    methods = {
        n.name
        for c in classes
        for n in c.body
        if isinstance(n, ast.FunctionDef) and not n.decorator_list and len(n.args.args) == 1
    }
    return methods - {n.attr for n in ast.walk(s.tree) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}


def unite_senseless(ranked: Sequence[tuple[float, Change]]) -> Iterator[tuple[float, Change]]:
    """What is senseless in several places mended in each union of them, the whole of it first: no one of them is likelier to be right alone."""
    apart: list[tuple[float, Change]] = []
    taken: list[Edit] = []
    for weight, change in sorted((r for r in ranked if r[1].kind == "senseless"), key=lambda r: -r[1].prior):
        if not any(_meets_one(taken, edit) for edit in change.edits):
            for edit in change.edits:
                bisect.insort(taken, edit)
            apart.append((weight, change))
    for size in range(len(apart), 1, -1) if len(apart) <= MOST else (len(apart),):
        for members in itertools.combinations(apart, size):
            edits = tuple(sorted(edit for _, change in members for edit in change.edits))
            weight, first = max(members, key=lambda m: m[0])
            share = 0.95 / max(first.prior, 0.01) if size == len(apart) else 0.9
            words = "; ".join(change.words for _, change in sorted(members, key=lambda m: m[1].edits))
            prior = min(first.prior * share, 1.0)
            yield min(weight * share, 1.0), Change(edits, prior, first.line, words, "senseless")


def _meets_one(taken: Sequence[Edit], edit: Edit) -> bool:
    """Whether an edit is of a place that one of those in order changes, which are apart from each other: those beside it tell."""
    start, end, _ = edit
    at = bisect.bisect_left(taken, edit)
    beside = taken[max(at - BESIDE, 0) : at + BESIDE]
    return any((start < last and first < end) or (start, end) == (first, last) for first, last, _ in beside)


OPERATORS = (propose_size, propose_entry, propose_given_attribute, propose_kept_before)
