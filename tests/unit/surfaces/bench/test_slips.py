"""Slips of beginners that are put into programs of ours: the same seed makes the same ones, and none of them parses."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.slips.change_source import can_parse
from benchmarks.slips.corrupt import corrupt_program
from benchmarks.slips.make_batch import build_record, read_programs
from benchmarks.slips.riders import add_riders

PROGRAMS = Path(__file__).parents[4] / "benchmarks/slips/programs.txt"


@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_a_program_with_slips_does_not_parse_and_is_the_same_for_a_seed(seed: str) -> None:
    for name, source, inputs in read_programs(PROGRAMS.read_text(encoding="utf-8")):
        broken, slips = corrupt_program(source, f"{seed}/{name}")
        assert can_parse(source)
        assert inputs
        assert not slips or not can_parse(broken)
        assert len(slips) <= 4
        assert (broken, slips) == corrupt_program(source, f"{seed}/{name}")


def test_a_record_holds_what_the_right_program_prints() -> None:
    record = build_record("double", "n = int(input())\nprint(n * 2)\n", ["4\n"], "7")
    assert record is not None
    assert record["IO_example"] == [{"input": "4\n", "output": "8\n"}]
    assert not can_parse(record["submission"][0]["syntax_incorrect"])


def test_a_program_that_fails_on_its_input_is_left_out() -> None:
    assert build_record("double", "print(int(input()))\n", ["four\n"], "7") is None


def test_a_rider_leaves_a_program_parsing_and_only_where_it_shows() -> None:
    programs = [source for _, source, _ in read_programs(PROGRAMS.read_text(encoding="utf-8"))][:15]
    ridden = [add_riders(source, str(n)) for n, source in enumerate(programs)]
    assert all(can_parse(text) for text, _ in ridden)
    assert sum(bool(names) for _, names in ridden) > 5
    assert all((text != source) == bool(names) for source, (text, names) in zip(programs, ridden, strict=True))
    assert add_riders(programs[0], "1", lambda one, two: False) == (programs[0], ())
