"""Each check of a review speaks where its page says, and is silent on what looks like it: ``tests/review/CODE.txt``, in real kernels.

A block ``# %% {"doubt": "words"}`` is a cell that the check must doubt in these words; no other cell of the file may be doubted by
any check.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.model import Doubt
from jupyter_selfheal.scoring.review.reviewer import load_checks
from jupyter_selfheal.surfaces.notebook.read import read
from jupyter_selfheal.surfaces.notebook.run import Batch
from jupyter_selfheal.surfaces.notebook.session import Session
from jupyter_selfheal.surfaces.notebook.settings import Settings
from jupyter_selfheal.testing.text_notebook import TextNotebook, parse_file
from tests.batches import cell, notebook

pytestmark = pytest.mark.kernel

EXAMPLES = {path.stem: parse_file(path) for path in sorted((Path(__file__).parents[1] / "review").glob("*.txt"))}


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    config = HealConfig(healers=("rules",), offline=True, memory=False)
    with Session(Settings(config, cell_seconds=30.0, review=True)) as opened:
        yield opened


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder, so that one kernel is started for all examples."""
    return tmp_path_factory.mktemp("review")


def review(session: Session, folder: Path, *sources: str) -> tuple[Doubt, ...]:
    path = folder / "n.ipynb"
    path.write_text(json.dumps(notebook(*map(cell, sources))))
    document = session.choose_kernel_for(read(path))
    report, _ = Batch(document, session.build_dependencies(document), session.limits).run()
    assert report.review is not None
    assert report.review.cells == len(sources), (
        f"a cell failed: {report.summary}: {[r.headline for r in report.records]}"
    )
    return report.review.doubts


def test_every_check_has_its_examples() -> None:
    assert EXAMPLES.keys() == {check.code for check in load_checks()}
    for code, examples in EXAMPLES.items():
        silent = [e for e in examples if e.title.startswith("silent: ")]
        assert len(silent) >= 3, f"{code} has fewer than three notebooks on which it must be silent"
        assert len(silent) < len(examples), f"{code} has no notebook on which it speaks"


@pytest.mark.parametrize(
    ("code", "example"),
    [
        pytest.param(code, e, id=f"{code}-{e.title}", marks=[pytest.mark.slow] * (number >= 2))
        for code, examples in EXAMPLES.items()
        for speaks in (True, False)
        for number, e in enumerate(e for e in examples if e.title.startswith("silent: ") != speaks)
    ],
)
def test_the_check_speaks_where_it_should_and_nowhere_else(
    session: Session, folder: Path, code: str, example: TextNotebook
) -> None:
    example.write_files(folder)
    expected = {f"c{n}": str(c.settings["doubt"]) for n, c in enumerate(example.cells) if "doubt" in c.settings}
    assert bool(expected) != example.title.startswith("silent: ")
    doubts = review(session, folder, *(c.source for c in example.cells))
    assert [(d.cell_id, d.code) for d in doubts] == [(cell_id, code) for cell_id in expected], doubts
    for doubt in doubts:
        assert expected[doubt.cell_id] in doubt.what
        assert doubt.advice
