"""``%%heal`` goes away before IPython looks at the cell."""

from __future__ import annotations

import pytest
from IPython.core.inputtransformer2 import TransformerManager

from jupyter_selfheal import magic_options


def transformed(source: str) -> str:
    manager = TransformerManager()
    manager.cleanup_transforms.append(magic_options.blank_heal_line)
    return manager.transform_cell(source)


def test_line_is_blanked_and_line_numbers_hold() -> None:
    assert transformed("%%heal --expect 2\nx = 1\nx + 1").splitlines() == ["", "x = 1", "x + 1"]


def test_cell_magic_below_still_works() -> None:
    assert transformed("%%heal\n%%time\nx = 1\n").startswith("get_ipython().run_cell_magic('time', ''")


def test_in_a_terminal_an_empty_line_ends_the_cell_as_under_any_cell_magic() -> None:
    """The line alone was held to be a whole cell: Enter ran it before its body could be typed."""
    manager = TransformerManager()
    manager.cleanup_transforms.append(magic_options.blank_heal_line)
    assert manager.check_complete("%%heal --expect 2")[0] == "incomplete"
    assert manager.check_complete("%%heal --expect 2\nx = 1")[0] == "incomplete"
    assert manager.check_complete("%%heal --expect 2\nx = 1\n\n")[0] == "complete"
    assert manager.check_complete("x = 1")[0] == "complete"


def test_line_that_cannot_be_read_reaches_the_magic() -> None:
    assert "run_cell_magic('heal', '--nonsense'" in transformed("%%heal --nonsense\nx = 1\n")


def test_command_reaches_the_magic_with_the_cell() -> None:
    assert "run_cell_magic('heal', 'approve', 'x = 1\\n')" in transformed("%%heal approve\nx = 1\n")


@pytest.mark.parametrize("source", ["x = 1\n", "%%healthy\nx", "# %%heal\nx = 1\n", "%%heal?\n"])
def test_near_misses_are_left_alone(source: str) -> None:
    assert magic_options.blank_heal_line(source.splitlines(keepends=True)) == source.splitlines(keepends=True)


def test_body_keeps_the_lines() -> None:
    assert magic_options.to_body("%%heal --expect 1\nx\n") == "\nx\n"
    assert magic_options.find_heal_line("%%heal --expect 1\nx\n") == "--expect 1"
    assert magic_options.find_heal_line("x\n") is None


@pytest.mark.parametrize(
    "raw",
    [
        "%%heal --expect 1\nx\n",
        "\n%%heal\nx = 1\n\nx",
        "%%heal\n%%time\nx = 1",
        "%%heal\n\n%%capture\nx",
        "%%heal\nx",
        "x = 1\n",
    ],
)
def test_changed_body_gets_its_line_back(raw: str) -> None:
    assert magic_options.restore_heal_line(raw, magic_options.to_body(raw)) == raw
    changed = magic_options.to_body(raw).replace("x", "y.z")
    assert magic_options.restore_heal_line(raw, changed) == raw.replace("x", "y.z").replace("--ey.zpect", "--expect")


def test_body_that_lost_its_blank_line_gets_the_line_on_top() -> None:
    assert magic_options.restore_heal_line("%%heal\nx", "y = 1\ny") == "%%heal\ny = 1\ny"


def test_time_magic_below_keeps_the_lines_of_its_body() -> None:
    assert magic_options.to_body("%%heal\n%%time\nx = 1") == "%%time\n#\nx = 1"
