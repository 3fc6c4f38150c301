"""``docs/review.md`` from the checks' docstrings, so that it cannot rot.

``python -m jupyter_selfheal.scoring.review._docs > docs/review.md`` writes the page; a test holds the file to it.
"""

from __future__ import annotations

import inspect

from jupyter_selfheal.scoring.review.context import Check
from jupyter_selfheal.scoring.review.reviewer import load_checks

SECTIONS = ("Doubt", "Silent", "What to do")

CLASSES = {"1": "Read off the code", "2": "Asked of the values", "3": "The notebook's own checks"}
"""Headings by the first digit of a code."""

INTRODUCTION = """# The review

A cell can be wrong without failing. `jupyter selfheal heal NOTEBOOK… --review`, and `%heal review` in a session, list doubts about
cells that run: the cell, the check's code, one sentence, and what to do. **Nothing is changed because of a doubt**, and the exit
code is the same with and without.

```
sales.ipynb: all 7 code cells run
  review: 7 cells that run were looked at: 1 doubt; nothing was changed because of it
  cell 5, line 1: REV204 2 of 40 rows of `orders` are lost: their `customer` is
    not in `customers` ('Bob' is 'bob' there).
      → Make the keys alike, or write `how="left"` to keep the rows,
        `how="inner"` if they shall go.
```

- The checks below cost nothing and send nothing. They read the code, and ask the values in throw-away copies of the kernel's
  state; your kernel runs none of it. Where the state cannot be copied, only the code is read.
- `jupyter selfheal rules REV101` prints the page of a check.
- A check speaks only where it is right: each has at least three notebooks in `tests/review/CODE.txt` on which it must be silent.
- Where a language model is asked (`--healers …,language_model`), it is also shown the cells that run and have a text above them or a
  docstring, within the budget: [REV401](#rev401-a-models-doubt).
- In a session the checks see the values as they are now: what a later cell has bound anew is not looked at.

This page is written by `python -m jupyter_selfheal.scoring.review._docs` from the docstrings. A new check is one file in
`jupyter_selfheal/scoring/review/`, where no list names it, and one text file of examples.
"""

MODEL = """## Asked of a model

### REV401: a model's doubt

A language model finds that a cell does something else than its text or docstring says.

**Doubt** The judge sees the text above the cell, the code and, where you allow values to be sent, the output, and gives it less than
7 of 10 points. Its reason is the doubt.

**Silent** Without a model; on cells that have neither a text above them nor a docstring; once the budget is used up, which is said.

**What to do** Read the reason. `--expect` or `--check` of `%%heal` turns it into something that can be checked.
"""


def format_page() -> str:
    """The whole of ``docs/review.md``: an overview, then every check under its class."""
    checks = load_checks()
    rows = "\n".join(f"| [{c.code}](#{_make_anchor(c)}) | {c.name} |" for c in checks)
    parts = [
        INTRODUCTION,
        f"| check | what it looks for |\n|---|---|\n{rows}\n| [REV401](#rev401-a-models-doubt) | a model's doubt |\n",
    ]
    for digit, heading in CLASSES.items():
        parts.append(f"## {heading}\n")
        parts += [
            f"### {c.code}: {c.name}\n\n{inspect.getdoc(type(c))}\n" for c in checks if c.code.startswith(f"REV{digit}")
        ]
    return "\n".join([*parts, MODEL])


def explain_check(code: str) -> str | None:
    """One check's page; None where there is no check of that code."""
    check = next((c for c in load_checks() if c.code == code.upper()), None)
    return None if check is None else f"{check.code}: {check.name}\n\n{inspect.getdoc(type(check))}\n"


def _make_anchor(check: Check) -> str:
    text = f"{check.code} {check.name}".lower().replace(" ", "-")
    return "".join(c for c in text if c.isalnum() or c in "-_")


if __name__ == "__main__":
    print(format_page(), end="")
