from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.healing import Clinic, clinic


@pytest.fixture(scope="session")
def ward(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clinic]:
    """One kernel for every notebook of this folder's tests."""
    with clinic(tmp_path_factory.mktemp("ward")) as opened:
        yield opened
