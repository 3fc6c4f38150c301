"""The messages of a kernel's IOPub channel, collected into the outputs that a notebook would store."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from jupyter_selfheal.model import JSON, ErrorInfo, Output

_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def strip_colours(text: str) -> str:
    """The text without terminal colours."""
    return _COLOURS.sub("", text)


class OutputCollector:
    """Outputs so far. Neighbouring pieces of one stream are joined; displays are updated and cleared as front ends do
    (https://jupyter-client.readthedocs.io/en/stable/messaging.html)."""

    def __init__(self, on_output: Callable[[Output], None] | None = None) -> None:
        self._on_output = on_output
        self._outputs: list[Output] = []
        self._displays: dict[str, list[int]] = {}
        self._clear_next = False

    @property
    def outputs(self) -> tuple[Output, ...]:
        return tuple(self._outputs)

    @property
    def errors(self) -> tuple[ErrorInfo, ...]:
        """The error outputs as errors; nobody has located them."""
        return tuple(
            ErrorInfo(o.ename, o.evalue, traceback=strip_colours("\n".join(o.traceback)))
            for o in self._outputs
            if o.output_type == "error"
        )

    def take_message(self, kind: str, content: Mapping[str, JSON]) -> None:
        """Take in one message; kinds that are no outputs are ignored."""
        if kind == "clear_output":
            if content.get("wait"):
                self._clear_next = True
            else:
                self._clear_outputs()
        elif kind == "update_display_data":
            self._update_display(content)
        elif kind in ("stream", "display_data", "execute_result", "error"):
            if self._clear_next:
                self._clear_outputs()
            self._add_output(kind, content)

    def _clear_outputs(self) -> None:
        self._outputs.clear()
        self._displays.clear()
        self._clear_next = False

    def _add_output(self, kind: str, content: Mapping[str, JSON]) -> None:
        output = Output.from_nbformat({**content, "output_type": kind})
        if self._on_output is not None:
            self._on_output(output)
        last = self._outputs[-1] if self._outputs else None
        if kind == "stream" and last is not None and last.output_type == "stream" and last.name == output.name:
            self._outputs[-1] = replace(last, text=last.text + output.text)
            return
        name = str((content.get("transient") or {}).get("display_id", ""))
        if name:
            self._displays.setdefault(name, []).append(len(self._outputs))
        self._outputs.append(output)

    def _update_display(self, content: Mapping[str, JSON]) -> None:
        new = Output.from_nbformat({**content, "output_type": "display_data"})
        for at in self._displays.get(str((content.get("transient") or {}).get("display_id", "")), ()):
            self._outputs[at] = replace(self._outputs[at], data=new.data, metadata=new.metadata)
