"""ATT102: a method that another type, language or Python 2 has."""

from __future__ import annotations

import ast
import codecs
import re
from collections.abc import Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import ObjectInfo, Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import Splice, keep_outermost
from jupyter_selfheal.healers.rules.context.nodes import is_held_elsewhere, list_attributes_named
from jupyter_selfheal.healers.rules.context.tables import CallForm, call_forms, read_table, read_words
from jupyter_selfheal.model import Applicability, Patch

TABLE = "foreign_methods"
UNCHANGED = frozenset({"str", "bytes", "int", "float"})
"""Types whose methods only give something, which a statement of its own loses: `name.trim()` trims nothing."""
GIVES_NOTHING = re.compile(
    r"\.(?:append|appendleft|extend|insert|add|update|remove|discard|clear|sort|reverse)\([^()]*\)$"
)
"""What changes a list, set or dictionary, and gives None."""

SINGLE = re.compile(r"(?i)(?<![a-z])(?:seen|visited|uniq\w*|distinct|differ\w*|dup\w*|sets?)(?![a-z])")
"""Words for items of which each is held once."""

TEXTS = ("object", "str", "string")
"""What a column of texts is called."""
PLACES = frozenset({"indexOf", "find", "search"})
"""Where an item or a part stands, as other languages ask; what is wanted of it in a condition is whether it is there."""

REBINDING = re.compile(r"\w+ \+?= ")
"""A statement that gives the name another object."""
OPERATED = re.compile(r"(?:\*\*|\+|==) \{\d\}|\{\d\} (?:in|\+)")
"""A form in which an argument stands beside a sign: `n.pow(a + b)` is `n ** (a + b)`."""
LOST = "The name gets another object, and who holds this one would keep it as it is."

IS_THERE = {
    (ast.Eq, "-1"): "not in", (ast.Lt, "0"): "not in", (ast.NotEq, "-1"): "in", (ast.Gt, "-1"): "in", (ast.GtE, "0"): "in",
}  # fmt: skip
"""What a place that is compared so says of an item."""


class ForeignMethod(Rule):
    """Say it as the live object's type does.

    **Failure** `AttributeError`, where the object is a list, text, dictionary, set, tuple, … and the attribute is what another
    type, another library, JavaScript, Java or Python 2 calls the same thing: `math.squareroot(x)`, `items.push(x)`, `text.contains(y)`, `values.length`,
    `d.has_key(k)`, `d.iteritems()`, `d.name` for a key, `reader.next()`, `error.message`.

    **Fix** The expression of the same meaning: `items.append(x)`, `y in text`, `len(values)`, `k in d`, `d.items()`, `d["name"]`,
    `next(reader)`, `str(error)`.

    **Fix safety** Safe: the type of the live object is known, and the words mean one thing on it. Silent where the value is used of what
    gives none (`xs = xs.add(4)`), and where a text's is lost (`name.trim()` above `print(name)`). Unsafe for `seen.add(x)` of a list that the cell asks for its
    items, or that words call one of single items: a set may be meant; and for `word.append("s")` of what a loop takes or a function is given and does not read again, as whoever holds it would keep the old text.
    """

    code = "ATT102"
    name = "method of another type"
    enames = frozenset({"AttributeError"})
    applicability = Applicability.SAFE
    why = "The live object has exactly this, under another name or in another form."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        live = context.state
        wrong, owner = live.attribute, live.owner
        if (
            not wrong
            or owner is None
            or owner.is_class
            or (owner.is_module and owner.name not in read_table(TABLE)["of_module"])
        ):
            return
        node = next((n for n in context.list_failing_nodes(ast.Attribute) if n.attr == wrong), None)
        if node is None:
            return
        changes: list[Splice] = []
        lost, asked_for_truth = False, False
        for use in _list_alike(context, node):
            call = context.call_of(use)
            if not _can_be_said_otherwise(owner, wrong, call):
                continue
            asked = _ask_for_membership(context, owner, wrong, call)
            if asked is not None:
                changes.append(asked)
                asked_for_truth = True
                continue
            text = _rewrite_use(context, use, owner, wrong, call)
            lost = lost or (
                text is not None
                and REBINDING.match(text) is not None
                and is_held_elsewhere(context.source, context.text(use.value), use.lineno)
            )
            if text:
                changes.append((*context.span(call or use), _strip_parentheses(context.source, call or use, text)))
        if not changes:
            return
        is_root = wrong == "sqrt" and not owner.is_module
        imports = context.add_imports(["import math"]) if is_root else []
        title, doubt = f"Use `{changes[0][2]}`", _find_doubt(context, owner, node, lost, asked_for_truth)
        if wrong == "decode" and owner.type == "str" and (again := list(_decode_again(context, node))):
            changes, title = [*changes, *again], f"Use `{changes[0][2]}` and `{again[0][2]}`"
            doubt = "What is encoded is bytes now; whether text is meant, as it was in Python 2, is not known."
        yield self.patch(
            context.replace(context.cell_id, [*imports, *keep_outermost(changes)]),
            title,
            f"Module `{owner.name}` has no `{wrong}`." if owner.is_module else f"A `{owner.type}` has no `{wrong}`.",
            applicability=Applicability.UNSAFE if doubt else Applicability.SAFE,
            why=doubt or self.why,
            prior=0.6 if doubt else 0.9,
        )


def _can_be_said_otherwise(owner: ObjectInfo, wrong: str, call: ast.Call | None) -> bool:
    """False for arguments that are spread, and for a pattern in a text: no place of its own says where one fits."""
    if call is None:
        return True
    is_pattern = wrong == "search" and owner.type == "str" and not all(map(_is_plain_text, call.args))
    return not is_pattern and not any(isinstance(a, ast.Starred) for a in call.args)


def _find_doubt(context: RuleContext, owner: ObjectInfo, node: ast.Attribute, lost: bool, asked_for_truth: bool) -> str:
    """What else may be meant by the method; empty where nothing is."""
    wrong, use = node.attr, context.call_of(node) or node
    if wrong in PLACES and not asked_for_truth and isinstance(src.read(context.source).parents.get(use), ast.BoolOp):
        return "A place that is not there is -1, which counts as true."
    if wrong in ("len", "length") and owner.is_a("pandas.Series", "pandas.Index") and owner.dtype in TEXTS:
        return "The length of each text may be meant."
    if wrong == "head" and owner.type == "list":
        return "A table of these rows may be meant."
    if lost:
        return LOST
    is_set = wrong == "add" and owner.type == "list" and may_be_set(context, node.value)
    return "A set may be meant, which holds each item once." if is_set else ""


def _decode_again(context: RuleContext, node: ast.Attribute) -> Iterator[Splice]:
    """``.decode("ascii")`` behind ``text = text.encode("ascii", "ignore")``, which gave a text in Python 2."""
    name = context.text(node.value)
    for assigned in context.walk(ast.Assign):
        call = assigned.value
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr != "encode":
            continue
        if [context.text(n) for n in (*assigned.targets, call.func.value)] == [name, name]:
            end = context.span(call)[1]
            yield end, end, f".decode({', '.join(map(context.text, call.args[:1]))})"


def may_be_set(context: RuleContext, node: ast.expr) -> bool:
    """Whether a collection that is added to is asked for its items, or words of its cell speak of single ones."""
    name = context.text(node)
    asked = (n for n in context.walk(ast.Compare) for op, right in zip(n.ops, n.comparators, strict=True)
             if isinstance(op, ast.In | ast.NotIn) and context.text(right) == name)  # fmt: skip
    return SINGLE.search(context.source) is not None or any(asked)


def _list_alike(context: RuleContext, node: ast.Attribute) -> list[ast.Attribute]:
    """The same attribute of the same expression in the cell; Python 2's dictionary methods of any expression."""
    owner = context.text(node.value)
    alike = list_attributes_named(context.tree, node.attr)
    return sorted(
        (n for n in alike if node.attr in read_words(TABLE, "of_python2") or context.text(n.value) == owner),
        key=lambda n: n is not node,
    )


def _ask_for_membership(context: RuleContext, owner: ObjectInfo, wrong: str, call: ast.Call | None) -> Splice | None:
    """``names.indexOf(x) == -1``, which asks a list whether it has something, as JavaScript does: ``x not in names``."""
    if call is None or owner.type not in ("list", "tuple", "str") or wrong not in PLACES or len(call.args) != 1:
        return None
    node = src.read(context.source).parents.get(call)
    if _is_truth(context, call) and isinstance(call.func, ast.Attribute):
        return *context.span(call), f"({_write_item(context, call.args[0])} in {context.operand(call.func.value)})"
    if not isinstance(node, ast.Compare) or node.left is not call or len(node.ops) != 1:
        return None
    if owner.type == "str":
        return None  # `find` says -1 as well
    asked = IS_THERE.get((type(node.ops[0]), context.text(node.comparators[0]).replace(" ", "")))
    if asked is None or not isinstance(call.func, ast.Attribute):
        return None
    return *context.span(node), f"{_write_item(context, call.args[0])} {asked} {context.operand(call.func.value)}"


def _is_plain_text(node: ast.expr) -> bool:
    """Whether a text is written out that means the same as a pattern."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and re.escape(node.value) == node.value


def _is_truth(context: RuleContext, asked: ast.expr) -> bool:
    """Whether a value is asked for its truth alone: a place would be false where it is the first one."""
    node = src.read(context.source).parents.get(asked)
    match node:
        case ast.If() | ast.IfExp() | ast.While() | ast.Assert():
            return node.test is asked
        case ast.comprehension():
            return asked in node.ifs
        case ast.BoolOp():
            return _is_truth(context, node)  # `text.indexOf("x") or 5` is a place
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def _write_item(context: RuleContext, node: ast.expr) -> str:
    return context.text(node) if isinstance(node, ast.Constant) else context.operand(node)


def _strip_parentheses(source: str, node: ast.AST, text: str) -> str:
    """The text without its outer parentheses, where the node stands alone: as an argument, a value or a condition."""
    where = src.find_span(source, node)
    for above in src.walk(source):
        alone: list[ast.AST] = []
        if isinstance(above, ast.Call):
            alone = [*above.args, *(k.value for k in above.keywords)]
        elif isinstance(above, ast.If | ast.While | ast.Assert | ast.IfExp):
            alone = [above.test]
        elif isinstance(above, ast.Assign | ast.Return | ast.Expr) and above.value is not None:
            alone = [above.value]
        is_whole = text.startswith("(") and text.endswith(")") and src.can_compile(text[1:-1])  # `(a / b).c()` is not
        if is_whole and any(src.find_span(source, n) == where for n in alone):
            return text[1:-1]
    return text


def _rewrite_use(
    context: RuleContext, node: ast.Attribute, owner: ObjectInfo, wrong: str, call: ast.Call | None
) -> str | None:
    """What the use of the attribute means on the live type, in Python; None where that cannot be told."""
    receiver = context.text(node.value)
    if call is not None and call.keywords:
        return _rename_method(context, receiver, _find_forms(owner, wrong), call)
    if wrong in ("decode", "encode") and call is not None:
        if _is_of_no_text(call):
            return None
        if isinstance(node.value, ast.Attribute) and node.value.attr == "str":
            return context.text(node.value.value)  # the values of a column are texts already
    if isinstance(node.value, ast.BinOp | ast.BoolOp | ast.Compare | ast.Lambda | ast.IfExp | ast.UnaryOp):
        receiver = f"({receiver})"
    arguments = [context.text(a) for a in call.args] if call is not None else []
    is_alone = call is not None and context.is_statement(call)
    statement = call_forms(TABLE, "statements", owner.type).get(wrong)
    if statement and call is not None and context.read_plain_chain(node.value):
        return _fill_first(statement, receiver, arguments) if is_alone else None
    if wrong == "next" and "__next__" in owner.attributes and call is not None:
        return f"next({receiver})"
    if wrong == "message" and owner.is_a("builtins.BaseException") and call is None:
        return f"str({receiver})"
    if call is None and _is_key(context, node, owner, wrong):
        return f'{receiver}["{wrong}"]'
    gives = wrong in read_words(TABLE, "giving") or (owner.type in UNCHANGED and not _is_last(context, call))
    is_shown = _is_last(context, call) and isinstance(
        node.value, ast.Call
    )  # what a call gives cannot be meant to change
    is_result_lost = is_alone and gives and not is_shown
    if isinstance(node.ctx, ast.Store | ast.Del) or is_result_lost:
        return None
    if wrong == "join" and call is not None and call.args and not isinstance(call.args[0], ast.Constant | ast.Name):
        return None
    forms = _find_forms(owner, wrong)
    if call is not None and any(OPERATED.search(form.template) for form in forms):
        arguments = [_write_item(context, a) for a in call.args]
    text = _fill_first(forms, receiver, arguments)
    return None if text is not None and not is_alone and GIVES_NOTHING.search(text) else text


def _is_last(context: RuleContext, call: ast.Call | None) -> bool:
    """Whether a call is the cell's last statement, whose value is shown."""
    last = context.tree.body[-1] if context.tree.body else None
    return isinstance(last, ast.Expr) and last.value is call


def _is_of_no_text(call: ast.Call) -> bool:
    """True for ``text.decode("hex")``: a codec of Python 2 that made other bytes of bytes, which a text does not hold already."""
    named = [a.value for a in (*call.args, *(k.value for k in call.keywords)) if isinstance(a, ast.Constant)]
    for name in named[:1]:
        try:
            return not getattr(codecs.lookup(str(name)), "_is_text_encoding", True)
        except LookupError:
            return True
    return False


def _rename_method(context: RuleContext, receiver: str, forms: tuple[CallForm, ...], call: ast.Call) -> str | None:
    """A call with named arguments, which only a form that takes them as they are written can have."""
    taking = [form for form in forms if "{args}" in form.template]
    return taking[0].fill(receiver, [context.text(a) for a in (*call.args, *call.keywords)]) if taking else None


def _is_key(context: RuleContext, node: ast.Attribute, owner: ObjectInfo, wrong: str) -> bool:
    keys = context.keys(node.value) if owner.type == "dict" and context.read_plain_chain(node.value) else None
    return keys is not None and wrong in keys.keys


def _find_forms(owner: ObjectInfo, wrong: str) -> tuple[CallForm, ...]:
    """The forms of a method on the object's type, of whatever has a length, or of any builtin type."""
    if owner.is_module:
        return call_forms(TABLE, "of_module", owner.name).get(wrong, ())
    forms = call_forms(TABLE, "of_type", owner.type).get(wrong)
    for kind in read_table(TABLE)["of_kind"]:
        forms = call_forms(TABLE, "of_kind", kind).get(wrong) if forms is None and owner.is_a(kind) else forms
    if forms is None and owner.length >= 0:
        forms = call_forms(TABLE, "sized").get(wrong)
    if forms is None and owner.module == "builtins":
        forms = call_forms(TABLE, "any").get(wrong)
    return forms or ()


def _fill_first(forms: tuple[CallForm, ...], receiver: str, arguments: list[str]) -> str | None:
    return next((text for form in forms if (text := form.fill(receiver, arguments)) is not None), None)
