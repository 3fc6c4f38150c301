"""A picture of the flow in terminal IPython, and the same as it goes on: run for real through a pseudo-terminal, drawn by rich.

python docs/images/terminal.py
"""

from __future__ import annotations

import io
import os
import re
import sys
import tempfile
import time
from pathlib import Path

import pexpect
from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

SESSION = (
    ("%load_ext jupyter_selfheal", None),
    ("%xmode Minimal", None),
    ("import pandas as pd", None),
    ("river = pd.DataFrame({'station': ['Bern', 'Thun'], 'Level (m)': [501.3, 557.8]})", None),
    ("river['level (m)'].max()", r"Apply\? .*"),
    ("y", None),
)


LONGEST_WAIT, READING = 1.5, 6.0
"""Seconds that a step of the recording takes at most, and that its end is shown before it begins again."""


def record_terminal() -> list[tuple[float, str]]:
    """What stands in the terminal after each step, and the seconds that the step took."""
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "IPYTHONDIR": folder, "JUPYTER_DATA_DIR": folder, "TERM": "xterm-256color"}
        env.pop("ANTHROPIC_API_KEY", None)
        arguments = ["-m", "IPython", "--no-banner", "--colors=Linux", "--simple-prompt", "--no-confirm-exit"]
        child = pexpect.spawn(
            sys.executable, arguments, env=env, cwd=folder, encoding="utf-8", timeout=90, dimensions=(60, 110)
        )
        log = io.StringIO()
        child.logfile_read = log
        child.expect(r"In \[1\]: ")
        steps = []
        for line, waits in SESSION:
            began = time.monotonic()
            child.sendline(line)
            child.expect(waits or r"In \[\d+\]: ")
            steps.append((time.monotonic() - began, log.getvalue()))
        child.close(force=True)
    return steps


def clean(text: str) -> str:
    """What is seen of a terminal's output: overwritten lines, titles and erasures are gone."""
    text = re.sub(r"[^\n]*\r(?!\n)", "", text.replace("\r\n", "\n"))
    text = re.sub(r"\x1b\][^\x07]*\x07|\x1b\[\d*[KJ]", "", text)  # the window's title; "erase the line"
    return re.sub(r"\nIn \[\d+\]: $", "\n", text).strip("\n")


def animate(picture: str, steps: list[tuple[float, str]]) -> str:
    """The picture with its lines coming up step by step, again and again; all at once where motion is not wanted."""
    ends, at = [], 0.5
    for seconds, text in steps:
        ends.append((at, len(Text.from_ansi(clean(text)).wrap(Console(width=110), 110))))
        at += min(max(seconds, 0.6), LONGEST_WAIT)
    total, styles = at + READING, []
    for number in range(ends[-1][1]):
        shown = next(when for when, lines in ends if number < lines) / total * 100
        styles.append(
            f"@keyframes l{number} {{ 0%, {shown:.2f}% {{ opacity: 0 }} {shown + 0.01:.2f}%, 100% {{ opacity: 1 }} }} "
            f".l{number} {{ animation: l{number} {total:.1f}s infinite }}"
        )
    css = "@media (prefers-reduced-motion: no-preference) {" + "\n".join(styles) + "}"
    picture = re.sub(r'<text class="([^"]*)"([^>]*#terminal-line-(\d+)\))', r'<text class="\1 l\3"\2', picture)
    return picture.replace("</style>", f"{css}</style>", 1)


def main() -> None:
    steps = record_terminal()
    text = clean(steps[-1][1])
    console = Console(record=True, width=110, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text.from_ansi(text))
    to = Path(__file__).with_name("terminal.svg")
    without_fonts = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)  # none is fetched
    without_fonts = re.sub(r"<!--.*?-->", "", without_fonts).replace(
        "Fira Code", "ui-monospace, Menlo, DejaVu Sans Mono"
    )
    picture = console.export_svg(title="IPython", code_format=without_fonts, unique_id="terminal")
    to.write_text(picture, encoding="utf-8")
    to.with_name("recording.svg").write_text(animate(picture, steps), encoding="utf-8")
    print(to)


if __name__ == "__main__":
    main()
