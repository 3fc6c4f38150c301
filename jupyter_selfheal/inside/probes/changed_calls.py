"""What changed functions give for calls near those that a cell makes: two patches that pass the same checks may differ there.

Sent as the source of a probe, after the cell of a trial. Everything runs in a fork, which leaves the trial as it is. Equal calls grow into
equal inputs, so that what two trials say can be compared.
"""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from types import FrameType
from typing import Any

from jupyter_selfheal.inside.search.confined_forks import HAS_FORKS, run_in_fork
from jupyter_selfheal.inside.search.count_steps import OutOfTime
from jupyter_selfheal.inside.search.cpu_time import read_cpu_time
from jupyter_selfheal.inside.search.generate_inputs import generate_inputs
from jupyter_selfheal.inside.search.limit_time import limit_cpu_time
from jupyter_selfheal.inside.search.plain_data import copy_plain_data
from jupyter_selfheal.inside.search.printed_output import Muted
from jupyter_selfheal.inside.search.run_result import Enough

INPUTS, CALLS = 40, 10
"""Inputs that are grown for a function, and calls of it that they grow from."""
CELL, EACH, ALL = 2.0, 0.1, 3.0
"""CPU seconds that the cell may take to be run again, one call, and all calls."""
WAIT = 20.0
"""Seconds on the clock after which nothing is said."""
SHOWN = 400
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")

Arguments = tuple[Any, ...]


def probe(shell: Any, last: Any, argument: Mapping[str, Any]) -> dict[str, str] | None:
    """What the functions named in ``argument["functions"]`` give for inputs grown from the calls that ``argument["code"]`` makes: the value's text,
    or ``!`` and the exception's name, by the text of the call. None where that cannot be found out."""
    shown = run_in_fork(lambda: _show_calls(shell.user_ns, argument), WAIT) if HAS_FORKS else None
    return shown if isinstance(shown, dict) else None


def _show_calls(space: dict[str, Any], argument: Mapping[str, Any]) -> dict[str, str]:
    with contextlib.redirect_stdout(Muted()), contextlib.redirect_stderr(Muted()):
        calls = _record_calls(space, argument["code"], set(argument["functions"]))
        shown: dict[str, str] = {}
        began = read_cpu_time()
        for name, given in calls.items():
            if not callable(space.get(name)):
                continue  # a function inside of another one, or a method
            for arguments in [
                *_vary_numbers_in_texts(given),
                *generate_inputs(given, INPUTS, known=argument["literals"]),
            ]:
                if read_cpu_time() - began > ALL:
                    return shown
                shown[f"{name}({', '.join(map(repr, arguments))})"] = _show_call(space[name], arguments)
        return shown


def _record_calls(space: dict[str, Any], code: str, functions: set[str]) -> dict[str, list[Arguments]]:
    """The calls with plain data that a cell makes of some functions, but for those that a function makes of itself."""
    calls: dict[str, list[Arguments]] = {}

    def note(frame: FrameType, event: str, arg: object) -> None:
        made = frame.f_code
        if event != "call" or made.co_name not in functions or frame.f_globals is not space:
            return
        known = calls.setdefault(made.co_name, [])
        if len(known) >= CALLS or (frame.f_back is not None and frame.f_back.f_code is made):
            return
        with contextlib.suppress(ValueError, KeyError):
            known.append(tuple(copy_plain_data(frame.f_locals[n]) for n in made.co_varnames[: made.co_argcount]))

    with contextlib.suppress(Exception, SystemExit, OutOfTime, Enough), limit_cpu_time(CELL):
        compiled = compile(code, "<cell>", "exec", dont_inherit=True)
        try:
            sys.setprofile(note)
            exec(compiled, space)
        finally:
            sys.setprofile(None)
    return calls


def _vary_numbers_in_texts(calls: Sequence[Arguments]) -> Iterator[Arguments]:
    """The calls with one of the numbers that stand in a text in place of which a small one stands: a date of another day, another amount."""
    for arguments in calls:
        for at, text in enumerate(arguments):
            for found in re.finditer(r"\d+", text) if isinstance(text, str) and len(text) < SHOWN else ():
                for other in range(1, 4):
                    number = str(other).zfill(len(found[0]))
                    yield (*arguments[:at], text[: found.start()] + number + text[found.end() :], *arguments[at + 1 :])


def _show_call(function: Any, arguments: Arguments) -> str:
    try:
        with limit_cpu_time(EACH):
            given = copy_plain_data(arguments)
            value = function(*given)
            if hasattr(value, "__next__"):
                value = [v for v, _ in zip(value, range(1000), strict=False)]
            changed = "" if repr(given) == repr(arguments) else " (and changes what it is given)"
            return _ADDRESS.sub("", repr(value))[:SHOWN] + changed
    except OutOfTime:
        return "!timeout"
    except (Exception, SystemExit) as error:
        return f"!{type(error).__name__}"
