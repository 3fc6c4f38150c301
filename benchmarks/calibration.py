"""How often what was applied was right: by kind of evidence and by score, from the rows of benchmark runs.

    jupyter selfheal bench quixbugs PATH --oracle 2 --rows quixbugs2.jsonl
    python benchmarks/calibration.py *.jsonl [--write]

Prints a table with 95 % intervals (Wilson 1927). ``--write`` puts it into docs/scoring.md, and the kinds with their counts into
jupyter_selfheal/scoring/calibration.toml, which proposals quote. Rows without a score (nothing was shown) are left out.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from statsmodels.stats.proportion import proportion_confint

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from jupyter_selfheal.scoring.calibration import FILE, name_kind  # noqa: E402

PAGE = ROOT / "docs" / "scoring.md"
START, END = "<!-- calibration -->\n", "<!-- end of calibration -->\n"


def read_rows(paths: Iterable[Path]) -> Iterator[dict[str, object]]:
    """The rows of all files that were shown a patch, first lines (what was measured) left out."""
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines()[1:]:
            row = json.loads(line)
            if row.get("score"):
                yield row


def count_by(rows: Sequence[dict[str, object]], kinds: Sequence[str]) -> list[tuple[str, int, int]]:
    """(kind, right, cases) for each kind, in the order of its name."""
    counts: dict[str, list[int]] = {}
    for row, kind in zip(rows, kinds, strict=True):
        count = counts.setdefault(kind, [0, 0])
        count[0] += bool(row["correct"]) if row["plausible"] else row["place"] == 1
        count[1] += 1
    return [(kind, right, cases) for kind, (right, cases) in sorted(counts.items())]


def format_table(rows: Sequence[dict[str, object]]) -> str:
    """The Markdown table: applied ones by kind of evidence, then everything that was shown by score."""
    applied = [r for r in rows if r["plausible"]]
    lines = ["| what decided | right | of | 95 % interval |", "|---|---|---|---|"]
    lines += [_format_line(*c) for c in count_by(applied, [read_kind(r) for r in applied])]
    lines += ["", "| score of the first patch shown | right | of | 95 % interval |", "|---|---|---|---|"]
    lines += [_format_line(*c) for c in count_by(rows, [f"{float(str(r['score'])):.1f}" for r in rows])]
    return "\n".join(lines) + "\n"


def read_kind(row: dict[str, object]) -> str:
    """The kind of evidence of a row."""
    return name_kind(str(row["proofs"]).split(", "), int(str(row["checks"])))


def _format_line(kind: str, right: int, cases: int) -> str:
    low, high = proportion_confint(right, cases, method="wilson")
    return f"| {kind} | {right} | {cases} | {low:.0%}–{high:.0%} |"


def write_results(rows: Sequence[dict[str, object]], table: str) -> None:
    """Put the table into the page, and the counts beside the scoring."""
    applied = [r for r in rows if r["plausible"]]
    kinds = count_by(applied, [read_kind(r) for r in applied])
    text = "".join(f'[kinds."{kind}"]\nright = {right}\ncases = {cases}\n\n' for kind, right, cases in kinds)
    FILE.write_text("# Written by benchmarks/calibration.py.\n\n" + text.rstrip() + "\n", encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    pattern = re.compile(f"{re.escape(START)}.*?{re.escape(END)}", re.DOTALL)
    PAGE.write_text(pattern.sub(lambda _: START + table + END, page), encoding="utf-8")


def main() -> None:
    """Print the table; write it where that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = list(read_rows(options.rows))
    table = format_table(rows)
    print(table)
    if options.write:
        write_results(rows, table)


if __name__ == "__main__":
    main()
