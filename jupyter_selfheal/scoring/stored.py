"""Stored outputs as an oracle: a healed cell should reproduce what the notebook holds, by nbval's rules.

As nbval does (https://nbval.readthedocs.io), streams of one name are joined, execution counts, metadata, images, widget
views and tracebacks are left out, and the markers ``NBVAL_IGNORE_OUTPUT``, ``NBVAL_SKIP``, ``NBVAL_RAISES_EXCEPTION`` and
their tags switch the comparison off. Beyond nbval, texts are compared token by token: numbers with a tolerance, memory
addresses, object ids, times of day and figure reprs not at all, and table frames and spacing not at all, since they
change between versions of a library. A stored output can be stale: a difference is evidence, not proof.
"""

from __future__ import annotations

import difflib
import html
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from jupyter_selfheal.model import Case, Cell, FailureKind, Output, Patch, Step, Trial
from jupyter_selfheal.scoring.expected import list_all_outputs

if TYPE_CHECKING:
    from jupyter_selfheal.config import HealConfig
    from jupyter_selfheal.scoring.evidence import Evidence

RTOL = 1e-4
"""Relative tolerance for stored numbers: they were printed rounded, often by other versions of a library."""

_MARKERS = {
    "PYTEST_VALIDATE_IGNORE_OUTPUT": False,
    "NBVAL_IGNORE_OUTPUT": False,
    "NBVAL_SKIP": False,
    "NBVAL_RAISES_EXCEPTION": False,
    "NBVAL_CHECK_OUTPUT": True,
}
_TAGS = {name.lower().replace("_", "-"): value for name, value in _MARKERS.items()} | {"raises-exception": False}

_VOLATILE = re.compile(
    r"""0x[0-9a-fA-F]{4,}                                    # addresses
      | \b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b
      | \b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?\b                  # times of day
      | \b\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s)\b(?:\s±[^\n]*)?  # durations
      | <ipython-input-[^>]*> | /tmp/ipykernel_\d+/\d+\.py | Cell\sIn\s?\[\d+\]
      | \b(?:CPU\stimes|Wall\stime):[^\n]*
      | \d+%\|[^\n]*                                         # progress bars
    """,
    re.VERBOSE,
)
_REPR = re.compile(
    r"<(?:matplotlib\.|Figure size|Axes|AxesSubplot|seaborn\.|BarContainer|mpl_toolkits)[^>]*>"
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


@dataclass(frozen=True, slots=True)
class Comparison:
    """How the outputs of a cell compare with the stored ones.

    ``asked`` is False where nothing is stored that could decide. ``same`` means reproduced; ``similarity`` (0–1) is the share
    of equal tokens; ``weight`` the number of tokens that the stored output pins down, ``computed`` those of them that the cell
    must have computed; ``worded`` says that nothing differs but numbers. ``stored`` and ``got`` are the texts to show side by side.
    """

    asked: bool
    same: bool = False
    similarity: float = 1.0
    weight: int = 0
    stored: str = ""
    got: str = ""
    computed: int = 1
    worded: bool = False


NOTHING = Comparison(asked=False)


def checks_output(cell: Cell) -> bool:
    """Whether nbval's markers and tags leave the cell's output to be compared."""
    settings = [_TAGS[tag] for tag in cell.tags if tag in _TAGS]
    for line in cell.source.splitlines():
        comment = line.strip().lstrip("#").strip() if line.strip().startswith("#") else ""
        if comment in _MARKERS:
            settings.append(_MARKERS[comment])
    return settings[-1] if settings else True


def find_stored_error(cell: Cell) -> str:
    """The name of the exception that the stored outputs show; empty where they show none."""
    return next((o.ename for o in cell.outputs if o.output_type == "error"), "")


def compare(cell: Cell, outputs: Sequence[Output]) -> Comparison:
    """Compare new outputs of a cell with those that the notebook stores for it, where these are an oracle."""
    if cell.stale or not checks_output(cell) or find_stored_error(cell):
        return NOTHING
    stored_text, new_text = join_texts(cell.outputs), join_texts(outputs)
    want_tokens, got_tokens = split_tokens(stored_text), split_tokens(new_text)
    if not want_tokens:
        return NOTHING
    same = _are_equal(want_tokens, got_tokens)
    return Comparison(
        True,
        same,
        1.0 if same else _measure_similarity(want_tokens, got_tokens),
        len(want_tokens),
        stored_text.strip(),
        new_text.strip(),
        _count_computed(cell),
        same or [*map(_mask_number, want_tokens)] == [*map(_mask_number, got_tokens)],
    )


def _mask_number(token: str) -> str:
    return "0" if _NUMBER.fullmatch(token) else token


def _count_computed(cell: Cell) -> int:
    """Tokens of the stored output that say something of what was computed: numbers, and words of a result, that do not stand
    in the cell itself. ``Saving figure ridge_plot`` is printed whatever the cell computes."""
    given = set(_TOKEN.findall(cell.source))
    results = [o for o in cell.outputs if o.output_type != "stream"]
    printed = [token for token in split_tokens(join_texts(cell.outputs)) if _NUMBER.fullmatch(token)]
    return sum(
        token not in given for token in (*printed, *(w for w in split_tokens(join_texts(results)) if w.isidentifier()))
    )


def join_texts(outputs: Iterable[Output]) -> str:
    """Everything comparable that outputs show, as one text: printed text first, then results in order."""
    streams, shown = [], []
    for output in outputs:
        if output.output_type == "stream":
            if output.name != "stderr":
                streams.append(output.text)
        elif output.output_type != "error":
            shown.append(_read_text(output))
    return "\n".join(part for part in ("".join(streams), *shown) if part.strip())


def _read_text(output: Output) -> str:
    """The plain text of a display, or its HTML's text where there is nothing better; nothing for a picture."""
    data = output.data
    if any(mime.startswith(("image/", "application/")) for mime in data):
        return ""
    plain = data.get("text/plain")
    page = data.get("text/html")
    if isinstance(plain, str) and not plain.startswith("<IPython.core.display"):
        return plain
    return html.unescape(_TAG.sub(" ", _STYLE.sub(" ", page))) if isinstance(page, str) else ""


def split_tokens(text: str) -> list[str]:
    """The words, numbers and signs of a text that do not change from run to run."""
    text = _REPR.sub(" ", _NUMPY_REPR.sub(r"\1\2", text))
    text = _FRAME.sub(" ", _VOLATILE.sub(" ", _FOOTER.sub(" ", text)))
    return [t for t in _TOKEN.findall(text.replace("…", "...")) if t not in "'\"`.,;"]


def _are_equal(wanted: Sequence[str], got: Sequence[str]) -> bool:
    return len(wanted) == len(got) and all(map(is_same_token, wanted, got))


def is_same_token(wanted: str, got: str) -> bool:
    """Equal words, or numbers equal within the tolerance and the digits that were printed."""
    if wanted == got:
        return True
    if any(wanted in alike and got in alike for alike in _RENAMED):
        return True
    if not (_NUMBER.fullmatch(wanted) and _NUMBER.fullmatch(got)):
        return False
    if _is_integer(wanted) and _is_integer(got):
        return int(wanted) == int(got)
    digits = min(_count_decimals(wanted), _count_decimals(got))
    return math.isclose(float(wanted), float(got), rel_tol=RTOL, abs_tol=0.51 * 10.0**-digits if digits else 1e-9)


def _is_integer(number: str) -> bool:
    return number.lstrip("+-").replace("_", "").isdigit()


def _count_decimals(number: str) -> int:
    mantissa = re.split("[eE]", number)[0]
    return len(mantissa.partition(".")[2]) if "e" not in number.lower() else 0


def _measure_similarity(wanted: Sequence[str], got: Sequence[str]) -> float:
    """The share of tokens that match in order, long outputs cut to their first 2,000 tokens."""
    matcher = difflib.SequenceMatcher(None, wanted[:2000], got[:2000], autojunk=False)
    return round(matcher.ratio(), 3)


class StoredOutput:
    """The oracle of the output that the notebook holds from when the cell last ran."""

    def list_steps(self, case: Case, patch: Patch, config: HealConfig) -> tuple[Step, ...]:
        return ()

    def add_evidence(self, evidence: Evidence, case: Case, patch: Patch, trial: Trial) -> Evidence:
        failure = case.failure
        if case.notebook.index(failure.cell_id) < 0 or failure.kind is FailureKind.MISSED:
            return evidence  # what a wrong program left in the notebook is no oracle
        compared = compare(case.notebook.cell(failure.cell_id), list_all_outputs(case, trial, patch))
        return replace(evidence, output=compared)
