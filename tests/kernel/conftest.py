"""A user's kernel for the hazards of forking, which is compared with itself after each test; a place for the sandbox's tests."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from jupyter_selfheal.kernels.forked import ForkedKernel
from jupyter_selfheal.testing.processes import is_gone, list_marked, mark_descendants
from tests.kernel.enclosed import Place
from tests.kernel.forking import User
from tests.waiting import wait_until


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[User]:
    mark_descendants()
    user = User(tmp_path_factory.mktemp("user"))
    for _ in range(
        2
    ):  # the first copy tells the kernel what sandbox there is, on a pipe that is closed when it makes the next
        state = user.freeze("before")
        assert state.isolation.kernel == "forked"
        state.close()
    yield user
    user.stop()
    assert all(is_gone(pid) for pid in list_marked())


@pytest.fixture
def user(kernel: User) -> Iterator[User]:
    """The kernel, compared with itself afterwards; what a test itself changes it says in ``changed``."""
    kernel.changed = set()
    before, processes = kernel.snapshot(), set(list_marked())
    yield kernel
    after = kernel.snapshot()
    new = Counter(after.pop("fds")) - Counter(before.pop("fds"))  # fewer is ipykernel's own doing
    assert "fds" in kernel.changed or not new, new
    different = {k: (before[k], after[k]) for k in before if before[k] != after[k]}
    assert set(different) <= kernel.changed, different
    assert "processes" in kernel.changed or wait_until(lambda: set(list_marked()) == processes)


@pytest.fixture(params=["before", "after"])
def freeze(request: pytest.FixtureRequest, user: User) -> Iterator[Callable[..., ForkedKernel]]:
    made: list[ForkedKernel] = []

    def make(*cell: str) -> ForkedKernel:
        made.append(user.freeze(request.param, *cell))
        return made[-1]

    yield make
    for state in made:
        state.close()


@pytest.fixture
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    """Outside of the temporary folder, which is itself overlaid."""
    user = getattr(request, "param", None)
    if user is not None and os.geteuid() != 0:
        pytest.skip("only root can become another user")
    base = Path("/var/tmp") if os.access("/var/tmp", os.W_OK) else Path.home()
    root = Path(tempfile.mkdtemp(prefix="sandbox-test-", dir=base))
    root.chmod(0o755)
    yield Place(root, user)
    shutil.rmtree(root)
