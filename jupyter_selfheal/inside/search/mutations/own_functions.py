"""Mutation operators over the program's own functions: a name that nothing binds, a function that is not called, arguments that a call
leaves out. What a call is given are the variables at hand that are called as its parameters are."""

from __future__ import annotations

import ast
import builtins
import itertools
from collections.abc import Iterator

from jupyter_selfheal.inside.search.scope import ITEMS, Change, Scope, cache_on_scope

_PLACES = (("[0]", 0.4), ("[1]", 0.4), ("[-1]", 0.1))
"""What of an item a name that nothing binds may stand for."""
_FILLED = 0.25
"""How much less likely a call is one argument of which is called otherwise than its parameter."""
MOST_ASKED, PARTS = 3, 6
"""Parameters of a function that is asked something, and things at hand that it may be asked of."""
_UNSPOKEN, _BEGINNING = 0.2, 4
"""How much less likely a function is to be asked that nothing here speaks of, and the letters by which it would."""
_HANDED_ON = 0.2
"""How much less likely a function is meant to be called that is an argument: what it is given to may call it."""


def read_parameters(node: ast.AST) -> list[str] | None:
    """The parameters of a function that takes no others than plain ones; None for anything else."""
    if not isinstance(node, ast.FunctionDef) or node.args.vararg or node.args.kwarg or node.args.kwonlyargs:
        return None
    return [a.arg for a in (*node.args.posonlyargs, *node.args.args)]


@cache_on_scope
def list_only_read(s: Scope) -> set[str]:
    """Parameters of functions that give a value and only read what they are given: to change it in place is no part of that.

    Not one that has a value of its own, is asked by ``in`` (what was seen so far), or is handed on to the function itself.
    """
    only_read: set[str] = set()
    others: set[str] = set()
    for function in (n for n in s.order if isinstance(n, ast.FunctionDef)):
        given = {a.arg for a in function.args.args[: len(function.args.args) - len(function.args.defaults)]}
        others |= {n.id for n in ast.walk(function) if isinstance(n, ast.Name)} - given
        inside = [*ast.walk(function)]
        if not any(isinstance(n, ast.Return) and n.value is not None for n in inside):
            others |= given
        for node in inside:
            match node:
                case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.Name(name)]):
                    others.add(name)
                case ast.Expr(ast.Call(ast.Attribute(ast.Name(name)))) | ast.Subscript(
                    ast.Name(name), ctx=ast.Store() | ast.Del()
                ):
                    others.add(name)
                case ast.Call(ast.Name(called), arguments) if called == function.name:
                    others |= {a.id for a in arguments if isinstance(a, ast.Name)}
                case ast.Return(ast.Name(name)) | ast.Name(name, ast.Store()):
                    others.add(name)
                case ast.Call(ast.Attribute(ast.Name(name), "pop" | "popleft" | "popitem")):
                    others.add(name)
        only_read |= given
    return only_read - others


def propose_for_unbound_name(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``for x in days`` where nothing is called ``days``: what a function of the program gives; ``check(x)``: ``check(pair[1])``."""
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load) or not _is_unbound(s, node.id):
        return
    if isinstance(s.parents.get(node), ast.Call) and s.parents[node].func is node:  # type: ignore[attr-defined]
        return
    words = f"`{node.id}` is bound by nothing"
    for item in _list_looped(s, node):
        if s.name_may_be(item, frozenset({ITEMS})):
            for place, prior in _PLACES:
                yield Change((s.replace_node(node, f"{item}{place}"),), prior, node.lineno, f"{words}: `{item}{place}`")
    own = getattr(s.find_function(node), "name", "")
    for name in s.hints.signatures:
        if name != own:
            alike = 1.0 if _speaks_of(node.id, name) else 0.5
            for call, prior in _list_calls(s, name):
                yield Change((s.replace_node(node, call),), prior * alike, node.lineno, f"{words}: `{call}`")


def propose_call(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``if unique and …`` and ``for x in days`` where these are functions of the program: they are to be called."""
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load) or node.id not in s.hints.signatures:
        return
    parent = s.parents.get(node)
    if (isinstance(parent, ast.Call) and parent.func is node) or node.id in s.values:
        return
    handed = _HANDED_ON if isinstance(parent, ast.Call | ast.keyword | ast.Return | ast.Assign) else 1.0
    for call, prior in _list_calls(s, node.id):
        yield Change((s.replace_node(node, call),), prior * handed, node.lineno, f"`{node.id}` is not called: `{call}`")


def propose_asked_function(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``if x[0] == month and is_alone(x[1], pairs)``: a function of the program is to be asked too, of parts of an item that are read here."""
    if not isinstance(node, ast.If) or not s.is_in_loop(node):
        return
    own = getattr(s.find_function(node), "name", "")
    test = s.parenthesize(node.test)
    for name, parameters in s.hints.signatures.items():
        if name == own or name in s.called or not 0 < len(parameters) <= MOST_ASKED:
            continue
        share = 1.0 if _is_spoken_of(s, name) else _UNSPOKEN
        for call in _list_asking_calls(s, node, name):
            for new, prior in ((f"{test} and {call}", 0.4), (call, 0.2), (f"{test} and not {call}", 0.05)):
                words = f"`{name}` is not asked: `{new}`"
                yield Change((s.replace_node(node.test, new),), prior * share, node.lineno, words)


def propose_uncalled_helper(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``if width > 0 and is_even(width)``, ``return tidy(name)``: a function within, of one parameter, that nothing calls was written to be called."""
    if not isinstance(node, ast.If | ast.Return) or (isinstance(node, ast.If) and s.is_in_loop(node)):
        return  # of a loop's conditions `propose_asked_function` asks
    asked = node.test if isinstance(node, ast.If) else node.value
    if asked is None:
        return
    for name in _list_uncalled(s, node):
        words = f"`{name}` is not called"
        if isinstance(node, ast.Return):
            new = f"{name}({s.text_of(asked)})"
            yield Change((s.replace_node(asked, new),), 0.5, node.lineno, f"{words}: `{new}`")
            continue
        test = s.parenthesize(asked)
        for read in dict.fromkeys(n.id for n in ast.walk(asked) if isinstance(n, ast.Name) and n.id in s.values):
            for new, prior in ((f"{test} and {name}({read})", 0.8), (f"{name}({read})", 0.5)):
                yield Change((s.replace_node(asked, new),), prior, node.lineno, f"{words}: `{new}`")


def _list_uncalled(s: Scope, node: ast.AST) -> list[str]:
    """The functions of one parameter within the one around a node that nothing calls."""
    function = s.find_function(node)
    body = getattr(function, "body", ()) if function is not s.tree else ()
    within = [n for n in body if isinstance(n, ast.FunctionDef)]
    read = {n.id for n in s.order if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return [n.name for n in within if len(read_parameters(n) or ()) == 1 and n.name not in read]


def _list_asking_calls(s: Scope, node: ast.If, name: str) -> Iterator[str]:
    """Calls of a function with the variables that are called as its parameters are; what it lacks is an item, or a part of one."""
    parameters = s.hints.signatures[name]
    nodes = (n for n in ast.walk(s.find_function(node)) if isinstance(n, ast.Subscript) and s.is_read(n))
    parts = [s.text_of(n) for n in nodes if not isinstance(n.slice, ast.Slice) and "(" not in s.text_of(n)]
    items = list(dict.fromkeys([*parts, *_list_looped(s, node)]))[:PARTS]
    choices = [[p] if p in s.values and p not in _list_looped(s, node) else items for p in parameters]
    for chosen in itertools.product(*choices):
        if any(c in items for c in chosen):
            yield f"{name}({', '.join(chosen)})"


def propose_left_out_arguments(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``check(day)`` for ``check(day, days)``: what it lacks is called as its parameters are."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.keywords:
        return
    parameters = s.hints.signatures.get(node.func.id, ())
    lacking = parameters[len(node.args) :]
    if not lacking or any(isinstance(a, ast.Starred) for a in node.args) or not set(lacking) <= set(s.values):
        return
    end = s.end_of(node) - 1
    if s.text[:end].rstrip().endswith(","):
        return
    text = ", ".join(lacking)
    words = f"`{node.func.id}` lacks the argument{'s' if len(lacking) > 1 else ''} `{text}`"
    yield Change(((end, end, f"{', ' if node.args else ''}{text}"),), 0.8, node.lineno, words)


def propose_link(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``self.head = Node(value)`` for ``Node(value, self.head)``: what an object of a class takes the place of is lost, where nothing links to it."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(call := node.value, ast.Call):
        return
    target = node.targets[0]
    is_own = isinstance(call.func, ast.Name) and call.func.id[:1].isupper() and call.func.id not in dir(builtins)
    if not is_own or not isinstance(target, ast.Attribute | ast.Name) or not call.args or call.keywords:
        return
    if s.text_of(target) not in map(s.text_of, call.args) and not s.text[: s.end_of(call) - 1].rstrip().endswith(","):
        end = s.end_of(call) - 1
        words = f"`{s.text_of(call.func)}` lacks the argument `{s.text_of(target)}`"
        yield Change(((end, end, f", {s.text_of(target)}"),), 0.4, node.lineno, words)


def propose_own_name(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``log.append(("deposit", n))`` in ``withdraw``: a text that names the method beside it, from which the line was copied."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or node.value not in s.functions:
        return
    own = getattr(s.find_function(node), "name", "")
    if own and own != node.value and not own.startswith("_"):
        yield Change((s.replace_node(node, repr(own)),), 0.6, node.lineno, f"`{node.value!r}` should be `{own!r}`")


def _list_calls(s: Scope, name: str) -> Iterator[tuple[str, float]]:
    """Calls of a function with the variables of the same names; where one has none, with each other variable in its place."""
    parameters = s.hints.signatures[name]
    missing = [p for p in parameters if p not in s.values]
    if not missing:
        yield f"{name}({', '.join(parameters)})", 0.8
    elif len(missing) == 1:
        for value in s.values:
            if value not in parameters:
                given = (value if p == missing[0] else p for p in parameters)
                yield f"{name}({', '.join(given)})", 0.8 * _FILLED


def _list_looped(s: Scope, node: ast.AST) -> Iterator[str]:
    """The variables of the loops around a node, innermost first."""
    for parent in s.walk_upwards(node):
        if isinstance(parent, ast.For) and isinstance(parent.target, ast.Name):
            yield parent.target.id


def _is_spoken_of(s: Scope, function: str) -> bool:
    """Whether a word of a function's name, or one that begins alike, stands in the source: of ``is_prime`` nothing speaks that counts pairs."""
    text = s.text.lower()
    return any(word[:_BEGINNING] in text for word in function.lower().split("_") if len(word) >= _BEGINNING)


def _speaks_of(name: str, function: str) -> bool:
    """Whether a word of the one is a word of the other: ``days_in_month`` and ``list_days``."""
    return bool(set(name.lower().split("_")) & set(function.lower().split("_")))


@cache_on_scope
def list_unbound(s: Scope) -> frozenset[str]:
    """The names that a statement reads and that nothing binds; nothing where it is not known what is bound."""
    read = {n.id for n in s.order if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    bound = {*s.names, *s.functions, *s.modules, *s.hints.defined, *s.hints.signatures}
    return frozenset(n for n in read - bound if not hasattr(builtins, n) and s.hints.defined)


def _is_unbound(s: Scope, name: str) -> bool:
    return name in list_unbound(s)


OPERATORS = (
    propose_for_unbound_name,
    propose_call,
    propose_left_out_arguments,
    propose_asked_function,
    propose_uncalled_helper,
    propose_link,
    propose_own_name,
)
