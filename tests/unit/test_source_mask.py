"""Masking: what is IPython's own syntax, and what only looks like it."""

from __future__ import annotations

import pytest

from jupyter_selfheal.source import mask


@pytest.mark.parametrize(
    ("line", "masked"),
    [
        ("files = !ls", "files = None"),
        ("d['now'] = %time 1", "d['now'] = None"),
        ('print "x = %.3f" % 1', 'print "x = %.3f" % 1'),
        ("total = a % b", "total = a % b"),
    ],
)
def test_an_assigned_command_is_masked_and_a_text_of_python_2_is_not(line: str, masked: str) -> None:
    assert mask(line) == masked
