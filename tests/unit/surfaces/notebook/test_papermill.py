"""What papermill gets back: its own error is the first that was not healed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.needed import needs

pytestmark = needs("papermill", reason="the extra [papermill] is not installed")


def build_cell(source: str, ename: str = "", tags: tuple[str, ...] = ()) -> dict[str, Any]:
    error = {"output_type": "error", "ename": ename, "evalue": "", "traceback": []}
    metadata = {"tags": list(tags)}
    return {"cell_type": "code", "id": source, "metadata": metadata, "source": source, "execution_count": 1,
            "outputs": [error] if ename else []}  # fmt: skip


def test_papermill_raises_the_first_error_though_cells_below_fail_too(tmp_path: Path) -> None:
    import nbformat
    from papermill.engines import NotebookExecutionManager
    from papermill.exceptions import PapermillExecutionError
    from papermill.execute import raise_for_execution_errors

    from jupyter_selfheal.surfaces.notebook.papermill import _hand_back

    cells = [build_cell("a"), build_cell("b", "KeyError"), build_cell("c"), build_cell("d", "NameError")]
    raw = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    manager = NotebookExecutionManager(nbformat.from_dict({**raw, "metadata": {"papermill": {}}}), progress_bar=False)
    _hand_back(manager, raw)
    with pytest.raises(PapermillExecutionError) as raised:
        raise_for_execution_errors(manager.nb, str(tmp_path / "out.ipynb"))
    assert raised.value.ename == "KeyError"
