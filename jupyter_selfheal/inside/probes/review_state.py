"""The namespace that a review looks at, and the one dispatcher that answers its questions.

A module of questions decorates each function with :func:`question` and binds ``probe = answer``; its text is sent together
with this one. Every question runs in a throw-away fork, so that evaluating an expression leaves no trace. Objects of pandas and
NumPy are touched by duck typing: nothing is imported.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

MOST_VALUES = 5_000_000
"""A table, column or array with more values than this is not looked at."""

QUESTIONS: dict[str, Callable[..., Any]] = {}
"""The questions of the module that was sent: this module is loaded anew for each."""


def question(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function ``(namespace, **argument)`` one that the engine can ask by its name."""
    QUESTIONS[function.__name__] = function
    return function


def answer(shell: Any, last: Any, argument: Any) -> Any:
    """Answer one question; what a module of questions binds as its ``probe``."""
    rest = {name: value for name, value in argument.items() if name != "question"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return QUESTIONS[argument["question"]](shell.user_ns, **rest)


def evaluate(namespace: dict[str, Any], text: str) -> Any:
    """The value of an expression. Raises whatever it raises."""
    return eval(compile(f"({text}\n)", "<review>", "eval"), dict(namespace))


def find_value(namespace: dict[str, Any], text: str) -> Any:
    """The value of an expression, None where it has none."""
    try:
        return evaluate(namespace, text)
    except Exception:
        return None


def name_kind(value: Any) -> str:
    """``DataFrame``, ``Series``, ``Index``, ``StringMethods``, ``ndarray``, or the name of a builtin type; empty for anything else."""
    for kind in type(value).__mro__:
        library = kind.__module__.partition(".")[0]
        if library == "builtins" and kind is type(value) and kind is not object:
            return kind.__name__
        if (library == "pandas" and kind.__name__ in ("DataFrame", "Series", "Index", "StringMethods")) or (
            library == "numpy" and kind.__name__ == "ndarray"
        ):
            return kind.__name__
    return ""


def is_small_enough(value: Any) -> bool:
    """Whether all values of a column, table or array may be looked at."""
    return int(getattr(value, "size", MOST_VALUES + 1)) <= MOST_VALUES


def is_all_missing(value: Any) -> bool:
    """Whether a column or array of two or more values holds nothing but NaN, None or NaT."""
    if name_kind(value) not in ("Series", "ndarray") or not is_small_enough(value) or value.size < 2:
        return False
    if name_kind(value) == "Series":
        return bool(value.isna().all())
    return value.dtype.kind in "fc" and bool((value != value).all())
