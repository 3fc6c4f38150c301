"""What pages and docstrings point to exists: files by name, modules, classes and functions by their dotted path."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "jupyter_selfheal"
PLACEHOLDER = re.compile(r"\b(CODE|NAME|RULE)\b")
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *PACKAGE.rglob("*.py")])
DOTTED = re.compile(r":(?:mod|class|func|data|meth):`~?(jupyter_selfheal\.[\w.]+)`")
FOLDER_FILE = re.compile(
    r"`{1,2}((?:docs|tests|benchmarks|examples|loop|inside|surfaces|scoring|kernels|healers)/[\w/]+\.\w+)`{1,2}"
)


@cache
def read(path: Path) -> str:
    return path.read_text("utf-8")


def find_wrong(page: Path) -> Iterator[str]:
    for dotted in DOTTED.findall(read(page)):
        if not is_there(dotted.split(".")[1:]):
            yield dotted
    for name in FOLDER_FILE.findall(read(page)):
        if not PLACEHOLDER.search(name) and not (ROOT / name).exists() and not (PACKAGE / name).exists():
            yield name


def is_there(parts: list[str]) -> bool:
    """Whether a dotted path leads to a module, or to a name that is written in one."""
    for length in range(
        len(parts), 0 if len(parts) > 1 else -1, -1
    ):  # a single part may be a name of the package itself
        place = PACKAGE.joinpath(*parts[:length])
        module = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
        if module.exists():
            return all(re.search(rf"\b{part}\b", read(module)) for part in parts[length:])
    return False


def test_what_pages_and_docstrings_point_to_exists() -> None:
    wrong = {str(page.relative_to(ROOT)): list(find_wrong(page)) for page in PAGES}
    assert {page: names for page, names in wrong.items() if names} == {}


def test_what_the_engine_loads_by_name_is_there() -> None:
    """Parts are named as texts, so that none is imported before it is wanted: no type checker follows them."""
    texts = [read(path) for path in sorted((PACKAGE / "engine").glob("*.py"))]
    named = [found for text in texts for found in re.findall(r'load_part\("([\w.]+)", "(\w+)"\)', text)]
    assert len(named) > 10
    for module, name in named:
        assert hasattr(import_module(f"jupyter_selfheal.{module}"), name), f"{module} has no {name}"


def test_a_word_of_the_glossary_is_explained_once() -> None:
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \|$", read(ROOT / "docs" / "glossary.md"), re.MULTILINE)
    words = [word.strip() for row in rows if row != "term" for word in row.split(",")]
    assert len(words) > 100
    assert sorted(set(words)) == sorted(words)


def test_every_decision_stands_in_the_architecture_in_its_order() -> None:
    listed = re.findall(
        r"\]\(adr/(\d{4}-[\w-]+\.md)\)", read(ROOT / "docs" / "architecture.md").split("## Decisions")[1]
    )
    assert listed == sorted(path.name for path in (ROOT / "docs" / "adr").glob("0*.md"))
