"""Writing a call or a name anew from a template of the data files."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from jupyter_selfheal.healers.rules.context.knowledge import Form
from jupyter_selfheal.healers.rules.context.rule_context import RuleContext
from jupyter_selfheal.inside.tree_names import read_called_name

HOLE = re.compile(r"\{([@!]?[\w.]+)(\?)?\}")


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


def arguments_text(context: RuleContext, call: ast.Call) -> str:
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
    used, imports = set(), []
    holes = HOLE.findall(template)
    whole = any(h in ("rest", "args") for h, _ in holes)
    parts: list[str] = []
    at = 0
    for match in HOLE.finditer(template):
        parts.append(template[at : match.start()])
        at = match.end()
        name, optional = match[1], match[2]
        text: str | None
        if name.startswith("@"):
            known = context.reference(name[1:])
            if known is None:
                return None
            text = known[0]
            imports.append(known[1])
        elif name in ("self", "args", "rest"):
            text = {"self": context.operand(receiver) if receiver is not None else "", "args": arguments, "rest": "\0"}[
                name
            ]
        elif name.startswith("!"):
            used.add(name[1:])
            text = ""
        elif "." in name:
            name, _, at_item = name.partition(".")
            given = bound.named.get(name)
            if not isinstance(given, ast.Tuple | ast.List) or int(at_item) >= len(given.elts):
                return None
            used.add(name)
            text = context.operand(given.elts[int(at_item)])
        elif name in bound.named:
            used.add(name)
            node = bound.named[name]
            follows = template[at : at + 1] in tuple(".[(") and template[at : at + 1] != ""
            text = context.operand(node) if follows else context.text(node)
            text = f", {name}={text}" if optional else text
        elif optional:
            text = ""
        else:
            return None
        parts.append(text)
    parts.append(template[at:])
    left = [f"{n}={context.text(e)}" for n, e in bound.named.items() if n not in used]
    if (left or bound.rest) and not whole:
        return None
    rest = "".join(f", {text}" for text in (*bound.rest, *left))
    text = "".join(parts).replace("\0", rest).replace("(, ", "(")
    return Written(text, tuple(i for i in imports if i))


_WRITTEN = {
    "builtins.dict": (ast.Dict, ast.DictComp),
    "builtins.list": (ast.List, ast.ListComp),
    "builtins.tuple": (ast.Tuple,),
}


def _is_written_as(node: ast.expr, kinds: tuple[str, ...]) -> bool:
    """True for an argument whose text says its type, where its value cannot be asked: a name in it is made only by the patch."""
    if isinstance(node, ast.Call):
        name = read_called_name(node)
        return name in {kind.rsplit(".", 1)[-1] for kind in kinds}
    return any(isinstance(node, _WRITTEN.get(kind, ())) for kind in kinds)


def choose(
    context: RuleContext, forms: tuple[Form, ...], call: ast.Call, receiver: ast.expr | None, params: tuple[str, ...]
) -> Written | None:
    """The first form that fits the call's arguments and their live types."""
    bound = bind(context, call, params)
    types = {}
    asked = sorted({name for form in forms for name in form.when if name in bound.named})
    if asked:
        types = dict(zip(asked, context.describe_all([bound.named[n] for n in asked], calls=True), strict=True))
    own = (
        context.describe_all([receiver], calls=True)[0]
        if receiver is not None and any("self" in f.when for f in forms)
        else None
    )
    for form in forms:
        fits = all(
            (own is not None and own.is_a(*kinds))
            if name == "self"
            else (
                name in types
                and (types[name].is_a(*kinds) or (not types[name].type and _is_written_as(bound.named[name], kinds)))
            )
            for name, kinds in form.when.items()
        )
        if fits and (written := render(context, form.template, receiver, bound, arguments_text(context, call))):
            return written
    return None
