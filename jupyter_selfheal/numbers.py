"""Numbers from outside (a model's reply, a header, a journal, a setting, what a trial reports): read here and nowhere else.

``float("nan")`` is a number to Python, passes most comparisons as if it were the best there is, and makes a sum of money
unlimited. So each such number is read with the range that makes sense for it, and is nothing where it does not fit.
"""

from __future__ import annotations

import math


def read_number(
    value: object, least: float = -math.inf, greatest: float = math.inf, *, whole: bool = False
) -> float | None:
    """``value`` as a finite number within these limits; None where it is none: ``"abc"``, ``True``, NaN, ``10**400``.

    A text that spells a number counts as that number. ``whole``: as an ``int``, or not at all.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
        if whole:
            exact = int(value)
            return exact if exact == number and least <= number <= greatest else None
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and least <= number <= greatest else None


def read_count(value: object, greatest: int = 10**12) -> int | None:
    """``value`` as a whole number from 0 to ``greatest``; None where it is none."""
    number = read_number(value, 0, greatest, whole=True)
    return None if number is None else int(number)


def format_limit(usd: float) -> str:
    """A limit in dollars as it was given: in cents, or to the digit where it has more (``0.50``, ``0.025``)."""
    cents = f"{usd:.2f}"
    return cents if abs(float(cents) - usd) < 1e-9 else f"{usd:.6f}".rstrip("0")
