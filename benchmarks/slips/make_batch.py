"""Programs of ours with slips of beginners, in PyDex's form: ``python benchmarks/slips/make_batch.py benchmarks/slips/programs.txt FOLDER --seed 9001``, then
``jupyter selfheal bench pydex FOLDER``."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.slips.corrupt import corrupt_program
from benchmarks.slips.riders import add_riders


def read_programs(text: str) -> list[tuple[str, str, list[str]]]:
    """Name, source and inputs of each program: ``=== name: first/line two | second`` above its source."""
    programs = []
    for part in re.split("^=== ", text, flags=re.MULTILINE)[1:]:
        head, _, source = part.partition("\n")
        name, _, inputs = head.partition(":")
        programs.append(
            (name, source.rstrip("\n") + "\n", [i.strip().replace("/", "\n") + "\n" for i in inputs.split(" | ")])
        )
    return programs


def _run_program(source: str, given: str) -> str | None:
    """What a program prints; None where it fails or does not end."""
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", source], input=given, capture_output=True, text=True, timeout=10
        )
    except subprocess.TimeoutExpired:
        return None
    return None if done.returncode else done.stdout


def build_record(
    name: str, source: str, inputs: Sequence[str], seed: str, rides: bool = False, parses: bool = False
) -> dict[str, Any] | None:
    """The record of one program; None where it does not run with its inputs as they are written, or has no place for a slip.

    ``rides``: with faults beside the slips that the first example shows, too; ``parses``: with nothing but those.
    """
    examples = []
    for given in inputs:
        printed = _run_program(source, given)
        if printed is None:
            return None
        examples.append({"input": given, "output": printed})

    def shows(one: str, two: str) -> bool:
        return _run_program(two, inputs[0]) != examples[0]["output"]

    ridden, riders = add_riders(source, f"{seed}/{name}", shows) if rides or parses else (source, ())
    broken, slips = (ridden, ()) if parses else corrupt_program(ridden, f"{seed}/{name}")
    if not (riders if parses else slips):
        return None
    submission = {"syntax_incorrect": broken, "semantics_correct": source, "slips": [*slips, *riders]}
    return {"problem_ID": name.replace(" ", "-"), "IO_example": examples, "submission": [submission]}


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", default="9001")
    parser.add_argument("--riders", action="store_true", help="with faults that leave a program parsing, too")
    parser.add_argument("--parses", action="store_true", help="with nothing but those")
    options = parser.parse_args(words)
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, source, inputs in read_programs(options.programs.read_text(encoding="utf-8")):
        record = build_record(name, source, inputs, options.seed, options.riders, options.parses)
        if record is None:
            print(f"left out: {name}")
        else:
            path = options.folder / f"{record['problem_ID']}.json"
            path.write_text(json.dumps(record, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
