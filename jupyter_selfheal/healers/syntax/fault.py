"""The first syntax error of a source, as CPython names it."""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass
from functools import lru_cache

from jupyter_selfheal import source as src


@dataclass(frozen=True, slots=True)
class Fault:
    """The first syntax error of a source. ``line`` is 1-based, ``column`` 0-based in characters; the end may equal it."""

    message: str
    line: int
    column: int
    end_line: int
    end_column: int
    kind: str = "SyntaxError"


def to_fault(error: SyntaxError) -> Fault:
    """CPython's error as a fault."""
    line, column = error.lineno or 1, max((error.offset or 1) - 1, 0)
    end_line, end_column = error.end_lineno or line, max((error.end_offset or 0) - 1, 0)
    return Fault(error.msg or "", line, column, end_line, end_column, type(error).__name__)


@lru_cache(maxsize=1024)
def find_fault(source: str) -> Fault | None:
    """The first syntax error of a cell, None where it compiles."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(src.mask(source), "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except SyntaxError as error:
        return to_fault(error)
    except (ValueError, RecursionError, MemoryError) as error:
        return Fault(str(error), 1, 0, 1, 0, type(error).__name__)
    return None


def reads_to(source: str, line: int) -> bool:
    """Whether the source can be read down to the end of a 1-based line, whatever is wrong below."""
    fault = find_fault("\n".join(source.split("\n")[:line]))
    return fault is None or fault.message.startswith(("expected an indented block", "expected 'except'"))
