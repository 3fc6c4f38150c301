"""``--stand-in``: replies that were written by hand in place of a model's, shipped, so that the whole path can be tried without a key.

Nothing that is measured with them is a model's result; tokens are a quarter of the characters, and prices are made up (1 and 5 dollars a million).
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from jupyter_selfheal.errors import UsageError


@dataclass(frozen=True, slots=True)
class StandIn:
    """The settings by which the shipped replies are asked."""

    folder: Path
    model: str = "stand-in"
    provider: str = "openai_compatible"
    price_in: float = 1.0
    price_out: float = 5.0


STAND_IN = StandIn(Path(str(files("jupyter_selfheal.surfaces.bench"))) / "samples" / "stand_in")

TAKEN = (
    "healers",
    "provider",
    "model",
    "judge_model",
    "judge_provider",
    "judge_base_url",
    "base_url",
    "record",
    "replay",
)
"""Settings that are the stand-in's own."""


def use_stand_in(arguments: argparse.Namespace) -> None:
    """Put the stand-in's settings into a command's arguments. Raises UsageError where they name another model."""
    named = [name for name in TAKEN if getattr(arguments, name) is not None]
    if named:
        raise UsageError(f"--stand-in is the model: leave out --{named[0].replace('_', '-')}")
    arguments.healers = ("language_model",)
    arguments.provider, arguments.model, arguments.judge_model = STAND_IN.provider, STAND_IN.model, STAND_IN.model
    arguments.price_in, arguments.price_out = STAND_IN.price_in, STAND_IN.price_out
    arguments.replay = str(STAND_IN.folder)
