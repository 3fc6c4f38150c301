"""Mutation operators over names and attributes that nothing has: a misspelt variable, a function or a method as another language calls it, what is
asked of ``self`` and is none of its parts, and an item that stands there by mistake."""

from __future__ import annotations

import ast
import builtins
import difflib
import re
from collections.abc import Iterable, Iterator

from jupyter_selfheal.inside.search.method_changes import LENGTHS, RENAMED
from jupyter_selfheal.inside.search.mutations.own_functions import list_unbound
from jupyter_selfheal.inside.search.scope import ITEMS, Change, Scope, cache_on_scope

LIKE, SHORTEST, NEAREST = 0.75, 3, 3
"""How alike two names are (difflib's ratio), how long the shorter one is at least that the other begins or ends with, and how many such names are tried."""
_TYPES = (str, list, dict, set, int, float, tuple)
_METHODS = sorted({name for kind in _TYPES for name in dir(kind) if not name.startswith("_")})
_FUNCTIONS = sorted(name for name in dir(builtins) if name.islower() and not name.startswith("_"))
_OF_ONE = ("sum", "len", "max", "min", "sorted", "abs", "set", "list")
_OF_TWO = ("max", "min")
"""What a function may be that is called with one value, or two, and that there is not."""
_SPOKEN = {
    "+": {"add", "concat", "join", "plus", "sum"}, "-": {"diff", "difference", "minus", "sub", "subtract"},
    "*": {"mul", "multiply", "product", "times"}, "/": {"div", "divide", "quotient"}, "//": {"div", "divide", "quotient"},
    "%": {"mod", "modulo", "remainder", "rest"}, "**": {"pow", "power"}, "<": {"before", "less", "lt", "smaller"},
    ">": {"bigger", "exceeds", "greater", "gt", "larger", "more"}, "==": {"compare", "equal", "equals", "is", "same"},
}  # fmt: skip
"""The operators of two values by the words that a function is called by which does the same."""
_ITSELF, _UNSAID = 0.3, 0.15
"""How likely what a function is given stands for what it would give, and two values beside an operator that no word speaks of."""
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")


def list_near(name: str, known: Iterable[str]) -> list[str]:
    """Those of the known names that may be meant by one that there is not, the nearest first: ``curt`` for ``curr``, ``toLower`` for ``lower``,
    ``sort`` for ``sorted``, ``no_nums`` and ``thisnums`` for ``nums``."""
    near: dict[str, float] = {}
    plain, parts = name.replace("_", "").lower(), {p.lower() for p in _PART.findall(name)}
    for other in known:
        same = other.replace("_", "").lower()
        likeness = difflib.SequenceMatcher(None, plain, same, autojunk=False).ratio()
        short, long = sorted((plain, same), key=len)
        is_cut = len(short) >= SHORTEST and (long.startswith(short) or long.endswith(short))
        if other != name and (likeness >= LIKE or is_cut or same in parts):
            near[other] = likeness
    return sorted(near, key=lambda other: -near[other])[:NEAREST]


def propose_near_name(s: Scope, node: ast.AST) -> Iterator[Change]:
    """A name that nothing binds, in all its places: a variable that is called nearly so, or where it is called a function."""
    if not isinstance(node, ast.Name) or node.id not in list_unbound(s):
        return
    is_called, holder = s.is_called(node), s.parents[node]
    if isinstance(holder, ast.Attribute):
        yield from _propose_for_holder(s, node, holder)
    handed = _FUNCTIONS if isinstance(holder, ast.Call) else []
    known = [*s.functions, *_FUNCTIONS] if is_called else [*s.values, *handed]
    near = ["len"] if is_called and node.id in LENGTHS else list_near(node.id, known)
    if node.id == "this" and isinstance(holder, ast.Attribute) and "self" in s.values:
        near = ["self"]
    places = [n for n in s.order if isinstance(n, ast.Name) and n.id == node.id and n not in s.frozen]
    for name in near:
        edits = tuple(s.replace_node(n, name) for n in places)
        yield Change(edits, 0.9, node.lineno, f"`{node.id}` is bound by nothing: `{name}`")
    if is_called and isinstance(holder, ast.Call):
        given = [s.text_of(a) for a in holder.args]
        items, rest = ", ".join(given), ", ".join(given[1:])
        made = [f"{given[0]}.{name}({rest})" for name in list_near(node.id, _METHODS)[:1] if given and not near]
        if node.id[0].isupper():
            made += [f"[{items}]"] if items else ["[]", "{}", "set()"]
        for new in made:
            yield Change((s.replace_node(holder, new),), 0.4, node.lineno, f"`{node.id}` is bound by nothing: `{new}`")


def _propose_for_holder(s: Scope, node: ast.Name, holder: ast.Attribute) -> Iterator[Change]:
    """``Math.min(a, b)``, ``Math.sqrt(n)``: a function that is there without it, or a module that is called so in small letters; and ``box.m = 3``,
    where ``m`` is what is read."""
    words = f"`{node.id}` is bound by nothing"
    if isinstance(holder.ctx, ast.Store) and holder.attr in list_unbound(s):
        yield Change((s.replace_node(holder, holder.attr),), 0.9, node.lineno, f"{words}: `{holder.attr}`")
    if node.id.lower() in s.hints.defined:
        yield Change((s.replace_node(node, node.id.lower()),), 0.9, node.lineno, f"{words}: `{node.id.lower()}`")
    if s.is_called(holder) and holder.attr in (*_FUNCTIONS, *s.hints.defined):
        yield Change((s.replace_node(holder, holder.attr),), 0.9, node.lineno, f"{words}: `{holder.attr}`")


def propose_near_type(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``n: integer``: what is said of a parameter or a result is read when the function is made, and fails there."""
    said = node.annotation if isinstance(node, ast.arg) else node.returns if isinstance(node, ast.FunctionDef) else None
    if isinstance(said, ast.Name) and said.id in list_unbound(s):
        for name in list_near(said.id, (kind.__name__ for kind in (*_TYPES, bool))):
            yield Change((s.replace_node(said, name),), 0.9, said.lineno, f"`{said.id}` is bound by nothing: `{name}`")


def propose_left_out_item(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``return total, extra`` where nothing is called ``extra``: it is one item too many, or one argument."""
    given = node.elts if isinstance(node, ast.Tuple | ast.List) else node.args if isinstance(node, ast.Call) else []
    for item in given:
        if not isinstance(item, ast.Name) or item.id not in list_unbound(s):
            continue
        rest = [s.text_of(a) for a in given if a is not item]
        if isinstance(node, ast.Call):
            rest += [s.text_of(k) for k in node.keywords]
            new = f"{s.text_of(node.func)}({', '.join(rest)})"
        elif isinstance(node, ast.List):
            new = f"[{', '.join(rest)}]"
        else:
            new = rest[0] if len(rest) == 1 else f"({', '.join(rest)})"
        yield Change((s.replace_node(node, new),), 0.5, item.lineno, f"`{item.id}` is bound by nothing, and too many")


def propose_near_method(s: Scope, node: ast.AST) -> Iterator[Change]:
    """A method that no plain value has: ``word.toLower()``, ``xs.push(x)``, ``xs.size()``; and ``self.length(xs)``, ``dfs(i)`` for a method."""
    if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
        if isinstance(node, ast.Name) and s.is_called(node) and node.id in _list_methods(s):
            yield Change((s.replace_node(node, f"self.{node.id}"),), 0.9, node.lineno, f"`{node.id}` lacks `self.`")
        return
    if _is_there(s, node):
        return
    call = s.parents[node]
    words = f"nothing has `{node.attr}`"
    if isinstance(node.value, ast.Name) and node.value.id == "self":
        plain = [*(f for f in s.functions if f not in _list_methods(s)), *_FUNCTIONS]
        known = plain if s.is_called(node) else s.values
        near = [node.attr] if node.attr in {*known, *s.hints.defined} else list_near(node.attr, known)
        own = list_near(node.attr, _list_methods(s)) if s.is_called(node) else []
        for new in (*(["len"] if node.attr in LENGTHS else near), *(f"self.{name}" for name in own)):
            yield Change((s.replace_node(node, new),), 0.9, node.lineno, f"{words}: `{new}`")
        return
    if node.attr in LENGTHS and not (isinstance(call, ast.Call) and call.args):
        whole = call if s.is_called(node) else node
        new = f"len({s.text_of(node.value)})"
        yield Change((s.replace_node(whole, new),), 0.9, node.lineno, f"{words}: `{new}`")
    elif s.is_called(node):
        start, end = s.end_of(node) - len(node.attr), s.end_of(node)
        for new in [RENAMED[node.attr]] if node.attr in RENAMED else list_near(node.attr, _METHODS):
            yield Change(((start, end, new),), 0.9, node.lineno, f"{words}: `.{new}`")


def propose_stand_in(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``self.add_them(xs)`` where nothing is called so: what Python has for one collection or two values, or the place of a value in a list at hand;
    and what its name says of the two (``self.less_than(a, b)``), or nothing but what it is given."""
    if (
        not isinstance(node, ast.Call)
        or node.keywords
        or not 0 < len(node.args) <= 2
        or not _is_from_nowhere(s, node.func)
    ):
        return
    given = [s.text_of(a) for a in node.args]
    if len(given) == 1:
        lists = [name for name in s.values if s.name_may_be(name, frozenset({ITEMS})) and name != given[0]]
        made = [*(f"{name}({given[0]})" for name in _OF_ONE), *(f"{name}.index({given[0]})" for name in lists)]
    else:
        made = [f"{name}({', '.join(given)})" for name in _OF_TWO]
        made += [
            f"{of}.{name}({what})"
            for of, what in (given, given[::-1])
            if of.isidentifier()
            for name in ("index", "count")
        ]
    rated = [*((new, 0.35) for new in made), *_list_said(s, node)]
    for new, prior in rated:
        words = f"nothing is called `{s.text_of(node.func)}`: `{new[1:-1] if new[:1] == '(' else new}`"
        yield Change(((s.start_of(node), s.end_of(node), new),), prior, node.lineno, words)


def _list_said(s: Scope, node: ast.Call) -> Iterator[tuple[str, float]]:
    """What a call that nothing answers may stand for by its name: two values and an operator, an entry, or its argument itself."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else s.text_of(node.func)
    words = {part.lower() for part in _PART.findall(name)}
    if len(node.args) == 1:
        given = node.args[0]
        if name in s.values:
            yield f"{name}[{s.text_of(given)}]", 0.9
        if not isinstance(given, ast.Constant | ast.Starred) and not isinstance(s.parents[node], ast.Expr):
            yield f"({s.text_of(given)})", _ITSELF
        return
    left, right = map(s.parenthesize, node.args)
    for sign, spoken in _SPOKEN.items():
        if words & spoken:
            yield f"({left} {sign} {right})", 0.9
        elif sign in "+-*%":
            yield f"({left} {sign} {right})", _UNSAID
    if words & _SPOKEN["-"] and words & {"abs", "absolute"}:
        yield f"abs({left} - {right})", 0.9


def _is_from_nowhere(s: Scope, called: ast.expr) -> bool:
    """Whether what is called is neither a function at hand nor a method of the class."""
    if isinstance(called, ast.Name):
        return called.id in list_unbound(s) and called.id not in _list_methods(s)
    is_own = isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.value.id == "self"
    return is_own and isinstance(called, ast.Attribute) and not _is_there(s, called)


def _is_there(s: Scope, node: ast.Attribute) -> bool:
    """Whether a plain value, an object of the program or a module may have such an attribute."""
    root = node.value
    if isinstance(root, ast.Name) and root.id == "self":
        return node.attr in _list_methods(s) or node.attr in _list_stored(s) or not _list_methods(s)
    is_foreign = isinstance(root, ast.Name) and (root.id in s.modules or root.id in s.hints.defined)
    return is_foreign or node.attr in _METHODS or node.attr in s.functions or node.attr in _list_stored(s)


@cache_on_scope
def _list_methods(s: Scope) -> list[str]:
    """The functions in the classes of the program that nothing else is called as."""
    classes = [n for n in s.order if isinstance(n, ast.ClassDef)]
    methods = {f.name for c in classes for f in c.body if isinstance(f, ast.FunctionDef)}
    own = {id(f) for c in classes for f in c.body}
    plain = {n.name for n in s.order if isinstance(n, ast.FunctionDef) and id(n) not in own}
    return sorted(methods - plain - {*s.names, *s.hints.defined, *s.hints.signatures} - {*dir(builtins)})


@cache_on_scope
def _list_stored(s: Scope) -> frozenset[str]:
    """The attributes that the program sets, in its classes' bodies too."""
    stored = {n.attr for n in s.order if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}
    for found in (n for n in s.order if isinstance(n, ast.ClassDef)):
        names = (t for b in found.body for t in ast.walk(b) if isinstance(t, ast.Name))
        stored |= {t.id for t in names if isinstance(t.ctx, ast.Store)}
    return frozenset(stored)


OPERATORS = (propose_near_name, propose_near_type, propose_left_out_item, propose_near_method, propose_stand_in)
