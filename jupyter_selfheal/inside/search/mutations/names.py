"""Mutation operators over names: another variable, attribute, method, function, key or argument."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from jupyter_selfheal.inside.search.mutations.senseless_code import is_kept_uncalled
from jupyter_selfheal.inside.search.scope import DICT, FUNCTIONS, Change, Scope
from jupyter_selfheal.inside.tree_names import read_called_name

_GROUPS = (
    ("min", "max"), ("any", "all"), ("floor", "ceil", "round", "trunc"), ("sum", "len", "max", "min"), ("sorted", "reversed", "list", "set"),
    ("int", "float", "round", "str"), ("list", "tuple", "set"), ("ord", "chr"), ("sin", "cos", "tan"), ("bin", "hex", "oct"),
    ("log", "log2", "log10", "exp"), ("mean", "median", "sum", "std", "var"), ("map", "filter"), ("zip", "enumerate", "range"),
    ("argmin", "argmax"), ("nlargest", "nsmallest"), ("product", "permutations", "combinations"), ("heappush", "heappop"),
    ("isinstance", "issubclass"), ("append", "extend", "add", "insert"), ("update", "add"), ("pop", "remove", "popleft", "discard"),
    ("append", "appendleft"), ("lower", "upper", "title", "capitalize", "swapcase"), ("islower", "isupper"),
    ("isdigit", "isalpha", "isalnum", "isnumeric", "isdecimal", "isspace", "islower", "isupper"), ("strip", "lstrip", "rstrip"), ("find", "rfind", "index", "count"),
    ("startswith", "endswith"), ("union", "intersection", "difference", "symmetric_difference", "update"), ("issubset", "issuperset"),
    ("keys", "values", "items"), ("split", "rsplit", "splitlines"), ("ljust", "rjust", "center", "zfill"), ("join", "split"),
    ("head", "tail"), ("idxmin", "idxmax"), ("cumsum", "cumprod"), ("get", "pop", "setdefault"), ("sort", "reverse"), ("isin", "eq"),
    ("first", "last"), ("abs", "int"), ("bool", "int"), ("sqrt", "abs"), ("gcd", "lcm"), ("prod", "sum"), ("bisect_left", "bisect_right"),
)  # fmt: skip
_BASES = ("base", "bin", "bits", "hex", "oct", "radix", "digit")
"""Where nothing in a program speaks of these, its texts are no numbers of another base."""
IDLE = 0.3
"""What remains of the weight of an edit that leaves a statement which does nothing."""
KEPT = 0.2
"""What remains of the weight of another value where the two names are the same as it is."""
NEAR: dict[str, tuple[str, ...]] = {}
for _group in _GROUPS:
    for _name in _group:
        NEAR[_name] = tuple(dict.fromkeys([*NEAR.get(_name, ()), *(o for o in _group if o != _name)]))


_COMMON = (
    "len", "range", "sum", "min", "max", "sorted", "abs", "set", "list", "int", "str", "isinstance", "enumerate", "any", "all",
    "round", "tuple", "float", "reversed", "zip", "dict", "ord", "chr", "bool", "map", "filter",
)  # fmt: skip
_METHODS = (
    "join", "split", "append", "extend", "lower", "upper", "strip", "replace", "count", "index", "find", "pop", "get", "items",
    "keys", "values", "startswith", "endswith", "isdigit", "isalpha", "isupper", "islower", "swapcase", "add", "insert", "copy",
)  # fmt: skip
"""What is called most in plain Python: tried in place of any other call, after everything likelier."""


_REDUCTIONS = frozenset(
    {"sum", "mean", "median", "std", "var", "prod", "min", "max", "idxmin", "idxmax", "argmin", "argmax", "any", "all"}
)
"""Methods of tables and arrays that give one value a column, or one in all: with ``axis=1`` one a row."""

_IN_PLACE = frozenset({"append", "appendleft", "extend", "insert", "add", "update", "remove", "discard"})
"""Methods that put what they are given into what they are called on."""
_UNLIKELY = frozenset(
    {("sorted", "list"), ("sorted", "set"), ("len", "max"), ("len", "min"), ("max", "sum"), ("min", "sum")}
) | {(middle, spread) for middle in ("sum", "mean", "median") for spread in ("std", "var")}
"""Near by name, and seldom meant: who writes ``sorted`` wants an order, who writes ``len`` a number of items, who writes ``max`` one of them, and
who adds up no spread."""


def propose_variables(s: Scope, node: ast.AST) -> Iterator[Change]:
    """Another name in scope: the wrong variable is read, returned, or assigned."""
    if not isinstance(node, ast.Name) or isinstance(node.ctx, ast.Del):
        return
    parent = s.parents[node]
    called = isinstance(parent, ast.Call) and node is parent.func
    kinds = s.infer_kinds(node)
    holds = isinstance(parent, ast.Attribute) and isinstance(node.ctx, ast.Load)
    for name in s.callables if called else (*s.values, *s.modules) if holds else s.values:
        if name == node.id:
            continue
        prior = 0.6 if isinstance(node.ctx, ast.Load) else 0.5 if isinstance(parent, ast.AugAssign) else 0.2
        if isinstance(parent, FUNCTIONS | ast.comprehension | ast.For) and isinstance(node.ctx, ast.Store):
            prior = 0.08
        prior *= 1.0 if s.name_may_be(name, kinds) else 0.2
        if called and node.id in s.functions:
            prior *= 0.3  # a function that calls itself, or one beside it, is meant
        if _is_kept_by_name(s, node):
            prior *= KEPT
        if name in s.hints.nearby:
            prior *= 0.4  # a variable of another cell, of which this one says nothing
        yield Change((s.replace_node(node, name),), prior, node.lineno, f"`{node.id}` should be `{name}`")
    if called:
        near = NEAR.get(node.id, ())
        for other in (*near, *(name for name in _COMMON if name not in near)):
            if other == node.id:
                continue
            is_cut = (node.id, other) == ("int", "round") and _is_part_of_bound(s, node)
            prior = 0.3 if is_cut or (node.id, other) in _UNLIKELY else 0.75 if other in near else 0.1
            yield Change((s.replace_node(node, other),), prior, node.lineno, f"`{node.id}` should be `{other}`")
        if len(_list_uses(s, node.id)) > 1 and node.id in ("min", "max"):
            swap = {"min": "max", "max": "min"}
            edits = tuple(s.replace_node(n, swap[n.id]) for n in s.order if isinstance(n, ast.Name) and n.id in swap)
            yield Change(edits, 0.3, node.lineno, "`min` and `max` are exchanged")


def _is_part_of_bound(s: Scope, node: ast.AST) -> bool:
    """True within what ``range`` is given: a bound is cut off, and seldom rounded."""
    while isinstance(parent := s.parents.get(node), ast.expr):
        if read_called_name(parent) == "range":
            return True
        node = parent
    return False


def _is_kept_by_name(s: Scope, node: ast.Name) -> bool:
    """True for the value of ``self.width = width`` and ``f(width=width)``."""
    parent = s.parents[node]
    if isinstance(parent, ast.keyword):
        return parent.arg == node.id
    target = parent.targets[0] if isinstance(parent, ast.Assign) and node is parent.value else None
    return isinstance(target, ast.Attribute) and target.attr == node.id


def _list_uses(s: Scope, name: str) -> list[ast.Name]:
    return [n for n in s.order if isinstance(n, ast.Name) and n.id == name and n not in s.frozen]


def propose_everywhere(s: Scope, node: ast.AST) -> Iterator[Change]:
    """One name read wrongly everywhere inside a statement: replaced in all of them at once."""
    if not isinstance(node, ast.stmt) or hasattr(node, "body"):
        return
    uses: dict[str, list[ast.Name]] = {}
    for child in ast.walk(node):
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load) and child not in s.frozen:
            uses.setdefault(child.id, []).append(child)
    for name, users in uses.items():
        if len(users) < 2 or name not in s.values:
            continue
        for other in s.values:
            if other != name and s.name_may_be(other, s.infer_kinds(users[0])):
                edits = tuple(s.replace_node(n, other) for n in users)
                yield Change(edits, 0.15, node.lineno, f"`{name}` should be `{other}`")


def propose_attributes(s: Scope, node: ast.AST) -> Iterator[Change]:
    """Another attribute or method: from the table of near methods, else one that is used elsewhere."""
    if not isinstance(node, ast.Attribute):
        return
    parent = s.parents[node]
    called = isinstance(parent, ast.Call) and node is parent.func
    start, end = s.end_of(node) - len(node.attr), s.end_of(node)
    near = NEAR.get(node.attr, ())
    for name in near:
        prior = 0.15 if (node.attr, name) in _UNLIKELY else 0.6
        yield Change(((start, end, name),), prior, node.lineno, f"`.{node.attr}` should be `.{name}`")
    for name in _METHODS if called else ():
        if name != node.attr and name not in near and name not in s.attributes:
            yield Change(((start, end, name),), 0.08, node.lineno, f"`.{node.attr}` should be `.{name}`")
    for name in s.attributes:
        if name != node.attr and name not in near:
            alike = name.split("_")[-1] == node.attr.split("_")[-1] or name.split("_")[0] == node.attr.split("_")[0]
            yield Change(
                ((start, end, name),), 0.5 if alike else 0.25, node.lineno, f"`.{node.attr}` should be `.{name}`"
            )
    if called:
        assert isinstance(parent, ast.Call)
        text = s.text_of(node.value)
        prior = 0.35 * (IDLE if isinstance(s.parents.get(parent), ast.Expr) else 1)
        yield Change((s.replace_node(parent, text),), prior, node.lineno, f"`.{node.attr}()` is too many")
        if isinstance(s.parents.get(parent), ast.Expr) and len(parent.args) == 1 and node.attr in _IN_PLACE:
            whole = (s.start_of(parent), s.end_of(parent), f"{text} = {s.text_of(parent.args[0])}")
            yield Change((whole,), 0.1, node.lineno, f"`{text}` must be replaced, not changed in place")
    else:
        yield Change((s.replace_node(node, s.text_of(node.value)),), 0.15, node.lineno, f"`.{node.attr}` is too many")
        if isinstance(node.ctx, ast.Load):
            kept = isinstance(parent, ast.Expr) or is_kept_uncalled(s, node)
            edit, words = s.replace_node(node, f"{s.text_of(node)}()"), f"`.{node.attr}` is not called"
            yield Change((edit,), 0.9 if kept else 0.15, node.lineno, words, "senseless" if kept else "guess")
            if s.is_in_loop(node) or isinstance(parent, ast.Assign):
                yield Change(
                    (s.replace_node(node, f"{s.text_of(node)}.{node.attr}"),),
                    0.1,
                    node.lineno,
                    f"`.{node.attr}` is missing once",
                )


def propose_calls(s: Scope, node: ast.AST) -> Iterator[Change]:
    """Arguments exchanged, missing or too many; a call too many; a keyword's value turned round; the same call again."""
    if not isinstance(node, ast.Call):
        return
    args, callee = node.args, s.text_of(node.func)
    for i in range(len(args)):
        for j in range(i + 1, len(args)):
            edits = (s.replace_node(args[i], s.text_of(args[j])), s.replace_node(args[j], s.text_of(args[i])))
            yield Change(edits, 0.65, node.lineno, f"arguments {i + 1} and {j + 1} of `{callee}` are exchanged")
    if len(args) >= 3:
        for turn in (1, -1):
            turned = tuple(s.replace_node(a, s.text_of(args[(n + turn) % len(args)])) for n, a in enumerate(args))
            yield Change(turned, 0.15, node.lineno, f"the arguments of `{callee}` are in the wrong order")
    if len(args) == 1 and not node.keywords and not isinstance(args[0], ast.Starred):
        prior = 0.45 * (IDLE if isinstance(s.parents.get(node), ast.Expr) else 1)
        yield Change((s.replace_node(node, s.text_of(args[0])),), prior, node.lineno, f"`{callee}()` is too many")
    if len(args) == 1 and isinstance(node.func, ast.Attribute) and not node.keywords:
        words = f"argument `{s.text_of(args[0])}` of `{callee}` is too many"
        yield Change(((s.start_of(node), s.end_of(node), f"{callee}()"),), 0.25, node.lineno, words)
    for n in range(len(args)):
        if len(args) + len(node.keywords) > 1:
            rest = [s.text_of(a) for k, a in enumerate(args) if k != n] + [s.text_of(k) for k in node.keywords]
            yield Change(
                ((s.start_of(node), s.end_of(node), f"{callee}({', '.join(rest)})"),),
                0.2,
                node.lineno,
                f"argument `{s.text_of(args[n])}` of `{callee}` is too many",
            )
    if len(args) == 1 and callee == "zip" and not isinstance(args[0], ast.Starred):
        at = s.start_of(args[0])
        yield Change(
            ((at, at, "*"),), 0.8, node.lineno, f"`{callee}` is to go through the parts of `{s.text_of(args[0])}`"
        )
    for keyword in node.keywords:
        if keyword.arg and keyword is node.keywords[0]:
            edit = s.start_of(keyword), s.end_of(keyword), s.text_of(keyword.value)
            yield Change((edit,), 0.5, node.lineno, f"`{keyword.arg}` is given by its place")
        if keyword.arg in ("size", "shape"):
            continue  # one number for many runs nearly everywhere, and is another simulation
        rest = [s.text_of(a) for a in args] + [s.text_of(k) for k in node.keywords if k is not keyword]
        yield Change(
            ((s.start_of(node), s.end_of(node), f"{callee}({', '.join(rest)})"),),
            0.25,
            node.lineno,
            f"`{s.text_of(keyword)}` is too many",
        )
    yield from _propose_more_arguments(s, node, callee)


def _propose_more_arguments(s: Scope, node: ast.Call, callee: str) -> Iterator[Change]:
    """An argument more at the end of a call, or before the only one of ``range``."""
    end = s.end_of(node) - 1
    if any(isinstance(a, ast.GeneratorExp) for a in node.args):
        yield from _propose_default(s, node, callee)
        return
    comma = ", " if node.args or node.keywords else ""
    if s.text[:end].rstrip().endswith(","):
        comma = " "
    name = read_called_name(node)
    if name in _REDUCTIONS and isinstance(node.func, ast.Attribute) and not (node.args or node.keywords):
        yield Change(((end, end, "axis=1"),), 0.5, node.lineno, f"`{callee}` lacks `axis=1`")
    for text, prior in _list_order_keywords(s, name, node):
        yield Change(((end, end, comma + text),), prior, node.lineno, f"`{callee}` lacks `{text}`")
    if name in _TAKES_MORE or name in s.functions or not node.args:
        for text, prior in _list_further_arguments(s, name):
            yield Change(((end, end, comma + text),), prior, node.lineno, f"`{callee}` lacks the argument `{text}`")
    if name == "range" and len(node.args) == 1:
        at = s.start_of(node.args[0])
        for text in ["1", "2", *s.values]:
            prior = 0.4 if text == "1" else 0.15
            yield Change(((at, at, text + ", "),), prior, node.lineno, f"`range` should begin at `{text}`")


_KEYS = ("len", "abs", "str", "str.lower", "lambda x: x[1]", "lambda x: x[0]", "lambda x: -x", "lambda x: (len(x), x)")
_DEFAULTS = (("0", 0.4), ("None", 0.3), ("-1", 0.15), ("1", 0.1), ("''", 0.1))
_TAKES_MORE = frozenset(
    {"range", "get", "pop", "round", "sum", "enumerate", "split", "next", "dict", "int", "getattr"}
    | {"sub", "findall", "search", "match", "strptime", "isinstance"}
)
_USUAL_ARGUMENTS = {
    "get": ("0", "[]", "''", "1"), "round": ("2", "1"), "enumerate": ("1",), "pop": ("0",), "int": ("2", "10", "16"), "range": ("-1", "2"),
    "split": ("' '", "','", "', '", "'\\n'", "'.'", "'-'"), "next": ("None",),
}  # fmt: skip
"""By function, what it is often given beside what it must be given."""


_ASCENDING = frozenset({"sort_values", "sort_index", "rank"})


def _list_order_keywords(s: Scope, name: str, node: ast.Call) -> Iterator[tuple[str, float]]:
    """The keywords that a call of ``sorted``, ``sort``, ``min`` or ``max``, or of what puts a table in order, does not have, with how
    likely each is."""
    if name in _ASCENDING and isinstance(node.func, ast.Attribute) and all(k.arg != "ascending" for k in node.keywords):
        yield "ascending=False", 0.45
    if name not in ("sorted", "sort", "min", "max"):
        return
    used, picks_one = {k.arg for k in node.keywords}, name in ("min", "max")
    if not picks_one and "reverse" not in used:
        yield "reverse=True", 0.45
    if "key" not in used:
        yield from ((f"key={key}", 0.25) for key in _KEYS)
        if picks_one and len(node.args) == 1 and isinstance(node.args[0], ast.Name) and s.may_be(node.args[0], DICT):
            yield f"key={node.args[0].id}.get", 0.95
    if picks_one and len(node.args) == 1 and "default" not in used:
        yield from ((f"default={value}", prior) for value, prior in _DEFAULTS)


def _list_further_arguments(s: Scope, name: str) -> Iterator[tuple[str, float]]:
    """What a function may be given at the end: what is usual there, and the values at hand."""
    usual = [*_USUAL_ARGUMENTS.get(name, ()), *(map(repr, s.described_strings) if name == "split" else ())]
    unsaid = name == "int" and not any(word in s.text.lower() for word in _BASES)
    for text in dict.fromkeys([*usual, *s.values]):
        yield text, 0.03 if unsaid else 0.35 if text in usual else 0.15


def _propose_default(s: Scope, node: ast.Call, callee: str) -> Iterator[Change]:
    """``max((x for x in a), default=0)``: a generator that may give nothing."""
    if callee in ("min", "max") and len(node.args) == 1 and not node.keywords:
        inner = s.text[s.end_of(node.func) : s.end_of(node)]
        for value, prior in (("0", 0.4), ("None", 0.3), ("-1", 0.15)):
            whole = (s.end_of(node.func), s.end_of(node), f"({inner}, default={value})")
            yield Change((whole,), prior, node.lineno, f"`{callee}` lacks `default={value}`")


def propose_keys(s: Scope, node: ast.AST) -> Iterator[Change]:
    """``x[0]`` for ``x[-1]``, another index of the function, two indices exchanged, an index too many."""
    if not isinstance(node, ast.Subscript):
        return
    index = node.slice
    value = ast.unparse(index) if isinstance(index, ast.UnaryOp | ast.Constant) else ""
    for old, new in (("0", "-1"), ("-1", "0"), ("1", "-1"), ("-1", "-2"), ("0", "1"), ("1", "0"), ("-1", "1")):
        if value == old:
            yield Change((s.replace_node(index, new),), 0.55, node.lineno, f"index `{old}` should be `{new}`")
    if isinstance(index, ast.Tuple) and len(index.elts) == 2:
        a, b = index.elts
        yield Change(
            (s.replace_node(a, s.text_of(b)), s.replace_node(b, s.text_of(a))),
            0.5,
            node.lineno,
            f"the indices of `{s.text_of(node)}` are exchanged",
        )
    if isinstance(node.value, ast.Subscript) and not isinstance(index, ast.Slice):
        inner = node.value.slice
        if not isinstance(inner, ast.Slice):
            yield Change(
                (s.replace_node(inner, s.text_of(index)), s.replace_node(index, s.text_of(inner))),
                0.45,
                node.lineno,
                f"the indices of `{s.text_of(node)}` are exchanged",
            )
    if isinstance(node.ctx, ast.Load):
        yield Change(
            (s.replace_node(node, s.text_of(node.value)),),
            0.25,
            node.lineno,
            f"`{s.text_of(node)}` should be `{s.text_of(node.value)}`",
        )
    if isinstance(index, ast.Slice):
        yield from _propose_slices(s, node, index)


def _propose_slices(s: Scope, node: ast.Subscript, index: ast.Slice) -> Iterator[Change]:
    parts = [s.text_of(p) if p is not None else "" for p in (index.lower, index.upper, index.step)]
    others: list[tuple[list[str], float]] = [([parts[1], parts[0], parts[2]], 0.35)]
    for n in range(3):
        if parts[n]:
            others.append(([p if k != n else "" for k, p in enumerate(parts)], 0.3))
    if not parts[2]:
        others += [([parts[0], parts[1], "-1"], 0.4), ([parts[0], parts[1], "2"], 0.2)]
    elif parts[2] in ("-1", "2"):
        others.append(([parts[0], parts[1], {"-1": "1", "2": "-1"}[parts[2]]], 0.2))
    if not parts[0]:
        others += [([t, parts[1], parts[2]], 0.35 if t == "1" else 0.2) for t in ("1", *s.values)]
    if not parts[1]:
        others += [([parts[0], t, parts[2]], 0.35 if t == "-1" else 0.2) for t in ("-1", *s.values)]
    head = s.text_of(node.value)
    for (a, b, c), prior in others:
        if not a + b + c:
            continue  # leaving the slice out says the same
        text = f"{head}[{a}:{b}{':' + c if c else ''}]"
        yield Change(
            ((s.start_of(node), s.end_of(node), text),), prior, node.lineno, f"`{s.text_of(node)}` should be `{text}`"
        )
