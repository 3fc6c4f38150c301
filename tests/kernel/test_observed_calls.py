"""Calls that the notebook made before, with real kernels: a fix may not change what nobody complained of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.batches import cell
from tests.command import heal, place, sources, write

__all__ = ["place"]

pytestmark = pytest.mark.kernel

AVERAGE = "def average(xs):\n    return sum(xs) / len(xs)"


def stored(text: str) -> list[dict[str, object]]:
    return [{"output_type": "stream", "name": "stdout", "text": [text]}]


def test_what_a_healthy_cell_printed_is_kept(place: Path) -> None:
    given = write(
        place / "n.ipynb",
        AVERAGE,
        cell("print(average([2, 4]))", outputs=stored("3.0\n")),
        cell("print(average([]))", outputs=stored("0\n")),
    )
    heal(given, "--approve", "all", "--report", "r.json")
    healed = sources(place / "n.healed.ipynb")
    space: dict[str, object] = {}
    exec(healed[0], space)
    assert space["average"]([2, 4]) == 3.0  # type: ignore[operator]
    (broken,) = (c for c in json.loads((place / "r.json").read_text())["notebooks"][0]["cells"] if c.get("fix"))
    assert "It agrees on 1 earlier call; differs on none." in str(broken)


def test_methods_of_a_class_are_called_again_on_instances_of_the_new_class(place: Path) -> None:
    given = write(
        place / "n.ipynb",
        "class Trip:\n    def __init__(self, km, hours):\n        self.km, self.hours = km, hours\n\n"
        "    def speed(self):\n        return self.km / self.hours",
        cell("trip = Trip(90, 2)\nprint(trip.speed())", outputs=stored("45.0\n")),
        cell("print(Trip(5, 0).speed())", outputs=stored("0\n")),
    )
    heal(given, "--approve", "all")
    healed = sources(place / "n.healed.ipynb")
    space: dict[str, object] = {}
    exec(healed[0], space)
    assert space["Trip"](90, 2).speed() == 45.0  # type: ignore[operator]
