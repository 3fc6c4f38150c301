"""The text of a table, a series or a summary as rows: what decides whether two of them differ in form only.

Releases of pandas differ in the names of types, in footers, in how many rows of a long table they show, where a wide one is
broken, and in the sign for what is missing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from jupyter_selfheal.scoring.output_text import are_same_tokens, is_number, split_tokens

_FOOTER = re.compile(
    r"^\s*(?:(?:Name|Freq|Length|Categories)\b[^\n]*, )*dtype: [^\n]*$|^\s*(?:Name|Length|Freq): [^\n]*$"
    r"|^\s*memory usage: [^\n]*$|^\s*dtypes: [^\n]*$|^\s*Categories \(\d+, \w+\)[^\n]*$",
    re.MULTILINE,
)
_SERIES = re.compile(r"^\s*(?:[^\n]*, )?dtype: [^\n]*$", re.MULTILINE)
_SIZE = re.compile(r"(?<!\d)(\d+) rows [x×] (\d+) columns|Length: (\d+)")  # a number of any length is gone through once
_MISSING = frozenset({"nan", "NaN", "None", "NaT", "NA"})
_TRUTHS = {"True": "1", "False": "0"}
_GAP = re.compile(r"^\s*(?:\.{2,3}|…)(?:\s|$)")


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of tokens; ``gap`` is the index of the row at which a long table is cut, -1 where it is whole."""

    rows: tuple[tuple[str, ...], ...]
    gap: int
    size: tuple[str, ...]
    is_series: bool


def read_table(text: str) -> Table | None:
    """The rows of a table's text; None where it has fewer than two lines."""
    series = bool(_SERIES.search(text))
    size = next((tuple(filter(None, m.groups())) for m in _SIZE.finditer(text)), ())
    plain = _FOOTER.sub("", text).replace("<NA>", "NaN")
    lines = [line for line in unwrap_lines(plain) if line.strip()]
    gap = next((n for n, line in enumerate(lines) if _GAP.match(line)), -1)
    rows = [tuple("NaN" if t in _MISSING else t for t in split_tokens(line)) for line in lines]
    if gap >= 0:
        del rows[gap]
    if series and rows and len(rows[0]) == 1:
        del rows[0]  # the name of the index
        gap -= gap > 0
    return Table(tuple(rows), gap, size, series) if len(rows) >= (1 if series else 2) else None


def unwrap_lines(text: str) -> list[str]:
    """The lines of a text; a table that is broken for its width is one again (each block begins with the row's label)."""
    blocks = [block.splitlines() for block in re.split(r"\n\s*\n", text)]
    lines: list[str] = []
    at, broken = 0, False
    for block in blocks:
        block = [line for line in block if line.strip()]
        if broken and len(block) == len(lines) - at:
            for n, line in enumerate(block):
                lines[at + n] = f"{lines[at + n]} {line if n == 0 else ' '.join(line.split()[1:])}"
        else:
            at = len(lines)
            lines += block
        broken = bool(block) and block[0].rstrip().endswith("\\")
        if broken:
            lines[at] = lines[at].replace("\\", " ")
            block[0] = block[0].rstrip().rstrip("\\")
    return lines


def are_equal_tables(wanted: Table, got: Table) -> bool:
    """Whether two tables show the same, as far as both show it."""
    if wanted.size and got.size and wanted.size != got.size:
        return False
    wanted, got = _spell_truths(got, wanted), _spell_truths(wanted, got)
    if wanted.gap < 0 and got.gap < 0:
        return _are_equal_rows(wanted, got)
    return _is_part(wanted, got) if wanted.gap >= 0 else _is_part(got, wanted)


def _spell_truths(wanted: Table, got: Table) -> Table:
    """A table of numbered rows with its truths as numbers, where the other has none: dummies are truths since pandas 2.0."""
    numbered = all(is_number(row[0]) for row in got.rows[1:] if row)
    if not numbered or wanted.rows[:1] != got.rows[:1] or any(t in _TRUTHS for row in wanted.rows for t in row):
        return got
    return replace(got, rows=(*got.rows[:1], *(tuple(_TRUTHS.get(t, t) for t in row) for row in got.rows[1:])))


def _are_equal_rows(wanted: Table, got: Table) -> bool:
    if len(wanted.rows) != len(got.rows):
        return False
    if all(map(are_same_tokens, wanted.rows, got.rows)):
        return True
    return wanted.is_series and got.is_series and _are_equal_but_for_ties(wanted.rows, got.rows)


def _are_equal_but_for_ties(wanted: Sequence[tuple[str, ...]], got: Sequence[tuple[str, ...]]) -> bool:
    """Whether only rows with equal values have changed places (``value_counts`` has no order for them)."""
    values = [[row[-1:] for row in rows] for rows in (wanted, got)]
    return all(map(are_same_tokens, *values)) and sorted(wanted) == sorted(got)


def _is_part(cut: Table, other: Table) -> bool:
    """Whether the first and the last rows of a table that is cut are those of the other."""
    ends = len(other.rows) if other.gap < 0 else other.gap
    first = min(cut.gap, ends)
    after = len(cut.rows) - cut.gap
    last = min(after, len(other.rows) - (other.gap if other.gap >= 0 else 0))
    if not first and not last:
        return False
    head = all(map(are_same_tokens, cut.rows[:first], other.rows[:first]))
    return head and all(map(are_same_tokens, cut.rows[len(cut.rows) - last :], other.rows[len(other.rows) - last :]))
