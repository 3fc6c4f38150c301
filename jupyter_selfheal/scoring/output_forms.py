"""Do two outputs that are not the same show the same value in another form?

Both are read as values where they parse: literals, arrays, objects that show the call that makes them, tables. Where they do not,
what a library words anew from release to release is left out, sets are put into one order, and what is left is compared again.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from jupyter_selfheal.model import Output
from jupyter_selfheal.scoring.output_tables import are_equal_tables, read_table
from jupyter_selfheal.scoring.output_text import are_same_tokens, join_texts, list_texts, split_tokens
from jupyter_selfheal.scoring.output_values import are_equal_values, order_sets, parse_value

_WORDINGS = (
    # a warning that was caught on its way to stderr, with the line that it quotes
    (re.compile(r"^\S*:\d+: \w*Warning: [^\n]*\n?(?:[ \t]+\S[^\n]*\n?)?", re.MULTILINE), ""),
    # a traceback that was printed: of it the kind of the exception counts
    (
        re.compile(r"^[ \t]*Traceback \(most recent call last\):\n(?:[ \t]+[^\n]*\n)*([\w.]+)[^\n]*", re.MULTILINE),
        r"\1",
    ),
    (re.compile(r" ?\(?\bDid you mean: [^?\n]*\?\)?"), ""),
    (re.compile(r"<(?:class|type) '(?:\w+\.)*(\w+)'>"), r"\1"),
    (re.compile(r"\b(?:Int64|Float64|UInt64|Numeric|Range)Index\b"), "Index"),
    (re.compile(r"(?<![\w.:/])(?:[A-Za-z]:)?(?:[/\\]+[\w.~+-]+)+[/\\]+(?=[\w.])"), ""),  # where a file lies
    (re.compile(r"\bu(?=['\"])|(?<=\d)L\b"), ""),  # Python 2
    (re.compile(r"\bnumpy\.(?=\w)|\bnp\.(?=\w)"), ""),
    # the summary of a table: its columns are numbered, below a heading, since pandas 1.0
    (re.compile(r"^ *# +Column +(?:Non-Null Count +)?Dtype *\n[ -]+\n", re.MULTILINE), ""),
    (re.compile(r"^ *\d+ +(\S.*?)(?<! ) +(\d+) non-null +(\S+) *$", re.MULTILINE), r"\1 \2 non-null \3"),
    (re.compile(r"(?<= non-null )str(?:ing)?\b"), "object"),
    (
        re.compile(r"(?:(?<= non-null )|(?<=  ))uint8(?= *$)|^uint8(?= +\d+$)", re.MULTILINE),
        "bool",
    ),  # dummies, since pandas 2.0
    # the report of a classifier: until scikit-learn 0.22 the share of right answers stood in all three columns, under another name
    (re.compile(r"^ *micro avg +(\d\.\d+) +\1 +\1(?= +\d+ *$)", re.MULTILINE), r"accuracy \1"),
    # the texts of a column as an array, since pandas 3.0
    (re.compile(r"<(?:Arrow)?StringArray>\n(\[[^\]\[]*\])\nLength: \d+, dtype: \w+"), r"\1"),
)
_TEXTS = re.compile(r"\s*<(?:Arrow)?StringArray>\n(\[.*\])\nLength: \d+, dtype: \w+\s*", re.DOTALL)
"""An array of texts alone, as pandas 3.0 shows it."""


_TOTAL = re.compile(r"^ *avg / total(?= +\d)", re.MULTILINE)
"""The one line of averages that the report of a classifier had before scikit-learn 0.20."""
_AVERAGES = re.compile(
    r"^ *(?:accuracy|micro avg) +\d[\d. ]*\n *macro avg +\d[\d. ]*\n(?= *weighted avg )", re.MULTILINE
)
"""The two lines that it has had before the same one since."""
_DATE = r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S*) *"
_DESCRIBED = re.compile(
    rf"^(count +\d+) *\nunique +\d+ *\ntop +{_DATE}\nfreq +\d+ *\nfirst +{_DATE}\nlast +{_DATE}$", re.MULTILINE
)
_DESCRIBED_NOW = re.compile(
    rf"^(count +\d+) *\nmean +{_DATE}\nmin +{_DATE}\n(?:\d\d% +\S+ \S+ *\n)*max +{_DATE}$", re.MULTILINE
)
"""What describes a column of dates: its first and last day, beside other figures until pandas 2.0 than since."""


def differ_in_form_only(stored: Sequence[Output], new: Sequence[Output]) -> bool:
    """Whether what is stored and what came now show the same, said differently."""
    wanted, got = list_texts(stored), list_texts(new)
    if len(wanted) == len(got) and all(map(_are_alike, wanted, got)):
        return True
    pages = [list_texts(outputs, as_html=True) for outputs in (stored, new)]
    if pages != [wanted, got] and len(pages[0]) == len(pages[1]) and all(map(_are_alike, *pages)):
        return True
    return _are_same_but_for_wording(join_texts(stored), join_texts(new))


def _are_alike(wanted: str, got: str) -> bool:
    """Whether two texts show the same; where both are values or tables, these alone decide."""
    if are_same_tokens(split_tokens(wanted), split_tokens(got)):
        return True
    values = parse_value(_TEXTS.sub(r"array(\1)", wanted)), parse_value(_TEXTS.sub(r"array(\1)", got))
    if values[0] is not None and values[1] is not None:
        return are_equal_values(values[0][0], values[1][0])
    return _are_same_but_for_wording(wanted, got)


def _are_same_but_for_wording(wanted: str, got: str) -> bool:
    wanted, got = _unpack_printed(wanted, set(got.splitlines())), _unpack_printed(got, set(wanted.splitlines()))
    totals = [_TOTAL.search(text) is not None for text in (wanted, got)]
    if totals[0] != totals[1]:  # where both have the same lines, each of them counts
        wanted, got = (_TOTAL.sub("weighted avg", _AVERAGES.sub("", text)) for text in (wanted, got))
    if _DESCRIBED.search(wanted) and _DESCRIBED_NOW.search(got):
        wanted, got = _DESCRIBED.sub(r"\1 \3 \4", wanted), _DESCRIBED_NOW.sub(r"\1 \3 \4", got)
        wanted, got = (re.sub(r"dtype: \S+$", "", text) for text in (wanted, got))
    texts = [order_sets(_leave_out_wording(text)) for text in (wanted, got)]
    if are_same_tokens(*map(split_tokens, texts)):
        return True
    tables = [read_table(text) for text in texts]
    return tables[0] is not None and tables[1] is not None and are_equal_tables(tables[0], tables[1])


def _unpack_printed(text: str, other: set[str]) -> str:
    """The lines ``('rows', 3)``, which Python 2 printed for ``print('rows', 3)``, as ``rows 3`` where these are lines of the other text."""
    lines = text.splitlines()
    for n, line in enumerate(lines):
        if line.startswith("(") and line.endswith(")") and line not in other:
            try:
                items = ast.literal_eval(re.sub(r"(?<=\d)L\b", "", line))
            except (ValueError, SyntaxError):
                continue
            printed = " ".join(map(str, items)) if isinstance(items, tuple) else line
            lines[n] = printed if other.issuperset(printed.splitlines()) else line
    return "\n".join(lines)


def _leave_out_wording(text: str) -> str:
    for pattern, replacement in _WORDINGS:
        text = pattern.sub(replacement, text)
    return text
