"""``%%heal --expect 6`` on top of a cell: what the line expects is read, and the cell is run without it.

The kernel of a batch run need not know the magic. So the line stands as a comment, on a line of its own as before, while the
cell is healed; the file gets it back as it was.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from jupyter_selfheal import magic_options
from jupyter_selfheal.errors import UsageError
from jupyter_selfheal.model import Oracle


@dataclass(frozen=True, slots=True)
class HealLine:
    """The ``%%heal`` line of a cell: its text as it stands, what it expects, and the command whose tests a changed file must pass."""

    text: str
    oracle: Oracle
    test: str = ""

    @property
    def comment(self) -> str:
        """What stands in its place while the cell is healed."""
        return f"# {self.text.strip()}"


def take_line(source: str, known: Collection[str]) -> tuple[str, HealLine | None, str | None]:
    """The source with its ``%%heal`` line made a comment, the line, and what is wrong with it (None: nothing).

    No line where there is none, where it is a command (``%%heal approve``), or where it cannot be read. ``known`` are the
    notebook's global names: ``--expect 'abc'`` means the text unless one of them is ``abc``.
    """
    options = magic_options.find_heal_line(source)
    if options is None or magic_options.is_command(options):
        return source, None, None
    try:
        asked = magic_options.parse(options, known)
    except UsageError as error:
        return source, None, f"its %%heal line cannot be read: {error}"
    lines = source.splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if line.strip())
    heal_line = HealLine(lines[at].rstrip("\r\n"), asked.oracle, asked.test)
    lines[at] = lines[at].replace(heal_line.text, heal_line.comment)
    below = next((n for n in range(at + 1, len(lines)) if lines[n].strip()), -1)
    if below > 0 and lines[below].startswith("%%"):  # IPython looks for a cell magic on the first line alone
        if not lines[below].endswith("\n"):
            lines[below] += "\n"
        lines[at], lines[below] = lines[below], lines[at]
    return "".join(lines), heal_line, None


def restore_line(source: str, line: HealLine) -> str:
    """A healed source with the line on top again, in place of its comment."""
    lines = source.splitlines(keepends=True)
    at = next((n for n, text in enumerate(lines) if text.strip() == line.comment), -1)
    if at >= 0:
        del lines[at]
    return line.text + "\n" + "".join(lines) if lines else line.text


def merge_oracles(metadata: Oracle, line: Oracle) -> Oracle:
    """What both say of a cell; where they disagree, the line, which is in view."""
    return Oracle(
        line.expect or metadata.expect,
        line.stdout or metadata.stdout,
        (*metadata.checks, *(c for c in line.checks if c not in metadata.checks)),
        line.spec or metadata.spec,
        metadata.as_stored,
    )
