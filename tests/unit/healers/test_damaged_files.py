"""A JSON file that is damaged is named and left alone; what code may have done to it is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_selfheal.testing.rule_conformance import Bench
from tests.unit.healers.triage import diagnose

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # cells open files as people do

DAMAGED = '{"a": [1, 2}'


@pytest.mark.parametrize("read", ["json.load(open('d.json'))", "with open('d.json') as f:\n    data = json.load(f)"])
def test_a_damaged_file_is_named_and_left_alone(bench: Bench, read: str) -> None:
    Path(bench.folder, "d.json").write_text(DAMAGED)
    found = diagnose(bench.fail("import json", read))
    assert found.skip_reason == "bad data"
    assert (
        found.cause == "The file d.json is damaged: it is no JSON from line 1, column 12 on (Expecting ',' delimiter)."
    )


@pytest.mark.parametrize(
    ("content", "cells"),
    [
        (DAMAGED, ["import json\nf = open('d.json')", "json.loads(f.read())"]),  # a text, from wherever
        ('{"a": 1}\n{"a": 2}\n', ["import json", "json.load(open('d.json'))"]),  # a JSON text in each line
        ('{"a": 1}', ["import json\nf = open('d.json')\nf.read()", "json.load(f)"]),  # read to its end before
        (
            DAMAGED,
            ["import json\nopen('d.json', 'w').write('{\"a\": [1}')", "json.load(open('d.json'))"],
        ),  # written here
    ],
)
def test_what_the_code_may_have_done_is_not_called_damage(bench: Bench, content: str, cells: list[str]) -> None:
    Path(bench.folder, "d.json").write_text(content)
    assert diagnose(bench.fail(*cells)).skip_reason is None
