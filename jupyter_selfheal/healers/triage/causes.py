"""What can be said of a failure in the code, for whoever has to mend it by hand where no healer does."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RuleContext
from jupyter_selfheal.healers.rules.context.edits import format_import
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.renamings import find_new_name
from jupyter_selfheal.healers.rules.context.tables import find_distribution, import_aliases
from jupyter_selfheal.healers.rules.deleted_name import find_deletion
from jupyter_selfheal.healers.triage.plain_causes import explain_local_name, explain_plainly
from jupyter_selfheal.inside.tree_names import holds_call, list_names

UNEQUAL = re.compile(r"(?:All arrays|arrays|columns) must (?:all )?be (?:of )?(?:the )?same length")
"""What pandas says where a table is made of lists of different lengths."""

APART = re.compile(
    r"must have same first dimension|must be the same size|cannot be broadcast to a single shape|operands could not be broadcast together|"
    r"does not match length of index|Array shapes are incompatible for broadcasting|expected x and y to have same length"
)
"""What libraries say of two things whose values are taken pair by pair, and that have different lengths."""

TRUTHS = re.compile(r"The truth value of an? (?:Series|DataFrame|array|Index)")
"""What pandas and NumPy say where many truth values stand for one."""

UNSEEN = re.compile(
    r"y contains previously unseen labels: \[?(?P<labels>.+?)\]?$|Found unknown categories \[(?P<categories>.+?)\] in column (?P<column>\d+)"
)
"""What scikit-learn's encoders say of values that they were not fitted on."""

LONGEST_OWNER = 120
"""How long an expression may be whose result is asked for its columns."""

MOST_COLUMNS = 8
"""How many columns of a table are listed."""


def find_likely_cause(context: RuleContext) -> tuple[str, str] | None:
    """(cause, advice) in sentences; None where the message says all that there is."""
    name = context.missing_name if context.failure.ename == "NameError" else ""
    if name:
        return _explain_name(context, name)
    if (repeated := _explain_repeated(context)) is not None:
        return repeated
    if context.failure.ename == "KeyError":
        return _explain_key(context, context.failure.evalue.strip("'\"")) or explain_plainly(context)
    if context.is_about_none:
        return _explain_none(context) or explain_plainly(context)
    if context.failure.ename == "ValueError" and UNEQUAL.search(context.failure.evalue):
        return _explain_lengths(context)
    if context.failure.ename in ("TypeError", "ValueError") and APART.search(context.failure.evalue):
        return _explain_difference(context) or _explain_pair(context)
    if context.failure.ename == "ValueError" and context.failure.evalue.startswith("Bin labels must be one fewer"):
        return _explain_bins(context)
    if context.failure.ename == "ValueError" and TRUTHS.match(context.failure.evalue):
        return _explain_truths(context)
    if context.failure.ename == "ValueError" and (unseen := UNSEEN.search(context.failure.evalue)) is not None:
        return _explain_unseen(unseen)
    if context.failure.ename == "IndexError" and context.failure.evalue == "no such group":
        return _explain_group(context)
    return explain_plainly(context)


def _explain_repeated(context: RuleContext) -> tuple[str, str] | None:
    """A cell that was copied, or was meant to run once: the same one above ran, and changed what both read."""
    own, changed = context.failure.source.strip(), src.find_names(context.failure.source)
    for cell in reversed(context.notebook.list_code_before(context.failure.cell_id)):
        if cell.source.strip() == own and not cell.failed and (changed.changes or changed.binds & changed.uses):
            name = context.notebook.name_cell(cell.id)
            return (
                f"C{name[1:]}, which is the same as this one, has run already, and changed what both of them read.",
                f"Run one of the two: take this cell out, or {name}.",
            )
        names = src.find_names(cell.source)
        if (names.binds | names.changes) & (changed.uses | changed.changes):
            return None  # what this one reads was changed in between
    return None


def _explain_unseen(told: re.Match[str]) -> tuple[str, str]:
    values = re.sub(r"np\.str_\((.*?)\)", r"\1", told["labels"] or told["categories"])
    where = f" of column {told['column']}" if told["column"] else ""
    advice = "Fit it on all values that are to be encoded"
    if told["categories"]:
        advice += ", or say what becomes of others: `handle_unknown='ignore'` for a OneHotEncoder, `'use_encoded_value'` for an OrdinalEncoder"
    return f"The encoder was fitted on other values{where}: it does not know {values}.", f"{advice}."


def _explain_name(context: RuleContext, name: str) -> tuple[str, str] | None:
    deletion = find_deletion(context, name)
    if deletion is not None:
        place = context.notebook.name_cell(deletion.cell_id)
        return f"`{name}` was deleted in {place}.", f"Remove `{name}` from the `del`, or use it before that cell."
    binds = [
        n for n, c in enumerate(context.notebook.cells) if c.kind == "code" and name in src.find_names(c.source).binds
    ]
    if not binds:
        if (absent := _explain_absent_library(context, name)) is not None:
            return absent
        return explain_local_name(context, name) or (
            f"`{name}` isn't defined anywhere in this notebook.",
            f"Define or import `{name}`, or correct its spelling.",
        )
    at = context.notebook.index(context.failure.cell_id)
    if 0 <= at < binds[0]:
        place = context.notebook.name_cell(context.notebook.cells[binds[0]].id)
        return (
            f"`{name}` is first defined in {place}, below this one.",
            "Move the definition above this cell.",
        )
    return None


def _explain_absent_library(context: RuleContext, name: str) -> tuple[str, str] | None:
    """``tf.constant(1)`` without TensorFlow: the usual alias of a library that is not installed, of which something is read."""
    usual = import_aliases().get(name, ())
    read = (n.value for n in ast.walk(context.tree) if isinstance(n, ast.Attribute))
    if not any(isinstance(n, ast.Name) and n.id == name for n in read) or not usual or any(context.can_import(usual)):
        return None
    module, item = usual[0]
    package = find_distribution(module.partition(".")[0])[0]
    return (
        f"`{name}` isn't imported, and `{module}`, which it usually stands for, isn't installed.",
        f"Run `%pip install {package}`, and add `{format_import(module, item, name)}`.",
    )


def _explain_key(context: RuleContext, key: str) -> tuple[str, str] | None:
    """A column that a cell above took away or called otherwise."""
    for read in context.list_failing_nodes(ast.Subscript):
        keys = context.keys(read.value) if context.read_plain_chain(read.value) else None
        if keys is not None and {f"{key}_x", f"{key}_y"} <= set(keys.columns):
            return (
                f"`{key}` was in both tables that were merged: it is `{key}_x` of the first one and `{key}_y` of the second.",
                f"Use `{key}_x` or `{key}_y`, or say `suffixes=` where they are merged.",
            )
    holding = _list_tables_with(context, key)
    if holding and any(read_last_name(call.func) in ("merge", "join") for call in context.list_calls_at_failure()):
        return (
            f"`{min(holding)}` has a column `{key}`, and the table that is joined with it has none.",
            "Say what each calls it: `left_on=` and `right_on=`.",
        )
    for cell in reversed(context.notebook.list_code_before(context.failure.cell_id)):
        for node in src.walk(cell.source):
            if isinstance(node, ast.Call) and src.find_root_name(node.func) in holding:
                continue  # it is there still: what was taken away was taken away elsewhere
            method = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""
            if method not in ("drop", "pop", "rename") or not key:
                continue
            names = {n.value: n for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
            place = context.notebook.name_cell(cell.id)
            if method == "rename" and (new := find_new_name(node, key)):
                return f"`{key}` was renamed to `{new}` in {place}.", f"Use `{new}` instead."
            if method != "rename" and key in names:
                return (
                    f"`{key}` was removed in {place}.",
                    f"Use `{key}` before that cell, or keep it there.",
                )
    return _explain_absent_column(context, key)


def _list_tables_with(context: RuleContext, key: str) -> set[str]:
    """The variables of the failing statement that are tables with such a column."""
    statement = context.failing_statement
    names = list_names(statement) if statement is not None else set()
    tables = (
        (name, context.keys(name)) for name in sorted(names) if context.state.names.get(name, ("",))[0] == "DataFrame"
    )
    return {name for name, keys in tables if keys is not None and key in keys.columns}


def _list_reads(context: RuleContext) -> Iterator[tuple[ast.expr, Sequence[ast.AST]]]:
    """What something is taken of at the failure, by a key or by a method, and what it is given: ``df`` and ``"town"`` of ``df.groupby("town")``."""
    for read in context.list_failing_nodes(ast.Subscript):
        yield read.value, [read.slice]
    for call in context.list_calls_at_failure():
        if isinstance(call.func, ast.Attribute):
            yield call.func.value, [*call.args, *call.keywords]


def _explain_absent_column(context: RuleContext, key: str) -> tuple[str, str] | None:
    """The columns that a table has, where the one that is read is none of them."""
    for owner, given in _list_reads(context):
        table = context.read_plain_chain(owner)
        asked = [n.value for part in given for n in ast.walk(part) if isinstance(n, ast.Constant)]
        is_result = not table and len(context.text(owner)) <= LONGEST_OWNER
        table = context.text(owner) if is_result else table
        keys = context.keys(table, calls=is_result) if table and key in asked else None
        if keys is None or keys.type != "DataFrame" or key in keys.columns:
            continue
        shown = ", ".join(f"`{c}`" for c in keys.columns[:MOST_COLUMNS]) + (
            ", …" if len(keys.columns) > MOST_COLUMNS else ""
        )
        index = f" `{key}` is its index." if key in keys.index_names else ""
        return (
            f"`{table}` has no column `{key}`. It has {shown or 'none'}.{index}",
            f"Read the one that is meant, or look where `{table}` is made: its data may differ from what the notebook was written for.",
        )
    return None


def _explain_none(context: RuleContext) -> tuple[str, str] | None:
    for name in context.list_names_of_none():
        assignment = context.find_last_assignment(name)
        if assignment is not None and isinstance(assignment[2].value, ast.Call):
            place = context.notebook.name_cell(assignment[0])
            made = " ".join(src.extract_text(assignment[1], assignment[2].value).split())[:80]
            return (
                f"`{name}` is None: `{made}` in {place} returned None.",
                f"Check why `{made}` returned nothing.",
            )
    return None


def _explain_lengths(context: RuleContext) -> tuple[str, str] | None:
    """The lengths of what a table is made of, by name, and which of them is not as the others are."""
    lengths: dict[str, int] = {}
    for call in context.list_calls_at_failure():
        given = next((a for a in (*call.args, *(k.value for k in call.keywords)) if isinstance(a, ast.Dict)), None)
        for key, value in zip(given.keys, given.values, strict=True) if given is not None else ():
            number = context.number(f"len({context.text(value)})") if not holds_call(value) else None
            if number is not None and key is not None:
                text = context.text(value)
                lengths[f"`{text}`" if len(text) <= 40 else f"column {context.text(key)}"] = int(number)
        if lengths:
            break
    if len(set(lengths.values())) < 2:
        return None
    told = ", ".join(f"{name} {length}" for name, length in lengths.items())
    usual, times = Counter(lengths.values()).most_common(1)[0]
    odd = [name for name, length in lengths.items() if length != usual]
    which = (
        f"Look where {odd[0]} is made: the others have {usual}."
        if times > 1 and len(odd) == 1
        else "Look where they are made."
    )
    return f"The columns have different lengths: {told}.", which


def _explain_difference(context: RuleContext) -> tuple[str, str] | None:
    """``plot(t, np.diff(v))``: of n values there are n - 1 differences."""
    for call in context.list_failing_nodes(ast.Call):
        for given in _list_paired(call):
            if (
                not isinstance(given, ast.Call)
                or read_last_name(given.func) != "diff"
                or len(given.args) != 1
                or given.keywords
            ):
                continue
            partner = next((p for p in _list_paired(call) if p is not given and isinstance(p, ast.Name)), None)
            made = context.text(given.args[0])
            if (
                partner is not None
                and not holds_call(given.args[0])
                and context.is_true(f"len({made}) == len({context.text(partner)}) and getattr({made}, 'ndim', 1) == 1")
            ):
                text, name = context.text(given), context.text(partner)
                return (
                    f"`{text}` has one value fewer than what it is made of, and `{name}` is as long as that.",
                    f"Give `{name}[1:]`, the ends of the steps, or `{name}[:-1]`, their beginnings.",
                )
    return None


def _explain_bins(context: RuleContext) -> tuple[str, str] | None:
    """How many groups the edges make, and how many labels there are for them."""
    for call in context.list_failing_nodes(ast.Call):
        named = {k.arg: k.value for k in call.keywords} if isinstance(call, ast.Call) else {}
        edges = named.get("bins") or (call.args[1] if isinstance(call, ast.Call) and len(call.args) > 1 else None)
        labels = named.get("labels")
        if edges is None or labels is None or "duplicates" in named or holds_call(edges) or holds_call(labels):
            continue
        numbers = [context.number(f"len({context.text(n)})") for n in (edges, labels)]
        if None not in numbers:
            made, given = int(numbers[0] or 0) - 1, int(numbers[1] or 0)
            return (
                f"{made + 1} edges make {made} group{'s' * (made != 1)}, and there {f'are {given} labels' if given != 1 else 'is 1 label'}.",
                "Add the label that is missing, or take an edge out."
                if given < made
                else "Take a label out, or add the edge that is missing.",
            )
    return None


def _explain_truths(context: RuleContext) -> tuple[str, str] | None:
    """``if series > 3``: the condition holds for some values and not for others; ``if table``: it is none at all."""
    statement = context.failing_statement
    test = statement.test if isinstance(statement, ast.If | ast.While) else None
    size = context.number(f"({context.text(test)}).size") if test is not None and not holds_call(test) else None
    if test is None or size is None:
        return None
    text = context.text(test)
    if not isinstance(test, ast.Compare) and not context.is_true(f"({text}).dtype.kind == 'b'"):
        return (
            f"`{text}` holds {int(size)} values, and one truth value is asked for.",
            f"Say what is asked of them: `len({text}) > 0` is whether there are any.",
        )
    axis = "axis=None" if "DataFrame" in context.failure.evalue else ""
    return (
        f"`{text}` is {int(size)} truth values, and one is asked for.",
        f"Say which: `({text}).any({axis})` or `({text}).all({axis})`; to choose value by value, `np.where({text}, …, …)`.",
    )


def _explain_pair(context: RuleContext) -> tuple[str, str] | None:
    """The lengths of two things that are drawn, reckoned or stored pair by pair; of arrays of more dimensions their shapes."""
    statement = context.failing_statement
    for node in (*context.list_failing_nodes(ast.BinOp, ast.Call), *([statement] if statement is not None else [])):
        paired = [
            n for n in _list_paired(node) if not holds_call(n) and not isinstance(n, ast.Constant | ast.JoinedStr)
        ]
        operands = {text: context.operand(n) for n in paired if len(text := context.text(n)) <= 40}
        is_of_arrays = "broadcast" in context.failure.evalue
        if is_of_arrays and any((context.number(f"{o}.ndim") or 0) > 1 for o in operands.values()):
            sizes = _list_shapes(context, operands)
            told, advice = (
                "shapes",
                "Look where they are made: counted from the last, each dimension must be equal, or 1 in one of them.",
            )
        else:
            sizes = _list_lengths(context, operands)
            told, advice = "lengths", "Look where they are made: each value needs its partner."
        if len(sizes) > 1 and len(set(sizes.values())) > 1:
            return (
                f"They have different {told}: {', '.join(f'`{text}` {size}' for text, size in sizes.items())}.",
                advice,
            )
    return None


def _list_shapes(context: RuleContext, operands: Mapping[str, str]) -> dict[str, str]:
    values = context.values([f"{operand}.shape" for operand in operands.values()])
    return {text: value.text for text, value in zip(operands, values, strict=True) if value is not None}


def _list_lengths(context: RuleContext, operands: Mapping[str, str]) -> dict[str, str]:
    """Lengths of what is no text: a text stands for one value, or for a column's name."""
    numbers = {text: context.number(f"len({o}) if not isinstance({o}, str) else None") for text, o in operands.items()}
    return {text: str(int(number)) for text, number in numbers.items() if number is not None}


def _list_paired(node: ast.AST) -> list[ast.expr]:
    """What a call, an operation or an assignment to a column takes pair by pair."""
    if isinstance(node, ast.Call):
        return [*node.args[:2], *(k.value for k in node.keywords if k.arg in ("x", "y", "height", "width", "s", "c"))]
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    return [target.value, node.value] if isinstance(node, ast.Assign) and isinstance(target, ast.Subscript) else []


def _explain_group(context: RuleContext) -> tuple[str, str] | None:
    """How many groups, or which ones, the pattern has."""
    for call in context.list_failing_nodes(ast.Call):
        owner = context.read_plain_chain(call.func.value) if isinstance(call.func, ast.Attribute) else None
        count = context.number(f"{owner}.re.groups") if owner else None
        asked = [a.value for a in call.args if isinstance(a, ast.Constant)]
        if owner is None or count is None:
            continue
        has = f"The pattern has {int(count) or 'no'} group{'s' * (count != 1)}"
        for group in asked:
            if isinstance(group, str) and context.is_true(f"{group!r} not in {owner}.re.groupindex"):
                return f"{has}, and none that is called `{group}`.", f"Name one in the pattern: `(?P<{group}>…)`."
            if isinstance(group, int) and group > count:
                return f"{has}: there is no group {group}.", _advise_group(int(count))
    return None


def _advise_group(count: int) -> str:
    if not count:
        return "Put brackets around what it is to hold, or ask for `0`, the whole match."
    which = "group 1" if count == 1 else f"one of 1 to {count}"
    return f"Ask for {which}, or put brackets around what it is to hold."
