from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jupyter_selfheal.surfaces.notebook.read import Document, read
from tests.batches import notebook


@pytest.fixture
def document(tmp_path: Path) -> Callable[..., Document]:
    """Writes a notebook to a file and reads it."""

    def make(*cells: dict[str, Any] | str, **metadata: Any) -> Document:
        path = tmp_path / "given.ipynb"
        path.write_text(json.dumps(notebook(*cells, **metadata), indent=1))
        return read(path)

    return make
