"""``jupyter selfheal``: the command line. It is the engine itself, run in this process on notebooks of files."""

from __future__ import annotations

import codecs
import io
import logging
import os
import signal
import sys
import warnings
from collections.abc import Sequence

from jupyter_selfheal import registry
from jupyter_selfheal.errors import INTERRUPTED, NOT_ON_WINDOWS, SelfHealError
from jupyter_selfheal.own_process import keep_byte_code
from jupyter_selfheal.surfaces.cli.interrupts import resend_lost_interrupts
from jupyter_selfheal.surfaces.cli.parser import build_parser, find_command

FAILED = 2
"""Exit code for usage and infrastructure: nothing can be said about the notebooks."""


def run() -> int:
    """The program itself: :func:`main`, with the signals of a process that is all ours."""
    keep_byte_code()
    for name in ("SIGTERM", "SIGHUP"):  # whoever ends us otherwise than by Ctrl-C also wants nothing left behind
        if hasattr(signal, name) and signal.getsignal(getattr(signal, name)) is signal.SIG_DFL:
            signal.signal(getattr(signal, name), signal.default_int_handler)
    resend_lost_interrupts()
    code = main()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # all is said and done: nothing is to be interrupted in leaving
    return code


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit code: of ``heal`` 0 everything runs, 1 something is still broken, 2 the rest."""
    _print_what_a_terminal_lacks()
    if sys.platform == "win32":
        return _print_error(NOT_ON_WINDOWS)
    try:
        parser, words = build_parser(), sys.argv[1:] if argv is None else argv
        if not words:
            parser.print_help(sys.stderr)
            return FAILED
        options = parser.parse_args(words)
        options.words = tuple(words)
        # what Python has to say of the syntax of a user's cell, it says in the user's kernel, not to who reads our table
        warnings.filterwarnings("ignore", category=SyntaxWarning, module="<cell>")
        # a home that does not exist: what matters of it is said where a journal cannot be written
        warnings.filterwarnings("ignore", category=UserWarning, message="IPython parent")
        if not getattr(options, "verbose", False):  # what a user must know is in the table; the rest is for -v
            logging.getLogger("jupyter_selfheal").addHandler(logging.NullHandler())
        _show_problems_of_plugins()
        return find_command(options)(options)
    except SelfHealError as error:
        return _print_error(str(error))
    except KeyboardInterrupt:
        return _print_error(INTERRUPTED)
    except BrokenPipeError:
        # the reader of our output went away (``| head``): no traceback, and none at exit either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception as error:
        return _print_error(_report_internal_error(error))


def _print_what_a_terminal_lacks() -> None:
    """Let letters be printed that the output's encoding has not (a terminal without UTF-8, half of an emoji): as JSON writes them, so
    that what is JSON stays JSON."""
    codecs.register_error("selfheal-json", _escape_as_json)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="selfheal-json")


def _escape_as_json(error: UnicodeError) -> tuple[str, int]:
    """``\\u2013`` for what cannot be encoded; a letter beyond the first 65,536 is two such units."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4)), error.end


def _show_problems_of_plugins() -> None:
    """What is wrong with parts of other packages is for the user, one line each, also without -v."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("jupyter selfheal: %(message)s"))
    logger = logging.getLogger(registry.__name__)
    logger.handlers, logger.propagate = [handler], False


def _report_internal_error(error: Exception) -> str:
    from jupyter_selfheal.surfaces.cli import faults

    return faults.describe_full_disk(error) or faults.report_internal_error(error)


def _print_error(message: str) -> int:
    from jupyter_selfheal.surfaces.cli.notices import print_notice

    print_notice(message)
    return FAILED
