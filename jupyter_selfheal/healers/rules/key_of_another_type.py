"""KEY106: a number that is asked for where the keys are texts, or a text where they are numbers."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext
from jupyter_selfheal.healers.rules.context.edits import quote_alike
from jupyter_selfheal.healers.rules.context.nodes import read_last_name, read_literal, read_plain_chain
from jupyter_selfheal.healers.rules.near_key import is_reckoned
from jupyter_selfheal.model import Applicability, Patch

MISSING = re.compile(r"^(?:np\.int\d+\()?(?P<quote>'?)(?P<key>-?\d{1,18})(?P=quote)\)?$")
WRITTEN = re.compile(r"0|-?[1-9]\d*")
"""Numbers whose text is the only one for them: `007` is a code."""


_COLUMNS = ".columns.get_level_values(0)"
_AMONG_COLUMNS = " if str(k).lstrip('-').isdecimal()"
"""Years stand beside words as the names of columns: those that are whole numbers, or texts of them, tell."""


class KeyOfAnotherType(Rule):
    """Ask for a key in the type that the keys have.

    **Failure** `KeyError: 1` at `users[1]`, where the keys come from JSON and are texts; `KeyError: '2000'` at `df.loc["2000"]` or
    `names[parts[0]]`, where the keys are whole numbers.

    **Fix** `users["1"]`, `df.loc[2000]`; `users[str(n)]`, `names[int(parts[0])]` where the key is computed. `row["city"]` for `row[1]` of `csv.DictReader`, and `csv.DictReader` for `csv.reader` whose rows are read by the names in the first one.

    **Fix safety** Safe: all keys (of columns: all that are whole numbers or texts of them) are of the other type, and the very key is among them. Silent where they are mixed, where the key is in
    neither type, where it is written to, and for texts as `007`.
    """

    code = "KEY106"
    name = "key of another type"
    enames = frozenset({"KeyError", "TypeError"})
    message = re.compile(rf"{MISSING.pattern}|^list indices must be integers or slices, not str$")
    applicability = Applicability.SAFE
    why = "All keys are of the other type, and this one is among them."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        told = MISSING.match(context.failure.evalue)
        if told is None or not told["quote"]:
            yield from self._read_rows(context, is_list=told is None)
        if told is None or not WRITTEN.fullmatch(told["key"]):
            return
        is_text = bool(told["quote"])
        there = told["key"] if is_text else repr(told["key"])
        wanted = "int" if is_text else "str"
        for node in context.list_failing_nodes(ast.Subscript):
            owner = _find_keys(context, node)
            if owner is None or not isinstance(node.ctx, ast.Load):
                continue
            kinds = f"{{type(k).__name__ for k in ({owner}){_AMONG_COLUMNS if owner.endswith(_COLUMNS) else ''}}}"
            if not context.is_true(f"{there} in ({owner}) and {kinds} == {{{wanted!r}}}"):
                continue
            key = _find_key(context, node, told["key"], is_text)
            if key is None:
                continue
            written = there if not isinstance(key, ast.Constant) else _quote_as(context, told["key"], is_text)
            new = written if isinstance(key, ast.Constant) else f"{wanted}({context.text(key)})"
            yield self.patch(
                context.replace_here((*context.span(key), new)),
                f"Ask for `{new}`",
                f"The keys are {'whole numbers' if is_text else 'texts'}, and `{context.text(key)}` is {'a text' if is_text else 'a number'}.",
                prior=0.9,
            )
            return

    def _read_rows(self, context: RuleContext, *, is_list: bool) -> Iterator[Patch]:
        """``row["name"]`` of `csv.reader`, whose first row holds the names; ``row[1]`` of `csv.DictReader`, whose rows have them in the file's order."""
        readers = [c for c in context.walk(ast.Call) if read_last_name(c.func) in ("reader", "DictReader")]
        nodes = context.list_failing_nodes(ast.Subscript)
        row = context.text(nodes[0].value) if nodes and context.read_plain_chain(nodes[0].value) else ""
        reads = [n for n in context.walk(ast.Subscript) if context.text(n.value) == row]
        keys = [read_literal(n.slice)[1] for n in reads]
        is_whole = sum(context.text(n) == row for n in context.walk(ast.Name, ast.Attribute)) > len(reads) + 1
        if not row or len(readers) != 1 or len(readers[0].args) != 1:
            return
        start, end = context.span(readers[0].func)
        called = context.source[start:end]
        if (
            is_list
            and called.endswith(".reader")
            and context.is_true(f"all(k in {row} for k in {keys}) and str is type({keys}[0])")
        ):
            new = f"{called[:-6]}DictReader"
            yield self.patch(
                context.replace_here((start, end, new)),
                f"Read the rows with `{new}`",
                f"`{called}` gives lists; the names of the columns stand in the first of them.",
                applicability=Applicability.UNSAFE if is_whole else Applicability.SAFE,
                why="The row is used as a list, too."
                if is_whole
                else "The first row holds these names, and `DictReader` reads each row by them.",
                prior=0.93,
            )
        names = context.keys(row)
        if (
            is_list
            or names is None
            or not called.endswith("DictReader")
            or not all(isinstance(k, str) for k in names.keys)
        ):
            return
        if all(type(k) is int and 0 <= k < len(names.keys) for k in keys) and len(names.keys) == names.length:
            written = [quote_alike(str(names.keys[k]), context.source) for k in keys if isinstance(k, int)]
            yield self.patch(
                context.replace_here(*((*context.span(n.slice), name) for n, name in zip(reads, written, strict=True))),
                f"Use `{row}[{written[0]}]`",
                f"A row of `DictReader` is read by the names of the columns: {', '.join(map(repr, names.keys))}.",
                why="The rows have their columns in the file's order, so that each place has its name.",
                prior=0.9,
            )


def _quote_as(context: RuleContext, key: str, is_text: bool) -> str:
    """The key in the other type, in the quotes that the cell uses."""
    if is_text:
        return key
    return quote_alike(key, context.source)


def _find_keys(context: RuleContext, node: ast.Subscript) -> str | None:
    """What holds the keys: the dictionary itself, a table's columns, the index of a series or of `.loc`, of what is only reckoned of a table, too."""
    value = node.value
    is_label = isinstance(value, ast.Attribute) and value.attr in ("loc", "at")
    holder = value.value if isinstance(value, ast.Attribute) and is_label else value
    owner = read_plain_chain(holder, context.source) or (context.text(holder) if is_reckoned(holder) else None)
    if owner is None:
        return None
    info = context.describe_all([holder], calls=True)[0]
    if info.is_a("pandas.DataFrame"):
        return f"({owner}).{'index' if is_label else 'columns'}.get_level_values(0)"
    if info.is_a("pandas.Series"):
        return f"({owner}).index.get_level_values(0)"
    return owner if info.is_a("builtins.dict") else None


def _find_key(context: RuleContext, node: ast.Subscript, key: str, is_text: bool) -> ast.expr | None:
    """The expression that is the missing key: what stands in the brackets, or the first of two for `.loc[row, column]`."""
    given = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
    if isinstance(given, ast.Constant):
        return given if given.value == (key if is_text else int(key)) and not isinstance(given.value, bool) else None
    chain = read_plain_chain(given, context.source)
    is_same = chain is not None and context.is_true(f"({chain}) == {repr(key) if is_text else key}")
    return given if is_same and not isinstance(given, ast.Slice | ast.UnaryOp) else None
