"""Writing a call or a name anew from a template of the data files."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from jupyter_selfheal.healers.rules.context.knowledge import Case, Change, Form
from jupyter_selfheal.healers.rules.context.rule_context import RuleContext
from jupyter_selfheal.inside.tree_names import read_called_name

HOLE = re.compile(r"\{([@!]?[\w.]+)(\?)?\}")
REST = "\0"
"""Stands where the arguments without a hole go, until all holes are filled; no source has it."""


@dataclass(frozen=True, slots=True)
class Written:
    """New text for an expression, and the import lines it needs."""

    text: str
    imports: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bound:
    """A call's arguments by the names of the old parameters; ``rest`` are those that have none."""

    named: Mapping[str, ast.expr] = field(default_factory=dict)
    rest: tuple[str, ...] = ()


def matters(context: RuleContext, change: Change | Case) -> bool:
    """Whether the notebook has what a doubt is about; a doubt about anything in particular holds everywhere."""
    return not change.unsafe_where or any(
        re.search(change.unsafe_where, context.source_of(c.id), re.MULTILINE)
        for c in context.notebook.cells
        if c.kind == "code"
    )


def bind(context: RuleContext, call: ast.Call, params: tuple[str, ...]) -> Bound:
    """Give the call's arguments the names of the parameters that the removed callable had."""
    named: dict[str, ast.expr] = {}
    rest: list[str] = []
    for at, argument in enumerate(call.args):
        if at < len(params) and not any(isinstance(a, ast.Starred) for a in call.args[: at + 1]):
            named[params[at]] = argument
        else:
            rest.append(context.text(argument))
    for keyword in call.keywords:
        if keyword.arg in params:
            named[keyword.arg] = keyword.value
        else:
            rest.append(
                f"{keyword.arg}={context.text(keyword.value)}" if keyword.arg else f"**{context.text(keyword.value)}"
            )
    return Bound(named, tuple(rest))


def read_arguments(context: RuleContext, call: ast.Call) -> str:
    """Everything between the parentheses of a call, as written."""
    whole, callee = context.text(call), context.text(call.func)
    return whole[len(callee) :].strip()[1:-1]


def render(
    context: RuleContext, template: str, receiver: ast.expr | None, bound: Bound = Bound(), arguments: str = ""
) -> Written | None:
    """Fill a template; None where it needs an argument that is not there, would lose one, or names what is missing here.

    ``{self}`` the receiver, ``{name}`` an argument, ``{name.0}`` the first item of a tuple that was written as an argument, ``{name?}`` the argument as ``, name=…`` if it was given, ``{rest}``
    the arguments without a hole as ``, …``, ``{args}`` all as written, ``{@a.b.c}`` a reference to a library's object.
    """
    filling = _Filling(context, receiver, bound, arguments)
    parts: list[str] = []
    at = 0
    for match in HOLE.finditer(template):
        parts.append(template[at : match.start()])
        at = match.end()
        text = filling.fill(match[1], bool(match[2]), template[at : at + 1])
        if text is None:
            return None
        parts.append(text)
    parts.append(template[at:])
    left = [f"{n}={context.text(e)}" for n, e in bound.named.items() if n not in filling.used]
    if (left or bound.rest) and not any(h in ("rest", "args") for h, _ in HOLE.findall(template)):
        return None
    rest = "".join(f", {text}" for text in (*bound.rest, *left))
    text = "".join(parts).replace(REST, rest).replace("(, ", "(")
    return Written(text, tuple(i for i in filling.imports if i))


class _Filling:
    """What fills the holes of one template; it keeps which arguments were used and which imports are needed."""

    def __init__(self, context: RuleContext, receiver: ast.expr | None, bound: Bound, arguments: str) -> None:
        self.used: set[str] = set()
        self.imports: list[str] = []
        self._context = context
        self._bound = bound
        self._whole = {
            "self": context.operand(receiver) if receiver is not None else "",
            "args": arguments,
            "rest": REST,
        }

    def fill(self, name: str, optional: bool, behind: str) -> str | None:
        """The text for a hole with this character behind it; None where what it names is missing."""
        if name.startswith("@"):
            return self._refer_to(name[1:])
        if name in self._whole:
            return self._whole[name]
        if name.startswith("!"):
            self.used.add(name[1:])
            return ""
        if "." in name:
            return self._take_item(*name.split(".", 1))
        if name not in self._bound.named:
            return "" if optional else None
        self.used.add(name)
        node = self._bound.named[name]
        text = self._context.operand(node) if behind and behind in ".[(" else self._context.text(node)
        return f", {name}={text}" if optional else text

    def _refer_to(self, path: str) -> str | None:
        known = self._context.reference(path)
        if known is None:
            return None
        self.imports.append(known[1])
        return known[0]

    def _take_item(self, name: str, at_item: str) -> str | None:
        given = self._bound.named.get(name)
        if not isinstance(given, ast.Tuple | ast.List) or int(at_item) >= len(given.elts):
            return None
        self.used.add(name)
        item = given.elts[int(at_item)]
        return self._context.text(item) if isinstance(item, ast.Constant) else self._context.operand(item)


_WRITTEN = {
    "builtins.dict": (ast.Dict, ast.DictComp),
    "builtins.list": (ast.List, ast.ListComp),
    "builtins.tuple": (ast.Tuple,),
}


def _is_written_as(node: ast.expr | str, kinds: tuple[str, ...]) -> bool:
    """True for an argument whose text says its type, where its value cannot be asked: a name in it is made only by the patch."""
    if isinstance(node, ast.Call):
        name = read_called_name(node)
        return name in {kind.rsplit(".", 1)[-1] for kind in kinds}
    return any(isinstance(node, _WRITTEN.get(kind, ())) for kind in kinds)


def _find_asked(context: RuleContext, bound: Bound, name: str) -> ast.expr | str | None:
    """What an argument is, by its name; with ``[0]`` behind that, the first of a list that is written down, or has a name."""
    node = bound.named.get(name.removesuffix("[0]"))
    if node is None or not name.endswith("[0]"):
        return node
    if isinstance(node, ast.ListComp):
        return node.elt
    if isinstance(node, ast.List):
        return node.elts[0] if node.elts else None
    text = context.read_plain_chain(node)
    return f"{text}[0]" if text and context.describe_all([text])[0].is_a("builtins.list") else None


def choose(
    context: RuleContext, forms: tuple[Form, ...], call: ast.Call, receiver: ast.expr | None, params: tuple[str, ...]
) -> Written | None:
    """The first form that fits the call's arguments and their live types."""
    bound = bind(context, call, params)
    types = {}
    nodes = {
        name: node for form in forms for name in form.when if (node := _find_asked(context, bound, name)) is not None
    }
    if nodes:
        types = dict(zip(nodes, context.describe_all(list(nodes.values()), calls=True), strict=True))
    own = (
        context.describe_all([receiver], calls=True)[0]
        if receiver is not None and any("self" in f.when for f in forms)
        else None
    )
    for form in forms:
        fits = all(
            name not in bound.named
            if not kinds
            else (own is not None and own.is_a(*kinds))
            if name == "self"
            else (
                name in types
                and (types[name].is_a(*kinds) or (not types[name].type and _is_written_as(nodes[name], kinds)))
            )
            for name, kinds in form.when.items()
        )
        if fits and (written := render(context, form.template, receiver, bound, read_arguments(context, call))):
            return written
    return None
