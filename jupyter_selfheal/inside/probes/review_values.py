"""What values of a cell hold: columns without a value or with only one, scores, asserts in functions that nobody called."""

from __future__ import annotations

import inspect
from typing import Any

from jupyter_selfheal.inside.probes.review_state import (
    answer,
    evaluate,
    find_value,
    is_all_missing,
    is_small_enough,
    name_kind,
    question,
)

probe = answer

SHOWN = 5
"""Values of a column that are named."""
FEW = 20
"""A column with at most so many different values is one of categories."""


@question
def list_missing(namespace: dict[str, Any], targets: dict[str, list[str]]) -> dict[str, int]:
    """The targets that hold nothing but NaN → how many values; not those that read something which is NaN throughout itself."""
    missing = {}
    for target, sources in targets.items():
        value = find_value(namespace, target)
        if is_all_missing(value) and not any(is_all_missing(find_value(namespace, s)) for s in sources):
            missing[target] = int(value.size)
    return missing


@question
def describe_absent_text(namespace: dict[str, Any], target: str, column: str, texts: list[str]) -> Any:
    """Where ``target`` holds one value because none of the texts is in a column of categories: what is there, and what is near.

    {"rows", "holds": [text], "near": text or ""}; None where the column does not show that.
    """
    made, source = find_value(namespace, target), find_value(namespace, column)
    if name_kind(made) != "Series" or name_kind(source) != "Series" or not is_small_enough(source):
        return None
    values = [v for v in source.dropna().unique().tolist() if isinstance(v, str)]
    if len(values) < 2 or int(source.nunique()) != len(values) or int(made.nunique(dropna=False)) != 1:
        return None
    if any(text in values for text in texts):
        return None
    near = [v for v in values if any(v.strip().casefold() == text.strip().casefold() for text in texts)]
    if not near and (len(values) > FEW or len(source) < 2 * len(values)):
        return None
    return {"rows": len(source), "holds": sorted(values)[:SHOWN], "near": near[0] if near else ""}


@question
def evaluate_score(namespace: dict[str, Any], text: str) -> Any:
    """The number that an expression gives; None where it gives none."""
    value = evaluate(namespace, text)
    return float(value) if isinstance(value, (int, float)) else None


@question
def list_failing_tests(namespace: dict[str, Any], names: list[str]) -> dict[str, list[Any]]:
    """Functions of no required parameter whose asserts fail when they are called → [line in the function, message]."""
    failing: dict[str, list[Any]] = {}
    for name in names:
        function = namespace.get(name)
        if not inspect.isfunction(function) or inspect.iscoroutinefunction(function):
            continue
        parameters = inspect.signature(function).parameters.values()
        if any(p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
            continue
        try:
            function()
        except AssertionError as error:
            failing[name] = [_find_line(error, function), " ".join(str(error).split())[:160]]
        except BaseException:  # it may need what only its runner has: not ours to say
            continue
    return failing


def _find_line(error: BaseException, function: Any) -> int:
    """The line of the assert, counted from the function's first."""
    entry = error.__traceback__
    while entry is not None:
        if entry.tb_frame.f_code is function.__code__:
            return entry.tb_lineno - function.__code__.co_firstlineno
        entry = entry.tb_next
    return 0
