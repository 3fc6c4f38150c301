"""What the constraints of a programming problem ask of its arguments, as an expression (``1 <= nums.length``, ``0 <= nums[i]``).

Only lower bounds are read, as ``10^5`` is printed as ``105`` in these texts and generated inputs are small anyway; and what is said of all
letters, of order and of repetition. What is not understood asks nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

BOUND = re.compile(r"(?<![-\d.])(?P<low>\d+)\s*(?P<sign><=|<)\s*(?P<what>[A-Za-z_][\w.,\s\[\]]*?)\s*(?:<=|<)")
LETTERS = (
    ("lowercase english letters", "abcdefghijklmnopqrstuvwxyz"),
    ("lowercase and uppercase english letters", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    ("uppercase english letters", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    ("digits", "0123456789"),
)
FORMS = (
    (r"(\w+)\.length", "len({0}) {1} {2}"),
    (r"(\w+)\[\w+\]\.length", "all(len(x) {1} {2} for x in {0})"),
    (r"(\w+)\[\w+\]\[\w+\]", "all(y {1} {2} for x in {0} for y in x)"),
    (r"(\w+)\[\w+\]", "all(x {1} {2} for x in {0})"),
    (r"(\w+)", "{0} {1} {2}"),
)
"""How a quantity is written, and what it must be: of an argument, its sign and its bound."""
SORTED = r"\b{name}`? (?:is|are) sorted in (?:a )?(?:non-decreasing|ascending|strictly increasing|increasing)"
UNIQUE = r"(?:all (?:the )?(?:elements|integers|values|strings|words|numbers|characters)? ?(?:of|in) `?\b{name}`? are (?:unique|distinct))|(?:\b{name}`? (?:contains|consists of) (?:unique|distinct))"


def read_domain(constraints: str, description: str, names: Sequence[str]) -> str:
    """The expression over the arguments' names; empty where nothing is asked that is understood."""
    found = [*_read_bounds(constraints, names), *_read_letters(constraints, names)]
    for name in names:
        text = f"{constraints}\n{description}"
        if re.search(SORTED.format(name=name), text, re.IGNORECASE):
            found.append(f"list({name}) == sorted({name})")
        if re.search(UNIQUE.format(name=name), constraints, re.IGNORECASE):
            found.append(f"len(set(map(repr, {name}))) == len({name})")
    return " and ".join(dict.fromkeys(found))


def _read_bounds(text: str, names: Sequence[str]) -> Iterator[str]:
    for match in BOUND.finditer(text):
        sign = ">=" if match["sign"] == "<=" else ">"
        for what in (part.strip() for part in match["what"].split(",")):
            for form, asked in FORMS:
                named = re.fullmatch(form, what)
                if named and named[1] in names:
                    yield asked.format(named[1], sign, match["low"])


def _read_letters(text: str, names: Sequence[str]) -> Iterator[str]:
    for line in text.lower().splitlines():
        letters = next(
            (
                kept
                for words, kept in LETTERS
                if re.search(rf"consists? (?:only )?of (?:only )?{words}\.?$", line.strip())
            ),
            "",
        )
        for name in names if letters else ():
            if (
                re.match(rf"`?{re.escape(name.lower())}(\[\w+\])?`?\b.* consist", line.strip())
                or f" and {name.lower()} " in line
            ):
                each = (
                    f"all(set(x) <= set({letters!r}) for x in {name})"
                    if f"{name.lower()}[" in line
                    else f"set({name}) <= set({letters!r})"
                )
                yield each
