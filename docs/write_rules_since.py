"""Since when each rule is there: ``python docs/write_rules_since.py`` writes ``rules_since.json`` from the repository's history.

A rule is there since the commit that added its code. A site that is built without the history (from an sdist) reads the file.
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
CODE = 'code = "([A-Z]{3}[0-9]{3})"'
"""How a rule says its code."""
SINCE = HERE / "rules_since.json"
CHANGELOG = HERE.parent / "CHANGELOG.md"


def find_dates() -> dict[str, str]:
    """Code → the day on which a rule with that code was first committed."""
    command = ["git", "log", "--reverse", "-p", "-U0", "--format=day %as", "-G" + CODE, "--", "*.py"]
    told = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True, check=True).stdout
    day, dates = "", {}
    for line in told.splitlines():
        if line.startswith("day "):
            day = line.removeprefix("day ")
        elif match := re.match(rf"\+.*\b{CODE}", line):
            dates.setdefault(match[1], day)
    return dict(sorted(dates.items()))


def list_releases(changelog: str) -> list[tuple[str, str]]:
    """(version, day) of each release that the changelog tells of, the earliest first; the day is empty for one to come."""
    found = re.findall(r"(?m)^## (\d[\w.]*)(?: \((\d{4}-\d\d-\d\d)\)| - (\d{4}-\d\d-\d\d))?", changelog)
    return [(version, bracketed or dashed) for version, bracketed, dashed in reversed(found)]


def describe_since(code: str, dates: dict[str, str], releases: list[tuple[str, str]]) -> str:
    """The release that first had the rule, and its day in the repository."""
    day = dates.get(code, "")
    released = [(version, on) for version, on in releases if on and day and day <= on]
    version, on = (
        released[0] if released else (releases[-1] if releases and not releases[-1][1] else ("the next release", ""))
    )
    known = f" (in the repository since {day})" if day else ""
    return f"Since {version}{', released on ' + on if on else ', not yet released'}{known}."


def read_since() -> dict[str, str]:
    """What was written last; nothing where there is no file."""
    return dict(json.loads(SINCE.read_text(encoding="utf-8"))) if SINCE.exists() else {}


if __name__ == "__main__":
    SINCE.write_text(json.dumps(find_dates(), indent=0) + "\n", encoding="utf-8")
    print(SINCE)
