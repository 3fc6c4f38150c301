"""Tests that run one after the other on one worker, as they share a server, a browser or an environment that takes long to make.

xdist's mark for it, ``xdist_group``, has no effect with pytest 9.2 and xdist 3.8: xdist appends the group to ``item._nodeid``, and
pytest no longer reads that. So the groups are told by path, and :func:`make_scheduler` gives them to xdist's own scheduler.
"""

from __future__ import annotations

from typing import Any

GROUPS = {"tests/browser/": "browser", "tests/kernel/test_other_environment.py": "other environment"}
"""Folders and files, and the group that their tests are of."""

NO_BROWSER = ("tests/browser/test_packaging.py", "tests/browser/test_units.py")
"""Files of the browser's folder that need none."""


def find_group(nodeid: str) -> str | None:
    """The group of a test by its id; None where it may run on any worker."""
    file = nodeid.partition("::")[0].replace("\\", "/")
    if file in NO_BROWSER:
        return None
    return next((group for path, group in GROUPS.items() if file.startswith(path)), None)


def make_scheduler(config: Any, log: Any) -> Any:
    """What hands tests to workers: as ``--dist loadgroup``, with these groups."""
    from xdist.scheduler import LoadGroupScheduling

    class Scheduler(LoadGroupScheduling):  # type: ignore[misc, unused-ignore]
        def _split_scope(self, nodeid: str) -> str:
            return find_group(nodeid) or str(super()._split_scope(nodeid))

    return Scheduler(config, log)
