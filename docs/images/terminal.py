"""A picture of the flow in terminal IPython: run for real through a pseudo-terminal, drawn by rich.

python docs/images/terminal.py
"""

from __future__ import annotations

import io
import os
import re
import sys
import tempfile
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


def record_terminal() -> str:
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
        for line, waits in SESSION:
            child.sendline(line)
            child.expect(waits or r"In \[\d+\]: ")
        child.close(force=True)
    return log.getvalue()


def main() -> None:
    text = record_terminal().replace("\r\n", "\n")
    text = re.sub(r"[^\n]*\r(?!\n)", "", text)
    text = re.sub(r"\x1b\][^\x07]*\x07|\x1b\[\d*[KJ]", "", text)  # the window's title; "erase the line"
    text = re.sub(r"\nIn \[\d+\]: $", "\n", text).strip("\n")
    console = Console(record=True, width=110, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text.from_ansi(text))
    to = Path(__file__).with_name("terminal.svg")
    without_fonts = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)  # none is fetched
    without_fonts = re.sub(r"<!--.*?-->", "", without_fonts).replace(
        "Fira Code", "ui-monospace, Menlo, DejaVu Sans Mono"
    )
    to.write_text(
        console.export_svg(title="IPython", code_format=without_fonts, unique_id="terminal"), encoding="utf-8"
    )
    print(to)


if __name__ == "__main__":
    main()
