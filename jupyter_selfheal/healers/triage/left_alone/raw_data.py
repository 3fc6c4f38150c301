"""Data at fault: an assert finds something wrong in them, or a value is missing where a number is wanted."""

from __future__ import annotations

import ast
import calendar
import re
from collections.abc import Iterable, Iterator

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import RuleContext
from jupyter_selfheal.healers.rules.context.nodes import find_function
from jupyter_selfheal.healers.rules.named_argument import NO_DAY
from jupyter_selfheal.healers.triage.left_alone._checks import Remedies, find_cell, leave_alone
from jupyter_selfheal.healers.triage.left_alone.meant import is_checked
from jupyter_selfheal.inside.tree_names import read_called_name
from jupyter_selfheal.model import Diagnosis, Locus, SkipReason

TINY = 0.01
"""A bound that only what was computed to be zero is held to."""


CONVERTED = re.compile(
    r"(?:could not convert string to float: |invalid literal for int\(\) with base 10: |Unable to parse string )(['\"])(?P<text>.*?)\1"
)
ISO_DATE = re.compile(r"\b([12]\d{3})-(\d\d)-(\d\d)\b")
DAMAGED = re.compile(r"\d[\d.,]*[OolI][\d.,]*|[OolI][\d.,]*\d")
"""A number with a letter that looks like a digit: ``7,1O``, ``l2``."""
MARKS = frozenset(
    {
        "",
        "n/a",
        "na",
        "n.a.",
        "#n/a",
        "nan",
        "none",
        "null",
        "?",
        "??",
        "-",
        "--",
        ".",
        "unknown",
        "missing",
        "tbd",
        "not available",
        "no data",
        "error",
    }
)
"""What people write where a value is missing."""


def diagnose_gap(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    """``int("n/a")`` of what the data hold, or None among the numbers, where nothing says what should come out."""
    if context.failure.ename not in ("ValueError", "TypeError", "DateParseError"):
        return None
    told = CONVERTED.search(context.failure.evalue)
    if NO_DAY.search(context.failure.evalue):
        is_computed = bool(context.list_nodes_on_line(ast.BinOp))  # `date(y, m + 1, 1)` is the code's fault
        gap = "" if is_computed else _find_impossible_date(context)
    elif told is not None:
        text = told["text"].strip()
        is_damaged = DAMAGED.fullmatch(text) is not None
        gap = (f"`{text}`" if text else "an empty text") if is_damaged or text.casefold() in MARKS else ""
    else:
        gap = _find_written_gap(context)
    if not gap or is_checked(context) or remedies.has_remedy(context):
        return None
    return leave_alone(
        f"The data hold {gap}{'' if 'date' in gap else ' where a number is wanted'}.", SkipReason.BAD_DATA,
        "Decide what it stands for: leave it out, or put another value in its place. Nothing here says which.", Locus.CODE, 85,
    )  # fmt: skip


def _find_impossible_date(context: RuleContext) -> str:
    """What the message, or a text that the failing cell comes to, has for a day that no month has: "a date that does not exist, `2023-02-30`"."""
    sources = (context.failure.source, *_list_needed(context, src.find_names(context.failure.source).uses))
    texts = (n.value for source in sources for n in src.walk(source) if isinstance(n, ast.Constant))
    for text in (context.failure.evalue, *(t for t in texts if isinstance(t, str))):
        for year, month, day in ISO_DATE.findall(text):
            if not (1 <= int(month) <= 12 and 1 <= int(day) <= calendar.monthrange(int(year), int(month))[1]):
                return f"a date that does not exist, `{year}-{month}-{day}`"
    return "a date that does not exist"


def _list_needed(context: RuleContext, wanted: Iterable[str]) -> list[str]:
    """The cells above that make what these names are."""
    above = [c.source for c in context.notebook.list_code_before(context.failure.cell_id)]
    return [above[n] for n in src.find_backward_slice(above, wanted)]


def _find_written_gap(context: RuleContext) -> str:
    """What stands among the numbers of a collection that the failing code reads, and is none: "`None` in `prices`"."""
    if not re.search(r"NoneType|'str'", context.failure.evalue):
        return ""
    statements = [context.failing_statement, find_function(context.source, context.line)]
    names = {n.id for s in statements if s is not None for n in ast.walk(s) if isinstance(n, ast.Name)}
    for cell in (*context.notebook.list_code_before(context.failure.cell_id), find_cell(context)):
        for node in src.walk(cell.source):
            if (
                not isinstance(node, ast.Assign)
                or not isinstance(node.targets[0], ast.Name)
                or node.targets[0].id not in names
            ):
                continue
            for column in _list_columns(node.value):
                gaps = [
                    v.value for v in column if _is_gap(v.value, marked=isinstance(node.value, ast.Dict | ast.Tuple))
                ]
                if gaps and sum(type(v.value) in (int, float) for v in column) >= max(2, len(gaps)):
                    return f"`{gaps[0]!s}` in `{node.targets[0].id}`"
    return ""


def _is_gap(value: object, *, marked: bool) -> bool:
    """Whether it is None or a text without digits; ``marked``: only one that people write for a gap, as in a record, which may hold any."""
    if isinstance(value, str):
        return value.strip().casefold() in MARKS if marked else re.search(r"\d", value) is None
    return value is None


def _list_columns(value: ast.expr) -> Iterator[list[ast.Constant]]:
    """The written values of a list, or of each field of a list of records."""
    items = (
        value.values if isinstance(value, ast.Dict) else value.elts if isinstance(value, ast.List | ast.Tuple) else []
    )
    columns: dict[object, list[ast.expr]] = {None: list(items)}
    for item in items:
        if isinstance(item, ast.Dict):
            for key, part in zip(item.keys, item.values, strict=True):
                columns.setdefault(getattr(key, "value", ""), []).append(part)
        elif isinstance(item, ast.List | ast.Tuple):
            for n, part in enumerate(item.elts):
                columns.setdefault(n, []).append(part)
    for column in columns.values():
        yield [v for v in column if isinstance(v, ast.Constant)]


def diagnose_record(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    """A key that one of several records lacks and another one has, or one that an answer lacks which tells of an error."""
    key = context.failure.evalue
    nodes = [n for n in context.list_failing_nodes(ast.Subscript) if repr(getattr(n.slice, "value", None)) == key]
    owner = nodes[0].value if context.failure.ename == "KeyError" and nodes else None
    if not isinstance(owner, ast.Name):
        return None
    loops = [n for n in ast.walk(context.tree) if isinstance(n, ast.For | ast.comprehension)]
    own = [n for n in loops if isinstance(n.target, ast.Name) and n.target.id == owner.id]
    items = context.read_plain_chain(own[0].iter) if len(own) == 1 else None
    if items and context.is_true(
        f"all(isinstance(i, dict) for i in {items}) and any({key} in i for i in {items}) and any({key} not in i for i in {items})"
    ):
        cause = f"Some of `{items}` have no {key}, and others have."
    elif context.is_true(
        f"isinstance({owner.id}, dict) and {key} not in {owner.id} and (any({owner.id}.get(k) for k in ('error', 'errors', 'error_message')) or {owner.id}.get('status') in ('error', 'fail', 'failed'))"
    ):
        cause = f"`{owner.id}` tells of an error, and has no {key}."
    else:
        return None
    if is_checked(context) or remedies.has_remedy(context):
        return None
    advice = "Decide what is to become of such a record: nothing here says it."
    return leave_alone(cause, SkipReason.BAD_DATA, advice, Locus.CODE, 85)


_TO_DO = re.compile(
    r"(?i)\bto-?do\b|\bfixme\b|\byour (?:own )?(?:answer|code|solution)\b|\bnot (?:yet )?(?:done|finished|implemented)\b"
)
"""What an assert says of work that is open."""


def diagnose_bad_data(context: RuleContext, remedies: Remedies) -> Diagnosis | None:
    """An assert that finds something in the data, not in a function of the notebook or in a computed value."""
    statement = context.failing_statement
    if context.failure.ename != "AssertionError" or not isinstance(statement, ast.Assert):
        return None
    if (
        context.location[0] != context.failure.cell_id
        or (_compares_a_result(statement.test) and not _asks_of_size(context, statement.test))
        or _uses_own_functions(context, statement)
        or remedies.has_safe_remedy(context)  # a library that does otherwise than it did, above
    ):
        return None
    if isinstance(statement.test, ast.Constant) or (
        statement.msg is not None and _TO_DO.search(ast.unparse(statement.msg))
    ):
        advice = "Complete the cell: only you know what belongs there."
        return leave_alone(
            "The assert says that something is still to be done.", SkipReason.SKELETON, advice, Locus.CODE
        )
    return leave_alone(
        "The assert found something wrong in the data.", SkipReason.BAD_DATA,
        "Check the data it names. The assert is right, so it was kept.", Locus.CODE, 85,
    )  # fmt: skip


def _asks_of_size(context: RuleContext, test: ast.expr) -> bool:
    """``df.shape == (891, 12)`` of a table as it was read, ``len(merged) == len(orders)`` of one that was joined: how many rows there are, the data decide."""
    match test:
        case ast.Compare(left, [ast.Eq()], [right]):
            sizes = [_find_measured(side) for side in (left, right)]
        case _:
            return False
    first, second = sizes
    if first and second:
        joined = [(a, b) for a, b in ((first, second), (second, first)) if _is_made_by(context, a, _JOINING, b)]
        return bool(joined) and context.is_true(f"len({joined[0][0]}) > len({joined[0][1]})")
    other = right if first else left
    table = first or second
    if table and context.is_true(f"any(s in str({table}.columns[0]) for s in ';|\\t')"):
        return False  # the columns are apart by another sign than the one that it was read by
    written = all(isinstance(n, ast.Constant | ast.Tuple | ast.expr_context) for n in ast.walk(other))
    return bool(table) and written and _is_made_by(context, table, _READING, "")


_JOINING = frozenset({"merge", "join"})
_READING = frozenset(
    {"read_csv", "read_excel", "read_json", "read_table", "read_parquet", "read_sql", "read_sql_query"}
)


def _find_measured(node: ast.expr) -> str:
    """The table whose size an expression is: ``df`` of `df.shape`, `df.shape[0]` and `len(df)`; empty for anything else."""
    match node:
        case ast.Subscript(ast.Attribute(ast.Name(name), "shape"), ast.Constant()):
            return name
        case ast.Attribute(ast.Name(name), "shape") | ast.Call(ast.Name("len"), [ast.Name(name)]):
            return name
    return ""


def _is_made_by(context: RuleContext, name: str, makers: frozenset[str], of: str) -> bool:
    """Whether nothing but one call of one of the makers binds or changes a table; ``of``: what that is called on, or given first."""
    above = context.notebook.list_code_before(context.failure.cell_id)
    texts = [
        src.extract_text(c.source, s.node) for c in (*above, find_cell(context)) for s in src.list_statements(c.source)
    ]
    made = [t for t in texts if name in (names := src.find_names(t)).binds | names.changes]
    match src.parse(made[0]) if len(made) == 1 else None:
        case ast.Module([ast.Assign(_, ast.Call() as call)]) if read_called_name(call) in makers:
            owner = call.func.value if isinstance(call.func, ast.Attribute) else None
            if any(k.arg == "how" and getattr(k.value, "value", "") == "cross" for k in call.keywords):
                return False  # each row with each: the code says so, not the data
            return not of or of in {getattr(n, "id", "") for n in (owner, *call.args[:1])}
    return False


def _compares_a_result(test: ast.expr) -> bool:
    """True for ``total == 7``, ``isclose(x, 3.2)``, ``abs(x - 3.2) < 1e-9``: a test of what was computed."""
    if isinstance(test, ast.BoolOp):
        return any(_compares_a_result(v) for v in test.values)
    if isinstance(test, ast.Compare):
        return any(isinstance(op, ast.Eq | ast.Is) for op in test.ops) or _is_near(test)
    if isinstance(test, ast.Call) and _is_elementwise(test):
        return True
    names = {n.attr if isinstance(n, ast.Attribute) else getattr(n, "id", "") for n in ast.walk(test)}
    return bool(names & {"isclose", "allclose", "equals", "array_equal", "approx"})


def _is_elementwise(call: ast.Call) -> bool:
    """``(C == np.array([[2, 1], [4, 3]])).all()``: each item of a result against values that are written down."""
    compared = call.func.value if isinstance(call.func, ast.Attribute) and not call.args else call.args[:1]
    test = compared[0] if isinstance(compared, list) and compared else compared
    name = read_called_name(call)
    if name != "all" or not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq):
        return False
    return any(isinstance(n, ast.List | ast.Tuple) for n in ast.walk(test.comparators[0]))


def _is_near(test: ast.Compare) -> bool:
    """``abs(a - b) < eps`` and ``abs(integral) < 1e-6``, and the same of NumPy: equal but for rounding."""
    call = test.left
    bound = test.comparators[0]
    is_small = isinstance(bound, ast.Constant) and isinstance(bound.value, float) and bound.value <= TINY
    name = call.func if isinstance(call, ast.Call) else None
    return (
        isinstance(call, ast.Call)
        and len(call.args) == 1
        and (is_small or (isinstance(call.args[0], ast.BinOp) and isinstance(call.args[0].op, ast.Sub)))
        and (name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")) in ("abs", "fabs", "absolute")
        and all(isinstance(op, ast.Lt | ast.LtE) for op in test.ops)
    )


def _uses_own_functions(context: RuleContext, statement: ast.stmt) -> bool:
    """True where a function of the notebook took part in what the assert looks at."""
    above = context.notebook.list_code_before(context.failure.cell_id)
    texts = [context.failure.source, *_list_needed(context, src.collect_names([statement]).uses)]
    defined = {
        n.name for c in (*above, find_cell(context)) for n in src.walk(c.source) if isinstance(n, ast.FunctionDef)
    }
    called = {
        n.func.id if isinstance(n.func, ast.Name) else getattr(n.func, "attr", "")
        for text in texts
        for n in src.walk(text)
        if isinstance(n, ast.Call)
    }
    return bool(defined & called)
