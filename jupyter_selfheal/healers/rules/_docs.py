"""``docs/rules.md`` and ``jupyter selfheal rules`` from the rules' docstrings, so that neither can rot.

``python -m jupyter_selfheal.healers.rules._docs > docs/rules.md`` writes the page; a test holds the file to it.
"""

from __future__ import annotations

import inspect

from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.healers.rules.context import Rule
from jupyter_selfheal.healers.rules.healer import load_rules

CLASSES = {
    "STA": "State",
    "NON": "None",
    "IMP": "Imports",
    "NAM": "Names",
    "ATT": "Attributes",
    "TYP": "Types and values",
    "KEY": "Keys and columns",
    "IDX": "Indices",
    "CAL": "Calls",
    "UNP": "Unpacking",
    "FIL": "Files",
    "SQL": "Databases",
    "SYN": "Syntax",
    "API": "Renamed and removed parts of libraries",
    "PDA": "pandas",
    "NPA": "numpy",
    "SKL": "scikit-learn",
    "MPL": "matplotlib",
    "TEN": "Tensors",
    "LOP": "Loops and recursion",
}
"""Headings by the letters of a code; a class that is not here goes under its letters."""

INTRODUCTION = """# Rules

Offline repairs, one rule a file in `jupyter_selfheal/healers/rules/`. Each patch of a rule is tried in a trial kernel before
it is shown. *Safe* keeps or restores the evident meaning; *unsafe* is probably right, and is never accepted without other
evidence or your word. Each rule has near misses in `tests/golden/CODE.txt` on which it must propose nothing.

This page is written by `python -m jupyter_selfheal.healers.rules._docs` from the docstrings. Add your own rules by the entry
point group `jupyter_selfheal.rules`; `jupyter_selfheal.testing.rule_conformance.check_rule` tests them.
"""


def explain(code: str | None = None) -> str:
    """The list of rules, or one rule's page. Raises :class:`~jupyter_selfheal.errors.UsageError` for an unknown code."""
    rules = load_rules()
    if not code:
        return "\n".join(f"{r.code}  {_format_applicability(r):12}  {r.name}" for r in rules)
    rule = next((r for r in rules if r.code == code.upper()), None)
    if rule is None:
        raise UsageError(f"there is no rule {code!r}: `jupyter selfheal rules` lists all")
    return f"{rule.code}: {rule.name} ({_format_applicability(rule)})\n\n{_format_rule(rule)}\n"


def page() -> str:
    """The whole of ``docs/rules.md``: an overview, then every shipped rule under its class."""
    rules = [r for r in load_rules() if type(r).__module__.startswith(f"{__package__}.")]
    parts = [INTRODUCTION]
    groups: dict[str, list[Rule]] = {}
    for rule in rules:
        groups.setdefault(rule.code[:-3], []).append(rule)
    parts += [
        "| rule | what is wrong | its patches | on |\n|---|---|---|---|\n" + "\n".join(map(_format_row, rules)) + "\n"
    ]
    for letters, members in groups.items():
        parts.append(f"## {CLASSES.get(letters, letters)}\n")
        parts += [f"### {r.code}: {r.name}\n\n{_format_rule(r)}\n" for r in members]
    return "\n".join(parts)


def _format_row(rule: Rule) -> str:
    on = ", ".join(f"`{e}`" for e in sorted(rule.enames)) or ", ".join(sorted(k.value for k in rule.kinds))
    return f"| [{rule.code}](#{rule.code.lower()}-{_make_anchor(rule.name)}) | {rule.name} | {_format_applicability(rule)} | {on} |"


def _make_anchor(name: str) -> str:
    return "".join(c for c in name.lower().replace(" ", "-") if c.isalnum() or c in "-_")


def _format_applicability(rule: Rule) -> str:
    return rule.applicability.name.lower().replace("_", " ")


def _format_rule(rule: Rule) -> str:
    return inspect.getdoc(type(rule)) or ""


if __name__ == "__main__":
    print(page(), end="")
