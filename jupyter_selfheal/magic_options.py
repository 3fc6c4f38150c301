"""Reading the line of ``%%heal`` and ``%heal``: the same in a live session and in a notebook that is healed as a file.

``%%heal`` is read by an input transformer that blanks its line. Running the body through ``run_cell`` again, as a cell
magic would, breaks top-level await, loses the line numbers and turns a failure into an ok reply. So the line goes away
before IPython looks at the cell, and whoever heals reads it from the raw cell. A line that cannot be read, or that is a
command, is left in place: then the cell magic of the same name runs, and says what is wrong.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from jupyter_selfheal.config import HealConfig, read_setting
from jupyter_selfheal.errors import UsageError

if TYPE_CHECKING:
    from jupyter_selfheal.model import Oracle

PREFIX = "%%heal"

COMMANDS = (
    "approve", "run", "reject", "retry", "continue", "budget", "undo", "resume", "show", "sent", "status", "config",
    "on", "off", "auto", "stop", "answer", "allow", "prove", "consent", "model",
    "review", "history", "why", "ahead", "minimize", "bisect",
)  # fmt: skip
"""First words of ``%heal`` that are commands rather than options."""

HELP = """Run the cell; if it raises, or misses what is expected of it, heal it.

Usage: %%heal [options]       on top of a cell
       %heal                  heal the last failure
       %heal approve          in a new cell: it becomes the fix and runs
       %%heal approve         on top of the failing cell: the fix replaces it
       %heal reject [why] | retry [hint] | continue | budget USD | stop
       %heal ahead now        which cells below will fail, tried in a copy
       %heal ahead on | off   do that in idle time, and mark the cells
       %heal bisect           the first cell that departs from stored outputs
       %heal minimize         the smallest notebook that fails in the same way
       %heal why              what failed, why, and what to do
       %heal history          what was healed in this session
       %heal undo [N]         the old source back; or what you just rejected
       %heal show | status | config | sent | resume | answer VALUE | allow
             prove | consent | model
       %heal review           doubts about cells that ran; nothing is changed
       %heal on | off | auto [on|off]

Options:
  --expect E       a Python expression that the cell's last value must equal
  --check S        a statement that must run after the cell (repeatable)
  --stdout T       text that the cell must print; /…/ is a regular expression
  --test COMMAND   tests that a changed Python file must pass (in a batch)
  --spec TEXT      what the cell is for, in words (for a language model)
  --attempts N     rounds of a paid healer before it pauses
  --budget USD     dollars this heal may spend
  --timeout S      seconds a trial may take
  --healers LIST   out of memory,rules,search,language_model
  --model NAME     the model that proposes patches
  --wait           block until the heal is decided (--no-wait: do not);
                   the default in scripts and terminals
  --offline        no model, no network
"""

_CONFIG = {name: name for name in ("attempts", "timeout", "model", "healers")} | {"budget": "budget_usd"}
_FLAGS = ("wait", "no-wait", "offline", "install")
_TEXTS = ("expect", "check", "stdout", "spec", "test")


def _build_empty_oracle() -> Oracle:
    from jupyter_selfheal.model import (
        Oracle,  # the kernel that loads the extension has no use for the model before a failure
    )

    return Oracle()


@dataclass(frozen=True, slots=True)
class HealOptions:
    """What ``%%heal`` was asked for. ``wait`` is -1 where it was not said, else 0 or 1; ``test`` the command whose tests a changed file
    must pass."""

    oracle: Oracle = field(default_factory=_build_empty_oracle)
    settings: tuple[tuple[str, object], ...] = ()
    wait: int = -1
    test: str = ""

    def apply_to(self, base: HealConfig) -> HealConfig:
        """The configuration with these options on top. Raises ``ConfigError`` for values that make no sense."""
        return base.with_(**dict(self.settings))


def find_heal_line(source: str) -> str | None:
    """The options of a cell that begins with ``%%heal``, or None."""
    for line in source.splitlines():
        if line.strip():
            first, _, rest = line.strip().partition(" ")
            return rest.strip() if first == PREFIX else None
    return None


def is_command(line: str) -> bool:
    """True for ``approve``, ``reject why`` and the like."""
    return bool(line) and line.split(maxsplit=1)[0] in COMMANDS


def suggest_command(word: str) -> str:
    """``: did you mean `status`?`` for ``statsu``; empty where no command is near."""
    from difflib import get_close_matches  # only where something was misspelt

    near = get_close_matches(word, COMMANDS, 1, 0.7)
    return f": did you mean `%heal {near[0]}`?" if near else ""


def is_ours(source: str) -> bool:
    """Whether a cell only speaks to this product: a ``%heal`` line, a command on top of a cell, or loading and unloading."""
    first = source.lstrip()
    if first.startswith("%%heal"):
        return is_command(find_heal_line(source) or "")
    return first.startswith(("%heal", *(f"%{word}_ext jupyter_selfheal" for word in ("load", "unload", "reload"))))


def to_body(source: str) -> str:
    """The cell as IPython runs it: its ``%%heal`` line blanked (line numbers are kept, and a cell magic below it comes
    first), and without the blank lines on top, which IPython drops."""
    return "".join(blank_heal_line(source.splitlines(keepends=True)[_count_blank_lines(source) :]))


def blank_heal_line(lines: list[str]) -> list[str]:
    """The transformer (https://ipython.readthedocs.io/en/stable/config/inputtransforms.html): lines in, lines out."""
    line = find_heal_line("".join(lines))
    if line is None or is_command(line):
        return lines
    try:
        parse(line)
    except UsageError:
        return lines
    magic = _find_magic_below(lines)
    rest = ["\n", *lines[1:]]
    if magic:
        # `%%time` drops blank lines on top of its body, and the numbers of its lines would be others
        rest[0], rest[magic] = rest[magic], "#\n" if rest[magic].startswith("%%time") else "\n"
    return rest


blank_heal_line.has_side_effects = True  # type: ignore[attr-defined]
"""Whether a cell is complete is asked of IPython with the line in place: as under any cell magic, two empty lines end it."""


def restore_heal_line(raw: str, body: str) -> str:
    """A changed :func:`body_of` of ``raw`` as the cell stands in the notebook: the lines on top that did not run are back."""
    lines, new = raw.splitlines(keepends=True), body.splitlines(keepends=True)
    top, lines = lines[: _count_blank_lines(raw)], lines[_count_blank_lines(raw) :]
    if find_heal_line(raw) is None:
        return "".join(top) + body
    magic = _find_magic_below(lines)
    if magic < len(new) and new[0].startswith("%%") and not new[magic].strip("# \n"):
        new[0], new[magic] = new[magic], new[0]
    if new and not new[0].strip("# \n"):
        return "".join([*top, lines[0], *new[1:]])
    return "".join([*top, lines[0].rstrip("\n") + "\n", *new])


def _count_blank_lines(source: str) -> int:
    """How many lines of nothing but space are on top."""
    return source[: len(source) - len(source.lstrip())].count("\n")


def _find_magic_below(lines: list[str]) -> int:
    """Where a cell magic stands below the ``%%heal`` line; 0: there is none."""
    below = next((n for n, text in enumerate(lines) if n and text.strip()), 0)
    return below if below and lines[below].startswith("%%") else 0


def find_words(line: str) -> list[tuple[int, int]]:
    """Spans of the words of a line: separated by white space outside quotes and brackets. Raises ``UsageError`` where
    a quote is left open."""
    spans: list[tuple[int, int]] = []
    start, quote, depth = -1, "", 0
    for at, c in enumerate(line):
        if quote:
            if c == quote and line[at - 1] != "\\":
                quote = ""
        elif c in "'\"":
            quote = c
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth = max(depth - 1, 0)
        if c.isspace() and not quote and depth == 0:
            if start >= 0:
                spans.append((start, at))
            start = -1
        elif start < 0:
            start = at
    if quote:
        raise UsageError(f"a quote is left open in {line.strip()!r}: close it, or put the value in the other quotes")
    if start >= 0:
        spans.append((start, len(line)))
    return spans


def parse(line: str, known: Collection[str] = ()) -> HealOptions:
    """Read the options of a ``%%heal`` line. ``known`` are the names of the user's namespace.

    Raises :class:`UsageError` for an unknown option or a value that makes no sense.
    """
    texts: dict[str, list[str]] = {name: [] for name in _TEXTS}
    settings: dict[str, object] = {}
    wait = -1
    for name, value in _read_options(line):
        if name in ("expect", "check"):
            texts[name].append(_read_expression(value, known) if name == "expect" else _read_statements(value))
        elif name in _TEXTS:
            texts[name].append(_unquote_value(value))
        elif name in ("wait", "no-wait"):
            wait = int(name == "wait")
        elif name in _FLAGS:
            settings[name] = True
        else:
            settings[_CONFIG[name]] = _read_option(name, _unquote_value(value))
    from jupyter_selfheal.model import Oracle

    oracle = Oracle(
        expect=texts["expect"][-1] if texts["expect"] else "",
        stdout=texts["stdout"][-1] if texts["stdout"] else "",
        checks=tuple(texts["check"]),
        spec=" ".join(texts["spec"]),
    )
    return HealOptions(oracle, tuple(settings.items()), wait, texts["test"][-1] if texts["test"] else "")


def _read_options(line: str) -> list[tuple[str, str]]:
    spans = find_words(line)
    starts = [n for n, (a, b) in enumerate(spans) if line[a:b].startswith("--")]
    if spans and (not starts or starts[0] > 0):
        raise UsageError(f"{line[slice(*spans[0])]!r} is no option of %%heal: see `%%heal?`")
    options = []
    for n, at in enumerate(starts):
        first = line[slice(*spans[at])]
        end = spans[starts[n + 1] - 1][1] if n + 1 < len(starts) else spans[-1][1]
        name, equals, value = first[2:].partition("=")
        if name not in (*_CONFIG, *_FLAGS, *_TEXTS):
            raise UsageError(f"unknown option --{name}: see `%%heal?` for all of them")
        rest = line[spans[at][1] : end].strip()
        value = (value + " " + rest).strip() if equals else rest
        if name in _FLAGS and value:
            raise UsageError(f"--{name} takes no value, but {value!r} follows it")
        if name not in _FLAGS and not value:
            raise UsageError(f"--{name} needs a value")
        options.append((name, value))
    return options


def _read_option(name: str, value: str) -> object:
    try:
        return read_setting(_CONFIG[name], value)
    except UsageError as error:
        raise UsageError(f"--{name}: {error}") from error


def _read_literal(value: str) -> str | None:
    """The text of a value that is one string literal, else None."""
    try:
        node = ast.parse(value, mode="eval").body
    except (SyntaxError, ValueError):
        return None
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _unquote_value(value: str) -> str:
    text = _read_literal(value)
    return value if text is None else text


def _read_statements(value: str) -> str:
    """The statements that are meant; what IPython alone can read (``%`` and ``!``) is left to it."""
    text = _unquote_value(value)
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        if not any(line.lstrip().startswith(("%", "!")) for line in text.splitlines()):
            raise UsageError(f"--check takes Python statements, and {text!r} is none") from None
    return text


def _is_unfinished(text: str, error: Exception) -> bool:
    """Whether a quoted text is an expression that breaks off (``1 +``, ``[1, 2``): no words that a cell could give."""
    if not isinstance(error, SyntaxError):
        return False
    return "was never closed" in str(error.msg) or text.rstrip()[-1:] in tuple("+-*/%@&|^~=")


def _read_expression(value: str, known: Collection[str]) -> str:
    """The expression that is meant: ``--expect "6"`` is 6, ``--expect 'abc'`` is the string unless ``abc`` is a name."""
    text = _read_literal(value)
    candidate = value if text is None else text
    try:
        node = ast.parse(candidate, mode="eval").body
    except (SyntaxError, ValueError) as error:
        if text is not None and not _is_unfinished(text, error):
            return value
        value = text or value
        raise UsageError(f"--expect takes a Python expression, and {value!r} is none") from None
    if text is not None and isinstance(node, ast.Name) and node.id not in known:
        return value
    return candidate
