"""A module as a cell, and back: line for line, and refused where a cell cannot stand for a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_selfheal import source as src
from jupyter_selfheal.errors import NotebookError
from jupyter_selfheal.surfaces.project.files import FileFix, ProjectFile, is_own, read_file, write_fixes
from jupyter_selfheal.surfaces.project.inline import CannotInline, inline_all, restore_file
from jupyter_selfheal.surfaces.project.modules import Finder, Module, find_base, list_imported

HELPER = '''"""Helpers."""

import math


def mean(values):
    return sum(values) / len(value)


def spread(values):
    centre = mean(values)
    return math.sqrt(centre)


if __name__ == "__main__":
    print(mean([1, 2]))
'''


def module(text: str, name: str = "helper") -> Module:
    path = Path(f"/project/{name.replace('.', '/')}.py")
    return Module(name, ProjectFile(path, text.encode(), text, "utf-8"))


@pytest.mark.parametrize(
    ("cell", "inlined"),
    [
        ("from helper import mean\nmean([1])", "pass\nmean([1])"),
        ("from helper import (\n    mean,\n    spread,\n)\nmean([1])", "pass\n\n\n\nmean([1])"),
        ("from helper import *\nmean([1])", "pass\nmean([1])"),
        ("import helper\nhelper.mean([1])", "pass\nmean([1])"),
        ("import math, helper as h\nh.mean([1])", "import math\nmean([1])"),
        ("x = 1", "x = 1"),
    ],
)
def test_a_cell_has_the_names_of_the_module_without_its_import(cell: str, inlined: str) -> None:
    (made,), (other,) = inline_all([module(HELPER)], [cell])
    assert other.source == inlined
    assert made.source == HELPER.replace('__name__ == "__main__"', "False")


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        (["import helper\nprint(helper)"], "used as a value"),
        (["import helper\nhelper.mean = 1"], "assigned"),
        (["from helper import mean as m"], "another name"),
        (["from helper import median"], "not in helper.py"),
        (["from helper import mean", "mean = mean([1])"], "means two things"),
        (["import helper", "def mean(x):\n    return x", "helper.mean(1)"], "means two things"),
        (["import helper\ndef f(helper):\n    return helper.mean([1])"], "parameter"),
    ],
)
def test_what_a_cell_cannot_stand_for_is_refused(cells: list[str], why: str) -> None:
    with pytest.raises(CannotInline, match=why):
        inline_all([module(HELPER)], cells)


def test_a_module_of_a_package_is_used_by_its_long_name() -> None:
    inside = module(HELPER, "tools.helper")
    cells = ["import math, tools.helper", "tools.helper.mean([math.pi]) + tools.helper.mean([2])"]
    _, others = inline_all([inside], cells)
    assert [o.source for o in others] == ["import math", "mean([math.pi]) + mean([2])"]


@pytest.mark.parametrize("use", ["tools.other.f()", "print(tools)", "tools = 1", "print(tools.helper)"])
def test_a_package_that_is_used_for_more_is_refused(use: str) -> None:
    inside = module(HELPER, "tools.helper")
    with pytest.raises(CannotInline, match="the module `tools` itself"):
        inline_all([inside], ["import tools.helper", f"tools.helper.mean([1])\n{use}"])


def test_an_import_in_one_cell_holds_for_the_cells_below() -> None:
    _, others = inline_all([module(HELPER)], ["import helper as h", "x = h.mean([1])"])
    assert [o.source for o in others] == ["pass", "x = mean([1])"]


def test_the_same_import_in_file_and_notebook_is_no_collision() -> None:
    _, others = inline_all([module(HELPER)], ["import math\nfrom helper import mean", "math.sqrt(mean([1]))"])
    assert others[-1].source == "math.sqrt(mean([1]))"


def test_another_import_of_the_same_name_is_a_collision() -> None:
    with pytest.raises(CannotInline, match="`math`"):
        inline_all([module(HELPER)], ["import cmath as math\nfrom helper import mean"])


def test_a_changed_line_of_the_cell_is_a_changed_line_of_the_file() -> None:
    (made,), _ = inline_all([module(HELPER)], [])
    fixed = restore_file(HELPER, made, made.source.replace("len(value)", "len(values)"))
    assert fixed == HELPER.replace("len(value)", "len(values)")


def test_a_line_that_stands_otherwise_in_the_file_cannot_be_changed() -> None:
    (made,), _ = inline_all([module(HELPER)], [])
    assert restore_file(HELPER, made, made.source.replace("if False:", "if True:")) is None


def test_a_changed_call_of_another_module_is_written_as_the_file_writes_it() -> None:
    report = "import helper as h\n\n\ndef report(xs):\n    return h.mean(xs[1:]), 1\n"
    modules = [module(HELPER), module(report, "report")]
    (_, made), _ = inline_all(modules, ["from report import report"])
    assert made.source == "pass\n\n\ndef report(xs):\n    return mean(xs[1:]), 1\n"
    assert restore_file(report, made, made.source.replace("xs[1:]", "xs")) == report.replace("xs[1:]", "xs")


def test_relative_imports_of_what_is_no_cell_are_made_absolute() -> None:
    text = "from .other import f\nfrom . import third\n"
    (made,), _ = inline_all([module(text, "pack.helper")], [])
    assert made.source == "from pack.other import f\nfrom pack import third\n"


def test_where_a_relative_import_leads() -> None:
    node = src.parse("from ..b import c").body[0]  # type: ignore[union-attr]
    assert find_base(node, "p.q") == "p.b"  # type: ignore[arg-type]
    assert find_base(node, "p") is None  # type: ignore[arg-type]
    assert list(list_imported("import a.b\nfrom c import d", "")) == ["a.b", "c.d", "c"]


def test_only_modules_on_the_way_to_the_wanted_file_are_taken_each_after_what_it_imports(tmp_path: Path) -> None:
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text("")
    (tmp_path / "pack" / "core.py").write_text("def f():\n    return 1\n")
    (tmp_path / "pack" / "use.py").write_text("from .core import f\n\n\ndef g():\n    return f()\n")
    (tmp_path / "aside.py").write_text("x = 1\n")
    finder = Finder(tmp_path, (tmp_path,))
    texts = ["import aside, os\nfrom pack.use import g"]
    assert [m.name for m in finder.collect_modules(texts, {tmp_path / "pack" / "core.py"})] == ["pack.core", "pack.use"]
    assert {m.name for m in finder.collect_modules(texts, ())} == {"aside", "pack.core", "pack.use"}


@pytest.mark.parametrize(
    ("path", "own"),
    [("a.py", True), ("src/a.py", True), ("a.txt", False), (".venv/a.py", False), ("x/site-packages/a.py", False)],
)
def test_which_files_are_the_projects_own(path: str, own: bool) -> None:
    assert is_own(Path("/project") / path, Path("/project")) is own
    assert not is_own(Path("/elsewhere/a.py"), Path("/project"))


def test_a_file_is_written_as_it_was_but_for_the_fix(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes("# -*- coding: latin-1 -*-\r\nx = 'é'\r\ny = 1\r\n".encode("latin-1"))
    path.chmod(0o640)
    file = read_file(path)
    assert file is not None
    write_fixes((FileFix(file, file.text.replace("y = 1", "y = 2")),), tmp_path)
    assert path.read_bytes() == "# -*- coding: latin-1 -*-\r\nx = 'é'\r\ny = 2\r\n".encode("latin-1")
    assert path.stat().st_mode & 0o777 == 0o640


def test_nothing_is_written_where_a_file_changed_meanwhile_or_stands_elsewhere(tmp_path: Path) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("x = 1\n")
    a, b = (read_file(tmp_path / name) for name in ("a.py", "b.py"))
    assert a is not None
    assert b is not None
    fixes = (FileFix(a, "x = 2\n"), FileFix(b, "x = 2\n"))
    (tmp_path / "b.py").write_text("x = 3\n")
    with pytest.raises(NotebookError, match=r"b\.py: changed on disk"):
        write_fixes(fixes, tmp_path)
    assert (tmp_path / "a.py").read_text() == "x = 1\n"
    (tmp_path / "inner").mkdir()
    with pytest.raises(NotebookError, match="--project"):
        write_fixes(fixes[:1], tmp_path / "inner")


@pytest.mark.parametrize("raw", [b"x = 1\r\ny = 2\n", b"x = 1\ry = 2\n", b"# coding: nonsense\n", b"\xff\xfe"])
def test_what_cannot_be_given_back_as_it_was_is_not_read(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "a.py").write_bytes(raw)
    assert read_file(tmp_path / "a.py") is None
