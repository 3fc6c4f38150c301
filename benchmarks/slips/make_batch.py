"""Programs of ours with slips of beginners, in PyDex's form: ``python benchmarks/slips/make_batch.py benchmarks/slips/programs.txt FOLDER --seed 9001``, then
``jupyter selfheal bench pydex FOLDER``."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks.slips.corrupt import corrupt_program


def read_programs(text: str) -> list[tuple[str, str, list[str]]]:
    """Name, source and inputs of each program: ``=== name: first/line two | second`` above its source."""
    programs = []
    for part in text.split("=== ")[1:]:
        head, _, source = part.partition("\n")
        name, _, inputs = head.partition(": ")
        programs.append(
            (name, source.rstrip("\n") + "\n", [i.strip().replace("/", "\n") + "\n" for i in inputs.split(" | ")])
        )
    return programs


def build_record(name: str, source: str, inputs: Sequence[str], seed: str) -> dict[str, Any] | None:
    """The record of one program; None where it does not run with its inputs as they are written, or has no place for a slip."""
    examples = []
    for given in inputs:
        done = subprocess.run(
            [sys.executable, "-I", "-c", source], input=given, capture_output=True, text=True, timeout=60
        )
        if done.returncode:
            return None
        examples.append({"input": given, "output": done.stdout})
    broken, slips = corrupt_program(source, f"{seed}/{name}")
    if not slips:
        return None
    submission = {"syntax_incorrect": broken, "semantics_correct": source, "slips": slips}
    return {"problem_ID": name.replace(" ", "-"), "IO_example": examples, "submission": [submission]}


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("programs", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", default="9001")
    options = parser.parse_args(words)
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, source, inputs in read_programs(options.programs.read_text(encoding="utf-8")):
        record = build_record(name, source, inputs, options.seed)
        if record is None:
            print(f"left out: {name}")
        else:
            path = options.folder / f"{record['problem_ID']}.json"
            path.write_text(json.dumps(record, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
