"""PDA164: `astype(str)` that leaves missing values missing since pandas 3, where it wrote them as text before."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from jupyter_selfheal import source as src
from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import Splice
from jupyter_selfheal.healers.rules.context.lost_writes import OF_EVERY_TABLE
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.replay import change_and_replay, list_statements_above
from jupyter_selfheal.healers.rules.context.text_questions import RELEASE
from jupyter_selfheal.model import Applicability, Patch

WRITTEN = ("nan", "None", "NaT", "<NA>")
"""What `astype(str)` made of missing values until pandas 3: the ``str`` of each."""

TREATED = frozenset(
    {"fillna", "dropna", "isna", "isnull", "notna", "notnull", "isnan", "replace", "ffill", "bfill", "interpolate"}
)
"""What treats missing values, or asks for them."""

OTHER_MISSING = re.compile(r"\b(?:None|NaT|NA)\b")
TYPED = frozenset({"parse_dates", "dtype", "converters", "dtype_backend"})
"""What makes another missing value than NaN: words behind a table's file, and arguments of what reads it."""


class _Cast(NamedTuple):
    """A call of ``astype(str)``, what it wrote for missing values, and whether that is known."""

    cell_id: str
    source: str
    call: ast.Call
    text: str
    is_known: bool


class _Above(NamedTuple):
    """The statements that the failing cell's values come from; by name, which of them set it or which part of it (one behind the last:
    other cells do); and which name another missing value than NaN."""

    statements: list[tuple[str, str, ast.stmt]]
    setters: dict[str, list[tuple[int, str]]]
    odd: list[int]


class MissingAsText(Rule):
    """Write missing values as the text that they were.

    **Failure** Any that comes of a missing value among texts, often below `df["c"] = df["c"].astype(str)`: `TypeError: '<' not supported between
    instances of 'float' and 'str'`, `object of type 'float' has no len()`, `Encoders require their input argument must be uniformly strings or numbers`.
    Since pandas 3.0 `astype(str)` leaves missing values as they are.

    **Fix** `df["c"].astype(str).fillna('nan')`, in every such call that the failing cell's values come from and whose column has missing values (`'NaT'` for
    dates, `'<NA>'` for `Int64`, `'None'` for objects that are). The cells that made them run again, from the first on.

    **Fix safety** Safe where it is known what the call wrote until pandas 3.0: the column is still there and is none of texts, or its table was read by `read_csv`
    and only that set the column. Unsafe elsewhere (a text may have been missing as `None`, which was written `'None'`), and where what comes of the cast is
    filled, dropped or asked for as missing anywhere below it. Silent for a cast of what holds nothing missing, where it is treated in the
    same expression, and where missing values of several kinds are in one column.
    """

    code = "PDA164"
    name = "missing values that were text"
    stage = Stage.LIBRARY
    enames = frozenset({"TypeError", "ValueError", "AttributeError", "IntCastingNaNError", "KeyError"})
    message = re.compile(
        r"between instances of '(?:float|str)' and '(?:str|float)'|'float' has no len|type '?float'? is not iterable|argument of type 'float'|"
        r"'float' object (?:is not|has no attribute)|got '?float'?|uniformly strings or numbers|np\.nan is an invalid document|float found|"
        r"unsupported operand type\(s\) for \+: '(?:float|str)' and '(?:str|float)'|can only concatenate str|"
        r"[Cc]annot convert (?:float NaN|non-finite values)|contains NaN|^nan$|^'nan'$"
    )
    applicability = Applicability.SAFE
    restores = "pandas 3.0"
    why = "Until pandas 3.0 `astype(str)` wrote missing values as text (https://pandas.pydata.org/docs/whatsnew/v3.0.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        casts = list(_list_casts(context))
        if not casts or (context.number(RELEASE) or 0) < 3:
            return
        splices: dict[str, list[Splice]] = {}
        for cast in casts:
            end = src.find_span(cast.source, cast.call)[1]
            splices.setdefault(cast.cell_id, []).append((end, end, f".fillna({cast.text!r})"))
        if not (edits := change_and_replay(context, splices)):
            return
        doubt = (
            "What the missing values were before the cast is not known: `None` was written as `None`."
            if not all(cast.is_known for cast in casts)
            else "What comes of the cast is treated as missing elsewhere."
            if _are_treated(context, casts)
            else ""
        )
        yield self.patch(
            edits,
            f"Write missing values as text: `{src.extract_text(casts[0].source, casts[0].call)}.fillna({casts[0].text!r})`",
            f"Since pandas 3.0, `astype(str)` leaves missing values missing: it wrote them as text, `{casts[0].text}`.",
            applicability=Applicability.UNSAFE if doubt else self.applicability,
            why=doubt,
            prior=0.9,
        )


def _list_casts(context: RuleContext) -> Iterator[_Cast]:
    """The casts of columns with missing values that the failing cell's values come from."""
    above = _survey_above(context)
    for at, (cell_id, source, statement) in enumerate(above.statements):
        for call in _find_casts(statement):
            assert isinstance(call.func, ast.Attribute)
            column = src.extract_text(source, call.func.value)
            if _has_missing(context, column):
                text, is_known = _find_written(context, above, at, call.func.value, column)
                if text:
                    yield _Cast(cell_id, source, call, text, is_known)


def _find_casts(statement: ast.stmt) -> Iterator[ast.Call]:
    """``x.astype(str)`` and ``x.astype("str")`` whose missing values are not treated in the same expression."""
    nodes = list(ast.walk(statement))
    treated = {id(inner) for n in nodes for tree in _list_treated(n) for inner in ast.walk(tree)}
    for node in nodes:
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "astype"):
            continue
        given = node.args[0] if len(node.args) == 1 and not node.keywords else None
        is_text = (isinstance(given, ast.Name) and given.id == "str") or (
            isinstance(given, ast.Constant) and given.value == "str"
        )
        if is_text and id(node) not in treated:
            yield node


def _list_treated(node: ast.AST) -> list[ast.expr]:
    """What a node treats as missing: ``x`` of ``x.fillna``, ``x`` of ``isna(x)``."""
    if isinstance(node, ast.Attribute) and node.attr in TREATED:
        return [] if isinstance(node.value, ast.Attribute) and node.value.attr == "str" else [node.value]
    return node.args if isinstance(node, ast.Call) and read_last_name(node.func) in TREATED else []


def _has_missing(context: RuleContext, column: str) -> bool:
    """True where an expression, read at the failure, is a column or a table with missing values in it."""
    if not context.describe_all([column])[0].is_a("pandas.Series", "pandas.DataFrame"):
        return False
    return context.is_true(f"__import__('numpy').any({column}.isna())")


# --- what was written


def _survey_above(context: RuleContext) -> _Above:
    statements = list(list_statements_above(context))
    setters: dict[str, list[tuple[int, str]]] = {}
    odd = [
        at for at, (_, source, node) in enumerate(statements) if OTHER_MISSING.search(src.extract_text(source, node))
    ]
    sliced = {cell_id for cell_id, *_ in statements}
    later = [c.source for c in context.notebook.list_code_before(context.failure.cell_id) if c.id not in sliced]
    nodes = [(at, n) for at, (*_, node) in enumerate(statements) for n in ast.walk(node)]
    nodes += [(len(statements), n) for source in later for n in src.walk(source)]
    for at, node in nodes:
        if isinstance(getattr(node, "ctx", None), ast.Store) and not isinstance(node, ast.Tuple | ast.List):
            root, key = _find_place(node) or (src.find_root_name(node), "")
            setters.setdefault(root, []).append((at, key))
    return _Above(statements, setters, odd)


def _find_written(context: RuleContext, above: _Above, at: int, node: ast.expr, column: str) -> tuple[str, bool]:
    """What the cast in a statement wrote for missing values, and whether that is known; empty where it wrote several things."""
    root, key = _find_place(node) or (src.find_root_name(node), "")
    setters = [n for n, part in above.setters.get(root, ()) if not part or not key or part == key]
    if max(setters, default=-1) < at:  # it is still what was cast
        kinds = f"set(map({WRITTEN}.index, map(str, {column}[{column}.isna()].unique())))"
        number = context.number(f"max({kinds}) if len({kinds}) == 1 else -1")
        if number is not None and number < 0:
            return "", False
        if number or (number == 0 and context.is_true(f"str({column}.dtype) not in ('str', 'object')")):
            return WRITTEN[int(number)], True
    before = [n for n in setters if n < at]
    made = above.statements[before[0]][2] if len(before) == 1 else None
    call = made.value if isinstance(made, ast.Assign) else None
    is_of_file = (
        isinstance(call, ast.Call)
        and read_last_name(call.func) in ("read_csv", "read_table")
        and TYPED.isdisjoint(k.arg or "dtype" for k in call.keywords)
        and not any(before[0] < n < at for n in above.odd)
    )
    return WRITTEN[0], is_of_file


# --- what comes of it


def _find_place(node: ast.AST) -> tuple[str, str] | None:
    """The name and the column of ``df["c"]`` and ``df.c``; ``("df", "")`` of ``df``; None of anything else."""
    if isinstance(node, ast.Name):
        return node.id, ""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.value.id, "" if node.attr in OF_EVERY_TABLE else node.attr
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and isinstance(node.slice, ast.Constant):
        return node.value.id, str(node.slice.value)
    return None


def _list_places(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """The places that an expression reads; the table where a method of it is called."""
    if (place := _find_place(tree)) is not None:
        yield place
    elif isinstance(tree, ast.Subscript) and isinstance(tree.value, ast.Name) and isinstance(tree.slice, ast.List):
        yield from ((tree.value.id, str(e.value) if isinstance(e, ast.Constant) else "") for e in tree.slice.elts)
    else:
        for child in ast.iter_child_nodes(tree):
            is_method = isinstance(tree, ast.Call) and child is tree.func and isinstance(child, ast.Attribute)
            yield from _list_places(child.value if is_method and isinstance(child, ast.Attribute) else child)


def _find_derived(tree: ast.AST, derived: dict[str, set[str]]) -> set[str]:
    """Which columns of what an expression gives come of a cast; the empty name for all of it."""
    found: set[str] = set()
    for root, key in _list_places(tree):
        columns = derived.get(root, set())
        found |= {""} if "" in columns or key in columns else set() if key else columns
    return found


def _are_treated(context: RuleContext, casts: list[_Cast]) -> bool:
    """True where what comes of the casts is treated as missing, in any cell from them on."""
    places = {(c.cell_id, c.call.lineno, c.call.col_offset) for c in casts}
    derived: dict[str, set[str]] = {}
    for cell in context.notebook.cells:
        for statement in src.list_statements(cell.source) if cell.kind == "code" else ():
            nodes = list(ast.walk(statement.node))
            is_cast = any((cell.id, n.lineno, n.col_offset) in places for n in nodes if isinstance(n, ast.Call))
            for node in nodes:
                value = getattr(node, "iter", None) or getattr(node, "value", None)
                targets = getattr(node, "targets", None) or [t for t in (getattr(node, "target", None),) if t]
                found = ({""} if is_cast else _find_derived(value, derived)) if targets and value else set()
                for root, key in (p for t in targets for p in _list_places(t)) if found else ():
                    derived.setdefault(root, set()).update({key} if key else found)
            if any(_find_derived(tree, derived) for n in nodes for tree in _list_treated(n)):
                return True
    return False
