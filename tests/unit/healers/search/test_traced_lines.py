"""Which lines a check runs is seen as well where a function is no longer looked at once all its lines have run."""

import colorsys
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from jupyter_selfheal.inside.search.localise_faults import NEAR, LineTracer, Tracer, trace_lines, trace_program
from jupyter_selfheal.inside.search.program import FILE, Program, Unit, compile_unit
from jupyter_selfheal.inside.search.run_candidate import Runner

STEPS = 50_000
RECURSION = """
def cost(a, b):
    if not a or not b:
        return len(a) or len(b)
    if a[0] == b[0]:
        return cost(a[1:], b[1:])
    return 1 + min(cost(a, b[1:]), cost(a[1:], b))
"""
BRANCHES = """
def label(xs):
    out = []
    for x in xs:
        if x > 3:
            out.append("big")
        elif x < 0:
            raise ValueError(x)
        else:
            out.append(
                "small"
            )
    return out
"""
IN_PARTS = """
def pieces(n):
    for i in range(n):
        yield i
        if i == 2:
            yield -i
RUN = pieces(9)
"""


@pytest.mark.parametrize(
    ("definition", "checks"),
    [
        (RECURSION, ("assert cost('ab', 'b') == 1", "assert cost('kitten', 'sitting') == 5", "assert cost('', 'a') == 2")),
        (BRANCHES, ("assert label([1]) == ['small']", "assert label([9, 1]) == []", "assert label([1, -1])", "assert label([])")),
        (IN_PARTS, ("assert next(RUN) == 0", "assert next(RUN) == 1", "assert [next(RUN), next(RUN)] == [2, -2]", "assert next(RUN) == 3")),
        ("f = lambda x: x\nfor i in range(3):\n    f(i)\n", ("assert f(1) == 2", "assert f(2) == 2")),
    ],
)  # fmt: skip
def test_the_same_lines_are_seen_as_by_one_who_looks_at_all(definition: str, checks: tuple[str, ...]) -> None:
    units = Unit(definition, "cell", True), *(Unit(check, "check") for check in checks)
    runner = Runner(Program(units), {"__name__": "__main__"})
    changed = {0: (definition, compile_unit(runner.program, 0, definition))}
    spectra, ran = trace_lines(runner, STEPS, changed)
    sight = trace_program(runner, STEPS, changed)
    assert (spectra, ran) == (sight.spectra, sight.ran)
    assert len(spectra) == len(checks)


def test_a_function_all_of_whose_lines_ran_is_looked_at_no_longer_until_the_next_check() -> None:
    space: dict[str, Any] = {}
    text = "import sys\ndef f(x):\n    if x:\n        return 0\n    return sys._getframe()\n"
    exec(compile(text, FILE.format(0), "exec"), space)
    tracer = LineTracer(1)
    sys.settrace(tracer.global_trace)
    frames = space["f"](0), space["f"](1), space["f"](0)
    sys.settrace(None)
    assert [frames[0].f_trace is None, frames[2].f_trace is None] == [False, True]
    tracer.end_check(True)
    assert tracer.global_trace(frames[2], "call", None) is not None


@pytest.mark.parametrize(
    ("body", "foreign"),
    [
        ("return n + 1", 0),
        ("return colorsys.rgb_to_yiq(n, n, n)[0]", 1),  # one in Python
        ("return sum(sorted(range(n), key=lambda k: -k))", 0),  # in C, and the program's own
    ],
)
def test_calls_of_other_peoples_python_are_those_that_the_program_makes(body: str, foreign: int) -> None:
    """What we call to run and count the checks is none of them: where it was, the calls of small programs were traced for nothing."""
    units = Unit(f"def f(n):\n    {body}\n", "cell", True), *(Unit(f"assert f({n}) < 0", "check") for n in range(5))
    runner = Runner(Program(units), {"__name__": "__main__", "colorsys": colorsys})
    assert trace_program(runner, STEPS).foreign == 5 * foreign


class Frames:
    """A call of somebody else's, so many calls below the program's."""

    def __init__(self, depth: int, looked: list[int]) -> None:
        self.depth, self.looked, self.f_globals = depth, looked, {"__name__": "elsewhere"}
        self.f_code = SimpleNamespace(co_filename="elsewhere.py" if depth else FILE.format(0))

    @property
    def f_back(self) -> "Frames":
        self.looked.append(self.depth)
        return Frames(self.depth - 1, self.looked)


@pytest.mark.parametrize("depth", [1, 5, 5000])
def test_a_deep_recursion_of_other_peoples_is_not_gone_up_at_each_call(depth: int) -> None:
    tracer, looked = Tracer(1), list[int]()
    tracer.global_trace(Frames(depth, looked), "call", None)  # type: ignore[arg-type]
    assert tracer.foreign == 1
    assert len(looked) <= NEAR + 1
