"""Plain faults in unusual shapes: the fix is the same one."""

from __future__ import annotations

import pytest

from jupyter_selfheal.testing.rule_conformance import Bench


@pytest.mark.parametrize(
    ("code", "cells", "healed"),
    [
        ("KEY101", ["d = {'alpha': 1}", "print(1); print(d['alpha '])"], "print(1); print(d['alpha'])"),
        (
            "NAM101",
            ["def outer(v):\n    factor = 3\n    def inner(x):\n        return x * facotr\n    return inner(v)", "outer(2)"],
            "def outer(v):\n    factor = 3\n    def inner(x):\n        return x * factor\n    return inner(v)",
        ),
        ("STA104", ["max = 3", "import builtins\nmax([1, 2])"], "import builtins\nbuiltins.max([1, 2])"),
    ],
)  # fmt: skip
def test_it_is_healed(bench: Bench, code: str, cells: list[str], healed: str) -> None:
    assert healed in bench.heal(code, *cells)
