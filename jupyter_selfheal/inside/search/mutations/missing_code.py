"""Mutation operators for what is missing: a statement, a base case, a condition around one, a return, a first value."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.search.mutations.conditions import list_own_tests, list_tests
from jupyter_selfheal.inside.search.mutations.own_functions import list_only_read, list_unbound
from jupyter_selfheal.inside.search.scope import DICT, ITEMS, NUMBER, SET, TEXT, TRUTH, Change, Scope
from jupyter_selfheal.inside.tree_names import is_call_of, list_defined_names, list_names

MOST_STATEMENTS = 400
"""Statements that are tried at each place, likeliest first: their number grows with the square of the names."""
_JUMPS = ("return", "break", "continue", "raise")
_LOOPS = ast.For | ast.While | ast.AsyncFor
_GROWS = {
    "append": 0.4,
    "add": 0.4,
    "extend": 0.2,
    "appendleft": 0.2,
    "update": 0.15,
    "insert": 0.05,
    "push": 0.3,
    "remove": 0.12,
    "discard": 0.1,
}


BESIDE = 0.25
"""The least weight of a further base case beside one that is there, before what the function's other comparisons say of it: ``n == 1`` beside ``n == 0``."""
ASKED_FOR = 2.5
"""How much likelier a case for an empty parameter is where a check fails that gives one."""
GIVEN_IN_LOOP = 0.15
"""How much less likely a ``return`` is that ends a loop in its first round, or gives in it what is given after it."""
COUNTED_BY_FOR = 0.1
"""How much less likely a statement is that counts the name of a ``for`` around it."""


def propose_insertions(s: Scope, node: ast.AST) -> Iterator[Change]:
    """A statement is missing: made of the names at hand, or the same as one elsewhere in the function."""
    if node is not s.tree:
        return
    statements = sorted(_list_statements(s), key=lambda statement: -statement[1])[:MOST_STATEMENTS]
    below = {s.text_of(n.body[-1]) for n in s.order if isinstance(n, ast.FunctionDef)}
    for body in s.list_blocks():
        owner = s.parents[body[0]]
        if isinstance(owner, ast.ClassDef):
            continue
        looped = isinstance(owner, _LOOPS) or s.is_in_loop(body[0])
        for n, stmt in enumerate([*body, body[-1]]):
            last = n == len(body)
            if s.read_indent(stmt) is None or (
                last and isinstance(stmt, ast.Return | ast.Raise | ast.Continue | ast.Break)
            ):
                continue
            start, end, _ = s.find_line_span(stmt)
            at = end if last else start
            pad = "" if s.text[:at].endswith("\n") or not at else "\n"
            counted = (*_list_counted(s, body[0]), *_list_replaced(s, body[0]), *_list_made_above(body, n))
            for text, prior, loop in statements:
                if text.startswith(counted):
                    prior *= COUNTED_BY_FOR
                if looped and text.startswith("return") and (isinstance(owner, _LOOPS) or text in below):
                    prior *= GIVEN_IN_LOOP
                if (loop and not looped) or (not last and text.startswith(_JUMPS)):
                    continue  # what is below such a statement would never run
                if looped and not last and text.startswith(f"{find_accumulated(stmt)} = "):
                    continue  # a first value that is set in each round is none
                yield Change(
                    ((at, at, f"{pad}{s.read_indent(stmt)}{text}\n"),), prior, stmt.lineno, f"`{text}` is missing"
                )


def _list_replaced(s: Scope, node: ast.AST) -> tuple[str, ...]:
    """How statements begin that count what a loop around a place replaces by another value: ``high = middle`` is no counter."""
    loop = next((p for p in s.walk_upwards(node) if isinstance(p, _LOOPS)), None)
    names = {
        n.targets[0].id
        for n in (ast.walk(loop) if loop is not None else ())
        if isinstance(n, ast.Assign)
        and isinstance(n.targets[0], ast.Name)
        and not isinstance(n.value, ast.Constant)
        and not find_accumulated(n)
    }
    return tuple(f"{name} {change}" for name in sorted(names) for change in ("+= 1", "-= 1"))


def _list_made_above(body: list[ast.stmt], n: int) -> tuple[str, ...]:
    """How statements begin that count on what the statement above has only just set: ``m = x`` and then ``m += 1`` is ``m = x + 1``."""
    above = body[n - 1] if n else None
    if not isinstance(above, ast.Assign) or len(above.targets) != 1 or not isinstance(above.targets[0], ast.Name):
        return ()
    return tuple(f"{above.targets[0].id} {change}" for change in ("+= 1", "-= 1", "= 0", "= 1"))


def find_accumulated(stmt: ast.AST) -> str:
    """``x`` of ``x += y`` and ``x = x + y``; empty for other statements."""
    if isinstance(stmt, ast.AugAssign) and isinstance(stmt.target, ast.Name):
        return stmt.target.id
    if isinstance(stmt, ast.Assign) and isinstance(stmt.targets[0], ast.Name) and isinstance(stmt.value, ast.BinOp):
        name = stmt.targets[0].id
        return name if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(stmt.value)) else ""
    return ""


def propose_first_value(s: Scope, node: ast.AST) -> Iterator[Change]:
    """A name that a loop of the cell adds to, and that nothing binds before: it begins above the loop."""
    if not isinstance(node, _LOOPS) or not isinstance(s.parents.get(node), ast.Module):
        return
    above = [
        n
        for n in ast.walk(s.tree)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.lineno <= node.lineno
    ]
    bound = {n.id for n in above} | s.hints.outside
    start = s.find_line_span(node)[0]
    for name in dict.fromkeys(find_accumulated(stmt) for stmt in ast.walk(node)):
        if name and name not in bound:
            for value, prior in (("0", 0.8), ("1", 0.4), ("''", 0.4), ("[]", 0.3)):
                words = f"`{name}` has no first value"
                yield Change(((start, start, f"{name} = {value}\n"),), prior, node.lineno, words)


def _list_counted(s: Scope, node: ast.AST) -> tuple[str, ...]:
    """How statements begin that change what a ``for`` around a place counts: it goes on by itself in each round."""
    names, places = set[str](), set[str]()
    while (node := s.parents.get(node)) is not None:  # type: ignore[assignment]
        if isinstance(node, ast.For):
            names.update(n.id for n in ast.walk(node.target) if isinstance(n, ast.Name))
            if is_call_of(node.iter, "range"):
                places.update(n.id for n in ast.walk(node.target) if isinstance(n, ast.Name))
    counted = tuple(f"{name} {change}" for name in sorted(names) for change in ("+= ", "-= ", "= 0", "= 1"))
    return (*counted, *(f"{name} = " for name in sorted(places)))


def _find_unfilled(s: Scope) -> dict[str, str]:
    """Collections that are made empty and never filled, with their kind: what should fill them is missing."""
    unfilled: dict[str, str] = {}
    for node in s.order:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            text = s.text_of(node.value)
            if text in ("[]", "list()", "set()"):
                unfilled[node.targets[0].id] = SET if text == "set()" else ITEMS
    for node in s.order:
        touched = node.value if isinstance(node, ast.Attribute | ast.Subscript) else getattr(node, "target", None)
        if isinstance(touched, ast.Name):
            unfilled.pop(touched.id, None)
    return unfilled


def _list_statements(s: Scope) -> Iterator[tuple[str, float, bool]]:
    """(statement, prior, only inside loops) for each statement that could be missing."""
    used = {n.attr for n in s.order if isinstance(n, ast.Attribute)}
    unfilled = _find_unfilled(s)
    for name in s.values:
        yield from _list_resets(s, name)
        yield f"return {name}", 0.15, False
        yield from _list_updates(s, name, used, name in unfilled)
        yield from _list_fillings(s, name, used, unfilled)
        yield from _list_rearrangements(s, name)
    yield from (("continue", 0.14, True), ("break", 0.25, True), ("return", 0.05, False))
    for text, prior in (("True", 0.15), ("False", 0.15), ("None", 0.1), ("[]", 0.1), ("0", 0.1)):
        yield f"return {text}", prior, False
    yield from _list_repetitions(s)


def _list_resets(s: Scope, name: str) -> Iterator[tuple[str, float, bool]]:
    """A count that goes on or begins again, a list or text that is emptied."""
    kinds = s.hints.kinds.get(name, frozenset())
    if not kinds or NUMBER in kinds:
        for text, prior in (
            (f"{name} += 1", 0.35),
            (f"{name} -= 1", 0.25),
            (f"{name} = 0", 0.14),
            (f"{name} = 1", 0.08),
        ):
            yield text, prior, True
    if not kinds or ITEMS in kinds:
        yield f"{name} = []", 0.1, True
    if not kinds or TEXT in kinds:
        yield f"{name} = ''", 0.1, True


def _list_updates(s: Scope, name: str, used: set[str], is_unfilled: bool) -> Iterator[tuple[str, float, bool]]:
    """What changes a name by another one: an assignment, a sum, a method that is ``used`` elsewhere and adds an element."""
    kinds = s.hints.kinds.get(name, frozenset())
    is_filled = is_unfilled or kinds & {ITEMS, SET, DICT} or not kinds or kinds - {NUMBER, TEXT, TRUTH}
    for other in s.values:
        if name == other:
            continue
        alike = 1.0 if s.name_may_be(other, kinds) else 0.1
        yield f"{name} = {other}", 0.2 * alike, False
        if not kinds or NUMBER in kinds:
            for op, prior in (("+=", 0.18), ("-=", 0.14), ("*=", 0.1), ("//=", 0.08)):
                yield f"{name} {op} {other}", prior * alike, False
        for method, prior in _GROWS.items() if is_filled else ():
            if method in used and name not in list_only_read(s):
                yield f"{name}.{method}({other})", prior * (1.3 if is_unfilled else 0.7), False


def _list_fillings(s: Scope, name: str, used: set[str], unfilled: dict[str, str]) -> Iterator[tuple[str, float, bool]]:
    """What adds an element to a collection where nothing in the function does."""
    kinds = s.hints.kinds.get(name, frozenset())
    if (kinds & {ITEMS, SET} or name in unfilled) and not used & {"append", "add"} and name not in list_only_read(s):
        method = "append" if ITEMS in (kinds or {unfilled.get(name, ITEMS)}) else "add"
        for other in s.values:
            if other != name:
                yield f"{name}.{method}({other})", 0.5 if name in unfilled else 0.2, False


def _list_rearrangements(s: Scope, name: str) -> Iterator[tuple[str, float, bool]]:
    kinds = s.hints.kinds.get(name, frozenset())
    if kinds & {ITEMS}:
        if name not in list_only_read(s):
            yield f"{name}.pop()", 0.12, False
            yield f"{name}.sort()", 0.14, False
        yield f"{name} = sorted({name})", 0.12, False
    if kinds & {TEXT}:
        yield f"{name} = {name}.lower()", 0.1, False


def _list_repetitions(s: Scope) -> Iterator[tuple[str, float, bool]]:
    """The short statements that the function has elsewhere."""
    for node in s.order:
        if isinstance(node, ast.Expr | ast.Assign | ast.AugAssign | ast.Return) and node not in s.frozen:
            text = s.text_of(node)
            is_constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if "\n" not in text and len(text) < 80 and not is_constant:
                yield text, 0.22, False


def propose_guards(s: Scope, node: ast.AST) -> Iterator[Change]:
    """A base case is missing: ``if n <= 1: return n`` before the recursion; a condition is missing around a statement."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
        yield from _propose_base_cases(s, node)
    elif isinstance(node, ast.Expr | ast.AugAssign | ast.Assign) and not isinstance(s.parents[node], ast.Module):
        yield from _propose_condition_around(s, node)


def _propose_base_cases(s: Scope, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Change]:
    first = next((b for b in node.body if not (isinstance(b, ast.Expr) and s.is_doc(b.value))), node.body[-1])
    indent = s.read_indent(first)
    if indent is None:
        return
    names = tuple(a.arg for a in node.args.args if a.arg != "self")
    recursive = any(
        isinstance(n, ast.Call) and getattr(n.func, "id", getattr(n.func, "attr", "")) == node.name
        for n in ast.walk(node)
    )
    gives_value = any(isinstance(n, ast.Return) and n.value is not None for n in ast.walk(node))
    values = tuple(_list_base_values(names)) if gives_value or not recursive else (("", 1.0),)
    if _tells_truth(node):
        values = (("False", 1.0), ("True", 0.9))
    at = s.find_line_span(first)[0]
    weight = 1.0 if recursive else 0.45
    cases = _list_cases(node) if recursive else frozenset()
    for test, prior in list_tests(s, names):
        if prior < 0.1:
            continue
        prior = max(prior, BESIDE) if test in cases else prior
        alike = 1.0 if not cases else 1.8 if test in cases else 0.6
        alike *= ASKED_FOR if test.startswith("not ") and test[4:] in s.hints.empty else 1.0
        for value, likely in values:
            ends = f"return {value}".rstrip()
            yield Change(
                ((at, at, f"{indent}if {test}:\n{indent}    {ends}\n"),),
                prior * alike * likely * weight,
                node.lineno,
                f"`{node.name}` lacks the case `if {test}: {ends}`",
            )


def _propose_condition_around(s: Scope, node: ast.Expr | ast.AugAssign | ast.Assign) -> Iterator[Change]:
    indent = s.read_indent(node)
    if indent is None or s.is_doc(node.value) or not list_unbound(s).isdisjoint(list_names(node)):
        return  # what reads a name that nothing binds would only be kept from running
    start, end, _ = s.find_line_span(node)
    body = "".join(f"    {line}" for line in s.text[start:end].splitlines(keepends=True))
    for test, prior in list_own_tests(s):
        if prior >= 0.2:
            yield Change(
                ((start, end, f"{indent}if {test}:\n{body}"),),
                prior * 0.35,
                node.lineno,
                f"`{s.text_of(node).splitlines()[0]}` lacks the condition `{test}`",
            )


def _list_cases(node: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    """The tests like a base case that the function has: ``n == 1`` beside ``if n == 0: return 0``."""
    found: set[str] = set()
    for case in node.body:
        if isinstance(case, ast.If) and isinstance(case.body[0], ast.Return) and isinstance(case.test, ast.Compare):
            left, op, right = case.test.left, case.test.ops[0], case.test.comparators[0]
            number = right.value if isinstance(right, ast.Constant) else None
            if isinstance(left, ast.Name) and isinstance(op, ast.Eq) and type(number) is int:
                found |= {f"{left.id} == {number + step}" for step in (1, -1)}
    return frozenset(found)


def _tells_truth(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether every result of a function is yes or no: then a missing one is no number and no list."""
    results = [n.value for n in ast.walk(node) if isinstance(n, ast.Return)]
    return bool(results) and all(
        isinstance(r, ast.Compare)
        or (isinstance(r, ast.UnaryOp) and isinstance(r.op, ast.Not))
        or (isinstance(r, ast.Constant) and isinstance(r.value, bool))
        for r in results
    )


def _list_base_values(names: tuple[str, ...]) -> Iterator[tuple[str, float]]:
    for name in names:
        yield name, 0.8
    yield from (
        ("1", 0.9),
        ("0", 0.9),
        ("[]", 0.7),
        ("''", 0.5),
        ("None", 0.3),
        ("True", 0.5),
        ("False", 0.6),
        ("-1", 0.3),
        ("{}", 0.2),
        ("[[]]", 0.3),
    )
    for name in names:
        yield f"[{name}]", 0.3


def _list_inner_names(function: ast.AST) -> set[str]:
    """Names that only comprehensions bind: outside of them they are not there."""
    targets = [c.target for c in ast.walk(function) if isinstance(c, ast.comprehension)]
    inner = {id(n) for target in targets for n in ast.walk(target)}
    names = [n for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    outer = {n.id for n in names if id(n) not in inner} | {a.arg for a in ast.walk(function) if isinstance(a, ast.arg)}
    return {n.id for n in names if id(n) in inner} - outer


def _list_to_return(s: Scope, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    """What a function may be to give back: a name, and what its last statement sets of an object (``self.balance += amount``)."""
    inner = _list_inner_names(function)
    elsewhere: set[str] = set()
    if isinstance(s.parents.get(function), ast.ClassDef):  # another method's names are not there
        elsewhere = list_defined_names(s.tree) - list_defined_names(function) - s.hints.outside - {*s.hints.nearby}
        match function.body[-1]:
            case ast.AugAssign(target=ast.Attribute() as target) | ast.Assign([ast.Attribute() as target]):
                yield s.text_of(target)
    yield from (n for n in s.values if n not in inner and n not in elsewhere)


def propose_missing_return(s: Scope, node: ast.AST) -> Iterator[Change]:
    """A function that ends without returning what it made; a local name that is bound only on some paths."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or s.read_indent(node.body[-1]) is None:
        return
    end, indent = s.find_line_span(node.body[-1])[1], s.read_indent(node.body[-1])
    pad = "" if s.text[:end].endswith("\n") else "\n"
    if not isinstance(node.body[-1], ast.Return) and node.name != "__init__":
        for name in _list_to_return(s, node):
            yield Change(
                ((end, end, f"{pad}{indent}return {name}\n"),),
                0.6,
                node.body[-1].lineno,
                f"`{node.name}` does not return `{name}`",
            )
    first = node.body[0]
    at = s.find_line_span(first)[0]
    if s.read_indent(first) is None:
        return
    for name in s.values:
        targets = [n for n in ast.walk(node) if isinstance(n, ast.AugAssign) and getattr(n.target, "id", "") == name]
        if targets:
            for value, prior in (("0", 0.4), ("1", 0.2), ("[]", 0.2), ("''", 0.2)):
                yield Change(
                    ((at, at, f"{indent}{name} = {value}\n"),), prior, first.lineno, f"`{name}` has no first value"
                )
            yield Change(((at, at, f"{indent}global {name}\n"),), 0.3, first.lineno, f"`{name}` is the global one")
    yield from _propose_own_default(s, node, at, str(indent))


def _propose_own_default(
    s: Scope, node: ast.FunctionDef | ast.AsyncFunctionDef, at: int, indent: str
) -> Iterator[Change]:
    """A list or dict as default is shared by all calls."""
    names = [a.arg for a in node.args.args][len(node.args.args) - len(node.args.defaults) :]
    for name, default in zip(names, node.args.defaults, strict=False):
        if isinstance(default, ast.List | ast.Dict | ast.Set | ast.Call):
            text = f"{indent}if {name} is None:\n{indent}    {name} = {s.text_of(default)}\n"
            yield Change(
                (s.replace_node(default, "None"), (at, at, text)),
                0.7,
                node.lineno,
                f"the default of `{name}` is shared by all calls",
            )


OPERATORS = (propose_insertions, propose_guards, propose_missing_return, propose_first_value)
