"""The text of a traceback, also of errors that Python's own module cannot print."""

from __future__ import annotations

from collections.abc import Iterator

from jupyter_selfheal.inside.locate import format_traceback


class Columns:
    """Names as patsy's formulas have them: each can be looked up, and none is listed."""

    def __getitem__(self, name: str) -> float:
        raise KeyError(name)


class OddCause(ValueError):
    @property
    def __cause__(self) -> BaseException:  # type: ignore[override]
        raise KeyError(0)


def list_errors() -> Iterator[BaseException]:
    for code in ("heigth", "raise_odd()"):
        try:
            exec("def raise_odd():\n    raise Odd('odd')", space := {"Odd": OddCause})
            eval(code, space, Columns() if code == "heigth" else {})
        except Exception as error:
            yield error


def test_what_python_cannot_print_comes_without_its_causes() -> None:
    name, odd = map(format_traceback, list_errors())
    assert 'File "<string>", line 1' in name
    assert "NameError: name 'heigth' is not defined" in name.splitlines()[-1]
    assert odd.splitlines()[-1] == "OddCause: odd"
    assert "raise_odd" in odd
