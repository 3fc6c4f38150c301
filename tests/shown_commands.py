"""The commands that README.md and docs/*.md show, taken from the Markdown itself (docs/extending.md has a test of its own)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "README.md",
    *sorted(p for p in (ROOT / "docs").glob("*.md") if p.name not in ("rules.md", "extending.md")),
]

PLACEHOLDERS = {
    "NOTEBOOK…": "stock.ipynb",
    "NOTEBOOK": "stock.ipynb",
    "OUT": "healed.ipynb",
    "DIR": "healed",
    "LIST": "rules,search",
    "N": "1",
    "USD": "0.5",
    "S": "60",
    "NAME": "python3",
    "PATTERN": "*",
    "TEXT": "text",
    "HEALED.ipynb": "first.ipynb",
    "FILE": "answers.toml",
    "FILE.html": "report.html",
    "FILE.json": "report.json",
    "FILE.xml": "report.xml",
    "FILE.md": "report.md",
    "FILE.sarif": "report.sarif",
    "CODE": "NAM101",
    "in.ipynb": "stock.ipynb",
}
"""What stands for each word in capitals; RUN and ID are known only when something has run."""

_FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
_GROUP = re.compile(r"\[([^][]*)\]")


def texts() -> Iterator[str]:
    """Every piece of code of every page: what stands between backticks, and fenced lines, a continued one as a whole."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for block in _FENCE.findall(text):
            yield from re.sub(r"\n {4,}(?=\[)", " ", block).splitlines()
        yield from (" ".join(span.split()) for span in re.findall(r"`([^`]+)`", _FENCE.sub("", text)))


def shell_commands() -> list[str]:
    """Shell commands of the product, without what explains them and each way of an alternative by itself."""
    shown = {re.split(r" {2,}", t.strip().removeprefix("$ "))[0] for t in texts()}
    ours = (t for t in shown if t.startswith(("jupyter selfheal ", "papermill ")))
    return sorted({way for command in ours for way in expand(command)})


def magics() -> list[str]:
    """Lines of ``%heal`` and ``%%heal``, and of loading the extension."""
    lines = {t.strip() for t in texts() if re.match(r"\s*(%%?heal\b|%(un|re)?load_ext)", t)}
    return sorted(line.replace(" … ", " 1 ").replace(" …", " 1") for line in lines)


def settings() -> list[str]:
    """Names after ``c.SelfHeal.``."""
    return sorted({name for t in texts() for name in re.findall(r"c\.SelfHeal\.(\w+)", t)})


def options() -> list[str]:
    """Options that stand by themselves or in a command."""
    return sorted({name for t in texts() for name in re.findall(r"(?<![\w-])--[a-z][a-z-]+", t)})


def expand(command: str) -> Iterator[str]:
    """``a [-b | -c] d|e`` as the commands it stands for: as many as the largest choice has, each with one of every choice."""
    choices = [g for g in _GROUP.findall(command) if not g[:1].isupper()] + re.findall(
        r"(?<=\s)[\w.-]+(?:\|[\w.-]+)+", command
    )
    ways = max([len(c.split("|")) for c in choices] or [1])
    yield from (_one_way(command, way) for way in range(ways))
    if ways == 1 and "[" in command:
        yield " ".join(_GROUP.sub("", command).split())


def _one_way(command: str, way: int) -> str:
    chosen = _GROUP.sub(lambda m: _pick(m[1], way), command)
    return " ".join(re.sub(r"\S+\|\S+", lambda m: _pick(m[0], way), chosen).split())


def _pick(group: str, way: int) -> str:
    separator = " | " if " | " in group else "|"
    head, _, alternatives = group.rpartition(" ") if separator == "|" and "|" in group else ("", "", group)
    parts = alternatives.split(separator)
    return f"{head} {parts[way % len(parts)]}".strip()
