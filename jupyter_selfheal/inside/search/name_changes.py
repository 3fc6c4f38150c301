"""Names that nothing binds, and builtins that are read as what they are not."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator

from jupyter_selfheal.inside.positions import LineTable
from jupyter_selfheal.inside.search.reading_changes import find_span, is_call
from jupyter_selfheal.inside.search.scope import Change
from jupyter_selfheal.inside.tree_names import CONSTANTS, list_defined_names, walk

NAMES = 8
"""Names that are tried in place of one that nothing binds."""
PYTHON2 = {
    "raw_input": "input",
    "xrange": "range",
    "unicode": "str",
    "long": "int",
    "length": "len",
    "strlen": "len",
    "size": "len",
}
"""Builtins of Python 2 and of other languages that a student's program prints or reads by, and what they are called here."""
PRINTS = frozenset(
    {"printf", "println", "System.out.println", "System.out.print", "console.log", "echo", "puts", "Console.WriteLine"}
)
"""What prints in another language."""
SPELT = ("print", "input", "range", "round", "float", "int", "str", "len", "list", "reversed", "sorted", "sum")
"""Builtins that a name may be another spelling of."""
CALLED = frozenset(
    {"print", "input", "range", "round", "float", "int", "str", "len", "sum", "max", "min", "abs", "sorted", "reversed"}
)
"""Builtins of which no item is taken."""
COLLECTIONS = frozenset({"dict", "input", "list", "range", "raw_input", "sorted", "str", "tuple"})
"""Builtins that give what has items."""
METHODS = frozenset(name for kind in (list, str, dict, set) for name in dir(kind) if not name.startswith("_"))
"""Methods of Python's own collections and texts: no item is taken of one."""
_SLOT = re.compile(r"\{[^\W\d]\w*\}")
_SAID: dict[type, str] = {ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in"}
ALIKE = 0.8
"""Likeness of two names from which one may be a slip for the other."""
SURE = 0.6
"""Prior from which a name that nothing binds is another one, though nothing that ran shows it."""


def list_name_changes(tree: ast.AST, table: LineTable, known: frozenset[str]) -> Iterator[Change]:
    """A name that nothing binds: another one, the likest first, in all places at once; a text of the same letters."""
    read = [n for n in walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    stored = [n.id for n in walk(tree) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
    bound = [*stored, *(n.arg for n in walk(tree) if isinstance(n, ast.arg))]
    there = {*bound, *list_defined_names(tree), *known, *dir(builtins)}
    used = {n.id for n in read}
    for name in dict.fromkeys(n.id for n in read if n.id not in there):
        places = [n for n in read if n.id == name]
        if name in CONSTANTS:
            edits = tuple((*find_span(n, table), CONSTANTS[name]) for n in places)
            yield Change(edits, 0.95, places[0].lineno, f"`{name}` is `{CONSTANTS[name]}`", kind="name")
        for meant in _list_near_builtins(name):
            edits = tuple((*find_span(n, table), meant) for n in places)
            yield Change(edits, 0.8, places[0].lineno, f"`{name}` is `{meant}`", kind="name")
        others = sorted(dict.fromkeys(bound), key=lambda o: (o in used, -measure_name_likeness(name, o)))[:NAMES]
        for other in others:
            edits = tuple((*find_span(n, table), other) for n in places)
            prior = 0.3 + 0.4 * measure_name_likeness(name, other) + (0.0 if other in used else 0.1)
            yield Change(edits, min(prior, 0.9), places[0].lineno, f"`{name}` is `{other}`", kind="name")
    yield from _quote_prose(tree, table, there)
    yield from _mend_all_names(read, sorted(set(bound)), there, table)
    idle = [n for n in walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id not in used]
    for target in idle:
        for name in sorted(used - there):
            start, end = find_span(target, table)
            yield Change(((start, end, name),), 0.5, target.lineno, f"`{target.id}` is read as `{name}`", kind="name")
        for name in sorted(
            n for n in used - {target.id} if n in bound and measure_name_likeness(target.id, n) >= ALIKE
        ):
            words = f"`{target.id}` is never read, and stands for `{name}`"
            yield Change(((*find_span(target, table), name),), 0.5, target.lineno, words)
    yield from _write_prints(tree, table)
    yield from _use_bound(read, idle, table)
    yield from _call_subscripted(read, tree, table, known)
    yield from _take_items(tree, table)


def _quote_prose(tree: ast.AST, table: LineTable, there: set[str]) -> Iterator[Change]:
    """``print(a is greater)`` as ``print(a, "is greater")``, ``print(not found)`` as ``print("not found")``: words that happen to be Python, the last of
    which nothing binds; in all places at once."""
    edits: list[tuple[int, int, str]] = []
    line = 0
    for call in (n for n in walk(tree) if is_call(n, "print") and isinstance(n, ast.Call)):
        for value in call.args:
            match value:
                case ast.Compare(left, [op], [ast.Name(name)]) if isinstance(
                    op, ast.Is | ast.IsNot | ast.In | ast.NotIn
                ):
                    start = find_span(left, table)[1]
                    said = f', "{_SAID[type(op)]} {name}"'
                case ast.UnaryOp(ast.Not(), ast.Name(name)):
                    start, said = find_span(value, table)[0], f'"not {name}"'
                case _:
                    continue
            if name not in there:
                edits.append((start, find_span(value, table)[1], said))
                line = line or call.lineno
    if edits:
        yield Change(
            tuple(sorted(edits)), 0.85, line, "the quotes around words that are printed are missing", kind="name"
        )


def _mend_all_names(read: list[ast.Name], bound: list[str], there: set[str], table: LineTable) -> Iterator[Change]:
    """Several names that nothing binds, each as the one that is nearest to it: one after the other the cell fails as before until the last of them."""
    meant: dict[str, str] = {}
    for name in dict.fromkeys(n.id for n in read if n.id not in there):
        near = [CONSTANTS[name]] if name in CONSTANTS else _list_near_builtins(name)
        likely = [
            (measure_name_likeness(name, o), o)
            for o in bound
            if min(len(name), len(o)) > 2 or name.lower() == o.lower()
        ]
        likely = [pair for pair in likely if pair[0] >= ALIKE]
        if near or likely:
            meant[name] = near[0] if near else max(likely)[1]
    if len(meant) > 1:
        edits = sorted((*find_span(n, table), meant[n.id]) for n in read if n.id in meant)
        words = "; ".join(f"`{name}` is `{other}`" for name, other in meant.items())
        yield Change(tuple(edits), 0.9, 1, words, kind="name")


def _write_prints(tree: ast.AST, table: LineTable) -> Iterator[Change]:
    """``System.out.println(x)`` as ``print(x)``, ``printf("%d", n)`` as ``print("%d" % (n))``, in all places at once."""
    bound = list_defined_names(tree)
    edits: list[tuple[int, int, str]] = []
    words = ""
    for call in (n for n in walk(tree) if isinstance(n, ast.Call)):
        said = ast.unparse(call.func)
        if said not in PRINTS or said in bound:
            continue
        edits.append((*find_span(call.func, table), "print"))
        words = words or f"`{said}` is `print`"
        first, rest = (call.args[0], call.args[1:]) if call.args else (None, [])
        if isinstance(first, ast.Constant) and isinstance(first.value, str) and "%" in first.value and rest:
            start, end = find_span(first, table)[1], find_span(rest[0], table)[0]
            edits += [(start, end, " % ("), (find_span(call, table)[1], find_span(call, table)[1], ")")]
        elif isinstance(first, ast.Constant) and isinstance(first.value, str) and _SLOT.search(first.value):
            edits.append((*find_span(first, table)[:1] * 2, "f"))
    if edits:
        yield Change(tuple(sorted(edits)), 0.95, 1, words, kind="name")


def _list_near_builtins(name: str) -> list[str]:
    """Builtins of which a name is another spelling (``Input``, ``pritn``), or the name in Python 2."""
    import difflib

    if name in PYTHON2:
        return [PYTHON2[name]]
    swapped = {name[:n] + name[n + 1] + name[n] + name[n + 2 :] for n in range(len(name) - 1)} - {name}
    return difflib.get_close_matches(name.lower(), SPELT, n=1, cutoff=0.8) or [b for b in SPELT if b in swapped]


def list_sure_names(source: str, known: frozenset[str]) -> list[Change]:
    """The changes of names that nothing binds, and of builtins that are no collection, which are as sure where the code did not run; none
    where a module may bind any name."""
    tree = ast.parse(source)
    if any(isinstance(n, ast.ImportFrom) and n.names[0].name == "*" for n in walk(tree)):
        return []
    table = LineTable(source)
    changes = [*list_name_changes(tree, table, known), *_quote_printed(tree, table, known)]
    return sorted((c for c in changes if c.prior >= SURE), key=lambda c: -c.prior)


def _quote_printed(tree: ast.AST, table: LineTable, known: frozenset[str]) -> Iterator[Change]:
    """``print(Scalene)`` as ``print("Scalene")``: a word alone that nothing binds, where other lines print a text alone."""
    alone = [n.args[0] for n in walk(tree) if is_call(n, "print") and isinstance(n, ast.Call) and len(n.args) == 1]
    there = list_defined_names(tree) | known | set(dir(builtins))
    words = [n for n in alone if isinstance(n, ast.Name) and n.id not in there]
    if words and any(isinstance(n, ast.Constant) and isinstance(n.value, str) for n in alone):
        edits = tuple((*find_span(n, table), f'"{n.id}"') for n in words)
        yield Change(edits, SURE, words[0].lineno, f"`{words[0].id}` is a text")


def _call_subscripted(read: list[ast.Name], tree: ast.AST, table: LineTable, known: frozenset[str]) -> Iterator[Change]:
    """``str[total]`` as ``str(total)``, ``xs.append[x]`` as ``xs.append(x)``."""
    own = list_defined_names(tree) | known
    called = {id(n) for n in read if n.id in CALLED - own}
    attributes = [n for n in walk(tree) if isinstance(n, ast.Attribute)]
    stored = {n.attr for n in attributes if isinstance(n.ctx, ast.Store)} | list_defined_names(tree)
    stored |= {n.id for n in walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    called |= {id(n) for n in attributes if n.attr in METHODS - stored}
    for node in walk(tree):
        if isinstance(node, ast.Subscript) and id(node.value) in called and not isinstance(node.slice, ast.Slice):
            opened, end = find_span(node.value, table)[1], find_span(node, table)[1]
            edits = ((opened, find_span(node.slice, table)[0], "("), (end - 1, end, ")"))
            words = f"the brackets of `{ast.unparse(node.value)}` are of another kind"
            yield Change(edits, 0.85, node.lineno, words, kind="failing")


def _take_items(tree: ast.AST, table: LineTable) -> Iterator[Change]:
    """``s(i)`` as ``s[i]`` where ``s`` is set to what is no function, or goes through the items of that; all places of a name at once."""
    values: dict[str, list[ast.expr]] = {}
    through: dict[str, list[ast.expr]] = {}
    for node in walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            values.setdefault(node.targets[0].id, []).append(node.value)
        elif isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            through.setdefault(node.target.id, []).append(node.iter)
    defined = {n.name for n in walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    items = {name for name, given in values.items() if all(map(_has_items, given))} - defined
    items |= {
        name
        for name, given in through.items()
        if name not in values and all(_has_items(g) or (isinstance(g, ast.Name) and g.id in items) for g in given)
    } - defined
    places: dict[str, list[ast.Call]] = {}
    for node in walk(tree):
        match node:
            case ast.Call(ast.Name(name), [item], []) if name in items and not isinstance(item, ast.Starred):
                places.setdefault(name, []).append(node)
    for name, calls in places.items():
        edits: list[tuple[int, int, str]] = []
        for call in calls:
            end = find_span(call, table)[1]
            edits += [(find_span(call.func, table)[1], find_span(call.args[0], table)[0], "["), (end - 1, end, "]")]
        yield Change(
            tuple(sorted(edits)), 0.85, calls[0].lineno, f"the brackets of `{name}` are of another kind", kind="failing"
        )


def _has_items(value: ast.expr) -> bool:
    """Whether what a name is set to is surely no function."""
    match value:
        case ast.Call(ast.Name(name)):
            return name in COLLECTIONS
        case ast.Call(ast.Attribute(attr=name)):
            return name in METHODS
    return isinstance(value, ast.Constant | ast.List | ast.Dict | ast.ListComp | ast.DictComp | ast.JoinedStr)


def _use_bound(read: list[ast.Name], idle: list[ast.Name], table: LineTable) -> Iterator[Change]:
    """A builtin that is read as if it were a value, where a result is never read: ``print('Sum:', sum)``."""
    for node in read:
        if node.id in ("sum", "str", "max", "min", "len", "int", "float", "list", "id", "input", "type", "rev"):
            for target in idle:
                edit = (*find_span(node, table), target.id)
                yield Change((edit,), 0.2, node.lineno, f"`{node.id}` is `{target.id}`", kind="name")


def measure_name_likeness(one: str, two: str) -> float:
    """How alike two names are (0-1), whatever their case; one that begins with the other is nearly it."""
    import difflib

    if one.lower().startswith(two.lower()) or two.lower().startswith(one.lower()):
        return 0.9
    return difflib.SequenceMatcher(None, one.lower(), two.lower(), autojunk=False).ratio()
