"""Numbers among a command's words, each read with the range that makes sense for it; argparse says what is accepted in place of another."""

from __future__ import annotations

import argparse

from jupyter_selfheal.numbers import read_number


def read_count(text: str) -> int:
    """A whole number from 1."""
    return int(_read_number_between(text, 1, 10_000, "a whole number from 1", whole=True))


def read_port(text: str) -> int:
    """A port to listen on, where 0 is any."""
    return int(_read_number_between(text, 0, 65_535, "a port from 0 to 65535", whole=True))


def read_seconds(text: str) -> float:
    """Seconds above 0."""
    return _read_number_between(text, 0.001, 1_000_000, "a number of seconds above 0")


def read_factor(text: str) -> float:
    """A number from 1."""
    return _read_number_between(text, 1, 1_000_000, "a number from 1")


def _read_number_between(text: str, least: float, greatest: float, accepted: str, *, whole: bool = False) -> float:
    number = read_number(text, least, greatest, whole=whole)
    if number is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not {accepted}")
    return number
