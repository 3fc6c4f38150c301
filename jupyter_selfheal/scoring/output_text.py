"""The text of outputs, and its words, numbers and signs, without what changes from run to run and between releases.

Numbers are compared with a tolerance; memory addresses, object ids, times of day, durations and figure reprs are left out, and so
are the frames of tables and spacing, since they change between versions of a library.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable, Sequence

from jupyter_selfheal.model import Output

RTOL = 1e-4
"""Relative tolerance for stored numbers: they were printed rounded, often by other versions of a library."""

LONGEST_NUMBER = 300
"""Digits of a whole number that is read as one: Python reads no text of more than 4,300, and no float holds more than 308."""

_VOLATILE = re.compile(
    r"""0x[0-9a-fA-F]{4,}                                    # addresses
      | \b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b
      | \b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?\b                  # times of day
      | \b\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s)\b(?:\s±[^\n]*)?  # durations
      | <ipython-input-[^>]*> | /tmp/ipykernel_\d+/\d+\.py | Cell\sIn\s?\[\d+\]
      | \b(?:CPU\stimes|Wall\stime):[^\n]*
      | (?<!\d)\d+%\|[^\n]*                                  # progress bars
      | \bDate:\s{4,}(?:\w{3},\s\d\d\s\w{3}\s\d{4}|\d{4}-\d\d-\d\d\s\d\d:\d\d)(?=\s\s+\S)  # when statsmodels wrote a summary
      | \[(?:\s?0\.025\s+0\.975|95\.0%\sConf\.\sInt\.)\] # its bounds, which releases name in two ways
      | \b(?:Warnings|Notes):(?=\s*\[1\]\s)                  # its footnotes, likewise
      | \x1b\[[0-9;]*m                                       # colours of a terminal
    """,
    re.VERBOSE,
)
_REPR = re.compile(
    r"<(?:matplotlib\.|Figure size|Axes|AxesSubplot|seaborn\.|(?:Bar|Errorbar|Stem)?[Cc]ontainer|a list of \d+ [\w ]+ objects|mpl_toolkits)[^>]*>"
    r"|\b[A-Z]\w*(?:Resampler|Rolling|Window|Expanding|Grouper) \[[^\]\n]*\]"  # pandas words the options anew with releases
    r"|Axes\([^)]*\)|Text\([^)]*\)|\[?<[\w.]+ (?:object )?at 0x[0-9a-fA-F]+>\]?"
)
_FRAME = re.compile(r"[|+─│┌┐└┘├┤┬┴┼═║=\-_]{3,}|[│║|]")
_NUMBER = re.compile(r"[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_NUMPY_REPR = re.compile(r"\bnp\.(?:float|int|uint|bool|str)\d*_?\(([^()]*)\)|\bnp\.(True|False)_")
_TOKEN = re.compile(r"[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|\w+|[^\w\s]")
_FOOTER = re.compile(r"^\s*\[?\d+ rows [x×] \d+ columns\]?\s*$", re.MULTILINE)
_STYLE = re.compile(r"<(style|script)\b.*?</\1>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^>]+>")

_RENAMED = (
    frozenset({"object", "str", "string"}),
    frozenset({"int64", "int32", "Int64"}),
    frozenset({"ns", "us", "s"}),
)
"""dtype names that pandas and NumPy print otherwise from one release to the next (pandas 3's ``str``, its ``[us]``)."""


def join_texts(outputs: Iterable[Output]) -> str:
    """Everything comparable that outputs show, as one text: printed text first, then results in order."""
    return "\n".join(list_texts(outputs))


def list_texts(outputs: Iterable[Output], *, as_html: bool = False) -> list[str]:
    """Everything comparable that outputs show, part by part: what was printed to one stream is one text, each result another.

    ``as_html``: a result that has both forms is read from its HTML.
    """
    printed, shown = [], []
    for output in outputs:
        if output.output_type == "stream":
            if output.name != "stderr":
                printed.append(output.text)
        elif output.output_type != "error":
            shown.append(_read_text(output, as_html))
    return [part for part in ("".join(printed), *shown) if part.strip()]


def _read_text(output: Output, as_html: bool) -> str:
    """The plain text of a display, or its HTML's text where there is nothing better; nothing for a picture."""
    data = output.data
    if any(mime.startswith(("image/", "application/")) for mime in data):
        return ""
    plain = data.get("text/plain")
    page = data.get("text/html")
    if (
        isinstance(plain, str)
        and not plain.startswith("<IPython.core.display")
        and not (as_html and isinstance(page, str))
    ):
        return plain
    return html.unescape(_TAG.sub(" ", _STYLE.sub(" ", page))) if isinstance(page, str) else ""


def split_tokens(text: str) -> list[str]:
    """The words, numbers and signs of a text that do not change from run to run."""
    text = _REPR.sub(" ", _NUMPY_REPR.sub(r"\1\2", text))
    text = _FRAME.sub(" ", _VOLATILE.sub(" ", _FOOTER.sub(" ", text)))
    return [t for t in _TOKEN.findall(text.replace("…", "...")) if t not in "'\"`.,;"]


def list_sizes(text: str) -> list[tuple[str, ...]]:
    """The numbers of rows and columns that tables say they have."""
    return [tuple(re.findall(r"\d+", line)) for line in _FOOTER.findall(text)]


def find_words(source: str) -> set[str]:
    """Everything that stands in a source: what a cell prints of it was not computed."""
    return set(_TOKEN.findall(source))


def are_same_tokens(wanted: Sequence[str], got: Sequence[str]) -> bool:
    """Whether two texts say the same, token by token."""
    return len(wanted) == len(got) and all(map(is_same_token, wanted, got))


def is_same_token(wanted: str, got: str) -> bool:
    """Equal words, or numbers equal within the tolerance and the digits that were printed."""
    if wanted == got:
        return True
    if any(wanted in alike and got in alike for alike in _RENAMED):
        return True
    if not (is_number(wanted) and is_number(got)):
        return False
    if _is_integer(wanted) and _is_integer(got):
        if max(len(wanted), len(got)) > LONGEST_NUMBER:
            return wanted.replace("_", "").lstrip("+") == got.replace("_", "").lstrip("+")
        return int(wanted) == int(got)
    digits = min(_count_decimals(wanted), _count_decimals(got))
    return math.isclose(float(wanted), float(got), rel_tol=RTOL, abs_tol=0.51 * 10.0**-digits if digits else 1e-9)


def is_number(token: str) -> bool:
    """Whether a token is a number."""
    return _NUMBER.fullmatch(token) is not None


def mask_number(token: str) -> str:
    """The token, any number as 0."""
    return "0" if is_number(token) else token


def _is_integer(number: str) -> bool:
    return number.lstrip("+-").replace("_", "").isdigit()


def _count_decimals(number: str) -> int:
    mantissa = re.split("[eE]", number)[0]
    return len(mantissa.partition(".")[2]) if "e" not in number.lower() else 0
