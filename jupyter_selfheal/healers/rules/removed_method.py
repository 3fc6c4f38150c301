"""API103: a method or attribute that a class no longer has."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import ObjectInfo, Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.knowledge import ANNOUNCED, Change, load_knowledge
from jupyter_selfheal.healers.rules.context.nodes import is_truth, list_attributes_named, shows_name
from jupyter_selfheal.healers.rules.context.templates import Written, bind, choose, matters, render
from jupyter_selfheal.model import Applicability, Output, Patch


class RemovedMethod(Rule):
    """Use the successor of a removed method or attribute.

    **Failure** `AttributeError: 'DataFrame' object has no attribute 'append'`, where the live object is of a class whose
    changelog names what took the method's place.

    **Fix** The call is written anew (`pd.concat([df, other])`), together with every other use in the cell whose
    object is of such a class too; a list's `append` is never touched, because the live type decides.

    **Fix safety** Safe where the changelog names the successor as the same thing; unsafe where it differs in a detail, which
    the patch then says, and where the new object is kept nowhere (`df.append(row)` as a statement). Columns are sorted, as pandas did
    until 1.0 where they came in another order, where that is what is stored: in the cell itself, or where a cell below shows the table.
    """

    code = "API103"
    name = "removed method"
    stage = Stage.CHANGELOG
    enames = frozenset({"AttributeError"})
    warning = ANNOUNCED
    applicability = Applicability.SAFE
    why = "The live object is of the class that lost the method, and the library's changelog names the successor."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        attribute, change = _find_announced(context) if context.failure.is_warning else _find_missed(context)
        if change is None:
            return
        splices: list[Splice] = []
        imports: list[str] = []
        for node in _list_uses(context, attribute, change):
            written, span = _write_use(context, node, change)
            if written is not None and not any(a <= span[0] and span[1] <= b for a, b, _ in splices):
                splices = [s for s in splices if not (span[0] <= s[0] and s[1] <= span[1])]
                splices.append((*span, written.text))
                imports += written.imports
        if not splices:
            splices = list(_write_getattr(context, change))
        if not splices:
            return
        doubt = change.unsafe if change.unsafe and matters(context, change) else ""
        if not doubt and change.forms and _is_dropped(context, attribute):
            doubt = "It gives a new object, which nothing keeps."
        level = Applicability.UNSAFE if doubt else Applicability.SAFE
        level = Applicability.DISPLAY_ONLY if change.show else level
        may_be_sorted = change.old == "pandas.DataFrame.append" and all(
            text.endswith(")") and "sort=" not in text for _, _, text in splices
        )
        shown = _find_sorted_output(context) if may_be_sorted else ""
        if shown:
            yield from self._sort_columns(context, change, splices, imports, shown)
            return
        yield self.patch(
            context.replace(context.cell_id, [*splices, *context.add_imports(imports)]),
            f"Change `.{attribute}` to `{splices[0][2]}`",
            change.cause or f"`{change.old.partition('.')[2]}` was removed in {change.library} {change.version}.",
            applicability=level,
            why=doubt or self.cite(change.source),
            removes=change.removes,
            prior=0.9 if level is Applicability.SAFE else 0.55,
        )
        if may_be_sorted and _has_output(context):
            yield from self._sort_columns(context, change, splices, imports)

    def _sort_columns(
        self, context: RuleContext, change: Change, splices: list[Splice], imports: list[str], shown: str = ""
    ) -> Iterator[Patch]:
        """The tables joined with their columns sorted, as pandas did by itself where they came in another order: the stored output shows it,
        or that of the cell ``shown``."""
        ordered = [(start, end, f"{text[:-1]}, sort=True)") for start, end, text in splices]
        yield self.patch(
            context.replace(context.cell_id, [*ordered, *context.add_imports(imports)]),
            f"Change `.append` to `{ordered[0][2]}`",
            f"`{change.old.partition('.')[2]}` was removed in {change.library} {change.version}, and sorted columns until 1.0.",
            applicability=Applicability.SAFE if shown else Applicability.UNSAFE,
            why="Columns that came in another order were sorted until pandas 1.0"
            + (f": {shown} shows them so." if shown else "."),
            prior=0.95 if shown else 0.5,
        )


def _has_output(context: RuleContext) -> bool:
    """Whether an output of the cell is stored that is no error."""
    outputs = context.notebook.cell(context.failure.cell_id).outputs
    return bool(outputs) and all(o.output_type != "error" for o in outputs)


TELLING = 4
"""So many columns of a table in one of two orders are no chance."""


def _find_sorted_output(context: RuleContext) -> str:
    """The first cell below whose stored output shows what ``df = a.append(b)`` binds and can tell in which order its columns came, if they are sorted there."""
    statement = context.failing_statement
    match statement:
        case ast.Assign([ast.Name(name)], ast.Call(ast.Attribute(owner, "append"), [other, *_])):
            tables = [context.keys(t) for t in (owner, other) if isinstance(t, ast.Name)]
        case _:
            return ""
    if len(tables) < 2 or not all(t is not None and t.is_table for t in tables):
        return ""
    columns = [list(t.columns) for t in tables if t is not None]
    joined = list(dict.fromkeys(c for names in columns for c in names))
    if columns[0] == columns[1] or not all(isinstance(c, str) for c in joined) or joined == sorted(joined):
        return ""
    for cell in context.notebook.list_code_after(context.cell_id):
        if shows_name(cell.source, name):
            found = _list_shown(cell.outputs, joined)
            is_joined, is_sorted = found == sorted(found, key=joined.index), found == sorted(found)
            if len(found) >= TELLING and is_joined != is_sorted:
                return context.notebook.name_cell(cell.id) if is_sorted else ""
        if name in src.find_names(cell.source).binds:
            return ""
    return ""


def _list_shown(outputs: Sequence[Output], columns: list[str]) -> list[str]:
    """The columns that an output names, in the order in which it first does."""
    text = "\n".join(f"{o.text}\n{o.data.get('text/plain', '')}" for o in outputs if o.output_type != "error")
    places = {c: re.search(rf"(?<!\w){re.escape(c)}(?!\w)", text) for c in columns}
    return [c for _, c in sorted((place.start(), c) for c, place in places.items() if place)]


def _is_dropped(context: RuleContext, attribute: str) -> bool:
    """Whether nothing keeps or shows what the failing call gives."""
    node = next((n for n in context.list_nodes_at_failure(ast.Attribute) if n.attr == attribute), None)
    call = context.call_of(node) if isinstance(node, ast.Attribute) else None
    if call is None or not context.is_statement(call) or any(k.arg == "inplace" for k in call.keywords):
        return False
    last = context.tree.body[-1] if context.tree.body else None
    return attribute == "append" or not (isinstance(last, ast.Expr) and last.value is call)


def _find_missed(context: RuleContext) -> tuple[str, Change | None]:
    """The attribute that the object lacks, and what became of it."""
    if not context.attribute or context.owner.is_module:
        return "", None
    classes = context.owner.bases if context.owner.is_class else context.owner.mro
    return context.attribute, load_knowledge().method(classes, context.attribute)


def _find_announced(context: RuleContext) -> tuple[str, Change | None]:
    """The attribute on the line that a warning speaks of, and what will become of it."""
    said = set(re.findall(r"\w+", context.failure.evalue))
    nodes = [n for n in context.list_nodes_at_failure(ast.Attribute) if n.attr in said]
    for node, live in zip(nodes, context.describe_all([n.value for n in nodes], calls=True), strict=True):
        change = None if live.is_module else load_knowledge().method(live.mro, node.attr)
        if change is not None:
            return node.attr, change
    return "", None


def _write_getattr(context: RuleContext, change: Change) -> Iterator[Splice]:
    """``getattr(dates, part)`` for a list of names, one of which is gone: that one is read in its new form."""
    for call in context.list_calls_at_failure():
        if not (isinstance(call.func, ast.Name) and call.func.id == "getattr" and len(call.args) == 2):
            continue
        owner, name = call.args
        if change.read and not isinstance(name, ast.Constant):
            written = render(context, change.read, owner)
            if written is not None and not written.imports:
                test = f"{context.text(name)} == {context.attribute!r}"
                yield (*context.span(call), f"({written.text} if {test} else {context.text(call)})")
                return


def _list_uses(context: RuleContext, name: str, change: Change) -> list[ast.Attribute]:
    """The failing attribute first, then those of the cell whose objects are live and of the same class."""
    nearest = next((n for n in context.list_nodes_at_failure(ast.Attribute) if n.attr == name), None)
    if not isinstance(nearest, ast.Attribute):
        return []
    others = [n for n in list_attributes_named(context.tree, name) if n is not nearest]
    lives = context.describe_all([n.value for n in others])
    return [nearest, *(n for n, live in zip(others, lives, strict=True) if _is_of_class(live, change))]


def _is_of_class(live: ObjectInfo, change: Change) -> bool:
    kind = change.old.rsplit(".", 1)[0]
    return live.is_a(kind)


def _write_use(context: RuleContext, node: ast.Attribute, change: Change) -> tuple[Written | None, tuple[int, int]]:
    call = context.call_of(node)
    if call is not None and change.statement:
        return _write_statement(context, call, node, change)
    if call is not None and change.forms:
        return _write_call(context, call, node, change), context.span(call)
    if change.read:
        return render(context, change.read, node.value), context.span(node)
    if change.new:
        return Written(change.new), context.find_attribute_span(node)
    return None, (0, 0)


def _write_statement(
    context: RuleContext, call: ast.Call, node: ast.Attribute, change: Change
) -> tuple[Written | None, tuple[int, int]]:
    """``df.set_value(…)`` by itself, or given to the name that it is called on; nothing where another name gets its result."""
    owner = context.text(node.value)
    statements: list[ast.Expr | ast.Assign] = [*context.walk(ast.Expr), *context.walk(ast.Assign)]
    for statement in statements:
        bound = [context.text(t) for t in statement.targets] if isinstance(statement, ast.Assign) else [owner]
        if statement.value is call and bound == [owner]:
            return render(context, change.statement, node.value, bind(context, call, change.params)), context.span(
                statement
            )
    return None, (0, 0)


def _write_call(context: RuleContext, call: ast.Call, node: ast.Attribute, change: Change) -> Written | None:
    written = choose(context, change.forms, call, node.value, change.params)
    inplace = bind(context, call, change.params).named.get("inplace")
    if written is None or (is_truth(inplace, True) and "inplace" not in written.text):
        return None
    return written
