"""FIL107: a text given to a reader: of pandas, which takes it for the name of a file since pandas 3, or of Python, which goes through its letters."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jupyter_selfheal.healers.rules.context import Rule, RuleContext, Stage
from jupyter_selfheal.healers.rules.context.nodes import read_last_name
from jupyter_selfheal.healers.rules.context.replay import change_and_replay
from jupyter_selfheal.model import Applicability, Patch

READERS = {"read_json": r"\s*[\[{]", "read_html": r"\s*<", "read_xml": r"\s*<"}
"""What the texts begin with that the readers took until pandas 3."""
QUOTED = re.compile(r": ['\"](.*)", re.S)
"""The messages quote what was taken for a name."""


class TextAsFile(Rule):
    """Read a text as a text, and not as the name of a file.

    **Failure** `FileNotFoundError: [Errno 2] No such file or directory: '[{"a": 1}]'` or `OSError: [Errno 36] File name too long` at
    `pd.read_json(text)`, `pd.read_html(page.text)` or `pd.read_xml(text)`; `KeyError: 'amount'` of rows that `csv.DictReader(text)` made.

    **Fix** `pd.read_json(io.StringIO(text))`; `csv.DictReader(text.splitlines())`, also in a cell above.

    **Fix safety** Safe: until pandas 3.0 the text itself was read, and it begins as such a text does; the first line of the text holds the key that is missing. Silent for names and addresses.
    """

    code = "FIL107"
    name = "text taken for the name of a file"
    stage = Stage.LIBRARY
    enames = frozenset({"FileNotFoundError", "OSError", "KeyError"})
    applicability = Applicability.SAFE
    why = "Until pandas 3.0 the reader took the text itself (https://pandas.pydata.org/docs/whatsnew/v3.0.0.html)."

    def propose(self, context: RuleContext) -> Iterator[Patch]:
        if context.failure.ename == "KeyError":
            yield from self._read_lines(context)
            return
        for call in context.list_calls_at_failure():
            begins = READERS.get(read_last_name(call.func))
            if begins is None or not call.args or not context.describe_all([call.func])[0].path.startswith("pandas."):
                continue
            given, quoted = call.args[0], QUOTED.search(context.failure.evalue)
            known = context.reference("io.StringIO") if quoted and re.match(begins, quoted[1]) else None
            if known is None:
                return
            change = (*context.span(given), f"{known[0]}({context.text(given)})")
            yield self.patch(
                context.replace_here(change, *context.add_imports([known[1]] if known[1] else [])),
                f"Read `{context.text(given)[:40]}` as a text",
                f"Since pandas 3.0, `{read_last_name(call.func)}` takes a text for the name of a file.",
                prior=0.94,
            )
            return

    def _read_lines(self, context: RuleContext) -> Iterator[Patch]:
        """``csv.DictReader(text)``, which goes through the letters of a text, and takes the first one for all names."""
        for view in context.look_upwards():
            for call in view.walk(ast.Call):
                text = (
                    view.read_plain_chain(call.args[0])
                    if call.args and read_last_name(call.func) == "DictReader"
                    else None
                )
                heads = f"{context.failure.evalue} in {text}.partition(chr(10))[0]"
                if text is None or not context.is_true(f"isinstance({text}, str) and chr(10) in {text} and {heads}"):
                    continue
                end = view.span(call.args[0])[1]
                ends = "True" if context.is_true(f"chr(34) in {text}") else ""  # what is quoted may be of several lines
                yield self.patch(
                    change_and_replay(context, {view.cell_id: [(end, end, f".splitlines({ends})")]}),
                    f"Read the lines of `{text}`",
                    f"`{text}` is a text, of which `DictReader` reads each letter as a line.",
                    why="The first line of the text holds the names, this one among them.",
                    prior=0.94,
                )
                return
