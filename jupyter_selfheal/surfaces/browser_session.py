"""``%load_ext jupyter_selfheal`` where Python has no processes, as in JupyterLite: a cell that fails is healed in this interpreter.

The cells that ran in this session run again in a namespace of their own, then the changed cell; so a trial costs as much as they did, and
what they do to the page's files is done again. There is no card: the fix is printed below the failing cell, and ``%heal approve`` becomes it.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from jupyter_selfheal.model.diff import diff_sources, format_diff
from jupyter_selfheal.surfaces.in_browser import heal_sources

ATTRIBUTE = "_jupyter_selfheal"
HELP = "Here `%heal approve` becomes the healed cell, and `%heal off` and `%heal on` switch healing; the rest needs an installed Jupyter."


class Shell(Protocol):
    """What is used of IPython's shell."""

    events: Any
    payload_manager: Any

    def register_magic_function(self, func: Any, magic_kind: str, magic_name: str) -> None: ...


class BrowserSession:
    """Healing of one shell: the ``cells`` that ran, and the cell that is ``offered``."""

    def __init__(self, shell: Shell) -> None:
        self.cells: list[str] = []
        self.offered = ""
        self.on = True
        self._shell = shell

    def note_cell(self, result: Any) -> None:
        """IPython's ``post_run_cell``: remembers a cell that ran, heals one that failed."""
        cell = str(getattr(result.info, "raw_cell", "") or "")
        if not result.info.store_history or not cell.strip() or cell.lstrip().startswith("%heal"):
            return
        if result.success:
            self.cells.append(cell)
        elif self.on and isinstance(result.error_before_exec or result.error_in_exec, Exception):
            self._offer_fix(cell)

    def _offer_fix(self, cell: str) -> None:
        failures = heal_sources([*self.cells, cell])["failures"]
        self.offered = build_offer(failures, cell)
        if not failures:
            print("Self-heal: run again after the cells above it, this cell does not fail; nothing is offered.")
            return
        print("\n".join(describe_fix(failures, len(self.cells) + 1)))
        if self.offered:
            print("`%heal approve`, in a new cell, becomes the healed cell; run that then.")

    def take_line(self, line: str) -> None:
        """``%heal``: approve, on, off."""
        word = line.strip()
        if word in ("on", "off"):
            self.on = word == "on"
        elif word != "approve":
            print(HELP)
        elif self.offered:
            self._shell.payload_manager.write_payload(
                {"source": "set_next_input", "text": self.offered, "replace": True}
            )
            self.offered = ""
        else:
            print("Self-heal: there is no fix to approve.")


def build_offer(failures: Sequence[Mapping[str, Any]], cell: str) -> str:
    """What to run for the fixes: each cell that changes, as it is in the end, then the failing one; empty where there is no fix."""
    texts: list[str] = []
    for change in (change for failure in failures for change in failure.get("changes", ())):
        if change["old"] in texts:
            texts[texts.index(change["old"])] = change["new"]
        else:
            texts.append(change["new"])
    changes = [change["old"] for failure in failures for change in failure.get("changes", ())]
    return "\n\n".join(texts if cell in changes else [*texts, cell]) if texts else ""


def describe_fix(failures: Sequence[Mapping[str, Any]], last: int) -> list[str]:
    """What is printed: the cause, the change, and what speaks for it. ``last`` is the number of the cell that was run."""
    lines = []
    for failure in failures:
        where = "" if failure["cell"] == last else f", in cell {failure['cell']} of those that ran here"
        lines.append(f"Self-heal{where}: {failure['cause'] or failure['failure']}")
        lines += [format_diff(diff_sources(change["old"], change["new"])) for change in failure.get("changes", ())]
        if "score" in failure:
            lines.append(f"{failure['fix']}. Score {failure['score']:g} of 10. {' '.join(failure['evidence'])}")
        else:
            lines.append(failure["detail"] or "Nothing that was tried heals it.")
    return lines


def load(shell: Any) -> None:
    """Switch healing on in ``shell``. Loading twice changes nothing."""
    if getattr(shell, ATTRIBUTE, None) is not None:
        return
    session = BrowserSession(shell)
    setattr(shell, ATTRIBUTE, session)
    shell.events.register("post_run_cell", session.note_cell)
    shell.register_magic_function(functools.partial(_take_line, session), "line", "heal")


def _take_line(session: BrowserSession, line: str) -> None:
    session.take_line(line)


def unload(shell: Any) -> None:
    """Take everything back."""
    session = getattr(shell, ATTRIBUTE, None)
    if session is not None:
        shell.events.unregister("post_run_cell", session.note_cell)
        shell.magics_manager.magics["line"].pop("heal", None)
        delattr(shell, ATTRIBUTE)
