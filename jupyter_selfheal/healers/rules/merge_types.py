"""PDA132: tables that are joined on a column of numbers and one of texts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.edits import quote_text
from jupyter_selfheal.healers.rules.context.value_types import ISO
from jupyter_selfheal.model import Applicability, Patch

MESSAGE = re.compile(r"trying to merge on (\S+) and (\S+) columns(?: for key '([^']*)')?")
WHOLE = r"-?(?:0|[1-9]\d*)"
TEXTS = ("object", "str", "string")


class MergeTypes(Rule):
    """Join on keys of one type.

    **Failure** `ValueError: You are trying to merge on int64 and str columns for key 'id'`.

    **Fix** The column of texts is made one of numbers, or of dates, in the call: `left.merge(right.astype({"id": "int64"}), on="id")`.

    `a.join(b, on="id")`, which looks among the numbers of rows, becomes `a.join(b.set_index("id"), on="id")`, where both have the column, and each value of it is in one row of `b`.

    **Fix safety** Safe where every text of the key is a whole number as Python writes it, so that either type gives the same join, and one of them
    is among the other table's numbers, or a date that begins with its year. Safe too for numbers with zeros in front, all of one length (`"007"`), where every number of the other table is one of them. Where one is not (`"A7"`), the numbers are made texts, and this is only shown: such keys may not be
    meant to meet. Where no two meet (`id` counts the rows of one table), the one column of texts that holds none but the other's keys is shown: `left_on="code", right_on="id"`. Where some meet and there is such a column, both are shown.
    """

    code = "PDA132"
    name = "types of a join's keys"
    stage = Stage.LIBRARY
    enames = frozenset({"ValueError"})
    message = MESSAGE
    applicability = Applicability.SAFE
    why = "Every text of the key is a whole number as it is usually written: either type joins the same rows."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        told = MESSAGE.search(context.failure.evalue)
        yield from self._join_by_column(context)
        for call in context.list_calls_at_failure():
            sides = _list_sides(call)
            if told is None or len(sides) != 2:
                continue
            keys = _find_keys(call, told[3] or "")
            kinds = (told[1], told[2])
            texts = [n for n in (0, 1) if kinds[n] in TEXTS]
            if (
                keys is not None
                and len(texts) == 1
                and kinds[1 - texts[0]].startswith("datetime64[")
                and "," not in kinds[1 - texts[0]]
            ):
                yield from self._read_dates(context, sides[texts[0]], keys[texts[0]], kinds[1 - texts[0]])
                return
            if keys is None or len(texts) != 1 or not kinds[1 - texts[0]].lower().startswith(("int", "uint")):
                return
            at, other = texts[0], 1 - texts[0]
            if not context.is_true(
                f"{_write_keys(context, sides[other], keys[other])} & {_write_keys(context, sides[at], keys[at])}"
            ):
                padded = list(self._read_padded(context, sides, keys, at, kinds[other]))
                yield from padded or self._name_another(context, call, sides, keys, at)
                return
            others = list(self._name_another(context, call, sides, keys, at))
            column = f"({context.text(sides[at])})[{keys[at]!r}]"
            is_whole = context.is_true(f"{column}.astype(str).str.fullmatch(r'{WHOLE}').all()")
            change, key, kind = (at, keys[at], f'"{kinds[other]}"') if is_whole else (other, keys[other], "str")
            node = sides[change]
            new = f"{context.operand(node)}.astype({{{quote_text(key)}: {kind}}})"
            yield self.patch(
                context.replace_here((*context.span(node), new)),
                f"Join on keys of one type: `{new}`",
                f"`{key}` holds numbers in one table and texts in the other.",
                applicability=Applicability.SAFE if is_whole and not others else Applicability.UNSAFE,
                why="Another column of that table holds nothing but such keys."
                if others
                else self.why
                if is_whole
                else "Some texts of the key are no numbers as they are usually written.",
                prior=0.92 if is_whole and not others else 0.6,
            )
            yield from others
            return

    def _read_dates(self, context: RuleContext, side: ast.expr, key: str, kind: str) -> Iterator[Patch]:
        """``orders.astype({"day": "datetime64[us]"}).merge(…)``: texts that are dates with one reading."""
        if context.is_true(f"({context.text(side)})[{key!r}].astype(str).str.fullmatch({ISO!r}).all()"):
            new = f'{context.operand(side)}.astype({{{quote_text(key)}: "{kind}"}})'
            yield self.patch(
                context.replace_here((*context.span(side), new)),
                f"Join on dates: `{new}`",
                f"`{key}` holds dates in one table and texts in the other.",
                why="Every text of the key is a date that can be read in one way.",
                prior=0.92,
            )

    def _join_by_column(self, context: RuleContext) -> Iterator[Patch]:
        """``a.join(b.set_index("id"), on="id")`` for ``a.join(b, on="id")``, which looks for the key among the numbers of the rows of ``b``."""
        for call in context.list_calls_at_failure():
            match call:
                case ast.Call(ast.Attribute(left, "join"), [ast.Name() as right, *_]):
                    on = next((k.value for k in call.keywords if k.arg == "on"), None)
                case _:
                    continue
            if not (isinstance(on, ast.Constant) and isinstance(on.value, str)):
                continue
            one, two, key = context.text(left), right.id, on.value
            numbered = f"type({two}.index).__name__ == 'RangeIndex' and {key!r} in {two}.columns and {key!r} in ({one}).columns"
            meets = f"{two}[{key!r}].is_unique and ({one})[{key!r}].isin({two}[{key!r}]).any()"
            if not context.is_true(f"{numbered} and {meets}"):
                continue
            new = f"{two}.set_index({quote_text(key)})"
            yield self.patch(
                context.replace_here((*context.span(right), new)),
                f"Join with `{new}`",
                f"`join` looks for {key!r} among the labels of the rows of `{two}`, which are numbers; it is a column there.",
                why="Both tables have the column, each of its values is in one row of the other table, and they meet.",
                prior=0.93,
            )
            return

    def _read_padded(
        self, context: RuleContext, sides: list[ast.expr], keys: tuple[str, str], at: int, kind: str
    ) -> Iterator[Patch]:
        """``"007"`` is 7 where every text has as many digits, and every number of the other table is one of them."""
        texts = f"set(({context.text(sides[at])})[{keys[at]!r}].dropna())"
        numbers = f"set(({context.text(sides[1 - at])})[{keys[1 - at]!r}])"
        is_code = (
            f"all(isinstance(_, str) and _.isdecimal() for _ in {texts}) and len({{len(_) for _ in {texts}}}) == 1"
        )
        if not context.is_true(f"{is_code} and {numbers} & {{int(_) for _ in {texts}}}"):
            return
        is_read = any(
            isinstance(n, ast.Subscript)
            and isinstance(n.ctx, ast.Load)
            and isinstance(n.slice, ast.Constant)
            and n.slice.value == keys[at]
            for n in context.walk_notebook()
        )
        is_all = not is_read and context.is_true(f"{numbers} <= {{int(_) for _ in {texts}}}")
        new = f'{context.operand(sides[at])}.astype({{{quote_text(keys[at])}: "{kind}"}})'
        yield self.patch(
            context.replace_here((*context.span(sides[at]), new)),
            f"Join on keys of one type: `{new}`",
            f"`{keys[at]}` holds numbers in one table, and in the other the same with zeros in front, as texts.",
            applicability=Applicability.SAFE if is_all else Applicability.UNSAFE,
            why="Every text has as many digits, and every number is one of them."
            if is_all
            else "Some numbers are none of the texts, or the zeros are read elsewhere.",
            prior=0.9 if is_all else 0.6,
        )

    def _name_another(
        self, context: RuleContext, call: ast.Call, sides: list[ast.expr], keys: tuple[str, str], at: int
    ) -> Iterator[Patch]:
        """Join on the one column of texts of the table of numbers whose values are all keys of the other table."""
        on = next((k for k in call.keywords if k.arg == "on"), None)
        table = context.text(sides[1 - at])
        found = context.keys(
            f"dict.fromkeys(c for c in ({table}).select_dtypes(exclude='number') if set(({table})[c].dropna().astype(str)) <= {_write_keys(context, sides[at], keys[at])})",
            calls=True,
        )
        if on is None or found is None or len(found.keys) != 1:
            return
        names = [keys[at], keys[at]]
        names[1 - at] = str(found.keys[0])
        new = f"left_on={quote_text(names[0])}, right_on={quote_text(names[1])}"
        yield self.patch(
            context.replace_here((*context.span(on), new)),
            f"Join {names[0]!r} with {names[1]!r}",
            f"`{names[1 - at]}` of the table of numbers holds nothing but keys of the other one.",
            applicability=Applicability.UNSAFE,
            why="Its values are the key's; the joined table has both columns.",
            prior=0.7,
        )


def _write_keys(context: RuleContext, table: ast.expr, key: str) -> str:
    return f"set(({context.text(table)})[{key!r}].dropna().astype(str))"


def _list_sides(call: ast.Call) -> list[ast.expr]:
    """The left and the right table of ``pd.merge(a, b)`` or ``a.merge(b)``; empty for another call."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "merge":
        return []
    named = {k.arg: k.value for k in call.keywords}
    given = [*call.args[:2], *(named[n] for n in ("left", "right") if n in named)]
    return given if len(given) == 2 else [call.func.value, *given]


def _find_keys(call: ast.Call, told: str) -> tuple[str, str] | None:
    """The names of the key in the left and in the right table."""
    named = {k.arg: k.value for k in call.keywords}
    both = [named.get("left_on"), named.get("right_on")]
    if any(both):
        names = [n.value for n in both if isinstance(n, ast.Constant) and isinstance(n.value, str)]
        return (names[0], names[1]) if len(names) == 2 else None
    return (told, told) if told else None
