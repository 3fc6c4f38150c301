"""ATT102: a method that another type, language or Python 2 has."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import ObjectInfo, Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.nodes import attributes_named
from jupyter_selfheal.model import Applicability, Patch

Write = Callable[[str, Sequence[str]], str]
"""(receiver's text, arguments' texts) → the expression, or an empty string where the arguments do not fit."""


def _method(name: str, count: int = -1) -> Write:
    return lambda r, a: f"{r}.{name}({', '.join(a)})" if count in (-1, len(a)) else ""


def _form(text: str, count: int) -> Write:
    return lambda r, a: text.format(*a, r=r) if len(a) == count else ""


def _slice(r: str, a: Sequence[str]) -> str:
    return f"{r}[{':'.join(a)}]" if len(a) == 2 else f"{r}[{a[0]}:]" if len(a) == 1 else ""


LENGTH = _form("len({r})", 0)
CONTAINS = _form("({0} in {r})", 1)

SIZED: dict[str, Write] = dict.fromkeys(("length", "len", "size", "Length", "Count", "getLength", "count"), LENGTH) | {
    "isEmpty": _form("(len({r}) == 0)", 0),
    "is_empty": _form("(len({r}) == 0)", 0),
}
ANY: dict[str, Write] = {
    "toString": _form("str({r})", 0),
    "to_string": _form("str({r})", 0),
    "equals": _form("({r} == {0})", 1),
}
OF_TYPE: dict[str, dict[str, Write]] = {
    "list": {
        "push": _method("append", 1),
        "push_back": _method("append", 1),
        "add": _method("append", 1),
        "addAll": _method("extend", 1),
        "concat": _form("({r} + {0})", 1),
        "unshift": _form("{r}.insert(0, {0})", 1),
        "shift": _form("{r}.pop(0)", 0),
        "popleft": _form("{r}.pop(0)", 0),
        "contains": CONTAINS,
        "includes": CONTAINS,
        "has": CONTAINS,
        "has_key": CONTAINS,
        "indexOf": _method("index", 1),
        "find": _method("index", 1),
        "join": _form("{0}.join({r})", 1),
        "map": _form("list(map({0}, {r}))", 1),
        "filter": _form("list(filter({0}, {r}))", 1),
        "sum": _form("sum({r})", 0),
        "max": _form("max({r})", 0),
        "min": _form("min({r})", 0),
        "mean": _form("(sum({r}) / len({r}))", 0),
        "sorted": _form("sorted({r})", 0),
        "reversed": _form("{r}[::-1]", 0),
    },
    "str": {
        "contains": CONTAINS,
        "includes": CONTAINS,
        "has": CONTAINS,
        "indexOf": _method("find"),
        "search": _method("find", 1),
        "trim": _method("strip", 0),
        "toUpperCase": _method("upper", 0),
        "toLowerCase": _method("lower", 0),
        "toUpper": _method("upper", 0),
        "toLower": _method("lower", 0),
        "uppercase": _method("upper", 0),
        "lowercase": _method("lower", 0),
        "startsWith": _method("startswith"),
        "endsWith": _method("endswith"),
        "replaceAll": _method("replace", 2),
        "charAt": _form("{r}[{0}]", 1),
        "substring": _slice,
        "substr": lambda r, a: _slice(r, a) if len(a) == 1 else "",
        "reverse": _form("{r}[::-1]", 0),
        "reversed": _form("{r}[::-1]", 0),
        "concat": _form("({r} + {0})", 1),
        "decode": lambda r, a: r,
        "sort": _form("''.join(sorted({r}))", 0),
    },
    "dict": {
        "has_key": CONTAINS,
        "contains": CONTAINS,
        "containsKey": CONTAINS,
        "contains_key": CONTAINS,
        "has": CONTAINS,
        "iteritems": _method("items", 0),
        "iterkeys": _method("keys", 0),
        "itervalues": _method("values", 0),
        "viewitems": _method("items", 0),
        "viewkeys": _method("keys", 0),
        "viewvalues": _method("values", 0),
        "remove": _method("pop", 1),
        "delete": _method("pop", 1),
        "entries": _method("items", 0),
    },
    "set": {
        "append": _method("add", 1),
        "push": _method("add", 1),
        "extend": _method("update", 1),
        "contains": CONTAINS,
        "includes": CONTAINS,
        "has": CONTAINS,
    },
    "tuple": {"contains": CONTAINS, "includes": CONTAINS, "indexOf": _method("index", 1)},
    "bytes": {"encode": lambda r, a: r, "format": lambda r, a: f"{r}.decode().format({', '.join(a)})"},
    "function": {
        "func_name": _form("{r}.__name__", 0),
        "func_doc": _form("{r}.__doc__", 0),
        "func_code": _form("{r}.__code__", 0),
        "func_defaults": _form("{r}.__defaults__", 0),
    },
    "method": {"im_func": _form("{r}.__func__", 0), "im_self": _form("{r}.__self__", 0)},
}
STATEMENTS: dict[tuple[str, str], Write] = {
    # only where the call stands alone, so that an assignment may take its place
    ("str", "append"): _form("{r} += {0}", 1),
    ("str", "add"): _form("{r} += {0}", 1),
    ("str", "extend"): _form("{r} += {0}", 1),
    ("tuple", "append"): _form("{r} += ({0},)", 1),
    ("tuple", "extend"): _form("{r} += tuple({0})", 1),
    ("tuple", "sort"): _form("{r} = tuple(sorted({r}))", 0),
    ("tuple", "reverse"): _form("{r} = {r}[::-1]", 0),
    ("dict", "add"): _form("{r}[{0}] = {1}", 2),
    ("dict", "put"): _form("{r}[{0}] = {1}", 2),
    ("dict", "set"): _form("{r}[{0}] = {1}", 2),
    ("dict", "push"): _form("{r}[{0}] = {1}", 2),
    ("dict", "append"): _form("{r}.update({0})", 1),
    ("dict", "extend"): _form("{r}.update({0})", 1),
    ("dict", "sort"): _form("{r} = dict(sorted({r}.items()))", 0),
    ("dict_keys", "sort"): _form("{r} = sorted({r})", 0),
    ("dict_values", "sort"): _form("{r} = sorted({r})", 0),
    ("dict_items", "sort"): _form("{r} = sorted({r})", 0),
    ("map", "sort"): _form("{r} = sorted({r})", 0),
    ("filter", "sort"): _form("{r} = sorted({r})", 0),
    ("zip", "sort"): _form("{r} = sorted({r})", 0),
    ("range", "sort"): _form("{r} = sorted({r})", 0),
    ("set", "sort"): _form("{r} = sorted({r})", 0),
    ("range", "reverse"): _form("{r} = {r}[::-1]", 0),
}


GIVING = frozenset({"sort", "sorted", "reverse", "reversed", "concat"})
"""Methods whose names say that the object changes, and whose forms here give a new one."""

PYTHON_2 = frozenset({"has_key", "iteritems", "iterkeys", "itervalues", "viewitems", "viewkeys", "viewvalues"})


class ForeignMethod(Rule):
    """Say it as the live object's type does.

    **Failure** `AttributeError`, where the object is a list, text, dictionary, set, tuple, … and the attribute is what another
    type, JavaScript, Java or Python 2 calls the same thing: `items.push(x)`, `text.contains(y)`, `values.length`,
    `d.has_key(k)`, `d.iteritems()`, `d.name` for a key, `reader.next()`, `error.message`.

    **Fix** The expression of the same meaning: `items.append(x)`, `y in text`, `len(values)`, `k in d`, `d.items()`, `d["name"]`,
    `next(reader)`, `str(error)`.

    **Fix safety** Safe: the type of the live object is known, and the words mean one thing on it.
    """

    code = "ATT102"
    name = "method of another type"
    enames = frozenset({"AttributeError"})
    applicability = Applicability.SAFE
    why = "The live object has exactly this, under another name or in another form."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        live = context.state
        wrong, owner = live.attribute, live.owner
        if not wrong or owner is None or owner.is_module or owner.is_class:
            return
        node = next((n for n in context.failing_nodes(ast.Attribute) if n.attr == wrong), None)
        if node is None:
            return
        changes: list[Splice] = []
        first = ""
        for use in _list_alike(context, node):
            call = context.call_of(use)
            if call is not None and (call.keywords or any(isinstance(a, ast.Starred) for a in call.args)):
                continue
            text = _rewritten(context, use, owner, wrong, call)
            if text:
                changes.append((*context.span(call or use), _bare(context.source, call or use, text)))
                first = first or changes[-1][2]
        if changes:
            yield self.patch(
                context.replace(context.cell_id, _outermost(changes)),
                f"Write `{first}`",
                f"A `{owner.type}` has no `{wrong}`.",
                prior=0.9,
            )


def _list_alike(context: RuleContext, node: ast.Attribute) -> list[ast.Attribute]:
    """The same attribute of the same expression in the cell; Python 2's dictionary methods of any expression."""
    owner = context.text(node.value)
    alike = attributes_named(context.tree, node.attr)
    return sorted(
        (n for n in alike if node.attr in PYTHON_2 or context.text(n.value) == owner), key=lambda n: n is not node
    )


def _bare(source: str, node: ast.AST, text: str) -> str:
    """The text without its outer parentheses, where the node stands alone: as an argument, a value or a condition."""
    where = src.span(source, node)
    for above in src.walk(source):
        alone: list[ast.AST] = []
        if isinstance(above, ast.Call):
            alone = [*above.args, *(k.value for k in above.keywords)]
        elif isinstance(above, ast.If | ast.While | ast.Assert | ast.IfExp):
            alone = [above.test]
        elif isinstance(above, ast.Assign | ast.Return | ast.Expr) and above.value is not None:
            alone = [above.value]
        if any(src.span(source, n) == where for n in alone) and text.startswith("(") and text.endswith(")"):
            return text[1:-1]
    return text


def _outermost(changes: list[Splice]) -> list[Splice]:
    """Without changes that lie inside others."""
    return [c for c in changes if not any(o is not c and o[0] <= c[0] and c[1] <= o[1] for o in changes)]


def _rewritten(context: RuleContext, node: ast.Attribute, owner: ObjectInfo, wrong: str, call: ast.Call | None) -> str:
    receiver = context.text(node.value)
    arguments = [context.text(a) for a in call.args] if call is not None else []
    if isinstance(node.value, ast.BinOp | ast.BoolOp | ast.Compare | ast.Lambda | ast.IfExp | ast.UnaryOp):
        receiver = f"({receiver})"
    if (owner.type, wrong) in STATEMENTS and call is not None and context.plain_chain(node.value):
        return STATEMENTS[owner.type, wrong](receiver, arguments) if context.is_statement(call) else ""
    if wrong == "next" and "__next__" in owner.attributes and call is not None:
        return f"next({receiver})"
    if wrong == "message" and owner.is_a("builtins.BaseException") and call is None:
        return f"str({receiver})"
    if owner.type == "dict" and call is None and (owned := context.plain_chain(node.value)):
        found = context.keys(owned)
        if found is not None and wrong in found.keys:
            return f'{receiver}["{wrong}"]'
    if isinstance(node.ctx, ast.Store | ast.Del):
        return ""
    write = OF_TYPE.get(owner.type, {}).get(wrong)
    if write is None and owner.length >= 0:
        write = SIZED.get(wrong)
    if write is None and owner.module == "builtins":
        write = ANY.get(wrong)
    if wrong in GIVING and call is not None and context.is_statement(call):
        return ""  # what it gives would be thrown away
    text = write(receiver, arguments) if write is not None else ""
    if wrong == "join" and call is not None and call.args and not isinstance(call.args[0], ast.Constant | ast.Name):
        return ""
    return text
