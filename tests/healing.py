"""Heals notebooks given as text with the real parts, all from one frozen kernel."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from types import ModuleType

from jupyter_selfheal.config import HealConfig
from jupyter_selfheal.model import Keep, Launch, Notebook, Role, Run, Sandbox, Trial, TrialRequest
from jupyter_selfheal.ports import TrialKernel
from jupyter_selfheal.surfaces.notebook.read import Document, read
from jupyter_selfheal.surfaces.notebook.records import NotebookReport
from jupyter_selfheal.surfaces.notebook.run import Batch
from jupyter_selfheal.surfaces.notebook.session import Session
from jupyter_selfheal.surfaces.notebook.settings import Settings
from jupyter_selfheal.testing.text_notebook import TextNotebook, parse_file

ROOT = Path(__file__).parent.parent


def examples() -> ModuleType:
    """``examples/make_examples.py`` as a module."""
    spec = importlib.util.spec_from_file_location("make_examples", ROOT / "examples" / "make_examples.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules["make_examples"] = module
    spec.loader.exec_module(module)
    return module


def variants() -> Iterator[tuple[str, TextNotebook]]:
    """(name, notebook) of every variant."""
    for path in sorted((ROOT / "tests" / "variants").glob("*.txt")):
        for notebook in parse_file(path):
            yield f"{path.stem}: {notebook.title}", notebook


@dataclass
class Clinic:
    """A folder, and a frozen kernel in it, from which every notebook below it is healed."""

    folder: Path
    session: Session
    kernel: TrialKernel
    parts: Iterator[int] = field(default_factory=lambda: count(1))

    def heal(self, source: TextNotebook, name: str) -> tuple[NotebookReport, Document]:
        """Write the notebook into a folder of its own, and heal it."""
        part = next(self.parts)
        plain = re.sub(r"\W+", "_", name)
        place = self.folder / f"{part}_{plain}"  # a test that is run again has a new one
        place.mkdir()
        examples().write(source, place / "notebook.ipynb")
        document = read(place / "notebook.ipynb")
        dependencies = replace(
            self.session.build_dependencies(document, part=part),
            open_state=lambda: self.state_in(place),
            open_clean=lambda: self.state_in(place),  # warm as it is; test_batch_flaky has the other hash seed
        )
        report, _ = Batch(document, dependencies, self.session.limits).run()
        return report, document

    def state_in(self, place: Path) -> TrialKernel:
        """A clean state whose working directory is ``place``, with writes of its own."""
        step = Run(f"import os; os.chdir({str(place)!r}); del os")
        trial, state = self.kernel.run(
            TrialRequest((step,), timeout=60, keep=Keep.ON_SUCCESS, sandbox=Sandbox(writes="discard"))
        )
        assert state is not None, trial
        return state

    def check(self, healed: Notebook, checks: tuple[str, ...], place: Path) -> Trial:
        """Run the healed notebook from the top, then the checks that no healer has seen."""
        cells = tuple(Run(c.source, c.id) for c in healed.cells if c.kind == "code" and c.source.strip())
        state = self.state_in(place)
        try:
            trial, _ = state.run(TrialRequest((*cells, *(Run(c, role=Role.CHECK) for c in checks)), timeout=60))
        finally:
            state.close()
        return trial


@contextmanager
def clinic(folder: Path) -> Iterator[Clinic]:
    """Opens one kernel for everything below ``folder``."""
    from jupyter_selfheal.kernels.freeze import open_state

    config = HealConfig(offline=True, memory=False, timeout=10.0)
    with Session(Settings(config, cell_seconds=5.0)) as session:
        cold = open_state(Launch("python3", str(folder)))
        try:
            # imported once, not by every notebook: what is measured is healing
            libraries = (
                "import seaborn, matplotlib.pyplot, sklearn.linear_model, sklearn.model_selection, pandas, json, csv"
            )
            trial, warm = cold.run(TrialRequest((Run(f"{libraries}\n%reset -f"),), timeout=120, keep=Keep.ON_SUCCESS))
            assert warm is not None, trial
            with closing(warm):
                yield Clinic(folder, session, warm)
        finally:
            cold.close()
